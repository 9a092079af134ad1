#include "check/cycles/given_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "check/read_rules/write_index.h"

namespace isolde::graph {
namespace {

// Who wrote the values that orders name. Aborted writers are writers too here: a value that two wrote names neither.
class GivenValues {
 public:
  static constexpr TxnId kSeveral{kNone32 - 1};
  explicit GivenValues(const History& h) : h_(h), index_(h) {}

  [[nodiscard]] TxnId writer(KeyId key, ValueId value) const {
    const WriteIndex::Entry* const entry = index_.find(key, value);
    if (entry == nullptr) return kNoTxn;
    const bool also_aborted = (entry->kinds & WriteIndex::kAborted) != 0 && entry->kinds != WriteIndex::kAborted;
    if (also_aborted || (entry->kinds & WriteIndex::kSeveral) != 0 || h_.initial(key) == value) return kSeveral;
    const auto initial = h_.values().elements(h_.initial(key));
    if (initial && std::find(initial->begin(), initial->end(), value) != initial->end()) return kSeveral;
    return entry->txn;
  }
  void prefetch(KeyId key, ValueId value) const { index_.prefetch(key, value); }

 private:
  const History& h_;
  const WriteIndex index_;
};

class Reader {
 public:
  Reader(const History& history, const Trace& trace) : h_(history), trace_(trace) {}

  GivenOrders run() {
    const auto orders = h_.columns().version_orders;
    if (orders.empty()) return {};
    out_.of_key.resize(h_.key_count());
    std::optional<GivenValues> values;
    for (const VersionOrder& order : orders) {
      if (order.by_txn == 0 && !values) values.emplace(h_);
      if (!read(order, values ? &*values : nullptr)) break;
    }
    note(left_out_,
         "entry of a version order belongs to a transaction that does not count as committed; it is left out",
         "entries of version orders belong to transactions that do not count as committed; they are left out");
    note(unknown_, "entry of a version order is a value that no transaction wrote; it is left out",
         "entries of version orders are values that no transaction wrote; they are left out");
    find_gaps();
    return std::move(out_);
  }

 private:
  // `values`: null if the order names transactions.
  bool read(const VersionOrder& order, const GivenValues* values) {
    constexpr std::size_t kAhead = 8;
    Version before = kNoVersion;
    const auto entries = h_.columns().version_entries.subspan(order.first, order.count);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t entry = entries[i];
      TxnId writer{entry};
      if (order.by_txn == 0) {
        if (i + kAhead < entries.size()) values->prefetch(order.key, ValueId{entries[i + kAhead]});
        writer = values->writer(order.key, ValueId{entry});
        if (writer == kNoTxn && ValueId{entry} != h_.initial(order.key)) ++unknown_;
        if (writer == kNoTxn) continue;
        if (writer == GivenValues::kSeveral) {
          out_.ambiguous = fmt::format("the version order of {} names {}, which was written more than once",
                                       h_.key_text(order.key), h_.value_text(ValueId{entry}));
          return false;
        }
      }
      const Version v = trace_.version_of(writer, order.key);
      if (v == kNoVersion || !trace_.is_counted(trace_.versions[v].txn)) {
        ++left_out_;
        continue;
      }
      if (before != kNoVersion && before != v) out_.of_key[raw(order.key)].push_back({before, v, Ground::kGiven});
      before = v;
      if (order.complete != 0) named_.push_back(v);
    }
    return true;
  }

  // Versions that an order said to be complete does not name: its claim is false, what it does say still holds.
  void find_gaps() {
    std::vector<std::uint32_t> whole(h_.key_count(), 0);  // 1: said to be complete
    for (const VersionOrder& order : h_.columns().version_orders) {
      if (order.complete != 0) whole[raw(order.key)] = 1;
    }
    std::vector<bool> named(trace_.versions.size(), false);
    for (const Version v : named_) named[v] = true;
    std::uint64_t gaps = 0;
    for (Version v = 0; v < trace_.versions.size(); ++v) {
      gaps += whole[raw(trace_.versions[v].key)] != 0 && !named[v] && trace_.is_counted(trace_.versions[v].txn) ? 1 : 0;
    }
    note(gaps, "version is missing from a version order that is marked as complete",
         "versions are missing from version orders that are marked as complete");
  }

  void note(std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) out_.notes.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  }

  const History& h_;
  const Trace& trace_;
  GivenOrders out_;
  std::vector<Version> named_;
  std::uint64_t left_out_ = 0, unknown_ = 0;
};

}  // namespace

GivenOrders read_given_orders(const History& history, const Trace& trace) { return Reader(history, trace).run(); }

}  // namespace isolde::graph
