#include "format/text.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde;
  for (const FormatInfo* format : {&kTextFormat, &kTextPolysiFormat, &kTextPlumeFormat, &kTextAwditFormat}) {
    fuzz::file(*format, data, size);
  }
  return 0;
}
