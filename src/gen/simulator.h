// gen/simulator.h: concurrent sessions on a multi-version store, event by event.
//
// A transaction takes its snapshot when it starts and tries to commit at its end. First committer wins: it aborts if a
// key that it wrote (serializable: or read) was committed by another since its snapshot; then its session tries the
// same operations again, so that hot keys keep their share. A read-only transaction stands at its snapshot and never
// aborts.
//
// Always: begin < snapshot < commit < end on one clock, and timestamps are drawn at snapshot and commit: what is
//         generated keeps real time, hence session order too.
//         At most `overlap` x 4/3 transactions run at once, so some transaction of those always commits.
// Cost:   two heap steps and a few nanoseconds an operation for every attempt.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/limits.h"
#include "base/rng.h"
#include "gen/generate.h"
#include "gen/options.h"
#include "gen/plants.h"
#include "gen/recorder.h"
#include "gen/rows.h"
#include "gen/sampler.h"
#include "gen/store.h"

namespace isolde {

class Simulator {
 public:
  // Requires: defect_of(options) is empty, and `options` outlives the simulator.
  Simulator(const GenOptions& options, Progress* progress);
  [[nodiscard]] Result<Generated> run();

 private:
  struct Session {
    std::int64_t begin = 0, start = 0, start_ts = 0;
    bool planned = false;  // its next operations are drawn, and perhaps tried before
    bool running = false;
    bool writes = false;
  };
  // `who`: a session below options_.sessions, else an active group.
  struct Event {
    std::int64_t time;
    std::uint32_t who;
    friend bool operator>(const Event& a, const Event& b) { return a.time != b.time ? a.time > b.time : a.who > b.who; }
  };
  // A group of planted transactions that is under way.
  struct Group {
    const PlantInfo* plant = nullptr;
    std::uint32_t planted = 0;  // its place in planted_
    std::uint32_t next_event = 0;
    std::uint32_t first_key = 0, first_value = 0;
    std::array<std::uint32_t, kMaxPlantSessions> sessions{};
    std::array<TxnTimes, kMaxPlantRoles> times{};
  };

  void draw_groups();
  std::int64_t plant_step();
  void schedule(std::int64_t time, std::uint32_t who);
  void schedule_next(std::uint32_t session, std::int64_t now);
  std::int64_t latency() { return rng_.between(20, 99); }

  void plan(std::uint32_t session);
  bool try_start(std::uint32_t session, std::int64_t now);
  void finish(std::uint32_t session, std::int64_t now);
  [[nodiscard]] bool conflicts(std::uint32_t session) const;
  [[nodiscard]] bool behind_with_aborts() const;
  void record(std::uint32_t session, Status status, const TxnTimes& times, bool takes_effect);
  void take_effect(std::uint32_t session, std::int64_t commit_ts);
  ValueId next_value();
  ValueId list_with_own(std::uint32_t key, std::uint32_t seen);

  [[nodiscard]] bool group_is_due() const;
  [[nodiscard]] bool group_lacks_sessions() const;
  void launch_due_groups(std::int64_t now);
  void advance_group(std::uint32_t index, std::int64_t now);
  void record_role(Group& group, std::uint8_t role);
  ValueId planted_value(const Group& group, const ScriptOp& op);
  ValueId planted_read(const Group& group, const ScriptOp& op);
  void planted_scan(const Group& group, std::span<const ScriptOp> found);

  const GenOptions& options_;
  Progress* progress_;
  const bool serializable_;
  const std::uint32_t ops_;
  Rng rng_, plant_rng_;
  KeySampler sampler_;
  Store store_;
  Recorder recorder_;
  std::optional<RowTable> rows_;  // --type row: runs in place of `store_`, which then only numbers the keys of plants

  std::int64_t mean_service_, mean_think_;
  std::uint32_t most_running_;
  std::uint64_t read_threshold_, rmw_threshold_;  // of 2^32
  std::int64_t mean_plant_step_;                  // 0: the shortest that will do

  std::vector<Session> sessions_;
  // One row of options_.ops entries a session.
  Column<std::uint32_t> plan_;  // place of the key << 2 | kReadsFirst | kWrites
  Column<std::uint32_t> key_;   // the key at that place when the attempt started
  Column<std::uint32_t> seen_;  // what the snapshot holds of it
  std::vector<Event> heap_;
  std::deque<std::uint32_t> waiting_;  // sessions that may start when another one ends
  std::deque<std::uint32_t> free_;     // sessions that have nothing to do, or are kept for a group that is due
  std::uint32_t running_ = 0;
  std::uint64_t target_ = 0, recorded_ = 0, aborted_ = 0;  // transactions that are not planted
  std::int64_t oracle_ = 0;
  std::uint32_t value_ = 0;

  // What the transaction that is being recorded appended: element and previous append to the same key, by operation.
  std::vector<ValueId> element_;
  std::vector<std::uint32_t> previous_;
  std::vector<ValueId> scratch_;
  std::uint32_t stamp_ = 0;

  std::vector<PlantKind> due_;  // kinds in the order of planting
  std::size_t next_due_ = 0;
  std::vector<Group> groups_;  // active ones and empty seats
  std::vector<std::uint32_t> empty_seats_;
  std::vector<PlantedGroup> planted_;

  GenStats stats_;
  double running_time_ = 0;
  std::int64_t last_change_ = 0;
};

}  // namespace isolde
