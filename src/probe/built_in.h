// probe/built_in.h: the files of scenarios/, as the build put them into the program (src/CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace isolde::probe {

struct BuiltInFile {
  std::string_view name;  // "scenarios/01_G0.scenario"
  std::string_view text;
};

[[nodiscard]] std::span<const BuiltInFile> built_in_files();

}  // namespace isolde::probe
