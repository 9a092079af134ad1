// cli/which_profile.h: the profile that --profile and --profiles name.
#pragma once

#include <string>

#include "base/result.h"
#include "check/mirror/profile.h"

namespace isolde::cli {

// A profile by name, of the file if there is one, or of those that come with Isolde. The error suggests the nearest.
[[nodiscard]] Result<mirror::Profile> profile_by_name(const std::string& name, const std::string& file);

}  // namespace isolde::cli
