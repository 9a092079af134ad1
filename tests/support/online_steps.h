// tests/support/online_steps.h: whether the steps of a violation say what the history says.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "check/accesses.h"
#include "check/online.h"
#include "history/history.h"

namespace isolde {

// Empty: every step is between two of the violation's transactions, which did to its key what it says, and stand by
// timestamps as it says. Transactions that the history does not name that way are not looked at.
inline std::string steps_fault(const History& h, const OnlineViolation& v) {
  const auto plain = [](const std::string& json) {
    return json.size() >= 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
  };
  const auto named = [&](std::uint32_t place) -> std::optional<TxnId> {
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      if (plain(h.txn_text(TxnId{t})) == plain(v.transactions[place])) return TxnId{t};
    }
    return std::nullopt;
  };
  const auto does = [&](TxnId t, bool write, const std::string& key) {
    bool found = false;
    // A predicate looks at every key.
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op)
      found = found || (!write && is_predicate(h.op(op).kind()));
    for_each_access(h, t, [&](const Access& a) {
      found = found || ((a.kind != OpKind::kRead) == write && plain(h.key_text(a.key)) == plain(key));
    });
    return found;
  };
  for (const OnlineStep& step : v.steps) {
    if (step.from >= v.transactions.size() || step.to >= v.transactions.size() || step.from == step.to)
      return "a step of no two transactions of the violation";
    const auto from = named(step.from), to = named(step.to);
    if (!from || !to) continue;
    const auto wrong = [&](bool holds) { return !holds; };
    // Who has no timestamp of its own got its place from another.
    const auto ordered = [](std::int64_t a, std::int64_t b) { return a == kNoTime || b == kNoTime || a <= b; };
    bool fault = false;
    switch (step.type) {
      case StepType::kWw:
        fault = wrong(does(*from, true, step.key) && does(*to, true, step.key));
        break;
      case StepType::kWr:
        fault = wrong(does(*from, true, step.key) && does(*to, false, step.key));
        break;
      case StepType::kRw:
        fault = wrong(does(*from, false, step.key) && does(*to, true, step.key));
        break;
      case StepType::kSession:
        fault = wrong(h.session(*from) == h.session(*to));
        break;
      case StepType::kVisible:
        fault = wrong(ordered(h.commit_ts(*from), h.start_ts(*to)));
        break;
      case StepType::kInvisible:
        fault = wrong(ordered(h.start_ts(*from), h.commit_ts(*to)));
        break;
      case StepType::kCommit:
        fault = wrong(ordered(h.commit_ts(*from), h.commit_ts(*to)));
        break;
      default:
        break;
    }
    if (fault)
      return fmt::format("{} {} -{} {}-> {}: not so by the history", full_name(v.kind, v.variant),
                         v.transactions[step.from], name(step.type), step.key, v.transactions[step.to]);
  }
  return {};
}

// "T1 -rw "x"-> T2, …".
inline std::string steps_text(const OnlineViolation& v) {
  std::string out;
  for (const OnlineStep& step : v.steps)
    out += fmt::format("{}{} -{}{}{}-> {}", out.empty() ? "" : ", ", v.transactions.at(step.from), name(step.type),
                       step.key.empty() ? "" : " ", step.key, v.transactions.at(step.to));
  return out;
}

}  // namespace isolde
