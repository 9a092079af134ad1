// cluster/worker.h: holds some partitions of a stream, checks them, and publishes what it finds.
//
// In, out: the messages of the partitions that it holds -> violations (each stored once, by its identity), the status
// of
//          each partition, checkpoints.
// Always:  a partition is held by a lease: a key that this worker created and keeps writing. Its first revision is the
//          epoch, which fences: a checkpoint of an earlier epoch never replaces one of a later epoch. The lease is for
//          economy, not for safety: a partition that two workers hold for a while is checked twice, with equal results
//          (cluster/partition_checker.h), and the broker keeps each violation once.
//          A violation is stored before a checkpoint that covers it. Messages are dropped from the stream only when a
//          checkpoint covers them, and the status has said how far that is before.
//          Workers share: with W of them, nobody keeps more than the W-th part of the partitions, rounded up. One that
//          is started again under its old name takes its partitions back at once.
//          Checkpoints take about a tenth of the time at most.
// Cost:    one thread; a fetch per partition and round.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/broker.h"
#include "cluster/partition_checker.h"
#include "cluster/plan.h"
#include "cluster/state_store.h"

namespace isolde::cluster {

struct WorkerOptions {
  std::string id;  // unique among workers
  std::chrono::milliseconds lease{20'000};
  std::chrono::milliseconds checkpoint_every{3'000};
  std::chrono::milliseconds status_every{500};
  std::chrono::milliseconds fetch_wait{20};         // for messages, where nothing else is to be done
  std::size_t fetch_most = 64;                      // messages of one partition at once
  std::string folder;                               // copies of checkpoints go there; empty: nowhere
  std::function<std::chrono::nanoseconds()> clock;  // that never goes back; required
};

class WorkerView {
 public:
  virtual ~WorkerView() = default;
  virtual void took(std::uint32_t partition, std::uint64_t epoch, std::uint64_t resume) = 0;
  virtual void left(std::uint32_t partition, const std::string& why) = 0;
  virtual void trouble(const std::string& what) = 0;
};

class Worker {
 public:
  Worker(Broker& broker, Names names, const ClusterPlan& plan, WorkerOptions options, WorkerView& view);
  ~Worker();

  // One round: leases where they are due, then some messages of each partition. An error is for good: a partition's
  // checkpoint that cannot be read, a plan that this program does not understand.
  [[nodiscard]] Result<void> step();
  // Checkpoints and gives up everything.
  void leave();
  // The stream is over, and every partition of this worker is judged.
  [[nodiscard]] bool idle() const;
  [[nodiscard]] std::vector<std::uint32_t> held() const;

 private:
  using Time = std::chrono::nanoseconds;
  struct Held {
    std::unique_ptr<PartitionChecker> checker;
    std::unique_ptr<MessageReader> reader;
    std::uint64_t epoch = 0, revision = 0;
    Time renewed{0};
    Time checkpointed{0}, told{0};
    Time checkpoint_took{0};
    std::vector<OnlineViolation> unpublished;
    std::uint64_t covered = 0;  // messages before this one are in a checkpoint
    std::string last_status;
  };

  [[nodiscard]] Time now() const { return options_.clock(); }
  void announce();
  void renew();
  [[nodiscard]] Result<void> share_out();
  // `known`: the revision of the key that this worker's predecessor of the same name left, or 0.
  [[nodiscard]] Result<bool> try_to_take(std::uint32_t partition, std::uint64_t known);
  void give_up(std::uint32_t partition, const std::string& why);
  void work_on(std::uint32_t partition, Held& held);
  [[nodiscard]] bool publish(Held& held);
  void tell_status(std::uint32_t partition, Held& held, bool now_please);
  // False: the partition is somebody else's by now.
  [[nodiscard]] Result<bool> checkpoint(std::uint32_t partition, Held& held);

  Broker* broker_;
  Names names_;
  ClusterPlan plan_;
  WorkerOptions options_;
  WorkerView* view_;
  StateStore store_;
  std::map<std::uint32_t, Held> held_;
  std::uint64_t announced_ = 0;  // revision of this worker's own key; 0: none
  Time looked_{-1};
  std::size_t workers_before_ = 0;
  std::uint32_t next_tried_ = 0;
};

}  // namespace isolde::cluster
