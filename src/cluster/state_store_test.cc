// Checkpoints: whatever is killed, and when, what load() finds covers all that was dropped.
#include "cluster/state_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/rng.h"
#include "cluster/memory_broker_testing.h"
#include "cluster/plan.h"
#include "stream/testing.h"
#include "tests/support/effort.h"

namespace isolde::cluster {
namespace state_store_test {

using Time = StateStore::Time;
constexpr std::chrono::milliseconds kAtOnce{1};

// A worker as a store sees it: loads a state, extends it, saves it, drops what the state before covers.
struct Process {
  Process(const std::shared_ptr<MemoryServer>& server, std::uint64_t writer, const std::string& folder = {},
          std::uint64_t stream = 0)
      : broker(server), store(broker, Names("s"), 0, writer, folder, stream) {}
  MemoryBroker broker;
  StateStore store;
  std::uint64_t reached = 0;  // the state: how many messages it covers
  std::uint64_t base = 0;     // what was loaded, or saved last
  std::optional<std::uint64_t> kept;
};

// Different for each state, and of two parts.
std::string bytes_of(std::uint64_t reached) {
  Rng rng(reached);
  std::string out;
  while (out.size() < 300'000) {
    const std::uint64_t word = rng.next();
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return out;
}

class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed), server_(std::make_shared<MemoryServer>(seed + 1)) {
    MemoryBroker broker(server_);
    EXPECT_TRUE(set_up(broker, Names("s"), ClusterPlan{}, {}));
  }
  [[nodiscard]] MemoryServer& server() { return *server_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] MemoryServer::Stream& states() { return server_->streams.at("s_state"); }

  [[nodiscard]] std::unique_ptr<Process> start() {
    return std::make_unique<Process>(server_, ++writers_ * 1000);  // as if they were drawn
  }
  // False: everything died.
  [[nodiscard]] bool load(Process& p) {
    while (!server_->dead) {
      pass_time();
      auto loaded = p.store.load(Time(server_->time));
      p.broker.poll(kAtOnce);
      if (!loaded) continue;
      EXPECT_TRUE(*loaded);
      EXPECT_FALSE((*loaded)->lost);
      p.reached = 0;
      p.kept.reset();
      if (const auto& state = (*loaded)->state) {
        p.reached = state->resume - 1;
        EXPECT_EQ(state->bytes, bytes_of(p.reached));
        if ((*loaded)->in_stream) p.kept = p.reached;
      }
      p.base = p.reached;
      if (server_->stale == 0) {
        EXPECT_GE(p.reached, dropped_) << "messages are gone that this state does not cover";
      }
      return true;
    }
    return false;
  }
  // Nothing: everything died.
  [[nodiscard]] std::optional<StateStore::Saved> save(Process& p) {
    p.reached += 1 + rng_.below(3);
    p.store.begin_save(1, p.reached + 1, bytes_of(p.reached));
    while (!server_->dead) {
      pass_time();
      const auto saved = p.store.save(Time(server_->time), true);
      EXPECT_TRUE(saved);
      if (*saved == StateStore::Saved::kPending) {
        p.broker.poll(kAtOnce);
        continue;
      }
      if (*saved == StateStore::Saved::kYes) {
        EXPECT_GE(p.base, dropped_) << "it replaced a state that covers more";
        p.base = p.reached;
        dropped_ = std::max(dropped_, p.kept.value_or(0));
        p.kept = p.reached;
        ++saved_;
      }
      return *saved;
    }
    return std::nullopt;
  }
  // Two workers take the partition from each other; one does not know yet that it has lost it.
  void run(int rounds) {
    std::unique_ptr<Process> a, b;
    for (int round = 0; round < rounds; ++round) {
      if (server_->dead) {
        a.reset();
        b.reset();
        server_->dead = false;
        if (restarted) restarted();
      }
      if (a == nullptr) {
        a = start();
        if (!load(*a)) continue;
      }
      const auto saved = save(*a);
      if (saved == StateStore::Saved::kLost) a.reset();
      if (b == nullptr && rng_.chance(0.5)) {
        b = start();
        if (!load(*b)) continue;
      }
      if (b == nullptr || rng_.chance(0.5)) continue;
      if (save(*b) == StateStore::Saved::kLost) {
        b.reset();
      } else {
        std::swap(a, b);
      }
    }
  }
  std::function<void()> restarted;
  std::uint64_t saved_ = 0;

 private:
  void pass_time() { server_->time += 20'000'000; }
  Rng rng_;
  std::shared_ptr<MemoryServer> server_;
  std::uint64_t writers_ = 0, dropped_ = 0;
};

}  // namespace state_store_test

using namespace state_store_test;

TEST(ClusterState, CanBeReadWhateverStepAllProcessesAreKilledAt) {
  for (const std::uint64_t seed : effort::seeds(500, 2)) {
    World whole(seed);
    whole.run(12);
    const std::uint64_t questions = whole.server().questions;
    ASSERT_GT(questions, 60U);
    ASSERT_GT(whole.dropped(), 0U);
    for (std::uint64_t at = 1; at <= questions; ++at) {
      World world(seed);
      world.server().dies_at = at;
      world.run(16);
      EXPECT_TRUE(world.server().questions > at) << "the world went on";
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", killed at question " << at;
    }
  }
}

// An old answer may show an old state, but that replaces none.
TEST(ClusterState, CanBeReadThoughAnswersAreLostAndOld) {
  for (const std::uint64_t seed : effort::seeds(600, 30)) {
    World world(seed);
    world.server().fails = 0.1;
    world.server().stale = 0.2;
    Rng kills(seed);
    world.restarted = [&] { world.server().dies_at = world.server().questions + 1 + kills.below(40); };
    world.restarted();
    world.run(40);
    EXPECT_GT(world.saved_, 5U) << seed;
    ASSERT_FALSE(testing::Test::HasFailure()) << seed;
  }
}

// A server of NATS 2.9 that was killed may forget what it acknowledged last.
TEST(ClusterState, CanBeReadThoughTheLastManifestIsForgotten) {
  std::uint64_t forgotten = 0;
  for (const std::uint64_t seed : effort::seeds(700, 30)) {
    World world(seed);
    Rng rng(seed);
    std::size_t remembered = 0;  // changes: these are not forgotten any more
    world.restarted = [&] {
      world.server().dies_at = world.server().questions + 1 + rng.below(60);
      MemoryServer::Stream& states = world.states();
      std::size_t most = rng.below(20), count = 0;
      for (bool had_one = false; count < most && states.changes.size() - count > remembered; ++count) {
        const bool is_manifest = states.changes[states.changes.size() - 1 - count].subject == "s.s.0.now";
        if (is_manifest && had_one) break;
        had_one = had_one || is_manifest;
        forgotten += is_manifest ? 1 : 0;
      }
      MemoryServer::forget(states, count);
      remembered = states.changes.size();
    };
    world.restarted();
    world.run(60);
    ASSERT_FALSE(testing::Test::HasFailure()) << seed;
  }
  EXPECT_GT(forgotten, effort::tries(30));
}

TEST(ClusterState, OneThatNobodyCanReadIsGivenUp) {
  World world(1);
  auto a = world.start();
  ASSERT_TRUE(world.load(*a));
  ASSERT_EQ(world.save(*a), StateStore::Saved::kYes);
  const auto lose_parts = [&] {
    std::vector<std::uint64_t> parts;
    for (const auto& [number, message] : world.states().messages) {
      if (message.subject.find(".part.") != std::string::npos) parts.push_back(number);
    }
    for (const std::uint64_t part : parts) MemoryServer::erase(world.states(), part);
  };
  const auto load = [&] {
    auto p = world.start();
    while (true) {
      world.server().time += 1'000'000'000;
      if (auto loaded = p->store.load(Time(world.server().time))) return **loaded;
      p->broker.poll(kAtOnce);
    }
  };
  lose_parts();
  EXPECT_FALSE(load().lost) << "nothing was dropped yet";
  ASSERT_EQ(world.save(*a), StateStore::Saved::kYes);
  lose_parts();
  EXPECT_TRUE(load().lost);
  EXPECT_FALSE(load().state);
}

TEST(ClusterState, ACopyInAFolderIsLoadedIfItIsNewerAndOfTheSameStream) {
  const stream::testing::Scratch scratch;
  const auto server = std::make_shared<MemoryServer>();
  MemoryBroker broker(server);
  ASSERT_TRUE(set_up(broker, Names("s"), ClusterPlan{}, {}));
  Process before(server, 1, scratch.path, 77);
  before.store.begin_save(1, 11, bytes_of(10));
  while (*before.store.save(Time(0), false) != StateStore::Saved::kPending) {
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path)) << "what it covers is not stored yet";
  while (*before.store.save(Time(0), true) == StateStore::Saved::kPending) before.broker.poll(kAtOnce);
  MemoryServer::lose(server->streams.at("s_state"));
  const auto load = [&](std::uint64_t stream) {
    Process after(server, 2, scratch.path, stream);
    while (true) {
      if (auto loaded = after.store.load(Time(0))) return **loaded;
      after.broker.poll(kAtOnce);
    }
  };
  const LoadedState found = load(77);
  ASSERT_TRUE(found.state);
  EXPECT_EQ(found.state->resume, 11U);
  EXPECT_FALSE(found.in_stream);
  EXPECT_FALSE(load(78).state) << "another stream of the same name";
}

}  // namespace isolde::cluster
