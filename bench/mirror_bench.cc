// bench/mirror_bench.cc: the mirror on an endless stream of TPC-C-shaped transactions: transactions per second, and
// memory.
//
//   mirror_bench                       a million transactions from memory
//   mirror_bench --thousands 20        fewer
//   mirror_bench --long 20             twenty million, generated on the fly; prints memory every two million
//   mirror_bench --profile ssi|si|rc   which profile is checked
//   mirror_bench --threads 2           one thread looks up keys, the other judges; more: keys are divided
//   mirror_bench --partitions 2        keys divided among this many threads
//   mirror_bench --limit 256           MiB that the engine may hold
//   mirror_bench --write FILE          writes the transactions as JSON Lines, and does nothing else
//
// Rates are per CPU second: with one thread, its own; with several, that of the calling thread, which checks its share
// of the keys and merges. The total of all threads is printed too. On cores of its own, the stream takes about as long
// as the calling thread does.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "bench/spent.h"
#include "bench/tpcc_stream.h"
#include "check/mirror/mirror.h"
#include "format/native_write.h"

namespace isolde {
namespace {

struct Text : Output, ByteSink {
  ByteSink& file(std::string_view) override { return *this; }
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

// A stream has one header at most.
int write_lines(TpccStream& stream, int thousands, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  for (int i = 0; i < thousands / 2; ++i) {
    Text lines;
    if (const auto written = write_native(stream.next(2000)->history, lines); !written) {
      fmt::print(stderr, "mirror_bench: {}\n", written.error().text);
      return 2;
    }
    const std::size_t header = lines.text.starts_with("{\"isolde\"") ? lines.text.find('\n') + 1 : 0;
    out << (i == 0 ? std::string_view(lines.text) : std::string_view(lines.text).substr(header));
  }
  return out.flush() ? 0 : 2;
}

struct Sink : OnlineSink {
  void violated(const OnlineViolation& v) override {
    if (++count < 5) fmt::print("violated: {}\n", v.text);
  }
  void suspected(const OnlineViolation& v, std::string_view) override { fmt::print("suspected: {}\n", v.text); }
  int count = 0;
};

mirror::Profile profile_of(const std::string& name) {
  mirror::Profile p;
  p.name = name;
  p.reads = name == "rc" ? mirror::Reads::kStatement : mirror::Reads::kTransaction;
  p.write_locks = true;
  p.first_updater_wins = name != "rc";
  if (name == "ssi") p.certifier = mirror::Certifier::kSsi;
  if (name == "cycles") p.certifier = mirror::Certifier::kCycles;
  return p;
}

void feed(OnlineEngine& engine, const std::shared_ptr<const Chunk>& chunk, Spent& spent) {
  spent.start();
  const std::uint32_t count = chunk->history.txn_count();
  for (std::uint32_t t = 0; t < count; ++t) {
    engine.take({chunk, TxnId{t}, false});
    if (t % 64 == 63) engine.advance({.now = 0, .watermark = chunk->history.begin(TxnId{t}), .complete = true});
  }
  spent.stop();
}

}  // namespace
}  // namespace isolde

int main(int argc, char** argv) {
  using namespace isolde;
  int millions = 0, thousands = 1000;
  std::uint32_t threads = 1, partitions = 1;
  std::string profile = "si", lines;
  std::size_t limit = std::size_t{512} << 20;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--long") == 0) millions = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--thousands") == 0) thousands = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--profile") == 0) profile = argv[i + 1];
    if (std::strcmp(argv[i], "--write") == 0) lines = argv[i + 1];
    if (std::strcmp(argv[i], "--threads") == 0) threads = static_cast<std::uint32_t>(std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--partitions") == 0) partitions = static_cast<std::uint32_t>(std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--limit") == 0) limit = static_cast<std::size_t>(std::atoi(argv[i + 1])) << 20;
  }
  Sink sink;
  mirror::MirrorOptions options;
  options.profile = profile_of(profile);
  options.memory_limit = limit;
  options.partitions = partitions;
  if (partitions == 1) options = mirror::with_threads(options, threads);
  const auto engine = mirror::make_mirror(options, sink);
  TpccStream stream({});
  if (!lines.empty()) return write_lines(stream, thousands, lines);
  Spent spent;
  std::uint64_t transactions = 0;
  const auto line = [&] {
    const OnlineCounts counts = engine->counts();
    fmt::print(
        "{:>12} txn {:>10.0f} txn/s {:>11.0f} op/s  engine {:>7.1f} MiB  rss {:>7.1f} MiB  beta {:.4f}  deduced {:.4f} "
        " "
        "unchecked {}  violations {}\n",
        transactions, static_cast<double>(transactions) / spent.own, static_cast<double>(counts.operations) / spent.own,
        static_cast<double>(counts.bytes) / 1048576, resident_mib(),
        static_cast<double>(counts.overlapping) / static_cast<double>(counts.dependencies),
        static_cast<double>(counts.deduced) / static_cast<double>(std::max<std::uint64_t>(1, counts.overlapping)),
        counts.unchecked, counts.violations);
    std::fflush(stdout);
  };
  if (millions > 0) {
    while (transactions < static_cast<std::uint64_t>(millions) * 1'000'000) {
      feed(*engine, stream.next(2000), spent);
      transactions += 2000;
      if (transactions % 2'000'000 == 0) line();
    }
  } else {
    std::vector<std::shared_ptr<const Chunk>> chunks;
    for (int i = 0; i < thousands / 2; ++i) chunks.push_back(stream.next(2000));
    fmt::print("generated {} operations; rss {:.1f} MiB\n", stream.operations(), resident_mib());
    for (const auto& chunk : chunks) feed(*engine, chunk, spent);
    transactions = static_cast<std::uint64_t>(chunks.size()) * 2000;
  }
  spent.start();
  engine->finish();
  spent.stop();
  line();
  fmt::print("CPU s: caller {:.2f}, all {:.2f}; elapsed {:.2f}\n", spent.own, spent.all, spent.wall);
  fmt::print("peak {:.1f} MiB\n", resident_mib("VmHWM:"));
  return 0;
}
