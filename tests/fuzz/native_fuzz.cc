// Any bytes as native JSON Lines, strict and lenient; what is read is well formed and survives native and .isl.
#include "format/isl.h"
#include "format/native.h"
#include "tests/fuzz/same_again.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool lenient : {false, true}) {
    const auto result = isolde::fuzz::read(isolde::kNativeFormat, bytes, lenient);
    if (!result) continue;
    isolde::fuzz::same_again(isolde::kNativeFormat, result->history);
    isolde::fuzz::same_again(isolde::kIslFormat, result->history);
  }
  return 0;
}
