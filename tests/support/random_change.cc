#include "tests/support/random_change.h"

#include <algorithm>

#include "tests/support/draft_predicate.h"

namespace isolde {
namespace {

template <typename T>
T& any_of(std::vector<T>& all, Rng& rng) {
  return all[rng.below(all.size())];
}

// Another value that such a read could have returned: of another read or write of the key, a list cut or turned.
DraftValue other_value(const Draft& draft, const DraftOp& op, Rng& rng) {
  std::vector<DraftValue> pool = {DraftValue{}};
  for (const DraftTxn& txn : draft.txns) {
    for (const DraftOp& other : txn.ops) {
      if (other.key != op.key || is_predicate(other.kind)) continue;
      if (other.kind != OpKind::kAppend) pool.push_back(other.value);
    }
  }
  for (const auto& [key, value] : draft.initial) {
    if (key == op.key) pool.push_back(value);
  }
  if (op.value.type == DraftValue::Type::kList && !op.value.list.empty()) {
    DraftValue list = op.value;
    const auto how = rng.below(3);
    if (how == 0) list.list.pop_back();
    if (how == 1) std::reverse(list.list.begin(), list.list.end());
    if (how == 2) list.list.push_back(static_cast<std::int64_t>(rng.below(4)));
    pool.push_back(std::move(list));
  }
  if (op.value.type == DraftValue::Type::kInteger)
    pool.push_back(DraftValue::of(op.value.integer + rng.between(-1, 1)));
  return any_of(pool, rng);
}

// A row of the key that somebody wrote, or any.
DraftValue other_row(const Draft& draft, const std::string& key, Rng& rng) {
  std::vector<DraftValue> pool = {DraftValue::of_row(rng.between(0, 2))};
  for (const DraftTxn& txn : draft.txns) {
    for (const DraftOp& op : txn.ops) {
      if (op.key == key && op.kind == OpKind::kWrite && op.value.type == DraftValue::Type::kRow) {
        pool.push_back(op.value);
      }
      for (const auto& [its, row] : op.items) {
        if (its == key && row.type == DraftValue::Type::kRow) pool.push_back(row);
      }
    }
  }
  return any_of(pool, rng);
}

// One row of a result or a version set: dropped, another, or one more.
void change_rows(const Draft& draft, std::vector<std::pair<std::string, DraftValue>>& rows, Rng& rng) {
  const auto what = rng.below(3);
  if (what == 0 && !rows.empty()) {
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(rng.below(rows.size())));
  } else if (what == 1 && !rows.empty()) {
    auto& [key, row] = any_of(rows, rng);
    row = other_row(draft, key, rng);
  } else {
    const std::string key(1, static_cast<char>('x' + static_cast<char>(rng.below(3))));
    for (const auto& [its, row] : rows) {
      if (its == key) return;
    }
    rows.emplace_back(key, other_row(draft, key, rng));
  }
}

void change_a_predicate(const Draft& draft, DraftOp& op, Rng& rng) {
  const auto what = rng.below(6);
  if (what == 0) {
    op.where = random_condition(rng).text();
  } else if (what <= 2 && op.vset) {
    if (what == 1) change_rows(draft, *op.vset, rng);
    if (what == 2) op.vset.reset();
  } else if (op.kind != OpKind::kAggregate) {
    change_rows(draft, op.items, rng);
  } else if (op.value.type == DraftValue::Type::kInteger && rng.chance(0.7)) {
    op.value.integer += rng.chance(0.5) ? 1 : -1;
  } else {
    op.value = rng.chance(0.5) ? DraftValue{} : DraftValue::of(rng.between(0, 3));
  }
}

void change_an_op(Draft& draft, Rng& rng) {
  // Reads rather than writes: they are what the level is about.
  DraftTxn* txn = nullptr;
  std::size_t i = 0;
  for (int tries = 0; tries < 4; ++tries) {
    txn = &any_of(draft.txns, rng);
    if (txn->ops.empty()) continue;
    i = rng.below(txn->ops.size());
    if (txn->ops[i].kind == OpKind::kRead || is_predicate(txn->ops[i].kind)) break;
  }
  if (txn->ops.empty()) return;
  DraftOp& op = txn->ops[i];
  const auto what = rng.below(10);
  if (what == 0) {
    txn->ops.erase(txn->ops.begin() + static_cast<std::ptrdiff_t>(i));
  } else if (what == 1) {
    std::swap(op, any_of(txn->ops, rng));
  } else if (op.kind == OpKind::kRead || op.kind == OpKind::kWrite) {
    const DraftValue before = op.value;
    for (int tries = 0; tries < 3 && op.value == before; ++tries) op.value = other_value(draft, op, rng);
  } else if (is_predicate(op.kind)) {
    change_a_predicate(draft, op, rng);
  }
}

void change_a_timestamp(Draft& draft, Rng& rng, bool keep) {
  DraftTxn& txn = any_of(draft.txns, rng);
  DraftTxn& other = any_of(draft.txns, rng);
  auto& mine = rng.chance(0.5) ? txn.start_ts : txn.commit_ts;
  auto& theirs = rng.chance(0.5) ? other.start_ts : other.commit_ts;
  const auto how = keep ? 0 : rng.below(4);
  if (how <= 1) std::swap(mine, theirs);
  if (how == 2) mine = theirs;
  if (how == 3) mine = mine && rng.chance(0.6) ? std::optional(*mine + rng.between(-1, 1)) : std::nullopt;
}

void change_a_clock(Draft& draft, Rng& rng) {
  DraftTxn& txn = any_of(draft.txns, rng);
  auto& mine = rng.chance(0.5) ? txn.begin : txn.end;
  if (!mine) return;
  mine = rng.chance(0.8) ? std::optional(*mine + rng.between(-25, 25)) : std::nullopt;
}

void change_a_status(Draft& draft, Rng& rng) {
  constexpr Status kStatuses[] = {Status::kCommitted, Status::kAborted, Status::kUnknown};
  any_of(draft.txns, rng).status = kStatuses[rng.below(3)];
}

void change_a_snapshot(Draft& draft, Rng& rng) {
  auto& mine = any_of(draft.txns, rng).snapshot;
  if (!mine) return;
  const auto how = rng.below(5);
  if (how == 0) mine->xmin += rng.between(-2, 2);
  if (how == 1) mine->xmax += rng.between(-2, 2);
  if (how == 2 && !mine->active.empty()) mine->active.pop_back();
  if (how == 3) mine->active.push_back(mine->xmin);
  if (how == 4) mine.reset();
}

void change_an_order(Draft& draft, Rng& rng) {
  if (rng.chance(0.3)) return change_a_snapshot(draft, rng);
  if (!draft.versions.empty() && rng.chance(0.5)) {
    DraftVersions& order = any_of(draft.versions, rng);
    if (!order.txns.empty()) std::swap(any_of(order.txns, rng), any_of(order.txns, rng));
    if (!order.values.empty()) std::swap(any_of(order.values, rng), any_of(order.values, rng));
    return;
  }
  std::swap(any_of(draft.txns, rng).order, any_of(draft.txns, rng).order);
}

}  // namespace

void change_a_little(Draft& draft, Rng& rng, bool keep_timestamps) {
  const auto what = rng.below(20);
  if (what < 11) change_an_op(draft, rng);
  if (what >= 11 && what < 14) change_a_timestamp(draft, rng, keep_timestamps);
  if (what == 14) any_of(draft.txns, rng).session = any_of(draft.txns, rng).session;
  if (what == 15 || what == 16) change_a_clock(draft, rng);
  if (what == 17) change_a_status(draft, rng);
  if (what >= 18) change_an_order(draft, rng);
}

}  // namespace isolde
