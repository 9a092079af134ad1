#include "audit/story/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "audit/story/actors.h"
#include "audit/story/naming.h"
#include "audit/story/stakes.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostCandidates = 8;  // per group, from which its one story is chosen

constexpr double kSeenHappening = 100;  // more than everything else together

double logarithm(double number) { return std::log2(1 + number); }

// Puts rows there and looks at nothing: what fills a database before the application begins.
bool is_set_up(const Classes& classes, const TransactionClass& one) {
  if (one.transactions != 1 || one.statements.size() < 3) return false;
  return std::ranges::none_of(one.statements, [&](ShapeId shape) {
    const StatementKind kind = classes.statements[raw(shape)].kind;
    return kind == StatementKind::kSelect || kind == StatementKind::kUpdate;
  });
}

// Texts that a statement asks for (status = 'trash'), in a column that others are written to, and never this one: rows
// like these are seldom there.
class StrangeValues {
 public:
  StrangeValues(const Classes& classes, const TraceLog& log)
      : classes_(classes), log_(log), written_(classes.schema.columns()) {
    for (const TraceStatement& here : log.statements) {
      if (raw(here.shape) >= classes.statements.size()) continue;
      const Statement& statement = classes.statements[raw(here.shape)];
      const std::span<const LiteralId> literals = log.literals_of(here);
      const auto note = [&](const RowKey& value) {
        if (value.literal < literals.size()) written_[raw(value.column)].insert(literals[value.literal]);
      };
      std::ranges::for_each(statement.assigned, note);
      for (const Access& access : statement.accesses) {
        if (access.action != Action::kWrite || !access.inserts) continue;
        std::ranges::for_each(statement.row_sets[access.row_set].keys, note);
      }
    }
  }

  [[nodiscard]] bool asked_for(const TransactionClass& one, std::uint32_t op) const {
    if (!has_statements(one)) return false;
    const std::uint32_t at = one.operations[op].statement;
    std::uint32_t first = op;
    while (first > 0 && one.operations[first - 1].statement == at) --first;
    const Statement& statement = classes_.statements[raw(one.statements[at])];
    if (op - first >= statement.accesses.size()) return false;
    const std::span<const LiteralId> literals = log_.literals_of(log_.statements[one.example_statements[at]]);
    const RowSet& rows = statement.row_sets[statement.accesses[op - first].row_set];
    return std::ranges::any_of(rows.keys, [&](const RowKey& key) {
      const auto& written = written_[raw(key.column)];
      if (written.empty() || key.literal >= literals.size() || written.contains(literals[key.literal])) return false;
      const std::string_view text = log_.shapes.literal(literals[key.literal]);
      return !text.empty() && std::ranges::none_of(text, [](char c) { return c >= '0' && c <= '9'; });
    });
  }

 private:
  const Classes& classes_;
  const TraceLog& log_;
  std::vector<std::set<LiteralId>> written_;  // by column
};

class Ranker {
 public:
  Ranker(const Classes& classes, const TraceLog& log, SameRows& rows, const RowFacts& facts)
      : classes_(classes), rows_(rows), facts_(facts), stakes_(classes.schema), strange_(classes, log) {
    for (const TransactionClass& one : classes.classes) set_up_.push_back(is_set_up(classes, one));
  }

  [[nodiscard]] Cause cause(const Cycle& cycle) const {
    const CycleEdge& edge = cycle.edges[main_edge(classes_, cycle)];
    const auto shape = [&](std::uint32_t member, const Operation& operation) {
      return classes_.classes[raw(cycle.members[member])].statements[operation.statement];
    };
    return {shape(edge.from, from_operation(classes_, cycle, edge)),
            shape(edge.to, to_operation(classes_, cycle, edge)), classes_.schema.column(edge.conflict.column).table,
            entry_name(classes_, cycle, edge)};
  }

  Grouped rank(const Cycle& cycle, std::size_t place) {
    constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
    Grouped out{{place}, name_of(classes_, rows_, cycle), 0, kMost, kMost, 1};
    const CycleEdge& main = cycle.edges[main_edge(classes_, cycle)];
    out.cause = cause(cycle);
    if (out.name == AnomalyName::kLostUpdate) out.lost = seen_lost(cycle, main);
    if (out.lost != kNone32) out.rank += kSeenHappening;
    double stake = 0;
    for (const CycleEdge& edge : cycle.edges) {
      const ClassId a = cycle.members[edge.from], b = cycle.members[edge.to];
      out.concurrent = std::min(out.concurrent, classes_.concurrent(a, b));
      out.same_row = std::min(out.same_row, classes_.same_row(a, b));
      stake += stake_of(cycle, edge);
      if (raw(edge.conflict.column) < classes_.unchanged.size() && classes_.unchanged[raw(edge.conflict.column)])
        out.rank -= 3;
      if (edge.conflict.kind == EdgeKind::kWw) out.rank += 0.1;  // says more than two reads of the old
      // Who looks for one row by its key knows most often that it is there.
      if (is_phantom(classes_, cycle, edge) && from_rows(classes_, cycle, edge).single) out.rank -= 2;
    }
    // All that closes the cycle is that a time stamp is overwritten.
    const bool cheap = std::ranges::all_of(cycle.edges, [&](const CycleEdge& edge) {
      const Access& to = to_operation(classes_, cycle, edge).access;
      return &edge == &main || (edge.conflict.kind == EdgeKind::kWw && !to.inserts && !to.deletes &&
                                stakes_.of_column[raw(edge.conflict.column)] < 0);
    });
    if (cheap) out.rank -= 1.5;
    const auto n = static_cast<double>(cycle.edges.size());
    double seldom = std::numeric_limits<double>::max();
    for (const ClassId member : cycle.members) {
      const TransactionClass& one = classes_.classes[raw(member)];
      seldom = std::min(seldom, static_cast<double>(one.transactions));
      if (set_up_[raw(member)]) out.rank -= 4;
    }
    const TransactionClass& reader = classes_.classes[raw(cycle.members[main.from])];
    if (strange_.asked_for(reader, main.conflict.from_op)) out.rank -= 5;
    if (reader.autocommit && reader.statements.size() == 1) out.rank -= 4;  // hardly ever long enough to meet another
    out.rank += 3 * use_of_read(cycle, main) + stake_of(cycle, main) + stake / n + 0.5 * logarithm(out.same_row) +
                0.25 * logarithm(out.concurrent) + 0.1 * logarithm(seldom) - 1.5 * (n - 2);
    if (out.name == AnomalyName::kLostUpdate) out.rank += 0.5;
    if (only_deletes_twice(cycle)) out.rank -= 3;
    if (out.name == AnomalyName::kReadSkew || out.name == AnomalyName::kOther) out.rank -= 0.5;
    return out;
  }

 private:
  // Where rows come or go, no column of theirs matters more than another.
  [[nodiscard]] double stake_of(const Cycle& cycle, const CycleEdge& edge) const {
    const Access &from = from_operation(classes_, cycle, edge).access, &to = to_operation(classes_, cycle, edge).access;
    const std::string &entry = entry_name(classes_, cycle, edge), &seen = from_rows(classes_, cycle, edge).entry_seen;
    if (!entry.empty() || !seen.empty()) return Stakes::of_name(entry.empty() ? seen : entry);
    const bool whole = from.inserts || from.deletes || to.inserts || to.deletes;
    const TableId table = classes_.schema.column(edge.conflict.column).table;
    return whole ? stakes_.of_table[raw(table)] : stakes_.of_column[raw(edge.conflict.column)];
  }

  // All that happens is that rows are deleted by two: they are gone, whoever came first.
  [[nodiscard]] bool only_deletes_twice(const Cycle& cycle) const {
    return std::ranges::all_of(cycle.edges, [&](const CycleEdge& edge) {
      const Access& to = to_operation(classes_, cycle, edge).access;
      return to.action == Action::kWrite && to.deletes && !to.inserts;
    });
  }

  // The update that was lost in the trace in this way: the reader's statement reads that column, and the writer's
  // statement writes it.
  [[nodiscard]] std::uint32_t seen_lost(const Cycle& cycle, const CycleEdge& main) const {
    const auto touches = [&](ClassId id, std::uint32_t op, Action action, ColumnId column) {
      const std::vector<Operation>& all = classes_.classes[raw(id)].operations;
      return std::ranges::any_of(all, [&](const Operation& other) {
        return other.statement == all[op].statement && other.access.action == action && other.access.column == column;
      });
    };
    for (std::uint32_t i = 0; i < classes_.lost.size(); ++i) {
      const LostInTrace& lost = classes_.lost[i];
      if (touches(cycle.members[main.from], main.conflict.from_op, Action::kRead, lost.column) &&
          touches(cycle.members[main.to], main.conflict.to_op, Action::kWrite, lost.column))
        return i;
    }
    return kNone32;
  }

  // What the reader does with what it has read: 1 writes it back … 0 nothing.
  [[nodiscard]] double use_of_read(const Cycle& cycle, const CycleEdge& main) const {
    const ClassId id = cycle.members[main.from];
    const TransactionClass& one = classes_.classes[raw(id)];
    const Operation& read = one.operations[main.conflict.from_op];
    const ClassRows& read_rows = one.rows[read.access.row_set];
    double best = 0;
    for (const Operation& later : one.operations) {
      if (later.access.action != Action::kWrite || later.statement < read.statement) continue;
      const ClassRows& rows = one.rows[later.access.row_set];
      double use = 0.2;
      if (rows.table == read_rows.table) {
        const bool same = facts_.same_in(id, read.access.row_set, later.access.row_set);
        const bool shares = std::ranges::any_of(read_rows.keys, [&](const ClassRowKey& key) {
          return std::ranges::any_of(rows.keys, [&](const ClassRowKey& other) {
            return other.column == key.column && other.variable == key.variable;
          });
        });
        use = 0.6;
        if (same || shares) use = 0.8;
        if (same && later.access.column == read.access.column && !later.access.increments) use = 1;
        // A time stamp says that something was done, whatever was read.
        const bool whole = later.access.inserts || later.access.deletes;
        if (!whole && stakes_.of_column[raw(later.access.column)] < 0) use = std::min(use, 0.2);
      }
      best = std::max(best, use);
    }
    return best;
  }

  const Classes& classes_;
  SameRows& rows_;
  const RowFacts& facts_;
  Stakes stakes_;
  StrangeValues strange_;
  std::vector<bool> set_up_;
};

}  // namespace

std::vector<Grouped> group_cycles(const Classes& classes, const TraceLog& log, SameRows& rows, const RowFacts& facts,
                                  const std::vector<Cycle>& cycles) {
  const auto better = [](const Grouped& a, const Grouped& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.candidates[0] < b.candidates[0];
  };
  Ranker ranker(classes, log, rows, facts);
  struct Group {
    std::vector<Grouped> best;  // a few, the best first
    std::uint64_t cycles = 0;
  };
  std::map<Cause, std::size_t> place;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const Grouped one = ranker.rank(cycles[i], i);
    const auto [at, is_new] = place.try_emplace(one.cause, groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[at->second];
    ++group.cycles;
    if (group.best.size() == kMostCandidates && !better(one, group.best.back())) continue;
    if (group.best.size() == kMostCandidates) group.best.pop_back();
    group.best.insert(std::ranges::upper_bound(group.best, one, better), one);
  }
  std::vector<Grouped> out;
  for (const Group& group : groups) {
    Grouped& one = out.emplace_back(group.best[0]);
    one.cycles = group.cycles;
    for (std::size_t i = 1; i < group.best.size(); ++i) one.candidates.push_back(group.best[i].candidates[0]);
  }
  std::ranges::sort(out, better);
  return out;
}

}  // namespace isolde::audit
