#include "anomaly/telling.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace isolde {
namespace {

// The steps of a cycle, the first one being of the given type; none: they are no such cycle.
std::optional<std::vector<Step>> cycle_from(const Anomaly& a, StepType first) {
  std::vector<Step> steps = a.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].to != steps[(i + 1) % steps.size()].from || steps[i].type == StepType::kProgram) return std::nullopt;
  }
  const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.type == first; });
  if (at == steps.end()) return std::nullopt;
  std::rotate(steps.begin(), at, steps.end());
  return steps;
}

bool are_of_types(const std::vector<Step>& steps, std::initializer_list<StepType> types) {
  return std::equal(steps.begin(), steps.end(), types.begin(), types.end(),
                    [](const Step& step, StepType type) { return step.type == type; });
}

bool write_a_common_key(const History& h, TxnId a, TxnId b) {
  std::unordered_set<std::uint32_t> keys;
  const auto each_written = [&h](TxnId t, auto&& see) {
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
      const OpHead head = h.op(op);
      if (is_item_write(head.kind())) see(head.key());
      if (head.kind() != OpKind::kUpdate) continue;
      for (const Item& item : h.items(h.predicate(head.predicate()))) see(item.key);
    }
  };
  each_written(a, [&](KeyId key) { keys.insert(raw(key)); });
  bool common = false;
  each_written(b, [&](KeyId key) { common = common || keys.contains(raw(key)); });
  return common;
}

// Two transactions, neither of which saw what the other wrote, on two keys.
bool is_write_skew(const History& h, const Anomaly& a) {
  const auto steps = cycle_from(a, StepType::kRw);
  if (!steps || !are_of_types(*steps, {StepType::kRw, StepType::kRw})) return false;
  return (*steps)[0].key != (*steps)[1].key && !write_a_common_key(h, (*steps)[0].from, (*steps)[0].to);
}

// Two transactions that both updated one key, the later one without having seen the earlier one's write.
bool is_lost_update(const History&, const Anomaly& a) {
  const auto steps = cycle_from(a, StepType::kRw);
  if (!steps || steps->size() != 2 || (*steps)[0].key == kNoKey || (*steps)[0].key != (*steps)[1].key) return false;
  return (*steps)[1].type == StepType::kRw || (*steps)[1].type == StepType::kWw;
}

// Two readers, each of which saw one of two writers and missed the other.
bool is_long_fork(const History&, const Anomaly& a) {
  const auto steps = cycle_from(a, StepType::kRw);
  if (!steps || !are_of_types(*steps, {StepType::kRw, StepType::kWr, StepType::kRw, StepType::kWr})) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if ((*steps)[i].from == (*steps)[j].from) return false;
    }
  }
  return true;
}

// A reader saw a write of a transaction and, of another key, an older version than that transaction's.
bool sees_half(const Anomaly& a, bool vanishes) {
  const auto steps = cycle_from(a, StepType::kRw);
  if (!steps || !are_of_types(*steps, {StepType::kRw, StepType::kWr})) return false;
  const Step& missed = (*steps)[0];
  const Step& saw = (*steps)[1];
  if (missed.key == saw.key || missed.from_op == kNoOp || saw.to_op == kNoOp) return false;
  return !vanishes || saw.to_op < missed.from_op;
}
bool is_vanished(const History&, const Anomaly& a) { return sees_half(a, true); }
bool is_fractured(const History&, const Anomaly& a) { return sees_half(a, false); }

// A transaction missed a write of one that comes before it in its session, or had ended before it began.
bool misses_session(const History&, const Anomaly& a) {
  const auto steps = cycle_from(a, StepType::kRw);
  return steps && are_of_types(*steps, {StepType::kRw, StepType::kSession});
}
bool misses_ended(const History&, const Anomaly& a) {
  const auto steps = cycle_from(a, StepType::kRw);
  return steps && are_of_types(*steps, {StepType::kRw, StepType::kRealtime});
}

// Whether one search and a later one with the same text have two results, and the transaction itself did not change
// what they are about in between. `key`: what they should differ on; kNoKey: anything.
bool results_differ(const History& h, std::uint32_t first, std::uint32_t second, KeyId key) {
  const Predicate& one = h.predicate(h.op(first).predicate());
  const Predicate& two = h.predicate(h.op(second).predicate());
  if (h.op(first).kind() != h.op(second).kind() || one.where != two.where || one.aggregate != two.aggregate) {
    return false;
  }
  for (std::uint32_t op = first + 1; op < second; ++op) {
    const OpHead head = h.op(op);
    if (is_item_write(head.kind()) && (key == kNoKey || head.key() == key)) return false;
    if (head.kind() != OpKind::kUpdate) continue;
    const auto items = h.items(h.predicate(head.predicate()));
    if (std::any_of(items.begin(), items.end(), [&](const Item& i) { return key == kNoKey || i.key == key; }))
      return false;
  }
  if (h.op(first).kind() == OpKind::kAggregate) return h.op_value(first) != h.op_value(second);
  const auto of = [&h, key](const Predicate& p) -> std::optional<ValueId> {
    for (const Item& item : h.items(p)) {
      if (item.key == key) return item.value;
    }
    return std::nullopt;
  };
  if (key != kNoKey) return of(one) != of(two);
  return !std::ranges::equal(h.items(one), h.items(two));
}

// One search, twice in a transaction, with two results.
bool is_searched_twice(const History& h, const Anomaly& a) {
  if (a.op == kNoOp || !is_predicate(h.op(raw(a.op)).kind()) || h.op(raw(a.op)).kind() == OpKind::kUpdate) return false;
  const std::uint32_t op = raw(a.op);
  const TxnId t = h.txn_of(a.op);
  const KeyId key = h.op(op).kind() == OpKind::kScan ? a.key : kNoKey;
  for (std::uint32_t other = h.first_op(t); other < h.end_op(t); ++other) {
    if (other == op || !is_predicate(h.op(other).kind())) continue;
    if (results_differ(h, std::min(op, other), std::max(op, other), key)) return true;
  }
  return false;
}

struct TellingRow {
  AnomalyKind kind;
  Variant variant;
  bool (*fits)(const History& h, const Anomaly& a);
  AnomalyKind telling;
};

// Tried in this order: of two that fit, the first says more.
constexpr TellingRow kTelling[] = {
    {AnomalyKind::kG2Item, Variant::kPlain, is_write_skew, AnomalyKind::kWriteSkew},
    {AnomalyKind::kG2Item, Variant::kPlain, is_lost_update, AnomalyKind::kLostUpdate},
    {AnomalyKind::kGNonadjacent, Variant::kPlain, is_long_fork, AnomalyKind::kLongFork},
    {AnomalyKind::kGSingle, Variant::kPlain, is_lost_update, AnomalyKind::kLostUpdate},
    {AnomalyKind::kGSingle, Variant::kPlain, is_vanished, AnomalyKind::kOTV},
    {AnomalyKind::kGSingle, Variant::kPlain, is_fractured, AnomalyKind::kFracturedRead},
    {AnomalyKind::kFracturedRead, Variant::kPlain, is_vanished, AnomalyKind::kOTV},
    {AnomalyKind::kGSingle, Variant::kSession, misses_session, AnomalyKind::kSessionOrder},
    {AnomalyKind::kGSingle, Variant::kRealtime, misses_ended, AnomalyKind::kRealtimeOrder},
    {AnomalyKind::kResultSetMismatch, Variant::kPlain, is_searched_twice, AnomalyKind::kPMP},
};

}  // namespace

AnomalyKind telling_kind(const History& h, const Anomaly& a) {
  for (const TellingRow& row : kTelling) {
    if (row.kind == a.kind && row.variant == a.variant && row.fits(h, a)) return row.telling;
  }
  return a.kind;
}

std::string telling_name(const History& h, const Anomaly& a) {
  const AnomalyKind kind = telling_kind(h, a);
  return kind == a.kind ? full_name(a) : std::string(info(kind).name);
}

std::string both_names(const History& h, const Anomaly& a) {
  const std::string telling = telling_name(h, a);
  const std::string kind = full_name(a);
  return telling == kind ? kind : telling + " (" + kind + ")";
}

}  // namespace isolde
