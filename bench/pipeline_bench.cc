// bench/pipeline_bench.cc [TRANSACTIONS…]: what it costs to merge the traces of many clients into one order.
//
// 24 clients run transactions of 20 operations; each sends the traces of its operations every half second (Leopard,
// section VI-C). Everything is generated on the fly, so that only the methods hold traces. CPU is the total of a
// method; held is the largest number of traces that it held at once, and their memory. Methods:
//   pipeline       stream/pipeline.h
//   no batches     the same, with one step of the heap per trace
//   Algorithm 1    the paper's, without its optimisations: each round moves all local buffers to one heap of traces
//   one heap       all traces go into one heap as they arrive; what all clients have passed goes out
//   one sort       all traces are collected and sorted at the end: nothing goes out before
//   external       runs of a million traces are sorted and written to disk, and merged at the end
// Three distributions: all clients alike; one client's traces arrive 5 s after the others'; clients from fast to 100
// times slower. Then the sequencer, with whole transactions in chunks, as `isolde watch` uses it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <queue>
#include <vector>

#include "base/rng.h"
#include "format/native_chunks.h"
#include "format/native_write.h"
#include "gen/generate.h"
#include "stream/pipeline.h"
#include "stream/sequencer.h"

namespace isolde::stream {
namespace {

struct Trace {
  std::int64_t before;  // so that the verifier can see the order
};
using Entry = Timed<Trace>;

constexpr std::size_t kClients = 24;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kRound = 500 * kMillisecond;

enum class Shape { kAlike, kOneBehind, kUneven };

class Clients {
 public:
  explicit Clients(Shape shape) : shape_(shape), rng_(7), clock_(kClients), made_(kClients) {}

  // What each client sends in the next round.
  void next(std::vector<std::vector<Entry>>& batches) {
    upto_ += kRound;
    for (std::size_t c = 0; c < kClients; ++c) {
      batches[c].clear();
      const std::int64_t until = upto_ - (shape_ == Shape::kOneBehind && c == 0 ? 10 * kRound : 0);
      const double slow = shape_ == Shape::kUneven ? std::pow(100.0, static_cast<double>(c) / (kClients - 1)) : 1.0;
      while (clock_[c] < until) {
        batches[c].push_back({clock_[c], {clock_[c]}});
        // An operation takes a third of a millisecond and up; a commit, every twentieth, three times as long.
        const double mean = 0.3 * slow * (++made_[c] % 20 == 0 ? 3 : 1);
        clock_[c] +=
            static_cast<std::int64_t>((0.3 - std::log(1 - rng_.unit())) * mean * static_cast<double>(kMillisecond));
      }
    }
  }

 private:
  Shape shape_;
  Rng rng_;
  std::vector<std::int64_t> clock_;
  std::vector<std::uint32_t> made_;
  std::int64_t upto_ = 0;
};

// The common sink of all methods: checks the order and costs little.
struct Verifier {
  std::int64_t last = kNoTime;
  std::uint64_t count = 0;
  void take(const Entry& entry) { take(entry.time); }
  void take(std::int64_t time) {
    if (time < last) {
      std::fputs("pipeline_bench: out of order\n", stderr);
      std::exit(1);
    }
    last = time;
    ++count;
  }
};

class Method {
 public:
  virtual ~Method() = default;
  virtual void round(std::vector<std::vector<Entry>>& batches, Verifier& to) = 0;
  virtual void finish(Verifier& to) = 0;
  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] virtual std::size_t entry_bytes() const { return sizeof(Entry); }

 protected:
  void holds(std::size_t traces) { most_ = std::max(most_, traces); }

 private:
  std::size_t most_ = 0;
};

class TwoLevels : public Method {
 public:
  explicit TwoLevels(bool batches) : pipeline_({.local_items = SIZE_MAX, .silence = 0}), batches_(batches) {
    for (std::size_t c = 0; c < kClients; ++c) ends_.push_back(pipeline_.open(Fingerprint{c + 1}, 0));
  }
  void round(std::vector<std::vector<Entry>>& batches, Verifier& to) override {
    for (std::size_t c = 0; c < kClients; ++c) ends_[c].push_wait(batches[c], 0);
    holds(pipeline_.held());
    dispatch(to);
  }
  void finish(Verifier& to) override {
    for (auto& end : ends_) end.close();
    dispatch(to);
  }

 private:
  void dispatch(Verifier& to) {
    const auto take = [&](const Trace& trace, bool) { to.take(trace.before); };
    const auto never = [] { return false; };
    if (batches_) {
      pipeline_.dispatch(take, never);
    } else {
      while (pipeline_.dispatch(take, never, 1) != 0) {
      }
    }
  }
  Pipeline<Trace> pipeline_;
  std::vector<Pipeline<Trace>::Producer> ends_;
  bool batches_;
};

struct Later {
  bool operator()(const Entry& a, const Entry& b) const { return a.time > b.time; }
};
using Heap = std::priority_queue<Entry, std::vector<Entry>, Later>;

class Algorithm1 : public Method {
 public:
  Algorithm1() : local_(kClients) {}
  void round(std::vector<std::vector<Entry>>& batches, Verifier& to) override {
    std::int64_t watermark = kEver;
    for (std::size_t c = 0; c < kClients; ++c) {
      for (const Entry& entry : local_[c]) global_.push(entry);
      if (!local_[c].empty()) reached_[c] = local_[c].back().time;
      local_[c] = std::move(batches[c]);
      watermark = std::min(watermark, local_[c].empty() ? reached_[c] : local_[c].front().time);
      in_local_ += local_[c].size();
    }
    holds(global_.size() + in_local_);
    in_local_ = 0;
    for (; !global_.empty() && global_.top().time <= watermark; global_.pop()) to.take(global_.top());
  }
  void finish(Verifier& to) override {
    for (auto& local : local_) {
      for (const Entry& entry : local) global_.push(entry);
    }
    for (; !global_.empty(); global_.pop()) to.take(global_.top());
  }

 private:
  std::vector<std::vector<Entry>> local_;
  std::vector<std::int64_t> reached_ = std::vector<std::int64_t>(kClients, kNoTime);
  Heap global_;
  std::size_t in_local_ = 0;
};

class OneHeap : public Method {
 public:
  void round(std::vector<std::vector<Entry>>& batches, Verifier& to) override {
    for (std::size_t c = 0; c < kClients; ++c) {
      for (const Entry& entry : batches[c]) heap_.push(entry);
      if (!batches[c].empty()) reached_[c] = batches[c].back().time;
    }
    holds(heap_.size());
    const std::int64_t watermark = *std::min_element(reached_.begin(), reached_.end());
    for (; !heap_.empty() && heap_.top().time <= watermark; heap_.pop()) to.take(heap_.top());
  }
  void finish(Verifier& to) override {
    for (; !heap_.empty(); heap_.pop()) to.take(heap_.top());
  }

 private:
  Heap heap_;
  std::vector<std::int64_t> reached_ = std::vector<std::int64_t>(kClients, kNoTime);
};

class OneSort : public Method {
 public:
  void round(std::vector<std::vector<Entry>>& batches, Verifier&) override {
    for (const auto& batch : batches) all_.insert(all_.end(), batch.begin(), batch.end());
    holds(all_.size());
  }
  void finish(Verifier& to) override {
    std::sort(all_.begin(), all_.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
    for (const Entry& entry : all_) to.take(entry);
  }

 private:
  std::vector<Entry> all_;
};

class External : public Method {
 public:
  ~External() override {
    for (Run& run : runs_) std::fclose(run.file);
  }
  void round(std::vector<std::vector<Entry>>& batches, Verifier&) override {
    for (const auto& batch : batches) all_.insert(all_.end(), batch.begin(), batch.end());
    holds(all_.size());
    if (all_.size() >= kRun) spill();
  }
  void finish(Verifier& to) override {
    spill();
    all_ = {};
    const auto later = [this](std::size_t a, std::size_t b) { return runs_[a].head().time > runs_[b].head().time; };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heap(later);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      std::rewind(runs_[r].file);
      if (runs_[r].more()) heap.push(r);
    }
    holds(runs_.size() * kBuffer);
    while (!heap.empty()) {
      const std::size_t r = heap.top();
      heap.pop();
      to.take(runs_[r].head());
      ++runs_[r].at;
      if (runs_[r].more()) heap.push(r);
    }
  }

 private:
  static constexpr std::size_t kRun = 1'000'000, kBuffer = 4096;
  struct Run {
    std::FILE* file;
    std::vector<Entry> buffer;
    std::size_t at = 0;
    [[nodiscard]] const Entry& head() const { return buffer[at]; }
    [[nodiscard]] bool more() {
      if (at < buffer.size()) return true;
      buffer.resize(kBuffer);
      buffer.resize(std::fread(buffer.data(), sizeof(Entry), kBuffer, file));
      at = 0;
      return !buffer.empty();
    }
  };
  void spill() {
    if (all_.empty()) return;
    std::sort(all_.begin(), all_.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
    std::FILE* file = std::tmpfile();
    if (file == nullptr || std::fwrite(all_.data(), sizeof(Entry), all_.size(), file) != all_.size()) {
      std::fputs("pipeline_bench: cannot write a run\n", stderr);
      std::exit(1);
    }
    runs_.push_back({file, {}});
    all_.clear();
  }
  std::vector<Entry> all_;
  std::vector<Run> runs_;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void row(const char* name, std::unique_ptr<Method> method, Shape shape, std::uint64_t transactions) {
  Clients clients(shape);
  Verifier verifier;
  std::vector<std::vector<Entry>> batches(kClients);
  double spent = 0;
  for (std::uint64_t made = 0; made < transactions * 20;) {
    clients.next(batches);
    for (const auto& batch : batches) made += batch.size();
    const double before = cpu_seconds();
    method->round(batches, verifier);
    spent += cpu_seconds() - before;
  }
  const double before = cpu_seconds();
  method->finish(verifier);
  spent += cpu_seconds() - before;
  const double traces = static_cast<double>(verifier.count);
  fmt::print("| {:<12} | {:>9} | {:>7.2f} | {:>7.1f} | {:>9} | {:>8.1f} |\n", name, transactions, spent,
             traces / spent * 1e-6, method->most(),
             static_cast<double>(method->most() * method->entry_bytes()) / (1 << 20));
  std::fflush(stdout);
}

void pipelines(const std::vector<std::uint64_t>& sizes) {
  const std::pair<const char*, Shape> shapes[] = {{"all clients alike", Shape::kAlike},
                                                  {"one client arrives 5 s after the others", Shape::kOneBehind},
                                                  {"clients from fast to 100 times slower", Shape::kUneven}};
  for (const auto& [name, shape] : shapes) {
    fmt::print("\n{}, 20 traces per transaction:\n\n", name);
    fmt::print("| method       |      txns |   CPU s | M trc/s |  max held |      MiB |\n");
    fmt::print("| ------------ | --------: | ------: | ------: | --------: | -------: |\n");
    for (const std::uint64_t size : sizes) {
      row("pipeline", std::make_unique<TwoLevels>(true), shape, size);
      row("no batches", std::make_unique<TwoLevels>(false), shape, size);
      row("Algorithm 1", std::make_unique<Algorithm1>(), shape, size);
      row("one heap", std::make_unique<OneHeap>(), shape, size);
      row("one sort", std::make_unique<OneSort>(), shape, size);
      row("external", std::make_unique<External>(), shape, size);
    }
  }
}

// Whole transactions, as `isolde watch` gets them: chunks of about a MiB of text.
void sequencer(std::uint64_t transactions) {
  GenOptions options;
  options.transactions = transactions;
  options.sessions = kClients;
  options.evidence.op_intervals = true;
  const auto made = generate(options);
  if (!made) return;
  ChunkReader reader("bench");
  std::vector<std::shared_ptr<const Chunk>> chunks;
  std::string lines;
  for (std::uint32_t t = 0; t < made->history.txn_count(); ++t) {
    append_native_line(made->history, TxnId{t}, lines);
    lines += '\n';
    if (lines.size() < (1 << 20) && t + 1 < made->history.txn_count()) continue;
    auto chunk = reader.read(lines);
    if (!chunk) return;
    chunks.push_back(*std::move(chunk));
    lines.clear();
  }
  Sequencer sequencer;
  std::size_t most = 0, bytes = 0, late = 0;
  Verifier verifier;
  const double before = cpu_seconds();
  for (const auto& chunk : chunks) {
    sequencer.add(chunk, 0);
    most = std::max(most, sequencer.held().transactions);
    bytes = std::max(bytes, sequencer.held().bytes);
    sequencer.dispatch([&](const Arrival& arrival) {
      late += arrival.late ? 1 : 0;
      if (!arrival.late) verifier.take(arrival.history().begin(arrival.txn));
    });
  }
  sequencer.close_all();
  sequencer.dispatch([&](const Arrival& arrival) { verifier.take(arrival.history().begin(arrival.txn)); });
  const double spent = cpu_seconds() - before;
  fmt::print(
      "\nsequencer, {} transactions of {} operations in {} chunks, {} sessions: {:.3f} CPU s, {:.1f} M transactions/s; "
      "max held "
      "{} transactions, {:.1f} MiB; {} late\n",
      transactions, options.ops, chunks.size(), kClients, spent, static_cast<double>(transactions) / spent * 1e-6, most,
      static_cast<double>(bytes) / (1 << 20), late);
}

}  // namespace
}  // namespace isolde::stream

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {100'000, 300'000, 1'000'000};
  isolde::stream::pipelines(sizes);
  isolde::stream::sequencer(std::min<std::uint64_t>(sizes.back(), 300'000));
  return 0;
}
