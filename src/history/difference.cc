// history/difference.cc: whether two histories say the same, whatever ids they gave.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "history/history.h"

namespace isolde {
namespace {

// Compares values of two tables by content. Ids of one table are equal exactly if their values are.
class SameValue {
 public:
  SameValue(const ValueTable& a, const ValueTable& b) : a_(a), b_(b), known_(a.size(), kNone32) {}

  bool operator()(ValueId x, ValueId y) {
    if (!is_table_value(x) || !is_table_value(y)) return x == y;
    std::uint32_t& known = known_[raw(x) - kFirstTableValue];
    if (known != kNone32) return known == raw(y);
    if (!same_content(x, y)) return false;
    known = raw(y);
    return true;
  }

 private:
  bool same_content(ValueId x, ValueId y) {
    if (a_.type(x) != b_.type(y)) return false;
    switch (a_.type(x)) {
      case ValueType::kList: {
        const auto p = a_.list(x);
        const auto q = b_.list(y);
        return std::equal(p.begin(), p.end(), q.begin(), q.end(),
                          [this](ValueId u, ValueId v) { return (*this)(u, v); });
      }
      case ValueType::kRow: {
        const auto p = a_.row(x);
        const auto q = b_.row(y);
        return std::equal(p.begin(), p.end(), q.begin(), q.end(), [this](const RowField& u, const RowField& v) {
          return (*this)(u.name, v.name) && (*this)(u.value, v.value);
        });
      }
      default:
        return a_.json(x) == b_.json(y);
    }
  }

  const ValueTable& a_;
  const ValueTable& b_;
  std::vector<std::uint32_t> known_;
};

class Comparison {
 public:
  Comparison(const History& a, const History& b) : a_(a), b_(b), same_(a.values(), b.values()) {}

  std::string run() {
    if (a_.txn_count() != b_.txn_count()) {
      return fmt::format("{} transactions against {}", a_.txn_count(), b_.txn_count());
    }
    if (a_.about() != b_.about()) return "other text in `about`";
    if (a_.columns().flags[0] != b_.columns().flags[0]) return "other flags in the header";
    if (!same_(a_.default_initial(), b_.default_initial())) return "other initial value";
    for (std::uint32_t t = 0; t < a_.txn_count(); ++t) {
      if (const char* what = txn_difference(TxnId{t})) {
        return fmt::format("transaction {} (place {}): other {}", a_.txn_text(TxnId{t}), t, what);
      }
    }
    if (!same_faults()) return "other faults";
    return order_difference();
  }

 private:
  bool same_key(KeyId x, KeyId y) {
    return same_(a_.columns().key_name[raw(x)], b_.columns().key_name[raw(y)]) && same_(a_.initial(x), b_.initial(y));
  }
  bool same_items(std::span<const Item> x, std::span<const Item> y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [this](const Item& p, const Item& q) {
      return same_key(p.key, q.key) && same_(p.value, q.value);
    });
  }

  bool same_faults() {
    const auto x = a_.faults(), y = b_.faults();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [this](const FaultMark& p, const FaultMark& q) {
      return p.begin == q.begin && p.end == q.end && same_(p.name, q.name) && same_(p.detail, q.detail);
    });
  }

  const char* txn_difference(TxnId t) {
    if (!same_(a_.columns().id[raw(t)], b_.columns().id[raw(t)])) return "id";
    if (!same_(a_.columns().session_name[raw(a_.session(t))], b_.columns().session_name[raw(b_.session(t))]))
      return "session";
    if (a_.status(t) != b_.status(t)) return "status";
    if (a_.begin(t) != b_.begin(t) || a_.end(t) != b_.end(t)) return "begin or end";
    if (a_.start_ts(t) != b_.start_ts(t) || a_.commit_ts(t) != b_.commit_ts(t)) return "timestamps";
    if (a_.order(t) != b_.order(t)) return "order";
    if (a_.sno(t) != b_.sno(t)) return "sno";
    const History::Interval p = a_.commit_interval(t), q = b_.commit_interval(t);
    if (p.before != q.before || p.after != q.after) return "interval of the commit";
    if (!same_snapshot(t)) return "snapshot";
    const std::uint32_t ops = a_.end_op(t) - a_.first_op(t);
    if (ops != b_.end_op(t) - b_.first_op(t)) return "number of operations";
    for (std::uint32_t i = 0; i < ops; ++i) {
      if (const char* what = op_difference(t, a_.first_op(t) + i, b_.first_op(t) + i)) return what;
    }
    return nullptr;
  }

  bool same_snapshot(TxnId t) const {
    const Snapshot* const x = a_.snapshot(t);
    const Snapshot* const y = b_.snapshot(t);
    if (x == nullptr || y == nullptr) return x == y;
    const auto p = a_.columns().active_xids.subspan(x->active, x->active_count);
    const auto q = b_.columns().active_xids.subspan(y->active, y->active_count);
    return x->has_xid == y->has_xid && x->xid == y->xid && x->xmin == y->xmin && x->xmax == y->xmax &&
           std::equal(p.begin(), p.end(), q.begin(), q.end());
  }

  const char* op_difference(TxnId t, std::uint32_t i, std::uint32_t j) {
    const OpHead x = a_.op(i);
    const OpHead y = b_.op(j);
    if (x.kind() != y.kind() || x.lock() != y.lock()) return "kind of operation";
    const auto p = a_.at(t, OpId{i});
    const auto q = b_.at(t, OpId{j});
    if (p.before != q.before || p.after != q.after) return "interval of an operation";
    if (!same_(a_.op_value(i), b_.op_value(j))) return "value";
    if (!is_predicate(x.kind())) return same_key(x.key(), y.key()) ? nullptr : "key";
    const Predicate& u = a_.predicate(x.predicate());
    const Predicate& v = b_.predicate(y.predicate());
    if (!same_(u.where, v.where) || !same_(u.aggregate, v.aggregate)) return "predicate";
    if (!same_items(a_.items(u), b_.items(v))) return "predicate result";
    if (u.has_vset != v.has_vset || !same_items(a_.vset(u), b_.vset(v))) return "version set";
    return nullptr;
  }

  std::string order_difference() {
    const auto x = a_.columns().version_orders;
    const auto y = b_.columns().version_orders;
    if (x.size() != y.size()) return fmt::format("{} version orders against {}", x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool same = same_key(x[i].key, y[i].key) && x[i].by_txn == y[i].by_txn && x[i].complete == y[i].complete &&
                  x[i].count == y[i].count;
      for (std::uint32_t e = 0; same && e < x[i].count; ++e) {
        const std::uint32_t p = a_.columns().version_entries[x[i].first + e];
        const std::uint32_t q = b_.columns().version_entries[y[i].first + e];
        same = x[i].by_txn != 0 ? p == q : same_(ValueId{p}, ValueId{q});
      }
      if (!same) return fmt::format("other version order of key {}", a_.key_text(x[i].key));
    }
    return {};
  }

  const History& a_;
  const History& b_;
  SameValue same_;
};

}  // namespace

std::string difference(const History& a, const History& b) { return Comparison(a, b).run(); }

}  // namespace isolde
