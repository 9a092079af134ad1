#include "cluster/plan.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <chrono>

#include "check/mirror/mirror.h"
#include "check/timeline/online/online.h"

namespace isolde::cluster {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr std::int64_t kPlanForm = 2;  // grows when messages or states change

std::int64_t nanoseconds_of(double seconds) { return static_cast<std::int64_t>(seconds * kNanoseconds); }

// The level without the order that it adds: what a partition of keys judges.
Level level_of_keys(Level level) {
  return info(level).family == LevelFamily::kSerializable ? Level::kSerializable : Level::kSnapshotIsolation;
}

}  // namespace

Layout ClusterPlan::layout() const {
  if (by_clocks()) return {.keys = 1, .order = false};
  return {.keys = keys,
          .order = keys > 1 && info(level).order != AddedOrder::kNone,
          .serial = info(level).family == LevelFamily::kSerializable};
}

std::string plan_text(const ClusterPlan& plan) {
  return fmt::format(
      R"({{"isolde-cluster": {}, "level": "{}", "profile": "{}", "partitions": {}, "deadline": {}, "silence": {}, "producers": {}, "memory": {}, "stream": {}}})",
      kPlanForm, info(plan.level).name, plan.profile, plan.keys, plan.deadline, plan.silence, plan.producers,
      plan.memory, plan.stream);
}

Result<ClusterPlan> read_plan(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const Error broken{"the stream's plan cannot be read: it was written by another version of isolde"};
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return broken;
  std::int64_t form = 0, keys = 0, producers = 0, memory = 0;
  std::string_view level, profile;
  ClusterPlan plan;
  if (root["isolde-cluster"].get(form) != simdjson::SUCCESS || form != kPlanForm ||
      root["level"].get(level) != simdjson::SUCCESS || root["profile"].get(profile) != simdjson::SUCCESS ||
      root["partitions"].get(keys) != simdjson::SUCCESS || root["deadline"].get(plan.deadline) != simdjson::SUCCESS ||
      root["silence"].get(plan.silence) != simdjson::SUCCESS || root["producers"].get(producers) != simdjson::SUCCESS ||
      root["memory"].get(memory) != simdjson::SUCCESS || root["stream"].get(plan.stream) != simdjson::SUCCESS)
    return broken;
  const auto known = level_named(level);
  if (!known || keys < 1 || keys > kMostPartitions || producers < 0 || memory < 0) return broken;
  plan.level = *known;
  plan.profile = profile;
  plan.keys = static_cast<std::uint32_t>(keys);
  plan.producers = static_cast<std::uint32_t>(producers);
  plan.memory = static_cast<std::size_t>(memory);
  return plan;
}

Result<ClusterPlan> set_up(Broker& broker, const Names& names, const ClusterPlan& plan, const SetUpOptions& options) {
  // Another may have made everything.
  const auto agrees = [&](const Result<ClusterPlan>& found) -> Result<ClusterPlan> {
    ClusterPlan same = plan;
    if (found) same.stream = found->stream;
    if (!found || *found == same) return found;
    return Error{fmt::format("the stream {} exists with other settings: {}", names.trace(), plan_text(*found))};
  };
  if (const auto found = find_plan(broker, names)) return agrees(found);
  const auto lease = std::chrono::milliseconds(static_cast<std::int64_t>(options.lease * 1000));
  const StreamPlan streams[] = {
      {.name = names.trace(), .subjects = names.batches(), .max_bytes = options.max_bytes},
      {.name = names.verdict(), .subjects = names.violations(), .one_per_subject = true, .keep_first = true},
      {.name = names.status(), .subjects = names.statuses(), .one_per_subject = true},
      {.name = names.state(), .subjects = names.states()},
      {.name = names.lease(), .subjects = names.leases(), .one_per_subject = true, .max_age = lease},
      {.name = names.plan(), .subjects = names.plans(), .one_per_subject = true},
  };
  for (const StreamPlan& stream : streams) {
    if (auto made = broker.make_stream(stream); !made) return std::move(made).error();
  }
  const Appended written = append_now(broker, {names.plans(), plan_text(plan), {}}, 0);
  if (written.outcome == AppendOutcome::kStored) return plan;
  if (written.outcome != AppendOutcome::kRefused) return Error{"the plan could not be written: " + written.why};
  return agrees(find_plan(broker, names));
}

Result<ClusterPlan> find_plan(Broker& broker, const Names& names) {
  auto found = last_now(broker, names.plan(), names.plans());
  if (!found) return std::move(found).error();
  if (found->sequence == 0)
    return Error{
        fmt::format("there is no stream {0}: create it with `isolde watch nats://…/{0} --level …`", names.trace())};
  return read_plan(found->data);
}

Result<PartitionEngine> make_engine(const ClusterPlan& plan, std::uint32_t partition, OnlineSink& sink,
                                    timeline::TieObserver* ties) {
  PartitionEngine made;
  if (!plan.by_clocks()) {
    const Layout layout = plan.layout();
    const bool keys_alone = !layout.is_whole() && !layout.is_order(partition);
    made.feed = stream::feed_as_it_comes();
    made.engine = timeline::make_online({.level = keys_alone ? level_of_keys(plan.level) : plan.level,
                                         .deadline = nanoseconds_of(plan.deadline),
                                         .memory_limit = plan.memory,
                                         .spill_folder = {},
                                         .ties = layout.is_whole() ? nullptr : ties},
                                        sink);
    return made;
  }
  const mirror::Profile* const profile = mirror::profile_named(plan.profile);
  if (profile == nullptr) return Error{fmt::format("there is no profile {}", plan.profile)};
  made.feed = stream::feed_in_order({.silence = nanoseconds_of(plan.silence),
                                     .hold = nanoseconds_of(1),
                                     .max_bytes = plan.memory / 4,
                                     .max_sessions = std::size_t{1} << 16});
  made.engine = mirror::make_mirror({.profile = *profile, .memory_limit = plan.memory}, sink);
  return made;
}

}  // namespace isolde::cluster
