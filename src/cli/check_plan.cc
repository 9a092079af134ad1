#include "cli/check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/nearest.h"
#include "check/choose/engines.h"
#include "check/mirror/engine.h"
#include "check/mirror/mirror.h"
#include "cli/which_profile.h"
#include "history/given_initial.h"

namespace isolde::cli {
namespace {

constexpr std::uint64_t kAnomaliesKept = 1000;
constexpr std::uint64_t kAnomaliesShown = 3;

Result<const Engine*> engine_by_name(std::string_view name) {
  if (const Engine* engine = engine_named(name)) return engine;
  std::vector<std::string_view> names;
  for (const Engine& engine : engines()) names.push_back(engine.name);
  return Error{fmt::format("unknown method \"{}\"{} (isolde check --help)", name, did_you_mean(name, names))};
}

// The method mirror and its profile need each other; a report names the level that the profile is for.
std::optional<Error> take_profile(const Arguments& args, CheckPlan& plan) {
  const bool is_mirror = plan.choose.method == kMirrorEngine.name;
  if (args.has("profiles") && !args.has("profile"))
    return Error{"--profiles only names a file of profiles: choose one of them with --profile"};
  if (!args.has("profile")) {
    if (!is_mirror) return std::nullopt;
    return Error{"--method mirror needs --profile NAME, e.g. postgres:serializable (docs/profiles.md)"};
  }
  if (!plan.choose.method.empty() && !is_mirror)
    return Error{fmt::format("a profile is for the method mirror, not for {}", plan.choose.method)};
  auto profile = profile_by_name(args.text("profile"), args.text("profiles"));
  if (!profile) return std::move(profile).error();
  plan.choose.method = kMirrorEngine.name;
  plan.profile = *std::move(profile);
  if (!plan.level) plan.level = mirror::level_of(*plan.profile);
  return std::nullopt;
}

}  // namespace

CheckPlan plain_check_plan(bool json, bool quiet) {
  CheckPlan plan;
  plan.json = json;
  plan.quiet = quiet;
  plan.threads = std::max(1U, std::thread::hardware_concurrency());
  plan.kept = kAnomaliesKept;
  plan.style = {.colour = output_colour(),
                .verdict_only = quiet,
                .shown = kAnomaliesShown,
                .width = output_on_terminal() ? output_width() : 0};
  return plan;
}

Result<CheckPlan> check_plan(const Arguments& args) {
  CheckPlan plan = plain_check_plan(args.has("json"), args.has("quiet"));
  if (args.has("level")) {
    auto level = level_by_name(args.text("level"));
    if (!level) return std::move(level).error();
    plan.level = *level;
  }
  if (args.has("method")) {
    auto engine = engine_by_name(args.text("method"));
    if (!engine) return std::move(engine).error();
    plan.choose.method = (*engine)->name;
  }
  if (auto e = take_profile(args, plan)) return *std::move(e);
  if (args.has("format")) {
    auto format = format_by_name(args.text("format"));
    if (!format) return std::move(format).error();
    plan.format = *format;
  }
  if (args.has("initial")) {
    if (auto wrong = wrong_initial(args.text("initial"))) return *std::move(wrong);
    plan.initial = args.text("initial");
  }
  if (args.has("order")) {
    if (args.text("order") != "commit_ts")
      return Error{fmt::format("--order takes commit_ts, not \"{}\"", args.text("order"))};
    plan.choose.order_by_commit = true;
  }
  auto evidence = parse_evidence_use(args.text("use"), args.text("ignore"));
  if (!evidence) return std::move(evidence).error();
  plan.choose.evidence = *evidence;
  if (plan.choose.order_by_commit && evidence->ignores(EvidenceKind::kTimestamps))
    return Error{"--order commit_ts needs the timestamps that --ignore timestamps turns off"};
  if (plan.level) {
    auto judged = judged_level(*plan.level, *evidence);
    if (!judged) return std::move(judged).error();
  }
  auto timeout = args.seconds("timeout");
  if (!timeout) return std::move(timeout).error();
  plan.timeout = *timeout;
  auto threads = args.count("threads", plan.threads, 1, 1024);
  if (!threads) return std::move(threads).error();
  plan.threads = static_cast<unsigned>(*threads);
  // The mirror is partitioned only where threads were asked for.
  if (args.has("threads")) plan.engine.partitions = std::min(plan.threads, mirror::kMostPartitions);
  auto kept = args.count("max-anomalies", kAnomaliesKept, 1);
  if (!kept) return std::move(kept).error();
  plan.kept = *kept;
  auto shown = args.count("anomalies", kAnomaliesShown);
  if (!shown) return std::move(shown).error();
  plan.lenient = args.has("lenient");
  plan.prove = args.has("prove");
  plan.strongest = args.has("strongest");
  plan.explain_method = args.has("explain-method");
  plan.engine.guess = !args.has("no-guess");
  plan.style.shown = *shown;
  plan.dot = args.text("dot");
  plan.svg = args.text("svg");
  plan.html = args.text("html");
  for (const std::string_view option : {"dot", "svg", "html"}) {
    if (args.has(option) && args.positional.size() > 1)
      return Error{fmt::format("--{} takes one history at a time", option)};
  }
  return plan;
}

Level level_for(const CheckPlan& plan, const History& history, std::vector<std::string>& notes) {
  if (plan.level) return *plan.level;
  const Level level = level_by_evidence(history);
  const bool timestamps = info(level).family == LevelFamily::kSnapshot;
  notes.push_back(fmt::format("no --level was given: checked {}, because the history has {}", info(level).name,
                              timestamps ? "database timestamps" : "no database timestamps"));
  return level;
}

}  // namespace isolde::cli
