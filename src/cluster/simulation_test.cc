// A cluster in one thread: senders, workers, a merger and a broker that fails, with kills at random moments. What it
// reports must be what one engine reports of the same transactions, each once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
#include "tests/support/effort.h"

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
std::vector<std::shared_ptr<const Chunk>> lines_by_producer(const History& h, std::uint32_t producers) {
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

std::set<std::string> by_one_engine(const History& h, Level level) {
  Told told;
  const auto engine = timeline::make_online({.level = level, .spill_folder = {}}, told);
  const auto chunks = lines_by_producer(h, 1);
  engine->begin(*chunks[0]);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) engine->take({chunks[0], TxnId{t}});
  engine->finish();
  return told.found;
}

std::string place_of(const PublishedViolation& v) {
  const std::size_t at = v.json.find("\"key\": ");
  if (at == std::string::npos) return v.transactions.front() + " ";
  const std::string rest = v.json.substr(at + 7);
  return v.transactions.front() + " " + rest.substr(0, rest.find_first_of(",}"));
}

struct Chaos {
  double fails = 0, slow = 0, skips = 0;
  double kills = 0;  // per round, of some worker, of the merger
  std::uint64_t most_kills = 20;
};

struct Outcome {
  std::set<std::string> found;
  std::uint64_t reported = 0, kills = 0;
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
        merging_(server_),
        chunks_(lines_by_producer(h, plan.producers)) {
    EXPECT_TRUE(set_up(merging_, names_, plan_, {.lease = 2, .max_bytes = 64 << 10}));
    server_->fails = chaos.fails;
    server_->slow = chaos.slow;
    server_->skips = chaos.skips;
    seen_.resize(chunks_.size());
  }

  Outcome run() {
    for (int i = 0; i < 3; ++i) start_worker();
    for (std::uint32_t round = 0; round < 20'000; ++round) {
      server_->time += 20 * kMillisecond;
      if (rng_.chance(0.5)) sender_round();
      step_workers();
      if (rng_.chance(chaos_.kills) && out_.kills < chaos_.most_kills) kill_something();
      merge();
      if (merger_ && merger_->over() && all_sent()) break;
    }
    server_->fails = 0;
    for (int i = 0; i < 3; ++i) merge();
    out_.ended = merger_ && merger_->over();
    for (std::uint32_t p = 0; !out_.ended && p < plan_.layout().count(); ++p) {
      const auto status = last_now(merging_, names_.status(), names_.status_of(p));
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
    options.window = 8 << 10;
    options.clock = [this] { return std::chrono::nanoseconds(server_->time); };
    options.waiting = [this] {
      server_->time += 5 * kMillisecond;
      step_workers();  // makes room
    };
    MemoryBroker broker(server_);
    std::uint64_t left = 1 + rng_.below(8);
    const bool cut_off = rng_.chance(chaos_.kills * 10);
    options.interrupted = [&] { return cut_off && left-- == 0; };
    auto sender = TraceSender::open(broker, names_, plan_, fmt::format("p{}", which), options);
    if (!sender) return;
    if (!sender->send(*chunks_[which])) return;
    if (!sender->finish()) return;
    seen_[which] = true;
  }
  [[nodiscard]] bool all_sent() const {
    return std::all_of(seen_.begin(), seen_.end(), [](bool b) { return b; });
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
      auto opened = Merger::open(merging_, names_, plan_);
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
  MemoryBroker merging_;
  Names names_{"test"};
  std::vector<std::shared_ptr<const Chunk>> chunks_;
  std::vector<bool> seen_;
  std::vector<std::unique_ptr<Running>> workers_;
  std::optional<Merger> merger_;
  std::set<std::uint64_t> shown_;
  Quiet view_;
  Outcome out_;
  int worker_number_ = 0;
};

Generated made(std::uint64_t seed, bool planted, Level level = Level::kSnapshotIsolation) {
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

ClusterPlan plan_of(std::uint32_t keys, Level level = Level::kSnapshotIsolation) {
  ClusterPlan plan;
  plan.level = level;
  plan.keys = keys;
  plan.producers = 2;
  plan.deadline = 1;
  plan.silence = 600;
  return plan;
}

// Transactions that start and commit at one time, a few per time, in an order that their ids do not show. Sometimes a
// read returns what was there before that time.
std::string tied_lines(Rng& rng, double stale) {
  constexpr int kKeys = 4;
  std::string out;
  int state[kKeys] = {}, before[kKeys] = {};
  int value = 0, id = 0;
  for (int time = 1; time <= 12; ++time) {
    std::copy(state, state + kKeys, before);
    std::vector<std::string> at_once;
    for (std::uint64_t left = 1 + rng.below(3); left > 0; --left) {
      std::string ops;
      int after[kKeys];
      std::copy(state, state + kKeys, after);
      for (std::uint64_t op = 1 + rng.below(3); op > 0; --op) {
        const auto key = static_cast<std::size_t>(rng.below(kKeys));
        if (rng.chance(0.5)) {
          after[key] = ++value;
          ops += fmt::format(R"(["w","k{}",{}],)", key, value);
        } else {
          const int read = after[key] == state[key] && rng.chance(stale) ? before[key] : after[key];
          ops += fmt::format(R"(["r","k{}",{}],)", key, read == 0 ? "null" : std::to_string(read));
        }
      }
      std::copy(after, after + kKeys, state);
      ops.pop_back();
      at_once.push_back(
          fmt::format(R"("session":{0},"start_ts":{1},"commit_ts":{1},"ops":[{2}]}})", rng.below(4), time, ops));
    }
    for (; !at_once.empty(); ++id) {
      const auto next = static_cast<std::ptrdiff_t>(rng.below(at_once.size()));
      out += fmt::format("{{\"id\":{},{}\n", id, at_once[static_cast<std::size_t>(next)]);
      at_once.erase(at_once.begin() + next);
    }
  }
  return out;
}

// By trying every order of the transactions of each time. They start and commit at that time; what a file has of one
// session is in the session's order. Snapshots: those that write, one after the other, and then those that only read.
bool some_order_explains(const History& h, Level level) {
  const bool serial = info(level).family == LevelFamily::kSerializable;
  const bool sessions = info(level).order != AddedOrder::kNone;
  using State = std::map<std::uint32_t, ValueId>;
  std::set<State> states = {State{}};
  std::map<std::int64_t, std::vector<std::uint32_t>> by_time;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) by_time[h.commit_ts(TxnId{t})].push_back(t);
  const auto reads_only = [&](std::uint32_t t) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() != OpKind::kRead) return false;
    }
    return true;
  };
  const auto apply = [&](std::uint32_t t, State& state) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      const std::uint32_t key = raw(h.op(i).key());
      if (h.op(i).kind() == OpKind::kWrite) {
        state[key] = h.op_value(i);
      } else if (const auto at = state.find(key); (at == state.end() ? kNullValue : at->second) != h.op_value(i)) {
        return false;
      }
    }
    return true;
  };
  for (auto& [time, txns] : by_time) {
    std::set<State> next;
    std::sort(txns.begin(), txns.end());
    do {
      bool allowed = true;
      for (std::size_t i = 0; i + 1 < txns.size(); ++i) {
        for (std::size_t j = i + 1; j < txns.size(); ++j) {
          if (!serial && reads_only(txns[i]) && !reads_only(txns[j])) allowed = false;
          if (sessions && txns[j] < txns[i] && h.session(TxnId{txns[i]}) == h.session(TxnId{txns[j]})) allowed = false;
        }
      }
      for (auto from = states.begin(); allowed && from != states.end(); ++from) {
        State state = *from;
        if (std::all_of(txns.begin(), txns.end(), [&](std::uint32_t t) { return apply(t, state); })) next.insert(state);
      }
    } while (std::next_permutation(txns.begin(), txns.end()));
    states = std::move(next);
  }
  return !states.empty();
}

}  // namespace simulation_test

using namespace simulation_test;

TEST(ClusterSimulation, AValidStreamIsSatisfied) {
  for (const std::uint64_t seed : effort::seeds(100, 6)) {
    const Generated g = made(seed, false);
    const Outcome out = Simulation(g.history, plan_of(5), {}, seed).run();
    ASSERT_TRUE(out.ended) << seed;
    EXPECT_EQ(out.summary.outcome, isolde::Outcome::kSatisfied) << seed << ": " << out.summary.reason;
    EXPECT_EQ(out.reported, 0U);
  }
}

TEST(ClusterSimulation, PlantedViolationsAreFoundOnceWhateverIsKilled) {
  for (const std::uint64_t seed : effort::seeds(200, 20)) {
    const Generated g = made(seed, true);
    const Outcome out = Simulation(g.history, plan_of(5), {0.03, 0.2, 0.3, 0.05}, seed).run();
    ASSERT_TRUE(out.ended) << seed << " after " << out.kills << " kills; partitions over: " << out.coverage.over << "\n"
                           << out.state;
    EXPECT_EQ(out.summary.outcome, isolde::Outcome::kViolated) << seed;
    EXPECT_EQ(out.found, by_one_engine(g.history, Level::kSnapshotIsolation)) << seed;
    EXPECT_EQ(out.reported, out.found.size()) << seed << ": something was reported under two names";
    EXPECT_EQ(out.coverage.missing, 0U) << seed;
    EXPECT_EQ(out.coverage.refused, 0U) << seed << ": " << out.coverage.first_fault;
  }
}

TEST(ClusterSimulation, NothingIsReportedOnAValidStreamWhateverIsKilled) {
  for (const std::uint64_t seed : effort::seeds(300, 12)) {
    const Generated g = made(seed, false, Level::kStrictSerializable);
    const Outcome out =
        Simulation(g.history, plan_of(4, Level::kStrictSerializable), {0.03, 0.2, 0.3, 0.05}, seed).run();
    ASSERT_TRUE(out.ended) << seed;
    EXPECT_EQ(out.reported, 0U) << seed << ": " << (out.found.empty() ? "" : *out.found.begin());
    EXPECT_EQ(out.summary.outcome, isolde::Outcome::kSatisfied) << seed << ": " << out.summary.reason;
  }
}

// k0 is in partition 0 of two, k1 in partition 1 (or the other way round): each finds an order, but not the same one.
TEST(ClusterSimulation, OrdersOfEqualTimestampsThatContradictEachOtherAreNotSatisfied) {
  ASSERT_NE(partition_of("\"k0\"", 2), partition_of("\"k1\"", 2));
  ChunkReader reader("a test");
  const auto chunk = reader.read(
      "{\"id\":1,\"session\":1,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k0\",null],[\"w\",\"k1\",1]]}\n"
      "{\"id\":2,\"session\":2,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k1\",null],[\"w\",\"k0\",1]]}\n");
  ASSERT_TRUE(chunk);
  ASSERT_FALSE(some_order_explains((*chunk)->history, Level::kSnapshotIsolation));
  const Outcome out = Simulation((*chunk)->history, plan_of(2), {}, 1).run();
  ASSERT_TRUE(out.ended);
  EXPECT_EQ(out.summary.outcome, isolde::Outcome::kUndecided);
  EXPECT_NE(out.summary.reason.find("2 transactions with equal timestamps have keys in several partitions"),
            std::string::npos)
      << out.summary.reason;
}

TEST(ClusterSimulation, OrdersOfEqualTimestampsThatOnePartitionChoseAreDecided) {
  ChunkReader reader("a test");
  const auto chunk = reader.read(
      "{\"id\":2,\"session\":1,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"w\",\"k0\",1],[\"w\",\"k1\",1]]}\n"
      "{\"id\":1,\"session\":2,\"start_ts\":5,\"commit_ts\":5,\"ops\":[[\"r\",\"k0\",1],[\"w\",\"k0\",2]]}\n");
  ASSERT_TRUE(chunk);
  const Outcome out = Simulation((*chunk)->history, plan_of(2), {}, 1).run();
  ASSERT_TRUE(out.ended);
  EXPECT_EQ(out.summary.outcome, isolde::Outcome::kSatisfied) << out.summary.reason;
}

TEST(ClusterSimulation, WithEqualTimestampsNothingIsSatisfiedOrViolatedThatIsNot) {
  std::uint64_t by_outcome[3] = {};
  for (const std::uint64_t seed : effort::seeds(400, 300)) {
    Rng rng(seed);
    const Level level =
        std::array{Level::kSnapshotIsolation, Level::kSerializable, Level::kStrongSessionSerializable}[rng.below(3)];
    ChunkReader reader("a test");
    const std::string lines = tied_lines(rng, rng.chance(0.5) ? 0.05 : 0);
    const auto chunk = reader.read(lines);
    ASSERT_TRUE(chunk) << chunk.error().message();
    const bool explained = some_order_explains((*chunk)->history, level);
    const Outcome out = Simulation((*chunk)->history, plan_of(3, level), {}, seed).run();
    ASSERT_TRUE(out.ended) << seed;
    ++by_outcome[static_cast<int>(out.summary.outcome)];
    if (out.summary.outcome == isolde::Outcome::kSatisfied) {
      EXPECT_TRUE(explained) << seed << " " << info(level).name << "\n" << lines;
    }
    if (out.summary.outcome == isolde::Outcome::kViolated) {
      EXPECT_FALSE(explained) << seed << " " << info(level).name << "\n" << lines;
    }
  }
  EXPECT_GT(by_outcome[static_cast<int>(isolde::Outcome::kSatisfied)], 0U);
  EXPECT_GT(by_outcome[static_cast<int>(isolde::Outcome::kViolated)], 0U);
  EXPECT_GT(by_outcome[static_cast<int>(isolde::Outcome::kUndecided)], 0U);
}

}  // namespace isolde::cluster
