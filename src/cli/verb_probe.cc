#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/outcomes.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "cli/which_database.h"
#include "db/database.h"
#include "probe/file_trust.h"
#include "probe/probe.h"
#include "probe/render.h"
#include "probe/scenario.h"
#include "probe/summary.h"
#include "report/json.h"
#include "report/page/page.h"

namespace isolde::cli {
namespace {

using probe::Scenario;

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::stringstream all(list);
  for (std::string word; std::getline(all, word, ',');) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// Those that come with Isolde and then the user's own; a name that is there already is replaced.
Result<std::vector<Scenario>> scenarios_of(const Arguments& args) {
  auto all = probe::built_in_scenarios();
  if (!all) return all;
  std::vector<std::string> own;
  for (const std::string& path : words_of(args.text("scenario"))) {
    auto scenario = probe::read_scenario(path);
    if (!scenario) return std::move(scenario).error();
    own.push_back(scenario->name);
    const auto same = std::find_if(all->begin(), all->end(), [&](const Scenario& s) { return s.name == own.back(); });
    if (same != all->end()) {
      *same = *std::move(scenario);
    } else {
      all->push_back(*std::move(scenario));
    }
  }
  if (!args.has("only")) {
    // Who brings scenarios wants to see those.
    if (!own.empty())
      std::erase_if(*all, [&](const Scenario& s) { return std::count(own.begin(), own.end(), s.name) == 0; });
    return all;
  }
  std::vector<Scenario> chosen;
  for (const std::string& word : words_of(args.text("only"))) {
    const auto found = std::find_if(all->begin(), all->end(), [&](const Scenario& s) { return s.name == word; });
    if (found == all->end()) {
      std::vector<std::string_view> names;
      for (const Scenario& s : *all) names.push_back(s.name);
      return Error{fmt::format("there is no scenario {}{}", word, did_you_mean(word, names))};
    }
    chosen.push_back(*found);
  }
  if (chosen.empty()) return Error{"--only takes a comma-separated list of scenarios"};
  return chosen;
}

Result<probe::ProbeOptions> probe_options(const Arguments& args, const db::Database& database) {
  probe::ProbeOptions options;
  for (const std::string& word : words_of(args.text("level"))) {
    auto level = db::level_named(database, word);
    if (!level) return std::move(level).error();
    options.levels.push_back(*level);
  }
  auto patience = args.seconds("wait");
  if (!patience) return std::move(patience).error();
  if (*patience) options.patience = std::chrono::milliseconds(static_cast<std::int64_t>(**patience * 1000));
  return options;
}

void print_findings(const Arguments& args, const probe::Findings& findings, const std::vector<Scenario>& scenarios,
                    const std::string& url, double seconds) {
  if (args.has("json")) return print(probe::findings_json(findings, scenarios, url) + "\n");
  if (args.has("transcript")) print(probe::transcripts_text(findings, scenarios));
  if (!args.has("quiet")) {
    print(fmt::format("{} ({}): {} interleaving{} at {} level{}, {:.1f} s\n\n", findings.database, url,
                      scenarios.size(), scenarios.size() == 1 ? "" : "s", findings.levels.size(),
                      findings.levels.size() == 1 ? "" : "s", seconds));
    print(probe::table_text(findings, scenarios) + "\n");
  }
  for (const probe::LevelFindings& level : findings.levels)
    print(probe::summary_text(level, probe::summary_of(level, scenarios)));
}

// Each level is one answer: a broken promise, unless it is known, or steps that gave none.
Exit judge_levels(const probe::Findings& findings, const std::vector<Scenario>& scenarios, const std::string& url,
                  bool silent, Outcomes& outcomes) {
  Exit exit = Exit::kFine;
  for (const probe::LevelFindings& level : findings.levels) {
    const probe::LevelSummary summary = probe::summary_of(level, scenarios);
    const Exit without = summary.undecided.empty() ? Exit::kFine : Exit::kUndecided;
    std::vector<KnownFinding> found;
    for (const Scenario* scenario : summary.forbidden)
      found.push_back({.verb = "probe",
                       .file = url,
                       .level = std::string(level.level->name),
                       .anomaly = scenario->name,
                       .most = 1,
                       .why = {}});
    const bool any = !found.empty();
    const Outcomes::Judgement judgement = outcomes.judge(std::move(found), any ? Exit::kFound : without, without);
    if (!silent) print(known_text(judgement.known));
    exit = worse(exit, judgement.exit);
    if (!outcomes.wanted()) continue;
    CiCase one;
    one.name = url;
    one.level = level.level->name;
    one.details = probe::summary_text(level, summary);
    one.message = one.details.substr(0, one.details.find('\n'));
    outcomes.add(std::move(one), judgement, any);
  }
  return exit;
}

void print_list(const std::vector<Scenario>& scenarios, bool json) {
  for (const Scenario& s : scenarios) {
    const auto name_of = [](Level level) { return info(level).name; };
    if (json) {
      print(JsonObject()
                .text("name", s.name)
                .text("title", s.title)
                .text("about", s.about)
                .text("source", s.source)
                .raw("breaks", json_list(s.breaks, [&](Level level) { return json_string(name_of(level)); }))
                .text("file", s.file)
                .done() +
            "\n");
      continue;
    }
    print(fmt::format("{}: {}\n{}", s.name, s.title, s.about.empty() ? "" : "  " + s.about + "\n"));
    print(fmt::format("  ruled out by {} and all that imply it{}{}\n\n", joined(s.breaks, name_of),
                      s.source.empty() ? "" : "; from ", s.source));
  }
}

// `probes`: what a page shows, if one is wanted.
Exit probe_one(const Arguments& args, const std::vector<Scenario>& scenarios,
               const std::optional<db::ServerOptions>& spawn, const std::string& url, std::vector<std::string>& probes,
               Outcomes& outcomes) {
  const auto fail = [&](const Error& error) {
    print_error(error);
    outcomes.add_bad_input(db::without_passwords(url), error);
    return Exit::kBadInput;
  };
  const auto open = open_database_at(args, spawn, url);
  if (!open) return fail(open.error());
  if (!args.has("trust-file")) {
    for (const Scenario& scenario : scenarios) {
      if (const auto error = probe::why_not_trusted(scenario, open->database->dialect().name)) return fail(*error);
    }
  }
  auto options = probe_options(args, *open->database);
  if (!options) return fail(options.error());
  TerminalProgress progress("probe", args.has("quiet"));
  options->progress = &progress;
  const Stopwatch watch;
  const auto findings = probe::probe(*open->database, scenarios, *options);
  progress.clear();
  if (!findings) return fail(findings.error());
  print_findings(args, *findings, scenarios, open->url.shown(), watch.seconds());
  if (args.has("html")) probes.push_back(probe::findings_json(*findings, scenarios, open->url.shown()));
  // Of a server that was started for this, its address says nothing; what it is does.
  const std::string subject = spawn ? spawn->kind : open->url.shown();
  return judge_levels(*findings, scenarios, subject, args.has("json") || args.has("quiet"), outcomes);
}

}  // namespace

Exit run_probe(const Arguments& args) {
  const auto scenarios = scenarios_of(args);
  if (!scenarios) return print_error(scenarios.error()), Exit::kBadInput;
  if (args.has("list")) return print_list(*scenarios, args.has("json")), Exit::kFine;
  const auto spawn = spawn_options(args);
  if (!spawn) return print_error(spawn.error()), Exit::kBadInput;
  std::vector<std::string> urls = args.positional;
  if (urls.empty()) urls.emplace_back("sqlite:");
  auto outcomes = Outcomes::from("probe", "probe", args);
  if (!outcomes) return print_error(outcomes.error()), Exit::kBadInput;
  Exit exit = Exit::kFine;
  std::vector<std::string> probes;
  for (const std::string& url : urls) {
    if (&url != urls.data() && !args.has("json")) print("\n");
    exit = worse(exit, probe_one(args, *scenarios, *spawn, url, probes, *outcomes));
    (void)flush_output();
  }
  if (args.has("html") && !probes.empty())
    exit = worse(exit, write_whole_file(args.text("html"), html_page(probe_page(probes))));
  return worse(exit, outcomes->finish(args.has("quiet")));
}

}  // namespace isolde::cli
