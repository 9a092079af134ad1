#include "cli/watch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.h"
#include "check/mirror/mirror.h"
#include "check/timeline/online/online.h"
#include "cli/verbs.h"

namespace isolde::cli {
namespace {

constexpr double kSecond = 1e9;
constexpr std::uint64_t kLeastMemory = 16, kMostMemory = std::uint64_t{1} << 24;  // MiB

bool by_timestamps(Level level) {
  const LevelFamily family = info(level).family;
  return family == LevelFamily::kSnapshot || family == LevelFamily::kSerializable;
}

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * kSecond); }

Result<mirror::Profile> generic_profile(const WatchPlan& plan) {
  if (plan.profile) return *plan.profile;
  if (!plan.level)
    return Error{"method mirror needs --profile NAME, e.g. postgres:serializable, or --level LEVEL (docs/profiles.md)"};
  const std::string_view name = info(*plan.level).name;
  if (const mirror::Profile* found = mirror::profile_named(name)) return *found;
  return Error{fmt::format(
      "there is no profile for {} itself: name the profile of the database with --profile (docs/profiles.md)", name)};
}

struct Decision {
  OnlineMethod method = OnlineMethod::kTimeline;
  std::string why;
};

std::optional<OnlineMethod> method_named(std::string_view text) {
  for (const OnlineMethod method : {OnlineMethod::kTimeline, OnlineMethod::kMirror}) {
    if (name(method) == text) return method;
  }
  return std::nullopt;
}

// Whether all committed transactions of the piece have both timestamps; whether one has the client's interval.
Result<Decision> decide(const WatchPlan& plan, const Chunk& first) {
  const History& h = first.history;
  bool timestamps = h.txn_count() > 0, intervals = false;
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    if (h.status(t) == Status::kCommitted && (h.start_ts(t) == kNoTime || h.commit_ts(t) == kNoTime))
      timestamps = false;
    if (h.begin(t) != kNoTime) intervals = true;
  }
  if (timestamps && (!plan.level || by_timestamps(*plan.level)))
    return Decision{OnlineMethod::kTimeline, "the stream has database timestamps"};
  const std::string_view no_timeline = timestamps ? "timestamps do not decide this level, the clients' clocks do"
                                                  : "the stream has no database timestamps";
  if (intervals || h.txn_count() == 0) return Decision{OnlineMethod::kMirror, std::string(no_timeline)};
  return Error{
      "the stream has neither database timestamps (start_ts, commit_ts) nor client clocks (begin, end), so it cannot "
      "be judged online; use `isolde check` when it has ended"};
}

// Without them all that the mirror could do is to hold everything.
std::optional<Error> lacks_clocks(const Chunk& first) {
  const History& h = first.history;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.begin(TxnId{t}) != kNoTime && h.end(TxnId{t}) != kNoTime) return std::nullopt;
  }
  if (h.txn_count() == 0) return std::nullopt;
  return Error{
      "method mirror needs the clients' clocks, but none of the first transactions of the stream has begin and end"};
}

Result<stream::Checker> make_timeline(const WatchPlan& plan, Chosen& chosen, OnlineSink& sink) {
  const Level level = plan.level.value_or(Level::kSnapshotIsolation);
  chosen.method = name(OnlineMethod::kTimeline);
  chosen.judged = info(level).name;
  stream::Checker checker;
  checker.feed = stream::feed_as_it_comes();
  checker.engine = timeline::make_online({.level = level,
                                          .deadline = nanoseconds(plan.deadline),
                                          .memory_limit = plan.memory / 4 * 3,
                                          .spill_folder = plan.spill,
                                          .threads = plan.threads},
                                         sink);
  checker.settings = {{"method", chosen.method},
                      {"level", chosen.judged},
                      {"deadline", fmt::format("{} s", plan.deadline)},
                      {"spill", plan.spill.empty() ? "no" : "yes"}};
  checker.certifies = true;
  checker.level = level;
  return checker;
}

Result<stream::Checker> make_mirror(const WatchPlan& plan, Chosen& chosen, OnlineSink& sink) {
  auto profile = generic_profile(plan);
  if (!profile) return std::move(profile).error();
  chosen.method = name(OnlineMethod::kMirror);
  chosen.mirror = true;
  chosen.profile = *profile;
  chosen.judged = profile->name;
  stream::Checker checker;
  checker.feed = stream::feed_in_order({.silence = nanoseconds(plan.silence),
                                        .hold = nanoseconds(plan.hold),
                                        .whole = plan.whole,
                                        .max_bytes = plan.memory / 4,
                                        .max_sessions = plan.sessions});
  checker.settings = {{"method", chosen.method},
                      {"profile", mirror::profile_text(*profile)},
                      {"silence", fmt::format("{} s", plan.silence)}};
  // Where one thread checks, states are as they always were.
  if (plan.threads > 1) checker.settings.emplace_back("threads", std::to_string(plan.threads));
  const mirror::MirrorOptions options =
      mirror::with_threads({.profile = *std::move(profile), .memory_limit = plan.memory / 2}, plan.threads);
  chosen.partitions = options.partitions;
  checker.engine = mirror::make_mirror(options, sink);
  return checker;
}

std::optional<Error> take_seconds(const Arguments& args, std::string_view option, double& to) {
  auto value = args.seconds(option);
  if (!value) return std::move(value).error();
  if (*value) to = **value;
  return std::nullopt;
}

}  // namespace

Result<WatchPlan> watch_plan(const Arguments& args) {
  WatchPlan plan;
  plan.method = method_named(args.text("method"));
  if (!plan.method && !args.text("method").empty())
    return Error{fmt::format("a stream is checked by timeline or mirror, not by \"{}\"", args.text("method"))};
  if (args.has("profiles") && !args.has("profile"))
    return Error{"--profiles only names a file of profiles: choose one of them with --profile"};
  if (args.has("profile")) {
    if (plan.method == OnlineMethod::kTimeline) return Error{"a profile is for the method mirror, not for timeline"};
    plan.method = OnlineMethod::kMirror;
    auto profile = profile_by_name(args.text("profile"), args.text("profiles"));
    if (!profile) return std::move(profile).error();
    plan.profile = *std::move(profile);
  }
  if (auto e = take_seconds(args, "deadline", plan.deadline)) return *std::move(e);
  if (auto e = take_seconds(args, "silence", plan.silence)) return *std::move(e);
  if (auto e = take_seconds(args, "hold", plan.hold)) return *std::move(e);
  auto memory = args.count("memory", plan.memory >> 20, kLeastMemory, kMostMemory);
  if (!memory) return std::move(memory).error();
  plan.memory = *memory << 20;
  auto sessions = args.count("sessions", plan.sessions, 1, UINT32_MAX);
  if (!sessions) return std::move(sessions).error();
  plan.sessions = *sessions;
  auto threads = args.count("threads", plan.threads, 1, 1024);
  if (!threads) return std::move(threads).error();
  plan.threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(*threads, mirror::kMostPartitions));
  plan.spill = args.text("spill");
  plan.lenient = args.has("lenient");
  return plan;
}

void take_earlier(WatchPlan& plan, const stream::Settings& earlier) {
  for (const auto& [name, value] : earlier) {
    if (name != "method" || plan.method) continue;
    plan.method = method_named(value);
    plan.why = "as before the restart";
  }
}

stream::MakeChecker checker_of(const WatchPlan& plan, Chosen& chosen) {
  return [&plan, &chosen](const Chunk* first, OnlineSink& sink) -> Result<stream::Checker> {
    bool mirror = plan.method == OnlineMethod::kMirror;
    chosen.why = plan.method ? plan.why : "";
    if (!plan.method && first != nullptr) {
      auto decision = decide(plan, *first);
      if (!decision) return std::move(decision).error();
      mirror = decision->method == OnlineMethod::kMirror;
      chosen.why = std::move(decision->why);
    }
    if (!mirror && plan.level && !by_timestamps(*plan.level))
      return Error{fmt::format("timestamps decide only levels of the snapshot and serializable families, not {}",
                               info(*plan.level).name)};
    if (mirror && first != nullptr) {
      if (auto lacks = lacks_clocks(*first)) return *std::move(lacks);
    }
    auto checker = mirror ? make_mirror(plan, chosen, sink) : make_timeline(plan, chosen, sink);
    constexpr std::size_t kBytesOfMemoryForOne = 4096;
    if (checker) checker->remembered = plan.memory / kBytesOfMemoryForOne;
    if (checker && !plan.input.empty()) checker->settings.emplace_back("input", plan.input);
    return checker;
  };
}

}  // namespace isolde::cli
