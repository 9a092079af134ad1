#include "audit/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "audit/render_story.h"
#include "audit/story/naming.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kListed = 10;  // of statements that were not understood, and of targets with advice
constexpr std::size_t kAdvice = 3;   // a column
constexpr std::string_view kBold = "\033[1m", kRed = "\033[31m", kGreen = "\033[32m", kYellow = "\033[33m";

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "100 %";
  if (part == whole) return "100 %";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.1f} %", std::min(share, 99.9));  // all but one is not all
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

class Text {
 public:
  Text(const Audit& audit, const RenderOptions& options) : audit_(audit), options_(options) {}

  std::string all() {
    if (!options_.verdict_only) {
      what_was_read();
      not_understood();
      classes();
    }
    verdict();
    if (!options_.verdict_only) {
      seen_happening();
      anomalies();
      set_aside();
      untold();
      scope();
      targets();
      named_classes();
      notes();
    }
    return std::move(out_);
  }

 private:
  template <typename... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    out_ += fmt::format(format, std::forward<T>(values)...) + "\n";
  }
  // A paragraph, its first line after `first`, the others under it.
  void paragraph(std::string_view first, std::string_view text) {
    const std::size_t indent = width_of(first);
    bool begun = false;
    for (const std::string& part : wrapped(one_line(text), std::max(options_.width, indent + 20) - indent)) {
      out_ += fmt::format("{}{}\n", begun ? std::string(indent, ' ') : std::string(first), part);
      begun = true;
    }
  }
  [[nodiscard]] std::string paint(std::string_view colour, std::string_view text) const {
    if (options_.colour == Colour::kNever) return std::string(text);
    return fmt::format("{}{}{}", colour, text, kEndOfColour);
  }

  void what_was_read() {
    const TraceLog& log = audit_.log;
    const Classes& c = audit_.classes;
    std::array<std::uint64_t, 3> by_outcome = {};
    for (const TraceTransaction& txn : log.transactions) ++by_outcome[static_cast<std::size_t>(txn.outcome)];
    const std::uint64_t understood = c.data_statements + c.no_data_statements + log.no_data_statements;
    const std::uint64_t statements = understood + c.not_understood_statements + log.unread_count;
    line("{}: {} ({}), {}", paint(kBold, audit_.file), name(log.facts.format), name(log.facts.dialect),
         counted(log.sessions, "session", "sessions"));
    paragraph("  read          ",
              fmt::format("{} in {}; {} understood ({}); {:.1f} s", counted(statements, "statement", "statements"),
                          counted(log.transactions.size(), "transaction", "transactions"), grouped(understood),
                          percent(understood, statements), audit_.seconds_reading));
    std::string left_out;
    const auto leave_out = [&](std::uint64_t n, std::string_view one, std::string_view many) {
      if (n > 0) left_out += (left_out.empty() ? "" : ", ") + counted(n, one, many);
    };
    const auto outcome = [&](TxnOutcome o) { return by_outcome[static_cast<std::size_t>(o)]; };
    if (!audit_.options.classes.rolled_back_too)
      leave_out(outcome(TxnOutcome::kRolledBack), "transaction rolled back", "transactions rolled back");
    leave_out(outcome(TxnOutcome::kOpen), "transaction that never ended", "transactions that never ended");
    leave_out(log.empty_transactions, "transaction without statements on rows",
              "transactions without statements on rows");
    leave_out(log.failed_statements, "statement that failed", "statements that failed");
    if (!left_out.empty()) paragraph("  left out      ", left_out);
    std::uint64_t learned = 0;
    for (std::uint32_t t = 0; t < c.schema.tables(); ++t) learned += c.schema.table(TableId(t)).learned ? 1 : 0;
    paragraph("  schema        ",
              fmt::format("{}, {}{}", counted(c.schema.tables(), "table", "tables"),
                          counted(c.schema.columns(), "column", "columns"),
                          learned == 0 ? std::string()
                          : learned == c.schema.tables()
                              ? ", all as the statements show them (no --schema)"
                              : fmt::format(", {} of the tables as the statements show them", learned)));
  }

  void not_understood() {
    const Classes& c = audit_.classes;
    if (c.not_understood.empty() && audit_.log.unread_count == 0) return;
    line("  not understood");
    std::size_t shown = 0;
    for (const NotUnderstood& one : c.not_understood) {
      if (shown++ == kListed) break;
      paragraph("    ", fmt::format("line {}, {}: {}", one.line, counted(one.times, "time", "times"), one.why));
      line("      {}", words::shortened(one_line(audit_.log.shapes.example(one.shape)), options_.width - 6));
    }
    if (c.not_understood.size() > kListed)
      line("    … {} more kinds of statement (--json lists all)", c.not_understood.size() - kListed);
    shown = 0;
    for (const UnreadText& one : audit_.log.unread) {
      if (shown++ == kListed) break;
      paragraph("    ", fmt::format("line {}: {}: {}", one.line, one.why, words::shortened(one_line(one.text))));
    }
    if (audit_.log.unread_count > kListed)
      line("    … {} more that are no statements", grouped(audit_.log.unread_count - kListed));
  }

  void classes() {
    const auto& all = audit_.classes.classes;
    std::uint64_t reading = 0, operations = 0;
    for (const TransactionClass& one : all) {
      reading += one.reads_only ? 1 : 0;
      operations += one.operations.size();
    }
    const GraphStats& g = audit_.graph.stats();
    paragraph("  classes       ",
              fmt::format("{}, of which {} only read; {}{}", counted(all.size(), "class", "classes"), grouped(reading),
                          counted(operations, "operation", "operations"),
                          options_.all_classes ? "" : " (--classes lists them)"));
    if (options_.all_classes) {
      for (const TransactionClass& one : all) {
        paragraph("    ", fmt::format("{} {} ({}, {}{})", label(ClassId(static_cast<std::uint32_t>(&one - all.data()))),
                                      one.name, counted(one.transactions, "transaction", "transactions"),
                                      counted(one.operations.size(), "operation", "operations"),
                                      one.autocommit ? ", by itself" : ""));
      }
    }
    paragraph(
        "  dependencies  ",
        fmt::format("{} between transactions, {} between operations, {} of them rw, {} vulnerable; {}",
                    grouped(g.transaction_edges), grouped(g.operation_edges), grouped(g.rw_edges),
                    grouped(g.vulnerable_rw_edges), counted(g.dangerous_paths, "dangerous path", "dangerous paths")));
    if (!audit_.plan.searches.empty()) {
      const SearchCounts& s = audit_.plan.searches.front();
      std::string text = fmt::format("{} found", grouped(s.found));
      if (s.not_in_time > 0) text += fmt::format(", {} cannot happen in time", grouped(s.not_in_time));
      if (s.not_correlated > 0) text += fmt::format(", {} contradict the rows they share", grouped(s.not_correlated));
      if (s.by_hints > 0) text += fmt::format(", {} ruled out by hints", grouped(s.by_hints));
      paragraph("  cycles        ",
                fmt::format("{}; {} left; {:.1f} s", text, grouped(s.valid), audit_.seconds_searching));
    }
    std::string rules;
    for (const auto& removed : audit_.graph.removed()) {
      if (removed.edges > 0)
        rules += fmt::format("{}{}: {}", rules.empty() ? "" : "; ", removed.rule,
                             counted(removed.edges, "dependency", "dependencies"));
    }
    if (!rules.empty()) paragraph("  taken away    ", rules);
    known_rows();
  }

  // Facts that take no dependency away but tell which rows are the same.
  void known_rows() {
    std::string text;
    const auto add = [&](std::string_view part) { text += (text.empty() ? "" : "; ") + std::string(part); };
    std::uint64_t taken = 0, refused = 0;
    for (const AlwaysEqual& pair : audit_.classes.equal_columns) ++(pair.taken ? taken : refused);
    if (!audit_.options.classes.facts.on(FactKind::kEqual)) {
      refused += taken;
      taken = 0;
    }
    if (taken + refused > 0)
      add(fmt::format("of {} that were always equal {} for one value, {} not (it may be chance)",
                      counted(taken + refused, "pair of different columns", "pairs of different columns"),
                      taken == 1 ? "1 is taken" : fmt::format("{} are taken", taken), refused));
    for (const Fact& fact : audit_.classes.facts) {
      const bool tells = fact.kind == FactKind::kQueue || fact.kind == FactKind::kFlow;
      if (fact.kind == FactKind::kFunction || (tells && !fact.assumption)) add(fact.text);
    }
    if (!text.empty()) paragraph("  same rows     ", text);
  }

  void verdict() {
    const Finding finding = audit_.finding();
    const std::string_view colour = finding == Finding::kNone        ? kGreen
                                    : finding == Finding::kAnomalies ? kRed
                                                                     : kYellow;
    if (!options_.verdict_only) out_ += "\n";
    const std::string text = verdict_line(audit_);
    if (options_.verdict_only) return line("{}", paint(colour, fmt::format("{}: {}", audit_.file, text)));
    line("{}", paint(colour, text));
  }

  void seen_happening() {
    const std::vector<LostInTrace>& all = audit_.classes.lost;
    if (all.empty()) return;
    out_ += "\n";
    line("{}", paint(kRed, "seen happening in this trace"));
    for (const LostInTrace& one : all) {
      paragraph("  ",
                fmt::format("lost update on {}: {} of {}. The first: line {} sets it from {} to {}; then line {}, "
                            "which began before that was committed, sets it to {}, as if it were still {}.",
                            audit_.classes.schema.full_name(one.column), counted(one.times, "time", "times"),
                            counted(one.writes, "write whose old value is known", "writes whose old value is known"),
                            one.lost_line, one.old_value, one.lost_value, one.line, one.value, one.old_value));
    }
  }

  void untold() {
    if (audit_.untold == 0) return;
    out_ += "\n";
    paragraph("", fmt::format("not told: {} of anomaly of which no values were found that fit together",
                              counted(audit_.untold, "kind", "kinds")));
  }

  void set_aside() {
    const std::vector<SetAside>& all = audit_.set_aside;
    if (all.empty()) return;
    out_ += "\n";
    line("{}",
         paint(kYellow, fmt::format("set aside: {} of anomaly that cannot happen if what the trace shows always holds",
                                    counted(all.size(), "kind", "kinds"))));
    std::set<std::uint32_t> facts;
    for (const SetAside& one : all) facts.insert(one.facts.begin(), one.facts.end());
    for (const std::uint32_t fact : facts) {
      const auto resting = std::ranges::count_if(
          all, [&](const SetAside& one) { return std::ranges::find(one.facts, fact) != one.facts.end(); });
      paragraph("  - ", fmt::format("{}: {}. Turn it off with --no-fact {}.",
                                    counted(static_cast<std::uint64_t>(resting), "kind", "kinds"),
                                    audit_.classes.facts[fact].text, name(audit_.classes.facts[fact].kind)));
    }
    if (!options_.set_aside) return line("  --set-aside shows them");
    for (std::size_t i = 0; i < all.size(); ++i) anomaly(all[i].anomaly, i, nullptr);
  }

  void anomalies() {
    const auto& all = audit_.anomalies;
    const std::size_t shown = std::min(options_.shown, all.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const bool tried = i < audit_.confirmations.size() && audit_.confirmations[i];
      anomaly(all[i], i, tried ? &*audit_.confirmations[i] : nullptr);
    }
    if (shown < all.size())
      line("\n… {} more, less likely (--show {})", counted(all.size() - shown, "anomaly", "anomalies"), all.size());
  }

  // The class's number in the list of --classes: names are long and come often.
  [[nodiscard]] static std::string label(ClassId id) { return fmt::format("[{}]", raw(id) + 1); }

  // Advice names classes in quotes; here it is by their numbers, which named_classes() explains.
  [[nodiscard]] std::string with_labels(const Advice& advice) {
    std::string text = advice.text;
    for (const ClassId id : advice.classes) {
      const std::string quoted = fmt::format("\"{}\"", audit_.classes.classes[raw(id)].name);
      for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at)) {
        text.replace(at, quoted.size(), label(id));
        named_.insert(raw(id));
      }
    }
    return text;
  }

  void named_classes() {
    if (named_.empty() || options_.all_classes) return;
    out_ += "\n";
    line("classes named above (--classes lists all)");
    for (const std::uint32_t id : named_)
      paragraph("  ", fmt::format("{} {}", label(ClassId(id)), audit_.classes.classes[id].name));
  }

  void anomaly(const Anomaly& a, std::size_t i, const Confirmation* confirmed) {
    out_ += "\n";
    std::string seen;
    if (a.lost != kNone32) {
      seen = fmt::format("; it happened {} in this trace", counted(audit_.classes.lost[a.lost].times, "time", "times"));
    } else if (a.same_row > 0) {
      seen = fmt::format("; seen concurrent on the same rows {} in the trace", counted(a.same_row, "time", "times"));
    } else if (a.concurrent > 0) {
      seen = fmt::format("; seen concurrent {} in the trace", counted(a.concurrent, "time", "times"));
    }
    paragraph(fmt::format("{}. ", i + 1), fmt::format("{} on {}{}", name(a.name), columns_of(a.cycle), seen));
    for (std::size_t m = 0; m < a.cycle.members.size(); ++m) {
      const ClassId id = a.cycle.members[m];
      const TransactionClass& one = audit_.classes.classes[raw(id)];
      paragraph("   ", fmt::format("T{}: {} {}{}", m + 1, label(id), one.name, own_level(one)));
    }
    out_ += "\n" + steps_text(a.steps, a.members.size(), "T", options_.width, options_.colour) + "\n";
    paragraph("   ", a.words);
    for (const std::uint32_t fact : a.facts)
      paragraph("   As the trace shows: ", audit_.classes.facts[fact].text + ".");
    if (confirmed != nullptr) confirmation(*confirmed);
  }

  // "; it sets its own level, read-committed", if that is not the level of the audit.
  [[nodiscard]] std::string own_level(const TransactionClass& one) const {
    if (one.serializable) return "; it sets its own level, serializable";
    if (one.level_or(audit_.options.level) == audit_.options.level) return "";
    return fmt::format("; it sets its own level, {}", name(*one.level));
  }

  [[nodiscard]] std::string columns_of(const Cycle& cycle) const {
    std::vector<std::string> columns;
    for (const CycleEdge& edge : cycle.edges) {
      std::string column = column_name(audit_.classes, cycle, edge);
      if (std::ranges::find(columns, column) == columns.end()) columns.push_back(std::move(column));
    }
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += i + 1 == columns.size() ? " and " : ", ";
      text += columns[i];
    }
    return text;
  }

  // "Not in 24 runs: all 6 orders of the steps that could show it, on 4 patterns of rows."
  [[nodiscard]] static std::string tried(const Confirmation& c) {
    const std::string orders = counted(c.orders, "order", "orders"),
                      patterns = counted(c.patterns_that_matter, "pattern", "patterns");
    if (c.impossible()) {
      const std::string same =
          c.same_runs == 0 ? "" : fmt::format(" ({} would be the same run as another)", grouped(c.same_runs));
      return fmt::format("Not in {}: all {} of the steps that could show it, on {} of rows{}.",
                         counted(c.runs, "run", "runs"), orders, patterns, same);
    }
    return fmt::format("Not found in {} of {}: {} of the steps that could show it, {} of rows.",
                       counted(c.runs, "run", "runs"), grouped(c.orders * c.patterns), orders,
                       counted(c.patterns, "pattern", "patterns"));
  }

  void confirmation(const Confirmation& c) {
    const auto say = [&](const Run& run) {
      const std::string_view what = run.happened == Happened::kYes  ? "happens"
                                    : run.happened == Happened::kNo ? "does not happen"
                                                                    : "could not be run";
      return fmt::format("{}: {}{}{}", run.level, what, run.why.empty() ? "" : ": ", run.why);
    };
    const std::string_view colour = c.at_level.happened == Happened::kYes ? kRed : kYellow;
    line("   {}", paint(colour, fmt::format("{} on {}", name(c.outcome()), c.server)));
    if (c.at_level.happened != Happened::kYes && c.runs > 0) paragraph("     ", tried(c));
    paragraph("     at ", say(c.at_level));
    paragraph("     at ", say(c.at_serializable));
  }

  void scope() {
    const std::vector<ScopeFinding>& all = audit_.scope;
    const Requests& requests = audit_.requests;
    if (!audit_.options.scope || (all.empty() && !audit_.options.requests.only)) return;
    out_ += "\n";
    line("{}",
         paint(kBold, fmt::format("across transactions: {} where what is read in one is acted upon in a later one",
                                  counted(all.size(), "place", "places"))));
    paragraph("  requests      ", fmt::format("{}, by {} ({}): {}", counted(requests.all.size(), "request", "requests"),
                                              name(requests.evidence), name(requests.sure), requests.why));
    if (all.empty()) return;
    paragraph("",
              "No isolation level helps here. Put these statements into one transaction, and lock what is read (FOR "
              "UPDATE) or let the write ask for it again.");
    const std::size_t shown = std::min(options_.shown, all.size());
    for (std::size_t i = 0; i < shown; ++i) scope_finding(all[i], i);
    if (shown < all.size()) line("\n… {} more (--show {})", counted(all.size() - shown, "place", "places"), all.size());
  }

  void scope_finding(const ScopeFinding& one, std::size_t i) {
    const TraceStatement &read = audit_.log.statements[one.read_at], &write = audit_.log.statements[one.write_at];
    out_ += "\n";
    paragraph(
        fmt::format("{}. ", i + 1),
        fmt::format(
            "{} {}; lines {} and {}, so {} of {} in the trace{}", scope_column(one, audit_.classes.schema, audit_.log),
            scope_words(one), read.line, write.line, counted(one.times, "time", "times"), grouped(one.writes),
            one.others == 0 ? std::string()
                            : fmt::format("; {} of the same cause",
                                          counted(one.others, "more pair of statements", "more pairs of statements"))));
    out_ += "\n" + steps_text(one.steps, 2, "R", options_.width, options_.colour) + "\n";
    paragraph("   ", one.words);
  }

  static std::string_view scope_words(const ScopeFinding& one) {
    switch (one.kind) {
      case ScopeKind::kOverwrites:
        return "is read, and later overwritten";
      case ScopeKind::kActs:
        return one.earlier_request ? "is read in one request, and reduced in a later one that does not look again"
                                   : "is read, and later changed on the strength of that";
      case ScopeKind::kCounts:
        return "is set to a number that was counted or added up before";
      case ScopeKind::kInserts:
        return one.aggregates ? "is counted or added up by, and a row with it is inserted later"
                              : "is looked for, and a row with it is inserted later";
    }
    return "";
  }

  void targets() {
    const FixPlan& plan = audit_.plan;
    if (plan.targets.empty()) return;
    out_ += "\n";
    line("{}", paint(kBold, fmt::format("what to change: {} in {} cover every cycle{}",
                                        counted(plan.targets.size(), "column", "columns"),
                                        counted(std::max<std::uint64_t>(plan.rounds, 1), "round", "rounds"),
                                        plan.complete ? "; then none is left" : " found so far")));
    for (std::size_t i = 0; i < plan.targets.size(); ++i) {
      const TargetColumn& t = plan.targets[i];
      line("{}. {} ({}{})", i + 1, audit_.classes.schema.full_name(t.column), counted(t.cycles, "cycle", "cycles"),
           t.round > 1 ? fmt::format(", round {}", t.round) : "");
      if (i >= kListed) continue;
      for (std::size_t a = 0; a < std::min(kAdvice, t.advice.size()); ++a) advice(t.advice[a], t);
    }
    if (!plan.not_fixable.empty())
      paragraph("", fmt::format("{} left: every column of them is kept by a hint",
                                counted(plan.not_fixable.size(), "cycle is", "cycles are")));
  }

  void advice(const Advice& a, const TargetColumn& target) {
    paragraph("   - ",
              fmt::format("{} ({})", with_labels(a),
                          a.leaves_none ? "removes all of them"
                                        : fmt::format("removes {} of {}", grouped(a.removes), grouped(target.cycles))));
    if (!a.after.empty()) line("       {}", words::shortened(one_line(a.after), options_.width - 7));
  }

  void notes() {
    if (audit_.plan.searches.empty()) return;
    const SearchCounts& first = audit_.plan.searches.front();
    const SearchOptions& asked = audit_.options.search;
    if (first.correlation_limit > 0) {
      out_ += "\n";
      paragraph("", fmt::format("{} counted as possible because the look at the rows ran out of steps.",
                                counted(first.correlation_limit, "cycle is", "cycles are")));
    }
    if (first.k < asked.k || first.l < asked.l) {
      out_ += "\n";
      paragraph("",
                fmt::format("There are so many dangerous paths that no more than {} of each and {} were tried; -k {} "
                            "and -l {} had been asked for.",
                            counted(first.k, "way back", "ways back"),
                            counted(first.l, "choice of operations", "choices of operations"), asked.k, asked.l));
    }
  }

  const Audit& audit_;
  const RenderOptions& options_;
  std::string out_;
  std::set<std::uint32_t> named_;  // classes that advice named by their labels
};

}  // namespace

std::string verdict_line(const Audit& audit) {
  const std::string_view level = name(audit.options.level);
  const std::string across = audit.scope.empty() ? std::string()
                                                 : fmt::format("; {} of check-then-act across transactions",
                                                               counted(audit.scope.size(), "place", "places"));
  const std::string aside =
      audit.set_aside.empty() ? std::string()
                              : fmt::format("; {} set aside, which cannot happen if what the trace shows always holds",
                                            counted(audit.set_aside.size(), "kind", "kinds"));
  const std::string seen = audit.classes.lost.empty()
                               ? std::string()
                               : fmt::format("; {} of which updates were lost in this trace",
                                             counted(audit.classes.lost.size(), "column", "columns"));
  switch (audit.finding()) {
    case Finding::kNone:
      return fmt::format("no anomaly found at {}{}{}{}", level, aside, seen, across);
    case Finding::kUndecided:
      return fmt::format("undecided at {}: the time ran out, and nothing was found so far", level);
    case Finding::kAnomalies:
      break;
  }
  std::map<AnomalyName, std::uint64_t> kinds;
  for (const Anomaly& a : audit.anomalies) ++kinds[a.name];
  std::string text;
  for (const auto& [kind, count] : kinds) text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", count, name(kind));
  return fmt::format("{} of anomaly at {}{}{}{}{}{}", counted(audit.anomalies.size(), "kind", "kinds"), level, text,
                     audit.plan.complete ? "" : "; the time ran out: there may be more", aside, seen, across);
}

std::string audit_text(const Audit& audit, const RenderOptions& options) { return Text(audit, options).all(); }

}  // namespace isolde::audit
