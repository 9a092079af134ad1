#include "check/tested.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace isolde {
namespace {

// The levels of one family by the order that they add; nothing: the family has no such forms.
std::optional<Level> form_with(Level level, AddedOrder order) {
  const LevelFamily family = info(level).family;
  if (family != LevelFamily::kSnapshot && family != LevelFamily::kSerializable) return std::nullopt;
  const auto all = all_levels();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const LevelInfo& row) { return row.family == family && row.order == order; });
  return at == all.end() ? std::nullopt : std::optional(at->level);
}

}  // namespace

OrderEvidence order_evidence(const History& history) {
  OrderEvidence out;
  std::vector<bool> used(history.session_count(), false);
  std::uint64_t ends = 0, begins = 0;
  TxnId ended = kNoTxn, began = kNoTxn;  // the first to end, and the last to begin
  for (std::uint32_t i = 0; i < history.txn_count(); ++i) {
    const TxnId t{i};
    const Status status = history.status(t);
    if (status == Status::kAborted) continue;
    ++out.counted;
    const auto session = raw(history.session(t));
    out.sessions = out.sessions || used[session];
    used[session] = true;
    const bool has_begin = history.begin(t) != kNoTime;
    // An unknown transaction has no end, so it precedes nothing.
    const bool has_end = status == Status::kCommitted && history.end(t) != kNoTime;
    if (!has_begin || (status == Status::kCommitted && !has_end)) ++out.unclocked;
    if (has_begin) {
      ++begins;
      if (began == kNoTxn || history.begin(t) > history.begin(began)) began = t;
    }
    if (has_end) {
      ++ends;
      if (ended == kNoTxn || history.end(t) < history.end(ended)) ended = t;
    }
  }
  out.clocks = ends > 0 && begins > 0 && (ends > 1 || begins > 1 || ended != began);
  out.realtime = out.clocks && history.end(ended) < history.begin(began);
  return out;
}

std::optional<Level> tested_form(Level level, const OrderEvidence& evidence) {
  const AddedOrder added = info(level).order;
  if (added == AddedOrder::kNone || (added == AddedOrder::kRealTime && evidence.clocks)) return std::nullopt;
  if (added == AddedOrder::kSession && evidence.sessions) return std::nullopt;
  return form_with(level, evidence.sessions ? AddedOrder::kSession : AddedOrder::kNone);
}

std::string untested_reason(Level level, Level form) {
  if (info(level).order == AddedOrder::kRealTime) {
    return fmt::format("no clocks: {} holds, but without begin and end of transactions real time cannot be tested",
                       info(form).name);
  }
  return fmt::format("no session has two transactions: {} holds, but there is no session order to test",
                     info(form).name);
}

void withhold_untested(const OrderEvidence& evidence, Verdict& verdict) {
  if (verdict.outcome != Outcome::kSatisfied) return;
  if (const auto form = tested_form(verdict.level, evidence)) {
    verdict.withhold(*form, untested_reason(verdict.level, *form));
    return;
  }
  if (info(verdict.level).order != AddedOrder::kRealTime) return;
  if (evidence.unclocked > 0) {
    verdict.notes.push_back(fmt::format("{} of {} transactions have no clock: real time says nothing about them",
                                        evidence.unclocked, evidence.counted));
  }
  if (!evidence.realtime) {
    verdict.notes.emplace_back(
        "by the clients' clocks, no transaction ended before another began: real time orders nothing");
  }
}

}  // namespace isolde
