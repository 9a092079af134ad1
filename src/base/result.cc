#include "base/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace isolde {

std::string Error::message() const {
  if (file.empty() && line == 0) return text;
  const std::string place = file.empty() ? "<input>" : file;
  if (line == 0) return fmt::format("{}: {}", place, text);
  if (column == 0) return fmt::format("{}:{}: {}", place, line, text);
  return fmt::format("{}:{}:{}: {}", place, line, column, text);
}

Error errno_error(std::string_view what, const std::string& place) {
  return Error{fmt::format("{}: {}", what, std::strerror(errno)), place};
}

}  // namespace isolde
