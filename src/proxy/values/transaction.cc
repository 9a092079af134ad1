#include "proxy/values/transaction.h"

#include <algorithm>

namespace isolde::proxy::values {
namespace {

constexpr std::size_t kMostOps = 1'000'000;  // of one transaction

bool is_locking(const ValueOp& op) { return op.act == Act::kReadForUpdate || op.act == Act::kReadForShare; }

bool same_cell(const ValueOp& a, const ValueOp& b) {
  return a.table == b.table && a.column == b.column && a.key == b.key;
}

bool add_integers(std::int64_t a, std::int64_t b, std::int64_t& sum) { return !__builtin_add_overflow(a, b, &sum); }

}  // namespace

void ValueTransactions::add(std::vector<ValueOp>&& ops, std::int64_t sent, std::int64_t answered) {
  if (begin_ == 0) begin_ = sent;
  if (ops_.size() + ops.size() > kMostOps) return doubt("more than a million values");
  for (ValueOp& op : ops) {
    op.before = sent;
    op.after = answered;
    ops_.push_back(std::move(op));
  }
}

// x = x + n: from a value that is known before it, under this transaction's own lock; else from one that it reads
// later, back to the addition.
void ValueTransactions::settle_additions() {
  if (std::none_of(ops_.begin(), ops_.end(), [](const ValueOp& op) { return op.act == Act::kAdd; })) return;
  struct Followed {
    bool known = false;
    std::int64_t value = 0;
  };
  std::vector<std::size_t> order(ops_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(ops_[a].table, ops_[a].column, ops_[a].key) < std::tie(ops_[b].table, ops_[b].column, ops_[b].key);
  });
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && same_cell(ops_[order[from]], ops_[order[to]])) ++to;
    // Backwards: what is read after additions, with nothing but additions in between.
    Followed later;
    std::vector<Value> made(to - from);
    for (std::size_t i = to; i-- > from;) {
      const ValueOp& op = ops_[order[i]];
      const bool number = op.value.kind == Value::Kind::kInteger;
      if (op.act == Act::kWrite) {
        later = {};
      } else if (op.act != Act::kAdd) {
        later = {number, op.value.number};
      } else if (later.known) {
        made[i - from] = integer_value(later.value);
        later.known = number && add_integers(later.value, -op.value.number, later.value);
      }
    }
    // Forwards: from a locking read or an own write.
    Followed now;
    for (std::size_t i = from; i < to; ++i) {
      ValueOp& op = ops_[order[i]];
      const bool number = op.value.kind == Value::Kind::kInteger;
      if (op.act == Act::kWrite || is_locking(op)) {
        now = {number, op.value.number};
      } else if (op.act == Act::kAdd) {
        now.known = now.known && number && add_integers(now.value, op.value.number, now.value);
        if (now.known) made[i - from] = integer_value(now.value);
        op.act = Act::kWrite;
        op.value = made[i - from];
        if (op.value.kind == Value::Kind::kInteger) now = {true, op.value.number};
      }
    }
    from = to;
  }
}

void ValueTransactions::end(Status status, std::int64_t sent, std::int64_t answered) {
  settle_additions();
  if (!ops_.empty()) {
    EndedByValue out;
    out.status = status;
    out.sure = sure_;
    out.begin = begin_;
    out.commit_sent = sent;
    out.commit_answered = answered;
    out.level = next_level_.empty() ? level_ : next_level_;
    out.ops.swap(ops_);
    sink_.ended(std::move(out));
  }
  ops_.clear();
  marks_.clear();
  next_level_.clear();
  begin_ = 0;
  open_ = failed_ = false;
  sure_ = true;
}

void ValueTransactions::done(std::vector<ValueOp>&& ops, bool open, std::int64_t sent, std::int64_t answered) {
  // A transaction was open and is not any more: this statement committed it before it did its own (DDL). After an
  // error it may also have been rolled back.
  if (open_ && !open) {
    if (failed_) doubt("a transaction that ended in an error");
    end(Status::kCommitted, sent, answered);
  }
  const bool nothing = ops.empty() && !open;
  add(std::move(ops), sent, answered);
  open_ = open;
  if (nothing && ops_.empty()) {
    begin_ = 0;  // the level of the next transaction stays
    return;
  }
  if (!open) end(Status::kCommitted, sent, answered);
}

void ValueTransactions::begin(std::int64_t sent, std::int64_t answered) {
  if (open_) {
    if (failed_) doubt("a transaction that ended in an error");
    end(Status::kCommitted, sent, answered);
  }
  open_ = true;
  begin_ = sent;
}

void ValueTransactions::commit(bool open, std::int64_t sent, std::int64_t answered) {
  end(Status::kCommitted, sent, answered);
  open_ = open;  // AND CHAIN
}

void ValueTransactions::roll_back(bool open, std::int64_t sent, std::int64_t answered) {
  end(Status::kAborted, sent, answered);
  open_ = open;
}

void ValueTransactions::savepoint(const std::string& name) {
  std::erase_if(marks_, [&](const Mark& mark) { return mark.name == name; });
  marks_.push_back({name, ops_.size()});
}

void ValueTransactions::release(const std::string& name) {
  const auto at = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.name == name; });
  if (at == marks_.end()) return doubt("a savepoint that was not seen");
  marks_.erase(at, marks_.end());
}

void ValueTransactions::roll_back_to(const std::string& name) {
  const auto at = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.name == name; });
  if (at == marks_.end()) return doubt("a savepoint that was not seen");
  settle_additions();
  ops_.resize(std::min(ops_.size(), at->ops));
  marks_.erase(at + 1, marks_.end());
}

void ValueTransactions::aborted(std::int64_t sent, std::int64_t answered) { end(Status::kAborted, sent, answered); }

void ValueTransactions::doubt(std::string_view why) {
  if (sure_) sink_.left_out(why);
  sure_ = false;
}

void ValueTransactions::lost(bool waits, std::vector<ValueOp>&& ops, std::int64_t sent) {
  if (!waits) return end(Status::kAborted, sent, sent);
  add(std::move(ops), sent, sent);
  end(Status::kUnknown, sent, sent);
}

}  // namespace isolde::proxy::values
