#include "audit/facts/queues.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

namespace isolde::audit {
namespace {

constexpr std::uint64_t kEnoughRounds = 20;  // that found a row, and of numbers that rise
const double kLogChanceOfSmallest = std::log(1e-6);

// A SELECT that may take the smallest of a group.
struct QueueRead {
  ShapeId shape;
  TableId table;
  std::vector<ColumnId> group;  // what it asks for
  ColumnId number;              // what it takes
  auto operator<=>(const QueueRead&) const = default;
};

struct Queue {
  std::uint64_t rounds = 0, empty = 0;           // the SELECT came; nothing was taken
  std::uint64_t smallest = 0, not_smallest = 0;  // taken, among others of the group that were there
  double log_chance = 0;
  std::uint64_t rising = 0, not_rising = 0;  // INSERTs behind another of their group
};

class QueueFinder {
 public:
  QueueFinder(const TraceLog& log, const Forms& forms, Classes& classes)
      : log_(log), forms_(forms), classes_(classes), values_(log, classes.statements) {}

  void run() {
    struct Chosen {
      std::uint32_t of;
      std::size_t choice;
    };
    std::map<QueueRead, std::vector<Chosen>> reads;
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) {
      const TransactionClass& one = classes_.classes[id];
      for (std::size_t i = 0; i < one.choices.size(); ++i) {
        const Choice& choice = one.choices[i];
        const ShapeId shape = one.statements[choice.statement];
        const TableId table = one.rows[choice.found].table;
        if (choice.taken == kNoRows || !classes_.statements[raw(shape)].picks_one) continue;
        if (!only_shape(id, one.positions[choice.statement], shape)) continue;
        QueueRead read{shape, table, {}, result_of(choice)};
        for (const ClassRowKey& key : choice.arguments) read.group.push_back(key.column);
        reads[read].push_back({id, i});
      }
    }
    for (const auto& [read, chosen] : reads) {
      if (!other_literals_are_constant(read) || is_updated(read)) continue;
      const Queue queue = replay(read);
      if (queue.not_smallest > 0 || queue.log_chance > kLogChanceOfSmallest) continue;
      const std::uint32_t moment = moments_++;
      const std::uint32_t fact = inserts_come_in_behind(read, queue) ? add_fact(read, queue) : kNone32;
      const std::string& table = classes_.schema.table(read.table).name;
      classes_.facts.push_back({FactKind::kQueue, false, read.table, queue.smallest,
                                fmt::format("two that take the next row of {} at the same time take the same one "
                                            "({} times the smallest of several)",
                                            table, queue.smallest)});
      for (const Chosen& where : chosen) {
        TransactionClass& one = classes_.classes[where.of];
        Choice& choice = one.choices[where.choice];
        if (writes(one, choice.taken)) choice.same_moment = moment;
        choice.queue = fact;
      }
    }
  }

 private:
  static ColumnId result_of(const Choice& choice) {
    return std::ranges::find(choice.key, choice.result, &ClassRowKey::variable)->column;
  }

  // Do all transactions of the class have this very SELECT there?
  [[nodiscard]] bool only_shape(std::uint32_t id, std::uint32_t position, ShapeId shape) const {
    bool only = true;
    for_each_transaction(log_, forms_, forms_.groups[id], [&](std::uint32_t, std::span<const Occurrence> statements) {
      for (const Occurrence& here : statements)
        only &= here.position != position || log_.statements[here.statement].shape == shape;
    });
    return only;
  }

  // Some row set of the class that is the row which was taken, written.
  [[nodiscard]] static bool writes(const TransactionClass& one, std::uint16_t taken) {
    const ClassRows& row = one.rows[taken];
    return std::ranges::any_of(one.operations, [&](const Operation& operation) {
      const ClassRows& rows = one.rows[operation.access.row_set];
      if (operation.access.action != Action::kWrite || operation.access.inserts || !rows.single) return false;
      return rows.table == row.table && std::ranges::equal(rows.keys, row.keys, [](const auto& a, const auto& b) {
               return a.column == b.column && a.variable == b.variable;
             });
    });
  }

  [[nodiscard]] const RowSet& rows_of(const Statement& statement, TableId table) const {
    return *std::ranges::find(statement.row_sets, table, &RowSet::table);
  }

  [[nodiscard]] bool other_literals_are_constant(const QueueRead& read) const {
    const Statement& statement = classes_.statements[raw(read.shape)];
    const RowSet& rows = rows_of(statement, read.table);
    std::vector<LiteralId> first;
    for (const TraceStatement& here : log_.statements) {
      if (here.shape != read.shape) continue;
      const std::span<const LiteralId> literals = log_.literals_of(here);
      if (first.empty()) first.assign(literals.begin(), literals.end());
      for (std::uint32_t i = 0; i < literals.size(); ++i) {
        const bool asked = std::ranges::find(rows.keys, i, &RowKey::literal) != rows.keys.end();
        if (!asked && literals[i] != first[i]) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_updated(const QueueRead& read) const {
    for (const Statement& statement : classes_.statements) {
      for (const Access& access : statement.accesses) {
        if (access.action != Action::kWrite || access.inserts || access.deletes) continue;
        if (access.column == read.number || std::ranges::find(read.group, access.column) != read.group.end())
          return true;
      }
    }
    return false;
  }

  // The trace in the order of its commits: which rows are there, and which of them is taken.
  [[nodiscard]] Queue replay(const QueueRead& read) const {
    Queue out;
    std::map<std::vector<LiteralId>, std::set<double>> there;
    std::map<std::vector<LiteralId>, double> last;
    for (const TraceTransaction& txn : log_.transactions) {
      if (txn.outcome != TxnOutcome::kCommitted) continue;
      std::vector<LiteralId> asked;  // by a SELECT whose answer is not known yet
      for (std::uint32_t i = txn.first_statement; i < txn.first_statement + txn.statements; ++i) {
        const Statement& statement = values_.meaning(i);
        if (log_.statements[i].shape == read.shape) {
          out.empty += asked.empty() ? 0 : 1;
          ++out.rounds;
          asked = values_.values(i, rows_of(statement, read.table), read.group);
          continue;
        }
        for (std::size_t set = 0; set < statement.row_sets.size(); ++set) {
          const RowSet& rows = statement.row_sets[set];
          if (rows.table != read.table) continue;
          const std::vector<LiteralId> group = values_.values(i, rows, read.group);
          const std::optional<double> number = values_.number(values_.value(i, rows, read.number));
          const auto does = [&](auto&& what) {
            return std::ranges::any_of(statement.accesses, [&](const Access& access) {
              return access.row_set == set && access.action == Action::kWrite && what(access);
            });
          };
          const bool inserts = does([](const Access& access) { return access.inserts; });
          const bool deletes = does([](const Access& access) { return access.deletes; });
          if (group.empty() || !number) {
            // Rows that are not known come and go.
            if (inserts) ++out.not_rising;
            if (deletes) there.clear();
            continue;
          }
          if (inserts) {
            const auto [place, is_new] = last.try_emplace(group, *number);
            if (!is_new) ++(*number > place->second ? out.rising : out.not_rising);
            place->second = std::max(place->second, *number);
            there[group].insert(*number);
            continue;
          }
          if (!asked.empty() && group == asked) {
            take(there[group], *number, out);
            asked.clear();
          }
          if (deletes) there[group].erase(*number);
        }
      }
      out.empty += asked.empty() ? 0 : 1;
    }
    return out;
  }

  static void take(const std::set<double>& there, double number, Queue& out) {
    const std::size_t others = there.size() - (there.contains(number) ? 1 : 0);
    if (others == 0) return;
    if (*there.begin() < number) {
      ++out.not_smallest;
    } else {
      ++out.smallest;
      out.log_chance -= std::log(static_cast<double>(others + 1));
    }
  }

  [[nodiscard]] bool inserts_come_in_behind(const QueueRead& read, const Queue& queue) const {
    if (queue.empty > 0 || queue.rounds < kEnoughRounds) return false;
    if (queue.not_rising > 0 || queue.rising < kEnoughRounds) return false;
    for (const TransactionClass& one : classes_.classes) {
      std::uint32_t last = kNone32;
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        if (access.action != Action::kWrite || !access.inserts || access.row_set == last) continue;
        last = access.row_set;
        if (one.rows[last].table == read.table && !one_at_a_time(one, one.rows[last], read.group)) return false;
      }
    }
    return true;
  }

  // Everybody who inserts into the group updates one row that has the group for its key.
  [[nodiscard]] bool one_at_a_time(const TransactionClass& one, const ClassRows& inserted,
                                   const std::vector<ColumnId>& group) const {
    std::set<std::uint32_t> variables;
    for (const ColumnId column : group) variables.insert(variable_in(inserted, column));
    if (variables.contains(kNoVariable)) return false;
    return std::ranges::any_of(one.operations, [&](const Operation& operation) {
      const Access& access = operation.access;
      const ClassRows& rows = one.rows[access.row_set];
      if (access.action != Action::kWrite || access.inserts || access.deletes || !rows.single) return false;
      const Table& table = classes_.schema.table(rows.table);
      return !table.primary_key.empty() && std::ranges::all_of(table.primary_key, [&](ColumnId part) {
        return variables.contains(variable_in(rows, part));
      });
    });
  }

  std::uint32_t add_fact(const QueueRead& read, const Queue& queue) {
    const std::string& table = classes_.schema.table(read.table).name;
    classes_.facts.push_back(
        {FactKind::kQueue, true, read.table, queue.rounds,
         fmt::format("new rows of {} come in behind the one that is taken: {} never came back empty ({} of {} times), "
                     "and the numbers that are inserted rise ({} of {})",
                     table, "the SELECT of the next row", queue.rounds, queue.rounds, queue.rising, queue.rising)});
    return static_cast<std::uint32_t>(classes_.facts.size() - 1);
  }

  const TraceLog& log_;
  const Forms& forms_;
  Classes& classes_;
  TraceValues values_;
  std::uint32_t moments_ = 0;
};

}  // namespace

void find_queues(const TraceLog& log, const Forms& forms, Classes& classes) { QueueFinder(log, forms, classes).run(); }

}  // namespace isolde::audit
