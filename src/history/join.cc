#include "history/join.h"

#include <fmt/format.h>

#include "history/copy_value.h"

namespace isolde {
namespace {

ValueId mapped(const std::vector<ValueId>& map, ValueId v) {
  return is_table_value(v) ? map[raw(v) - kFirstTableValue] : v;
}

// An optional column: entries that the pieces before did not have are `none`.
template <typename T>
void append_optional(std::span<const T> from, std::size_t before, std::size_t count, T none, Column<T>& to) {
  if (from.empty() && to.empty()) return;
  to.resize(before, none);
  if (from.empty()) {
    to.resize(before + count, none);
  } else {
    to.append(from);
  }
}

}  // namespace

HistoryJoiner::HistoryJoiner() : c_(std::make_unique<OwnedColumns>()) { c_->first_op.push_back(0); }

HistoryJoiner::Maps HistoryJoiner::map_tables(const History& piece) {
  const HistoryColumns& from = piece.columns();
  Maps maps{{},
            {},
            {},
            static_cast<std::uint32_t>(c_->predicates.size()),
            static_cast<std::uint32_t>(c_->items.size()),
            static_cast<std::uint32_t>(c_->session.size()),
            static_cast<std::uint32_t>(c_->op.size())};
  maps.value.reserve(piece.values().size());
  for (std::uint32_t v = 0; v < piece.values().size(); ++v) {
    maps.value.push_back(copy_value(piece.values(), ValueId{kFirstTableValue + v}, values_));
  }
  maps.key.reserve(piece.key_count());
  for (std::uint32_t k = 0; k < piece.key_count(); ++k) {
    const ValueId name = mapped(maps.value, from.key_name[k]);
    const auto [at, fresh] = keys_.try_emplace(raw(name), KeyId{static_cast<std::uint32_t>(c_->key_name.size())});
    if (fresh) {
      c_->key_name.push_back(name);
      c_->key_initial.push_back(mapped(maps.value, piece.initial(KeyId{k})));
    }
    maps.key.push_back(at->second);
  }
  maps.session.reserve(piece.session_count());
  for (const ValueId session : from.session_name) {
    const ValueId name = mapped(maps.value, session);
    const auto [at, fresh] =
        sessions_.try_emplace(raw(name), SessionId{static_cast<std::uint32_t>(c_->session_name.size())});
    if (fresh) c_->session_name.push_back(name);
    maps.session.push_back(at->second);
  }
  return maps;
}

Result<void> HistoryJoiner::add(const History& piece) {
  const HistoryColumns& from = piece.columns();
  if (c_->op.size() + std::uint64_t{piece.op_count()} >= kNone32 ||
      c_->session.size() + std::uint64_t{piece.txn_count()} >= kNone32 ||
      c_->items.size() + std::uint64_t{from.items.size()} >= kNone32 ||
      c_->active_xids.size() + std::uint64_t{from.active_xids.size()} >= kNone32) {
    return Error{"more than 4,294,967,294 transactions, operations or rows in one history"};
  }
  const Maps maps = map_tables(piece);
  if (c_->key_name.size() >= OpHead::kMaxSubjects ||
      c_->predicates.size() + from.predicates.size() >= OpHead::kMaxSubjects) {
    return Error{fmt::format("more than {} keys or predicates in one history", OpHead::kMaxSubjects)};
  }
  if (values_.table().size() >= kNone32 - kFirstTableValue) return Error{"more than 2,147,483,646 different values"};
  if (!any_) {
    default_initial_ = mapped(maps.value, piece.default_initial());
    c_->about.append(from.about);
  }
  any_ = true;
  own_initial_ = own_initial_ || !from.key_initial.empty();
  flags_ |= from.flags[0];
  add_transactions(piece, maps);
  add_predicates(piece, maps);
  add_orders(piece, maps);
  return {};
}

void HistoryJoiner::add_transactions(const History& piece, const Maps& maps) {
  const HistoryColumns& from = piece.columns();
  const std::size_t txns = c_->session.size(), ops = c_->op.size();
  for (const SessionId s : from.session) c_->session.push_back(maps.session[raw(s)]);
  for (const ValueId id : from.id) c_->id.push_back(mapped(maps.value, id));
  c_->status.append(from.status);
  const std::size_t count = from.session.size();
  append_optional(from.begin, txns, count, kNoTime, c_->begin);
  append_optional(from.end, txns, count, kNoTime, c_->end);
  append_optional(from.start_ts, txns, count, kNoTime, c_->start_ts);
  append_optional(from.commit_ts, txns, count, kNoTime, c_->commit_ts);
  append_optional(from.order, txns, count, kNoTime, c_->order);
  append_optional(from.sno, txns, count, kNoTime, c_->sno);
  append_optional(from.commit_before, txns, count, kNone32, c_->commit_before);
  append_optional(from.commit_length, txns, count, kNone32, c_->commit_length);
  for (WideCommit wide : from.wide_commits) {
    wide.txn = TxnId{maps.first_txn + raw(wide.txn)};
    c_->wide_commits.push_back(wide);
  }
  for (Snapshot snapshot : from.snapshots) {
    snapshot.txn = TxnId{maps.first_txn + raw(snapshot.txn)};
    snapshot.active += static_cast<std::uint32_t>(c_->active_xids.size());
    c_->snapshots.push_back(snapshot);
  }
  c_->active_xids.append(from.active_xids);

  c_->first_op.reserve(c_->first_op.size() + count);
  for (std::uint32_t t = 0; t < count; ++t) c_->first_op.push_back(maps.first_op + from.first_op[t + 1]);
  c_->op.reserve(ops + from.op.size());
  c_->op_value.reserve(ops + from.op.size());
  for (const OpHead op : from.op) {
    const std::uint32_t subject =
        is_predicate(op.kind()) ? maps.first_predicate + raw(op.predicate()) : raw(maps.key[raw(op.key())]);
    c_->op.push_back(OpHead(op.kind(), op.lock(), subject));
  }
  for (const ValueId v : from.op_value) c_->op_value.push_back(mapped(maps.value, v));
  append_optional(from.op_before, ops, from.op.size(), kNone32, c_->op_before);
  append_optional(from.op_length, ops, from.op.size(), kNone32, c_->op_length);
  for (WideInterval wide : from.wide_intervals) {
    wide.op = OpId{maps.first_op + raw(wide.op)};
    c_->wide_intervals.push_back(wide);
  }
}

void HistoryJoiner::add_predicates(const History& piece, const Maps& maps) {
  const HistoryColumns& from = piece.columns();
  for (Predicate p : from.predicates) {
    p.where = mapped(maps.value, p.where);
    p.aggregate = mapped(maps.value, p.aggregate);
    p.items += maps.first_item;
    p.vset += maps.first_item;
    c_->predicates.push_back(p);
  }
  for (const Item& item : from.items) {
    c_->items.push_back({maps.key[raw(item.key)], mapped(maps.value, item.value)});
  }
}

void HistoryJoiner::add_orders(const History& piece, const Maps& maps) {
  const HistoryColumns& from = piece.columns();
  for (VersionOrder order : from.version_orders) {
    const auto entries = from.version_entries.subspan(order.first, order.count);
    order.key = maps.key[raw(order.key)];
    order.first = static_cast<std::uint32_t>(c_->version_entries.size());
    for (const std::uint32_t entry : entries) {
      c_->version_entries.push_back(order.by_txn != 0 ? entry : raw(mapped(maps.value, ValueId{entry})));
    }
    c_->version_orders.push_back(order);
  }
  for (FaultMark fault : from.faults) {
    fault.name = mapped(maps.value, fault.name);
    fault.detail = mapped(maps.value, fault.detail);
    c_->faults.push_back(fault);
  }
}

Result<History> HistoryJoiner::finish() {
  if (!own_initial_) c_->key_initial.clear();
  c_->value_begin = std::move(values_.begin_column());
  c_->value_type = std::move(values_.type_column());
  c_->value_bytes = std::move(values_.bytes_column());
  c_->defaults.push_back(default_initial_);
  c_->flags.push_back(flags_);
  const std::shared_ptr<OwnedColumns> storage = std::move(c_);
  HistoryColumns columns;
  for_each_column([](int, const char*, auto& view, auto& owned) { view = owned.view(); }, columns, *storage);
  if (const std::string defect = defect_of(columns); !defect.empty()) {
    return Error{"the parts do not make one history: " + defect};
  }
  return History(columns, storage);
}

}  // namespace isolde
