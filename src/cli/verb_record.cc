#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/nearest.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/check_plan.h"
#include "cli/cluster_name.h"
#include "cli/cluster_sending.h"
#include "cli/interrupt.h"
#include "cli/live_run.h"
#include "cli/live_server.h"
#include "cli/record_page.h"
#include "cli/record_place.h"
#include "cli/record_watch.h"
#include "cli/verbs.h"
#include "cli/which_database.h"
#include "db/product.h"
#include "db/server.h"
#include "record/run.h"
#include "record/workload/workload.h"
#include "report/json.h"
#include "report/page/page.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

// Set by ctrl-C: the run then ends in good order. A second ctrl-C ends the process as usual.
struct RecordPlan {
  db::Url url;
  std::optional<db::ServerOptions> spawn;
  const record::WorkloadInfo* workload = nullptr;
  record::WorkloadOptions workload_options;
  record::RunOptions run;
  std::string level;  // empty: the database's default
  std::string out;    // empty: nothing is kept
  std::optional<Level> check;
  std::string html;  // of the check, of the watch, or of both; empty: none
  std::optional<WatchPlan> watch;
  std::optional<cluster::Address> to;
  std::string name;                       // there
  std::unique_ptr<LiveServer> live;       // where the run can be followed; null: nowhere
  std::optional<CheckOutcomes> outcomes;  // of the check
  bool checked = false;                   // it has an answer
  bool json = false, quiet = false;
};

std::optional<Error> take_workload(const Arguments& args, RecordPlan& plan) {
  const std::string name = args.text("workload", "register");
  plan.workload = record::workload_named(name);
  if (plan.workload == nullptr) {
    std::vector<std::string_view> names;
    for (const record::WorkloadInfo& w : record::workloads()) names.push_back(w.name);
    return Error{fmt::format("unknown workload \"{}\"{} (isolde record --help)", name, did_you_mean(name, names))};
  }
  record::WorkloadOptions& o = plan.workload_options;
  if (auto e = take_count(args, "keys", 1, o.keys)) return e;
  if (auto e = take_count(args, "ops", 1, o.ops)) return e;
  if (auto e = take_count(args, "scale", 1, o.scale)) return e;
  if (args.has("reads")) {
    auto share = args.share("reads", 0);
    if (!share) return std::move(share).error();
    o.reads = *share;
  }
  if (args.has("distribution")) {
    o.distribution = distribution_named(args.text("distribution"));
    if (!o.distribution)
      return Error{fmt::format("--distribution takes uniform, zipf or hotspot, not \"{}\"", args.text("distribution"))};
  }
  o.repeated_values = args.has("repeated");
  o.for_update = args.has("for-update");
  o.clients = plan.run.clients;
  o.seed = plan.run.seed;
  return std::nullopt;
}

std::optional<Error> take_run(const Arguments& args, RecordPlan& plan) {
  record::RunOptions& o = plan.run;
  if (auto e = take_count(args, "clients", 1, o.clients)) return e;
  auto seed = args.count("seed", 1);
  if (!seed) return std::move(seed).error();
  o.seed = *seed;
  if (args.has("transactions")) {
    if (args.has("time")) return Error{"--time and --transactions both say when to stop: use only one of them"};
    auto count = args.count("transactions", 0, 1);
    if (!count) return std::move(count).error();
    o.transactions = *count;
  }
  auto seconds = args.seconds("time");
  if (!seconds) return std::move(seconds).error();
  if (*seconds) o.seconds = **seconds;
  if (args.has("rate")) {
    auto rate = args.count("rate", 0, 1, 1'000'000'000);
    if (!rate) return std::move(rate).error();
    o.rate = static_cast<double>(*rate);
  }
  auto rollbacks = args.share("rollbacks", 0);
  if (!rollbacks) return std::move(rollbacks).error();
  o.rollbacks = *rollbacks;
  auto think = args.seconds("think");
  if (!think) return std::move(think).error();
  if (*think && **think > 10)
    return Error{"--think takes at most 10 seconds, because a client cannot be stopped while it waits"};
  if (*think) o.think = std::chrono::microseconds(static_cast<std::int64_t>(**think * 1e6));
  if (args.has("faults")) {
    auto faults = record::parse_faults(args.text("faults"));
    if (!faults) return std::move(faults).error();
    o.faults = *faults;
  }
  o.trace = !args.has("no-trace");
  o.evidence = !args.has("no-evidence");
  o.shadow = args.has("shadow");
  o.about = args.text("workload", "register");
  return std::nullopt;
}

std::optional<Error> take_database(const Arguments& args, RecordPlan& plan) {
  auto spawn = spawn_options(args);
  if (!spawn) return std::move(spawn).error();
  plan.spawn = *std::move(spawn);
  if (plan.spawn) return std::nullopt;
  auto url = database_url(args, args.positional.empty() ? "sqlite:" : args.positional.front());
  if (!url) return std::move(url).error();
  plan.url = *std::move(url);
  const db::Setting option = db::find_product(plan.url.scheme)->recording_option;
  if (!option.name.empty() && plan.url.options.empty()) plan.url.options.emplace_back(option.name, option.value);
  return std::nullopt;
}

std::optional<Error> take_output(const Arguments& args, RecordPlan& plan) {
  plan.out = args.text("out");
  plan.json = args.has("json");
  plan.quiet = args.has("quiet");
  plan.level = args.text("level");
  if (args.has("check")) {
    auto level = level_by_name(args.text("check"));
    if (!level) return std::move(level).error();
    plan.check = *level;
  }
  for (const char* option : {"baseline", "write-baseline", "junit"}) {
    if (args.has(option) && !plan.check)
      return Error{fmt::format("--{} is about what --check LEVEL finds: add it", option)};
  }
  auto outcomes = CheckOutcomes::from("record", args);
  if (!outcomes) return std::move(outcomes).error();
  plan.outcomes = *std::move(outcomes);
  plan.html = args.text("html");
  if (!plan.html.empty() && !plan.check && !args.has("watch"))
    return Error{"--html shows what --check LEVEL or --watch found: add one of them"};
  if (args.has("watch")) {
    auto watch = watch_plan(args);
    if (!watch) return std::move(watch).error();
    plan.watch = *std::move(watch);
    plan.watch->method = OnlineMethod::kMirror;
  } else if (args.has("profile") || args.has("profiles") || args.has("memory")) {
    return Error{"--profile, --profiles and --memory require --watch"};
  }
  if (args.has("to")) {
    auto address = cluster::parse_address(args.text("to"));
    if (!address) return std::move(address).error();
    plan.to = *std::move(address);
    plan.name = args.text("name", usual_cluster_name());
  } else if (args.has("name")) {
    return Error{"--name requires --to"};
  }
  if (!plan.run.trace) {
    if (!plan.out.empty() || plan.check || plan.watch || plan.to)
      return Error{"--no-trace records nothing, so there is nothing to write, check or send"};
    return std::nullopt;
  }
  if (args.has("overwrite") && plan.out.empty()) return Error{"--overwrite requires --out FILE"};
  if (plan.out.empty() && !plan.check && !plan.watch && !plan.to)
    return Error{"`isolde record` needs --out FILE, --check LEVEL, --watch or --to nats://… (isolde record --help)"};
  if (plan.out.empty()) return std::nullopt;
  const FormatInfo* const format = format_for_path(plan.out);
  if (format == nullptr || format->write == nullptr || format->is_folder)
    return Error{fmt::format("the name {} does not show the format: use the ending .jsonl or .isl", plan.out)};
  if (!carries_everything(format->writer))
    return Error{fmt::format("format {} cannot hold everything that is recorded: give {} the ending .jsonl or .isl",
                             format->name, plan.out)};
  return what_is_in_the_way(plan.out, args.has("overwrite"));
}

Result<RecordPlan> record_plan(const Arguments& args) {
  RecordPlan plan;
  if (auto e = take_run(args, plan)) return *std::move(e);
  if (auto e = take_workload(args, plan)) return *std::move(e);
  if (auto e = take_database(args, plan)) return *std::move(e);
  if (auto e = take_output(args, plan)) return *std::move(e);
  return plan;
}

// A folder for a recording that nobody asked to keep.
class ScratchFolder {
 public:
  ScratchFolder() : path_(make_scratch_folder("record")) {}
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string failures_text(const record::RunSummary& s) {
  if (s.failures.empty()) return {};
  const auto failure = [](const auto& one) { return fmt::format("{} {}", one.first, grouped(one.second)); };
  return fmt::format(" ({})", joined(s.failures, failure));
}

// `watched`, `sent`: JSON; empty: the run was not.
void print_run_summary(const RecordPlan& plan, const db::ServerLevel& level, const record::RunSummary& s,
                       const std::string& watched, const std::string& sent) {
  if (plan.quiet) return;
  const double per_second = s.seconds > 0 ? static_cast<double>(s.committed) / s.seconds : 0;
  if (plan.json) {
    JsonObject failures;
    for (const auto& [code, count] : s.failures) failures.number(code, count);
    JsonObject out;
    out.text("workload", plan.workload->name)
        .text("database", s.database)
        .text("url", plan.url.shown())
        .text("level", level.name)
        .number("clients", plan.run.clients)
        .number("seed", plan.run.seed)
        .text_or_null("out", plan.out)
        .number("committed", s.committed)
        .number("aborted", s.aborted)
        .number("unknown", s.unknown)
        .raw("failures", failures.done())
        .number("statements", s.statements)
        .number("reconnects", s.reconnects)
        .text("faults", record::to_text(s.faults))
        .raw("seconds", JsonObject()
                            .decimal("setup", s.setup_seconds, 3)
                            .decimal("run", s.seconds, 3)
                            .decimal("recovery", s.recovery_seconds, 3)
                            .done())
        .decimal("cpu_seconds", s.cpu_seconds, 2)
        .decimal("committed_per_second", per_second, 1)
        .raw("latency_ms", JsonObject()
                               .decimal("p50", milliseconds(s.latency.at_most(0.5)), 3)
                               .decimal("p99", milliseconds(s.latency.at_most(0.99)), 3)
                               .done())
        .raw("evidence", JsonObject()
                             .text_or_null("log", s.evidence_source)
                             .number("versions", s.versions)
                             .number("snapshots", s.facts.snapshots)
                             .number("timestamps", s.facts.timestamps)
                             .number("places", s.facts.places)
                             .number("orders", s.facts.orders)
                             .done())
        .number("journal_bytes", s.journal_bytes);
    if (!watched.empty()) out.raw("watch", watched);
    if (!sent.empty()) out.raw("sent", sent);
    print(out.done() + "\n");
    return;
  }
  print(fmt::format("{} on {}, {}, {} clients, seed {}\n", plan.workload->name, s.database, level.name,
                    plan.run.clients, plan.run.seed));
  print(fmt::format("  {:.1f} s: {} committed ({}/s), {} aborted{}, {} unknown\n", s.seconds, grouped(s.committed),
                    grouped(static_cast<std::uint64_t>(per_second)), grouped(s.aborted), failures_text(s),
                    grouped(s.unknown)));
  print(fmt::format("  a committed transaction took {:.2f} ms (median), {:.2f} ms (99 %)\n",
                    milliseconds(s.latency.at_most(0.5)), milliseconds(s.latency.at_most(0.99))));
  if (s.faults.all() > 0) print(fmt::format("  faults injected: {}\n", record::to_text(s.faults)));
  if (s.reconnects > 0) print(fmt::format("  {} connections were lost and reopened\n", grouped(s.reconnects)));
  if (s.facts.snapshots > 0)
    print(fmt::format("  the database reported the snapshots of {} transactions\n", grouped(s.facts.snapshots)));
  if (s.facts.timestamps > 0)
    print(fmt::format("  the database reported the timestamps of {} transactions\n", grouped(s.facts.timestamps)));
  if (s.facts.places > 0)
    print(fmt::format("  version order: from the positions of {} commits in the log\n", grouped(s.facts.places)));
  if (s.facts.orders > 0)
    print(fmt::format("  expected serialization order: of {} transactions\n", grouped(s.facts.orders)));
  if (!s.evidence_source.empty()) {
    print(fmt::format("  version order: {} versions from the {}, {:.1f} s\n", grouped(s.versions), s.evidence_source,
                      s.recovery_seconds));
  } else if (!s.no_evidence_because.empty()) {
    print(fmt::format("  no version order from the database's log: {}\n", s.no_evidence_because));
  }
}

std::string sent_json(const RecordPlan& plan, const Result<cluster::SenderCounts>& sent) {
  return JsonObject()
      .text("to", plan.to->shown())
      .text("name", plan.name)
      .truth("complete", sent.has_value())
      .number("transactions", sent ? sent->transactions : 0)
      .number("batches", sent ? sent->batches : 0)
      .done();
}

// Turns the folder into the file that was asked for.
std::optional<Error> keep_recording(const std::string& folder, const std::string& out) {
  auto loaded = load(folder, format_named("recording"), {});
  if (!loaded) return std::move(loaded).error();
  const auto written = save(loaded->history, *format_for_path(out), out);
  if (!written) return written.error();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return std::nullopt;
}

// `database`: as it names itself. `watched`: what its page has of the watch; empty: nothing.
Exit check_recorded(RecordPlan& plan, const std::string& path, const std::string& database, std::string watched,
                    std::optional<Judged>& judged) {
  CheckPlan check = plain_check_plan(plan.json, plan.quiet);
  check.level = plan.check;
  check.html = plan.html;
  if (plan.out.empty()) check.subject = fmt::format("{} on {}", plan.workload->name, database);
  check.watched = std::move(watched);
  check.outcomes = &*plan.outcomes;
  if (!plan.json && !plan.quiet) print("\n");
  const Exit exit = check_file(check, path, &judged);
  plan.checked = true;
  static_cast<void>(flush_output());
  return exit;
}

Exit record_history(RecordPlan& plan, db::Database& database, db::Server* server, const std::string& folder) {
  const db::ServerLevel* level = nullptr;
  if (plan.level.empty()) {
    for (const db::ServerLevel& one : database.levels()) {
      if (one.is_default) level = &one;
    }
  }
  if (level == nullptr) {
    auto named = db::level_named(database, plan.level);
    if (!named) return print_error(named.error()), Exit::kBadInput;
    level = *named;
  }
  auto workload = plan.workload->make(plan.workload_options, database.dialect());
  if (!workload) return print_error(workload.error()), Exit::kBadInput;

  std::optional<RunWatcher> watcher;
  if (plan.watch) {
    if (!plan.watch->profile) {
      auto profile = profile_of_database(database, plan.url, *level);
      if (!profile) return print_error(profile.error()), Exit::kBadInput;
      plan.watch->profile = *std::move(profile);
    }
    constexpr std::uint64_t kShown = 3;
    watcher.emplace(*plan.watch, folder, kShown);
  }

  std::unique_ptr<RunSender> sender;
  if (plan.to) {
    auto opened = RunSender::open(*plan.to, plan.name, folder);
    if (!opened) return print_error(opened.error()), Exit::kBadInput;
    sender = *std::move(opened);
  }

  const std::string subject = fmt::format("{} on {}", plan.workload->name, plan.url.shown());
  if (watcher && plan.live) watcher->serve(*plan.live, subject);
  LiveRecord live(plan.live.get(), subject, watcher.has_value());
  TerminalProgress progress(fmt::format("record {}", plan.workload->name), plan.quiet);
  const auto show_found = [&] {
    if (!watcher || plan.quiet || plan.json) return;
    for (const std::string& text : watcher->found(output_colour())) {
      progress.clear();
      print(text);
    }
    (void)flush_output();
  };
  const auto show = [&](const record::RunProgress& p) {
    show_found();
    live.show(p);
    const std::string stage =
        fmt::format("{} committed, {} aborted, {} unknown; {}{} of", grouped(p.committed), grouped(p.aborted),
                    grouped(p.unknown), watcher ? watcher->live() + "; " : std::string(), "seconds");
    if (plan.run.transactions) {
      progress.advance(watcher ? watcher->live() + "; transactions" : "transactions",
                       p.committed + p.aborted + p.unknown, *plan.run.transactions);
    } else {
      progress.advance(stage, static_cast<std::uint64_t>(p.seconds), static_cast<std::uint64_t>(plan.run.seconds));
    }
  };
  std::optional<FinishWhenAsked> when_asked(std::in_place);
  const auto summary = record::run(database, plan.url, *level, **workload, plan.run, folder,
                                   {.progress = show,
                                    .interrupted = &interrupted,
                                    .started =
                                        [&](const record::RunClock& clock) {
                                          if (watcher) watcher->start(clock);
                                          if (sender) sender->start(clock);
                                        },
                                    .server = server});
  const auto sent = sender ? std::optional(sender->finish()) : std::nullopt;
  when_asked.reset();
  auto watched = watcher ? watcher->finish() : std::nullopt;
  if (plan.live) {
    if (watched && *watched) plan.live->set_page(watcher->page({.name = subject}, **watched));
    plan.live->end();
  }
  progress.clear();
  show_found();
  if (!summary) {
    print_error(summary.error());
    if (!plan.out.empty() && fs::exists(folder))
      print_error(fmt::format("the recording up to that point is in {}", folder));
    return Exit::kBadInput;
  }
  const bool judged = watched && *watched;
  print_run_summary(plan, *level, *summary, judged ? watched_json(*plan.watch->profile, **watched) : std::string(),
                    sent ? sent_json(plan, *sent) : std::string());
  if (!plan.run.trace) return Exit::kFine;
  Exit exit = Exit::kFine;
  if (sent && !*sent) {
    print_error(sent->error());
    exit = Exit::kBadInput;
  } else if (sent && !plan.json && !plan.quiet) {
    print(fmt::format("  sent to {} as {}: {}, {}\n", plan.to->shown(), plan.name,
                      words::counted((*sent)->transactions, "transaction"),
                      words::counted((*sent)->batches, "message")));
  }
  if (watched && !*watched) {
    print_error(watched->error());
    exit = Exit::kBadInput;
  }
  std::string checked = folder;
  if (!plan.out.empty()) {
    if (auto e = keep_recording(folder, plan.out)) return print_error(*e), Exit::kBadInput;
    checked = plan.out;
    if (!plan.json && !plan.quiet) print(fmt::format("  recorded in {}\n", plan.out));
  }
  if (judged) {
    if (!plan.json) print(watched_text(*plan.watch->profile, **watched, plan.quiet));
    exit = exit_of((**watched).outcome);
  }
  std::string page;
  if (judged && !plan.html.empty())
    page = record_page(*watcher, **watched,
                       RecordedRun{.workload = std::string(plan.workload->name),
                                   .level = std::string(level->name),
                                   .clients = plan.run.clients,
                                   .seed = plan.run.seed,
                                   .summary = *summary,
                                   .file = checked,
                                   .checked = plan.check.has_value()});
  std::optional<Judged> second;
  if (plan.check) {
    exit = worse(exit, check_recorded(plan, checked, summary->database, std::move(page), second));
  } else if (!page.empty()) {
    exit = worse(exit, write_whole_file(plan.html, html_page(page)));
  }
  if (judged && (**watched).counts.violations > 0 && !plan.json && !plan.quiet)
    print(second_opinion_text(*plan.watch->profile, plan.out, second));
  return exit;
}

Exit run_planned(const Arguments& args, RecordPlan& plan) {
  std::unique_ptr<db::Server> server;
  if (plan.spawn) {
    auto started = db::start_server(*plan.spawn);
    if (!started) return print_error(started.error()), Exit::kBadInput;
    server = *std::move(started);
    auto url = db::parse_url(server->url());
    if (!url) return print_error(url.error()), Exit::kBadInput;
    plan.url = *std::move(url);
  }
  auto live = LiveServer::from(args);
  if (!live) return print_error(live.error()), Exit::kBadInput;
  plan.live = *std::move(live);
  auto database = db::open_database(plan.url);
  if (!database) return print_error(database.error()), Exit::kBadInput;
  if (!plan.out.empty()) {
    if (const auto error = make_room(plan.out)) return print_error(*error), Exit::kBadInput;
    return record_history(plan, **database, server.get(), folder_of_recording(plan.out));
  }
  const ScratchFolder scratch;
  if (scratch.path().empty()) return print_error("cannot create a scratch folder"), Exit::kBadInput;
  return record_history(plan, **database, server.get(), scratch.path() + "/run");
}

}  // namespace

Exit run_record(const Arguments& args) {
  auto plan = record_plan(args);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  const Exit exit = run_planned(args, *plan);
  if (exit == Exit::kBadInput && !plan->checked) {
    plan->outcomes->add_bad_input(
        fmt::format("{} on {}", plan->workload->name, plan->spawn ? plan->spawn->kind : plan->url.shown()),
        Error{"the run failed: its messages say why"});
  }
  return worse(exit, plan->outcomes->finish(plan->quiet));
}

}  // namespace isolde::cli
