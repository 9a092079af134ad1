#include "history/cut.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "history/copy_value.h"

namespace isolde {
namespace {

// Columns of one entry per transaction and per operation that need no translation.
template <typename T>
void copy_entry(std::span<const T> from, std::size_t at, Column<T>& to) {
  if (!from.empty()) to.push_back(from[at]);
}

}  // namespace

// One piece while it is made.
class HistoryCutter::Piece {
 public:
  explicit Piece(HistoryCutter& cutter) : cutter_(cutter), h_(cutter.h_), from_(cutter.h_.columns()) {
    c_.first_op.push_back(0);
  }

  // `keys`: null for all of them.
  void add(TxnId txn, const std::vector<bool>* keys = nullptr) {
    const std::uint32_t t = raw(txn);
    const TxnId here{static_cast<std::uint32_t>(c_.session.size())};
    c_.session.push_back(session(from_.session[t]));
    c_.id.push_back(value(from_.id[t]));
    c_.status.push_back(from_.status[t]);
    copy_entry(from_.begin, t, c_.begin);
    copy_entry(from_.end, t, c_.end);
    copy_entry(from_.start_ts, t, c_.start_ts);
    copy_entry(from_.commit_ts, t, c_.commit_ts);
    copy_entry(from_.order, t, c_.order);
    copy_entry(from_.sno, t, c_.sno);
    copy_entry(from_.commit_before, t, c_.commit_before);
    copy_entry(from_.commit_length, t, c_.commit_length);
    const auto wide = std::lower_bound(from_.wide_commits.begin(), from_.wide_commits.end(), txn,
                                       [](const WideCommit& w, TxnId x) { return w.txn < x; });
    if (wide != from_.wide_commits.end() && wide->txn == txn) {
      c_.wide_commits.push_back(*wide);
      c_.wide_commits.back().txn = here;
    }
    if (const Snapshot* snapshot = h_.snapshot(txn)) {
      c_.snapshots.push_back(*snapshot);
      c_.snapshots.back().txn = here;
      c_.snapshots.back().active = static_cast<std::uint32_t>(c_.active_xids.size());
      c_.active_xids.append(from_.active_xids.subspan(snapshot->active, snapshot->active_count));
    }
    for (std::uint32_t i = h_.first_op(txn); i < h_.end_op(txn); ++i) {
      if (keys == nullptr || (*keys)[raw(h_.op(i).key())]) add_operation(i);
    }
    c_.first_op.push_back(static_cast<std::uint32_t>(c_.op.size()));
  }

  void add_orders() {
    for (const VersionOrder& order : from_.version_orders) {
      VersionOrder& copy = push(c_.version_orders, order);
      copy.key = key(order.key);
      copy.first = static_cast<std::uint32_t>(c_.version_entries.size());
      for (const std::uint32_t entry : from_.version_entries.subspan(order.first, order.count)) {
        c_.version_entries.push_back(order.by_txn != 0 ? entry : raw(value(ValueId{entry})));
      }
    }
  }
  void add_faults() {
    for (FaultMark fault : from_.faults) {
      fault.name = value(fault.name);
      fault.detail = value(fault.detail);
      c_.faults.push_back(fault);
    }
  }
  void add_unnamed_keys() {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (!cutter_.named_[k]) key(KeyId{k});
    }
  }

  History finish() {
    c_.defaults.push_back(value(h_.default_initial()));
    c_.flags.append(from_.flags);
    c_.about.append(from_.about);
    c_.value_begin = std::move(values_.begin_column());
    c_.value_type = std::move(values_.type_column());
    c_.value_bytes = std::move(values_.bytes_column());
    for (const std::uint32_t v : cutter_.used_values_) cutter_.value_[v] = kNone32;
    for (const std::uint32_t k : cutter_.used_keys_) cutter_.key_[k] = kNone32;
    for (const std::uint32_t s : cutter_.used_sessions_) cutter_.session_[s] = kNone32;
    cutter_.used_values_.clear();
    cutter_.used_keys_.clear();
    cutter_.used_sessions_.clear();
    const auto storage = std::make_shared<OwnedColumns>(std::move(c_));
    HistoryColumns columns;
    for_each_column([](int, const char*, auto& view, auto& owned) { view = owned.view(); }, columns, *storage);
    return {columns, storage};
  }

 private:
  template <typename T>
  static T& push(Column<T>& column, const T& element) {
    column.push_back(element);
    return column.back();
  }

  ValueId value(ValueId v) {
    if (!is_table_value(v)) return v;
    std::uint32_t& here = cutter_.value_[raw(v) - kFirstTableValue];
    if (here == kNone32) {
      here = raw(copy_value(h_.values(), v, values_));
      cutter_.used_values_.push_back(raw(v) - kFirstTableValue);
    }
    return ValueId{here};
  }

  KeyId key(KeyId k) {
    std::uint32_t& here = cutter_.key_[raw(k)];
    if (here == kNone32) {
      here = static_cast<std::uint32_t>(c_.key_name.size());
      c_.key_name.push_back(value(from_.key_name[raw(k)]));
      if (!from_.key_initial.empty()) c_.key_initial.push_back(value(from_.key_initial[raw(k)]));
      cutter_.used_keys_.push_back(raw(k));
      cutter_.named_[raw(k)] = true;
    }
    return KeyId{here};
  }

  SessionId session(SessionId s) {
    std::uint32_t& here = cutter_.session_[raw(s)];
    if (here == kNone32) {
      here = static_cast<std::uint32_t>(c_.session_name.size());
      c_.session_name.push_back(value(from_.session_name[raw(s)]));
      cutter_.used_sessions_.push_back(raw(s));
    }
    return SessionId{here};
  }

  void add_operation(std::uint32_t i) {
    const OpHead op = h_.op(i);
    const OpId here{static_cast<std::uint32_t>(c_.op.size())};
    const std::uint32_t subject = is_predicate(op.kind()) ? add_predicate(op.predicate()) : raw(key(op.key()));
    c_.op.push_back(OpHead(op.kind(), op.lock(), subject));
    c_.op_value.push_back(value(h_.op_value(i)));
    copy_entry(from_.op_before, i, c_.op_before);
    copy_entry(from_.op_length, i, c_.op_length);
    if (from_.wide_intervals.empty()) return;
    const auto wide = std::lower_bound(from_.wide_intervals.begin(), from_.wide_intervals.end(), OpId{i},
                                       [](const WideInterval& w, OpId x) { return w.op < x; });
    if (wide != from_.wide_intervals.end() && wide->op == OpId{i}) push(c_.wide_intervals, *wide).op = here;
  }

  std::uint32_t add_predicate(PredicateId p) {
    const Predicate& from = h_.predicate(p);
    Predicate& to = push(c_.predicates, from);
    to.where = value(from.where);
    to.aggregate = value(from.aggregate);
    to.items = add_items(h_.items(from));
    to.vset = add_items(h_.vset(from));
    return static_cast<std::uint32_t>(c_.predicates.size() - 1);
  }

  std::uint32_t add_items(std::span<const Item> items) {
    const auto first = static_cast<std::uint32_t>(c_.items.size());
    for (const Item& item : items) {
      const KeyId k = key(item.key);
      c_.items.push_back({k, value(item.value)});
    }
    return first;
  }

  HistoryCutter& cutter_;
  const History& h_;
  const HistoryColumns& from_;
  OwnedColumns c_;
  ValueInterner values_;
};

HistoryCutter::HistoryCutter(const History& history)
    : h_(history),
      value_(history.values().size(), kNone32),
      key_(history.key_count(), kNone32),
      session_(history.session_count(), kNone32),
      named_(history.key_count(), false) {}

History HistoryCutter::cut(std::span<const TxnId> txns) {
  Piece piece(*this);
  for (const TxnId t : txns) piece.add(t);
  return piece.finish();
}

History HistoryCutter::cut(std::span<const TxnId> txns, const std::vector<bool>& keys) {
  Piece piece(*this);
  for (const TxnId t : txns) piece.add(t, &keys);
  return piece.finish();
}

History HistoryCutter::cut(std::uint32_t first, std::uint32_t end) {
  Piece piece(*this);
  for (std::uint32_t t = first; t < end; ++t) piece.add(TxnId{t});
  return piece.finish();
}

History HistoryCutter::rest() {
  Piece piece(*this);
  piece.add_unnamed_keys();
  piece.add_orders();
  piece.add_faults();
  return piece.finish();
}

bool HistoryCutter::has_rest() const {
  return !h_.columns().version_orders.empty() || !h_.faults().empty() ||
         !std::all_of(named_.begin(), named_.end(), [](bool n) { return n; });
}

}  // namespace isolde
