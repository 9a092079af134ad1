// cluster/worker.h: holds some partitions of a stream, checks them, and publishes what it finds.
//
// In, out: the messages of the partitions that it holds -> violations (each stored once, by its identity), the status
//          of each partition, checkpoints.
// Always:  a partition is held by a lease (cluster/leases.h). Its first revision is the epoch, which fences: a
//          checkpoint of an earlier epoch never replaces one of a later epoch. The lease is for economy, not for
//          safety: a partition that two workers hold for a while is checked twice, with equal results
//          (cluster/partition_checker.h), and the broker keeps each violation once.
//          A violation is stored before a checkpoint that covers it. Messages are dropped from the stream only when two
//          checkpoints cover them, the last one and the one before, and the status has said how far that is before
//          (cluster/state_store.h). What a server left out when it was read is read again: when a batch is missing, and
//          when nothing came for a while.
//          Workers share: with W of them, nobody keeps more than the W-th part of the partitions, rounded up. One that
//          is started again under its old name takes its partitions back at once.
//          Nothing waits for the broker: leases, violations, statuses and checkpoints are on their way while the next
//          messages are checked.
//          The first checkpoint comes soon after a partition was taken, the next one after as long as it has been held
//          by then, until the pauses reach their usual length. So a worker that is killed loses at most about half of
//          what it did, however short its life is, and one that lives spends a twentieth of its time on them.
// Cost:    one thread, and those of the broker's client.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/broker.h"
#include "cluster/leases.h"
#include "cluster/partition_checker.h"
#include "cluster/plan.h"
#include "cluster/state_store.h"

namespace isolde::cluster {

struct WorkerOptions {
  std::string id;  // unique among workers
  std::chrono::milliseconds lease{20'000};
  std::chrono::milliseconds first_checkpoint{2000};  // after a partition was taken
  std::chrono::milliseconds checkpoint_every{3'000};
  std::chrono::milliseconds status_every{500};
  std::chrono::milliseconds idle_wait{20};          // for messages, where nothing else is to be done
  std::size_t fetch_most = 16;                      // messages of one partition at once
  std::string folder;                               // copies of checkpoints go there; empty: nowhere
  std::uint64_t incarnation = 0;                    // drawn at random whenever a worker starts
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

  // One round: what was answered, leases where they are due, then some messages of each partition. Waits a little if
  // there is nothing to do. An error is for good: a partition's checkpoint that cannot be read, a plan that this
  // program does not understand.
  [[nodiscard]] Result<void> step();
  // Checkpoints and gives up everything.
  void leave();
  [[nodiscard]] std::vector<std::uint32_t> held() const;

 private:
  using Time = std::chrono::nanoseconds;
  struct Publication {
    OutgoingMessage message;
    AppendAnswer answer;
  };
  struct Held {
    explicit Held(StateStore made) : store(std::move(made)) {}
    StateStore store;
    std::unique_ptr<PartitionChecker> checker;
    std::unique_ptr<MessageReader> reader;  // none: its state is still being loaded
    std::uint64_t epoch = 0, revision = 0;
    AppendAnswer renewal;
    Time asked{0}, renewed{0};  // when the renewal was asked for; when the last one that succeeded was
    // Violations that are not known to be stored.
    std::deque<Publication> unpublished;
    std::uint64_t found = 0;  // all
    Time publish_again{0};    // not before, because the broker did not take one
    // Batches that are missing among those that were read.
    std::optional<std::uint64_t> gap;
    Time gap_since{0}, read_again{0}, gap_pause{0};
    Time heard{0}, patience{0};
    // Its status.
    AppendAnswer telling;
    std::string told_text, telling_text;
    Time told{0}, published{0};  // when it was looked at, and published
    // Its checkpoints.
    Time taken{0}, checkpointed{0}, took{0};  // `took`: what the last one cost this thread
    std::uint64_t covered = 0;                // changes that the last checkpoint has
    std::uint64_t covering = 0, found_then = 0;
    std::map<std::string, std::uint64_t> covers;  // of the one that is being written, or was
    // What the state covers that the next manifest names as the one before (cluster/state_store.h), and what was made
    // droppable last.
    std::map<std::string, std::uint64_t> kept_covers, released;
    // Messages up to these may be dropped, by producer, once a status has said how far the partition is; the one on its
    // way.
    std::optional<std::map<std::string, std::uint64_t>> droppable, dropped_when_told;
    std::map<std::string, std::uint64_t> dropped;  // up to these, by producer
    // It is to be given up after one more checkpoint, and why.
    std::optional<std::string> leaving;
    Time leaving_since{0};
  };
  struct ArrivalReader {
    AppendAnswer answer;
    Time asked{0};
  };

  [[nodiscard]] Time now() const { return options_.clock(); }
  void renew();
  void look_at_renewals();
  void share_out();
  [[nodiscard]] Result<void> look_at_takings();
  // True: there was something to do.
  [[nodiscard]] Result<bool> load(std::uint32_t partition, Held& held);
  [[nodiscard]] Result<bool> work_on(std::uint32_t partition, Held& held);
  [[nodiscard]] bool publish(Held& held);
  void look_for_gap(std::uint32_t partition, Held& held);
  void read_again(std::uint32_t partition, Held& held);
  void remove_repetitions(Held& held);
  void tell_status(std::uint32_t partition, Held& held, bool now_please);
  void begin_checkpoints();
  [[nodiscard]] bool checkpoint_is_due(const Held& held) const;
  void step_checkpoint(std::uint32_t partition, Held& held);
  void leave_soon(std::uint32_t partition, const std::string& why);
  [[nodiscard]] bool may_go(const Held& held) const;
  void drop_lost();

  Broker* broker_;
  Names names_;
  ClusterPlan plan_;
  WorkerOptions options_;
  WorkerView* view_;
  Leases leases_;
  std::map<std::uint32_t, Held> held_;
  std::map<std::uint32_t, ArrivalReader> taking_;
  std::vector<std::pair<std::uint32_t, std::string>> lost_;  // since drop_lost(), and why
  Time looked_{-1}, known_since_{-1}, shared_{-1};
  std::size_t workers_before_ = 0;
  std::uint32_t next_tried_ = 0;
  std::uint64_t taken_ = 0;  // partitions, so far
  std::optional<Error> broken_;
};

}  // namespace isolde::cluster
