// tests/fuzz/jepsen_json_fuzz.cc: any bytes as a Jepsen history in JSON.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/jepsen_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::fuzz_jepsen(isolde::kJepsenJsonFormat, {reinterpret_cast<const char*>(data), size});
  return 0;
}
