// base/scratch_folder.h: a new folder of our own under the system's scratch folder.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

// E.g. /tmp/isolde-demo-x7Kq2d for "demo"; the caller removes it. Empty: it cannot be made.
[[nodiscard]] std::string make_scratch_folder(std::string_view purpose);

}  // namespace isolde
