#include "audit/cycles/correlation.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "audit/cycles/bounds.h"
#include "audit/cycles/row_conflicts.h"
#include "audit/graph/rechecks.h"

namespace isolde::audit {

CorrelationFacts::CorrelationFacts(const Classes& classes, WeakLevel level)
    : classes_(classes), rows_(classes), uses_(classes.classes.size()) {
  find_made_and_taken();
  find_rechecks();
  using Kind = std::tuple<std::uint32_t, std::uint32_t, Action, Lock, bool, bool, ColumnId>;
  for (std::uint32_t id = 0; id < uses_.size(); ++id) {
    const TransactionClass& one = classes.classes[id];
    std::vector<Kind> kinds;
    for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
      const Access& access = one.operations[op].access;
      if (!locks_row(access, one.level_or(level)) || !one.rows[access.row_set].single) continue;
      const std::uint32_t rows = rows_.of(ClassId(id)).representative[access.row_set];
      const Kind kind(rows, one.operations[op].statement, access.action, access.lock, access.inserts, access.deletes,
                      access.foreign_key ? access.column : kNoColumn);
      if (std::ranges::find(kinds, kind) != kinds.end()) continue;
      kinds.push_back(kind);
      uses_[id].push_back({rows, op});
    }
    // A SELECT … FOR UPDATE has locked the row that is taken from those that it found.
    for (const Taken& taken : taken_[id]) {
      if (taken.choice->taken == kNoRows || !one.rows[taken.choice->taken].single) continue;
      if (one.operations[taken.op].access.lock == Lock::kExclusive)
        uses_[id].push_back({rows_.of(ClassId(id)).representative[taken.choice->taken], taken.op});
    }
  }
}

void CorrelationFacts::find_rechecks() {
  const Rechecks rechecks(classes_);
  for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) {
    std::vector<Recheck>& out = rechecks_.emplace_back();
    const std::vector<Operation>& all = classes_.classes[id].operations;
    for (std::uint32_t read = 0; read < all.size(); ++read) {
      const ColumnId column = all[read].access.column;
      if (!rechecks.asks_again({ClassId(id), read}, column)) continue;
      const auto write = std::ranges::find_if(all, [&](const Operation& other) {
        return other.statement > all[read].statement && other.access.action == Action::kWrite &&
               !other.access.inserts && !other.access.deletes && other.access.column == column &&
               rows_.same_in(ClassId(id), other.access.row_set, all[read].access.row_set) &&
               rechecks.certainly_changes({ClassId(id), static_cast<std::uint32_t>(&other - all.data())});
      });
      if (write != all.end()) out.push_back({read, static_cast<std::uint32_t>(write - all.begin())});
    }
  }
}

void CorrelationFacts::find_made_and_taken() {
  std::vector<bool> gone(classes_.schema.tables());  // some class deletes rows of it
  for (const TransactionClass& one : classes_.classes) {
    for (const Operation& operation : one.operations) {
      if (operation.access.deletes) gone[raw(one.rows[operation.access.row_set].table)] = true;
    }
  }
  for (const TransactionClass& one : classes_.classes) {
    std::vector<Made>& made = made_.emplace_back();
    std::vector<Taken>& taken = taken_.emplace_back();
    const auto comes_once = [&](const ClassRows& rows) {
      return !gone[raw(rows.table)] || std::ranges::any_of(one.numberings, [&](const Numbering& numbering) {
        return std::ranges::find(rows.keys, numbering.variable, &ClassRowKey::variable) != rows.keys.end();
      });
    };
    for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
      const Access& access = one.operations[op].access;
      if (access.action != Action::kWrite || !access.inserts || access.deletes) continue;
      if (!one.rows[access.row_set].single || !comes_once(one.rows[access.row_set])) continue;
      // An INSERT is an operation for each column.
      if (std::ranges::find(made, access.row_set, &Made::rows) == made.end()) made.push_back({access.row_set, op});
    }
    for (const Choice& choice : one.choices) {
      const auto select = std::ranges::find_if(one.operations, [&](const Operation& operation) {
        return operation.statement == choice.statement && operation.access.row_set == choice.found;
      });
      if (select == one.operations.end() || choice.key.empty()) continue;
      taken.push_back({&choice, static_cast<std::uint32_t>(select - one.operations.begin())});
    }
  }
}

CorrelationResult Correlation::check(const Cycle& cycle, std::span<const SameRow> same) {
  take_cycle(cycle, same);
  steps_ = 0;
  Possible possible = Possible::kNo;
  if (options_.timing == TimingRule::kMoments) {
    const auto serializable = [&](ClassId id) { return facts_.classes().classes[raw(id)].serializable; };
    impossible_ = std::ranges::all_of(members_, serializable) || rows_.contradictory() || misses_row_that_it_took();
    read_own_rows();
    find_rows_that_were_taken();
    choose_lock_orders();
    possible = impossible_ ? Possible::kNo : enumerate();
  } else {
    // Most often the operations of two statements on one row can all go the same way.
    for (const bool together : {true, false}) {
      choose_directions(together);
      possible = enumerate_directions();
      if (possible == Possible::kYes) break;
    }
  }
  CorrelationResult out{possible, {}};
  if (possible == Possible::kYes) out.implied.assign(edges_.begin() + static_cast<long>(own_edges_), edges_.end());
  return out;
}

void Correlation::take_cycle(const Cycle& cycle, std::span<const SameRow> same) {
  members_ = cycle.members;
  edges_ = cycle.edges;
  own_edges_ = edges_.size();
  alternatives_.clear();
  choices_.clear();
  impossible_ = false;
  rows_.reset(members_);
  for (const CycleEdge& edge : cycle.edges) {
    rows_.meet(edge.from, operation(edge.from, edge.conflict.from_op).access.row_set, edge.to,
               operation(edge.to, edge.conflict.to_op).access.row_set);
  }
  for (const SameRow& row : same) rows_.meet(row.member_a, row.rows_a, row.member_b, row.rows_b);
}

// A SELECT found the row that its transaction takes (Choice): who inserted it had committed, if that was the row's only
// INSERT.
void Correlation::find_rows_that_were_taken() {
  for (std::uint32_t taker = 0; taker < members_.size(); ++taker) {
    for (const CorrelationFacts::Taken& taken : facts_.taken(members_[taker])) {
      const TableId table = facts_.classes().classes[raw(members_[taker])].rows[taken.choice->found].table;
      for (std::uint32_t maker = 0; maker < members_.size(); ++maker) {
        if (maker == taker) continue;
        const TransactionClass& one = facts_.classes().classes[raw(members_[maker])];
        for (const CorrelationFacts::Made& made : facts_.made(members_[maker])) {
          if (one.rows[made.rows].table != table || !is_taken(taker, *taken.choice, maker, made.rows)) continue;
          const ColumnId column = one.operations[made.op].access.column;
          edges_.push_back({maker, taker, {made.op, taken.op, column, EdgeKind::kWr, false}});
        }
      }
    }
  }
}

// … so the SELECT did not miss it, whatever became of the row later.
bool Correlation::misses_row_that_it_took() {
  for (std::size_t i = 0; i < own_edges_; ++i) {
    const CycleEdge& edge = edges_[i];
    const TransactionClass& reader = facts_.classes().classes[raw(members_[edge.from])];
    if (!is_rw(edge.conflict.kind) || reader.choices.empty()) continue;
    const Operation &read = operation(edge.from, edge.conflict.from_op),
                    &write = operation(edge.to, edge.conflict.to_op);
    if (!write.access.inserts || write.access.deletes) continue;
    const ClassRows& made = facts_.classes().classes[raw(members_[edge.to])].rows[write.access.row_set];
    if (!made.single) continue;
    for (const audit::Choice& choice : reader.choices) {
      if (choice.statement != read.statement || choice.found != read.access.row_set || choice.key.empty()) continue;
      if (is_taken(edge.from, choice, edge.to, write.access.row_set)) return true;
    }
  }
  return false;
}

// By its key, or because the rows meet (of an INSERT that leaves the key to the database nothing else is known).
bool Correlation::is_taken(std::uint32_t taker, const audit::Choice& choice, std::uint32_t maker,
                           std::uint32_t made_rows) {
  const ClassRows& made = facts_.classes().classes[raw(members_[maker])].rows[made_rows];
  if (choice.taken != kNoRows && made.single &&
      facts_.classes().classes[raw(members_[taker])].rows[choice.taken].single &&
      rows_.same(taker, choice.taken, maker, made_rows))
    return true;
  return std::ranges::all_of(choice.key, [&](const ClassRowKey& key) {
    const auto given = std::ranges::lower_bound(made.keys, key.column, {}, &ClassRowKey::column);
    return key.variable != kNoVariable && given != made.keys.end() && given->column == key.column &&
           given->variable != kNoVariable && rows_.value(taker, key.variable) == rows_.value(maker, given->variable);
  });
}

// At MySQL's rr a member sees its own changes whatever its snapshot is: to miss a later change of a row that it changed
// itself is to have changed it first.
void Correlation::read_own_rows() {
  for (std::size_t i = 0; i < own_edges_; ++i) {
    CycleEdge edge = edges_[i];
    if (edge.conflict.kind != EdgeKind::kRw || level_of(edge.from) != WeakLevel::kMysqlRepeatableRead) continue;
    const std::uint32_t row = row_of(edge.from, edge.conflict.from_op);
    for (std::uint32_t op = 0; op < edge.conflict.from_op; ++op) {
      const Access& access = operation(edge.from, op).access;
      if (access.action != Action::kWrite || row_of(edge.from, op) != row) continue;
      edge.conflict.from_op = op;
      edge.conflict.kind = EdgeKind::kWw;
      edges_[i] = edge;
      break;
    }
  }
}

void Correlation::choose_lock_orders() {
  if (!rows_.any()) return;
  held_.clear();
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    for (const CorrelationFacts::Use& use : facts_.uses(members_[member])) {
      held_.push_back({rows_.row(member, use.rows), member, use.op});
    }
  }
  std::ranges::sort(held_, {}, [](const Held& held) { return std::tuple(held.row, held.member, held.op); });
  ordered_.clear();
  for (std::size_t first = 0; first < held_.size();) {
    std::size_t end = first + 1;
    while (end < held_.size() && held_[end].row == held_[first].row) ++end;
    if (held_[first].member != held_[end - 1].member) order_locks(std::span(held_).subspan(first, end - first));
    first = end;
  }
  if (graph_.options().assumptions) order_numberings();
  if (graph_.options().rechecks && !graph_.options().as_paper) order_rechecks();

  // Who commits before the other locks is the same for all rows of two members.
  for (std::uint32_t a = 0; a < members_.size() && !ordered_.empty(); ++a) {
    for (std::uint32_t b = a + 1; b < members_.size(); ++b) {
      for (const auto& [forward, backward] : ordered_) {
        if (forward.from != a || forward.to != b) continue;
        forward_.push_back(forward);
        backward_.push_back(backward);
      }
      add_choice();
    }
  }
}

// Two that take a number from one counter: one reads what the other wrote (facts/flows.h).
void Correlation::order_numberings() {
  const auto& classes = facts_.classes().classes;
  for (std::uint32_t a = 0; a < members_.size(); ++a) {
    for (const Numbering& mine : classes[raw(members_[a])].numberings) {
      for (std::uint32_t b = a + 1; b < members_.size(); ++b) {
        for (const Numbering& theirs : classes[raw(members_[b])].numberings) {
          if (mine.counter != theirs.counter || row_of(a, mine.write) != row_of(b, theirs.write)) continue;
          const ColumnId column = operation(a, mine.write).access.column;
          ordered_.push_back({{a, b, {mine.write, theirs.reads.front(), column, EdgeKind::kWr, false}},
                              {b, a, {theirs.write, mine.reads.front(), column, EdgeKind::kWr, false}}});
        }
      }
    }
  }
}

// Two that read one value and change it if it is still what they read (graph/rechecks.h): one reads what the other
// wrote.
void Correlation::order_rechecks() {
  for (std::uint32_t a = 0; a < members_.size(); ++a) {
    for (const CorrelationFacts::Recheck& mine : facts_.rechecks(members_[a])) {
      for (std::uint32_t b = a + 1; b < members_.size(); ++b) {
        for (const CorrelationFacts::Recheck& theirs : facts_.rechecks(members_[b])) {
          const ColumnId column = operation(a, mine.write).access.column;
          if (column != operation(b, theirs.write).access.column || row_of(a, mine.write) != row_of(b, theirs.write))
            continue;
          ordered_.push_back({{a, b, {mine.write, theirs.read, column, EdgeKind::kWr, false}},
                              {b, a, {theirs.write, mine.read, column, EdgeKind::kWr, false}}});
        }
      }
    }
  }
}

// For each two of the members that lock this row, the dependencies that say most.
void Correlation::order_locks(std::span<const Held> uses) {
  const auto access = [&](const Held& held) -> const Access& { return operation(held.member, held.op).access; };
  const bool born = std::ranges::any_of(uses, [&](const Held& held) { return access(held).inserts; });
  const bool dies = std::ranges::any_of(uses, [&](const Held& held) { return access(held).deletes; });
  const bool only_two = std::ranges::all_of(
      uses, [&](const Held& held) { return held.member == uses.front().member || held.member == uses.back().member; });
  if (dies && !only_two) return;

  const auto only_inserts = [&](const Held& held) {
    const TransactionClass& one = facts_.classes().classes[raw(members_[held.member])];
    return facts_.classes().statements[raw(one.statements[one.operations[held.op].statement])].kind ==
           StatementKind::kInsert;
  };
  const auto tighter = [&](CycleEdge& best, const Held& from, const Held& to, EdgeKind kind) {
    const CycleEdge edge{from.member, to.member, {from.op, to.op, access(from).column, kind, false}};
    const auto moment = [&](const CycleEdge& one) {
      return bound_of(facts_.classes(), members_, one, options_.level).moment;
    };
    if (best.from == best.to || moment(edge) < moment(best)) best = edge;
  };
  for (std::size_t first = 0; first < uses.size();) {
    std::size_t next = first + 1;
    while (next < uses.size() && uses[next].member == uses[first].member) ++next;
    for (std::size_t second = next; second < uses.size();) {
      CycleEdge forward{}, backward{};  // from == to: none yet
      const std::uint32_t other = uses[second].member;
      for (; second < uses.size() && uses[second].member == other; ++second) {
        for (std::size_t i = first; i < next; ++i) {
          const Access &a = access(uses[i]), &b = access(uses[second]);
          if (born && !(a.inserts && b.inserts)) continue;
          // One row is inserted once, unless it was deleted.
          if (born && !dies && only_inserts(uses[i]) && only_inserts(uses[second])) impossible_ = true;
          const WeakLevel level_a = level_of(uses[i].member), level_b = level_of(uses[second].member);
          const std::optional<EdgeKind> there = conflict_on_row(a, level_a, b, level_b);
          const std::optional<EdgeKind> back = conflict_on_row(b, level_b, a, level_a);
          if (!there || !back || *there == EdgeKind::kRw || *back == EdgeKind::kRw) continue;
          tighter(forward, uses[i], uses[second], *there);
          tighter(backward, uses[second], uses[i], *back);
        }
      }
      if (forward.from != forward.to) ordered_.emplace_back(forward, backward);
    }
    first = next;
  }
}

// forward_ or backward_, and empties them. What goes the way of one of the cycle's edges is tried first.
void Correlation::add_choice() {
  if (forward_.empty()) return;
  const bool back_first = std::ranges::any_of(std::span(edges_).first(own_edges_), [&](const CycleEdge& edge) {
    return edge.from == forward_.front().to && edge.to == forward_.front().from && edge.conflict.kind != EdgeKind::kRw;
  });
  if (back_first) std::swap(forward_, backward_);
  Choice choice{static_cast<std::uint32_t>(alternatives_.size()), 0, 0};
  alternatives_.insert(alternatives_.end(), forward_.begin(), forward_.end());
  keep_the_tightest(choice.first);
  choice.middle = static_cast<std::uint32_t>(alternatives_.size());
  alternatives_.insert(alternatives_.end(), backward_.begin(), backward_.end());
  keep_the_tightest(choice.middle);
  choice.end = static_cast<std::uint32_t>(alternatives_.size());
  choices_.push_back(choice);
  forward_.clear();
  backward_.clear();
}

Possible Correlation::enumerate() {
  const auto possible_so_far = [&] {
    return can_happen(facts_.classes(), members_, edges_, options_.level, TimingRule::kMoments);
  };
  if (!possible_so_far()) return Possible::kNo;
  struct Taken {
    std::uint8_t tried;  // 1: the first alternative, 2: the second
    std::size_t edges;   // before it
  };
  std::vector<Taken> taken;
  while (taken.size() < choices_.size()) {
    taken.push_back({0, edges_.size()});
    // Back to the last choice that has another way.
    while (true) {
      Taken& last = taken.back();
      const Choice& choice = choices_[taken.size() - 1];
      edges_.resize(last.edges);
      if (last.tried == 2) {
        taken.pop_back();
        if (taken.empty()) return Possible::kNo;
        continue;
      }
      if (++steps_ > options_.most_steps) return Possible::kLimit;
      const std::uint32_t from = last.tried == 0 ? choice.first : choice.middle;
      const std::uint32_t to = last.tried == 0 ? choice.middle : choice.end;
      ++last.tried;
      edges_.insert(edges_.end(), alternatives_.begin() + from, alternatives_.begin() + to);
      if (possible_so_far()) break;
    }
  }
  return Possible::kYes;
}

CorrelationResult check_correlation(const Classes& classes, const DependencyGraph& graph, const Cycle& cycle,
                                    const CorrelationOptions& options) {
  const CorrelationFacts facts(classes, options.level);
  return Correlation(facts, graph, options).check(cycle);
}

}  // namespace isolde::audit
