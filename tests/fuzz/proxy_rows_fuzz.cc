// Any bytes as the bodies of messages that the proxy cuts: what is kept is what was there, and nothing is read beyond.
#include "proxy/postgres/rows.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::proxy::postgres;
  using isolde::fuzz::require;
  if (size < 1) return 0;
  const std::size_t added = data[0] % 8;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (const auto kept = without_columns(body, added))
    require(kept->size() <= body.size() && body.compare(2, kept->size() - 2, *kept, 2) == 0, "a description changed");
  if (const auto row = cut_row(body, added)) {
    require(row->kept >= 2 && row->kept <= body.size() && row->added.size() == added, "a row that is longer");
    static_cast<void>(version_name(row->added, data[0] % 2 == 0));
  }
  if (const auto bound = bind_parts(body, added))
    require(bound->body.empty() || bound->body.size() == body.size() + 2 * added, "formats that do not add up");
  const std::string moved = with_place_moved(body, 5, 10);
  require(moved.size() <= body.size(), "a place that grew");
  return 0;
}
