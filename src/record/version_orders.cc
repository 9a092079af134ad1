#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "format/json_value.h"
#include "record/recovery.h"

namespace isolde::record {
namespace {

constexpr TxnId kSeveral{0xfffffffeU};  // more than one transaction may be meant

std::uint64_t pair_of(KeyId key, TxnId txn) { return (std::uint64_t{raw(key)} << 32) | raw(txn); }

// One form for each value, whichever way it was written. Empty: it is no JSON.
class Canonical {
 public:
  std::string of(std::string_view text) {
    if (text.empty()) return {};
    const bool plain = text.size() < 16 && is_all_digits(text);
    if (plain && (text[0] != '0' || text.size() == 1)) return std::string(text);
    const simdjson::padded_string padded(text);
    simdjson::ondemand::document document;
    if (parser_.iterate(padded).get(document) != simdjson::SUCCESS) return {};
    ValueInterner values;
    ValueId id = kNullValue;
    bool scalar = true;
    if (document.is_scalar().get(scalar) != simdjson::SUCCESS) return {};
    if (scalar) {
      // A document that is one scalar is no value to simdjson; in a list it is.
      const std::string list = fmt::format("[{}]", text);
      const std::string inside = of(list);
      return inside.size() > 2 ? inside.substr(1, inside.size() - 2) : std::string{};
    }
    simdjson::ondemand::value value;
    if (document.get_value().get(value) != simdjson::SUCCESS) return {};
    if (json_value(value, values, id)) return {};
    return values.table().json(id);
  }

 private:
  simdjson::ondemand::parser parser_;
};

// What was appended last: the element by which a list version is known.
std::string_view last_element(std::string_view list) {
  const std::size_t begin = list.find_last_of("[,");
  const std::size_t end = list.rfind(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin + 1) return {};
  return list.substr(begin + 1, end - begin - 1);
}

// Versions of the log and transactions of the recording, put together.
class Joined {
 public:
  Joined(const History& h, std::span<const RecoveredVersion> versions, std::span<const KnownXid> xids)
      : h_(h), versions_(versions) {
    index_keys();
    index_writes();
    index_xids(xids);
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      if (!txn_of_xid_.contains(versions_[i].xid)) open_[versions_[i].xid].push_back(i);
    }
    if (!open_.empty()) join_by_value();
  }

  std::string lines() {
    std::vector<std::vector<std::size_t>> of_key(h_.key_count());
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      if (const auto at = keys_.find(versions_[i].key); at != keys_.end()) of_key[raw(at->second)].push_back(i);
    }
    std::vector<std::vector<TxnId>> orders(h_.key_count());
    std::vector<bool> complete(h_.key_count(), true);
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      bool whole = true;
      orders[k] = order_of(KeyId{k}, of_key[k], whole);
      complete[k] = whole;
    }
    find_missing(orders, complete);
    std::string out;
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (!orders[k].empty()) append_line(KeyId{k}, orders[k], complete[k], out);
    }
    return out;
  }

 private:
  void index_keys() {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k)
      keys_.emplace(h_.values().json(h_.columns().key_name[k]), KeyId{k});
  }

  template <typename F>
  void each_write(TxnId t, F&& f) const {
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      const OpHead op = h_.op(i);
      if (is_item_write(op.kind())) {
        f(op.key(), h_.op_value(i), op.kind());
      } else if (op.kind() == OpKind::kUpdate) {
        for (const Item& item : h_.items(h_.predicate(op.predicate()))) f(item.key, item.value, op.kind());
      }
    }
  }

  void index_writes() {
    appended_.resize(h_.key_count());
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      each_write(TxnId{t}, [&](KeyId key, ValueId, OpKind kind) {
        writes_.push_back(pair_of(key, TxnId{t}));
        if (kind == OpKind::kAppend) appended_[raw(key)] = true;
      });
    }
    std::sort(writes_.begin(), writes_.end());
    writes_.erase(std::unique(writes_.begin(), writes_.end()), writes_.end());
  }
  [[nodiscard]] bool writes(TxnId t, KeyId k) const {
    return std::binary_search(writes_.begin(), writes_.end(), pair_of(k, t));
  }

  void index_xids(std::span<const KnownXid> told) {
    for (const Snapshot& s : h_.columns().snapshots) {
      if (s.has_xid != 0) know(s.txn, s.xid);
    }
    if (!told.empty()) index_told(told);
    if (has_xid_.empty()) index_start_timestamps();
  }
  void index_told(std::span<const KnownXid> told) {
    std::unordered_map<std::int64_t, TxnId> by_id;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const ValueId id = h_.columns().id[t];
      if (h_.values().type(id) == ValueType::kInteger) by_id.emplace(h_.values().integer(id), TxnId{t});
    }
    for (const KnownXid& known : told) {
      const auto at = by_id.find(known.id);
      if (at != by_id.end() && !has_xid_.contains(raw(at->second))) know(at->second, known.xid);
    }
  }
  // To TiDB a transaction's start timestamp is its name. Those that only read may share one.
  void index_start_timestamps() {
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      const std::int64_t start_ts = h_.start_ts(TxnId{t});
      if (start_ts != kNoTime && start_ts != h_.commit_ts(TxnId{t})) know(TxnId{t}, start_ts);
    }
  }
  void know(TxnId txn, std::int64_t xid) {
    has_xid_.insert(raw(txn));
    const auto [at, fresh] = txn_of_xid_.try_emplace(xid, txn);
    if (!fresh) at->second = kSeveral;
  }

  // Of a transaction whose xid nobody was told (the answer to its commit was lost, or the level gives none), what it
  // was going to write may be its alone. All versions of one xid must lead to one transaction, and only they.
  void join_by_value() {
    std::unordered_map<std::string, TxnId> writer;  // by key and value
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      each_write(TxnId{t}, [&](KeyId key, ValueId value, OpKind kind) {
        // What an increment leaves is not known; null is what every deletion leaves.
        if (kind == OpKind::kIncrement || value == kNullValue) return;
        const auto [at, fresh] = writer.try_emplace(value_name(key, h_.values().json(value)), TxnId{t});
        if (!fresh && at->second != TxnId{t}) at->second = kSeveral;
      });
    }
    Canonical canonical;
    std::unordered_map<std::uint32_t, std::uint32_t> claims;  // by transaction
    for (const auto& [xid, places] : open_) {
      TxnId found = kNoTxn;
      for (const std::size_t i : places) {
        const auto key = keys_.find(versions_[i].key);
        if (key == keys_.end()) continue;
        std::string_view text = versions_[i].value;
        if (appended_[raw(key->second)]) text = last_element(text);
        const std::string value = canonical.of(text);
        const auto at = value.empty() ? writer.end() : writer.find(value_name(key->second, value));
        if (at == writer.end() || at->second == kSeveral || has_xid_.contains(raw(at->second))) continue;
        found = found == kNoTxn || found == at->second ? at->second : kSeveral;
      }
      if (found == kNoTxn || found == kSeveral) continue;
      txn_of_xid_[xid] = found;
      ++claims[raw(found)];
    }
    for (const auto& [xid, places] : open_) {
      const auto at = txn_of_xid_.find(xid);
      if (at != txn_of_xid_.end() && claims[raw(at->second)] > 1) at->second = kSeveral;
    }
  }
  static std::string value_name(KeyId key, std::string_view value) { return fmt::format("{} {}", raw(key), value); }

  std::vector<TxnId> order_of(KeyId key, const std::vector<std::size_t>& places, bool& whole) {
    std::vector<TxnId> order;
    std::string_view before;
    const std::string initial = h_.values().json(h_.initial(key));
    before = initial;
    for (const std::size_t i : places) {
      const RecoveredVersion& version = versions_[i];
      const auto at = txn_of_xid_.find(version.xid);
      const TxnId txn = at == txn_of_xid_.end() || at->second == kSeveral ? kNoTxn : at->second;
      if (txn != kNoTxn && writes(txn, key)) {
        order.push_back(txn);
      } else if (txn == kNoTxn || version.value.empty() || version.value != before) {
        // Else it changed columns that the history does not carry: for the history it is no version.
        whole = false;
      }
      before = version.value;
    }
    return order;
  }

  // Writes of transactions that count and that the log does not have.
  void find_missing(const std::vector<std::vector<TxnId>>& orders, std::vector<bool>& complete) const {
    std::vector<std::uint64_t> found;
    for (std::uint32_t k = 0; k < orders.size(); ++k) {
      for (const TxnId t : orders[k]) found.push_back(pair_of(KeyId{k}, t));
    }
    std::sort(found.begin(), found.end());
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> unknown;  // by key: those that wrote it in vain
    for (const std::uint64_t write : writes_) {
      if (std::binary_search(found.begin(), found.end(), write)) continue;
      const auto key = static_cast<std::uint32_t>(write >> 32);
      const auto txn = static_cast<std::uint32_t>(write);
      if (h_.status(TxnId{txn}) == Status::kCommitted) complete[key] = false;
      if (h_.status(TxnId{txn}) == Status::kUnknown) unknown[key].push_back(txn);
    }
    if (!unknown.empty()) find_seen(unknown, complete);
  }

  // An unknown transaction counts once somebody saw what it wrote.
  void find_seen(const std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>& unknown,
                 std::vector<bool>& complete) const {
    std::unordered_map<std::uint64_t, std::uint32_t> writer;  // by key and value: one of those who wrote it
    for (const auto& [key, txns] : unknown) {
      for (const std::uint32_t t : txns) {
        each_write(TxnId{t}, [&, wanted = key](KeyId k, ValueId value, OpKind kind) {
          if (raw(k) != wanted || value == kNullValue) return;
          if (kind == OpKind::kIncrement) complete[wanted] = false;
          writer.emplace((std::uint64_t{wanted} << 32) | raw(value), t);
        });
      }
    }
    const auto look = [&](std::uint32_t reader, KeyId key, ValueId value) {
      if (!unknown.contains(raw(key))) return;
      const auto seen = [&](ValueId v) {
        const auto at = writer.find((std::uint64_t{raw(key)} << 32) | raw(v));
        if (at != writer.end() && at->second != reader) complete[raw(key)] = false;
      };
      seen(value);
      if (!appended_[raw(key)]) return;
      if (const auto elements = h_.values().elements(value)) std::for_each(elements->begin(), elements->end(), seen);
    };
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      for (std::uint32_t i = h_.first_op(TxnId{t}); i < h_.end_op(TxnId{t}); ++i) {
        const OpHead op = h_.op(i);
        if (op.kind() == OpKind::kRead) look(t, op.key(), h_.op_value(i));
        if (op.kind() != OpKind::kScan) continue;
        for (const Item& item : h_.items(h_.predicate(op.predicate()))) look(t, item.key, item.value);
      }
    }
  }

  void append_line(KeyId key, const std::vector<TxnId>& order, bool complete, std::string& out) const {
    out += R"({"version_order_by_txn":[[)";  // a pair, so that the integer 7 and the string "7" stay apart
    h_.values().append_json(h_.columns().key_name[raw(key)], out);
    out += ",[";
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) out += ',';
      h_.values().append_json(h_.columns().id[raw(order[i])], out);
    }
    out += complete ? "]]],\"complete\":true}\n" : "]]],\"complete\":false}\n";
  }

  const History& h_;
  std::span<const RecoveredVersion> versions_;
  std::unordered_map<std::string, KeyId> keys_;
  std::vector<std::uint64_t> writes_;  // key and transaction, ordered
  std::vector<bool> appended_;         // by key
  std::unordered_set<std::uint32_t> has_xid_;
  std::unordered_map<std::int64_t, TxnId> txn_of_xid_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> open_;  // versions by xids that no transaction said
};

}  // namespace

std::string version_order_lines(const History& h, std::span<const RecoveredVersion> versions,
                                std::span<const KnownXid> xids) {
  return Joined(h, versions, xids).lines();
}

}  // namespace isolde::record
