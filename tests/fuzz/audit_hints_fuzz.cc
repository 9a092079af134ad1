// Any text as hints: no fault; an error has its place; a pattern matches its own text.
#include <cstdio>
#include <cstdlib>

#include "audit/hints/hints.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::audit;
  const auto hints = read_hints_text({reinterpret_cast<const char*>(data), size}, "h");
  if (!hints) {
    require(!hints.error().text.empty() && hints.error().line > 0 && hints.error().column > 0,
            "an error without words or place");
    return 0;
  }
  for (const auto* list : {&hints->ignored_classes, &hints->single_classes, &hints->unique_columns,
                           &hints->commuting_columns, &hints->existing_tables, &hints->kept_columns}) {
    for (const std::string& pattern : *list) require(matches(pattern, pattern), "a pattern does not match itself");
  }
  return 0;
}
