// base/scratch_folder.h: creates a new folder in the system's temporary folder.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

// E.g. /tmp/isolde-demo-x7Kq2d for "demo"; the caller removes it. Empty if it cannot be created.
[[nodiscard]] std::string make_scratch_folder(std::string_view purpose);

}  // namespace isolde
