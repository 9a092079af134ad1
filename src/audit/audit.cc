#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

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

// The assumptions without which a dependency of the cycle would be there, and could be part of an anomaly.
std::vector<std::uint32_t> assumptions_of(const Classes& classes, const DependencyGraph& assumed, const Cycle& cycle) {
  std::vector<std::uint32_t> out;
  for (const CycleEdge& edge : cycle.edges) {
    const ClassId a = cycle.members[edge.from], b = cycle.members[edge.to];
    const TransactionClass& reader = classes.classes[raw(a)];
    const auto narrowed =
        std::ranges::find(reader.narrowed, edge.conflict.from_op, &TransactionClass::Narrowed::operation);
    if (narrowed != reader.narrowed.end()) out.push_back(narrowed->fact);
    if (assumed.find(a, b, edge.conflict.from_op, edge.conflict.to_op) != nullptr) continue;
    const Operation& read = reader.operations[edge.conflict.from_op];
    for (const Choice& choice : reader.choices) {
      if (choice.queue != kNone32 && choice.statement == read.statement && choice.found == read.access.row_set)
        out.push_back(choice.queue);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Everything once more without assumptions: what is found only then is set aside. What is found and rests on none was
// missed the first time, since not every cycle is looked at, and is no less an anomaly.
void look_without_assumptions(Audit& audit) {
  const Classes& classes = audit.classes;
  GraphOptions options = audit.options.graph;
  options.assumptions = false;
  const DependencyGraph graph = build_graph(classes, audit.hints, options);
  SearchResult result = search_cycles(classes, graph, audit.hints, audit.options.search);
  std::vector<Cycle> resting, missed;
  for (Cycle& cycle : result.cycles) {
    const bool rests = !assumptions_of(classes, audit.graph, cycle).empty();
    (rests ? resting : missed).push_back(std::move(cycle));
  }
  const auto known = [&](const Anomaly& anomaly) {
    return std::ranges::find(audit.anomalies, anomaly.cause, &Anomaly::cause) != audit.anomalies.end();
  };
  for (Anomaly& anomaly : tell(classes, audit.log, audit.graph, missed, audit.options.story)) {
    if (!known(anomaly)) audit.anomalies.push_back(std::move(anomaly));
  }
  std::ranges::stable_sort(audit.anomalies, std::greater<>(), &Anomaly::rank);
  for (Anomaly& anomaly : tell(classes, audit.log, graph, resting, audit.options.story)) {
    if (known(anomaly)) continue;
    std::vector<std::uint32_t> facts = assumptions_of(classes, audit.graph, anomaly.cycle);
    audit.set_aside.push_back({std::move(anomaly), std::move(facts)});
  }
}

bool assumes(const Classes& classes) { return std::ranges::any_of(classes.facts, &Fact::assumption); }

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
  audit->options.classes.facts.turn_off(audit->hints.distrusted);

  if (!options.views) schema.take_no_views();
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
  {
    const Classes assumed = with_assumptions(classes);
    audit->graph = build_graph(assumed, audit->hints, audit->options.graph);
    audit->plan = options.fixes ? plan_fixes(assumed, audit->log, audit->graph, audit->hints, options.search)
                                : only_search(assumed, audit->graph, audit->hints, options.search);
  }
  audit->anomalies = tell(classes, audit->log, audit->graph, audit->plan.first_round, audit->options.story);
  if (audit->options.graph.assumptions && assumes(classes)) look_without_assumptions(*audit);
  audit->confirmations.resize(audit->anomalies.size());
  if (options.scope) {
    audit->requests = find_requests(audit->log, classes.statements, options.requests);
    audit->scope = find_scope_errors(audit->log, classes, audit->requests);
  }
  audit->seconds_searching = seconds_since(start);
  return audit;
}

}  // namespace isolde::audit
