#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/nearest.h"
#include "base/text.h"
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

Exit exit_of_findings(const probe::Findings& findings, const std::vector<Scenario>& scenarios) {
  Exit exit = Exit::kFine;
  for (const probe::LevelFindings& level : findings.levels) {
    const probe::LevelSummary summary = probe::summary_of(level, scenarios);
    if (!summary.undecided.empty()) exit = worse(exit, Exit::kUndecided);
    if (!summary.keeps_its_claim()) exit = worse(exit, Exit::kFound);
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
               const std::optional<db::ServerOptions>& spawn, const std::string& url,
               std::vector<std::string>& probes) {
  const auto open = open_database_at(args, spawn, url);
  if (!open) return print_error(open.error()), Exit::kBadInput;
  if (!args.has("trust-file")) {
    for (const Scenario& scenario : scenarios) {
      if (const auto error = probe::why_not_trusted(scenario, open->database->dialect().name))
        return print_error(*error), Exit::kBadInput;
    }
  }
  auto options = probe_options(args, *open->database);
  if (!options) return print_error(options.error()), Exit::kBadInput;
  TerminalProgress progress("probe", args.has("quiet"));
  options->progress = &progress;
  const Stopwatch watch;
  const auto findings = probe::probe(*open->database, scenarios, *options);
  progress.clear();
  if (!findings) return print_error(findings.error()), Exit::kBadInput;
  print_findings(args, *findings, scenarios, open->url.shown(), watch.seconds());
  if (args.has("html")) probes.push_back(probe::findings_json(*findings, scenarios, open->url.shown()));
  return exit_of_findings(*findings, scenarios);
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
  Exit exit = Exit::kFine;
  std::vector<std::string> probes;
  for (const std::string& url : urls) {
    if (&url != urls.data() && !args.has("json")) print("\n");
    exit = worse(exit, probe_one(args, *scenarios, *spawn, url, probes));
    (void)flush_output();
  }
  if (args.has("html") && !probes.empty())
    exit = worse(exit, write_whole_file(args.text("html"), html_page(probe_page(probes))));
  return exit;
}

}  // namespace isolde::cli
