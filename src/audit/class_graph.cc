#include "audit/class_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace isolde::audit {
namespace {

constexpr std::size_t kColumnsShown = 3;

std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out + "\"";
}

std::string label(const Audit& audit, ClassId a, ClassId b) {
  std::set<std::string> columns;
  for (const Conflict& conflict : audit.graph.conflicts(a, b))
    columns.insert(audit.classes.schema.full_name(conflict.column));
  std::string out;
  std::size_t shown = 0;
  for (const std::string& one : columns) {
    if (shown == kColumnsShown) break;
    out += (shown++ == 0 ? "" : ", ") + one;
  }
  if (columns.size() > shown) out += fmt::format(" and {} more", columns.size() - shown);
  return out;
}

}  // namespace

std::string class_graph_dot(const Audit& audit) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> of_anomalies;
  for (const Cycle& cycle : audit.plan.first_round) {
    for (const CycleEdge& edge : cycle.edges) {
      const std::uint32_t from = raw(cycle.members[edge.from]), to = raw(cycle.members[edge.to]);
      of_anomalies.emplace(std::min(from, to), std::max(from, to));
    }
  }
  std::string out = "graph audit {\n  node [shape=box];\n";
  for (std::uint32_t a = 0; a < audit.graph.classes(); ++a)
    out += fmt::format("  c{} [label={}];\n", a, dot_string(audit.classes.classes[a].name));
  for (std::uint32_t a = 0; a < audit.graph.classes(); ++a) {
    for (std::uint32_t b = a; b < audit.graph.classes(); ++b) {
      if (!audit.graph.connected(ClassId(a), ClassId(b))) continue;
      out += fmt::format("  c{} -- c{} [label={}{}];\n", a, b, dot_string(label(audit, ClassId(a), ClassId(b))),
                         of_anomalies.contains({a, b}) ? ", penwidth=3, color=red" : "");
    }
  }
  return out + "}\n";
}

}  // namespace isolde::audit
