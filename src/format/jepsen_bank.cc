#include "format/jepsen_bank.h"

#include <algorithm>

namespace isolde {
namespace {

constexpr std::size_t kMostReadsTried = 64;

struct Transfer {
  std::int64_t amount;
  TxnId txn;
};
struct BalanceSeen {
  std::int64_t number;
  TxnId txn;
};

class BankAccount {
 public:
  std::vector<Transfer> transfers;  // that committed or may have
  std::vector<BalanceSeen> reads;   // that committed, in the order of the file

  // Nothing: what it held is not known, or it was not there.
  [[nodiscard]] std::optional<std::int64_t> start(const History& h, const FilePlaces& places, bool clock,
                                                  bool& guessed) const {
    if (transfers.empty() || reads.empty()) return std::nullopt;
    for (std::size_t i = 0; clock && i < std::min(reads.size(), kMostReadsTried); ++i) {
      if (const auto before = sum_before(h, places, reads[i].txn, false)) return less(reads[i], *before);
    }
    const BalanceSeen& first = reads.front();
    if (!clock) {
      const auto place = [&](TxnId t) { return std::find(places.order.begin(), places.order.end(), t); };
      const auto read = place(first.txn);
      for (const Transfer& t : transfers) {
        if (place(t.txn) < read) return std::nullopt;  // as if nothing had been there
      }
    }
    guessed = true;
    return less(first, clock ? *sum_before(h, places, first.txn, true) : Before{});
  }

 private:
  struct Before {
    std::int64_t sum = 0;
    bool any = false;
  };

  // What had been transferred before it; nothing if some transfer may have been or not, unless that is taken as not.
  [[nodiscard]] std::optional<Before> sum_before(const History& h, const FilePlaces& places, TxnId reader,
                                                 bool lenient) const {
    Before before;
    const auto is_earlier = [](std::int64_t a, std::int64_t b) { return a != kNoTime && b != kNoTime && a < b; };
    for (const Transfer& t : transfers) {
      if (is_earlier(places.end[raw(reader)], places.begin[raw(t.txn)])) continue;
      const bool is_sure = h.status(t.txn) == Status::kCommitted;
      if (is_sure && is_earlier(places.end[raw(t.txn)], places.begin[raw(reader)])) {
        before.any = true;
        if (__builtin_add_overflow(before.sum, t.amount, &before.sum))
          return lenient ? Before{} : std::optional<Before>{};
      } else if (!lenient) {
        return std::nullopt;
      }
    }
    return before;
  }

  static std::optional<std::int64_t> less(const BalanceSeen& read, const Before& before) {
    std::int64_t number = 0;
    if (__builtin_sub_overflow(read.number, before.sum, &number)) return std::nullopt;
    // Whether it was there at all nobody saw: a transfer makes it.
    if (number == 0 && before.any) return std::nullopt;
    return number;
  }
};

}  // namespace

FilePlaces places_as_read(const History& h) {
  FilePlaces places;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    places.begin.push_back(h.begin(TxnId{t}));
    places.end.push_back(h.end(TxnId{t}));
    places.order.push_back(TxnId{t});
  }
  return places;
}

BankStart bank_start(const History& h, const FilePlaces& places) {
  std::vector<BankAccount> accounts(h.key_count());
  for (const TxnId t : places.order) {
    for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
      const OpHead op = h.op(i);
      const ValueId value = h.op_value(i);
      BankAccount& account = accounts[raw(op.key())];
      if (op.kind() == OpKind::kIncrement && h.status(t) != Status::kAborted) {
        account.transfers.push_back({h.values().integer(value), t});
      } else if (op.kind() == OpKind::kRead && h.status(t) == Status::kCommitted &&
                 h.values().type(value) == ValueType::kInteger) {
        account.reads.push_back({h.values().integer(value), t});
      }
    }
  }
  const bool clock = std::any_of(places.begin.begin(), places.begin.end(), [](std::int64_t b) { return b != kNoTime; });
  BankStart start;
  for (const BankAccount& account : accounts) start.first.push_back(account.start(h, places, clock, start.guessed));
  return start;
}

}  // namespace isolde
