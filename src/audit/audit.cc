#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "audit/cycles/correlation.h"
#include "audit/facts/find_classes.h"
#include "audit/facts/vocabularies.h"
#include "base/text.h"
#include "db/product.h"

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
    if (const Conflict* there = assumed.find(a, b, edge.conflict.from_op, edge.conflict.to_op); there != nullptr) {
      if (there->kind == edge.conflict.kind) continue;
      for (const Numbering& numbering : reader.numberings) {
        if (std::ranges::find(numbering.reads, edge.conflict.from_op) != numbering.reads.end())
          out.push_back(numbering.fact);
      }
      for (const NextNumber& next : reader.next_numbers) {
        if (std::ranges::find(next.reads, edge.conflict.from_op) != next.reads.end()) out.push_back(next.fact);
      }
      continue;
    }
    const Operation& read = reader.operations[edge.conflict.from_op];
    const TransactionClass& writer = classes.classes[raw(b)];
    const std::uint32_t parted = fact_that_parts(classes, a, reader.rows[read.access.row_set], b,
                                                 writer.rows[writer.operations[edge.conflict.to_op].access.row_set]);
    if (parted != kNone32) out.push_back(parted);
    for (const Choice& choice : reader.choices) {
      if (choice.queue != kNone32 && choice.statement == read.statement && choice.found == read.access.row_set)
        out.push_back(choice.queue);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// The same, if every dependency is there, but not all together: two members take a number from one counter and cannot
// do so in this order; a value would have to be two names.
std::vector<std::uint32_t> assumptions_together(const Classes& classes, Correlation& assumed, const Cycle& cycle) {
  std::vector<std::uint32_t> out;
  for (const ClassId id : cycle.members) {
    const TransactionClass& one = classes.classes[raw(id)];
    for (const Numbering& numbering : one.numberings) out.push_back(numbering.fact);
    for (const ClassRows& rows : one.rows) {
      for (const ClassRowKey& key : rows.keys) {
        if (key.variable >= one.vocabularies.size() || one.vocabularies[key.variable].empty()) continue;
        out.push_back(classes.vocabulary_facts[raw(key.column)]);
      }
    }
  }
  std::erase(out, kNone32);
  if (out.empty() || assumed.check(cycle).possible != Possible::kNo) return {};
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Columns of the cycle that are taken to be written back as they were, and names that their places take.
std::vector<std::uint32_t> facts_of_values(const Classes& classes, const Cycle& cycle) {
  std::vector<std::uint32_t> out;
  for (const CycleEdge& edge : cycle.edges) {
    for (const auto& [member, op] : {std::pair(edge.from, edge.conflict.from_op), {edge.to, edge.conflict.to_op}}) {
      const TransactionClass& one = classes.classes[raw(cycle.members[member])];
      const std::uint32_t statement = one.operations[op].statement;
      for (const Operation& operation : one.operations) {
        const std::uint32_t column = raw(operation.access.column);
        if (operation.statement != statement) continue;
        if (column < classes.unchanged_facts.size() && operation.access.action == Action::kWrite)
          out.push_back(classes.unchanged_facts[column]);
        if (column < classes.vocabulary_facts.size()) out.push_back(classes.vocabulary_facts[column]);
      }
    }
  }
  std::erase(out, kNone32);
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Everything once more without assumptions: what is found only then is set aside. What is found and rests on none was
// missed the first time, since not every cycle is looked at, and is no less an anomaly.
class SecondLook {
 public:
  // `untold`: cycles of the first time that no values fit.
  SecondLook(Audit& audit, std::vector<Cycle> untold)
      : audit_(audit), untold_(std::move(untold)), correlation_facts_(audit.classes, audit.options.level) {}

  void run() {
    const bool again = searches_again();
    if (!again && untold_.empty()) return;
    const Classes& classes = audit_.classes;
    GraphOptions options = audit_.options.graph;
    options.assumptions = false;
    const DependencyGraph graph = build_graph(classes, audit_.hints, options);
    Correlation assumed(correlation_facts_, audit_.graph, {.level = options.level});
    std::vector<Cycle> resting, missed;
    if (again) {
      SearchResult result = search_cycles(classes, graph, audit_.hints, audit_.options.search);
      for (Cycle& cycle : result.cycles)
        (assumptions(assumed, cycle).empty() ? missed : resting).push_back(std::move(cycle));
      for (Anomaly& anomaly : tell(classes, audit_.log, audit_.graph, missed, audit_.options.story, &untold_))
        add(std::move(anomaly));
      std::ranges::stable_sort(audit_.anomalies, std::greater<>(), &Anomaly::rank);
    }
    std::vector<Cycle> never;
    for (Anomaly& anomaly : tell(classes, audit_.log, graph, resting, audit_.options.story, &never)) {
      std::vector<std::uint32_t> facts = assumptions(assumed, anomaly.cycle);
      set_aside(std::move(anomaly), std::move(facts));
    }
    // What falls by its values.
    for (Anomaly& anomaly : tell(classes, audit_.log, graph, untold_, audit_.options.story, &never)) {
      std::vector<std::uint32_t> facts = assumptions(assumed, anomaly.cycle);
      if (facts.empty()) facts = facts_of_values(classes, anomaly.cycle);
      set_aside(std::move(anomaly), std::move(facts));
    }
    audit_.untold = never.size();
  }

 private:
  // An assumption removed something. (What only values show is checked where stories are built.)
  [[nodiscard]] bool searches_again() const {
    if (std::ranges::any_of(audit_.classes.classes, [](const TransactionClass& one) { return !one.narrowed.empty(); }))
      return true;
    return std::ranges::any_of(audit_.graph.removed(), [&](const DependencyGraph::Removed& removed) {
      const auto is_it = [&](const Fact& fact) { return fact.assumption && fact.text == removed.rule; };
      return removed.edges > 0 && std::ranges::any_of(audit_.classes.facts, is_it);
    });
  }

  std::vector<std::uint32_t> assumptions(Correlation& assumed, const Cycle& cycle) const {
    std::vector<std::uint32_t> facts = assumptions_of(audit_.classes, audit_.graph, cycle);
    return facts.empty() ? assumptions_together(audit_.classes, assumed, cycle) : facts;
  }

  [[nodiscard]] static bool known(const std::vector<Anomaly>& all, const Anomaly& anomaly) {
    return std::ranges::find(all, anomaly.cause, &Anomaly::cause) != all.end();
  }
  void add(Anomaly anomaly) {
    if (!known(audit_.anomalies, anomaly)) audit_.anomalies.push_back(std::move(anomaly));
  }
  void set_aside(Anomaly anomaly, std::vector<std::uint32_t> facts) {
    const auto has = [&](const SetAside& one) { return one.anomaly.cause == anomaly.cause; };
    if (known(audit_.anomalies, anomaly) || std::ranges::any_of(audit_.set_aside, has)) return;
    audit_.set_aside.push_back({std::move(anomaly), std::move(facts)});
  }

  Audit& audit_;
  std::vector<Cycle> untold_;
  CorrelationFacts correlation_facts_;
};

// Stories that no transaction of the trace has values for, though it has several of each class: the film that is rated
// would have to be another than the one that is locked, which it never was.
void set_unseen_aside(Audit& audit) {
  constexpr std::uint64_t kEnoughTransactions = 3;
  std::uint64_t least = ~std::uint64_t{0};
  const auto fact = static_cast<std::uint32_t>(audit.classes.facts.size());
  const auto is_aside = [&](const Anomaly& anomaly) {
    if (anomaly.as_seen || anomaly.lost != kNone32) return false;
    std::uint64_t fewest = ~std::uint64_t{0};
    for (const ClassId id : anomaly.cycle.members)
      fewest = std::min(fewest, audit.classes.classes[raw(id)].transactions);
    if (fewest < kEnoughTransactions) return false;
    least = std::min(least, fewest);
    return true;
  };
  const auto aside = std::ranges::stable_partition(audit.anomalies, std::not_fn(is_aside));
  if (aside.empty()) return;
  for (Anomaly& anomaly : aside) audit.set_aside.push_back({std::move(anomaly), {fact}});
  audit.anomalies.erase(aside.begin(), aside.end());
  audit.classes.facts.push_back(
      {FactKind::kSeen, true, kNoTable, least,
       fmt::format("values that are equal in every transaction of a class are always equal, and those that never are, "
                   "never (at least {} transactions of each)",
                   least)});
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

namespace {

// Those whose traces are read, as --dialect names them.
struct TraceDialect {
  SqlDialect dialect;
  std::string_view name;
};
constexpr TraceDialect kTraceDialects[] = {
    {SqlDialect::kMysql, "mysql"}, {SqlDialect::kPostgres, "postgres"}, {SqlDialect::kSqlite, "sqlite"}};

}  // namespace

std::vector<std::string_view> trace_dialects() {
  std::vector<std::string_view> names;
  for (const TraceDialect& row : kTraceDialects) names.push_back(row.name);
  return names;
}

std::string_view name(SqlDialect dialect) {
  for (const TraceDialect& row : kTraceDialects)
    if (row.dialect == dialect) return row.name;
  return "";
}

std::optional<SqlDialect> dialect_named(std::string_view name) {
  const db::Product* const product = db::product_of_scheme(folded(name));
  if (product == nullptr) return std::nullopt;
  for (const TraceDialect& row : kTraceDialects)
    if (row.dialect == product->family) return row.dialect;
  return std::nullopt;
}

Finding Audit::finding() const {
  const bool all_aside = anomalies.empty() && !set_aside.empty() && untold == 0;
  if (!anomalies.empty() || (!plan.first_round.empty() && !all_aside)) return Finding::kAnomalies;
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
  std::vector<Cycle> untold;
  audit->anomalies = tell(classes, audit->log, audit->graph, audit->plan.first_round, audit->options.story, &untold);
  if (audit->options.graph.assumptions && std::ranges::any_of(classes.facts, &Fact::assumption)) {
    SecondLook(*audit, std::move(untold)).run();
  } else {
    audit->untold = untold.size();
  }
  if (audit->options.graph.assumptions && audit->options.classes.facts.on(FactKind::kSeen) &&
      !audit->options.classes.one_value_is_enough)
    set_unseen_aside(*audit);
  audit->confirmations.resize(audit->anomalies.size());
  if (options.scope) {
    audit->requests = find_requests(audit->log, classes.statements, options.requests);
    audit->scope = find_scope_errors(audit->log, classes, audit->requests);
  }
  audit->seconds_searching = seconds_since(start);
  return audit;
}

}  // namespace isolde::audit
