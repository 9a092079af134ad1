// cli/watch_view.h: what a person, or a program, is shown of a stream that is watched.
//
// Out:    on standard output violations as text, or one JSON object an event; on standard error, if that is a terminal,
//         one live line.
// Always: what is shown of each kind of event is limited, and what is beyond the limit is counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "cli/watch_plan.h"
#include "stream/watcher.h"

namespace isolde::cli {

struct WatchStyle {
  bool json = false, quiet = false;
  std::uint64_t shown = 10;  // violations, and suspicions, that are told in full
  Colour colour = Colour::kNever;
  std::string subject;    // of the verdict line: the file, "standard input", …
  std::string record;     // where all violations are; empty: nowhere
  std::string confirm;    // what `isolde check` can read of the same transactions; empty: nothing
  bool live_line = true;  // false: somebody else shows live_text()
};

// "12,345/s in, 12,300/s checked, lag 0.4 s, 128 MiB, 3 violations".
[[nodiscard]] std::string live_text(const stream::WatchCounts& counts);
[[nodiscard]] double resident_mib();
// In a line: what its kind means, or what broke where only the rule tells.
[[nodiscard]] std::string_view meaning_of(const OnlineViolation& violation);
// "  1. GSIb: missed effects …" and what happened, as a paragraph.
[[nodiscard]] std::string violation_text(const OnlineViolation& violation, std::uint64_t number, Colour colour);
// "3 reads or predicate operations, 2 transactions as a whole"; empty if everything was judged.
[[nodiscard]] std::string not_judged_text(const OnlineCounts& counts);
// "✗ FILE breaks postgres:serializable", without a newline. Where the mirror found nothing, it ends with the count of
// what was not judged.
[[nodiscard]] std::string verdict_text(const std::string& subject, const Chosen& chosen,
                                       const stream::WatchSummary& summary);
// "isolde check FILE --level snapshot-isolation": how to have another engine check what the mirror found.
[[nodiscard]] std::string confirm_text(const std::string& file, const mirror::Profile& profile);
// "lost-update 3, GSIb 1".
[[nodiscard]] std::string by_name_text(const stream::WatchCounts& counts);
[[nodiscard]] std::string by_name_json(const stream::WatchCounts& counts);

class TerminalView : public stream::WatchView {
 public:
  // `chosen` outlives it.
  TerminalView(WatchStyle style, const Chosen& chosen) : style_(std::move(style)), chosen_(chosen) {}
  ~TerminalView() override { clear(); }

  void started(const stream::Checker& checker) override;
  void violated(const OnlineViolation& violation) override;
  void suspected(const OnlineViolation& violation, std::string_view why) override;
  void late(const Arrival& arrival) override;
  void notice(std::string_view text) override;
  void progress(const stream::WatchCounts& counts) override;
  void clear();

  void summary(const stream::WatchSummary& summary);

 private:
  void line(std::string_view text);  // to standard output, around the live line
  void json_summary(const stream::WatchSummary& summary);
  void text_summary(const stream::WatchSummary& summary);

  WatchStyle style_;
  const Chosen& chosen_;
  std::uint64_t violations_ = 0, suspicions_ = 0, late_ = 0, notices_ = 0;
  double progress_shown_ = -1;
  bool live_ = false;
};

}  // namespace isolde::cli
