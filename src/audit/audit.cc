#include "audit/audit.h"

#include <fmt/format.h>

#include <chrono>

#include "anomaly/names.h"

namespace isolde::audit {
namespace {

// The graph keeps something for every pair of classes.
constexpr std::size_t kMostClasses = 10'000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Without a plan: one search, whose cycles are all there is.
FixPlan only_search(const Classes& classes, const DependencyGraph& graph, const Hints& hints,
                    const SearchOptions& options) {
  FixPlan plan;
  SearchResult result = search_cycles(classes, graph, hints, options);
  plan.complete = result.complete;
  plan.searches.push_back(result.counts);
  plan.first_round = std::move(result.cycles);
  return plan;
}

}  // namespace

std::string_view name(WeakLevel level) {
  constexpr std::string_view kNames[] = {"read-committed", "repeatable-read", "snapshot-isolation"};
  return kNames[static_cast<std::size_t>(level)];
}

std::optional<WeakLevel> weak_level_named(std::string_view name) {
  const std::string wanted = folded(name);
  if (wanted == "readcommitted" || wanted == "rc") return WeakLevel::kReadCommitted;
  if (wanted == "repeatableread" || wanted == "rr") return WeakLevel::kMysqlRepeatableRead;
  if (wanted == "snapshotisolation" || wanted == "snapshot" || wanted == "si") return WeakLevel::kSnapshotIsolation;
  return std::nullopt;
}

std::string_view name(SqlDialect dialect) {
  constexpr std::string_view kNames[] = {"postgres", "mysql", "sqlite"};
  return kNames[static_cast<std::size_t>(dialect)];
}

std::optional<SqlDialect> dialect_named(std::string_view name) {
  const std::string wanted = folded(name);
  if (wanted == "postgres" || wanted == "postgresql") return SqlDialect::kPostgres;
  if (wanted == "mysql" || wanted == "mariadb") return SqlDialect::kMysql;
  if (wanted == "sqlite") return SqlDialect::kSqlite;
  return std::nullopt;
}

Finding Audit::finding() const {
  if (!anomalies.empty() || !plan.first_round.empty()) return Finding::kAnomalies;
  return plan.complete ? Finding::kNone : Finding::kUndecided;
}

Result<std::unique_ptr<Audit>> audit_trace(const std::string& path, Schema schema, Hints hints,
                                           const AuditOptions& options) {
  auto audit = std::make_unique<Audit>();
  audit->file = path;
  audit->options = options;
  audit->options.graph.level = options.level;
  audit->options.story.level = options.level;
  audit->options.classes.level = options.level;
  audit->hints = std::move(hints);

  auto start = std::chrono::steady_clock::now();
  auto log = load_trace(path, options.trace);
  if (!log) return std::move(log).error();
  audit->log = *std::move(log);
  audit->classes = find_classes(audit->log, std::move(schema), audit->options.classes);
  if (audit->classes.classes.size() > kMostClasses)
    return Error{
        fmt::format("expected at most {} classes of transactions, not {}: statements whose names are made up on "
                    "the way (temporary tables, columns) make a class each",
                    kMostClasses, audit->classes.classes.size()),
        path};
  std::vector<std::string_view> class_names;
  for (const TransactionClass& one : audit->classes.classes) class_names.push_back(one.name);
  if (auto checked = check_names(audit->hints, class_names, audit->classes.schema); !checked)
    return std::move(checked).error();
  audit->seconds_reading = seconds_since(start);

  start = std::chrono::steady_clock::now();
  const Classes& classes = audit->classes;
  audit->graph = build_graph(classes, audit->hints, audit->options.graph);
  audit->plan = options.fixes ? plan_fixes(classes, audit->log, audit->graph, audit->hints, options.search)
                              : only_search(classes, audit->graph, audit->hints, options.search);
  audit->anomalies = tell(classes, audit->log, audit->graph, audit->plan.first_round, audit->options.story);
  audit->confirmations.resize(audit->anomalies.size());
  if (options.scope) audit->scope = find_scope_errors(audit->log, classes);
  audit->seconds_searching = seconds_since(start);
  return audit;
}

}  // namespace isolde::audit
