#include "batch/facts.h"

#include <algorithm>

#include "history/history_builder.h"

namespace isolde::batch {
namespace {

void look_at(const History& h, std::uint64_t first_place, Facts& facts) {
  const HistoryColumns& c = h.columns();
  const auto add = [](std::uint64_t& to, bool has) { to += has ? 1 : 0; };
  add(facts.has.start_ts, !c.start_ts.empty());
  add(facts.has.commit_ts, !c.commit_ts.empty());
  add(facts.has.order, !c.order.empty());
  add(facts.has.begin, !c.begin.empty());
  add(facts.has.end, !c.end.empty());
  add(facts.has.sno, !c.sno.empty());
  add(facts.has.snapshots, !c.snapshots.empty());
  add(facts.has.predicates, !c.predicates.empty());
  add(facts.has.version_orders, !c.version_orders.empty());
  add(facts.has.appends, std::any_of(c.op.begin(), c.op.end(), [](OpHead op) { return op.kind() == OpKind::kAppend; }));
  add(facts.has.overwrites, std::any_of(c.op.begin(), c.op.end(), [](OpHead op) {
        return is_item_write(op.kind()) && op.kind() != OpKind::kAppend;
      }));
  add(facts.has.unknown, std::find(c.status.begin(), c.status.end(), Status::kUnknown) != c.status.end());
  facts.flags |= c.flags[0];
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    const Status status = h.status(t);
    if (status == Status::kAborted) continue;
    ++facts.counted;
    const bool has_begin = h.begin(t) != kNoTime;
    const bool has_end = status == Status::kCommitted && h.end(t) != kNoTime;
    if (!has_begin || (status == Status::kCommitted && !has_end)) ++facts.unclocked;
    if (has_begin) {
      ++facts.begins;
      if (facts.last_began == UINT64_MAX || h.begin(t) > facts.last_begin) {
        facts.last_begin = h.begin(t);
        facts.last_began = first_place + i;
      }
    }
    if (has_end) {
      ++facts.ends;
      if (facts.first_ended == UINT64_MAX || h.end(t) < facts.first_end) {
        facts.first_end = h.end(t);
        facts.first_ended = first_place + i;
      }
    }
  }
}

Result<void> look_at_all(Ranks& ranks, Parts& parts, Facts& facts) {
  for (std::size_t i = 0; i < parts.count(); ++i) {
    auto part = parts.load(i);
    if (!part) return std::move(part).error();
    look_at(**part, parts.first_place(i), facts);
  }
  if (!ranks.is_first()) return {};
  auto rest = parts.rest();
  if (!rest) return std::move(rest).error();
  if (*rest != nullptr) look_at(**rest, 0, facts);
  return {};
}

}  // namespace

void Facts::merge(const Facts& other) {
  has.start_ts += other.has.start_ts;
  has.commit_ts += other.has.commit_ts;
  has.order += other.has.order;
  has.begin += other.has.begin;
  has.end += other.has.end;
  has.sno += other.has.sno;
  has.snapshots += other.has.snapshots;
  has.predicates += other.has.predicates;
  has.version_orders += other.has.version_orders;
  has.appends += other.has.appends;
  has.overwrites += other.has.overwrites;
  has.unknown += other.has.unknown;
  flags |= other.flags;
  ends += other.ends;
  begins += other.begins;
  unclocked += other.unclocked;
  counted += other.counted;
  // Of ranks in their order, so that the first one stays among equals.
  if (other.first_ended != UINT64_MAX && (first_ended == UINT64_MAX || other.first_end < first_end)) {
    first_end = other.first_end;
    first_ended = other.first_ended;
  }
  if (other.last_began != UINT64_MAX && (last_began == UINT64_MAX || other.last_begin > last_begin)) {
    last_begin = other.last_begin;
    last_began = other.last_began;
  }
}

Result<Facts> survey(Ranks& ranks, Parts& parts) {
  Facts own;
  const Result<void> looked = look_at_all(ranks, parts, own);
  if (auto agreed = ranks.agree(looked); !agreed) return std::move(agreed).error();
  Facts all;
  for (const Facts& facts : gathered(ranks, std::vector{own})) all.merge(facts);
  return all;
}

History stand_in(const Facts& facts) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session(0));
  if (facts.has.start_ts > 0) builder.set_start_ts(kNoTime);
  if (facts.has.commit_ts > 0) builder.set_commit_ts(kNoTime);
  if (facts.has.order > 0) builder.set_order(kNoTime);
  if (facts.has.begin > 0) builder.set_begin(kNoTime);
  if (facts.has.end > 0) builder.set_end(kNoTime);
  if (facts.has.sno > 0) builder.set_sno(kNoTime);
  if (facts.has.snapshots > 0) builder.set_snapshot(std::nullopt, 0, 0, {});
  if (facts.has.predicates > 0) builder.scan("TRUE", {});
  if (facts.has.appends > 0) builder.append(builder.key(0), builder.values().integer(1));
  if (facts.has.overwrites > 0) builder.write(builder.key(1), builder.values().integer(1));
  if (facts.has.version_orders > 0) builder.version_order(builder.key(0), {}, false);
  builder.end_txn();
  if ((facts.flags & kSerialByCommitTs) != 0) builder.set_serial_by_commit_ts();
  if ((facts.flags & kInitialGuessed) != 0) builder.set_initial_guessed();
  auto history = builder.finish();
  return *std::move(history);
}

OrderEvidence order_evidence_of(const Facts& facts, bool sessions) {
  OrderEvidence out;
  out.sessions = sessions;
  out.clocks = facts.ends > 0 && facts.begins > 0 &&
               (facts.ends > 1 || facts.begins > 1 || facts.first_ended != facts.last_began);
  out.realtime = out.clocks && facts.first_end < facts.last_begin;
  out.unclocked = facts.unclocked;
  out.counted = facts.counted;
  return out;
}

}  // namespace isolde::batch
