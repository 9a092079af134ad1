// gen/planting.cc: the part of the simulator that plays the scripts of gen/plants.h among the other transactions.
#include <fmt/format.h>

#include <algorithm>

#include "gen/simulator.h"

namespace isolde {
namespace {

// Longer than the latencies before a snapshot and after a commit together, so that events in a script's order are also
// apart in real time.
constexpr std::int64_t kShortestStep = 300;
constexpr std::int64_t kLongestStep = 600;
constexpr std::uint32_t kFirstPlantedC0 = 1'000'000;
static_assert(kFirstPlantedC0 > kColumnValues);

bool is_read_only(const ScriptRole& role) {
  return std::ranges::none_of(role.ops, [](const ScriptOp& op) { return op.what == ScriptOp::What::kWrite; });
}

}  // namespace

std::int64_t Simulator::plant_step() {
  const std::int64_t step = plant_rng_.between(kShortestStep, kLongestStep);
  return mean_plant_step_ == 0 ? step : step + plant_rng_.between(mean_plant_step_ / 2, mean_plant_step_ * 3 / 2);
}

// Groups are spread evenly over the other transactions; one that takes long starts early enough.
bool Simulator::group_is_due() const {
  if (next_due_ == due_.size()) return false;
  const double middle = (static_cast<double>(next_due_) + 0.5) / static_cast<double>(due_.size());
  const double place = middle * (1 - options_.spread);
  return static_cast<double>(recorded_) >= place * static_cast<double>(target_) || recorded_ >= target_;
}

bool Simulator::group_lacks_sessions() const { return group_is_due() && free_.size() < info(due_[next_due_]).sessions; }

void Simulator::launch_due_groups(std::int64_t now) {
  while (group_is_due() && free_.size() >= info(due_[next_due_]).sessions) {
    std::uint32_t seat = 0;
    if (empty_seats_.empty()) {
      seat = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back();
    } else {
      seat = empty_seats_.back();
      empty_seats_.pop_back();
    }
    Group& group = groups_[seat];
    group = Group{};
    group.plant = &info(due_[next_due_]);
    group.planted = static_cast<std::uint32_t>(planted_.size());
    planted_.push_back({due_[next_due_], std::vector<TxnId>(group.plant->roles.size(), kNoTxn)});
    ++next_due_;
    group.first_key = store_.fresh_keys(group.plant->keys);
    group.first_value = 1;
    if (!options_.repeated_values) {
      group.first_value = value_ + 1;
      value_ += group.plant->values;
    }
    for (std::uint8_t i = 0; i < group.plant->sessions; ++i) {
      // The longest free goes first, so that all sessions are used.
      group.sessions[i] = free_.front();
      free_.pop_front();
    }
    schedule(now + plant_step(), options_.sessions + seat);
  }
}

void Simulator::advance_group(std::uint32_t index, std::int64_t now) {
  Group& group = groups_[index];
  const ScriptEvent event = group.plant->events[group.next_event++];
  const ScriptRole& role = group.plant->roles[event.role];
  TxnTimes& times = group.times[event.role];
  switch (event.what) {
    case ScriptEvent::What::kSnapshot:
      times.start_ts = ++oracle_;
      break;
    case ScriptEvent::What::kStart:
      if (times.start_ts == 0) times.start_ts = ++oracle_;
      times.start = now;
      times.begin = now - plant_rng_.between(20, 99);
      break;
    case ScriptEvent::What::kCommit:
      times.commit_ts = role.aborts ? kNoTime : is_read_only(role) ? times.start_ts : ++oracle_;
      times.commit = now;
      times.end = now + plant_rng_.between(20, 99);
      record_role(group, event.role);
      break;
  }
  if (group.next_event < group.plant->events.size()) {
    schedule(now + plant_step(), options_.sessions + index);
    return;
  }
  for (std::uint8_t i = 0; i < group.plant->sessions; ++i) {
    if (group_lacks_sessions()) {
      free_.push_back(group.sessions[i]);
    } else {
      schedule_next(group.sessions[i], now);
    }
  }
  empty_seats_.push_back(index);
}

// Of a group's rows, c0 is a number of their own: its scans find them and nothing else does.
ValueId Simulator::planted_value(const Group& group, const ScriptOp& op) {
  const std::uint32_t number = group.first_value + op.value - 1;
  return rows_ ? recorder_.row(kFirstPlantedC0 + group.planted, kFirstPlantedC0, number) : ValueId{number};
}

void Simulator::planted_scan(const Group& group, std::span<const ScriptOp> found) {
  std::vector<Item> items;
  for (const ScriptOp& op : found) {
    if (op.what != ScriptOp::What::kFound) break;
    items.push_back({recorder_.id_of(group.first_key + op.key), planted_value(group, op)});
  }
  recorder_.scan(fmt::format("c0 = {}", kFirstPlantedC0 + group.planted), items);
  if (options_.evidence.vsets) recorder_.vset(items);
}

ValueId Simulator::planted_read(const Group& group, const ScriptOp& op) {
  if (!store_.lists()) return planted_value(group, op);
  scratch_.clear();
  for (const ScriptRole& role : group.plant->roles) {
    for (const ScriptOp& write : role.ops) {
      if (write.what != ScriptOp::What::kWrite || write.key != op.key) continue;
      scratch_.push_back(ValueId{group.first_value + write.value - 1});
      if (write.value == op.value) return recorder_.list(scratch_);
    }
  }
  return recorder_.list(scratch_);
}

void Simulator::record_role(Group& group, std::uint8_t index) {
  const ScriptRole& role = group.plant->roles[index];
  const TxnTimes& times = group.times[index];
  const auto operations = static_cast<std::uint32_t>(
      std::ranges::count_if(role.ops, [](const ScriptOp& op) { return op.what != ScriptOp::What::kFound; }));
  const TxnId txn = recorder_.open(group.sessions[role.session], role.aborts ? Status::kAborted : Status::kCommitted,
                                   times, operations);
  planted_[group.planted].transactions[index] = txn;
  for (std::size_t i = 0; i < role.ops.size(); ++i) {
    const ScriptOp& op = role.ops[i];
    const std::uint32_t key = group.first_key + op.key;
    if (op.what == ScriptOp::What::kRead) recorder_.read(key, planted_read(group, op));
    if (op.what == ScriptOp::What::kScan) planted_scan(group, role.ops.subspan(i + 1));
    if (op.what != ScriptOp::What::kWrite) continue;
    const ValueId value = planted_value(group, op);
    recorder_.write(key, value);
    const bool is_last = std::ranges::none_of(role.ops.subspan(i + 1), [&op](const ScriptOp& later) {
      return later.what == ScriptOp::What::kWrite && later.key == op.key;
    });
    if (is_last && !role.aborts) recorder_.install(key, value);
  }
  recorder_.close();
}

}  // namespace isolde
