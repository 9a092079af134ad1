// cluster/simulation_testing.h: a cluster in one thread: senders, workers, a merger and a broker that fails, with kills
// at random moments, of one process or of everything at any question to the broker.
//
// In, out: a history and a plan -> what was reported, how often, and the merger's summary.
// Always:  the same for the same seed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "check/timeline/online/online.h"
#include "cluster/memory_broker_testing.h"
#include "cluster/merger.h"
#include "cluster/trace_sender.h"
#include "cluster/worker.h"
#include "format/native_chunks.h"
#include "format/native_write.h"
#include "gen/generate.h"

namespace isolde::cluster {
namespace simulation_test {

constexpr std::int64_t kMillisecond = 1'000'000;

struct Quiet final : WorkerView {
  void took(std::uint32_t, std::uint64_t, std::uint64_t) override { ++taken; }
  void left(std::uint32_t, const std::string&) override {}
  void trouble(const std::string&) override {}
  std::uint64_t taken = 0;
};

// The history's lines, those of one producer each: a session has one producer.
inline std::vector<std::shared_ptr<const Chunk>> lines_by_producer(const History& h, std::uint32_t producers) {
  std::vector<std::string> texts(producers);
  for (std::string& text : texts) append_native_header(h, text);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    std::string& text = texts[raw(h.session(TxnId{t})) % producers];
    append_native_line(h, TxnId{t}, text);
    text += '\n';
  }
  std::vector<std::shared_ptr<const Chunk>> chunks;
  for (const std::string& text : texts) {
    ChunkReader reader("a producer");
    auto chunk = reader.read(text);
    EXPECT_TRUE(chunk);
    chunks.push_back(chunk ? *chunk : nullptr);
  }
  return chunks;
}

struct Told final : OnlineSink {
  void violated(const OnlineViolation& v) override { found.insert(v.transactions.front() + " " + v.key); }
  void suspected(const OnlineViolation&, std::string_view) override {}
  std::set<std::string> found;  // the guilty transaction and the key
};

inline std::set<std::string> by_one_engine(const History& h, Level level) {
  Told told;
  const auto engine = timeline::make_online({.level = level, .spill_folder = {}}, told);
  const auto chunks = lines_by_producer(h, 1);
  engine->begin(*chunks[0]);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) engine->take({chunks[0], TxnId{t}});
  engine->finish();
  return told.found;
}

inline std::string place_of(const PublishedViolation& v) {
  const std::size_t at = v.json.find("\"key\": ");
  if (at == std::string::npos) return v.transactions.front() + " ";
  const std::string rest = v.json.substr(at + 7);
  return v.transactions.front() + " " + rest.substr(0, rest.find_first_of(",}"));
}

struct Chaos {
  double fails = 0, slow = 0, skips = 0;
  double kills = 0;  // per round, of some worker, of the merger
  std::uint64_t most_kills = 20;
  std::uint32_t most_rounds = 20'000;
  std::uint64_t max_bytes = 64 << 10;  // of the stream
  double stale = 0;                    // as MemoryServer
  std::uint64_t deaths = 0;            // everything dies, about so many questions after it was started; 0: never
  std::uint64_t most_deaths = 30;
  enum Forgets : std::uint8_t { kNothing, kStates, kAll } forgets = kNothing;  // then; of states one manifest each
};

struct Outcome {
  std::set<std::string> found;
  std::uint64_t reported = 0, kills = 0, deaths = 0, forgotten = 0;
  ClusterSummary summary;
  Coverage coverage;
  bool ended = false;
  std::string state;  // if it has not: what the partitions say
};

class Simulation {
 public:
  Simulation(const History& h, const ClusterPlan& plan, const Chaos& chaos, std::uint64_t seed)
      : plan_(plan),
        chaos_(chaos),
        rng_(seed),
        server_(std::make_shared<MemoryServer>(seed + 1)),
        merging_(std::make_unique<MemoryBroker>(server_)),
        chunks_(lines_by_producer(h, plan.producers)) {
    EXPECT_TRUE(set_up(*merging_, names_, plan_, {.lease = 2, .max_bytes = chaos.max_bytes}));
    server_->fails = chaos.fails;
    server_->slow = chaos.slow;
    server_->skips = chaos.skips;
    server_->stale = chaos.stale;
    schedule_death();
    seen_.resize(chunks_.size());
  }

  Outcome run() {
    for (int i = 0; i < 3; ++i) start_worker();
    for (std::uint32_t round = 0; round < chaos_.most_rounds; ++round) {
      if (server_->dead) restart_everything();
      if (chaos_.forgets == Chaos::kAll && all_sent() && round % 500 == 0) seen_.assign(seen_.size(), false);
      server_->time += 20 * kMillisecond;
      if (rng_.chance(0.5)) sender_round();
      step_workers();
      if (rng_.chance(chaos_.kills) && out_.kills < chaos_.most_kills) kill_something();
      merge();
      if (merger_ && merger_->over() && all_sent()) break;
    }
    server_->fails = 0;
    server_->dies_at = 0;
    for (int i = 0; i < 3; ++i) merge();
    out_.ended = merger_ && merger_->over();
    for (std::uint32_t p = 0; !out_.ended && p < plan_.layout().count(); ++p) {
      const auto status = last_now(*merging_, names_.status(), names_.status_of(p));
      if (status) out_.state += status->data + "\n";
    }
    for (const auto& running : workers_)
      out_.state += out_.ended ? "" : fmt::format("{}\n", fmt::join(running->worker->held(), " "));
    if (merger_) out_.summary = merger_->summary();
    if (merger_) out_.coverage = merger_->coverage();
    return out_;
  }

 private:
  // With a connection of its own, so that what was on its way to it is lost with it.
  struct Running {
    explicit Running(const std::shared_ptr<MemoryServer>& server) : broker(server) {}
    MemoryBroker broker;
    std::unique_ptr<Worker> worker;
  };
  void step_workers() {
    for (auto& running : workers_) EXPECT_TRUE(running->worker->step());
  }
  void start_worker() {
    WorkerOptions options;
    options.id = fmt::format("w{}", ++worker_number_);
    options.lease = std::chrono::milliseconds(2000);
    options.checkpoint_every = std::chrono::milliseconds(300);
    options.status_every = std::chrono::milliseconds(100);
    options.first_checkpoint = std::chrono::milliseconds(100);
    options.fetch_most = 1 + rng_.below(4);
    options.incarnation = rng_.next();
    options.clock = [this] { return std::chrono::nanoseconds(server_->time); };
    auto made = std::make_unique<Running>(server_);
    made->worker = std::make_unique<Worker>(made->broker, names_, plan_, options, view_);
    workers_.push_back(std::move(made));
  }

  // A sender that fails is started again, as a person would, and sends from its beginning: what was sent is skipped.
  void sender_round() {
    const std::size_t which = rng_.below(chunks_.size());
    if (seen_[which]) {
      return;
    }
    SenderOptions options;
    options.transactions = 20;
    options.window = std::min<std::size_t>(8 << 10, chaos_.max_bytes / 8);
    options.clock = [this] { return std::chrono::nanoseconds(server_->time); };
    options.waiting = [this] {
      server_->time += 5 * kMillisecond;
      step_workers();  // makes room
    };
    MemoryBroker broker(server_);
    std::uint64_t left = 1 + rng_.below(8);
    const bool cut_off = rng_.chance(chaos_.kills * 10);
    // Where a stream has lost something, a person begins again after a while.
    std::uint64_t patience = chaos_.forgets == Chaos::kAll ? 200 : ~std::uint64_t{0};
    options.interrupted = [&] { return server_->dead || (cut_off && left-- == 0) || patience-- == 0; };
    auto sender = TraceSender::open(broker, names_, plan_, fmt::format("p{}", which), options);
    if (!sender) return;
    if (!sender->send(*chunks_[which])) return;
    if (!sender->finish()) return;
    seen_[which] = true;
  }
  [[nodiscard]] bool all_sent() const {
    return std::all_of(seen_.begin(), seen_.end(), [](bool b) { return b; });
  }

  void schedule_death() {
    server_->dies_at = 0;
    if (chaos_.deaths == 0 || out_.deaths >= chaos_.most_deaths) return;
    server_->dies_at = server_->questions + 1 + rng_.below(2 * chaos_.deaths);
  }

  void restart_everything() {
    ++out_.deaths;
    merger_.reset();
    workers_.clear();
    merging_ = std::make_unique<MemoryBroker>(server_);
    server_->dead = false;
    schedule_death();
    if (chaos_.forgets == Chaos::kStates) forget_states();
    if (chaos_.forgets == Chaos::kAll && rng_.chance(0.3)) {
      for (auto& [name, stream] : server_->streams) {
        if (name != names_.plan()) MemoryServer::forget(stream, rng_.below(30));
      }
      seen_.assign(seen_.size(), false);  // all files are sent again
    }
    for (int i = 0; i < 3; ++i) start_worker();
  }

  // Of each partition at most its last manifest, and only one that was written after it was last made to forget.
  void forget_states() {
    MemoryServer::Stream& states = server_->streams.at(names_.state());
    std::set<std::string> forgotten;
    std::size_t count = 0;
    for (const std::size_t most = rng_.below(40); count < most && count < states.changes.size(); ++count) {
      const std::size_t at = states.changes.size() - 1 - count;
      const std::string& subject = states.changes[at].subject;
      if (!subject.ends_with(".now")) continue;
      if (at < remembered_[subject] || !forgotten.insert(subject).second) break;
    }
    MemoryServer::forget(states, count);
    out_.forgotten += forgotten.size();
    for (const std::string& subject : forgotten) remembered_[subject] = states.changes.size();
  }

  void kill_something() {
    ++out_.kills;
    if (rng_.chance(0.2)) {
      merger_.reset();
      return;
    }
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(rng_.below(workers_.size())));
    start_worker();
    if (rng_.chance(0.2) && workers_.size() < 5) start_worker();
  }

  void merge() {
    if (!merger_) {
      auto opened = Merger::open(*merging_, names_, plan_);
      if (!opened) return;
      merger_.emplace(*std::move(opened));
    }
    auto found = merger_->poll(std::chrono::milliseconds(0));
    if (!found) return;
    for (const PublishedViolation& v : *found) {
      if (!shown_.insert(v.identity).second) continue;  // by a merger that was killed
      ++out_.reported;
      out_.found.insert(place_of(v));
    }
  }

  ClusterPlan plan_;
  Chaos chaos_;
  Rng rng_;
  std::shared_ptr<MemoryServer> server_;
  std::unique_ptr<MemoryBroker> merging_;
  Names names_{"test"};
  std::vector<std::shared_ptr<const Chunk>> chunks_;
  std::vector<bool> seen_;
  std::vector<std::unique_ptr<Running>> workers_;
  std::optional<Merger> merger_;
  std::set<std::uint64_t> shown_;
  Quiet view_;
  Outcome out_;
  std::map<std::string, std::size_t> remembered_;  // by manifest: changes of states that are not forgotten
  int worker_number_ = 0;
};

inline Generated made(std::uint64_t seed, bool planted, Level level = Level::kSnapshotIsolation) {
  GenOptions options;
  options.transactions = 600;
  options.sessions = 8;
  options.ops = 5;
  options.keys = 40;
  options.seed = seed;
  options.level = level;
  if (planted) {
    options.plants = {{PlantKind::kLostUpdate, 0, 2}, {PlantKind::kStaleRead, 0, 2}, {PlantKind::kG1a, 0, 1}};
  }
  auto generated = generate(options);
  EXPECT_TRUE(generated);
  return *std::move(generated);
}

inline ClusterPlan plan_of(std::uint32_t keys, Level level = Level::kSnapshotIsolation) {
  ClusterPlan plan;
  plan.level = level;
  plan.keys = keys;
  plan.producers = 2;
  plan.deadline = 1;
  plan.silence = 600;
  return plan;
}

}  // namespace simulation_test
}  // namespace isolde::cluster
