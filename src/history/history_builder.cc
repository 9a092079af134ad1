#include "history/history_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "history/commit_interval.h"
#include "history/empty_lists.h"

namespace isolde {
namespace {

constexpr std::uint32_t kSmallNames = 1U << 20;
constexpr ValueId kNotSet{kNone32};  // no value has this id

// Finds or makes the id of a name: small integers by a direct table, the rest by hash.
std::uint32_t intern_name(ValueId name, Column<std::uint32_t>& small, IdIndex& index, Column<ValueId>& names) {
  if (raw(name) < kSmallNames) {
    if (raw(name) >= small.size()) small.resize(std::max<std::size_t>(raw(name) + 1, small.size() * 2), kNone32);
    std::uint32_t& slot = small[raw(name)];
    if (slot == kNone32) {
      slot = static_cast<std::uint32_t>(names.size());
      names.push_back(name);
    }
    return slot;
  }
  const auto hash_of = [&names](std::uint32_t id) { return mix64(raw(names[id])); };
  const std::uint64_t hash = mix64(raw(name));
  const std::uint32_t found = index.find(hash, [&](std::uint32_t id) { return names[id] == name; });
  if (found != IdIndex::kAbsent) return found;
  const auto id = static_cast<std::uint32_t>(names.size());
  names.push_back(name);
  index.insert(hash, id, hash_of);
  return id;
}

}  // namespace

HistoryBuilder::HistoryBuilder() : c_(std::make_unique<OwnedColumns>()) { c_->first_op.push_back(0); }
HistoryBuilder::~HistoryBuilder() = default;
HistoryBuilder::HistoryBuilder(HistoryBuilder&&) noexcept = default;
HistoryBuilder& HistoryBuilder::operator=(HistoryBuilder&&) noexcept = default;

KeyId HistoryBuilder::key(ValueId name) { return KeyId{intern_name(name, small_key_, key_index_, c_->key_name)}; }

SessionId HistoryBuilder::session(ValueId name) {
  return SessionId{intern_name(name, small_session_, session_index_, c_->session_name)};
}

TxnId HistoryBuilder::begin_txn(SessionId session) {
  const TxnId txn{txn_count()};
  c_->session.push_back(session);
  c_->id.push_back(values_.integer(first_place_ + raw(txn)));
  c_->status.push_back(Status::kCommitted);
  open_ = true;
  open_predicates_ = c_->predicates.size();
  open_items_ = c_->items.size();
  open_wide_ = c_->wide_intervals.size();
  open_snapshots_ = c_->snapshots.size();
  open_active_ = c_->active_xids.size();
  return txn;
}

void HistoryBuilder::set_id(ValueId id) { c_->id.back() = id; }
void HistoryBuilder::set_session(SessionId session) { c_->session.back() = session; }
void HistoryBuilder::set_status(Status status) { c_->status.back() = status; }

void HistoryBuilder::set_time(Column<std::int64_t>& column, std::int64_t value) {
  if (column.size() < c_->session.size()) column.resize(c_->session.size(), kNoTime);
  column.back() = value;
}

void HistoryBuilder::set_begin(std::int64_t time) { set_time(c_->begin, time); }
void HistoryBuilder::set_end(std::int64_t time) { set_time(c_->end, time); }
void HistoryBuilder::set_start_ts(std::int64_t time) { set_time(c_->start_ts, time); }
void HistoryBuilder::set_commit_ts(std::int64_t time) { set_time(c_->commit_ts, time); }
void HistoryBuilder::set_order(std::int64_t place) { set_time(c_->order, place); }
void HistoryBuilder::set_sno(std::int64_t number) { set_time(c_->sno, number); }
void HistoryBuilder::set_commit(std::int64_t before, std::int64_t after) { open_commit_ = {before, after}; }

void HistoryBuilder::set_snapshot(std::optional<std::int64_t> xid, std::int64_t xmin, std::int64_t xmax,
                                  std::span<const std::int64_t> active) {
  c_->snapshots.truncate(open_snapshots_);  // one a transaction: the last one stays
  c_->active_xids.truncate(open_active_);
  c_->snapshots.push_back(Snapshot{.txn = TxnId{txn_count() - 1},
                                   .active = static_cast<std::uint32_t>(c_->active_xids.size()),
                                   .active_count = static_cast<std::uint32_t>(active.size()),
                                   .has_xid = xid.has_value() ? 1U : 0U,
                                   .xid = xid.value_or(0),
                                   .xmin = xmin,
                                   .xmax = xmax});
  c_->active_xids.append(active);
}

PredicateId HistoryBuilder::new_predicate(ValueId where, ValueId aggregate, std::span<const Item> items) {
  const PredicateId id{static_cast<std::uint32_t>(c_->predicates.size())};
  c_->predicates.push_back(Predicate{.where = where,
                                     .aggregate = aggregate,
                                     .items = static_cast<std::uint32_t>(c_->items.size()),
                                     .item_count = static_cast<std::uint32_t>(items.size()),
                                     .vset = static_cast<std::uint32_t>(c_->items.size() + items.size()),
                                     .vset_count = 0,
                                     .has_vset = 0,
                                     .unused = {}});
  c_->items.append(items);
  return id;
}

void HistoryBuilder::scan(std::string_view where, std::span<const Item> result, Lock lock) {
  add(OpKind::kScan, lock, raw(new_predicate(values_.string(where), kNullValue, result)), kNullValue);
}

void HistoryBuilder::aggregate(std::string_view expression, std::string_view where, ValueId value, Lock lock) {
  const PredicateId id = new_predicate(values_.string(where), values_.string(expression), {});
  add(OpKind::kAggregate, lock, raw(id), value);
}

void HistoryBuilder::update(std::string_view where, std::span<const Item> rows_after) {
  add(OpKind::kUpdate, Lock::kNone, raw(new_predicate(values_.string(where), kNullValue, rows_after)), kNullValue);
}

void HistoryBuilder::vset(std::span<const Item> versions) {
  Predicate& predicate = c_->predicates.back();
  predicate.vset = static_cast<std::uint32_t>(c_->items.size());
  predicate.vset_count = static_cast<std::uint32_t>(versions.size());
  predicate.has_vset = 1;
  c_->items.append(versions);
}

void HistoryBuilder::name_vset_key(std::size_t place, std::string_view name) {
  const auto item = static_cast<std::uint32_t>(c_->predicates.back().vset + place);
  pending_keys_.push_back({item, values_.string(name)});
}

void HistoryBuilder::at(std::int64_t before, std::int64_t after) {
  const OpId op{static_cast<std::uint32_t>(c_->op.size() - 1)};
  if (!open_intervals_.empty() && open_intervals_.back().op == op) open_intervals_.pop_back();
  open_intervals_.push_back(WideInterval{.before = before, .after = after, .op = op, .unused = 0});
}

// Done when the transaction ends, because only then is its begin known for sure.
void HistoryBuilder::store_intervals() {
  c_->op_before.resize(c_->op.size(), kNone32);
  c_->op_length.resize(c_->op.size(), kNone32);
  const std::int64_t begin =
      c_->begin.size() == c_->session.size() && c_->begin.back() != kNoTime ? c_->begin.back() : 0;
  for (const WideInterval& interval : open_intervals_) {
    const auto offset = static_cast<std::uint64_t>(interval.before) - static_cast<std::uint64_t>(begin);
    const auto length = static_cast<std::uint64_t>(interval.after) - static_cast<std::uint64_t>(interval.before);
    const bool fits =
        interval.before >= begin && offset < kNone32 && interval.after >= interval.before && length < kNone32;
    c_->op_before[raw(interval.op)] = fits ? static_cast<std::uint32_t>(offset) : kNone32;
    c_->op_length[raw(interval.op)] = fits ? static_cast<std::uint32_t>(length) : 0;
    if (!fits) c_->wide_intervals.push_back(interval);
  }
  open_intervals_.clear();
}

// As store_intervals(), and before it: the intervals of the operations are looked at.
void HistoryBuilder::store_commit() {
  const auto [before, after] = open_commit_;
  open_commit_ = {kNoTime, kNoTime};
  const std::size_t txns = c_->session.size();
  const auto last_of = [txns](const Column<std::int64_t>& column) {
    return column.size() == txns ? column.back() : kNoTime;
  };
  CommitReadings readings{.before = before, .after = after, .begin = last_of(c_->begin), .end = last_of(c_->end)};
  for (const WideInterval& at : open_intervals_) {
    readings.last_sent = std::max(readings.last_sent, at.before);
    readings.last_answered = std::max(readings.last_answered, at.after);
  }
  if (!commit_fault_) {
    if (std::string wrong = commit_contradiction(readings); !wrong.empty()) {
      commit_fault_.emplace(TxnId{txn_count() - 1}, std::move(wrong));
    }
  }
  c_->commit_before.resize(txns, kNone32);
  c_->commit_length.resize(txns, kNone32);
  const std::int64_t begin = readings.begin == kNoTime ? 0 : readings.begin;
  const auto offset = static_cast<std::uint64_t>(before) - static_cast<std::uint64_t>(begin);
  const std::uint64_t length =
      after == kNoTime ? kOpenCommit : static_cast<std::uint64_t>(after) - static_cast<std::uint64_t>(before);
  const bool fits =
      before >= begin && offset < kNone32 && (after == kNoTime || (after >= before && length < kOpenCommit));
  c_->commit_before.back() = fits ? static_cast<std::uint32_t>(offset) : kNone32;
  c_->commit_length.back() = fits ? static_cast<std::uint32_t>(length) : 0;
  if (!fits) {
    c_->wide_commits.push_back(
        WideCommit{.before = before, .after = after, .txn = TxnId{txn_count() - 1}, .unused = 0});
  }
}

void HistoryBuilder::end_txn() {
  if (open_commit_.before != kNoTime) store_commit();
  if (!open_intervals_.empty()) store_intervals();
  c_->first_op.push_back(static_cast<std::uint32_t>(c_->op.size()));
  open_ = false;
}

void HistoryBuilder::abandon_txn() {
  if (!open_) return;
  const std::size_t ops = c_->first_op.back();
  c_->op.truncate(ops);
  c_->op_value.truncate(ops);
  c_->op_before.truncate(std::min(c_->op_before.size(), ops));
  c_->op_length.truncate(std::min(c_->op_length.size(), ops));
  c_->predicates.truncate(open_predicates_);
  c_->items.truncate(open_items_);
  while (!pending_keys_.empty() && pending_keys_.back().item >= open_items_) pending_keys_.pop_back();
  c_->wide_intervals.truncate(open_wide_);
  c_->snapshots.truncate(open_snapshots_);
  c_->active_xids.truncate(open_active_);
  const std::size_t txns = c_->session.size() - 1;
  c_->session.truncate(txns);
  c_->id.truncate(txns);
  c_->status.truncate(txns);
  for (Column<std::int64_t>* column : {&c_->begin, &c_->end, &c_->start_ts, &c_->commit_ts, &c_->order, &c_->sno}) {
    column->truncate(std::min(column->size(), txns));
  }
  open_intervals_.clear();
  open_commit_ = {kNoTime, kNoTime};
  open_ = false;
}

void HistoryBuilder::set_initial(KeyId key, ValueId value) {
  if (c_->key_initial.size() <= raw(key)) c_->key_initial.resize(raw(key) + std::size_t{1}, kNotSet);
  c_->key_initial[raw(key)] = value;
}

void HistoryBuilder::set_initial_by_name(std::string_view name, ValueId value) {
  pending_initial_.push_back({values_.string(name), value});
}

void HistoryBuilder::version_order(KeyId key, std::span<const ValueId> versions, bool complete) {
  pending_orders_.push_back({kNullValue, key, complete, false, static_cast<std::uint32_t>(pending_entries_.size()),
                             static_cast<std::uint32_t>(versions.size())});
  pending_entries_.append(versions);
}

void HistoryBuilder::version_order_by_name(std::string_view name, std::span<const ValueId> versions, bool complete,
                                           bool by_txn) {
  pending_orders_.push_back({values_.string(name), kNoKey, complete, by_txn,
                             static_cast<std::uint32_t>(pending_entries_.size()),
                             static_cast<std::uint32_t>(versions.size())});
  pending_entries_.append(versions);
}

void HistoryBuilder::version_order_by_txn(KeyId key, std::span<const ValueId> txn_ids, bool complete) {
  pending_orders_.push_back({kNullValue, key, complete, true, static_cast<std::uint32_t>(pending_entries_.size()),
                             static_cast<std::uint32_t>(txn_ids.size())});
  pending_entries_.append(txn_ids);
}

void HistoryBuilder::end_fault(std::size_t place, std::int64_t end, ValueId detail) {
  c_->faults[place].end = end;
  if (detail != kNullValue) c_->faults[place].detail = detail;
}

KeyId HistoryBuilder::resolve(ValueId name) {
  const std::uint32_t as_string =
      key_index_.find(mix64(raw(name)), [&](std::uint32_t id) { return c_->key_name[id] == name; });
  if (as_string != IdIndex::kAbsent) return KeyId{as_string};
  const std::string text(values_.table().string(name));
  const bool is_whole = is_json_number(text) && text.find_first_of(".eE") == std::string::npos && text != "-0";
  if (is_whole) {
    const ValueId integer = values_.number_text(text);
    if (raw(integer) < small_key_.size() && small_key_[raw(integer)] != kNone32) return KeyId{small_key_[raw(integer)]};
    const std::uint32_t found =
        key_index_.find(mix64(raw(integer)), [&](std::uint32_t id) { return c_->key_name[id] == integer; });
    if (found != IdIndex::kAbsent) return KeyId{found};
  }
  return key(name);
}

// Requires: initial values are settled, and version orders resolved.
void HistoryBuilder::unify_empty_lists() {
  const std::optional<ValueId> empty = values_.find_list({});
  if (!empty) return;
  HistoryColumns columns;
  for_each_column([](int, const char*, auto& view, auto& owned) { view = owned.view(); }, columns, *c_);
  const EmptyListPlaces places = empty_list_places(columns, values_.table(), *empty, default_initial_);
  for (const std::uint32_t i : places.op_value) c_->op_value[i] = kNullValue;
  for (const std::uint32_t i : places.items) c_->items[i].value = kNullValue;
  for (const std::uint32_t i : places.version_entries) c_->version_entries[i] = raw(kNullValue);
  for (const std::uint32_t k : places.key_initial) c_->key_initial[k] = kNullValue;
}

std::optional<Error> HistoryBuilder::resolve_ids() {
  const auto again = duplicate_in(c_->id.view());
  if (!again) return std::nullopt;
  faulty_txn_ = TxnId{static_cast<std::uint32_t>(*again)};
  return Error{fmt::format("transaction id {} occurs twice", values_.table().json(c_->id[*again]))};
}

std::optional<Error> HistoryBuilder::resolve_orders() {
  if (pending_orders_.empty()) return std::nullopt;
  std::vector<std::pair<ValueId, std::uint32_t>> by_id;
  for (std::size_t order = 0; order < pending_orders_.size(); ++order) {
    const PendingOrder& pending = pending_orders_[order];
    const KeyId key = pending.key == kNoKey ? resolve(pending.name) : pending.key;
    const auto first = static_cast<std::uint32_t>(c_->version_entries.size());
    for (std::uint32_t i = pending.first; i < pending.first + pending.count; ++i) {
      const ValueId entry = pending_entries_[i];
      if (!pending.by_txn) {
        c_->version_entries.push_back(raw(entry));
        continue;
      }
      // Most ids are the transaction's place; ids are unique, so a match there is the match.
      if (raw(entry) < c_->id.size() && c_->id[raw(entry)] == entry) {
        c_->version_entries.push_back(raw(entry));
        continue;
      }
      if (by_id.empty()) {
        for (std::uint32_t t = 0; t < c_->id.size(); ++t) by_id.emplace_back(c_->id[t], t);
        std::sort(by_id.begin(), by_id.end());
      }
      const auto at = std::lower_bound(by_id.begin(), by_id.end(), std::pair{entry, std::uint32_t{0}});
      if (at == by_id.end() || at->first != entry) {
        faulty_order_ = order;
        return Error{fmt::format("the version order of key {} names transaction {}, which the history does not have",
                                 values_.table().json(c_->key_name[raw(key)]), values_.table().json(entry))};
      }
      c_->version_entries.push_back(at->second);
    }
    c_->version_orders.push_back(VersionOrder{.key = key,
                                              .by_txn = pending.by_txn ? std::uint8_t{1} : std::uint8_t{0},
                                              .complete = pending.complete ? std::uint8_t{1} : std::uint8_t{0},
                                              .unused = {},
                                              .first = first,
                                              .count = pending.count});
  }
  return std::nullopt;
}

std::optional<Error> HistoryBuilder::too_large() const {
  if (c_->key_name.size() >= OpHead::kMaxSubjects || c_->predicates.size() >= OpHead::kMaxSubjects) {
    return Error{fmt::format("more than {} keys or predicates in one history", OpHead::kMaxSubjects)};
  }
  if (c_->op.size() >= kNone32) return Error{"more than 4,294,967,294 operations in one history"};
  if (c_->items.size() >= kNone32 || c_->active_xids.size() >= kNone32 || pending_entries_.size() >= kNone32) {
    return Error{"more than 4,294,967,294 rows, active transactions or versions in one history"};
  }
  if (values_.table().size() >= kNone32 - kFirstTableValue) return Error{"more than 2,147,483,646 different values"};
  return std::nullopt;
}

// Keys that were given none have the default; a default that is a list or a row, which files cannot say, becomes each
// key's own.
void HistoryBuilder::settle_initial() {
  const ValueType type = values_.table().type(default_initial_);
  const bool is_scalar = type != ValueType::kRow && type != ValueType::kList;
  if (c_->key_initial.empty() && is_scalar) return;
  c_->key_initial.resize(c_->key_name.size(), kNotSet);
  for (ValueId& initial : c_->key_initial) {
    if (initial == kNotSet) initial = default_initial_;
  }
  if (!is_scalar) default_initial_ = kNullValue;
}

Result<History> HistoryBuilder::finish() {
  if (open_) abandon_txn();
  if (auto error = resolve_ids()) return *std::move(error);
  if (commit_fault_) {
    faulty_txn_ = commit_fault_->first;
    return Error{
        fmt::format("transaction {}: {}", values_.table().json(c_->id[raw(*faulty_txn_)]), commit_fault_->second)};
  }
  for (const PendingKey& pending : pending_keys_) c_->items[pending.item].key = resolve(pending.name);
  for (const PendingName& pending : pending_initial_) set_initial(resolve(pending.name), pending.value);
  if (auto error = resolve_orders()) return *std::move(error);
  if (auto error = too_large()) return *std::move(error);
  settle_initial();
  unify_empty_lists();
  for (Column<std::int64_t>* column : {&c_->begin, &c_->end, &c_->start_ts, &c_->commit_ts, &c_->order, &c_->sno}) {
    if (!column->empty()) column->resize(c_->session.size(), kNoTime);
  }
  if (!c_->op_before.empty()) store_intervals();
  if (!c_->commit_before.empty()) {
    c_->commit_before.resize(c_->session.size(), kNone32);
    c_->commit_length.resize(c_->session.size(), kNone32);
  }
  c_->value_begin = std::move(values_.begin_column());
  c_->value_type = std::move(values_.type_column());
  c_->value_bytes = std::move(values_.bytes_column());
  c_->defaults.push_back(default_initial_);
  c_->flags.push_back(flags_);
  c_->about.append(about_.data(), about_.size());

  std::shared_ptr<OwnedColumns> storage = std::move(c_);
  HistoryColumns columns;
  for_each_column([](int, const char*, auto& view, auto& owned) { view = owned.view(); }, columns, *storage);
  return History(columns, std::move(storage));
}

}  // namespace isolde
