#include "audit/facts/choices.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "audit/facts/mapping.h"
#include "audit/facts/row_lives.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {
namespace {

using Literals = std::vector<LiteralId>;

// What was asked for and what is taken: all SELECTs of one table by the same columns ask the same question.
struct Question {
  TableId table;
  std::vector<ColumnId> asked;
  ColumnId result;
  auto operator<=>(const Question&) const = default;
};

struct OfQuestion {
  std::uint64_t uses = 0, with_insert = 0;  // rows taken; of these, those whose INSERT is in the trace
  Mapping answer;
  std::map<ColumnId, Mapping> attributes;  // by column that was asked for and is no part of the key
  std::uint32_t fact = kNone32;
  std::uint32_t function = kNone32;
};

// A choice of a class, and where its values are.
struct Candidate {
  Choice choice;
  Question question;
  RowsPlace found, named;
  std::vector<ColumnId> named_columns;  // of the rows that name it: where they have the primary key, in its order
};

class ChoiceFinder {
 public:
  ChoiceFinder(const TraceLog& log, const Forms& forms, std::span<const CoInsert> co_inserts, Classes& classes)
      : log_(log),
        forms_(forms),
        co_inserts_(co_inserts),
        classes_(classes),
        values_(log, classes.statements),
        facts_(classes) {}

  void run(const FactSwitches& switches) {
    std::vector<std::vector<Candidate>> of_class;
    std::set<TableId> tables;
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) {
      of_class.push_back(candidates(classes_.classes[id]));
      for (const Candidate& one : of_class.back()) tables.insert(one.question.table);
    }
    if (tables.empty()) return;
    const RowLives lives(log_, classes_, tables);
    for (std::uint32_t id = 0; id < of_class.size(); ++id) verify(id, lives, of_class[id]);
    make_facts(switches);
    for (std::uint32_t id = 0; id < of_class.size(); ++id) apply(classes_.classes[id], of_class[id], switches);
  }

 private:
  [[nodiscard]] std::vector<Candidate> candidates(const TransactionClass& one) const {
    std::vector<Candidate> out;
    const std::vector<RowsPlace> places = places_of_rows(one);
    for (std::uint16_t found = 0; found < one.rows.size(); ++found) {
      if (places[found].statement == kNone32) continue;
      const ClassRows& rows = one.rows[found];
      const Table& table = classes_.schema.table(rows.table);
      const Statement& statement = classes_.statements[raw(one.statements[places[found].statement])];
      if (table.is_lock || table.learned || statement.kind != StatementKind::kSelect) continue;
      const std::optional<ColumnId> result = missing_part(rows, table);
      if (!result || !returns(one, places[found].statement, found, *result)) continue;
      std::optional<Candidate> made = candidate(one, places, found, table, *result);
      // One row by another key than the one that is used later: it is that row, if no other SELECT can have found it.
      if (made && rows.single && !is_only_question(one, places, found, made->named.statement)) made.reset();
      if (made) out.push_back(*std::move(made));
    }
    return out;
  }

  static bool is_only_question(const TransactionClass& one, const std::vector<RowsPlace>& places, std::uint16_t found,
                               std::uint32_t before) {
    for (std::uint16_t rows = 0; rows < one.rows.size(); ++rows) {
      if (rows != found && one.rows[rows].table == one.rows[found].table && places[rows].statement < before)
        return false;
    }
    return true;
  }

  // The one column of the primary key that the rows are not asked for by.
  static std::optional<ColumnId> missing_part(const ClassRows& rows, const Table& table) {
    std::optional<ColumnId> out;
    for (const ColumnId part : table.primary_key) {
      if (variable_in(rows, part) != kNoVariable) continue;
      if (out) return std::nullopt;
      out = part;
    }
    return rows.keys.empty() ? std::nullopt : out;
  }

  static bool returns(const TransactionClass& one, std::uint32_t statement, std::uint16_t rows, ColumnId column) {
    return std::ranges::any_of(one.operations, [&](const Operation& operation) {
      return operation.statement == statement && operation.access.row_set == rows &&
             operation.access.column == column && operation.access.action == Action::kRead &&
             !operation.access.counts_only;
    });
  }

  [[nodiscard]] std::optional<Candidate> candidate(const TransactionClass& one, const std::vector<RowsPlace>& places,
                                                   std::uint16_t found, const Table& table, ColumnId result) const {
    const ClassRows& rows = one.rows[found];
    // The first statement that names a row so: by the table's own key, else by that of rows that came with it.
    std::optional<Candidate> out;
    for (const bool own : {true, false}) {
      for (std::uint16_t later = 0; later < one.rows.size() && !out; ++later) {
        if (places[later].statement == kNone32 || places[later].statement <= places[found].statement) continue;
        if (own != (one.rows[later].table == rows.table)) continue;
        const std::vector<ColumnId> columns = columns_with_key(rows.table, one.rows[later].table);
        const std::uint32_t taken = names_one_of(rows, table, result, one.rows[later], columns);
        if (taken == kNoVariable || used_before(one, places, places[found].statement, taken)) continue;
        if (inserts(one, rows.table, result, taken)) return std::nullopt;
        // The row may be the one that the transaction has just made.
        if (one.rows[later].own ||
            makes_row_between(one, rows.table, result, places[found].statement, places[later].statement))
          return std::nullopt;
        out = Candidate{{places[found].statement, found, own ? later : kNoRows, {}, rows.keys, taken, kNone32},
                        {rows.table, {}, result},
                        places[found],
                        places[later],
                        columns};
        for (const ColumnId part : table.primary_key)
          out->choice.key.push_back({part, part == result ? taken : variable_in(rows, part)});
        for (const ClassRowKey& key : rows.keys) out->question.asked.push_back(key.column);
      }
    }
    return out;
  }

  // Where the rows of a table have the primary key of `of`. Empty: they do not.
  [[nodiscard]] std::vector<ColumnId> columns_with_key(TableId of, TableId table) const {
    if (of == table) return classes_.schema.table(of).primary_key;
    for (const CoInsert& one : co_inserts_) {
      if (one.first == of && one.second == table) return one.columns;
    }
    return {};
  }

  // The variable that the later rows have for `result`, if they agree with what was asked for in the rest of the key.
  static std::uint32_t names_one_of(const ClassRows& found, const Table& table, ColumnId result, const ClassRows& later,
                                    const std::vector<ColumnId>& columns) {
    if (columns.size() != table.primary_key.size()) return kNoVariable;
    std::uint32_t taken = kNoVariable;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::uint32_t variable = variable_in(later, columns[i]);
      if (variable == kNoVariable) return kNoVariable;
      if (table.primary_key[i] == result) {
        taken = variable;
      } else if (variable != variable_in(found, table.primary_key[i])) {
        return kNoVariable;
      }
    }
    return taken;
  }

  // In the same round of a loop or before it: the row that was taken in the last round does not count.
  static bool used_before(const TransactionClass& one, const std::vector<RowsPlace>& places, std::uint32_t statement,
                          std::uint32_t variable) {
    const auto has = [&](const ClassRowKey& key) { return key.variable == variable; };
    for (std::size_t rows = 0; rows < one.rows.size(); ++rows) {
      const std::uint32_t other = places[rows].statement;
      if (other == kNone32 || other > statement || one.positions[other] > one.positions[statement]) continue;
      if (std::ranges::any_of(one.rows[rows].keys, has) || std::ranges::any_of(one.rows[rows].unlike, has)) return true;
    }
    return false;
  }

  // Does the class insert rows into the table that have this value?
  static bool inserts(const TransactionClass& one, TableId table, ColumnId column, std::uint32_t variable) {
    return std::ranges::any_of(one.operations, [&](const Operation& operation) {
      const ClassRows& rows = one.rows[operation.access.row_set];
      return operation.access.inserts && rows.table == table && variable_in(rows, column) == variable;
    });
  }

  // Does the class insert a row whose key the database makes, between these two statements?
  static bool makes_row_between(const TransactionClass& one, TableId table, ColumnId key, std::uint32_t after,
                                std::uint32_t before) {
    return std::ranges::any_of(one.operations, [&](const Operation& operation) {
      const ClassRows& rows = one.rows[operation.access.row_set];
      return operation.access.inserts && rows.table == table && operation.statement > after &&
             operation.statement < before && variable_in(rows, key) == kNoVariable;
    });
  }

  // Drops those that a transaction contradicts, and counts what the others show.
  void verify(std::uint32_t id, const RowLives& lives, std::vector<Candidate>& all) {
    const TransactionClass& one = classes_.classes[id];
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> counted;  // one round is enough
    std::erase_if(all, [&](const Candidate& candidate) {
      const std::uint32_t at = one.positions[candidate.found.statement];
      const std::uint32_t then = one.positions[candidate.named.statement];
      const bool counts = counted.emplace(at, candidate.found.access, then, candidate.named.access).second;
      return !holds(id, candidate, at, then, lives, counts);
    });
  }

  bool holds(std::uint32_t id, const Candidate& candidate, std::uint32_t at, std::uint32_t then, const RowLives& lives,
             bool counts) {
    const Table& table = classes_.schema.table(candidate.question.table);
    bool right = true;
    std::uint64_t uses = 0, with_insert = 0;
    struct Use {
      Literals asked, key;
    };
    std::vector<Use> seen;
    for_each_transaction(log_, forms_, forms_.groups[id],
                         [&](std::uint32_t transaction, std::span<const Occurrence> statements) {
                           std::uint32_t last = kNone32;
                           for (const Occurrence& here : statements) {
                             if (here.position == at) last = here.statement;
                             if (here.position != then || last == kNone32 || !right) continue;
                             const RowSet& found = values_.rows(last, candidate.found);
                             const RowSet& named = values_.rows(here.statement, candidate.named);
                             Literals key = values_.values(here.statement, named, candidate.named_columns);
                             Literals asked = values_.values(last, found, candidate.question.asked);
                             right &= !key.empty() && !asked.empty();
                             for (std::size_t i = 0; right && i < key.size(); ++i) {
                               const ColumnId part = table.primary_key[i];
                               right = part == candidate.question.result || values_.value(last, found, part) == key[i];
                             }
                             if (!right) continue;
                             const RowLives::Was was = lives.seen(candidate.question.table, key, transaction);
                             right = was != RowLives::Was::kNot;
                             ++uses;
                             with_insert += was == RowLives::Was::kThere ? 1 : 0;
                             seen.push_back({std::move(asked), std::move(key)});
                           }
                         });
    if (!right || uses == 0) return false;
    if (!counts) return true;
    OfQuestion& of = questions_[candidate.question];
    of.uses += uses;
    of.with_insert += with_insert;
    const auto part = std::ranges::find(table.primary_key, candidate.question.result) - table.primary_key.begin();
    for (const Use& use : seen) {
      of.answer.add(use.asked, use.key[static_cast<std::size_t>(part)]);
      for (std::size_t i = 0; i < use.asked.size(); ++i) {
        const ColumnId column = candidate.question.asked[i];
        if (std::ranges::find(table.primary_key, column) != table.primary_key.end()) continue;
        Mapping& attribute = of.attributes[column];
        attribute.add(use.key, use.asked[i]);
        // What the row's own INSERT gave it.
        const std::uint32_t insert = lives.insert_of(candidate.question.table, use.key);
        if (insert == kNone32) continue;
        for (const RowSet& rows : values_.meaning(insert).row_sets) {
          const LiteralId given =
              rows.table == candidate.question.table ? values_.value(insert, rows, column) : kNoLiteral;
          if (given != kNoLiteral) attribute.add(use.key, given);
        }
      }
    }
    return true;
  }

  // Can it change which rows the question finds, or in which order?
  [[nodiscard]] bool may_change(const Question& question) const {
    std::set<ColumnId> deciding(question.asked.begin(), question.asked.end());
    for (const Statement& statement : classes_.statements) {
      if (statement.kind != StatementKind::kSelect) continue;
      const bool asks =
          std::ranges::any_of(statement.row_sets, [&](const RowSet& rows) { return rows.table == question.table; });
      if (!asks) continue;
      deciding.insert(statement.ordered_by.begin(), statement.ordered_by.end());
      for (const Access& access : statement.accesses) {
        if (access.in_where && statement.row_sets[access.row_set].table == question.table)
          deciding.insert(access.column);
      }
    }
    for (const TransactionClass& one : classes_.classes) {
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        if (access.action != Action::kWrite || one.rows[access.row_set].table != question.table) continue;
        if (access.inserts || access.deletes || deciding.contains(access.column)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string names(const std::vector<ColumnId>& columns) const {
    std::string out;
    for (const ColumnId column : columns) out += (out.empty() ? "" : ", ") + classes_.schema.column(column).name;
    return out;
  }

  void make_facts(const FactSwitches& switches) {
    std::uint32_t functions = 0;
    for (auto& [question, of] : questions_) {
      const std::string& table = classes_.schema.table(question.table).name;
      of.fact = static_cast<std::uint32_t>(classes_.facts.size());
      classes_.facts.push_back(
          {FactKind::kChoice, false, question.table, of.uses,
           fmt::format("a row of {} that is named after a SELECT by {} was found by it ({} times; where the trace has "
                       "its INSERT, {} times, that came before)",
                       table, names(question.asked), of.uses, of.with_insert)});
      if (!switches.on(FactKind::kFunction) || may_change(question) || !of.answer.holds()) continue;
      of.function = functions++;
      classes_.facts.push_back(
          {FactKind::kFunction, false, question.table, of.answer.repeats(),
           fmt::format("the same {} are always the same {} ({} repeats, no exception)", names(question.asked),
                       classes_.schema.full_name(question.result), of.answer.repeats())});
    }
  }

  void apply(TransactionClass& one, const std::vector<Candidate>& all, const FactSwitches& switches) {
    const std::vector<RowsPlace> places = places_of_rows(one);
    for (const Candidate& candidate : all) {
      const OfQuestion& of = questions_.at(candidate.question);
      Choice choice = candidate.choice;
      choice.fact = of.fact;
      choice.function = of.function;
      for (std::uint32_t later = 0; later < one.rows.size(); ++later) {
        ClassRows& rows = one.rows[later];
        if (places[later].statement == kNone32 || places[later].statement <= choice.statement) continue;
        const std::vector<ColumnId> columns = columns_with_key(candidate.question.table, rows.table);
        if (columns.size() != choice.key.size()) continue;
        bool same = true;
        for (std::size_t i = 0; i < columns.size(); ++i)
          same &= variable_in(rows, columns[i]) == choice.key[i].variable;
        if (!same) continue;
        if (rows.table == candidate.question.table) {
          rows.found_by = of.fact;
          add_known(rows, choice, of);
        } else if (switches.on(FactKind::kCoInsert)) {
          rows.found_by = co_insert_fact(candidate.question.table, rows.table);
        }
      }
      one.choices.push_back(std::move(choice));
    }
  }

  void add_known(ClassRows& rows, const Choice& choice, const OfQuestion& of) const {
    for (const ClassRowKey& asked : choice.arguments) {
      const auto attribute = of.attributes.find(asked.column);
      if (attribute == of.attributes.end() || !attribute->second.holds() || !facts_.stable(asked.column)) continue;
      if (variable_in(rows, asked.column) != kNoVariable || asked.variable == kNoVariable) continue;
      if (std::ranges::find(rows.known, asked.column, &ClassRowKey::column) != rows.known.end()) continue;
      rows.known.push_back(asked);
      std::ranges::sort(rows.known, {}, &ClassRowKey::column);
    }
  }

  std::uint32_t co_insert_fact(TableId first, TableId second) {
    const auto [place, is_new] = co_insert_facts_.try_emplace({first, second}, kNone32);
    if (!is_new) return place->second;
    place->second = static_cast<std::uint32_t>(classes_.facts.size());
    const auto one = std::ranges::find_if(
        co_inserts_, [&](const CoInsert& pair) { return pair.first == first && pair.second == second; });
    classes_.facts.push_back(
        {FactKind::kCoInsert, false, second, one->rows,
         fmt::format("rows of {} come with their row of {}, in one transaction ({} of {}), and that was found first",
                     classes_.schema.table(second).name, classes_.schema.table(first).name, one->rows, one->rows)});
    return place->second;
  }

  const TraceLog& log_;
  const Forms& forms_;
  std::span<const CoInsert> co_inserts_;
  Classes& classes_;
  TraceValues values_;
  RowFacts facts_;
  std::map<Question, OfQuestion> questions_;
  std::map<std::pair<TableId, TableId>, std::uint32_t> co_insert_facts_;
};

}  // namespace

void find_choices(const TraceLog& log, const Forms& forms, const FactSwitches& switches,
                  std::span<const CoInsert> co_inserts, Classes& classes) {
  ChoiceFinder(log, forms, co_inserts, classes).run(switches);
}

}  // namespace isolde::audit
