// Any bytes as .isl; and the same bytes with their checksums made to fit, so that the fuzzer gets past them to the
// validation of the columns. What is accepted is well formed and survives .isl and, where JSON can say it, native.
#include <unordered_set>

#include "format/isl.h"
#include "format/native.h"
#include "tests/fuzz/same_again.h"
#include "tests/support/isl_bytes.h"

namespace {

using namespace isolde;

// JSON has no names but strings and whole numbers, and no strings that are not UTF-8; and readers make one value of two
// equal entries of a table, which files that Isolde writes do not have.
bool json_can_say(const History& h) {
  std::unordered_set<std::string> seen;
  const ValueTable& values = h.values();
  constexpr std::string_view kReplaced = "\xef\xbf\xbd";
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const ValueId id{kFirstTableValue + i};
    const std::string text = values.json(id);
    if (text.size() > 4096 || !seen.insert(text).second) return false;
    if (text.find(kReplaced) != std::string::npos) return false;
  }
  const auto is_name = [&](ValueId id) {
    const ValueType type = values.type(id);
    return type == ValueType::kInteger || type == ValueType::kString ||
           (type == ValueType::kNumberText && values.string(id).find_first_of(".e") == std::string_view::npos);
  };
  const HistoryColumns& c = h.columns();
  std::string about;
  append_json_string(h.about(), about);
  return about.find(kReplaced) == std::string::npos && std::all_of(c.id.begin(), c.id.end(), is_name) &&
         std::all_of(c.key_name.begin(), c.key_name.end(), is_name) &&
         std::all_of(c.session_name.begin(), c.session_name.end(), is_name) && (c.flags[0] & ~1U) == 0;
}

// On a key that is appended to, a builder makes absence of the empty list.
bool has_empty_lists(const History& h) {
  for (std::uint32_t i = 0; i < h.values().size(); ++i) {
    const ValueId id{kFirstTableValue + i};
    if (h.values().type(id) == ValueType::kList && h.values().list(id).empty()) return true;
  }
  return false;
}

void survive(std::string_view bytes) {
  const auto result = fuzz::read(kIslFormat, bytes, false);
  if (!result) return;
  fuzz::same_again(kIslFormat, result->history);
  if (json_can_say(result->history) && !has_empty_lists(result->history)) {
    fuzz::same_again(kNativeFormat, result->history);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  survive(bytes);
  isl::fix_checksums(bytes);
  survive(bytes);
  return 0;
}
