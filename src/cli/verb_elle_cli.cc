// elle-cli's command line, so that scripts move over by changing one word (docs/elle-cli.md lists the differences).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "base/nearest.h"
#include "checking/checking.h"
#include "cli/verbs.h"
#include "format/format.h"
#include "report/explain_anomaly.h"
#include "report/json.h"
#include "report/page/check_page.h"
#include "report/page/page.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

// What elle-cli's checker of a model asks for; empty: what --consistency-models says.
struct Model {
  std::string_view name;
  std::string_view level;
};
constexpr Model kModels[] = {
    {"list-append", ""},
    {"rw-register", ""},
    {"bank", "serializable"},
    {"long-fork", "snapshot-isolation"},
    {"counter", "strict-serializable"},
    {"set", "strict-serializable"},
    {"set-full", "strict-serializable"},
    {"cas-register", "strict-serializable"},
    {"mutex", "strict-serializable"},
};
constexpr std::string_view kNoModelOfOurs[] = {"comments", "sequential"};
// They say how long Elle may search and draw, or what a checker of ours does not need to be told.
constexpr std::string_view kWithoutEffect[] = {
    "cycle-search-timeout", "plot-format",  "plot-timeout", "max-plot-bytes",
    "group-size",           "max-transfer", "total-amount", "allow-negative-balances"};

struct EllePlan {
  std::vector<Level> levels;
  const FormatInfo* format = nullptr;  // by the content
  std::string directory;
  bool json = false;
};

struct ElleAnswer {
  Outcome outcome = Outcome::kSatisfied;
  std::vector<std::string_view> broken;                   // levels
  std::map<std::string, std::vector<std::string>> found;  // anomalies by name: JSON objects
  std::string reason;                                     // why it is unknown, or what was not tested
};

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (!one.empty()) names.emplace_back(one.starts_with(':') ? one.substr(1) : one);
  }
  return names;
}

Result<std::vector<Level>> levels_of(const Arguments& args) {
  const std::string model = args.text("model");
  if (model.empty()) return Error{"which model? -m list-append, rw-register, … (isolde elle-cli --help)"};
  std::vector<std::string_view> names;
  for (const Model& known : kModels) {
    names.push_back(known.name);
    if (known.name != model) continue;
    std::vector<Level> levels;
    const std::string asked =
        known.level.empty() ? args.text("consistency-models", "strict-serializable") : std::string(known.level);
    for (const std::string& name : names_in(asked)) {
      auto level = level_by_name(name == "strong-serializable" ? "strict-serializable" : name);
      if (!level) return std::move(level).error();
      levels.push_back(*level);
    }
    if (levels.empty()) return Error{"--consistency-models names no level"};
    return levels;
  }
  if (std::ranges::find(kNoModelOfOurs, model) != std::end(kNoModelOfOurs))
    return Error{fmt::format("the model {} is checked by elle-cli only (docs/elle-cli.md)", model)};
  return Error{fmt::format("unknown model \"{}\"{}", model, did_you_mean(model, names))};
}

// Anomalies that are looked for beside the levels: a level of ours has to forbid them.
std::optional<Error> wrong_anomalies(const Arguments& args, std::span<const Level> levels) {
  for (const std::string& name : names_in(args.text("anomalies"))) {
    const auto kind = anomaly_named(name);
    if (!kind) return Error{fmt::format("unknown anomaly \"{}\" (isolde explain --list)", name)};
    if (std::ranges::any_of(levels, [&](Level level) { return proscribes(level, *kind); })) continue;
    const std::vector<Level> against = levels_against(*kind);
    return Error{fmt::format("Isolde checks levels, and none of --consistency-models forbids {}: add -c {}", name,
                             against.empty() ? "serializable" : info(against.front()).name)};
  }
  return std::nullopt;
}

Result<EllePlan> elle_plan(const Arguments& args) {
  EllePlan plan;
  auto levels = levels_of(args);
  if (!levels) return std::move(levels).error();
  plan.levels = *std::move(levels);
  if (auto error = wrong_anomalies(args, plan.levels)) return *std::move(error);
  if (const std::string format = args.text("format"); !format.empty()) {
    if (format != "edn" && format != "json")
      return Error{fmt::format("--format takes edn or json, not \"{}\"", format)};
    plan.format = format_named(format == "edn" ? "jepsen-edn" : "jepsen-json");
  }
  const std::string output = args.text("output", "text");
  if (output != "text" && output != "json")
    return Error{fmt::format("--output takes text or json, not \"{}\" (the -v without a value is --verbose)", output)};
  plan.json = output == "json" || args.has("verbose") || args.has("json");
  plan.directory = args.text("directory");
  for (const std::string_view option : kWithoutEffect) {
    if (args.has(option) && !args.has("quiet")) print_error(fmt::format("--{} has no effect here", option));
  }
  return plan;
}

// Beside the files of other inputs: by the name of the input.
std::string page_in(const std::string& directory, const std::string& file) {
  return (fs::path(directory) / fs::path(file).filename().replace_extension(".html")).string();
}

Exit check_level(const EllePlan& plan, const Arguments& args, const Loaded& loaded, const std::string& file,
                 Level level, ElleAnswer& answer) {
  const auto started = Checking::of(loaded.history, level);
  if (!started) return print_error(started.error()), Exit::kBadInput;
  Checking& checking = **started;
  WorkBudget work;
  Limits limits;
  limits.work = &work;
  constexpr std::size_t kKept = 100;
  limits.max_anomalies = kKept;
  const auto timeout = args.seconds("timeout");
  if (!timeout) return print_error(timeout.error()), Exit::kBadInput;
  if (*timeout) limits.deadline = seconds_from_now(**timeout);
  const Verdict verdict = checking.check(limits);
  // Elle calls a level valid whose added order the history has nothing to test by.
  const bool untested = verdict.outcome == Outcome::kUndecided && verdict.holds;
  if (untested) answer.reason = fmt::format("{} holds; {}", info(*verdict.holds).name, verdict.reason);
  if (verdict.outcome == Outcome::kViolated) {
    answer.outcome = Outcome::kViolated;
    answer.broken.push_back(info(level).name);
  } else if (verdict.outcome == Outcome::kUndecided && !untested && answer.outcome == Outcome::kSatisfied) {
    answer.outcome = Outcome::kUndecided;
    answer.reason = verdict.reason;
  }
  for (const Anomaly& anomaly : verdict.anomalies) {
    std::string who;
    for (const TxnId t : anomaly.transactions)
      who += fmt::format("{}{}", who.empty() ? "" : ", ",
                         loaded.history.values().json(loaded.history.columns().id[raw(t)]));
    answer.found[full_name(anomaly)].push_back(fmt::format(R"({{"transactions": [{}], "text": {}}})", who,
                                                           json_string(paragraph(explain(loaded.history, anomaly)))));
  }
  if (plan.directory.empty() || verdict.outcome != Outcome::kViolated) return Exit::kFine;
  std::error_code error;
  fs::create_directories(plan.directory, error);
  const Report report{.file = file,
                      .format = loaded.format->name,
                      .history = loaded.history,
                      .verdict = verdict,
                      .why_method = checking.why(verdict),
                      .notes = loaded.notes,
                      .stats = {}};
  return write_whole_file(
      page_in(plan.directory, file),
      html_page(check_page_json(report, {.version = ISOLDE_VERSION, .subject = {}, .watched = {}})));
}

std::string_view elle_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSatisfied:
      return "true";
    case Outcome::kViolated:
      return "false";
    case Outcome::kUndecided:
      return "unknown";
  }
  return "unknown";
}

std::string answer_json(const ElleAnswer& answer) {
  std::string types, anomalies, broken;
  for (const auto& [name, those] : answer.found) {
    types += fmt::format("{}{}", types.empty() ? "" : ", ", json_string(name));
    anomalies += fmt::format("{}{}: [{}]", anomalies.empty() ? "" : ", ", json_string(name), fmt::join(those, ", "));
  }
  for (const std::string_view level : answer.broken)
    broken += fmt::format("{}{}", broken.empty() ? "" : ", ", json_string(level));
  const std::string valid =
      answer.outcome == Outcome::kUndecided ? "\"unknown\"" : std::string(elle_word(answer.outcome));
  const std::string reason =
      answer.reason.empty() ? std::string() : fmt::format(R"(, "reason": {})", json_string(answer.reason));
  return fmt::format(R"({{"valid?": {}, "anomaly-types": [{}], "anomalies": {{{}}}, "not": [{}]{}}})"
                     "\n",
                     valid, types, anomalies, broken, reason);
}

Exit check_elle_file(const EllePlan& plan, const Arguments& args, const std::string& file) {
  auto loaded = load(input_path(file), plan.format, {});
  if (!loaded) return print_error(loaded.error()), Exit::kBadInput;
  ElleAnswer answer;
  Exit exit = Exit::kFine;
  for (const Level level : plan.levels) exit = worse(exit, check_level(plan, args, *loaded, file, level, answer));
  // As elle-cli's println does: the tab stands between two blanks.
  print(plan.json ? answer_json(answer) : fmt::format("{} \t {}\n", file, elle_word(answer.outcome)));
  if (!answer.reason.empty() && !plan.json && !args.has("quiet"))
    print_error(fmt::format("{}: {}", input_shown(file), answer.reason));
  return worse(exit, exit_of(answer.outcome));
}

}  // namespace

Exit run_elle_cli(const Arguments& args) {
  auto plan = elle_plan(args);
  if (!plan) return print_error(plan.error()), Exit::kFound;  // elle-cli's status for wrong options
  if (plan->json) output_is_data();
  Exit exit = Exit::kFine;
  for (const std::string& file : args.positional) {
    exit = worse(exit, check_elle_file(*plan, args, file));
    if (!flush_output()) break;
  }
  return exit;
}

}  // namespace isolde::cli
