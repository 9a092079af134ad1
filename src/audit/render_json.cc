#include "audit/render_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audit/story/naming.h"
#include "report/json.h"

namespace isolde::audit {
namespace {

std::string_view json_word(Remedy remedy) {
  constexpr std::string_view kWords[] = {"for-update",   "conditional", "relative",   "unique-constraint",
                                         "serializable", "snapshot",    "lock-parent"};
  return kWords[static_cast<std::size_t>(remedy)];
}

std::string_view json_word(Event::Kind kind) {
  constexpr std::string_view kWords[] = {"begin", "statement", "continues", "commit"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view json_word(Happened happened) {
  constexpr std::string_view kWords[] = {"yes", "no", "not run"};
  return kWords[static_cast<std::size_t>(happened)];
}

std::string_view json_word(Finding finding) {
  constexpr std::string_view kWords[] = {"none", "anomalies", "undecided"};
  return kWords[static_cast<std::size_t>(finding)];
}

constexpr std::size_t kColumnsOfDependency = 6;

constexpr std::string_view json_bool(bool value) { return value ? "true" : "false"; }

template <typename List, typename Write>
std::string json_array(const List& all, Write write) {
  std::string out = "[";
  for (const auto& one : all) {
    if (out.size() > 1) out += ", ";
    out += write(one);
  }
  return out + "]";
}

class Json {
 public:
  explicit Json(const Audit& audit) : audit_(audit) {}

  std::string all(double peak_mib) const {
    const FixPlan& plan = audit_.plan;
    return fmt::format(
        R"({{"file": {}, "level": {}, "verdict": {}, "complete": {}, "trace": {}, "not_understood": {}, "unread": {}, )"
        R"("schema": {}, "classes": {}, "graph": {}, "dependencies": {}, "removed": {}, "facts": {}, "searches": {}, "anomalies": {}, )"
        R"("set_aside": {}, "untold": {}, "seen_happening": {}, "requests": {}, "scope": {}, "targets": {}, )"
        R"("not_fixable": {}, "inferred_unique": {}, "stats": {{"seconds": {{"reading": {:.3f}, "searching": {:.3f}}}, "peak_mib": {:.0f}}}}})",
        json_string(audit_.file), json_string(name(audit_.options.level)), json_string(json_word(audit_.finding())),
        json_bool(plan.complete), trace(), not_understood(), unread(), schema(), classes(), graph(), dependencies(),
        removed(), facts(), searches(), anomalies(), set_aside(), audit_.untold, seen_happening(), requests(), scope(),
        targets(), plan.not_fixable.size(), unique(), audit_.seconds_reading, audit_.seconds_searching, peak_mib);
  }

 private:
  [[nodiscard]] std::string column(ColumnId id) const { return json_string(audit_.classes.schema.full_name(id)); }
  [[nodiscard]] std::string class_name(ClassId id) const { return json_string(audit_.classes.classes[raw(id)].name); }

  [[nodiscard]] std::string trace() const {
    const TraceLog& log = audit_.log;
    const Classes& c = audit_.classes;
    std::array<std::uint64_t, 3> outcomes = {};
    for (const TraceTransaction& txn : log.transactions) ++outcomes[static_cast<std::size_t>(txn.outcome)];
    const std::uint64_t understood = c.data_statements + c.no_data_statements + log.no_data_statements;
    return fmt::format(
        R"({{"format": {}, "dialect": {}, "bytes": {}, "sessions": {}, "transactions": {}, "committed": {}, )"
        R"("rolled_back": {}, "open": {}, "statements": {}, "understood": {}, "on_rows": {}, "not_understood": {}, )"
        R"("control": {}, "failed": {}, "unread": {}}})",
        json_string(name(log.facts.format)), json_string(name(log.facts.dialect)), log.facts.bytes, log.sessions,
        log.transactions.size(), outcomes[0], outcomes[1], outcomes[2],
        understood + c.not_understood_statements + log.unread_count, understood, c.data_statements,
        c.not_understood_statements, log.control_statements, log.failed_statements, log.unread_count);
  }

  [[nodiscard]] std::string not_understood() const {
    return json_array(audit_.classes.not_understood, [&](const NotUnderstood& one) {
      return fmt::format(R"({{"line": {}, "times": {}, "why": {}, "sql": {}}})", one.line, one.times,
                         json_string(one.why), json_string(audit_.log.shapes.example(one.shape)));
    });
  }

  [[nodiscard]] std::string unread() const {
    return json_array(audit_.log.unread, [](const UnreadText& one) {
      return fmt::format(R"({{"line": {}, "why": {}, "text": {}}})", one.line, json_string(one.why),
                         json_string(one.text));
    });
  }

  [[nodiscard]] std::string schema() const {
    const Schema& s = audit_.classes.schema;
    std::uint64_t learned = 0;
    for (std::uint32_t t = 0; t < s.tables(); ++t) learned += s.table(TableId(t)).learned ? 1 : 0;
    return fmt::format(R"({{"tables": {}, "columns": {}, "learned_tables": {}}})", s.tables(), s.columns(), learned);
  }

  [[nodiscard]] std::string operation(const Operation& op) const {
    const Access& a = op.access;
    return json_string(fmt::format("{}{}({})", a.action == Action::kRead ? "r" : "w",
                                   a.lock == Lock::kExclusive ? "x"
                                   : a.lock == Lock::kShare   ? "s"
                                                              : "",
                                   audit_.classes.schema.full_name(a.column)));
  }

  [[nodiscard]] std::string classes() const {
    return json_array(audit_.classes.classes, [&](const TransactionClass& one) {
      return fmt::format(
          R"({{"name": {}, "transactions": {}, "autocommit": {}, "reads_only": {}, "operations": {}, "statements": {}}})",
          json_string(one.name), one.transactions, json_bool(one.autocommit), json_bool(one.reads_only),
          json_array(one.operations, [&](const Operation& op) { return operation(op); }),
          json_array(one.example_statements, [&](std::uint32_t statement) {
            return json_string(audit_.log.text_of(audit_.log.statements[statement]));
          }));
    });
  }

  [[nodiscard]] std::string graph() const {
    const GraphStats& g = audit_.graph.stats();
    return fmt::format(
        R"({{"transactions": {}, "transaction_edges": {}, "operations": {}, "operation_edges": {}, "rw_edges": {}, )"
        R"("vulnerable_rw_edges": {}, "dangerous_paths": {}}})",
        g.transactions, g.transaction_edges, g.operations, g.operation_edges, g.rw_edges, g.vulnerable_rw_edges,
        g.dangerous_paths);
  }

  // One a pair of classes; classes count from 1, in the order of "classes".
  [[nodiscard]] std::string dependencies() const {
    std::string out = "[";
    for (std::uint32_t a = 0; a < audit_.graph.classes(); ++a) {
      for (std::uint32_t b = 0; b < audit_.graph.classes(); ++b) {
        const auto conflicts = audit_.graph.conflicts(ClassId(a), ClassId(b));
        if (conflicts.empty()) continue;
        std::vector<std::string_view> kinds;
        std::vector<ColumnId> columns;
        const auto add = [](auto& to, const auto& one, std::size_t most) {
          if (to.size() < most && std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
        };
        for (const Conflict& conflict : conflicts) {
          add(kinds, name(conflict.kind), SIZE_MAX);
          add(columns, conflict.column, kColumnsOfDependency);
        }
        out += fmt::format(R"({}{{"from": {}, "to": {}, "kinds": {}, "columns": {}}})", out.size() > 1 ? ", " : "",
                           a + 1, b + 1, json_string(fmt::format("{}", fmt::join(kinds, " "))),
                           json_array(columns, [&](ColumnId id) { return column(id); }));
      }
    }
    return out + "]";
  }

  [[nodiscard]] std::string removed() const {
    return json_array(audit_.graph.removed(), [](const DependencyGraph::Removed& one) {
      return fmt::format(R"({{"rule": {}, "dependencies": {}}})", json_string(one.rule), one.edges);
    });
  }

  [[nodiscard]] std::string searches() const {
    return json_array(audit_.plan.searches, [](const SearchCounts& s) {
      return fmt::format(
          R"({{"dangerous_paths": {}, "found": {}, "not_in_time": {}, "not_correlated": {}, "by_hints": {}, "valid": {}, )"
          R"("correlation_limit": {}, "k": {}, "l": {}}})",
          s.dangerous_paths, s.found, s.not_in_time, s.not_correlated, s.by_hints, s.valid, s.correlation_limit, s.k,
          s.l);
    });
  }

  [[nodiscard]] static std::string run(const Run& r) {
    return fmt::format(R"({{"level": {}, "happened": {}, "another_anomaly": {}, "why": {}, "steps": {}}})",
                       json_string(r.level), json_string(json_word(r.happened)), json_bool(r.another),
                       json_string(r.why), json_array(r.steps, [](const ConfirmedStep& s) {
                         return fmt::format(R"({{"transaction": {}, "sql": {}, "answer": {}}})", s.member + 1,
                                            json_string(s.sql), json_string(s.answer));
                       }));
  }

  [[nodiscard]] std::string confirmation(std::size_t i) const {
    if (i >= audit_.confirmations.size() || !audit_.confirmations[i]) return "null";
    const Confirmation& c = *audit_.confirmations[i];
    return fmt::format(
        R"({{"outcome": {}, "confirmed": {}, "impossible": {}, "orders": {}, "patterns": {}, "patterns_that_matter": {}, )"
        R"("runs": {}, "server": {}, "at_level": {}, "at_serializable": {}}})",
        json_string(name(c.outcome())), json_bool(c.confirmed()), json_bool(c.impossible()), c.orders, c.patterns,
        c.patterns_that_matter, c.runs, json_string(c.server), run(c.at_level), run(c.at_serializable));
  }

  [[nodiscard]] std::string facts() const {
    return json_array(audit_.classes.facts, [&](const Fact& one) {
      return fmt::format(
          R"({{"kind": {}, "text": {}, "table": {}, "support": {}, "assumption": {}}})", json_string(name(one.kind)),
          json_string(one.text),
          json_string(one.table == kNoTable ? "" : std::string_view(audit_.classes.schema.table(one.table).name)),
          one.support, json_bool(one.assumption));
    });
  }

  [[nodiscard]] std::string set_aside() const {
    return json_array(audit_.set_aside, [&](const SetAside& one) {
      return fmt::format(R"({{"facts": {}, "anomaly": {}}})",
                         json_array(one.facts, [](std::uint32_t fact) { return std::to_string(fact); }),
                         anomaly(one.anomaly, "null"));
    });
  }

  [[nodiscard]] std::string seen_happening() const {
    return json_array(audit_.classes.lost, [&](const LostInTrace& one) {
      return fmt::format(
          R"({{"column": {}, "times": {}, "writes": {}, "lost_line": {}, "line": {}, "old": {}, "lost": {}, "new": {}}})",
          column(one.column), one.times, one.writes, one.lost_line, one.line, json_string(one.old_value),
          json_string(one.lost_value), json_string(one.value));
    });
  }

  [[nodiscard]] std::string anomalies() const {
    std::string out = "[";
    for (std::size_t i = 0; i < audit_.anomalies.size(); ++i)
      out += (i == 0 ? "" : ", ") + anomaly(audit_.anomalies[i], confirmation(i));
    return out + "]";
  }

  [[nodiscard]] std::string anomaly(const Anomaly& a, const std::string& confirmed) const {
    return fmt::format(
        R"({{"name": {}, "meaning": {}, "text": {}, "transactions": {}, "dependencies": {}, "steps": {}, )"
        R"("concurrent": {}, "same_row": {}, "rank": {:.3f}, "cycles": {}, "happened": {}, "facts": {}, "confirmation": {}}})",
        json_string(name(a.name)), json_string(meaning(a.name)), json_string(a.words),
        json_array(a.members, [](const std::string& m) { return json_string(m); }),
        json_array(a.cycle.edges,
                   [&](const CycleEdge& e) {
                     return fmt::format(R"({{"from": {}, "to": {}, "type": {}, "column": {}}})", e.from + 1, e.to + 1,
                                        json_string(name(e.conflict.kind)),
                                        json_string(column_name(audit_.classes, a.cycle, e)));
                   }),
        steps(a.steps), a.concurrent, a.same_row, a.rank, a.cycles,
        a.lost == kNone32 ? 0 : audit_.classes.lost[a.lost].times,
        json_array(a.facts, [](std::uint32_t fact) { return std::to_string(fact); }), confirmed);
  }

  [[nodiscard]] static std::string steps(const std::vector<StoryStep>& all) {
    return json_array(all, [](const StoryStep& s) {
      return fmt::format(R"({{"transaction": {}, "kind": {}, "sql": {}, "remark": {}}})", s.member + 1,
                         json_string(json_word(s.kind)), json_string(s.sql), json_string(s.remark));
    });
  }

  // Of `steps`, "transaction" is the number of the request.
  [[nodiscard]] std::string scope() const {
    return json_array(audit_.scope, [&](const ScopeFinding& one) {
      const TraceStatement &read = audit_.log.statements[one.read_at], &write = audit_.log.statements[one.write_at];
      return fmt::format(
          R"({{"kind": {}, "column": {}, "times": {}, "writes": {}, "read": {}, "read_line": {}, "write": {}, )"
          R"("write_line": {}, "aggregates": {}, "same_user": {}, "unchanged": {}, "earlier_request": {}, "others": {}, )"
          R"("text": {}, "steps": {}, "rank": {:.3f}}})",
          json_string(name(one.kind)), json_string(scope_column(one, audit_.classes.schema, audit_.log)), one.times,
          one.writes, json_string(audit_.log.text_of(read)), read.line, json_string(audit_.log.text_of(write)),
          write.line, json_bool(one.aggregates), json_bool(one.same_user), json_bool(one.unchanged),
          json_bool(one.earlier_request), one.others, json_string(one.words), steps(one.steps), one.rank);
    });
  }

  [[nodiscard]] std::string requests() const {
    if (!audit_.options.scope) return "null";
    const Requests& r = audit_.requests;
    return fmt::format(R"({{"count": {}, "evidence": {}, "sure": {}, "why": {}}})", r.all.size(),
                       json_string(name(r.evidence)), json_string(name(r.sure)), json_string(r.why));
  }

  [[nodiscard]] std::string targets() const {
    return json_array(audit_.plan.targets, [&](const TargetColumn& t) {
      return fmt::format(
          R"({{"column": {}, "round": {}, "cycles": {}, "advice": {}}})", column(t.column), t.round, t.cycles,
          json_array(t.advice, [&](const Advice& a) {
            return fmt::format(
                R"({{"remedy": {}, "text": {}, "classes": {}, "before": {}, "after": {}, "removes": {}, "leaves_none": {}}})",
                json_string(json_word(a.remedy)), json_string(a.text),
                json_array(a.classes, [&](ClassId id) { return class_name(id); }), json_string(a.before),
                json_string(a.after), a.removes, json_bool(a.leaves_none));
          }));
    });
  }

  [[nodiscard]] std::string unique() const {
    return json_array(audit_.classes.unique, [&](const UniqueColumn& u) {
      return fmt::format(R"({{"column": {}, "pairs": {}}})", column(u.column), u.pairs);
    });
  }

  const Audit& audit_;
};

}  // namespace

std::string audit_json(const Audit& audit, double peak_mib) { return Json(audit).all(peak_mib); }

}  // namespace isolde::audit
