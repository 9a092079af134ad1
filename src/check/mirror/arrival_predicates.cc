// check/mirror: predicate operations as a transaction is taken: what they show of themselves and of the transaction's
// own writes is judged here; what they say of other keys waits (predicate_looks.h).
#include <fmt/format.h>

#include <algorithm>

#include "check/mirror/arrival_reader.h"

namespace isolde::mirror {
namespace {

LookKind look_kind(OpKind kind) {
  return kind == OpKind::kScan ? LookKind::kScan : kind == OpKind::kUpdate ? LookKind::kUpdate : LookKind::kAggregate;
}

}  // namespace

void ArrivalReader::look(OpHead head, const Window& at, std::uint32_t op, std::uint32_t moment) {
  const Predicate& predicate = h_.predicate(head.predicate());
  const Profile& profile = core_.options.profile;
  const Lock lock = head.kind() == OpKind::kUpdate ? Lock::kUpdate : head.lock();
  if (txn_.status == Status::kAborted) return;
  std::int64_t low = 0, high = 0;
  const bool range = head.kind() == OpKind::kScan && whole_key_range(h_.values().string(predicate.where), low, high);
  if (core_.columns.on) {  // rows are not known as a whole
    if (!range) leave_out();
    return;
  }
  TakenLook look{};
  look.kind = look_kind(head.kind());
  look.where = chunk_.value(predicate.where);
  look.aggregate = chunk_.value(predicate.aggregate);
  look.result = look.kind == LookKind::kAggregate ? chunk_.value(h_.op_value(op)) : kNullFingerprint;
  look.moment = moment;
  look.statement = op - first_;
  look.first_row = static_cast<std::uint32_t>(txn_.look_rows.size());
  const CompiledPredicate* const condition = core_.looks.condition(look.where);
  if (condition == nullptr) return leave_out();
  const auto items = h_.items(predicate);
  if (look.kind == LookKind::kScan) look_at_rows(*condition, look, items);
  if (range) {  // keys that are not there were read as absent
    if (look.open) leave_out();
    txn_.look_rows.resize(look.first_row);
    return;
  }
  look_at_own(*condition, look, items);
  const bool by_snapshot = txn_.has_snapshot() && moment == 0;
  const bool latest = profile.reads == Reads::kCommitted || lock != Lock::kNone;
  look.alone = !by_snapshot && (latest || profile.snapshot_gathered);
  look.moving = !by_snapshot && latest;
  // Nothing says whether a change looks at the snapshot or at what is latest.
  if (look.kind == LookKind::kUpdate && by_snapshot && !profile.first_updater_wins) {
    txn_.look_rows.resize(look.first_row);
    return leave_out();
  }
  const auto first = txn_.look_rows.begin() + look.first_row;
  std::sort(first, txn_.look_rows.end(), [](const LookRow& a, const LookRow& b) { return a.key < b.key; });
  look.rows = static_cast<std::uint32_t>(txn_.look_rows.size()) - look.first_row;
  if (!look.alone) txn_.moments[moment].rows += 2;  // others share it
  txn_.looks.push_back(look);
  static_cast<void>(at);
}

// A row that a scan returned matches, whatever it saw.
void ArrivalReader::look_at_rows(const CompiledPredicate& condition, TakenLook& look, std::span<const Item> items) {
  for (const Item& item : items) {
    const KeySlot key = slot_of(chunk_.key(item.key));
    const Match match = core_.looks.match(condition, core_.keys[key], key, chunk_.value(item.value));
    if (match == Match::kUnclear) look.open = true;
    if (match == Match::kNo)
      look_differs(look, key, chunk_.value(item.value), true, "returned that; it does not match");
  }
}

void ArrivalReader::look_at_own(const CompiledPredicate& condition, TakenLook& look, std::span<const Item> items) {
  for (const Item& item : items) txn_.look_rows.push_back({kNullFingerprint, slot_of(chunk_.key(item.key)), 0});
  const auto first = txn_.look_rows.begin() + look.first_row;
  const std::size_t shown = txn_.look_rows.size();
  std::sort(first, txn_.look_rows.end(), [](const LookRow& a, const LookRow& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < txn_.writes.size(); ++i) {
    const TakenWrite own = txn_.writes[i];
    const KeyState& state = core_.keys[own.key];
    if (state.own != txn_.number || state.own_at != i) continue;
    const auto begin = txn_.look_rows.begin() + look.first_row;
    const auto end = txn_.look_rows.begin() + static_cast<std::ptrdiff_t>(shown);
    const auto row = std::lower_bound(begin, end, own.key, [](const LookRow& r, KeySlot key) { return r.key < key; });
    const bool in_result = row != end && row->key == own.key;
    if (in_result) {
      row->own = 1;
      row->value = own.value;
    } else {
      txn_.look_rows.push_back({own.value, own.key, 1});
    }
    // A delete may have found nothing, and somebody put a row there since.
    if ((own.flags & kDelete) != 0) {
      look.open = look.open || look.kind == LookKind::kAggregate;
      continue;
    }
    if ((own.flags & kStepwise) != 0 || same_value_is_idle()) {
      look.open = true;
      continue;
    }
    if (look.kind == LookKind::kAggregate) continue;
    const Match match = core_.looks.match(condition, state, own.key, own.value);
    if (match == Match::kUnclear) look.open = true;
    if (match == Match::kYes && !in_result) {
      look_differs(look, own.key, own.value, false, "missed a row that the transaction had itself written before");
    }
    if (match == Match::kNo && in_result && look.kind == LookKind::kUpdate) {
      look_differs(look, own.key, own.value, false,
                   "changed a row that does not match, as the transaction had itself written it before");
    }
  }
}

void ArrivalReader::look_differs(const TakenLook& look, KeySlot key, Fingerprint version, bool returned,
                                 std::string_view text) {
  if (txn_.status != Status::kCommitted) return leave_out();
  Found found{.kind = AnomalyKind::kResultSetMismatch, .rule = "consistent read", .txns = {txn_.id}, .text = {}};
  found.key = core_.keys[key].key;
  found.about_read = returned;
  (returned ? found.read : found.version) = version;
  found.time = txn_.end;
  found.statement = look.statement;
  found.text = fmt::format("the {} `{}` {}", look_name(look.kind), core_.text_of(look.where), text);
  txn_.source.unsure = true;
  tell(core_, found);
}

}  // namespace isolde::mirror
