// Replaying predicates: serial histories of five operations per transaction, half of them scans, aggregates and
// updates over ranges; few keys, and many keys with narrow ranges.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.h"
#include "check/choose/engines.h"
#include "check/predicates/predicate_replay.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

struct Shape {
  std::int64_t transactions, keys;
  std::int64_t found;       // rows that a predicate finds, about
  bool simple;              // ranges of one column only
  double predicates = 0.5;  // share of the operations
};

// A database of rows {a, b} that runs one transaction after the other.
class Database {
 public:
  explicit Database(const Shape& shape) : s_(shape), rng_(7) {
    for (std::int64_t k = 0; k < s_.keys; ++k) {
      keys_.push_back(b_.key(k));
      rows_.push_back(some_row());
      b_.set_initial(keys_.back(), id(rows_.back()));
      if (s_.keys > kMany) by_a_.emplace(rows_.back().a, k);
    }
  }

  History run() {
    for (std::int64_t t = 0; t < s_.transactions; ++t) {
      b_.begin_txn(b_.session(t % 20));
      b_.set_order(t);
      b_.set_start_ts(2 * t);
      b_.set_commit_ts(2 * t + 1);
      for (int i = 0; i < 5; ++i) {
        if (rng_.chance(s_.predicates)) {
          predicate();
        } else {
          item();
        }
      }
      b_.end_txn();
    }
    return *b_.finish();
  }

 private:
  static constexpr std::int64_t kMany = 1000;
  struct Row {
    std::int64_t a, b;
  };
  Row some_row() {
    return {static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(s_.keys) * 10)),
            static_cast<std::int64_t>(rng_.below(100))};
  }
  ValueId id(const Row& row) {
    auto& values = b_.values();
    const RowField fields[] = {{values.string("a"), values.integer(row.a)},
                               {values.string("b"), values.integer(row.b)}};
    return values.row(fields);
  }
  void put(std::size_t k, const Row& row) {
    if (s_.keys > kMany) {
      const auto [from, to] = by_a_.equal_range(rows_[k].a);
      by_a_.erase(std::find_if(from, to, [&](const auto& e) { return e.second == static_cast<std::int64_t>(k); }));
      by_a_.emplace(row.a, k);
    }
    rows_[k] = row;
  }

  void item() {
    const std::size_t k = rng_.below(static_cast<std::uint64_t>(s_.keys));
    if (rng_.chance(0.5)) {
      b_.read(keys_[k], id(rows_[k]));
    } else {
      put(k, some_row());
      b_.write(keys_[k], id(rows_[k]));
    }
  }

  void predicate() {
    const std::int64_t low = static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(s_.keys) * 10));
    const std::int64_t high = low + s_.found * 10;
    const std::int64_t b = static_cast<std::int64_t>(rng_.below(100));
    const std::uint64_t form = s_.simple ? rng_.below(2) : rng_.below(5);
    const auto in_a = [=](const Row& r) { return r.a >= low && r.a < high; };
    if (form == 0) return run(fmt::format("a >= {} AND a < {}", low, high), in_a, low, high);
    if (form == 1) return run(fmt::format("a BETWEEN {} AND {}", low, high - 1), in_a, low, high);
    if (form == 2) {
      return run(
          fmt::format("a >= {} AND a < {} AND b < {}", low, high, b), [=](const Row& r) { return in_a(r) && r.b < b; },
          low, high);
    }
    if (form == 3) return run(fmt::format("b = {}", b), [=](const Row& r) { return r.b == b; }, 0, s_.keys * 10);
    run(
        fmt::format("a < {} OR b = {}", s_.found * 10, b),
        [most = s_.found * 10, b](const Row& r) { return r.a < most || r.b == b; }, 0, s_.keys * 10);
  }

  template <typename Match>
  void run(const std::string& where, const Match& match, std::int64_t low, std::int64_t high) {
    std::vector<std::size_t> found;
    if (s_.keys > kMany) {
      for (auto i = by_a_.lower_bound(low); i != by_a_.end() && i->first < high; ++i) {
        if (match(rows_[static_cast<std::size_t>(i->second)])) found.push_back(static_cast<std::size_t>(i->second));
      }
    } else {
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        if (match(rows_[k])) found.push_back(k);
      }
    }
    std::vector<Item> items;
    switch (rng_.below(3)) {
      case 0:
        for (const std::size_t k : found) items.push_back({keys_[k], id(rows_[k])});
        b_.scan(where, items);
        break;
      case 1: {
        std::int64_t sum = 0;
        for (const std::size_t k : found) sum += rows_[k].b;
        b_.aggregate("sum(b)", where, found.empty() ? kNullValue : b_.values().integer(sum));
        break;
      }
      default:
        for (const std::size_t k : found) {
          put(k, {rows_[k].a, (rows_[k].b + 1) % 100});
          items.push_back({keys_[k], id(rows_[k])});
        }
        b_.update(where, items);
    }
  }

  const Shape s_;
  Rng rng_;
  HistoryBuilder b_;
  std::vector<KeyId> keys_;
  std::vector<Row> rows_;
  std::multimap<std::int64_t, std::int64_t> by_a_;
};

const History& history_of(const Shape& shape) {
  static std::map<std::vector<std::int64_t>, History> made;
  const std::vector<std::int64_t> name{shape.transactions, shape.keys, shape.found, shape.simple,
                                       static_cast<std::int64_t>(shape.predicates * 100)};
  auto at = made.find(name);
  if (at == made.end()) at = made.emplace(name, Database(shape).run()).first;
  return at->second;
}

void check(benchmark::State& state, const char* engine, Level level, Shape shape) {
  const History& history = history_of(shape);
  for (auto _ : state) {
    const Verdict verdict = engine_named(engine)->check(history, level, {});
    if (verdict.outcome != Outcome::kSatisfied) return state.SkipWithError("not satisfied");
  }
}
constexpr Level kSer = Level::kSerializable;
constexpr Level kSi = Level::kSnapshotIsolation;
#define SHAPE(name, ...)                                                                                      \
  BENCHMARK_CAPTURE(check, replay_##name, "replay", kSer, Shape{__VA_ARGS__})->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(check, timeline_##name, "timeline", kSi, Shape{__VA_ARGS__})->Unit(benchmark::kMillisecond)
SHAPE(2500_of_100_keys, 2500, 100, 10, false);
SHAPE(100k_of_100_keys, 100'000, 100, 10, false);
SHAPE(100k_of_1000_keys, 100'000, 1000, 10, false);
SHAPE(20k_of_4000_keys_narrow, 20'000, 4000, 10, true);
SHAPE(20k_of_100k_keys_narrow, 20'000, 100'000, 10, true);
SHAPE(100k_items_of_1000_keys, 100'000, 1000, 10, false, 0.0);

void compile(benchmark::State& state) {
  const History& history = history_of({100'000, 100, 10, false});
  for (auto _ : state) benchmark::DoNotOptimize(PredicateSet(history));
}
BENCHMARK(compile)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace isolde
