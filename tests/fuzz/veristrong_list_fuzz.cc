#include "format/veristrong_list.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return isolde::fuzz::file(isolde::kVeristrongListFormat, data, size);
}
