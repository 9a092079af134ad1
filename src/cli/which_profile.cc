#include "cli/which_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/nearest.h"

namespace isolde::cli {

Result<mirror::Profile> profile_by_name(const std::string& name, const std::string& file) {
  std::vector<mirror::Profile> own;
  if (!file.empty()) {
    auto text = read_whole_file(file);
    if (!text) return std::move(text).error();
    auto read = mirror::read_profiles(*text, file);
    if (!read) return std::move(read).error();
    own = *std::move(read);
  }
  const auto at = std::find_if(own.begin(), own.end(), [&](const mirror::Profile& p) { return p.name == name; });
  if (at != own.end()) return *at;
  if (const mirror::Profile* found = mirror::profile_named(name)) return *found;
  std::vector<std::string_view> names;
  for (const mirror::Profile& p : own) names.push_back(p.name);
  for (const mirror::Profile& p : mirror::profiles()) names.push_back(p.name);
  return Error{fmt::format("unknown profile \"{}\"{} (isolde watch --help)", name, did_you_mean(name, names))};
}

}  // namespace isolde::cli
