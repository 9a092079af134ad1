#include "audit/facts/flows.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "audit/facts/same_rows.h"

namespace isolde::audit {
namespace {

constexpr std::uint64_t kPairsOfKey = 20;
constexpr std::uint64_t kPairsElse = 60;
constexpr std::uint64_t kEnoughSteps = 20;
const double kLogChanceOfFlow = std::log(1e-6);

// A value that an UPDATE of a class sets, and one that names the row of an INSERT.
struct SetPlace {
  std::uint32_t statement;  // of the class
  ColumnId column;
};
struct InsertPlace {
  std::uint32_t statement, rows;
  RowsPlace place;
  ColumnId column;
  std::uint32_t variable;
};

using Numbers = std::vector<std::optional<std::int64_t>>;  // by transaction

// Columns whose values differ by a constant, over all classes.
struct FlowKey {
  ColumnId set, inserted;
  std::int64_t plus;
  auto operator<=>(const FlowKey&) const = default;
};
struct FlowUse {
  std::uint32_t of;
  SetPlace set;
  InsertPlace inserted;
};
struct FlowEvidence {
  std::uint64_t pairs = 0;
  double log_chance = 0;
  std::vector<FlowUse> uses;
};

// What everybody who takes numbers from one counter has in common.
struct CounterKey {
  ColumnId counter;
  std::vector<ColumnId> key;
  std::int64_t plus, step;
  auto operator<=>(const CounterKey&) const = default;
};
struct NumberingOf {
  std::uint32_t of;
  Numbering numbering;
};
struct Counter {
  std::vector<NumberingOf> numberings;
  std::uint64_t pairs = 0;  // that show the key's flow
};

struct CounterSteps {
  std::optional<std::int64_t> step;
  std::uint64_t times = 0;
  bool always = true;
};

class FlowFinder {
 public:
  FlowFinder(const TraceLog& log, const Forms& forms, const std::vector<WrittenColumn>& written, Classes& classes)
      : log_(log), forms_(forms), classes_(classes), values_(log, classes.statements), facts_(classes) {
    for (const WrittenColumn& one : written) add_steps(one);
  }

  void run() {
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) look_at(id);
    std::map<CounterKey, Counter> counters;
    for (const auto& [key, evidence] : evidence_) {
      const std::uint64_t enough = is_in_key(key.inserted) ? kPairsOfKey : kPairsElse;
      if (evidence.pairs < enough || evidence.log_chance > kLogChanceOfFlow) continue;
      add_flow(key, evidence);
      for (const FlowUse& use : evidence.uses) add_numberings(key, evidence, use, counters);
    }
    std::uint32_t number = 0;
    for (auto& [key, counter] : counters) {
      if (!everybody_does_so(key, counter)) continue;
      const std::uint32_t fact = add_fact(key, counter);
      for (NumberingOf& one : counter.numberings) {
        one.numbering.counter = number;
        one.numbering.fact = fact;
        classes_.classes[one.of].numberings.push_back(std::move(one.numbering));
      }
      ++number;
    }
    for (TransactionClass& one : classes_.classes) {
      for (Choice& choice : one.choices) {
        if (choice.queue != kNone32) choice.queue_numbered = is_numbered(one, choice);
      }
    }
  }

 private:
  // Do all who insert into the queue take their numbers from a counter of the group, which rises?
  [[nodiscard]] bool is_numbered(const TransactionClass& taker, const Choice& choice) const {
    const TableId table = taker.rows[choice.found].table;
    const ColumnId number = std::ranges::find(choice.key, choice.result, &ClassRowKey::variable)->column;
    for (const TransactionClass& one : classes_.classes) {
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        const ClassRows& made = one.rows[access.row_set];
        if (access.action != Action::kWrite || !access.inserts || made.table != table) continue;
        const bool numbered = std::ranges::any_of(one.numberings, [&](const Numbering& numbering) {
          const ClassRows& counter = one.rows[one.operations[numbering.write].access.row_set];
          return numbering.step > 0 && numbering.variable == variable_in(made, number) &&
                 std::ranges::all_of(choice.arguments, [&](const ClassRowKey& asked) {
                   const std::uint32_t group = variable_in(made, asked.column);
                   return group != kNoVariable &&
                          std::ranges::find(counter.keys, group, &ClassRowKey::variable) != counter.keys.end();
                 });
        });
        if (!numbered) return false;
      }
    }
    return true;
  }

  void add_steps(const WrittenColumn& one) {
    CounterSteps& steps = steps_[one.column];
    if (one.unexplained > 0 || one.by_earlier > 0) steps.always = false;
    if (one.writes == 0) return;
    if (!one.step || *one.step != std::floor(*one.step) || *one.step == 0) {
      steps.always = false;
      return;
    }
    const auto step = static_cast<std::int64_t>(*one.step);
    if (steps.step && *steps.step != step) steps.always = false;
    steps.step = step;
    steps.times += one.by_last;
  }

  [[nodiscard]] bool is_in_key(ColumnId column) const {
    const Table& table = classes_.schema.table(classes_.schema.column(column).table);
    const auto has = [&](const std::vector<ColumnId>& key) { return std::ranges::find(key, column) != key.end(); };
    return has(table.primary_key) || std::ranges::any_of(table.unique_keys, has);
  }

  [[nodiscard]] const Statement& statement_of(const TransactionClass& one, std::uint32_t statement) const {
    return classes_.statements[raw(one.statements[statement])];
  }

  // A statement that every transaction of the class has just once.
  static bool comes_once(const TransactionClass& one, std::uint32_t statement) {
    return std::ranges::count(one.positions, one.positions[statement]) == 1;
  }

  void look_at(std::uint32_t id) {
    const TransactionClass& one = classes_.classes[id];
    std::vector<SetPlace> set;
    for (std::uint32_t s = 0; s < one.statements.size(); ++s) {
      if (statement_of(one, s).kind != StatementKind::kUpdate || !comes_once(one, s)) continue;
      for (const RowKey& assigned : statement_of(one, s).assigned) set.push_back({s, assigned.column});
    }
    if (set.empty()) return;
    std::vector<InsertPlace> inserted;
    const std::vector<RowsPlace> places = places_of_rows(one);
    for (std::uint32_t rows = 0; rows < one.rows.size(); ++rows) {
      const RowsPlace& place = places[rows];
      if (place.statement == kNone32 || !comes_once(one, place.statement)) continue;
      const Statement& statement = statement_of(one, place.statement);
      if (place.access >= statement.accesses.size() || !is_plain_insert(statement, statement.accesses[place.access]))
        continue;
      for (const ClassRowKey& key : one.rows[rows].keys) {
        if (key.variable != kNoVariable) inserted.push_back({place.statement, rows, place, key.column, key.variable});
      }
    }
    if (inserted.empty()) return;
    compare(id, set, inserted);
  }

  void compare(std::uint32_t id, const std::vector<SetPlace>& set, const std::vector<InsertPlace>& inserted) {
    const TransactionClass& one = classes_.classes[id];
    std::vector<Numbers> of_set(set.size()), of_inserted(inserted.size());
    std::size_t transactions = 0;
    for_each_transaction(log_, forms_, forms_.groups[id], [&](std::uint32_t, std::span<const Occurrence> all) {
      ++transactions;
      for (Numbers& numbers : of_set) numbers.resize(transactions);
      for (Numbers& numbers : of_inserted) numbers.resize(transactions);
      for (const Occurrence& here : all) {
        for (std::size_t i = 0; i < set.size(); ++i) {
          if (one.positions[set[i].statement] != here.position) continue;
          const std::vector<RowKey>& assigned = values_.meaning(here.statement).assigned;
          const auto place = std::ranges::find(assigned, set[i].column, &RowKey::column);
          if (place != assigned.end()) of_set[i].back() = whole(values_.literal(here.statement, place->literal));
        }
        for (std::size_t i = 0; i < inserted.size(); ++i) {
          if (one.positions[inserted[i].statement] != here.position) continue;
          const RowSet& rows = values_.rows(here.statement, inserted[i].place);
          of_inserted[i].back() = whole(values_.value(here.statement, rows, inserted[i].column));
        }
      }
    });
    for (std::size_t a = 0; a < set.size(); ++a) {
      for (std::size_t b = 0; b < inserted.size(); ++b) {
        const std::optional<std::int64_t> plus = difference(of_set[a], of_inserted[b]);
        if (!plus) continue;
        FlowEvidence& evidence = evidence_[{set[a].column, inserted[b].column, *plus}];
        evidence.pairs += transactions;
        // The first pair tells the difference; only the others are evidence.
        evidence.log_chance += static_cast<double>(transactions - 1) * log_share(of_set[a], of_inserted[b], *plus);
        evidence.uses.push_back({id, set[a], inserted[b]});
      }
    }
  }

  [[nodiscard]] std::optional<std::int64_t> whole(LiteralId literal) const {
    const std::optional<double> number = values_.number(literal);
    if (!number || *number != std::floor(*number) || std::abs(*number) > 1e15) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  // b - a, if it is the same in all of them.
  static std::optional<std::int64_t> difference(const Numbers& a, const Numbers& b) {
    std::optional<std::int64_t> out;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!a[i] || !b[i]) return std::nullopt;
      const std::int64_t here = *b[i] - *a[i];
      if (out && *out != here) return std::nullopt;
      out = here;
    }
    return out;
  }

  // How likely two independent values of these shares differ by just so much.
  static double log_share(const Numbers& a, const Numbers& b, std::int64_t plus) {
    std::map<std::int64_t, double> of_a, of_b;
    for (const auto& value : a) of_a[*value] += 1;
    for (const auto& value : b) of_b[*value] += 1;
    double sum = 0;
    for (const auto& [value, times] : of_a) {
      if (const auto other = of_b.find(value + plus); other != of_b.end()) sum += times * other->second;
    }
    return std::min(0.0, std::log(sum / static_cast<double>(a.size()) / static_cast<double>(b.size())));
  }

  void add_flow(const FlowKey& key, const FlowEvidence& evidence) {
    const auto fact = static_cast<std::uint32_t>(classes_.facts.size());
    const Schema& schema = classes_.schema;
    const std::string more = key.plus == 0  ? std::string()
                             : key.plus > 0 ? fmt::format(" plus {}", key.plus)
                                            : fmt::format(" minus {}", -key.plus);
    classes_.facts.push_back(
        {FactKind::kFlow, false, schema.column(key.inserted).table, evidence.pairs,
         fmt::format("{} of a row that is inserted is what {} is set to{} ({} times, no exception)",
                     schema.full_name(key.inserted), schema.full_name(key.set), more, evidence.pairs)});
    for (const FlowUse& use : evidence.uses) {
      classes_.classes[use.of].flows.push_back(
          {use.set.statement, use.set.column, use.inserted.variable, key.plus, fact});
    }
  }

  void add_numberings(const FlowKey& flow, const FlowEvidence& evidence, const FlowUse& use,
                      std::map<CounterKey, Counter>& counters) const {
    const auto steps = steps_.find(flow.set);
    if (steps == steps_.end() || !steps->second.always || steps->second.times < kEnoughSteps) return;
    const TransactionClass& one = classes_.classes[use.of];
    const std::optional<std::uint32_t> write = write_of(one, use.set);
    if (!write) return;
    Numbering numbering{.reads = reads_before(ClassId(use.of), *write),
                        .write = *write,
                        .variable = use.inserted.variable,
                        .plus = flow.plus + *steps->second.step,
                        .step = *steps->second.step,
                        .counter = kNone32,
                        .fact = kNone32};
    if (numbering.reads.empty()) return;
    const ClassRows &counter = one.rows[one.operations[*write].access.row_set], &inserted = one.rows[use.inserted.rows];
    const Table& table = classes_.schema.table(inserted.table);
    std::vector<std::vector<ColumnId>> keys = table.unique_keys;
    if (!table.primary_key.empty()) keys.insert(keys.begin(), table.primary_key);
    for (const std::vector<ColumnId>& key : keys) {
      if (!follows(one, counter, inserted, key, numbering.variable) || !stays(inserted.table, key)) continue;
      Counter& all = counters[{flow.set, key, numbering.plus, numbering.step}];
      const auto known = [&](const NumberingOf& other) {
        return other.of == use.of && other.numbering.write == numbering.write;
      };
      if (std::ranges::any_of(all.numberings, known)) continue;
      all.numberings.push_back({use.of, numbering});
      all.pairs = std::max(all.pairs, evidence.pairs);
    }
  }

  static std::optional<std::uint32_t> write_of(const TransactionClass& one, const SetPlace& set) {
    for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
      const Operation& operation = one.operations[op];
      const Access& access = operation.access;
      if (operation.statement == set.statement && access.column == set.column && access.action == Action::kWrite &&
          !access.inserts && !access.deletes && one.rows[access.row_set].single)
        return op;
    }
    return std::nullopt;
  }

  // What the last statement before the write reads of the column, in the same row.
  [[nodiscard]] std::vector<std::uint32_t> reads_before(ClassId id, std::uint32_t write) const {
    const TransactionClass& one = classes_.classes[raw(id)];
    const Operation& set = one.operations[write];
    std::vector<std::uint32_t> out;
    for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
      const Operation& read = one.operations[op];
      const Access& access = read.access;
      if (read.statement >= set.statement || access.column != set.access.column || access.action != Action::kRead)
        continue;
      if (access.of_write || access.counts_only || !facts_.same_in(id, access.row_set, set.access.row_set)) continue;
      if (!out.empty() && one.operations[out.back()].statement != read.statement) out.clear();
      out.push_back(op);
    }
    return out;
  }

  // Is the whole key known from which counter it is and from the number?
  static bool follows(const TransactionClass& one, const ClassRows& counter, const ClassRows& inserted,
                      const std::vector<ColumnId>& key, std::uint32_t number) {
    bool has_number = false;
    for (const ColumnId part : key) {
      const std::uint32_t variable = variable_in(inserted, part);
      if (variable == kNoVariable) return false;
      has_number |= variable == number;
      const bool of_counter = std::ranges::find(counter.keys, variable, &ClassRowKey::variable) != counter.keys.end();
      const bool constant = variable < one.constants.size() && one.constants[variable] != kNoLiteral;
      if (variable != number && !of_counter && !constant) return false;
    }
    return has_number;
  }

  // Nobody deletes rows of the table, or changes the key of one.
  [[nodiscard]] bool stays(TableId table, const std::vector<ColumnId>& key) const {
    for (const TransactionClass& one : classes_.classes) {
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        if (access.action != Action::kWrite || one.rows[access.row_set].table != table) continue;
        if (access.deletes || (!access.inserts && std::ranges::find(key, access.column) != key.end())) return false;
      }
    }
    return true;
  }

  // Who changes the counter takes a number from it.
  [[nodiscard]] bool everybody_does_so(const CounterKey& key, const Counter& counter) const {
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) {
      const TransactionClass& one = classes_.classes[id];
      for (std::uint32_t op = 0; op < one.operations.size(); ++op) {
        const Access& access = one.operations[op].access;
        if (access.column != key.counter || access.action != Action::kWrite) continue;
        if (access.inserts && !access.deletes) continue;
        const auto is_this = [&](const NumberingOf& other) { return other.of == id && other.numbering.write == op; };
        if (std::ranges::none_of(counter.numberings, is_this)) return false;
      }
    }
    return true;
  }

  std::uint32_t add_fact(const CounterKey& key, const Counter& counter) {
    const Schema& schema = classes_.schema;
    const TableId table = schema.column(key.key.front()).table;
    const CounterSteps& steps = steps_.at(key.counter);
    classes_.facts.push_back(
        {FactKind::kFlow, true, table, std::min(counter.pairs, steps.times),
         fmt::format("two that read the same {0} insert the same key of {1}, and the second is turned away: what is "
                     "written is always what was read {2} {3} ({4} times), and the key follows from it ({5} times)",
                     schema.full_name(key.counter), schema.table(table).name, key.step > 0 ? "plus" : "minus",
                     std::abs(key.step), steps.times, counter.pairs)});
    return static_cast<std::uint32_t>(classes_.facts.size() - 1);
  }

  const TraceLog& log_;
  const Forms& forms_;
  Classes& classes_;
  TraceValues values_;
  RowFacts facts_;
  std::map<ColumnId, CounterSteps> steps_;
  std::map<FlowKey, FlowEvidence> evidence_;
};

}  // namespace

void find_flows(const TraceLog& log, const Forms& forms, const std::vector<WrittenColumn>& written, Classes& classes) {
  FlowFinder(log, forms, written, classes).run();
}

}  // namespace isolde::audit
