#include "audit/story/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "audit/story/naming.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

// A lost update: the column. Else the tables in which something is missed: which way the cycle closes, and who closes
// it, does not matter.
std::vector<std::uint32_t> story_key(const Classes& classes, const Cycle& cycle, AnomalyName name) {
  const bool lost = name == AnomalyName::kLostUpdate;
  std::vector<std::uint32_t> out;
  for (const CycleEdge& edge : cycle.edges) {
    if (!misses(edge)) continue;
    out.push_back(lost ? raw(edge.conflict.column) : raw(classes.schema.column(edge.conflict.column).table));
  }
  std::ranges::sort(out);
  const auto repeated = std::ranges::unique(out);
  out.erase(repeated.begin(), repeated.end());
  out.push_back(static_cast<std::uint32_t>(name));
  return out;
}

// When a row was changed last is written by everyone and matters to few.
bool is_time_stamp(const Column& column) {
  const std::string type = lower_case(column.type);
  return type.find("time") != std::string::npos || type.find("date") != std::string::npos ||
         column.name.ends_with("_at");
}

double logarithm(double number) { return std::log2(1 + number); }

Grouped rank(const Classes& classes, SameRows& rows, const Cycle& cycle, std::size_t place) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  Grouped out{place, name_of(classes, rows, cycle), 0, kMost, kMost, 1};
  double single = 0;
  for (const CycleEdge& edge : cycle.edges) {
    const ClassId a = cycle.members[edge.from], b = cycle.members[edge.to];
    out.concurrent = std::min(out.concurrent, classes.concurrent(a, b));
    out.same_row = std::min(out.same_row, classes.same_row(a, b));
    if (edge.conflict.kind == EdgeKind::kWw) out.rank += 0.1;  // says more than two reads of the old
    if (is_time_stamp(classes.schema.column(edge.conflict.column))) out.rank -= 2;
    // Who looks for one row by its key knows most often that it is there.
    if (is_phantom(classes, cycle, edge) && from_rows(classes, cycle, edge).single) out.rank -= 4;
    single += (from_rows(classes, cycle, edge).single ? 1 : 0) + (to_rows(classes, cycle, edge).single ? 1 : 0);
  }
  double seldom = std::numeric_limits<double>::max();
  bool all_write = true;
  for (const ClassId member : cycle.members) {
    const TransactionClass& one = classes.classes[raw(member)];
    seldom = std::min(seldom, static_cast<double>(one.transactions));
    all_write &= !one.reads_only;
    if (one.autocommit && one.statements.size() == 1) out.rank -= 20;  // hardly ever long enough to meet another
  }
  const auto n = static_cast<double>(cycle.edges.size());
  // Three must meet far less often than two.
  out.rank += 3 * logarithm(out.same_row) + logarithm(out.concurrent) + 0.5 * logarithm(seldom) + single / n +
              (all_write ? 1.5 : 0) - 10 * (n - 2);
  if (out.name == AnomalyName::kLostUpdate) out.rank += 2;
  if (out.name == AnomalyName::kOther) out.rank -= 1;
  return out;
}

}  // namespace

std::vector<Grouped> group_cycles(const Classes& classes, SameRows& rows, const std::vector<Cycle>& cycles) {
  const auto better = [](const Grouped& a, const Grouped& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.cycle < b.cycle;
  };
  std::vector<Grouped> out;
  std::map<std::vector<std::uint32_t>, std::size_t> place;  // by kind: in `out`
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const Grouped one = rank(classes, rows, cycles[i], i);
    const auto [at, is_new] = place.try_emplace(story_key(classes, cycles[i], one.name), out.size());
    if (is_new) {
      out.push_back(one);
      continue;
    }
    Grouped& best = out[at->second];
    const std::uint64_t count = best.cycles + 1;
    if (better(one, best)) best = one;
    best.cycles = count;
  }
  std::ranges::sort(out, better);
  return out;
}

}  // namespace isolde::audit
