#include "check/timeline/seen.h"

#include <algorithm>
#include <unordered_map>

#include "check/accesses.h"

namespace isolde::timeline {
namespace {

struct Write {
  std::vector<TxnId> unknown;  // transactions of unknown outcome that wrote this
  bool others = false;         // somebody else may have, too
};

class Seen {
 public:
  explicit Seen(const History& history)
      : h_(history),
        counts_(history.txn_count(), Counts::kNo),
        keys_(history.key_count(), false),
        accumulates_(history.key_count(), false) {}

  std::vector<Counts> run(std::span<const TxnId> already) {
    find_accumulating_keys();
    collect_unknown_writes();
    find_other_writers();
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (h_.status(TxnId{t}) != Status::kCommitted) continue;
      counts_[t] = Counts::kYes;
      look_at_reads(TxnId{t});
    }
    for (const TxnId t : already) {
      if (counts_[raw(t)] == Counts::kYes) continue;
      counts_[raw(t)] = Counts::kYes;
      fresh_.push_back(t);
    }
    // Whoever is found to count has read, too, and so may have seen another.
    while (!fresh_.empty()) {
      const TxnId t = fresh_.back();
      fresh_.pop_back();
      look_at_reads(t);
    }
    if (!h_.columns().predicates.empty()) may_be_seen_by_predicates();
    return std::move(counts_);
  }

 private:
  static std::uint64_t id(KeyId key, ValueId value) { return (std::uint64_t{raw(key)} << 32) | raw(value); }

  void find_accumulating_keys() {
    for (const OpHead op : h_.columns().op) {
      if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) accumulates_[raw(op.key())] = true;
    }
  }

  void collect_unknown_writes() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (h_.status(TxnId{t}) != Status::kUnknown) continue;
      for_each_access(h_, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kRead) return;
        keys_[raw(a.key)] = true;
        // On a counter, or a list that is also overwritten, a value does not tell who wrote what of it.
        if (a.kind == OpKind::kIncrement || (a.kind == OpKind::kWrite && accumulates_[raw(a.key)])) {
          counts_[t] = Counts::kMaybe;
          if (h_.values().type(a.value) == ValueType::kList) {
            for (const ValueId element : h_.values().list(a.value)) writes_[id(a.key, element)].others = true;
          }
          return;
        }
        auto& write = writes_[id(a.key, a.value)];
        if (write.unknown.empty() || write.unknown.back() != TxnId{t}) write.unknown.push_back(TxnId{t});
        if (in_initial(a.key, a.value)) write.others = true;
      });
    }
    for (auto& [written, write] : writes_) write.others = write.others || write.unknown.size() > 1;
  }

  // The key may hold it from the start: as its value, or as an element of it.
  [[nodiscard]] bool in_initial(KeyId key, ValueId value) const {
    const ValueId initial = h_.initial(key);
    if (initial == value) return true;
    if (h_.values().type(initial) != ValueType::kList) return false;
    const auto elements = h_.values().list(initial);
    return std::find(elements.begin(), elements.end(), value) != elements.end();
  }

  void find_other_writers() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (h_.status(TxnId{t}) != Status::kCommitted) continue;
      for_each_access(h_, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kRead || !keys_[raw(a.key)]) return;
        written_by_other(a.key, a.value);
        if (a.kind == OpKind::kWrite && h_.values().type(a.value) == ValueType::kList) {
          for (const ValueId element : h_.values().list(a.value)) written_by_other(a.key, element);
        }
      });
    }
  }

  void written_by_other(KeyId key, ValueId value) {
    const auto at = writes_.find(id(key, value));
    if (at != writes_.end()) at->second.others = true;
  }

  void look_at_reads(TxnId t) {
    for_each_access(h_, t, [&](const Access& a) {
      if (a.kind != OpKind::kRead || !keys_[raw(a.key)]) return;
      saw(t, a.key, a.value);
      if (h_.values().type(a.value) == ValueType::kList) {
        for (const ValueId element : h_.values().list(a.value)) saw(t, a.key, element);
      }
    });
    if (h_.columns().predicates.empty()) return;
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {  // a version set names what was looked at
      if (!is_predicate(h_.op(i).kind())) continue;
      for (const Item& item : h_.vset(h_.predicate(h_.op(i).predicate()))) {
        if (keys_[raw(item.key)]) saw(t, item.key, item.value);
      }
    }
  }

  // An aggregate shows a row without naming it, and a scan shows by its absence that one was removed.
  void may_be_seen_by_predicates() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (h_.status(TxnId{t}) == Status::kUnknown && counts_[t] == Counts::kNo && writes_anything(h_, TxnId{t})) {
        counts_[t] = Counts::kMaybe;
      }
    }
  }

  void saw(TxnId reader, KeyId key, ValueId value) {
    const auto at = writes_.find(id(key, value));
    if (at == writes_.end()) return;
    for (const TxnId writer : at->second.unknown) {
      if (writer == reader || counts_[raw(writer)] == Counts::kYes) continue;
      if (at->second.others) {
        counts_[raw(writer)] = Counts::kMaybe;
      } else {
        counts_[raw(writer)] = Counts::kYes;
        fresh_.push_back(writer);
      }
    }
  }

  const History& h_;
  std::vector<Counts> counts_;
  std::vector<bool> keys_;         // those that a transaction of unknown outcome wrote
  std::vector<bool> accumulates_;  // lists and counters
  std::unordered_map<std::uint64_t, Write> writes_;
  std::vector<TxnId> fresh_;
};

}  // namespace

std::vector<Counts> who_counts(const History& h, std::span<const TxnId> already) {
  const auto statuses = h.columns().status;
  const bool any_unknown = std::find(statuses.begin(), statuses.end(), Status::kUnknown) != statuses.end();
  if (any_unknown) return Seen(h).run(already);
  std::vector<Counts> counts(h.txn_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    counts[t] = statuses[t] == Status::kCommitted ? Counts::kYes : Counts::kNo;
  }
  return counts;
}

}  // namespace isolde::timeline
