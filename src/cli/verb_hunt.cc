#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "base/mapped_file.h"
#include "cli/interrupt.h"
#include "cli/live_run.h"
#include "cli/live_server.h"
#include "cli/outcomes.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "cli/which_database.h"
#include "db/product.h"
#include "hunt/bug_report.h"
#include "hunt/case/dialects.h"
#include "hunt/finding/file_trust.h"
#include "hunt/finding/finding_file.h"
#include "hunt/hunt.h"
#include "hunt/replay.h"
#include "hunt/server_facts.h"
#include "report/json.h"
#include "report/page/page.h"
#include "report/report.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;
using hunt::Finding;
using hunt::HuntCounts;

// Set by ctrl-C: the case that is running ends, and the summary is printed. A second one ends the process as usual.
constexpr const char* kDefaultFolder = "isolde-findings";
constexpr std::uint64_t kMostKeptOnce = 10;

struct HuntPlan {
  hunt::HuntOptions options;
  std::string level, out, html, against;
  bool json = false, quiet = false;
};

Result<HuntPlan> hunt_plan(const Arguments& args) {
  HuntPlan plan;
  hunt::HuntOptions& o = plan.options;
  auto seed = args.count("seed", 1);
  if (!seed) return std::move(seed).error();
  o.seed = *seed;
  auto time = args.seconds("time");
  if (!time) return std::move(time).error();
  if (*time) o.time = std::chrono::seconds(static_cast<std::int64_t>(**time + 0.999));
  auto timeout = args.seconds("timeout");
  if (!timeout) return std::move(timeout).error();
  if (args.has("cases")) {
    if (auto e = take_count(args, "cases", 1, o.most_cases)) return *std::move(e);
    if (!*time) o.time = std::chrono::hours(24 * 365);  // --cases alone says when to stop
  }
  if (*timeout) o.time = std::min(o.time, std::chrono::seconds(static_cast<std::int64_t>(**timeout + 0.999)));
  if (auto e = take_count(args, "orders", 1, o.trial.orders)) return *std::move(e);
  if (auto e = take_count(args, "max-findings", 1, o.most_findings)) return *std::move(e);
  if (args.has("writes")) {
    auto share = args.share("writes", 0);
    if (!share) return std::move(share).error();
    o.generate.writes = static_cast<std::uint32_t>(*share * 100 + 0.5);
  }
  o.generate.foreign_keys = args.has("foreign-keys");
  o.generate.views = args.has("views");
  o.generate.generated_columns = args.has("generated-columns");
  o.generate.triggers = args.has("triggers");
  o.generate.partitions = args.has("partitions");
  o.generate.features = hunt::kUnaskedFeatures;
  o.stop = &interrupted;
  plan.level = args.text("level");
  plan.out = args.text("out", kDefaultFolder);
  plan.html = args.text("html");
  plan.against = args.text("against");
  plan.json = args.has("json");
  plan.quiet = args.has("quiet");
  return plan;
}

// A server that is ours, with the settings that make it fast; those of --server-settings come first. `scratch`: the URL
// where none is given.
Result<OpenDatabase> open_hunted(const Arguments& args, std::optional<db::ServerOptions> spawn,
                                 std::string scratch = "sqlite:") {
  if (spawn) {
    for (const auto& [name, value] : hunt::fast_settings(spawn->kind)) spawn->settings.try_emplace(name, value);
  }
  return open_database_at(args, spawn, args.positional.empty() ? std::move(scratch) : args.positional.front());
}

hunt::HuntedServer hunted(db::Server* server) {
  if (server == nullptr) return {};
  return {.restart = [server]() -> Result<void> {
            (void)server->stop(db::Stop::kCrash);  // it may have ended by itself
            return server->start();
          },
          .log_file = server->log_file()};
}

Result<const db::ServerLevel*> level_of_server(db::Database& database, const std::string& name) {
  // What it claims may hang on a setting of the server, which the driver knows once it has asked.
  auto connection = database.connect(database.levels().front());
  if (!connection) return std::move(connection).error();
  if (auto described = database.describe(**connection); !described) return std::move(described).error();
  if (!name.empty()) return db::level_named(database, name);
  for (const db::ServerLevel& level : database.levels()) {
    if (level.is_default) return &level;
  }
  return &database.levels().front();
}

bool reachable(db::Database& database) { return bool(database.connect(database.levels().front())); }

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

double a_minute(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) * 60 / seconds : 0;
}

std::vector<std::string> urls_against(const std::string& all) {
  std::vector<std::string> urls;
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t comma = std::min(all.find(',', from), all.size());
    if (comma > from) urls.push_back(all.substr(from, comma - from));
    from = comma + 1;
  }
  return urls;
}

Result<void> write(const Finding& finding, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << finding_text(finding);
  if (!file.flush()) return Error{"cannot write", path};
  return {};
}

// "finding-001-result.finding": the first number that is free. `what`: "finding", or "once" for what was seen once.
Result<std::string> save_finding(const Finding& finding, const std::string& folder, std::string_view what) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot create the folder: {}", error.message()), folder};
  std::string path;
  for (int number = 1; path.empty(); ++number) {
    const std::string start = fmt::format("{}-{:03}-", what, number);
    bool taken = false;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      taken |= entry.path().filename().string().starts_with(start);
    if (!taken) path = fmt::format("{}/{}{}.finding", folder, start, name(finding.wrong));
  }
  if (auto written = write(finding, path); !written) return std::move(written).error();
  return path;
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The case as it ran, one step a line.
std::string steps_text(const hunt::Case& test) {
  std::string out;
  std::vector<std::uint32_t> next(test.transactions.size(), 0);
  for (const std::uint32_t who : test.order) {
    if (who >= test.transactions.size()) continue;
    const hunt::Transaction& transaction = test.transactions[who];
    const std::uint32_t statement = next[who]++;
    const std::string_view sql = statement < transaction.statements.size()
                                     ? std::string_view(transaction.statements[statement].sql)
                                     : std::string_view(transaction.commits ? "commit" : "rollback");
    out += fmt::format("    T{}  {}\n", who + 1, sql);
  }
  return out;
}

void print_finding(const Finding& finding, const std::string& file, bool quiet) {
  print(fmt::format("found: {} ({})\n", about(finding.wrong), finding.cause));
  if (finding.rate.is_rare())
    print(fmt::format("  not every time: seen in {} of {} runs\n", finding.rate.seen, finding.rate.runs));
  if (!quiet) {
    print(steps_text(finding.test));
    if (!finding.expected.empty()) print(fmt::format("  expected:\n{}", indented(finding.expected)));
    if (!finding.actual.empty()) print(fmt::format("  got:\n{}", indented(finding.actual)));
  }
  if (!file.empty()) print(fmt::format("  {}  (isolde hunt --replay {})\n", file, file));
}

std::string finding_line(const Finding& f, const std::string& file) {
  const auto if_rare = [&](std::uint64_t count) { return f.rate.is_rare() ? std::to_string(count) : "null"; };
  return JsonObject()
             .text("event", "finding")
             .text("wrong", name(f.wrong))
             .text("about", about(f.wrong))
             .text("cause", f.cause)
             .text_or_null("anomaly", f.anomaly)
             .raw("seen", if_rare(f.rate.seen))
             .raw("of_runs", if_rare(f.rate.runs))
             .number("case_seed", f.test.seed)
             .number("transactions", f.test.transactions.size())
             .number("statements", statements_of(f.test))
             .number("tables", f.test.schema.tables.size())
             .text("expected", f.expected)
             .text("actual", f.actual)
             .text_or_null("file", file)
             .done() +
         "\n";
}

void print_hunt_summary(const HuntPlan& plan, const db::ServerLevel& level, const hunt::HuntResult& r) {
  const HuntCounts& c = r.counts;
  if (plan.json) {
    print(JsonObject()
              .text("event", "summary")
              .text("server", r.server)
              .text("level", level.name)
              .text("claims", info(level.claims).name)
              .number("seed", plan.options.seed)
              .decimal("seconds", c.seconds, 1)
              .text("ended", r.ended)
              .number("cases", c.cases)
              .number("judged", c.cases - c.given_up)
              .decimal("cases_a_minute", a_minute(c.cases, c.seconds), 1)
              .number("oracle_rounds", c.rounds)
              .decimal("oracle_rounds_a_minute", a_minute(c.rounds, c.seconds), 1)
              .number("runs", c.runs)
              .number("schemas", c.schemas)
              .number("statements", c.statements)
              .number("refused", c.failed)
              .number("blocked", c.waited)
              .number("timed_out", c.timed_out)
              .number("dropped_for_cycles", c.dropped_for_cycles)
              .number("given_up", c.given_up)
              .number("histories", c.histories)
              .number("faults", c.faults)
              .text_or_null("first_fault", r.first_fault)
              .number("restarts", c.restarts)
              .number("findings", c.findings)
              .number("causes", c.causes)
              .number("seen_once", c.unsteady)
              .raw("known_cause", r.not_held ? json_string(r.not_held->cause) : "null")
              .done() +
          "\n");
    return;
  }
  if (!plan.quiet) {
    print(fmt::format("{} at {}, held to {}, seed {}: {:.0f} s, {}\n", r.server, level.name, info(level.claims).name,
                      plan.options.seed, c.seconds, r.ended));
    print(fmt::format("  {} ({:.0f} a minute), {} ({:.0f} a minute), {} checked against the level\n",
                      counted(c.cases, "case", "cases"), a_minute(c.cases, c.seconds),
                      counted(c.rounds, "oracle round", "oracle rounds"), a_minute(c.rounds, c.seconds),
                      counted(c.histories, "history", "histories")));
    print(fmt::format("  {}: {} refused by the server, {} blocked, {} out of time, {} dropped for cycles\n",
                      counted(c.statements, "statement", "statements"), grouped(c.failed), grouped(c.waited),
                      grouped(c.timed_out), grouped(c.dropped_for_cycles)));
    if (c.given_up > 0) print(fmt::format("  {} could not be judged\n", counted(c.given_up, "case", "cases")));
    if (c.faults > 0)
      print(fmt::format("  {} met an error that Isolde does not know, the first: {}\n",
                        counted(c.faults, "case", "cases"), r.first_fault));
    if (c.unsteady > 0)
      print(fmt::format("  {} seen once and not in {} further runs: kept as once-*.finding, not counted as found\n",
                        counted(c.unsteady, "fault was", "faults were"), grouped(c.rare_runs)));
    if (c.restarts > 0) print(fmt::format("  the server was gone {}\n", counted(c.restarts, "time", "times")));
  }
  if (c.findings == 0) return print("nothing found\n");
  print(fmt::format("{}, of {}\n", counted(c.findings, "finding", "findings"), counted(c.causes, "cause", "causes")));
}

// Each cause is a finding: more findings of a known cause are not new, another cause is.
Exit judge_hunt(const HuntPlan& plan, const db::ServerLevel& level, const hunt::HuntResult& r,
                const std::map<std::string, std::uint64_t>& causes, bool undecided, Outcomes& outcomes,
                const std::string& subject) {
  std::vector<KnownFinding> found;
  for (const auto& [cause, count] : causes)
    found.push_back({.verb = "hunt",
                     .file = subject,
                     .level = std::string(level.name),
                     .anomaly = cause,
                     .most = count,
                     .why = {}});
  const bool any = !found.empty();
  const Exit without = undecided ? Exit::kUndecided : Exit::kFine;
  const Outcomes::Judgement judgement = outcomes.judge(std::move(found), any ? Exit::kFound : without, without);
  if (!plan.json && !plan.quiet) print(known_text(judgement.known));
  if (!outcomes.wanted()) return judgement.exit;
  CiCase one;
  one.name = subject;
  one.level = level.name;
  one.message = fmt::format("{}, of {}, in {}", counted(r.counts.findings, "finding", "findings"),
                            counted(r.counts.causes, "cause", "causes"), counted(r.counts.cases, "case", "cases"));
  if (r.cut_short) one.message += "; " + r.ended;
  for (const Finding& finding : r.findings) one.details += bug_report_text(finding, {}) + "\n";
  one.seconds = r.counts.seconds;
  outcomes.add(std::move(one), judgement, any);
  return judgement.exit;
}

// `live_server`: where the hunt can be followed; null: nowhere. `subject`: what is hunted in, for baselines and CI.
Exit run_hunting(const HuntPlan& plan, const OpenDatabase& open, LiveServer* live_server, Outcomes& outcomes,
                 const std::string& subject) {
  const auto fail = [&](const Error& error) {
    print_error(error);
    outcomes.add_bad_input(subject, error);
    return Exit::kBadInput;
  };
  const auto level = level_of_server(*open.database, plan.level);
  if (!level) return fail(level.error());
  // Of its own: what the driver's table says may change when a server is asked again.
  const db::ServerLevel chosen = **level;
  TerminalProgress progress("hunt", plan.quiet);
  HuntCounts last;
  std::optional<Error> not_kept;
  std::map<std::string, std::string> files;     // by cause
  std::map<std::string, std::uint64_t> causes;  // how often each was found
  std::vector<Finding> found;                   // for the page: one of each cause
  std::uint64_t once = 0;                       // seen, and not again
  const auto live = [&](std::string_view doing) {
    progress.advance(
        fmt::format("{} cases, {} oracle rounds, {} blocked, {} refused, {} found{};", grouped(last.cases),
                    grouped(last.rounds), grouped(last.waited), grouped(last.failed), grouped(last.findings), doing),
        static_cast<std::uint64_t>(last.seconds),
        plan.options.most_cases == UINT64_MAX ? static_cast<std::uint64_t>(plan.options.time.count()) : 0);
  };
  const hunt::HuntSink sink = {.progress =
                                   [&](const HuntCounts& counts) {
                                     last = counts;
                                     live("");
                                     show_hunt(live_server, last, open.url.shown(), found);
                                   },
                               .found =
                                   [&](const Finding& finding, bool new_cause) {
                                     ++last.findings;
                                     ++causes[finding.cause];
                                     if (!new_cause) return;
                                     if (!plan.html.empty() || live_server != nullptr) found.push_back(finding);
                                     show_hunt(live_server, last, open.url.shown(), found);
                                     progress.clear();
                                     auto file = save_finding(finding, plan.out, "finding");
                                     if (!file && !not_kept) not_kept = file.error();
                                     const std::string path = file ? *file : std::string();
                                     files[finding.cause] = path;
                                     if (plan.json) {
                                       print(finding_line(finding, path));
                                     } else {
                                       print_finding(finding, path, plan.quiet);
                                     }
                                     (void)flush_output();
                                   },
                               .once =
                                   [&](const Finding& finding) {
                                     if (++once > kMostKeptOnce) return;
                                     const auto file = save_finding(finding, plan.out, "once");
                                     if (!file && !not_kept) not_kept = file.error();
                                   }};
  hunt::HuntOptions options = plan.options;
  std::optional<OpenDatabase> other;
  std::optional<db::ServerLevel> other_level;
  if (!plan.against.empty()) {
    const std::vector<std::string> urls = urls_against(plan.against);
    if (urls.size() != 1) return fail(Error{"--against: a hunt takes one URL"});
    auto opened = open_database_at({}, std::nullopt, urls.front());
    if (!opened) return fail(opened.error());
    other = *std::move(opened);
    const auto there = level_of_server(*other->database, plan.level);
    if (!there) return fail(there.error());
    other_level = **there;
    options.against = other->database.get();
    options.against_level = &*other_level;
  }
  options.reduce.progress = [&](std::uint64_t runs, std::size_t statements, std::size_t rows) {
    live(fmt::format("; reducing: {} runs, {} statements, {} rows left", grouped(runs), statements, rows));
  };
  std::optional<FinishWhenAsked> when_asked(std::in_place);
  const auto result = hunt::hunt(*open.database, chosen, options, hunted(open.server.get()), sink);
  when_asked.reset();
  progress.clear();
  if (live_server != nullptr) live_server->end();
  if (!result) return fail(result.error());
  if (result->not_held && !plan.json && !plan.quiet) print(fmt::format("note: {}\n", result->not_held->reason));
  print_hunt_summary(plan, chosen, *result);
  if (!plan.html.empty()) {
    const HuntCounts& c = result->counts;
    const std::string title =
        fmt::format("{} at {}, seed {}: {}, {} in {:.0f} s", result->server, chosen.name, plan.options.seed,
                    counted(c.cases, "case", "cases"), counted(c.rounds, "oracle round", "oracle rounds"), c.seconds);
    if (write_whole_file(plan.html, html_page(hunt_page({}, title, found))) != Exit::kFine) return Exit::kBadInput;
  }
  if (not_kept) return fail(*not_kept);
  if (result->cut_short) print_error(result->ended);
  const bool any = result->counts.findings > 0;
  const bool undecided = result->cut_short || result->counts.cases == result->counts.given_up;
  if (!any && !result->cut_short && undecided && !plan.json) print("undecided: no case could be judged\n");
  return judge_hunt(plan, chosen, *result, causes, undecided, outcomes, subject);
}

hunt::ReplayOutcome cannot_run(std::string reason) {
  hunt::ReplayOutcome outcome;
  outcome.what = hunt::ReplayOutcome::What::kCannotRun;
  outcome.reason = std::move(reason);
  return outcome;
}

// With the settings that the finding states. What --server-settings or the URL says otherwise stays: then it cannot be
// run, and says why.
Result<OpenDatabase> open_as_found(const Arguments& args, std::optional<db::ServerOptions> spawn,
                                   const Finding& finding) {
  const auto wanted = hunt::isolation_settings(finding.dialect, finding.server);
  std::set<std::string> given;  // by the user
  if (spawn) {
    for (const auto& [name, value] : spawn->settings) given.insert(name);
    for (const auto& [name, value] : wanted) {
      // An older server does not know it, and is to start nevertheless.
      if (!given.contains(name)) spawn->settings.emplace("loose_" + name, value);
    }
  }
  const db::Product* const product = db::find_product(finding.dialect);
  const bool in_process = product != nullptr && product->in_process;
  auto open = open_hunted(args, std::move(spawn), in_process ? fmt::format("{}:", finding.dialect) : "sqlite:");
  if (!open || wanted.empty() || open->server != nullptr || open->database->dialect().name != finding.dialect)
    return open;
  auto connection = open->database->connect(open->database->levels().front());
  if (!connection) return std::move(connection).error();
  const auto here = open->database->describe(**connection);
  if (!here) return here.error();
  db::Url url = open->url;
  for (const auto& [name, value] : url.options) given.insert(name);
  for (const auto& [name, value] : hunt::settings_to_change(finding.dialect, finding.server, *here)) {
    if (!given.contains(name)) url.options.emplace_back(name, value);
  }
  if (url.options.size() == open->url.options.size()) return open;
  auto changed = db::open_database(url);
  if (changed && (*changed)->connect((*changed)->levels().front())) {
    open->url = std::move(url);
    open->database = *std::move(changed);
  }
  return open;
}

// Errors are bad input; what cannot be run is an outcome.
Result<hunt::ReplayOutcome> replayed(const Arguments& args, const HuntPlan& plan, const Finding& finding,
                                     const std::string& path) {
  auto spawn = spawn_options(args);
  if (!spawn) return std::move(spawn).error();
  const auto product = db::product_named(finding.dialect);
  if (!product) return product.error();
  if (!*spawn && args.positional.empty() && !(*product)->scratch_server.empty())
    *spawn = db::ServerOptions{.kind = std::string((*product)->scratch_server), .binaries = {}, .settings = {}};
  if (*spawn && args.has("spawn") && !hunt::share_grammar((*spawn)->kind, finding.dialect))
    return cannot_run(
        fmt::format("it is written for {}, and --spawn {} starts another server", finding.dialect, (*spawn)->kind));
  if (!args.has("trust-file")) {
    const auto file = MappedFile::open(path);
    if (!file) return file.error();
    if (auto error = hunt::why_not_trusted(finding, finding.dialect, (*file)->text(), path)) return *std::move(error);
  }
  const auto open = open_as_found(args, *std::move(spawn), finding);
  if (!open) return open.error();
  const std::string_view dialect = open->database->dialect().name;
  if (!hunt::share_grammar(finding.dialect, dialect))
    return cannot_run(fmt::format("it is written for {}, and this database speaks {}", finding.dialect, dialect));
  const auto level = level_of_server(*open->database, plan.level.empty() ? finding.level : plan.level);
  if (!level && plan.level.empty() && !finding.level.empty() && reachable(*open->database))
    return cannot_run(level.error().text);
  if (!level) return level.error();
  auto outcome =
      hunt::replay(*open->database, **level, finding, {.arena = plan.options.arena, .trial = plan.options.trial});
  if (outcome && !finding.level.empty() && (*level)->name != finding.level)
    outcome->notes.push_back(fmt::format("it was found at {}, and this ran at {}", finding.level, (*level)->name));
  return outcome;
}

// How far it reproduces: the finding on the servers of --against. One that cannot be reached is said to be so.
std::vector<hunt::SeenElsewhere> elsewhere(const HuntPlan& plan, const Finding& finding) {
  std::vector<hunt::SeenElsewhere> all;
  for (const std::string& url : urls_against(plan.against)) {
    auto open = open_database_at({}, std::nullopt, url);
    if (!open) {
      all.push_back({url, "cannot be run: " + open.error().text});
      continue;
    }
    const auto level = level_of_server(*open->database, finding.level);
    if (!level) {
      all.push_back({open->url.shown(), "cannot be run: " + level.error().text});
      continue;
    }
    const auto outcome =
        hunt::replay(*open->database, **level, finding, {.arena = plan.options.arena, .trial = plan.options.trial});
    using What = hunt::ReplayOutcome::What;
    if (!outcome) {
      all.push_back({open->url.shown(), "cannot be run: " + outcome.error().text});
    } else {
      all.push_back({outcome->server, outcome->what == What::kSeen      ? "seen"
                                      : outcome->what == What::kNotSeen ? "not seen"
                                                                        : "cannot be run: " + outcome->reason});
    }
  }
  return all;
}

std::string replay_line(const Finding& finding, const hunt::ReplayOutcome& outcome, const std::string& path,
                        std::string_view what) {
  const bool seen = outcome.what == hunt::ReplayOutcome::What::kSeen;
  return JsonObject()
             .text("file", path)
             .text("server", outcome.server)
             .text("level", outcome.level)
             .text("found_on", finding.server)
             .text("wrong", name(finding.wrong))
             .text("cause", finding.cause)
             .text("outcome", what)
             .number("tries", outcome.tries)
             .text("expected", seen ? outcome.seen.expected : finding.expected)
             .raw("actual", seen ? json_string(outcome.seen.actual) : "null")
             .text("happened", outcome.happened)
             .text("reason", outcome.reason)
             .raw("notes", json_list(outcome.notes, json_string))
             .done() +
         "\n";
}

void print_replay(const Finding& finding, const hunt::ReplayOutcome& outcome, const std::string& path,
                  std::string_view what, bool quiet) {
  using What = hunt::ReplayOutcome::What;
  const std::string where = outcome.server.empty() ? path : fmt::format("{} at {}", outcome.server, outcome.level);
  if (outcome.what == What::kSeen) {
    print(fmt::format("{}: seen again\n", where));
  } else {
    print(fmt::format("{}: {} (it was found on {} at {})\n", where, what, finding.server, finding.level));
    const bool cannot = outcome.what == What::kCannotRun;
    if (!quiet || cannot) print(indented(cannot ? outcome.reason : outcome.happened));
  }
  for (const std::string& note : outcome.notes) print(fmt::format("note: {}\n", note));
  if (outcome.what == What::kSeen) print_finding(outcome.seen, {}, quiet);
}

Exit run_replay(const Arguments& args, const HuntPlan& plan) {
  using What = hunt::ReplayOutcome::What;
  const std::string path = args.text("replay");
  const auto finding = hunt::read_finding(path);
  if (!finding) return print_error(finding.error()), Exit::kBadInput;
  const auto outcome = replayed(args, plan, *finding, path);
  if (!outcome) return print_error(outcome.error()), Exit::kBadInput;
  const bool seen = outcome->what == What::kSeen;
  const std::string_view what = seen ? "seen" : outcome->what == What::kNotSeen ? "not seen" : "cannot be run";
  if (plan.json) {
    print(replay_line(*finding, *outcome, path, what));
  } else if (seen && args.has("markdown")) {
    print(bug_report_text(outcome->seen, elsewhere(plan, *finding)));
  } else {
    print_replay(*finding, *outcome, path, what, plan.quiet);
  }
  if (!plan.html.empty() &&
      write_whole_file(
          plan.html,
          html_page(hunt_page(path, fmt::format("replayed on {} at {}: {}", outcome->server, outcome->level, what),
                              std::span(seen ? &outcome->seen : &*finding, 1)))) != Exit::kFine)
    return Exit::kBadInput;
  return seen ? Exit::kFound : outcome->what == What::kNotSeen ? Exit::kFine : Exit::kUndecided;
}

}  // namespace

Exit run_hunt(const Arguments& args) {
  const auto plan = hunt_plan(args);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  if (args.has("replay")) {
    for (const char* option : {"baseline", "write-baseline", "junit"}) {
      if (args.has(option))
        return print_error(Error{fmt::format("--{} is for a hunt, not for --replay", option)}), Exit::kBadInput;
    }
    return run_replay(args, *plan);
  }
  auto outcomes = Outcomes::from("hunt", "hunt", args);
  if (!outcomes) return print_error(outcomes.error()), Exit::kBadInput;
  auto spawn = spawn_options(args);
  if (!spawn) return print_error(spawn.error()), Exit::kBadInput;
  // Of a server that is started for this, its address says nothing; what it is does.
  std::string subject = *spawn ? (*spawn)->kind : args.positional.empty() ? "sqlite:" : args.positional.front();
  subject = db::without_passwords(subject);
  const auto finish = [&](Exit exit) { return worse(exit, outcomes->finish(plan->quiet)); };
  const auto open = open_hunted(args, *std::move(spawn));
  if (!open) {
    print_error(open.error());
    outcomes->add_bad_input(subject, open.error());
    return finish(Exit::kBadInput);
  }
  const auto live = LiveServer::from(args);
  if (!live) return print_error(live.error()), Exit::kBadInput;
  return finish(run_hunting(*plan, *open, live->get(), *outcomes, subject));
}

}  // namespace isolde::cli
