// Reading, checking and proving, each by itself, on generated histories of growing size. The time per operation should
// stay the same.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "check/choose/engines.h"
#include "format/format.h"
#include "gen/generate.h"
#include "proof/prove.h"

namespace isolde {
namespace {

History generated(std::int64_t transactions) {
  GenOptions options;
  options.transactions = static_cast<std::uint64_t>(transactions);
  return generate(options)->history;
}

void count_operations(benchmark::State& state, const History& history) {
  state.counters["ops"] = benchmark::Counter(
      static_cast<double>(history.op_count()) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void read_file(benchmark::State& state, std::string_view format) {
  const History history = generated(state.range(0));
  const std::string path = (std::filesystem::temp_directory_path() / "isolde-bench.").string() + std::string(format);
  if (!save(history, *format_named(format), path)) return state.SkipWithError("cannot write the scratch file");
  for (auto _ : state) benchmark::DoNotOptimize(load(path, nullptr, {}));
  count_operations(state, history);
  std::filesystem::remove(path);
}
BENCHMARK_CAPTURE(read_file, native, "native")->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, isl, "isl")->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);

void check_timeline(benchmark::State& state) {
  const History history = generated(state.range(0));
  const Engine& engine = *engine_named("timeline");
  for (auto _ : state) benchmark::DoNotOptimize(engine.check(history, Level::kSnapshotIsolation, {}));
  count_operations(state, history);
}
BENCHMARK(check_timeline)->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);

void prove_verdict(benchmark::State& state) {
  const History history = generated(state.range(0));
  const Verdict verdict = engine_named("timeline")->check(history, Level::kSnapshotIsolation, {});
  for (auto _ : state) benchmark::DoNotOptimize(prove(history, verdict));
  count_operations(state, history);
}
BENCHMARK(prove_verdict)->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace isolde
