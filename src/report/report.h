// report/report.h: all that a report on one history is made from; each renderer turns it into its own form.
//
// Always: renderers read this and nothing else; none reads another's output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/methods.h"
#include "anomaly/strongest.h"
#include "anomaly/verdict.h"
#include "history/history.h"
#include "proof/prove.h"

namespace isolde {

struct RunStats {
  double load_seconds = 0;
  double check_seconds = 0;
  double load_cpu_seconds = 0;  // of all threads
  double check_cpu_seconds = 0;
  double strongest_seconds = 0;  // looking for the strongest level that holds; no part of check_seconds
  double peak_mib = 0;
};

// Of a violated history: which findings a baseline says are known (`check --baseline`), by name with their numbers.
struct KnownFindings {
  std::string baseline;  // the file
  std::vector<std::string> known, fresh;
  [[nodiscard]] bool all_known() const { return fresh.empty() && !known.empty(); }
};

// Facts about a whole history, for a report that has only the part of it that the verdict refers to.
struct WholeHistory {
  std::uint64_t transactions = 0, operations = 0, keys = 0, sessions = 0;
  std::vector<std::string_view> evidence;  // as evidence_of() says
  std::uint64_t faults = 0;                // done to the system meanwhile (FaultMark)
};

struct Report {
  std::string file;
  std::string_view format;
  const History& history;
  const Verdict& verdict;
  std::string why_method;          // why this method was taken
  std::vector<std::string> notes;  // of reading; the verdict has its own
  RunStats stats;
  Proof proof = Proof::kNotAsked;
  std::string proof_says = {};                        // kFails: what does not hold
  std::optional<Strongest> strongest = std::nullopt;  // none: it was not looked for
  std::vector<MethodCase> methods = {};               // empty: not asked for
  std::optional<WholeHistory> whole = std::nullopt;   // `history` is a part of this one; none: it is all
  std::optional<KnownFindings> known = std::nullopt;  // none: there is no baseline, or nothing is violated
};
// Of the history that a report is about, whether or not all of it is at hand.
[[nodiscard]] WholeHistory whole_of(const Report& report);

// The kinds of evidence that a history carries, in words: "database timestamps", "list values", …
[[nodiscard]] std::vector<std::string_view> evidence_of(const History& history);

// "G-single 3, write-skew (G2-item) 1": what was found, most frequent first. Empty if nothing was.
[[nodiscard]] std::string counts_text(const History& history, const Verdict& verdict);

// "12 pairs of writers were unordered: 10 ordered by hints, 2 by search (1 dead end)": how an order was found.
[[nodiscard]] std::string search_text(const SearchStats& search);

// A level that is undecided for want of clocks or sessions alone, as reports name its state.
inline constexpr std::string_view kNotTested = "not-tested";

// "snapshot-isolation (also: repeatable-read); not tested: strong-snapshot-isolation; undecided: causal": what is known
// of all levels.
[[nodiscard]] std::string strongest_text(const Strongest& strongest);

// "10 transactions, 15 operations, 3 keys, 2 sessions", and ", 4 faults" if there were any.
[[nodiscard]] std::string size_text(const WholeHistory& whole);

// 1234567 -> "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace isolde
