#include "audit/story/grouping.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

#include "audit/story/naming.h"
#include "base/hash.h"

namespace isolde::audit {
namespace {

// Equal for equal words whatever member the cycle begins with: the smallest of the hashes of all rotations.
template <class WordOf>
std::uint64_t cyclic_hash(std::size_t n, std::uint64_t seed, WordOf word_of) {
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t first = 0; first < n; ++first) {
    std::uint64_t hash = seed;
    for (std::size_t i = 0; i < n; ++i) hash = mix64(hash ^ word_of((first + i) % n)) + i;
    best = std::min(best, hash);
  }
  return best;
}

std::uint64_t by_columns(const Cycle& cycle, AnomalyName name) {
  std::vector<std::uint32_t> columns;
  for (const CycleEdge& edge : cycle.edges) columns.push_back(raw(edge.conflict.column));
  std::ranges::sort(columns);
  const auto repeated = std::ranges::unique(columns);
  columns.erase(repeated.begin(), repeated.end());
  std::uint64_t seed = mix64(static_cast<std::uint64_t>(name) + 1);
  for (const std::uint32_t column : columns) seed = mix64(seed ^ column);
  return cyclic_hash(cycle.members.size(), seed, [&](std::size_t i) { return std::uint64_t{raw(cycle.members[i])}; });
}

// The same pieces of SQL, whatever else their transactions do.
std::uint64_t by_statements(const Classes& classes, const Cycle& cycle) {
  return cyclic_hash(cycle.edges.size(), 1, [&](std::size_t i) {
    const CycleEdge& edge = cycle.edges[i];
    const auto shape = [&](std::uint32_t member, const Operation& operation) {
      return raw(classes.classes[raw(cycle.members[member])].statements[operation.statement]);
    };
    const std::uint64_t from = shape(edge.from, from_operation(classes, cycle, edge));
    return mix64(from << 32U | shape(edge.to, to_operation(classes, cycle, edge)));
  });
}

// When a row was changed last is written by everyone and matters to few.
bool is_time_stamp(const Column& column) {
  std::string type = column.type;
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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
  std::vector<Grouped> all;
  std::vector<std::size_t> group(cycles.size());  // the first of the group, by way of others
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  std::unordered_map<std::uint64_t, std::size_t> first;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    all.push_back(rank(classes, rows, cycles[i], i));
    for (const std::uint64_t hash : {by_columns(cycles[i], all[i].name), by_statements(classes, cycles[i])}) {
      const std::size_t a = find(first.try_emplace(hash, i).first->second), b = find(i);
      group[std::max(a, b)] = std::min(a, b);
    }
  }
  const auto better = [](const Grouped& a, const Grouped& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.cycle < b.cycle;
  };
  std::vector<Grouped> out;
  std::unordered_map<std::size_t, std::size_t> place;  // of the group in `out`
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto [at, is_new] = place.try_emplace(find(i), out.size());
    if (is_new) {
      out.push_back(all[i]);
      continue;
    }
    Grouped& best = out[at->second];
    const std::uint64_t count = best.cycles + 1;
    if (better(all[i], best)) best = all[i];
    best.cycles = count;
  }
  std::ranges::sort(out, better);
  return out;
}

}  // namespace isolde::audit
