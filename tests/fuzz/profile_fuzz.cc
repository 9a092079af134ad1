// Any text as a file of profiles: no fault; an error has its place; what is read is read back the same.
#include <cstdio>
#include <cstdlib>

#include "check/mirror/profile.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::mirror;
  const auto read = read_profiles({reinterpret_cast<const char*>(data), size}, "p");
  if (!read) {
    require(!read.error().text.empty() && read.error().line > 0 && read.error().column > 0,
            "an error without words or place");
    return 0;
  }
  for (const Profile& p : *read) {
    const auto again = read_profiles(profile_text(p), "p");
    require(again.has_value() && again->size() == 1 && again->front() == p, "what was read is not read back");
  }
  return 0;
}
