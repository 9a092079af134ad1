#include "check/timeline/sweep.h"

#include <algorithm>
#include <iterator>
#include <thread>

#include "base/prefetch.h"
#include "check/accesses.h"
#include "check/timeline/ties.h"

namespace isolde::timeline {
namespace {

constexpr std::size_t kPrefetch = 12;     // events ahead: operations
constexpr std::size_t kPrefetchKeys = 4;  // events ahead: the states of their keys
// From so many keys on their states do not fit the nearest caches: then it pays to prefetch them, and to share the keys
// out among threads. Before that, scanning the operations twice costs more than looking keys up.
constexpr std::size_t kKeysThatPay = 1U << 15;
constexpr std::size_t kEventsBetweenSweepLooks = 1U << 16;
constexpr std::uint64_t kStepsPerSweptOp = 2;

// The sweep over all keys or, `kPartial`, over those of one part: then several run side by side.
template <bool kPartial>
class Sweep : private TieState {
 public:
  Sweep(const History& history, Schedule& schedule, LevelFamily family, AddedOrder order, const Uncertain& uncertain,
        const std::vector<bool>& record, const Limits& limits, unsigned part, unsigned log_parts)
      : h_(history),
        values_(history.values()),
        ops_(history.columns().op.data()),
        op_values_(history.columns().op_value.data()),
        first_op_(history.columns().first_op.data()),
        schedule_(schedule),
        serial_(family == LevelFamily::kSerializable),
        uncertain_(uncertain),
        record_(record),
        limits_(limits),
        part_(part),
        log_parts_(log_parts),
        ties_(history, order) {}

  SweepResult run() {
    keys_.reserve((h_.key_count() >> log_parts_) + 1);
    for (std::uint32_t k = part_; k < h_.key_count(); k += 1U << log_parts_) {
      keys_.push_back(KeyState{h_.initial(KeyId{k}), kNone32, 0, kNone32, 0, kNullValue, kNone32, 0});
    }
    result_.commit_rank.assign(h_.txn_count(), 0);
    result_.start_rank.assign(h_.txn_count(), 0);
    const std::size_t count = schedule_.events.size();
    const bool many_keys = keys_.size() >= kKeysThatPay;
    std::size_t tie = 0;
    for (std::size_t e = 0; e < count; ++e) {
      if (e + kPrefetch < count) prefetch(schedule_.events[e + kPrefetch].txn());
      if (many_keys && e + kPrefetchKeys < count) prefetch_keys(schedule_.events[e + kPrefetchKeys].txn());
      if (e % kEventsBetweenSweepLooks == 0 && e > 0) {
        if (limits_.progress != nullptr && part_ == 0) limits_.progress->advance("checking", e, count);
        if (limits_.exhausted()) {
          result_.cut_short = true;
          break;
        }
      }
      if (tie < schedule_.ties.size() && schedule_.ties[tie].first_event == e) {
        ties_.settle(schedule_.ties[tie++], *this, schedule_.events);
      }
      happen(static_cast<std::uint32_t>(e));
    }
    result_.keys = std::move(keys_);
    result_.rich = std::move(rich_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool mine(KeyId key) const {
    if constexpr (!kPartial) return true;
    return (raw(key) & ((1U << log_parts_) - 1)) == part_;
  }
  [[nodiscard]] KeyState& state(KeyId key) { return keys_[kPartial ? raw(key) >> log_parts_ : raw(key)]; }
  [[nodiscard]] const KeyState& state(KeyId key) const { return keys_[kPartial ? raw(key) >> log_parts_ : raw(key)]; }

  void prefetch(TxnId t) const {
    const std::uint32_t first = first_op_[raw(t)];
    isolde::prefetch(ops_ + first);
    isolde::prefetch(op_values_ + first);
  }

  // The states of the keys that a transaction touches, where they do not lie in the nearest caches anyway.
  void prefetch_keys(TxnId t) const {
    for_my_operations(t, Wanted::kAll, [&](std::uint32_t i) {
      if (ops_[i].is_read_or_write()) isolde::prefetch(&state(ops_[i].key()));
    });
  }

  void happen(std::uint32_t e) {
    const Event event = schedule_.events[e];
    const TxnId t = event.txn();
    const std::uint32_t rank = e + 1;
    rank_ = rank;
    if (serial_) {
      result_.start_rank[raw(t)] = rank;
      result_.commit_rank[raw(t)] = rank;
      replay(t);
      apply(t, rank, kNone32);
    } else if (event.is_commit()) {
      const std::uint32_t start = result_.start_rank[raw(t)];
      result_.commit_rank[raw(t)] = rank;
      apply(t, rank, start == 0 ? kNone32 : start);  // without a start it overlaps with nobody
    } else {
      result_.start_rank[raw(t)] = rank;
      replay(t);
    }
  }

  // Compares the reads of `t` with the state now and with its own operations.
  void replay(TxnId t) {
    const std::uint32_t stamp = raw(t) + 1;
    if (!local_rich_.empty()) local_rich_.clear();
    for_my_operations(t, Wanted::kAll, [&](std::uint32_t i) __attribute__((always_inline)) {
      const OpHead op = ops_[i];
      if (op.is_read()) {
        read(t, stamp, i, op.key(), op_values_[i]);
      } else if (op.is_read_or_write()) {
        overwrite(stamp, op.key(), op_values_[i]);
      } else {
        replay_other(t, stamp, i, op);
      }
    });
  }

  enum class Wanted : std::uint8_t { kAll, kNoReads };

  // Calls `f(operation)` for the operations of `t` that are wanted and may touch a key of this part. The others are
  // passed over without a branch: which they are is chance, and a wrong guess costs more than the work.
  template <typename F>
  void for_my_operations(TxnId t, Wanted wanted, F&& f) const {
    const std::uint32_t end = first_op_[raw(t) + 1];
    if (!kPartial && wanted == Wanted::kAll) {
      for (std::uint32_t i = first_op_[raw(t)]; i < end; ++i) f(i);
      return;
    }
    constexpr std::uint32_t kChunk = 64;
    std::uint32_t kept[kChunk];
    for (std::uint32_t from = first_op_[raw(t)]; from < end; from += kChunk) {
      const std::uint32_t to = std::min(end, from + kChunk);
      std::uint32_t count = 0;
      for (std::uint32_t i = from; i < to; ++i) {
        const OpHead op = ops_[i];
        const bool here =
            !kPartial || (static_cast<unsigned>(mine(op.key())) | static_cast<unsigned>(is_predicate(op.kind())));
        const bool asked = wanted == Wanted::kAll || !op.is_read();
        kept[count] = i;
        count += static_cast<unsigned>(here) & static_cast<unsigned>(asked);
      }
      for (std::uint32_t i = 0; i < count; ++i) f(kept[i]);
    }
  }

  void read(TxnId t, std::uint32_t stamp, std::uint32_t op, KeyId key, ValueId value) {
    if (!mine(key)) return;
    KeyState& k = state(key);
    if (k.stamp != stamp) {
      const bool right = k.rich == kNone32 ? value == k.value : shows(values_, value, rich_[k.rich], nullptr);
      if (!right) [[unlikely]]
        report_external(t, op, key, value, nullptr);
    } else if (k.local_rich == kNone32) {
      if (value != k.local) [[unlikely]]
        report_internal(t, op, key, value, k);
    } else {
      read_on_own(t, op, key, value, k);
    }
    k.stamp = stamp;
    k.local = value;
    k.local_rich = kNone32;
  }

  void overwrite(std::uint32_t stamp, KeyId key, ValueId value) {
    if (!mine(key)) return;
    KeyState& k = state(key);
    k.stamp = stamp;
    k.local = value;
    k.local_rich = kNone32;
  }

  // A read after own appends or increments: the end must be one's own, the rest the snapshot's (or what was read
  // before).
  void read_on_own(TxnId t, std::uint32_t op, KeyId key, ValueId value, const KeyState& k) {
    const LocalRich& own = local_rich_[k.local_rich];
    Rich base;
    const Rich* content = &base;
    if (!own.from_snapshot) {
      make_rich(values_, k.local, own.is_counter, base);
    } else if (k.rich != kNone32) {
      content = &rich_[k.rich];
    } else {
      make_rich(values_, k.value, own.is_counter, base);
    }
    if (shows(values_, value, *content, &own)) return;
    if (own.from_snapshot && ends_with_own(values_, value, own)) {
      report_external(t, op, key, value, &own);
      return;
    }
    Finding finding = make(Finding::Type::kInternal, t, op, key, value);
    finding.forced = true;
    finding.expected_rich = true;
    finding.expected_text = text_of(values_, *content, &own);
    result_.findings.push_back(std::move(finding));
  }

  void replay_other(TxnId t, std::uint32_t stamp, std::uint32_t i, OpHead op) {
    if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) {
      accumulate(stamp, op.key(), op.kind(), op_values_[i]);
    } else if (op.kind() == OpKind::kScan) {
      for (const Item& item : h_.items(h_.predicate(op.predicate()))) read(t, stamp, i, item.key, item.value);
    } else if (op.kind() == OpKind::kUpdate) {
      for (const Item& item : h_.items(h_.predicate(op.predicate()))) overwrite(stamp, item.key, item.value);
    }
  }

  void accumulate(std::uint32_t stamp, KeyId key, OpKind kind, ValueId value) {
    if (!mine(key)) return;
    KeyState& k = state(key);
    if (k.stamp != stamp || k.local_rich == kNone32) {
      LocalRich fresh;
      fresh.from_snapshot = k.stamp != stamp;
      fresh.is_counter = kind == OpKind::kIncrement;
      k.local_rich = static_cast<std::uint32_t>(local_rich_.size());
      local_rich_.push_back(std::move(fresh));
      k.stamp = stamp;
    }
    LocalRich& own = local_rich_[k.local_rich];
    if (kind == OpKind::kAppend) {
      own.appended.push_back(value);
    } else {
      own.delta = static_cast<std::int64_t>(static_cast<std::uint64_t>(own.delta) +
                                            static_cast<std::uint64_t>(values_.integer(value)));
    }
  }

  // Installs the writes of `t`. `start`: rank of its start; a version committed later is in conflict.
  void apply(TxnId t, std::uint32_t rank, std::uint32_t start) {
    for_my_operations(t, Wanted::kNoReads, [&](std::uint32_t i) {
      const OpHead op = ops_[i];
      if (op.kind() == OpKind::kWrite) {
        install(t, rank, start, i, op.key(), op_values_[i]);
      } else if (op.kind() == OpKind::kUpdate) {
        for (const Item& item : h_.items(h_.predicate(op.predicate())))
          install(t, rank, start, i, item.key, item.value);
      } else if (op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement) {
        install_on_top(t, rank, start, i, op);
      }
    });
    if (!record_.empty()) record_versions(t, rank);
  }

  void claim(TxnId t, std::uint32_t rank, std::uint32_t start, std::uint32_t op, KeyId key, KeyState& k) {
    if (k.commit_rank > start && k.writer != raw(t)) [[unlikely]]
      report_conflict(t, op, key, k.writer);
    k.writer = raw(t);
    k.commit_rank = rank;
  }

  void install(TxnId t, std::uint32_t rank, std::uint32_t start, std::uint32_t op, KeyId key, ValueId value) {
    if (!mine(key)) return;
    KeyState& k = state(key);
    claim(t, rank, start, op, key, k);
    k.value = value;
    if (k.rich != kNone32) {  // a list or counter no more, until the next append or increment
      rich_[k.rich] = Rich{};
      k.rich = kNone32;
    }
  }

  void install_on_top(TxnId t, std::uint32_t rank, std::uint32_t start, std::uint32_t i, OpHead op) {
    if (!mine(op.key())) return;
    KeyState& k = state(op.key());
    claim(t, rank, start, i, op.key(), k);
    if (k.rich == kNone32) {
      k.rich = static_cast<std::uint32_t>(rich_.size());
      make_rich(values_, k.value, op.kind() == OpKind::kIncrement, rich_.emplace_back());
    }
    Rich& rich = rich_[k.rich];
    if (op.kind() == OpKind::kAppend) {
      rich.elements.push_back(op_values_[i]);
    } else {
      rich.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(rich.number) +
                                              static_cast<std::uint64_t>(values_.integer(op_values_[i])));
    }
  }

  void record_versions(TxnId t, std::uint32_t rank) {
    for_each_access(h_, t, [&](const Access& a) {
      if (a.kind == OpKind::kRead || !record_[raw(a.key)]) return;
      const KeyState& k = state(a.key);
      VersionRecord version{a.key, k.value, rank, t, 0, 0};
      if (k.rich != kNone32) {
        version.length = static_cast<std::uint32_t>(rich_[k.rich].elements.size());
        version.number = rich_[k.rich].number;
      }
      result_.versions.push_back(version);
    });
  }

  [[nodiscard]] bool shows_now(KeyId key, ValueId value) const override {
    const KeyState& k = state(key);
    return k.rich == kNone32 ? k.value == value : shows(values_, value, rich_[k.rich], nullptr);
  }
  [[nodiscard]] bool is_rich_now(KeyId key) const override { return state(key).rich != kNone32; }
  [[nodiscard]] ValueId register_now(KeyId key) const override { return state(key).value; }

  Finding make(Finding::Type type, TxnId t, std::uint32_t op, KeyId key, ValueId value) const {
    return Finding{type, true, false, t, rank_, op, key, value, kNullValue, kNoTxn, {}, {}};
  }

  void report_external(TxnId t, std::uint32_t op, KeyId key, ValueId value, const LocalRich* own) {
    const KeyState& k = state(key);
    Finding finding = make(Finding::Type::kExternal, t, op, key, value);
    const bool is_rich = k.rich != kNone32 || own != nullptr;
    finding.forced = !uncertain_.may_explain(t, key, value, is_rich) && !open_in_tie(t, key, value, is_rich);
    finding.other = TxnId{k.writer};
    if (is_rich) {
      Rich base;
      if (k.rich == kNone32) make_rich(values_, k.value, own->is_counter, base);
      const Rich& content = k.rich == kNone32 ? base : rich_[k.rich];
      finding.expected_rich = true;
      finding.expected_text = text_of(values_, content, own);
      finding.expected_elements = content.elements;
      if (own != nullptr) {
        finding.expected_elements.insert(finding.expected_elements.end(), own->appended.begin(), own->appended.end());
      }
    } else {
      finding.expected = k.value;
    }
    result_.findings.push_back(std::move(finding));
  }

  // Whether the transaction stands in a tie group and the value is what the key held before the group (what the group
  // itself wrote is uncertain anyway).
  [[nodiscard]] bool open_in_tie(TxnId t, KeyId key, ValueId value, bool is_rich) const {
    return uncertain_.in_ties.contains(raw(t)) && (is_rich || ties_.held_before(key, value));
  }

  void report_internal(TxnId t, std::uint32_t op, KeyId key, ValueId value, const KeyState& k) {
    Finding finding = make(Finding::Type::kInternal, t, op, key, value);
    finding.expected = k.local;
    result_.findings.push_back(std::move(finding));
  }

  void report_conflict(TxnId t, std::uint32_t op, KeyId key, std::uint32_t other) {
    Finding finding = make(Finding::Type::kConflict, t, op, key, op_values_[op]);
    finding.other = TxnId{other};
    result_.findings.push_back(std::move(finding));
  }

  const History& h_;
  const ValueTable& values_;
  const OpHead* const ops_;
  const ValueId* const op_values_;
  const std::uint32_t* const first_op_;
  Schedule& schedule_;
  const bool serial_;
  const Uncertain& uncertain_;
  const std::vector<bool>& record_;
  const Limits& limits_;
  const unsigned part_, log_parts_;
  std::vector<KeyState> keys_;
  std::vector<Rich> rich_;
  std::vector<LocalRich> local_rich_;
  Ties ties_;
  std::uint32_t rank_ = 0;
  SweepResult result_;
};

constexpr std::size_t kOpsThatPay = 1U << 20;
constexpr unsigned kMostLogParts = 4;
// Every thread looks at every operation, so two of them gain a twentieth and cost half again (docs/performance.md).
constexpr unsigned kThreadsThatPay = 4;

unsigned log_parts_for(const History& h, const Schedule& schedule, const std::vector<bool>& record, unsigned threads) {
  // Tie groups look at all keys at once, and recorded versions are one list.
  if (!schedule.ties.empty() || !record.empty()) return 0;
  if (h.key_count() < kKeysThatPay || h.op_count() < kOpsThatPay || threads < kThreadsThatPay) return 0;
  unsigned log_parts = 0;
  while (log_parts < kMostLogParts && (2U << log_parts) <= threads) ++log_parts;
  return log_parts;
}

}  // namespace

void Uncertain::add_writes_of(const History& history, TxnId txn) {
  const auto add = [txn](auto& map, auto at) {
    const auto [found, fresh] = map.emplace(at, txn);
    if (!fresh && found->second != txn) found->second = kNoTxn;
  };
  for_each_access(history, txn, [&](const Access& a) {
    if (a.kind == OpKind::kRead) return;
    add(keys, raw(a.key));
    if (a.kind == OpKind::kWrite) {
      add(writes, id(a.key, a.value));
    } else {
      add(rich_keys, raw(a.key));
    }
  });
}

SweepResult sweep(const History& history, Schedule& schedule, LevelFamily family, AddedOrder order,
                  const Uncertain& uncertain, const std::vector<bool>& record, const Limits& limits) {
  // Of all threads, before they start.
  limits.spend(kStepsPerSweptOp * history.op_count() + schedule.events.size());
  const unsigned log_parts = log_parts_for(history, schedule, record, limits.threads);
  if (log_parts == 0) return Sweep<false>(history, schedule, family, order, uncertain, record, limits, 0, 0).run();

  std::vector<SweepResult> results(std::size_t{1} << log_parts);
  std::vector<std::thread> threads;
  const auto run_part = [&](unsigned part) {
    results[part] = Sweep<true>(history, schedule, family, order, uncertain, record, limits, part, log_parts).run();
  };
  for (unsigned part = 1; part < results.size(); ++part) threads.emplace_back(run_part, part);
  run_part(0);
  for (std::thread& thread : threads) thread.join();

  SweepResult all = std::move(results[0]);
  for (std::size_t part = 1; part < results.size(); ++part) {
    all.cut_short = all.cut_short || results[part].cut_short;
    std::move(results[part].findings.begin(), results[part].findings.end(), std::back_inserter(all.findings));
  }
  std::stable_sort(all.findings.begin(), all.findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.rank, a.op) < std::pair(b.rank, b.op);
  });
  return all;
}

}  // namespace isolde::timeline
