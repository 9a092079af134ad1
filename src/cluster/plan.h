// cluster/plan.h: what a cluster checks: method, level, number of partitions, limits. Whoever creates the stream
// (`isolde watch nats://…`) writes it there; senders and workers read it, so all of them agree.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "anomaly/level.h"
#include "base/result.h"
#include "check/mirror/profile.h"
#include "check/online.h"
#include "check/timeline/online/online.h"
#include "cluster/broker.h"
#include "cluster/names.h"
#include "cluster/share.h"
#include "stream/feed.h"

namespace isolde::cluster {

inline constexpr std::int64_t kMostPartitions = 1024;

struct ClusterPlan {
  Level level = Level::kSnapshotIsolation;
  std::string profile;          // the mirror's, by name; empty: database timestamps decide
  std::uint32_t keys = 16;      // partitions of keys; with a profile 1
  double deadline = 30;         // seconds that a transaction may arrive later than those that depend on it
  double silence = 60;          // seconds after which a producer that says nothing is no longer waited for
  std::uint32_t producers = 0;  // the stream is over when so many have said goodbye; 0: never
  std::size_t memory = std::size_t{256} << 20;  // bytes that a partition may use
  // Drawn at random when the stream is created: a folder may have checkpoints of an earlier one with the same name.
  std::uint64_t stream = 0;

  [[nodiscard]] bool by_clocks() const { return !profile.empty(); }
  [[nodiscard]] Layout layout() const;
  friend bool operator==(const ClusterPlan&, const ClusterPlan&) = default;
};

[[nodiscard]] std::string plan_text(const ClusterPlan& plan);
[[nodiscard]] Result<ClusterPlan> read_plan(std::string_view text);

struct SetUpOptions {
  double lease = 20;                                 // seconds: longer than an election of the broker takes
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of the stream: beyond it senders wait for the workers
};
// Creates the streams and the plan, or finds them as another did: the plan with its own `stream`. The error says what
// differs.
[[nodiscard]] Result<ClusterPlan> set_up(Broker& broker, const Names& names, const ClusterPlan& plan,
                                         const SetUpOptions& options);
[[nodiscard]] Result<ClusterPlan> find_plan(Broker& broker, const Names& names);

// The engine and feed of one partition. `sink` and `ties` outlive them.
struct PartitionEngine {
  std::unique_ptr<stream::Feed> feed;
  std::unique_ptr<OnlineEngine> engine;
};
[[nodiscard]] Result<PartitionEngine> make_engine(const ClusterPlan& plan, std::uint32_t partition, OnlineSink& sink,
                                                  timeline::TieObserver* ties);

}  // namespace isolde::cluster
