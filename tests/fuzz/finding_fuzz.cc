// Any text as a finding: no fault; an error has its place; what is read is written, read and written as the same.
#include <cstdio>
#include <cstdlib>

#include "hunt/finding/finding_file.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::hunt;
  const auto finding = parse_finding({reinterpret_cast<const char*>(data), size}, "f");
  if (!finding) {
    require(!finding.error().text.empty() && finding.error().line > 0 && finding.error().column > 0,
            "an error without words or place");
    return 0;
  }
  const std::string text = finding_text(*finding);
  const auto again = parse_finding(text, "f");
  require(again.has_value(), "what was written cannot be read");
  require(finding_text(*again) == text, "what was read is written as something else");
  return 0;
}
