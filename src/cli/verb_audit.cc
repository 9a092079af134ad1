#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <span>
#include <thread>

#include "audit/audit.h"
#include "audit/class_graph.h"
#include "audit/render.h"
#include "audit/render_json.h"
#include "base/nearest.h"
#include "cli/outcomes.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "cli/which_database.h"
#include "db/product.h"
#include "report/json.h"
#include "report/page/page.h"

namespace isolde::cli {
namespace {

using audit::Audit;
using audit::WeakLevel;

// Beyond that hardly a cycle is decided, and by the paper's rule a step is slow.
constexpr std::uint64_t kStepsAsPaper = 100;
constexpr std::size_t kDetailsWidth = 100;  // of what CI systems show

struct AuditPlan {
  audit::AuditOptions options;
  std::optional<db::ServerOptions> spawn;
  std::string confirm;  // a URL
  std::size_t shown = 3;
  bool json = false, quiet = false;

  [[nodiscard]] bool confirms() const { return spawn || !confirm.empty(); }
};

Result<WeakLevel> weak_level(const Arguments& args) {
  const std::string wanted = args.text("level", "read-committed");
  if (const auto level = audit::weak_level_named(wanted)) return *level;
  constexpr std::string_view kNames[] = {"read-committed", "repeatable-read", "snapshot-isolation", "rc", "rr", "si"};
  return Error{
      fmt::format("--level takes read-committed, repeatable-read (as in MySQL) or snapshot-isolation, not \"{}\"{}",
                  wanted, did_you_mean(wanted, kNames))};
}

Result<void> take_trace_options(const Arguments& args, audit::TraceOptions& to) {
  using audit::TraceFormat;
  if (args.has("format")) {
    const std::string wanted = args.text("format");
    std::vector<std::string_view> names;
    for (const TraceFormat format : {TraceFormat::kMysqlLog, TraceFormat::kPostgresLog, TraceFormat::kPostgresCsv,
                                     TraceFormat::kSqlText, TraceFormat::kRecording}) {
      names.push_back(name(format));
      if (names.back() == wanted) to.format = format;
    }
    if (!to.format)
      return Error{
          fmt::format("--format takes {}, not \"{}\"{}", fmt::join(names, ", "), wanted, did_you_mean(wanted, names))};
  }
  if (args.has("dialect")) {
    to.dialect = audit::dialect_named(args.text("dialect"));
    if (!to.dialect)
      return Error{fmt::format("--dialect takes mysql, postgres or sqlite, not \"{}\"", args.text("dialect"))};
  }
  return {};
}

Result<void> take_search_options(const Arguments& args, audit::SearchOptions& to) {
  if (auto e = take_count(args, "k", 1, to.k)) return *std::move(e);
  if (auto e = take_count(args, "l", 1, to.l)) return *std::move(e);
  if (auto e = take_count(args, "seed", 0, to.seed)) return *std::move(e);
  to.limits.threads = std::max(1U, std::thread::hardware_concurrency());
  if (auto e = take_count(args, "threads", 1, to.limits.threads)) return *std::move(e);
  auto timeout = args.seconds("timeout");
  if (!timeout) return std::move(timeout).error();
  if (*timeout) to.limits.deadline = seconds_from_now(**timeout);
  return {};
}

Result<void> take_facts(const Arguments& args, audit::FactSwitches& to) {
  const std::string all = args.text("no-fact");
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (word == "all") {
      to.turn_all_off();
    } else if (const auto kind = audit::fact_kind_named(word)) {
      to.turn_off(*kind);
    } else {
      const auto names = audit::fact_kind_names();
      return Error{fmt::format("--no-fact takes {} or all, not \"{}\"{}", fmt::join(names, ", "), word,
                               did_you_mean(word, names))};
    }
  }
  return {};
}

Result<AuditPlan> audit_plan(const Arguments& args) {
  AuditPlan plan;
  audit::AuditOptions& o = plan.options;
  const auto level = weak_level(args);
  if (!level) return level.error();
  o.level = *level;
  if (auto taken = take_trace_options(args, o.trace); !taken) return std::move(taken).error();
  if (auto taken = take_search_options(args, o.search); !taken) return std::move(taken).error();
  o.trace.limits.deadline = o.search.limits.deadline;
  if (auto e = take_count(args, "show", 0, plan.shown)) return *std::move(e);
  o.classes.levels = !args.has("one-level");
  o.scope = !args.has("no-scope");
  auto requests = audit::request_options(args.text("requests", "auto"));
  if (!requests) return std::move(requests).error();
  o.requests = *requests;
  if (auto taken = take_facts(args, o.classes.facts); !taken) return std::move(taken).error();
  o.classes.locks = !args.has("no-lock-rule");
  o.views = !args.has("no-view-rule");
  o.graph.use_inferred_unique = args.has("infer-unique");
  o.graph.commutative_updates = !args.has("no-commutative");
  o.graph.count_against_updates = !args.has("no-count-rule");
  o.graph.inserts_are_new = !args.has("no-insert-rule");
  o.graph.deletes_commute = !args.has("no-delete-rule");
  o.graph.made_ids_are_new = !args.has("no-id-rule");
  o.graph.own_rows = !args.has("no-own-rule");
  o.graph.rechecks = !args.has("no-recheck-rule");
  if (args.has("paper")) {
    o.graph.as_paper = o.classes.one_value_is_enough = true;
    o.graph.commutative_updates = o.graph.count_against_updates = false;
    o.search.timing = audit::TimingRule::kOperations;
    o.search.most_correlation_steps = kStepsAsPaper;
  }
  plan.confirm = args.text("confirm");
  // The positional argument is the trace, not a URL.
  Arguments without_trace = args;
  without_trace.positional.clear();
  auto spawn = spawn_options(without_trace);
  if (!spawn) return std::move(spawn).error();
  plan.spawn = *std::move(spawn);
  if (plan.spawn && !plan.confirm.empty())
    return Error{"--spawn starts its own server to confirm on, so it cannot be used with --confirm"};
  plan.json = args.has("json");
  plan.quiet = args.has("quiet");
  return plan;
}

bool is_url(std::string_view text) {
  const db::Product* const product = db::product_of_scheme(text.substr(0, text.find(':')));
  const bool is_file = product != nullptr && product->in_process && text.find(':') != std::string_view::npos;
  return is_file || text.find("://") != std::string_view::npos;
}

// Its default level, or else the first.
const db::ServerLevel& usual_level(const db::Database& database) {
  for (const db::ServerLevel& level : database.levels()) {
    if (level.is_default) return level;
  }
  return database.levels().front();
}

Result<audit::Schema> schema_of(const Arguments& args) {
  const std::string where = args.text("schema");
  if (where.empty()) return audit::Schema{};
  if (!is_url(where)) return audit::read_schema(where);
  auto open = open_database_at(args, std::nullopt, where);
  if (!open) return std::move(open).error();
  auto connection = open->database->connect(usual_level(*open->database));
  if (!connection) return std::move(connection).error();
  return audit::schema_of_database(*open->database, **connection);
}

// The likeliest anomalies, those that will be shown. An error ends it: it is about the database.
Result<void> confirm_shown(const Arguments& args, const AuditPlan& plan, Audit& audit, Progress& progress) {
  const auto open = open_database_at(args, plan.spawn, plan.confirm);
  if (!open) return open.error();
  const std::size_t count = std::min(plan.shown, audit.anomalies.size());
  const audit::ConfirmOptions options = {
      .level = plan.options.level, .threads = plan.options.search.limits.threads, .progress = &progress};
  auto runs =
      audit::confirm_all(std::span(audit.anomalies).first(count), audit.classes, audit.log, *open->database, options);
  if (!runs) return std::move(runs).error();
  for (std::size_t i = 0; i < count; ++i) audit.confirmations[i] = std::move((*runs)[i]);
  return {};
}

Result<void> write_dot(const Audit& audit, const std::string& path) {
  if (path.empty()) return {};
  std::ofstream file(path, std::ios::binary);
  file << audit::class_graph_dot(audit);
  if (!file.flush()) return Error{"cannot write", path};
  return {};
}

// The anomalies by their names and the tables that they are about, with how many of each.
std::vector<KnownFinding> findings_of_audit(const Audit& audit, const std::string& file) {
  std::map<std::string, std::uint64_t> times;
  for (const audit::Anomaly& one : audit.anomalies) {
    const audit::TableId table = std::get<audit::TableId>(one.cause);
    ++times[table == audit::kNoTable ? std::string(name(one.name))
                                     : fmt::format("{} on {}", name(one.name), audit.classes.schema.table(table).name)];
  }
  // Cycles of which no order of events, or no values, can be shown: they count as found, too.
  const std::size_t untold = times.empty() ? audit.plan.first_round.size() : audit.untold;
  if (untold > 0) times["not shown"] = untold;
  std::vector<KnownFinding> found;
  for (const auto& [anomaly, count] : times)
    found.push_back({.verb = "audit",
                     .file = file,
                     .level = std::string(name(audit.options.level)),
                     .anomaly = anomaly,
                     .most = count,
                     .why = {}});
  return found;
}

Exit exit_of_finding(audit::Finding finding) {
  switch (finding) {
    case audit::Finding::kNone:
      return Exit::kFine;
    case audit::Finding::kAnomalies:
      return Exit::kFound;
    case audit::Finding::kUndecided:
      return Exit::kUndecided;
  }
  return Exit::kUndecided;
}

}  // namespace

Exit run_audit(const Arguments& args) {
  auto plan = audit_plan(args);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  auto outcomes = Outcomes::from("audit", "audit", args);
  if (!outcomes) return print_error(outcomes.error()), Exit::kBadInput;
  const std::string file = input_shown(args.positional.front());
  const auto fail = [&](const Error& error) {
    print_error(error);
    outcomes->add_bad_input(file, error);
    (void)outcomes->finish(plan->quiet);
    return exit_of(error);
  };
  auto schema = schema_of(args);
  if (!schema) return fail(schema.error());
  audit::Hints hints;
  if (args.has("hints")) {
    auto read = audit::read_hints(args.text("hints"));
    if (!read) return fail(read.error());
    hints = *std::move(read);
  }
  const Stopwatch watch;
  TerminalProgress progress("audit", plan->quiet);
  plan->options.trace.progress = plan->options.classes.progress = plan->options.search.limits.progress = &progress;
  const auto audit =
      audit::audit_trace(input_path(args.positional.front()), *std::move(schema), std::move(hints), plan->options);
  if (!audit) return progress.clear(), fail(audit.error());
  (*audit)->file = file;
  Result<void> confirmed;
  if (plan->confirms()) confirmed = confirm_shown(args, *plan, **audit, progress);
  progress.clear();
  if (plan->json) {
    print(audit::audit_json(**audit, peak_mib()) + "\n");
  } else {
    print(audit::audit_text(**audit, {.colour = output_colour(),
                                      .width = output_width(),
                                      .shown = plan->shown,
                                      .all_classes = args.has("classes"),
                                      .set_aside = args.has("set-aside"),
                                      .verdict_only = plan->quiet}));
  }
  std::vector<KnownFinding> found = findings_of_audit(**audit, file);
  const bool any = !found.empty();
  const Exit without = (*audit)->plan.complete ? Exit::kFine : Exit::kUndecided;
  const Outcomes::Judgement judgement =
      outcomes->judge(std::move(found), exit_of_finding((*audit)->finding()), without);
  if (!plan->json && !plan->quiet) print(known_text(judgement.known));
  if (outcomes->wanted()) {
    CiCase one;
    one.name = file;
    one.level = name(plan->options.level);
    one.message = audit::verdict_line(**audit);
    one.details = audit::audit_text(**audit, {.colour = Colour::kNever, .width = kDetailsWidth, .shown = plan->shown});
    one.seconds = watch.seconds();
    outcomes->add(std::move(one), judgement, any);
  }
  Exit exit = worse(judgement.exit, outcomes->finish(plan->quiet));
  if (!confirmed) return print_error(confirmed.error()), Exit::kBadInput;
  if (auto written = write_dot(**audit, args.text("dot")); !written)
    return print_error(written.error()), Exit::kBadInput;
  if (args.has("html"))
    exit =
        worse(exit, write_whole_file(args.text("html"), html_page(audit_page(audit::audit_json(**audit, peak_mib())))));
  return exit;
}

}  // namespace isolde::cli
