#include "base/scratch_folder.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <filesystem>

namespace isolde {

std::string make_scratch_folder(std::string_view purpose) {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  std::string name = (error ? std::string("/tmp") : base.string()) + "/isolde-" + std::string(purpose) + "-XXXXXX";
  return mkdtemp(name.data()) == nullptr ? std::string() : name;
}

}  // namespace isolde
