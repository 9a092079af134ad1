#include "report/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/explain_anomaly.h"
#include "report/shown_steps.h"
#include "report/words.h"

namespace isolde {
namespace {

constexpr std::uint32_t kOpsShown = 8;
constexpr std::size_t kStepsShown = 48;  // of one anomaly; a larger graph is not read, and takes Graphviz long

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string node_name(std::size_t anomaly, TxnId t) {
  return t == kNoTxn ? fmt::format("a{}_initial", anomaly) : fmt::format("a{}_t{}", anomaly, raw(t));
}

std::string node(const History& h, std::size_t anomaly, TxnId t, const std::vector<OpId>& named, bool guilty) {
  if (t == kNoTxn) return fmt::format("    {} [label=\"initial state\", style=dashed];\n", node_name(anomaly, t));
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
  return fmt::format("    {} [label=\"{}\"{}];\n", node_name(anomaly, t), label,
                     guilty ? ", color=\"#b00020\", penwidth=2" : "");
}

// Solid: a dependency; dashed: an order beside them; red: an anti-dependency, without which there is rarely a cycle.
std::string edge(const History& h, std::size_t anomaly, const Step& s, std::string_view says) {
  const bool dependency = s.type == StepType::kWw || s.type == StepType::kWr || s.type == StepType::kRw;
  const std::string on = s.key == kNoKey ? std::string() : " " + words::key(h, s.key);
  return fmt::format("    {} -> {} [label=\"{}{}\", tooltip=\"{}\"{}{}];\n", node_name(anomaly, s.from),
                     node_name(anomaly, s.to), name(s.type), escaped(on), escaped(says),
                     dependency ? "" : ", style=dashed",
                     s.type == StepType::kRw ? ", color=\"#b00020\", fontcolor=\"#b00020\"" : "");
}

// Steps that are left out, as one node between those that are shown.
std::string gap(const History& h, std::size_t anomaly, std::size_t number, std::span<const Step> left_out) {
  const std::string between = fmt::format("a{}_gap{}", anomaly, number);
  return fmt::format(
      "    {} [label=\"… {}\", shape=plaintext];\n    {} -> {} [style=dotted];\n    {} -> {} [style=dotted];\n",
      between, escaped(gap_text(h, left_out)), node_name(anomaly, left_out.front().from), between, between,
      node_name(anomaly, left_out.back().to));
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
    const std::vector<std::size_t> shown = shown_steps(a.steps, kStepsShown);
    std::set<TxnId> seen;
    if (shown.size() == a.steps.size()) seen.insert(a.transactions.begin(), a.transactions.end());
    for (const std::size_t s : shown) seen.insert({a.steps[s].from, a.steps[s].to});
    if (a.expected_known) seen.insert(a.expected_writer);
    const std::vector<OpId> named = named_operations(h, a);
    const TxnId guilty = a.transactions.empty() ? kNoTxn : a.transactions[0];
    for (const TxnId t : seen) out += node(h, i, t, named, t == guilty);
    std::size_t next = 0;
    for (const std::size_t s : shown) {
      if (s > next) out += gap(h, i, next, std::span(a.steps).subspan(next, s - next));
      out += edge(h, i, a.steps[s], e.steps[s]);
      next = s + 1;
    }
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace isolde
