// A recording: its header, two journals and the evidence, apart by "--file--". Beside what every reader must survive: a
// journal that can be read can be read wherever it is cut off, and has the same transactions up to there.
#include "format/recording.h"
#include "format/recording_journal.h"
#include "tests/fuzz/format_fuzz.h"

namespace {

using Files = std::map<std::string, std::string>;
using isolde::fuzz::require;

constexpr const char* kNames[] = {"header.jsonl", "session-0001.journal", "session-0002.journal", "evidence.jsonl"};

void read_cut_off(Files files) {
  files.erase("evidence.jsonl");  // it may name what is cut off
  const auto whole = isolde::kRecordingFormat.read(isolde::testing::folder_of(files), {});
  if (!whole) return;
  const std::string last = files["session-0002.journal"];
  if (isolde::goes_on_after_zeros(last)) return;
  for (const std::size_t cut : {last.size() / 3, last.size() / 2, last.size() - last.size() / 8}) {
    files["session-0002.journal"] = last.substr(0, cut);
    const auto part = isolde::kRecordingFormat.read(isolde::testing::folder_of(files), {});
    require(part.has_value(), "cut off it cannot be read: " + (part ? std::string{} : part.error().message()));
    const isolde::History& a = whole->history;
    const isolde::History& b = part->history;
    require(b.txn_count() <= a.txn_count(), "cut off it has more transactions");
    for (std::uint32_t t = 0; t < b.txn_count(); ++t) {
      const isolde::TxnId txn{t};
      const auto ops_a = a.end_op(txn) - a.first_op(txn);
      const auto ops_b = b.end_op(txn) - b.first_op(txn);
      const bool is_last = t + 1 == b.txn_count();
      require(a.txn_text(txn) == b.txn_text(txn), "cut off it has another transaction");
      require(is_last ? ops_b <= ops_a : ops_b == ops_a, "cut off it has other operations");
      require(is_last || a.status(txn) == b.status(txn), "cut off a transaction has another status");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kMarker = "--file--\n";
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Files files;
  for (const char* const name : kNames) {
    const std::size_t at = rest.find(kMarker);
    files[name] = std::string(rest.substr(0, at));
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at + kMarker.size());
  }
  isolde::fuzz::read(isolde::kRecordingFormat, isolde::testing::folder_of(files));
  read_cut_off(std::move(files));
  return 0;
}
