// audit/graph/build.cc: conflicts are found column by column, so that only operations that can meet are compared.
#include <algorithm>
#include <vector>

#include "audit/graph/graph.h"
#include "audit/graph/rules.h"
#include "audit/graph/vulnerable.h"

namespace isolde::audit {
namespace {

struct OperationsOfColumn {
  std::vector<OperationRef> writes, locked_reads, plain_reads;
};

std::vector<OperationsOfColumn> by_column(const Classes& classes, const ConflictRules& rules) {
  std::vector<OperationsOfColumn> out(classes.schema.columns());
  for (std::uint32_t id = 0; id < classes.classes.size(); ++id) {
    const std::vector<Operation>& operations = classes.classes[id].operations;
    for (std::uint32_t place = 0; place < operations.size(); ++place) {
      const Access& access = operations[place].access;
      if (!rules.counts(access)) continue;
      OperationsOfColumn& column = out[raw(access.column)];
      std::vector<OperationRef>& list = rules.writes(access)               ? column.writes
                                        : rules.locks(ClassId(id), access) ? column.locked_reads
                                                                           : column.plain_reads;
      list.push_back({ClassId(id), place});
    }
  }
  return out;
}

// Every ordered pair of operations that may have to do with each other.
template <typename Visit>
void for_each_pair(const std::vector<OperationsOfColumn>& columns, Visit&& visit) {
  for (const OperationsOfColumn& column : columns) {
    for (const OperationRef write : column.writes) {
      for (const OperationRef other : column.writes) visit(write, other);
      for (const std::vector<OperationRef>* reads : {&column.locked_reads, &column.plain_reads}) {
        for (const OperationRef read : *reads) {
          visit(write, read);
          visit(read, write);
        }
      }
    }
    for (const OperationRef one : column.locked_reads) {
      for (const OperationRef other : column.locked_reads) visit(one, other);
    }
  }
}

void make_places(std::vector<std::uint32_t>& counts) {
  std::uint32_t sum = 0;
  for (std::uint32_t& count : counts) {
    const std::uint32_t here = count;
    count = sum;
    sum += here;
  }
}

}  // namespace

DependencyGraph build_graph(const Classes& classes, const Hints& hints, const GraphOptions& options) {
  const ConflictRules rules(classes, hints, options);
  const auto n = static_cast<std::uint32_t>(classes.classes.size());
  DependencyGraph graph;
  graph.count_ = n;
  graph.options_ = options;
  graph.snapshots_ = std::ranges::all_of(classes.classes, [&](const TransactionClass& one) {
    return one.level_or(options.level) == WeakLevel::kSnapshotIsolation;
  });
  for (std::uint32_t i = 0; i < n; ++i) graph.replicas_.push_back(rules.replicas(ClassId(i)));
  for (const std::string& rule : rules.names()) graph.removed_.push_back({rule, 0});

  const std::vector<OperationsOfColumn> columns = by_column(classes, rules);
  const auto pair_of = [&](OperationRef from, OperationRef to) { return std::size_t{raw(from.of)} * n + raw(to.of); };
  const auto judge = [&](OperationRef from, OperationRef to) {
    ConflictRules::Judged judged = rules.judge(from, to);
    if (!judged.kind) return judged;
    const std::uint32_t against = rules.rule_against(from.of, to.of);
    return against == kNone32 ? judged : ConflictRules::Judged{std::nullopt, against};
  };

  // Counted first and filled in then: the conflicts are never in memory twice.
  graph.begin_.assign(std::size_t{n} * n + 1, 0);
  graph.lock_begin_.assign(std::size_t{n} * n + 1, 0);
  for_each_pair(columns, [&](OperationRef from, OperationRef to) {
    const ConflictRules::Judged judged = judge(from, to);
    if (judged.rule != kNone32) ++graph.removed_[judged.rule].edges;
    if (!judged.kind) return;
    ++(*judged.kind == EdgeKind::kLock ? graph.lock_begin_ : graph.begin_)[pair_of(from, to)];
  });
  make_places(graph.begin_);
  make_places(graph.lock_begin_);
  graph.conflicts_.resize(graph.begin_.back());
  graph.locks_.resize(graph.lock_begin_.back());
  std::vector<std::uint32_t> next = graph.begin_;
  std::vector<std::uint32_t> next_lock = graph.lock_begin_;
  for_each_pair(columns, [&](OperationRef from, OperationRef to) {
    const ConflictRules::Judged judged = judge(from, to);
    if (!judged.kind) return;
    const bool lock = *judged.kind == EdgeKind::kLock;
    Conflict& conflict =
        lock ? graph.locks_[next_lock[pair_of(from, to)]++] : graph.conflicts_[next[pair_of(from, to)]++];
    conflict = {from.place, to.place, classes.classes[raw(from.of)].operations[from.place].access.column, *judged.kind};
  });

  Vulnerability vulnerability(classes, rules, options);
  const auto in_order = [](const Conflict& x, const Conflict& y) {
    return std::pair(x.from_op, x.to_op) < std::pair(y.from_op, y.to_op);
  };
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < n; ++b) {
      const std::size_t pair = std::size_t{a} * n + b;
      const auto sorted = [&](std::vector<Conflict>& all, const std::vector<std::uint32_t>& begin) {
        const std::span<Conflict> part = std::span(all).subspan(begin[pair], begin[pair + 1] - begin[pair]);
        std::ranges::sort(part, in_order);
        return part;
      };
      sorted(graph.locks_, graph.lock_begin_);
      for (Conflict& conflict : sorted(graph.conflicts_, graph.begin_)) {
        if (!is_rw(conflict.kind)) continue;
        conflict.vulnerable = vulnerability.vulnerable({ClassId(a), conflict.from_op}, {ClassId(b), conflict.to_op});
      }
    }
  }
  graph.count(classes);
  return graph;
}

}  // namespace isolde::audit
