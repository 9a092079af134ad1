#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "anomaly/telling.h"
#include "base/text.h"
#include "report/words.h"

namespace isolde {
namespace {

// The kind and how often, or, where every anomaly of the kind is at hand, the names that say more: "write-skew
// (G2-item) 2, G2-item 1".
std::string count_text(const History& h, const Verdict& verdict, AnomalyKind kind) {
  const std::uint64_t all = verdict.counts[static_cast<std::size_t>(kind)];
  std::map<AnomalyKind, std::uint64_t> telling;
  std::uint64_t at_hand = 0;
  for (const Anomaly& a : verdict.anomalies) {
    if (a.kind != kind) continue;
    ++at_hand;
    ++telling[telling_kind(h, a)];
  }
  if (at_hand != all) return fmt::format("{} {}", info(kind).name, grouped(all));
  return joined(telling, [kind](const auto& one) {
    return fmt::format("{}{} {}", info(one.first).name,
                       one.first == kind ? std::string() : fmt::format(" ({})", info(kind).name), grouped(one.second));
  });
}

}  // namespace

std::vector<std::string_view> evidence_of(const History& history) {
  const HistoryColumns& c = history.columns();
  std::vector<std::string_view> found;
  if (!c.start_ts.empty() && !c.commit_ts.empty()) {
    found.emplace_back("database timestamps");
  } else if (!c.commit_ts.empty()) {
    found.emplace_back("commit timestamps");
  } else if (!c.start_ts.empty()) {
    found.emplace_back("start timestamps");
  }
  if (!c.order.empty()) found.emplace_back("expected serialization order");
  if (!c.version_orders.empty()) found.emplace_back("version order");
  if (!c.snapshots.empty()) found.emplace_back("snapshots");
  if (!c.begin.empty() || !c.end.empty()) found.emplace_back("client intervals");
  const bool lists = std::any_of(c.op.begin(), c.op.end(), [](OpHead op) { return op.kind() == OpKind::kAppend; });
  if (lists) found.emplace_back("list values");
  if (!c.sno.empty()) found.emplace_back("numbers in sessions");
  found.emplace_back("session order");
  return found;
}

WholeHistory whole_of(const Report& report) {
  if (report.whole) return *report.whole;
  const History& h = report.history;
  return {h.txn_count(), h.op_count(), h.key_count(), h.session_count(), evidence_of(h), h.faults().size()};
}

std::string size_text(const WholeHistory& h) {
  return fmt::format("{}, {}, {}, {}{}", words::counted(h.transactions, "transaction"),
                     words::counted(h.operations, "operation"), words::counted(h.keys, "key"),
                     words::counted(h.sessions, "session"),
                     h.faults == 0 ? std::string() : ", " + words::counted(h.faults, "fault"));
}

std::string counts_text(const History& h, const Verdict& verdict) {
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < verdict.counts.size(); ++k) {
    if (verdict.counts[k] > 0) kinds.push_back(k);
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](std::size_t a, std::size_t b) { return verdict.counts[a] > verdict.counts[b]; });
  std::string text;
  for (const std::size_t k : kinds) {
    if (!text.empty()) text += ", ";
    text += count_text(h, verdict, static_cast<AnomalyKind>(k));
  }
  return text;
}

std::string search_text(const SearchStats& search) {
  std::string parts;
  const auto add = [&parts](std::uint64_t n, std::string_view how) {
    if (n > 0)
      parts +=
          fmt::format("{}{} by {}", parts.empty() ? ": " : ", ", grouped(n) + (parts.empty() ? " ordered" : ""), how);
  };
  add(search.guessed, "hints");
  add(search.pruned, "pruning");
  add(search.searched, "search");
  std::string text = fmt::format("{} of writers {} unordered{}", words::counted(search.pairs, "pair"),
                                 search.pairs == 1 ? "was" : "were", parts);
  if (search.conflicts > 0) text += fmt::format(" ({})", words::counted(search.conflicts, "dead end"));
  if (search.reads > 0)
    text += fmt::format("; {} {} several possible writers", words::counted(search.reads, "read"),
                        search.reads == 1 ? "has" : "have");
  return text;
}

std::string strongest_text(const Strongest& strongest) {
  const auto names = [](std::span<const Level> levels) {
    return joined(levels, [](Level level) { return info(level).name; });
  };
  const std::span<const Level> holds = strongest.holds;
  std::string text;
  if (!holds.empty()) {
    text = info(holds[0]).name;
    if (holds.size() > 1) text += fmt::format(" (also: {})", names(holds.subspan(1)));
  } else {
    const bool stopped = strongest.stop != Strongest::Stop::kNone;
    text = strongest.undecided.empty() ? "none" : stopped ? "not found" : "none that could be decided";
  }
  if (!strongest.untested.empty()) text += fmt::format("; not tested: {}", names(strongest.untested));
  if (!strongest.undecided.empty()) {
    const auto why = [&]() -> std::string_view {
      switch (strongest.stop) {
        case Strongest::Stop::kNone:
          break;
        case Strongest::Stop::kTime:
          return "out of time (--timeout) before";
        case Strongest::Stop::kCancelled:
          return "cancelled before";
        case Strongest::Stop::kWork:
          return "step limit reached (--strongest lifts it) before";
      }
      return "undecided:";
    };
    text += fmt::format("; {} {}", why(), names(strongest.undecided));
  }
  return text;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

}  // namespace isolde
