#include "audit/fixes/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "audit/fixes/sql_edits.h"
#include "audit/schema/types.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostStatements = 4;  // that are tried one by one
constexpr std::size_t kMostAdvice = 3;      // the last resort among them
constexpr std::size_t kMostTogether = 12;   // that are tried together

// Places where the same SELECT reads without a lock what another transaction then overwrites.
struct WeakRead {
  ShapeId shape;
  std::set<ClassStatement> places;
  std::uint64_t cycles = 0;
};

class Adviser {
 public:
  Adviser(const Classes& classes, const TraceLog& log, const DependencyGraph& graph, ColumnId column,
          std::span<const Cycle* const> cycles, Simulation& simulation)
      : classes_(classes), log_(log), graph_(graph), column_(column), cycles_(cycles), simulation_(simulation) {}

  std::vector<Advice> run() {
    find_weak_reads();
    lock_reads();
    for (const WeakRead& read : weak_) change_update(read);
    constrain();
    share_a_row();
    take_snapshots();
    raise_to_serializable();
    const auto worth = [&](const Advice& one) {
      const bool small =
          one.remedy == Remedy::kForUpdate || one.remedy == Remedy::kConditional || one.remedy == Remedy::kRelative;
      return std::tuple(one.remedy != Remedy::kSerializable, one.leaves_none,
                        small && one.removes * 2 >= simulation_.cycles(), one.removes);
    };
    std::ranges::stable_sort(out_, std::greater<>(), worth);
    // Of several ways to take one row for all, the best is enough.
    const auto again = [seen = false](const Advice& one) mutable {
      return one.remedy == Remedy::kLockParent && std::exchange(seen, true);
    };
    out_.erase(std::remove_if(out_.begin(), out_.end(), again), out_.end());
    if (out_.size() > kMostAdvice) out_.erase(out_.begin() + (kMostAdvice - 1), out_.end() - 1);
    return std::move(out_);
  }

 private:
  const TransactionClass& of(ClassId id) const { return classes_.classes[raw(id)]; }
  const Operation& operation(ClassId id, std::uint32_t op) const { return of(id).operations[op]; }
  const ClassRows& rows(ClassId id, std::uint32_t op) const { return of(id).rows[operation(id, op).access.row_set]; }
  std::string column_name() const { return classes_.schema.full_name(column_); }

  // Every plain rw of the cycles; those of the column itself, unless there are none.
  template <typename Visit>
  void for_each_rw(Visit&& visit) const {
    const auto pass = [&](bool any_column) {
      bool found = false;
      for (const Cycle* cycle : cycles_) {
        for (const CycleEdge& edge : cycle->edges) {
          if (edge.conflict.kind != EdgeKind::kRw || (!any_column && edge.conflict.column != column_)) continue;
          found = true;
          visit(cycle->members[edge.from], cycle->members[edge.to], edge.conflict);
        }
      }
      return found;
    };
    if (!pass(false)) pass(true);
  }

  void find_weak_reads() {
    std::map<ShapeId, WeakRead> by_shape;
    for_each_rw([&](ClassId from, ClassId, const Conflict& conflict) {
      const std::uint32_t statement = operation(from, conflict.from_op).statement;
      const ShapeId shape = of(from).statements[statement];
      if (raw(shape) >= classes_.statements.size() || classes_.statements[raw(shape)].kind != StatementKind::kSelect)
        return;
      WeakRead& read = by_shape[shape];
      read.shape = shape;
      read.places.insert({from, statement});
      ++read.cycles;
    });
    for (auto& [shape, read] : by_shape) weak_.push_back(std::move(read));
    std::ranges::stable_sort(weak_, std::greater<>(), &WeakRead::cycles);
  }

  // As the trace has it; empty: written by hand, without a trace.
  std::string text_of(const ClassStatement& place) const {
    const std::vector<std::uint32_t>& examples = of(place.of).example_statements;
    if (place.statement >= examples.size() || examples[place.statement] >= log_.statements.size()) return {};
    return log_.text_of(log_.statements[examples[place.statement]]);
  }

  std::string names(const std::vector<ClassId>& all) const {
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < 3; ++i) {
      out += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", of(all[i]).name);
    }
    if (all.size() > 3) out += fmt::format(" and {} more", all.size() - 3);
    return out;
  }

  static std::vector<ClassId> classes_of(const std::set<ClassStatement>& places) {
    std::vector<ClassId> out;
    for (const ClassStatement& place : places) {
      if (out.empty() || out.back() != place.of) out.push_back(place.of);
    }
    return out;
  }

  bool add(Remedy remedy, std::string text, std::vector<ClassId> classes, const Fix& fix, std::string before = {},
           std::string after = {}) {
    const Simulation::Outcome outcome = simulation_.try_fix(fix);
    if (outcome.removes == 0) return false;
    out_.push_back({remedy, std::move(text), std::move(classes), std::move(before), std::move(after), outcome.removes,
                    outcome.leaves_none});
    return outcome.leaves_none;
  }

  void lock_reads() {
    const bool sqlite = log_.facts.dialect == SqlDialect::kSqlite;
    Fix all;
    std::set<ClassStatement> all_places;
    std::size_t together = 0;
    bool done = false;
    for (std::size_t i = 0; i < weak_.size() && i < kMostTogether; ++i) {
      const WeakRead& read = weak_[i];
      const std::string before = text_of(*read.places.begin());
      const std::optional<std::string> after = with_for_update(before, log_.facts.dialect);
      if (!before.empty() && !after && !sqlite) continue;
      Fix fix;
      fix.locked.assign(read.places.begin(), read.places.end());
      all.locked.insert(all.locked.end(), fix.locked.begin(), fix.locked.end());
      all_places.insert(read.places.begin(), read.places.end());
      ++together;
      if (i >= kMostStatements) continue;
      const std::vector<ClassId> classes = classes_of(read.places);
      const std::string text =
          sqlite ? fmt::format("Begin {} with BEGIN IMMEDIATE: it reads {} before it writes.", names(classes),
                               column_name())
                 : fmt::format("Add FOR UPDATE to the SELECT that reads {} in {}.", column_name(), names(classes));
      done = add(Remedy::kForUpdate, text, classes, fix, sqlite ? "BEGIN" : before,
                 sqlite ? "BEGIN IMMEDIATE" : after.value_or("")) ||
             done;
    }
    if (done || together < 2) return;
    const std::vector<ClassId> classes = classes_of(all_places);
    add(Remedy::kForUpdate,
        sqlite ? fmt::format("Begin {} with BEGIN IMMEDIATE.", names(classes))
               : fmt::format("Add FOR UPDATE to all {} SELECTs that read {} and what depends on it, in {}.", together,
                             column_name(), names(classes)),
        classes, all);
  }

  // SELECT x of a row, then UPDATE x of the same row.
  void change_update(const WeakRead& read) {
    if (++updates_tried_ > kMostStatements) return;
    std::optional<ClassStatement> update;
    Fix fix;
    fix.column = column_;
    for (const ClassStatement& place : read.places) {
      const std::optional<std::uint32_t> statement = update_after(place);
      if (!statement) return;
      if (!update) update = ClassStatement{place.of, *statement};
      fix.locked.push_back(place);
    }
    if (!update) return;
    const std::vector<ClassId> classes = classes_of(read.places);
    const std::string before = text_of(*update);
    const std::string& name = classes_.schema.column(column_).name;
    const std::optional<std::string> condition = with_condition(before, name, log_.facts.dialect);
    if (before.empty() || condition) {
      add(Remedy::kConditional,
          fmt::format("Let the UPDATE of {} in {} change the row only if {} is still the value that was read; if it "
                      "changes no row, begin again.",
                      column_name(), names(classes), name),
          classes, fix, before, condition.value_or(""));
    }
    const TypeKind kind = type_of(classes_.schema.column(column_).type).kind;
    const bool number = kind == TypeKind::kInteger || kind == TypeKind::kDecimal || kind == TypeKind::kFloat ||
                        kind == TypeKind::kUnknown;
    const std::optional<std::string> relative = with_relative_value(before, name, log_.facts.dialect);
    if (!number || (!before.empty() && !relative)) return;
    fix.relative = true;
    add(Remedy::kRelative,
        fmt::format("If {} computes the new {} from the one that it read, let the UPDATE do it, and do not SELECT it "
                    "for that.",
                    names(classes), name),
        classes, fix, before, relative.value_or(""));
  }

  // The statement of the class that later writes the column in the row that this one reads it of.
  std::optional<std::uint32_t> update_after(const ClassStatement& place) const {
    const TransactionClass& one = of(place.of);
    for (const Operation& first : one.operations) {
      if (first.statement != place.statement || first.access.column != column_) continue;
      const ClassRows& mine = one.rows[first.access.row_set];
      for (const Operation& second : one.operations) {
        const Access& access = second.access;
        if (second.statement <= place.statement || access.action != Action::kWrite || access.column != column_)
          continue;
        if (access.inserts || access.deletes || access.increments) continue;
        if (mine.single && one.rows[access.row_set].single && same_keys(mine, one.rows[access.row_set])) {
          return second.statement;
        }
      }
    }
    return std::nullopt;
  }

  static bool same_keys(const ClassRows& x, const ClassRows& y) {
    return !x.keys.empty() && std::ranges::equal(x.keys, y.keys, [](const ClassRowKey& a, const ClassRowKey& b) {
      return a.column == b.column && a.variable == b.variable && a.variable != kNoVariable;
    });
  }

  // Would a unique key over these columns have turned away an INSERT of the trace? Also if it cannot be told.
  bool trace_repeats(const std::vector<ColumnId>& key) const {
    const TableId table = classes_.schema.column(key[0]).table;
    std::set<std::vector<LiteralId>> there;
    for (std::size_t i = 0; i < log_.transactions.size() && i < classes_.class_of.size(); ++i) {
      if (classes_.class_of[i] == kNone32) continue;
      for (const TraceStatement& here : log_.of(log_.transactions[i])) {
        const Statement& statement = classes_.statements[raw(here.shape)];
        for (const Access& access : statement.accesses) {
          if (access.action != Action::kWrite || classes_.schema.column(access.column).table != table) continue;
          // What was deleted or renamed may come again; which rows that were is not known.
          if (!access.inserts && (access.deletes || std::ranges::find(key, access.column) != key.end())) there.clear();
          if (!access.inserts) continue;
          const RowSet& made = statement.row_sets[access.row_set];
          if (!made.single) return true;
          std::vector<LiteralId> values;
          for (const ColumnId column : key) {
            const auto part = std::ranges::lower_bound(made.keys, column, {}, &RowKey::column);
            if (part == made.keys.end() || part->column != column) break;
            values.push_back(log_.literals_of(here)[part->literal]);
          }
          if (values.size() == key.size() && !there.insert(std::move(values)).second) return true;
          break;
        }
      }
    }
    return false;
  }

  // Looks for a row, does not find it, inserts it.
  void constrain() {
    std::map<std::vector<ColumnId>, std::set<ClassId>> keys;
    for_each_rw([&](ClassId from, ClassId to, const Conflict& conflict) {
      const ClassRows& looked = rows(from, conflict.from_op);
      if (!operation(to, conflict.to_op).access.inserts || looked.keys.empty()) return;
      std::vector<ColumnId> key;
      for (const ClassRowKey& part : looked.keys) key.push_back(part.column);
      keys[key].insert(from);
    });
    for (const auto& [key, classes] : keys) {
      const Table& table = classes_.schema.table(classes_.schema.column(key[0]).table);
      const auto has_whole = [&](const std::vector<ColumnId>& unique) {
        return !unique.empty() &&
               std::ranges::all_of(unique, [&](ColumnId part) { return std::ranges::find(key, part) != key.end(); });
      };
      if (has_whole(table.primary_key) || std::ranges::any_of(table.unique_keys, has_whole)) continue;
      if (trace_repeats(key)) continue;
      std::string columns;
      for (const ColumnId part : key) columns += (columns.empty() ? "" : ", ") + classes_.schema.column(part).name;
      const std::vector<ClassId> members(classes.begin(), classes.end());
      Fix fix;
      fix.unique_key = key;
      add(Remedy::kUniqueConstraint,
          fmt::format("Make {} ({}) unique, and let {} INSERT without looking first (ON CONFLICT, ON DUPLICATE KEY).",
                      table.name, columns, names(members)),
          members, fix, {}, fmt::format("ALTER TABLE {} ADD UNIQUE ({})", table.name, columns));
    }
  }

  // Reads of many rows against INSERTs: no lock of a row keeps another from coming, but one row that both need does.
  void share_a_row() {
    std::map<ColumnId, std::set<ClassId>> keys;
    for_each_rw([&](ClassId from, ClassId to, const Conflict& conflict) {
      const Access& write = operation(to, conflict.to_op).access;
      if (!write.inserts && !write.deletes && rows(from, conflict.from_op).single) return;
      for (const ClassRowKey& key : rows(from, conflict.from_op).keys) {
        if (std::ranges::find(rows(to, conflict.to_op).keys, key.column, &ClassRowKey::column) ==
            rows(to, conflict.to_op).keys.end()) {
          continue;
        }
        keys[key.column].insert(from);
        keys[key.column].insert(to);
      }
    });
    const bool snapshot = graph_.level() == WeakLevel::kSnapshotIsolation;
    std::size_t tried = 0;
    for (const auto& [key, classes] : keys) {
      if (++tried > kMostStatements) return;
      const std::vector<ClassId> members(classes.begin(), classes.end());
      Fix fix;
      fix.shared_row = key;
      const auto [parent, parent_key] = parent_of(key);
      const std::string row = parent == kNoTable
                                  ? fmt::format("one row that stands for {}", classes_.schema.full_name(key))
                                  : fmt::format("the row of {} that {} names", classes_.schema.table(parent).name,
                                                classes_.schema.full_name(key));
      std::string after;
      if (parent != kNoTable) {
        const std::string& table = classes_.schema.table(parent).name;
        const std::string& column = classes_.schema.column(parent_key).name;
        after = snapshot ? fmt::format("UPDATE {0} SET {1} = {1} WHERE {1} = ?", table, column)
                         : fmt::format("SELECT {1} FROM {0} WHERE {1} = ? FOR UPDATE", table, column);
      }
      add(Remedy::kLockParent,
          fmt::format("Let {} begin by {} {}: rows that are not there yet cannot be locked.", names(members),
                      snapshot ? "writing" : "locking", row),
          members, fix, {}, after);
    }
  }

  std::pair<TableId, ColumnId> parent_of(ColumnId column) const {
    for (const ForeignKey& key : classes_.schema.table(classes_.schema.column(column).table).foreign_keys) {
      if (key.columns.size() == 1 && key.columns[0] == column && key.parent_columns.size() == 1) {
        return {key.parent, key.parent_columns[0]};
      }
    }
    return {kNoTable, kNoColumn};
  }

  void take_snapshots() {
    if (graph_.level() != WeakLevel::kReadCommitted) return;
    std::set<ClassId> found;
    for (const Cycle* cycle : cycles_) {
      for (const ClassId id : cycle->members) {
        if (of(id).reads_only) found.insert(id);
      }
    }
    if (found.empty()) return;
    const std::vector<ClassId> members(found.begin(), found.end());
    Fix fix;
    fix.snapshot = members;
    add(Remedy::kSnapshot,
        fmt::format("Run {} at REPEATABLE READ: {} only, and all of it is then as of one moment.", names(members),
                    members.size() == 1 ? "it reads" : "they read"),
        members, fix);
  }

  void raise_to_serializable() {
    std::set<ClassId> found;
    for (const Cycle* cycle : cycles_) found.insert(cycle->members.begin(), cycle->members.end());
    const std::vector<ClassId> members(found.begin(), found.end());
    Fix fix;
    fix.serializable = members;
    add(Remedy::kSerializable,
        fmt::format("Run {} at SERIALIZABLE, and try again what is turned away.", names(members)), members, fix);
  }

  const Classes& classes_;
  const TraceLog& log_;
  const DependencyGraph& graph_;
  ColumnId column_;
  std::span<const Cycle* const> cycles_;
  Simulation& simulation_;
  std::vector<WeakRead> weak_;
  std::vector<Advice> out_;
  std::size_t updates_tried_ = 0;
};

}  // namespace

std::vector<Advice> advise(const Classes& classes, const TraceLog& log, const DependencyGraph& graph, ColumnId column,
                           std::span<const Cycle* const> cycles, Simulation& simulation) {
  return Adviser(classes, log, graph, column, cycles, simulation).run();
}

}  // namespace isolde::audit
