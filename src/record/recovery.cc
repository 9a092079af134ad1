#include "record/recovery.h"

#include <fmt/format.h>

namespace isolde::record {

Result<std::unique_ptr<Recovery>> make_recovery(const RecoverySetup& setup, std::string& why_not) {
  // SQLite and MariaDB tell the place of each commit with the commit itself.
  if (setup.url.scheme != "sqlite" && setup.url.scheme != "mariadb")
    why_not = fmt::format("there is no reader for the log of {}", setup.url.scheme);
  return std::unique_ptr<Recovery>();
}

std::string version_order_lines(const History&, std::span<const RecoveredVersion>) { return {}; }

}  // namespace isolde::record
