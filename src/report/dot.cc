#include "report/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/explain_anomaly.h"
#include "report/explain_cases.h"
#include "report/shown_steps.h"
#include "report/words.h"

namespace isolde {
namespace {

constexpr std::uint32_t kOpsShown = 8;
constexpr std::size_t kCasesDrawn = 12;
constexpr std::size_t kStepsDrawn = 48;  // of one anomaly; a larger graph is not read, and takes Graphviz long

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// `scope` sets apart what one anomaly, or one case of it, shows.
std::string node_name(std::string_view scope, TxnId t) {
  return t == kNoTxn ? fmt::format("{}_initial", scope) : fmt::format("{}_t{}", scope, raw(t));
}

std::string node(const History& h, std::string_view scope, TxnId t, const std::vector<OpId>& named, bool guilty) {
  if (t == kNoTxn) return fmt::format("    {} [label=\"initial state\", style=dashed];\n", node_name(scope, t));
  std::string label = escaped(words::txn_with_place(h, t)) + "\\n";
  const std::uint32_t first = h.first_op(t);
  const std::uint32_t end = h.end_op(t);
  std::uint32_t left = end - first;
  for (std::uint32_t op = first; op < end; ++op) {
    if (end - first > kOpsShown && !std::binary_search(named.begin(), named.end(), OpId{op})) continue;
    label += escaped(words::did(h, OpId{op})) + "\\l";
    --left;
  }
  if (left > 0) label += fmt::format("… {}\\l", words::counted(left, "other operation"));
  return fmt::format("    {} [label=\"{}\"{}];\n", node_name(scope, t), label,
                     guilty ? ", color=\"#b00020\", penwidth=2" : "");
}

// Solid: a dependency; dashed: an order beside them; red: an anti-dependency, without which there is rarely a cycle.
std::string edge(const History& h, std::string_view scope, const Step& s, std::string_view says) {
  const bool dependency = s.type == StepType::kWw || s.type == StepType::kWr || s.type == StepType::kRw;
  const std::string on = s.key == kNoKey ? std::string() : " " + words::key(h, s.key);
  return fmt::format("    {} -> {} [label=\"{}{}\", tooltip=\"{}\"{}{}];\n", node_name(scope, s.from),
                     node_name(scope, s.to), name(s.type), escaped(on), escaped(says),
                     dependency ? "" : ", style=dashed",
                     s.type == StepType::kRw ? ", color=\"#b00020\", fontcolor=\"#b00020\"" : "");
}

// Steps that are left out, as one node between those that are shown.
std::string gap(const History& h, std::string_view scope, std::size_t number, std::span<const Step> left_out) {
  const std::string between = fmt::format("{}_gap{}", scope, number);
  return fmt::format(
      "    {} [label=\"… {}\", shape=plaintext];\n    {} -> {} [style=dotted];\n    {} -> {} [style=dotted];\n",
      between, escaped(gap_text(h, left_out)), node_name(scope, left_out.front().from), between, between,
      node_name(scope, left_out.back().to));
}

// The steps, those that are not shown as gaps, and the transactions that they and `also` name.
std::string steps_dot(const History& h, std::string_view scope, const std::vector<Step>& steps,
                      const std::vector<std::string>& says, std::set<TxnId> also, const std::vector<OpId>& named,
                      TxnId guilty) {
  std::string out;
  const std::vector<std::size_t> shown = shown_steps(steps, kStepsDrawn);
  for (const std::size_t s : shown) also.insert({steps[s].from, steps[s].to});
  for (const TxnId t : also) out += node(h, scope, t, named, t == guilty);
  std::size_t next = 0;
  for (const std::size_t s : shown) {
    if (s > next) out += gap(h, scope, next, std::span(steps).subspan(next, s - next));
    out += edge(h, scope, steps[s], says[s]);
    next = s + 1;
  }
  return out;
}

// A cluster of its own for each case, under what is assumed there.
std::string cases_dot(const History& h, const Anomaly& a, const Explanation& e, std::size_t number,
                      const std::vector<OpId>& named) {
  std::string out;
  const proof::Choices choices = choices_of(h, a);
  const std::size_t count = std::min(kCasesDrawn, a.cases.size());
  for (std::size_t c = 0; c < count; ++c) {
    const std::string scope = fmt::format("a{}_c{}", number, c);
    std::string assumed;
    for (const proof::Literal& l : choices.of_case[c])
      assumed +=
          fmt::format("{}{}", assumed.empty() ? "if " : ",\\nand ", escaped(choice_text(h, choices, l, Mood::kFact)));
    out += fmt::format("  subgraph cluster_{}_{} {{\n    label=\"{}\";\n", number, c, assumed);
    out += steps_dot(h, scope, a.cases[c].steps, e.cases[c], {}, named, kNoTxn);
    out += "  }\n";
  }
  if (a.cases.size() > count)
    out += fmt::format("    a{}_more [label=\"… {}\", shape=plaintext];\n", number,
                       words::counted(a.cases.size() - count, "more case"));
  return out;
}

}  // namespace

std::string render_dot(const Report& r, std::size_t most) {
  const History& h = r.history;
  std::string out = "digraph isolde {\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n";
  const std::size_t count = std::min(most, r.verdict.anomalies.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Anomaly& a = r.verdict.anomalies[i];
    const Explanation e = explain(h, a);
    out += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\\n{}\";\n", i, escaped(e.title),
                       escaped(e.contradiction));
    std::set<TxnId> also;
    if (a.steps.size() <= kStepsDrawn && a.cases.empty()) also.insert(a.transactions.begin(), a.transactions.end());
    if (a.expected_known) also.insert(a.expected_writer);
    const std::vector<OpId> named = named_operations(h, a);
    const TxnId guilty = a.transactions.empty() ? kNoTxn : a.transactions[0];
    out += steps_dot(h, fmt::format("a{}", i), a.steps, e.steps, std::move(also), named, guilty);
    if (!a.cases.empty()) out += cases_dot(h, a, e, i, named);
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace isolde
