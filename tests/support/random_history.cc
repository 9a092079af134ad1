#include "tests/support/random_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/support/draft_predicate.h"
#include "tests/support/random_change.h"
#include "tests/support/random_evidence.h"

namespace isolde {
namespace {

enum class DataType : std::uint8_t { kRegister, kList, kCounter, kRow };

// What the simulated store guarantees.
enum class Store : std::uint8_t {
  kSnapshot,       // reads the state at its start; no two that overlap write one key
  kPrefix,         // reads the state at its start
  kSerial,         // reads the state at its commit
  kReadCommitted,  // each operation reads what is committed by then
  kScattered,      // reads some set of committed transactions, with all that stand before them in their sessions
  kDirty,          // reads what anybody has written
  kChance,         // reads anything
};

using States = std::map<std::string, DraftValue>;

class RandomRun {
 public:
  using Data = RandomOptions::Data;

  RandomRun(Rng& rng, const RandomOptions& options) : rng_(rng), options_(options) {
    const auto type = [&] {
      constexpr DataType kTypes[] = {DataType::kList, DataType::kList, DataType::kCounter, DataType::kRow};
      if (options.rows_only) return DataType::kRow;
      if (options.data == Data::kCounters) return DataType::kCounter;
      if (options.data == Data::kWrittenLists) return DataType::kList;
      if (options.data == Data::kDeletes) return DataType::kRegister;
      return options.registers_only || rng.chance(0.6) ? DataType::kRegister : kTypes[rng.below(4)];
    };
    const DataType common = type();
    const bool mixed = rng.chance(0.1);
    overwrites_ = rng.chance(options.overwrites);
    const auto keys =
        std::max<std::uint64_t>(overwrites_ ? 2 : 1, 1 + std::min(few(options.max_keys), few(options.max_keys)));
    for (std::uint64_t k = 0; k < keys; ++k) {
      keys_.emplace_back(std::string(1, static_cast<char>('x' + static_cast<char>(k))));
      types_.push_back(mixed ? type() : common);
    }
    unique_ = rng.chance(0.6) && !options.repeat;
    predicates_ = options.rows_only ? 0.5 : 0.3;
    vsets_ = !rng.chance(0.3) ? 0.0 : rng.chance(0.5) ? 1.0 : 0.5;
    if (!rng.chance(0.5)) common_condition_ = random_condition(rng);
    if (options.blind) {
      unique_ = true;
      store_ = rng.chance(0.3) ? Store::kReadCommitted : rng.chance(0.6) ? Store::kScattered : Store::kChance;
      return;
    }
    const double roll = rng.unit();
    store_ = roll < 0.30   ? Store::kSnapshot
             : roll < 0.42 ? Store::kPrefix
             : roll < 0.60 ? Store::kSerial
             : roll < 0.72 ? Store::kReadCommitted
             : roll < 0.88 ? Store::kScattered
             : roll < 0.93 ? Store::kDirty
                           : Store::kChance;
  }

  Draft run() {
    if (rng_.chance(0.15)) {
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        if (rng_.chance(0.7)) out_.initial.emplace_back(keys_[k], initial_of(types_[k]));
      }
    }
    for (const auto& key : keys_) committed_[key] = {};
    for (const auto& [key, value] : out_.initial) committed_[key] = value;
    initial_ = dirty_ = committed_;
    draw_schedule();
    for (std::size_t place = 0; place < schedule_.size(); ++place) {
      const std::size_t t = schedule_[place];
      if (live_[t].start < 0) {
        start(t, static_cast<int>(place));
      } else {
        finish(t, static_cast<int>(place));
      }
    }
    SimulatedRun run{{}, commits_, keys_, store_ == Store::kSerial, overwrites_};
    for (const Live& live : live_) run.places.push_back({live.start, live.commit});
    add_random_evidence(rng_, options_, run, out_);
    arrange();
    return std::move(out_);
  }

 private:
  struct Live {
    int start = -1, commit = -1;
    States snapshot;
    std::vector<std::string> wanted;                   // keys that it writes
    std::vector<std::size_t> sees;                     // kScattered: committed transactions in its view
    std::map<std::size_t, DraftCondition> conditions;  // by operation
    bool installed = false;
  };

  // 0 … count-1
  std::uint64_t few(int count) { return rng_.below(static_cast<std::uint64_t>(count)); }

  DraftValue initial_of(DataType type) {
    const std::int64_t n = rng_.between(0, 1);
    if (type == DataType::kList) return DraftValue::of_list({n});
    if (type == DataType::kRow) return DraftValue::of_row(n, unique_ ? std::optional(-n) : std::nullopt);
    return DraftValue::of(n);
  }

  void draw_schedule() {
    const auto n = 1 + std::max({few(options_.max_txns), few(options_.max_txns), few(options_.max_txns)});
    live_.resize(n);
    out_.txns.resize(n);
    const double overlap = rng_.chance(0.15) ? 0.0 : rng_.chance(0.5) ? 0.5 : 0.8;
    std::vector<std::size_t> open;
    std::size_t next = 0;
    while (next < n || !open.empty()) {
      if (next < n && (open.empty() || rng_.chance(overlap))) {
        open.push_back(next);
        schedule_.push_back(next++);
      } else {
        const std::size_t i = rng_.below(open.size());
        schedule_.push_back(open[i]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  std::string draw_session(std::size_t t, int place) {
    if (rng_.chance(0.15)) return fmt::format("s{}", rng_.below(live_.size()));
    for (std::size_t tries = 0; tries < 2; ++tries) {
      const std::string session = fmt::format("s{}", rng_.below(live_.size()));
      bool busy = false;
      for (std::size_t other = 0; other < t; ++other) {
        busy |= out_.txns[other].session == session && (live_[other].commit < 0 || live_[other].commit > place);
      }
      if (!busy) return session;
    }
    return fmt::format("own{}", t);
  }

  void start(std::size_t t, int place) {
    DraftTxn& txn = out_.txns[t];
    txn.name = fmt::format("T{}", t + 1);
    txn.session = draw_session(t, place);
    if (rng_.chance(options_.aborted)) txn.status = Status::kAborted;
    if (rng_.chance(options_.unknown)) txn.status = Status::kUnknown;
    live_[t].start = place;
    live_[t].snapshot = committed_;
    if (store_ == Store::kScattered) live_[t].snapshot = scattered_view(t);
    const auto ops = rng_.chance(0.02) ? 0 : 1 + few(options_.max_ops);
    const double reads = overwrites_        ? 0.15
                         : options_.blind   ? (rng_.chance(0.4) ? 1.0 : 0.0)
                         : rng_.chance(0.3) ? 1.0
                                            : 0.5;
    for (std::uint64_t i = 0; i < ops; ++i)
      plan(t, rng_.chance(reads), overwrites_ ? i % keys_.size() : rng_.below(keys_.size()));
    if (store_ == Store::kSerial) return;  // runs when it commits
    if (store_ != Store::kReadCommitted && store_ != Store::kDirty) {
      execute(t, 0, txn.ops.size());
    } else {
      done_.resize(live_.size(), 0);
      done_[t] = rng_.below(txn.ops.size() + 1);
      live_[t].snapshot = store_ == Store::kDirty ? dirty_ : committed_;
      execute(t, 0, done_[t]);
    }
  }

  void plan(std::size_t t, bool read, std::size_t k) {
    const std::string& key = keys_[k];
    if (!read && store_ == Store::kSnapshot) {
      for (std::size_t other = 0; other < live_.size(); ++other) {
        const auto& wanted = live_[other].wanted;
        const bool open = live_[other].start >= 0 && live_[other].commit < 0 && other != t;
        const bool gone = out_.txns[other].status == Status::kAborted;
        read |= open && !gone && std::find(wanted.begin(), wanted.end(), key) != wanted.end();
      }
    }
    DraftOp op{OpKind::kRead, key, {}};
    if (read) {
      if (types_[k] == DataType::kRow && rng_.chance(predicates_))
        op = predicate_op(t, rng_.chance(0.7) ? OpKind::kScan : OpKind::kAggregate, {});
    } else {
      live_[t].wanted.push_back(key);
      const std::int64_t n = unique_ ? ++last_value_ : rng_.between(0, 2);
      switch (types_[k]) {
        case DataType::kRegister:
          op = {OpKind::kWrite, key,
                rng_.chance(options_.data == Data::kDeletes ? 0.4 : 0.05) ? DraftValue{} : DraftValue::of(n)};
          break;
        case DataType::kList:
          op = {OpKind::kAppend, key, DraftValue::of(n)};
          if (rng_.chance(options_.data == Data::kWrittenLists ? 0.4 : 0.05))
            op = {OpKind::kWrite, key, DraftValue::of_list({n})};
          break;
        case DataType::kCounter:
          op = {OpKind::kIncrement, key, DraftValue::of(rng_.chance(0.2) ? -1 : rng_.between(1, 2))};
          break;
        case DataType::kRow:
          op = {OpKind::kWrite, key, random_row(n)};
          if (rng_.chance(predicates_)) {
            live_[t].wanted.pop_back();
            op = predicate_op(t, OpKind::kUpdate, op.value);
          }
          break;
      }
    }
    out_.txns[t].ops.push_back(std::move(op));
  }

  DraftValue random_row(std::int64_t n) {
    if (rng_.chance(0.15)) return {};
    const std::optional<std::int64_t> v = rng_.chance(0.1) ? std::nullopt : std::optional(rng_.between(0, 3));
    return DraftValue::of_row(v, unique_ ? std::optional(n) : std::nullopt);
  }

  // `after`: what an update writes; null deletes.
  DraftOp predicate_op(std::size_t t, OpKind kind, const DraftValue& after) {
    const DraftCondition condition =
        common_condition_ && rng_.chance(0.7) ? *common_condition_ : random_condition(rng_);
    live_[t].conditions[out_.txns[t].ops.size()] = condition;
    DraftOp op{kind, {}, after};
    op.where = condition.text();
    if (kind == OpKind::kAggregate) op.aggregate = random_aggregate(rng_);
    if (rng_.chance(vsets_)) op.vset.emplace();
    return op;
  }

  // Whether another transaction that is under way writes one of the keys, which a snapshot store does not let happen.
  bool taken(std::size_t t, const std::vector<std::pair<std::string, DraftValue>>& rows) const {
    for (std::size_t other = 0; other < live_.size(); ++other) {
      const bool open = live_[other].start >= 0 && live_[other].commit < 0 && other != t;
      if (!open || out_.txns[other].status == Status::kAborted) continue;
      for (const auto& [key, row] : rows) {
        const auto& wanted = live_[other].wanted;
        if (std::find(wanted.begin(), wanted.end(), key) != wanted.end()) return true;
      }
    }
    return false;
  }

  void execute_predicate(std::size_t t, std::size_t i) {
    DraftOp& op = out_.txns[t].ops[i];
    const DraftCondition& condition = live_[t].conditions[i];
    const DraftValue after = op.value;
    op.value = {};
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (types_[k] != DataType::kRow) continue;
      const DraftValue row = store_ == Store::kChance ? anything(keys_[k]) : live_[t].snapshot[keys_[k]];
      if (row.type == DraftValue::Type::kNull) continue;
      if (op.vset) op.vset->emplace_back(keys_[k], row);
      if (condition.matches(keys_[k], row).value_or(false)) op.items.emplace_back(keys_[k], row);
    }
    if (op.kind == OpKind::kAggregate) {
      std::vector<DraftValue> rows;
      for (const auto& [key, row] : op.items) rows.push_back(row);
      op.items.clear();
      op.value = aggregate_of(op.aggregate, rows);
    }
    if (op.kind != OpKind::kUpdate) return;
    if (store_ == Store::kSnapshot && taken(t, op.items)) {
      op.kind = OpKind::kScan;
      return;
    }
    for (auto& [key, row] : op.items) {
      live_[t].wanted.push_back(key);
      row = after;
      if (unique_ && row.type == DraftValue::Type::kRow) row = DraftValue::of_row(after.column("v"), ++last_value_);
    }
  }

  // Runs operations [from, to) of `t` on its snapshot.
  void execute(std::size_t t, std::size_t from, std::size_t to) {
    auto& ops = out_.txns[t].ops;
    for (std::size_t i = from; i < to; ++i) {
      DraftOp& op = ops[i];
      if (op.kind == OpKind::kRead) {
        op.value = store_ == Store::kChance ? anything(op.key) : live_[t].snapshot[op.key];
        continue;
      }
      if (is_predicate(op.kind)) execute_predicate(t, i);
      if (is_item_write(op.kind) || op.kind == OpKind::kUpdate) {
        change(live_[t].snapshot, op);
        if (store_ == Store::kDirty) change(dirty_, op);
      }
    }
  }

  DraftValue anything(const std::string& key) {
    std::vector<DraftValue> pool = {initial_[key]};
    for (const DraftTxn& txn : out_.txns) {
      for (const DraftOp& op : txn.ops) {
        if (op.key == key && op.kind == OpKind::kWrite) pool.push_back(op.value);
        if (op.key == key && op.kind == OpKind::kAppend) pool.push_back(DraftValue::of_list({op.value.integer}));
        if (op.key == key && op.kind == OpKind::kIncrement) pool.push_back(op.value);
        for (const auto& [its, row] : op.items) {
          if (its == key && op.kind == OpKind::kUpdate) pool.push_back(row);
        }
      }
    }
    return pool[rng_.below(pool.size())];
  }

  static void change(States& states, const DraftOp& op) {
    if (op.kind == OpKind::kUpdate) {
      for (const auto& [key, row] : op.items) states[key] = row;
      return;
    }
    DraftValue& state = states[op.key];
    if (op.kind == OpKind::kWrite) state = op.value;
    if (op.kind == OpKind::kAppend) {
      state.type = DraftValue::Type::kList;
      state.list.push_back(op.value.integer);
    }
    if (op.kind == OpKind::kIncrement) {
      state.type = DraftValue::Type::kInteger;
      state.integer += op.value.integer;
    }
  }

  States scattered_view(std::size_t t) {
    auto& sees = live_[t].sees;
    for (const std::size_t other : commits_) {
      const bool own = out_.txns[other].session == out_.txns[t].session;
      if (own || rng_.chance(0.5)) {
        sees.push_back(other);
        if (rng_.chance(0.7)) sees.insert(sees.end(), live_[other].sees.begin(), live_[other].sees.end());
      }
    }
    States view = initial_;
    for (const std::size_t other : commits_) {
      if (std::find(sees.begin(), sees.end(), other) == sees.end()) continue;
      for (const DraftOp& op : out_.txns[other].ops) {
        if (is_item_write(op.kind) || op.kind == OpKind::kUpdate) change(view, op);
      }
    }
    return view;
  }

  void finish(std::size_t t, int place) {
    DraftTxn& txn = out_.txns[t];
    live_[t].commit = place;
    if (store_ == Store::kSerial) {
      live_[t].snapshot = committed_;
      execute(t, 0, txn.ops.size());
    } else if (store_ == Store::kReadCommitted || store_ == Store::kDirty) {
      // Its own changes stay on top of what has been committed meanwhile.
      live_[t].snapshot = store_ == Store::kDirty ? dirty_ : committed_;
      for (std::size_t i = 0; store_ == Store::kReadCommitted && i < done_[t]; ++i) {
        if (is_item_write(txn.ops[i].kind) || txn.ops[i].kind == OpKind::kUpdate) change(live_[t].snapshot, txn.ops[i]);
      }
      execute(t, done_[t], txn.ops.size());
    }
    live_[t].installed = txn.status == Status::kCommitted || (txn.status == Status::kUnknown && rng_.chance(0.5));
    if (!live_[t].installed) return;
    commits_.push_back(t);
    for (const DraftOp& op : txn.ops) {
      if (is_item_write(op.kind) || op.kind == OpKind::kUpdate) change(committed_, op);
    }
  }

  // The order in the file: by start as they stand, now and then any other.
  void arrange() {
    if (!rng_.chance(0.15)) return;
    for (std::size_t i = out_.txns.size(); i > 1; --i) std::swap(out_.txns[i - 1], out_.txns[rng_.below(i)]);
  }

  Rng& rng_;
  const RandomOptions& options_;
  Draft out_;
  std::vector<std::string> keys_;
  std::vector<DataType> types_;
  bool unique_ = true;
  double predicates_ = 0, vsets_ = 0;               // rows: share of predicate operations, of these with version sets
  std::optional<DraftCondition> common_condition_;  // that most of them ask
  bool overwrites_ = false;
  Store store_ = Store::kSnapshot;
  std::int64_t last_value_ = 0;
  std::vector<std::size_t> schedule_;  // each transaction twice: its start, its commit
  std::vector<Live> live_;
  std::vector<std::size_t> done_;  // operations that ran at the start
  std::vector<std::size_t> commits_;
  States initial_, committed_, dirty_;
};

}  // namespace

Draft random_draft(Rng& rng, const RandomOptions& options) {
  Draft draft = RandomRun(rng, options).run();
  const bool keep_timestamps = options.timestamps == RandomOptions::Timestamps::kCompleteAndDistinct;
  while (rng.chance(options.change)) change_a_little(draft, rng, keep_timestamps);
  return draft;
}

History random_history(Rng& rng, const RandomOptions& options) { return random_draft(rng, options).build(); }

}  // namespace isolde
