// bench/gen_bench.cc: how fast histories are generated, including building the History.
//
// The first argument is the number of transactions; each has 15 operations on 1,000 keys from 50 sessions, as in
// Chronos.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>

#include "gen/generate.h"

namespace isolde {
namespace {

void run(benchmark::State& state, GenOptions options) {
  options.transactions = static_cast<std::uint64_t>(state.range(0));
  double attempts = 0;
  double overlap = 0;
  for (auto _ : state) {
    const Result<Generated> made = generate(options);
    if (!made) {
      state.SkipWithError("no history");
      return;
    }
    benchmark::DoNotOptimize(made->history.op_count());
    attempts = static_cast<double>(made->stats.attempts) / static_cast<double>(options.transactions);
    overlap = made->stats.overlap;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * options.ops);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["attempts"] = attempts;
  state.counters["overlap"] = overlap;
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;  // of the whole program so far
}

GenOptions with(Distribution distribution, Level level, DataType type = DataType::kRegister) {
  GenOptions options;
  options.distribution = distribution;
  options.level = level;
  options.type = type;
  options.evidence.versions = true;
  options.evidence.order = generated_serializable(level);
  return options;
}

void snapshot_uniform(benchmark::State& s) { run(s, with(Distribution::kUniform, Level::kSnapshotIsolation)); }
void snapshot_zipf(benchmark::State& s) { run(s, with(Distribution::kZipf, Level::kSnapshotIsolation)); }
void snapshot_hotspot(benchmark::State& s) { run(s, with(Distribution::kHotspot, Level::kSnapshotIsolation)); }
void serializable_zipf(benchmark::State& s) { run(s, with(Distribution::kZipf, Level::kSerializable)); }
void list_zipf(benchmark::State& s) { run(s, with(Distribution::kZipf, Level::kSnapshotIsolation, DataType::kList)); }

BENCHMARK(snapshot_uniform)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(snapshot_zipf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(snapshot_hotspot)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(serializable_zipf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(list_zipf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace isolde
