// bench/recording_bench.cc: what a journal record costs the client that writes it, and how fast a recording is read.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "format/format.h"
#include "record/journal.h"

namespace isolde::record {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "isolde-bench-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    std::ofstream(path_ + "/header.jsonl") << "{\"isolde\":1,\"isolde-recording\":1}\n";
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string next() { return fmt::format("{}/session-{:06}.journal", path_, count_++); }

 private:
  std::string path_;
  std::atomic<int> count_{0};
};

enum class Facts { kNone, kSnapshot, kPlace };

// Two reads, two writes, the commit: 10 records (11 with a place).
constexpr int kRecords = 10;
void transaction(Journal& journal, std::int64_t id, std::int64_t time, Facts facts) {
  journal.begin(id, time);
  for (int i = 0; i < 2; ++i) {
    journal.op("[\"r\",123,4567890", Lock::kNone, time + 1000, time + 2000);
    journal.intent("[\"w\",124,4567891", time + 3000);
    journal.done(time + 4000);
  }
  journal.commit(time + 5000);
  if (facts == Facts::kPlace) journal.place(id);
  if (facts == Facts::kSnapshot) {
    journal.facts(R"("snapshot":{"xid":7654321,"xmin":7654300,"xmax":7654325,"active":[7654300,7654311,7654320]})");
  } else {
    journal.facts(R"("start_ts":7654300,"commit_ts":7654325)");
  }
  journal.end(Status::kCommitted, time + 9000);
}

// A new journal every million transactions, so that the disk does not fill up; removing files is not timed.
void write_records(benchmark::State& state) {
  static Folder folder;
  std::string path = folder.next();
  auto journal = Journal::create(path);
  if (!journal) {
    state.SkipWithError("no journal");
    return;
  }
  journal->session(1);
  std::int64_t id = 0;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    transaction(*journal, id, 1'000'000'000'000 + id * 10'000, Facts::kSnapshot);
    if (++id % 1'000'000 == 0) {
      state.PauseTiming();
      bytes += journal->bytes();
      const std::string old = path;
      path = folder.next();
      journal = Journal::create(path);
      fs::remove(old);
      state.ResumeTiming();
    }
  }
  if (!journal->fault().empty()) state.SkipWithError(journal->fault().c_str());
  bytes += journal->bytes();
  fs::remove(path);
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(write_records)->Threads(1)->Threads(2);

void read_recording(benchmark::State& state, Facts facts) {
  Folder folder;
  std::uint64_t bytes = 0;
  constexpr int kJournals = 8;
  constexpr int kTransactions = 25'000;
  for (int client = 0; client < kJournals; ++client) {
    auto journal = Journal::create(folder.next());
    if (!journal) {
      state.SkipWithError("no journal");
      return;
    }
    journal->session(client);
    for (int i = 0; i < kTransactions; ++i) {
      const std::int64_t id = client + static_cast<std::int64_t>(i) * kJournals;
      transaction(*journal, id, 1'000'000'000'000 + id * 10'000, facts);
    }
    bytes += journal->bytes();
  }
  for (auto _ : state) {
    const auto loaded = load(folder.path(), nullptr, {});
    if (!loaded) {
      state.SkipWithError(loaded.error().message().c_str());
      return;
    }
    benchmark::DoNotOptimize(loaded->history.op_count());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.SetItemsProcessed(std::int64_t{kJournals} * kTransactions * state.iterations());
}
BENCHMARK_CAPTURE(read_recording, timestamps, Facts::kNone)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_recording, snapshots, Facts::kSnapshot)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_recording, places, Facts::kPlace)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace isolde::record
