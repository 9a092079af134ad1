// Compiling a predicate, and evaluating it on one row and on many.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "history/predicate_aggregate.h"
#include "history/predicate_shapes.h"

namespace isolde {
namespace {

constexpr std::size_t kRows = 4096;

struct Rows {
  Rows() {
    for (std::size_t i = 0; i < kRows; ++i) {
      const RowField fields[] = {
          {values.string("c1"), values.integer(static_cast<std::int64_t>(i * 7919 % 1000))},
          {values.string("c2"), values.integer(static_cast<std::int64_t>(i % 100))},
          {values.string("name"), values.string(fmt::format("customer {}", i % 50))},
      };
      versions.push_back(values.row(fields));
      keys.push_back(ValueId{static_cast<std::uint32_t>(i)});
    }
  }
  ValueInterner values;
  std::vector<ValueId> keys, versions;
};

const Rows& rows() {
  static const Rows kAll;
  return kAll;
}

void compile(benchmark::State& state) {
  const ColumnNames names(rows().values.table());
  for (auto _ : state) {
    benchmark::DoNotOptimize(CompiledPredicate::compile("c1 > 17 AND key BETWEEN 1 AND 5", names));
  }
}
BENCHMARK(compile);

void compile_known_shape(benchmark::State& state) {
  PredicateCompiler compiler(rows().values.table());
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(fmt::format("c1 > {} AND key BETWEEN {} AND {}", i, i + 1, i + 5));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(compiler.compile(texts[next++ % texts.size()]));
}
BENCHMARK(compile_known_shape);

void evaluate(benchmark::State& state, const char* where) {
  const ValueTable table = rows().values.table();
  const auto predicate = CompiledPredicate::compile(where, ColumnNames(table));
  if (!predicate) return state.SkipWithError(predicate.error().text.c_str());
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(predicate->evaluate(table, rows().keys[i], rows().versions[i]));
    i = (i + 1) % kRows;
  }
}
BENCHMARK_CAPTURE(evaluate, comparison, "c1 > 500");
BENCHMARK_CAPTURE(evaluate, key_range, "key BETWEEN 100 AND 2000");
BENCHMARK_CAPTURE(evaluate, conjunction, "c1 > 100 AND c2 < 50 AND c2 <> 7");
BENCHMARK_CAPTURE(evaluate, arithmetic, "(c1 + c2) % 10 = 3");
BENCHMARK_CAPTURE(evaluate, in_list, "c2 IN (1, 5, 9, 23, 47, 80)");
BENCHMARK_CAPTURE(evaluate, like, "name LIKE 'customer 1%'");

void evaluate_all(benchmark::State& state) {
  const ValueTable table = rows().values.table();
  const auto predicate = CompiledPredicate::compile("c1 > 500", ColumnNames(table));
  std::vector<Truth> results(kRows);
  for (auto _ : state) {
    benchmark::DoNotOptimize(predicate->evaluate_all(table, rows().keys, rows().versions, results));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows) * state.iterations());
}
BENCHMARK(evaluate_all);

void aggregate(benchmark::State& state) {
  const ValueTable table = rows().values.table();
  const auto sum = CompiledAggregate::compile("sum(c1)", ColumnNames(table));
  for (auto _ : state) {
    AggregateState made(*sum, table);
    for (std::size_t i = 0; i < kRows; ++i) made.add(rows().keys[i], rows().versions[i]);
    benchmark::DoNotOptimize(made.result());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows) * state.iterations());
}
BENCHMARK(aggregate);

}  // namespace
}  // namespace isolde
