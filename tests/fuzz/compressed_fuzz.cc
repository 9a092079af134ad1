// What is compressed, or claims to be: any bytes, and no more memory than the limit.
#include "format/compressed.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde;
  constexpr std::uint64_t kMost = 1 << 20;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)foreign_archive(bytes);
  const Compression compression = compression_of(bytes);
  if (compression == Compression::kNone) return 0;
  const auto content = decompress(compression, "f", bytes, kMost);
  fuzz::require(content ? (*content)->text().size() <= kMost : !content.error().text.empty(),
                "neither content nor an error with words");
  return 0;
}
