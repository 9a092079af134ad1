#include "report/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/explain_anomaly.h"
#include "report/words.h"

namespace isolde {
namespace {

constexpr std::uint32_t kOpsShown = 8;

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

std::string node(const History& h, std::size_t anomaly, TxnId t) {
  if (t == kNoTxn) return fmt::format("    {} [label=\"initial state\", style=dashed];\n", node_name(anomaly, t));
  std::string label = escaped(words::txn_with_place(h, t)) + "\\n";
  const std::uint32_t first = h.first_op(t);
  const std::uint32_t end = h.end_op(t);
  for (std::uint32_t op = first; op < end && op < first + kOpsShown; ++op)
    label += escaped(words::did(h, OpId{op})) + "\\l";
  if (end - first > kOpsShown) label += fmt::format("… {} more\\l", end - first - kOpsShown);
  return fmt::format("    {} [label=\"{}\"];\n", node_name(anomaly, t), label);
}

std::string edge(const History& h, std::size_t anomaly, const Step& s, std::string_view says) {
  const bool dependency = s.type == StepType::kWw || s.type == StepType::kWr || s.type == StepType::kRw;
  const std::string on = s.key == kNoKey ? std::string() : " " + words::key(h, s.key);
  return fmt::format("    {} -> {} [label=\"{}{}\", tooltip=\"{}\"{}];\n", node_name(anomaly, s.from),
                     node_name(anomaly, s.to), name(s.type), escaped(on), escaped(says),
                     dependency ? "" : ", style=dashed");
}

}  // namespace

std::string render_dot(const Report& r, std::size_t most) {
  const History& h = r.history;
  std::string out = "digraph isolde {\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n";
  const std::size_t count = std::min(most, r.verdict.anomalies.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Anomaly& a = r.verdict.anomalies[i];
    const Explanation e = explain(h, a);
    out += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", i, escaped(e.title));
    std::set<TxnId> seen(a.transactions.begin(), a.transactions.end());
    for (const Step& s : a.steps) seen.insert({s.from, s.to});
    if (a.expected_known) seen.insert(a.expected_writer);
    for (const TxnId t : seen) out += node(h, i, t);
    for (std::size_t s = 0; s < a.steps.size(); ++s) out += edge(h, i, a.steps[s], e.steps[s]);
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace isolde
