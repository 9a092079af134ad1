// The experiments of Aion (section 5) with the online timeline engine: throughput with and without bounded memory, and
// flips against delay. Prints tables.
//
//   timeline_online_bench [--throughput|--bounded|--flips]     all three without
//   timeline_online_bench --long MILLIONS [MIB]                memory every two million transactions, at that limit
//   timeline_online_bench --row KEYS zipf|uniform COLLECTORS [TIMES]
//
// and --threads N, before any of these. Rates are of one thread's processor time, or, of several, on the clock; beside
// them the processor time of all threads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/scratch_folder.h"
#include "bench/spent.h"
#include "check/timeline/online/online.h"
#include "gen/sampler.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

struct Workload {
  std::uint64_t transactions = 400'000;
  std::uint32_t ops = 15, keys = 1000, sessions = 24, collectors = 1;
  Distribution distribution = Distribution::kZipf;
  double rate = 25'000;        // transactions a second, of the database
  double mean = 100, sd = 10;  // of the delay of a transaction, milliseconds
  bool serial = false;
  bool in_step = true;  // all collectors send at one time; else each at its own
  bool spaced = false;  // a batch is sent as slowly as it came about; else all of it at once
};

double normal(Rng& rng) {
  return std::sqrt(-2 * std::log(1 - rng.unit())) * std::cos(2 * 3.14159265358979323846 * rng.unit());
}

// Transactions of a database that keeps snapshot isolation (or one serial order), chunk by chunk.
class Source {
 public:
  explicit Source(const Workload& w)
      : w_(w), rng_(7), sampler_(w.distribution, w.keys, 0.99), state_(w.keys, 0), written_(w.keys, 0) {}

  std::shared_ptr<const Chunk> next(std::uint32_t count) {
    HistoryBuilder b;
    b.set_first_place(static_cast<std::int64_t>(made_));
    for (std::uint32_t i = 0; i < count; ++i) one(b);
    auto h = b.finish();
    return std::make_shared<const Chunk>(std::move(*h));
  }

 private:
  struct Open {
    std::uint64_t start;
    std::uint32_t session;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> reads;  // (key, value)
    std::vector<std::uint32_t> writes;
  };

  void begin() {
    Open t;
    t.start = ++clock_;
    t.session = next_session_++ % w_.sessions;
    for (std::uint32_t i = 0; i < w_.ops; ++i) {
      const auto key = sampler_.draw(rng_);
      if (rng_.below(2) == 0) {
        t.reads.emplace_back(key, state_[key]);
      } else {
        t.writes.push_back(key);
      }
    }
    open_.push_back(std::move(t));
  }

  void one(HistoryBuilder& b) {
    while (open_.size() < (w_.serial ? 1U : 4U)) begin();
    // Nobody stays so long that its session's next one begins before.
    const std::size_t which = clock_ - open_[0].start > 24 ? 0 : rng_.below(open_.size());
    Open t = std::move(open_[which]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    const std::uint64_t commit = ++clock_;
    ++made_;
    b.begin_txn(b.session(t.session));
    b.set_start_ts(static_cast<std::int64_t>(t.start));
    b.set_commit_ts(static_cast<std::int64_t>(commit));
    b.set_begin(static_cast<std::int64_t>(t.start));
    b.set_end(static_cast<std::int64_t>(commit));
    std::vector<std::uint32_t> done;
    for (const auto& [key, value] : t.reads) {
      b.read(b.key(std::int64_t{key}), value == 0 ? kNullValue : b.values().integer(static_cast<std::int64_t>(value)));
    }
    std::uint64_t fresh = commit * 16;
    for (const std::uint32_t key : t.writes) {
      if (written_[key] > t.start) continue;  // first committer wins: this one leaves the key alone
      b.write(b.key(std::int64_t{key}), b.values().integer(static_cast<std::int64_t>(++fresh)));
      state_[key] = fresh;
      done.push_back(key);
    }
    for (const std::uint32_t key : done) written_[key] = commit;
    b.end_txn();
  }

  const Workload w_;
  Rng rng_;
  KeySampler sampler_;
  std::vector<std::uint64_t> state_, written_;
  std::vector<Open> open_;
  std::uint64_t clock_ = 0, made_ = 0;
  std::uint32_t next_session_ = 0;
};

struct Timed {
  std::int64_t at;  // nanoseconds
  std::uint64_t number;
  Arrival arrival;
  bool operator>(const Timed& other) const { return std::pair(at, number) > std::pair(other.at, other.number); }
};

// Collectors gather 500 transactions, then send them, each with a delay of its own; sessions stay in order.
class Delays {
 public:
  explicit Delays(const Workload& w)
      : w_(w), rng_(11), batches_(w.collectors), size_(w.collectors, kBatch), last_(w.sessions, 0) {
    for (std::size_t c = 0; !w.in_step && c < size_.size(); ++c) size_[c] = kBatch * (c + 1) / size_.size();
  }

  // Everything that arrives before what is still to be made, in order of arrival.
  void add(const std::shared_ptr<const Chunk>& chunk, std::vector<Timed>& out) {
    const History& h = chunk->history;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      const auto made = static_cast<std::int64_t>(static_cast<double>(count_) / w_.rate * 1e9);
      const std::uint32_t collector = session_of({chunk, TxnId{t}}) % w_.collectors;
      auto& batch = batches_[collector];
      batch.push_back({made, count_, {chunk, TxnId{t}}});
      ++count_;
      if (batch.size() == size_[collector]) {
        send(batch, made);
        size_[collector] = kBatch;  // the first one may be shorter
      }
      while (!waiting_.empty() && waiting_.top().at <= made) {
        out.push_back(waiting_.top());
        waiting_.pop();
      }
    }
  }
  void flush(std::vector<Timed>& out) {
    const auto now = static_cast<std::int64_t>(static_cast<double>(count_) / w_.rate * 1e9);
    for (auto& batch : batches_) send(batch, now);
    for (; !waiting_.empty(); waiting_.pop()) out.push_back(waiting_.top());
  }

 private:
  static std::uint32_t session_of(const Arrival& a) {
    return static_cast<std::uint32_t>(integer_of(a.chunk->session(a.txn)));
  }
  void send(std::vector<Timed>& batch, std::int64_t now) {
    const std::int64_t first = batch.empty() ? 0 : batch.front().at;
    for (Timed& t : batch) {
      const double delay = std::max(0.0, w_.mean + w_.sd * normal(rng_));
      const std::uint32_t session = session_of(t.arrival);
      const std::int64_t sent = w_.spaced ? now + t.at - first : now;
      t.at = std::max(sent + static_cast<std::int64_t>(delay * 1e6), last_[session] + 1);
      last_[session] = t.at;
      waiting_.push(std::move(t));
    }
    batch.clear();
  }

  const Workload w_;
  Rng rng_;
  static constexpr std::size_t kBatch = 500;
  std::vector<std::vector<Timed>> batches_;
  std::vector<std::size_t> size_;
  std::vector<std::int64_t> last_;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> waiting_;
  std::uint64_t count_ = 0;
};

struct Quiet : OnlineSink {
  void violated(const OnlineViolation& v) override {
    if (++count == 1) fmt::print("  unexpected: {}\n", v.text);
  }
  void suspected(const OnlineViolation&, std::string_view) override {}
  int count = 0;
};

struct Flips : timeline::FlipObserver {
  struct Of {
    int flips = 0;
    std::int64_t wrong_since = 0;
  };
  std::map<std::uint64_t, int> by_txn;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> since;
  std::vector<double> rectified;  // milliseconds that a wrong verdict stood
  void flipped(Fingerprint txn, Fingerprint key, bool wrong, std::int64_t arrived, std::int64_t now) override {
    ++by_txn[raw64(txn)];
    const auto [at, fresh] = since.emplace(std::pair(raw64(txn), raw64(key)), arrived);
    if (!wrong) rectified.push_back(static_cast<double>(now - at->second) / 1e6);
    at->second = now;
  }
};

std::uint32_t threads = 1;  // --threads

struct Result {
  Spent spent;
  OnlineCounts counts;
  [[nodiscard]] double rate() const {
    return static_cast<double>(counts.taken) / (threads == 1 ? spent.own : spent.wall);
  }
  [[nodiscard]] double microseconds() const { return spent.all * 1e6 / static_cast<double>(counts.taken); }
};

Result run(const Workload& w, timeline::OnlineOptions options, bool verbose = false) {
  Quiet sink;
  Source source(w);
  Delays delays(w);
  options.threads = threads;
  const auto engine = timeline::make_online(options, sink);
  Result result;
  std::vector<Timed> arrivals;
  std::uint64_t made = 0;
  constexpr std::uint64_t kReport = 2'000'000;
  std::uint64_t next_report = kReport;
  const auto feed = [&] {
    result.spent.start();
    std::size_t i = 0;
    for (const Timed& t : arrivals) {
      if (i++ % 16 == 0) engine->advance({t.at, kNoTime, true});
      engine->take(t.arrival);
    }
    result.spent.stop();
    arrivals.clear();
  };
  while (made < w.transactions) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(4096, w.transactions - made));
    delays.add(source.next(count), arrivals);
    made += count;
    if (arrivals.size() >= 200'000) feed();
    if (verbose && made >= next_report) {
      feed();
      result.counts = engine->counts();
      fmt::print("{:>12} {:>12.0f} {:>9.2f} {:>14} {:>12.0f} {:>12.0f} {:>12} {:>12}\n", made, result.rate(),
                 result.microseconds(), result.counts.bytes >> 20, resident_mib(), resident_mib("VmHWM:"),
                 result.counts.late, result.counts.unchecked);
      std::fflush(stdout);
      next_report += kReport;
    }
  }
  delays.flush(arrivals);
  feed();
  result.spent.start();
  engine->finish();
  result.spent.stop();
  result.counts = engine->counts();
  if (sink.count > 0) fmt::print("  {} violations in a history without any\n", sink.count);
  return result;
}

timeline::OnlineOptions options_of(Level level) {
  timeline::OnlineOptions options;
  options.level = level;
  options.deadline = 2'000'000'000;
  return options;
}

void throughput() {
  fmt::print(
      "Throughput (figure 10): transactions per second {}, and CPU time of all threads, from memory; batches of "
      "500, delays N(100, 10^2) ms\n",
      threads == 1 ? "of CPU time" : fmt::format("elapsed, {} threads", threads));
  fmt::print("{:>26} {:>8} {:>6} {:>5} {:>11} {:>10} {:>8} {:>10} {:>9}\n", "level", "keys", "", "ops", "collectors",
             "txn/s", "us/txn", "flips", "held MiB");
  const auto row = [](Level level, std::uint32_t keys, Distribution d, std::uint32_t ops, std::uint32_t collectors,
                      bool in_step = true) {
    Workload w;
    w.in_step = in_step;
    w.keys = keys;
    w.distribution = d;
    w.ops = ops;
    w.collectors = collectors;
    w.sessions = collectors > 1 ? collectors : 24;
    w.serial = info(level).family == LevelFamily::kSerializable;
    const Result r = run(w, options_of(level));
    fmt::print("{:>26} {:>8} {:>6} {:>5} {:>11} {:>10.0f} {:>8.2f} {:>10} {:>9}\n", info(level).name, keys,
               std::string(name(d)).substr(0, 6), ops, fmt::format("{}{}", collectors, in_step ? "" : " apart"),
               r.rate(), r.microseconds(), r.counts.flips, r.counts.bytes >> 20);
    std::fflush(stdout);
  };
  const Level si = Level::kSnapshotIsolation;
  for (const std::uint32_t ops : {8U, 15U}) {
    for (const std::uint32_t keys : {1000U, 10000U}) {
      for (const Distribution d : {Distribution::kUniform, Distribution::kZipf, Distribution::kHotspot})
        row(si, keys, d, ops, 1);
    }
  }
  for (const bool in_step : {true, false}) {  // all collectors send together, or each at its own time
    row(si, 1000, Distribution::kZipf, 15, 24, in_step);
    row(si, 10000, Distribution::kUniform, 15, 24, in_step);
  }
  row(Level::kStrongSnapshotIsolation, 1000, Distribution::kZipf, 15, 1);
  row(Level::kSerializable, 1000, Distribution::kZipf, 15, 1);
  row(Level::kStrictSerializable, 10000, Distribution::kUniform, 15, 1);
}

// Repeats one row, for a profiler: KEYS zipf|uniform COLLECTORS [TIMES]; negative COLLECTORS: out of step.
void one_row(std::uint32_t keys, bool zipf, int collectors, int times) {
  for (int i = 0; i < times; ++i) {
    Workload w;
    w.keys = keys;
    w.distribution = zipf ? Distribution::kZipf : Distribution::kUniform;
    w.collectors = static_cast<std::uint32_t>(std::abs(collectors));
    w.in_step = collectors > 0;
    w.sessions = 24;
    const Result r = run(w, options_of(Level::kSnapshotIsolation));
    fmt::print("{:.0f} txn/s on the clock, {:.0f} by the caller's thread, {:.2f} us of processors, {} flips\n",
               static_cast<double>(w.transactions) / r.spent.wall, static_cast<double>(w.transactions) / r.spent.own,
               r.microseconds(), r.counts.flips);
  }
}

void bounded() {
  fmt::print("\nBounded memory (figure 11): 15 operations, 1000 keys, zipf\n");
  fmt::print("{:>12} {:>8} {:>10} {:>10} {:>12} {:>10} {:>10}\n", "limit MiB", "spill", "txn/s", "held MiB",
             "spilled MiB", "late", "unchecked");
  for (const std::size_t limit : {1024U, 64U, 48U}) {
    for (const bool spill : {false, true}) {
      const std::string folder = make_scratch_folder("online-bench");
      Workload w;
      timeline::OnlineOptions options = options_of(Level::kSnapshotIsolation);
      options.memory_limit = limit << 20;
      if (spill) options.spill_folder = folder;
      const Result r = run(w, options);
      fmt::print("{:>12} {:>8} {:>10.0f} {:>10} {:>12} {:>10} {:>10}\n", limit, spill ? "yes" : "no", r.rate(),
                 r.counts.bytes >> 20, r.counts.spilled >> 20, r.counts.late, r.counts.unchecked);
      std::fflush(stdout);
      std::filesystem::remove_all(folder);
    }
  }
}

void stability() {
  fmt::print("\nFlips against delay (figures 12, 13): 10,000 transactions of 15 operations at 4,000 per second\n");
  fmt::print("{:>8} {:>6} {:>8} {:>10} {:>9} {:>9} {:>9} {:>12} {:>12}\n", "mean ms", "sd ms", "flips", "txns",
             "once %", "twice %", "more %", "median ms", "95 % ms");
  const auto row = [](double mean, double sd) {
    Workload w;
    w.transactions = 10'000;
    w.rate = 4000;
    w.mean = mean;
    w.sd = sd;
    w.spaced = true;
    Flips flips;
    timeline::OnlineOptions options = options_of(Level::kSnapshotIsolation);
    options.deadline = 10'000'000'000;
    options.batch = 1;  // as in the paper, each is checked as it arrives
    options.flips = &flips;
    const Result r = run(w, options);
    double share[3] = {0, 0, 0};
    for (const auto& [txn, n] : flips.by_txn)
      share[std::min(n, 3) - 1] += 100.0 / static_cast<double>(flips.by_txn.size());
    std::sort(flips.rectified.begin(), flips.rectified.end());
    const auto at = [&](double q) {
      return flips.rectified.empty()
                 ? 0
                 : flips.rectified[static_cast<std::size_t>(q * static_cast<double>(flips.rectified.size() - 1))];
    };
    fmt::print("{:>8} {:>6} {:>8} {:>9.1f}% {:>9.1f} {:>9.1f} {:>9.1f} {:>12.1f} {:>12.1f}\n", mean, sd, r.counts.flips,
               static_cast<double>(r.counts.flipped_txns) / 100, share[0], share[1], share[2], at(0.5), at(0.95));
  };
  for (const double mean : {50.0, 100.0, 200.0, 400.0}) row(mean, 10);
  for (const double sd : {1.0, 5.0, 20.0, 50.0}) row(100, sd);
}

void long_run(std::uint64_t millions, std::size_t limit) {
  fmt::print("{} million transactions of 15 operations, 10,000 keys, zipf; limit {} MiB; {} threads\n", millions, limit,
             threads);
  fmt::print("{:>12} {:>12} {:>9} {:>14} {:>12} {:>12} {:>12} {:>12}\n", "transactions", "txn/s", "us/txn",
             "engine MiB", "RSS MiB", "peak MiB", "late", "unchecked");
  Workload w;
  w.transactions = millions * 1'000'000;
  w.keys = 10'000;
  timeline::OnlineOptions options = options_of(Level::kSnapshotIsolation);
  options.memory_limit = limit << 20;
  run(w, options, true);
}

}  // namespace
}  // namespace isolde

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "--threads") == 0) {
    isolde::threads = static_cast<std::uint32_t>(std::atoi(argv[2]));
    argc -= 2;
    argv += 2;
  }
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "--long") {
    isolde::long_run(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20,
                     argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1024);
    return 0;
  }
  if (what == "--row" && argc > 4) {
    isolde::one_row(static_cast<std::uint32_t>(std::atoi(argv[2])), std::string(argv[3]) == "zipf", std::atoi(argv[4]),
                    argc > 5 ? std::atoi(argv[5]) : 1);
    return 0;
  }
  if (what.empty() || what == "--throughput") isolde::throughput();
  if (what.empty() || what == "--bounded") isolde::bounded();
  if (what.empty() || what == "--flips") isolde::stability();
  return 0;
}
