#include "audit/facts/choices.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "audit/facts/choice_candidates.h"
#include "audit/facts/mapping.h"
#include "audit/facts/row_lives.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {
namespace {

using Literals = std::vector<LiteralId>;

using Question = ChoiceQuestion;
using Candidate = ChoiceCandidate;

struct OfQuestion {
  std::uint64_t uses = 0, with_insert = 0;  // rows taken; of these, those whose INSERT is in the trace
  Mapping answer;
  std::map<ColumnId, Mapping> attributes;  // by column that was asked for and is no part of the key
  std::uint32_t fact = kNone32;
  std::uint32_t function = kNone32;
  std::uint32_t one_answer = kNone32;
};

class ChoiceFinder {
 public:
  ChoiceFinder(const TraceLog& log, const Forms& forms, std::span<const CoInsert> co_inserts, Classes& classes)
      : log_(log),
        forms_(forms),
        co_inserts_(co_inserts),
        classes_(classes),
        candidates_(classes, co_inserts),
        values_(log, classes.statements),
        facts_(classes) {}

  void run(const FactSwitches& switches) {
    std::vector<std::vector<Candidate>> of_class;
    std::set<TableId> tables;
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) {
      of_class.push_back(candidates_.of(classes_.classes[id]));
      for (const Candidate& one : of_class.back()) tables.insert(one.question.table);
    }
    if (tables.empty()) return;
    const RowLives lives(log_, classes_, tables);
    for (std::uint32_t id = 0; id < of_class.size(); ++id) verify(id, lives, of_class[id]);
    make_facts(switches);
    for (std::uint32_t id = 0; id < of_class.size(); ++id) {
      for (const Candidate& one : of_class[id]) {
        for (const ColumnId column : one.kept) classes_.classes[id].kept.push_back({one.named.statement, column});
      }
    }
    facts_ = RowFacts(classes_);  // what is set to what it was is stable
    for (std::uint32_t id = 0; id < of_class.size(); ++id) apply(classes_.classes[id], of_class[id], switches);
  }

 private:
  // Drops those that a transaction contradicts, and counts what the others show.
  void verify(std::uint32_t id, const RowLives& lives, std::vector<Candidate>& all) {
    const TransactionClass& one = classes_.classes[id];
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> counted;  // one round is enough
    std::erase_if(all, [&](Candidate& candidate) {
      const std::uint32_t at = one.positions[candidate.found.statement];
      const std::uint32_t then = one.positions[candidate.named.statement];
      const bool counts = counted.emplace(at, candidate.found.access, then, candidate.named.access).second;
      return !holds(id, candidate, at, then, lives, counts);
    });
  }

  bool holds(std::uint32_t id, Candidate& candidate, std::uint32_t at, std::uint32_t then, const RowLives& lives,
             bool counts) {
    const Table& table = classes_.schema.table(candidate.question.table);
    bool right = true;
    std::uint64_t uses = 0, with_insert = 0;
    struct Use {
      Literals asked, key;
    };
    std::vector<Use> seen;
    for_each_transaction(
        log_, forms_, forms_.groups[id], [&](std::uint32_t transaction, std::span<const Occurrence> statements) {
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
            std::erase_if(candidate.kept, [&](ColumnId column) {
              const Statement& update = values_.meaning(here.statement);
              const auto set = std::ranges::find(update.assigned, column, &RowKey::column);
              return set == update.assigned.end() ||
                     values_.literal(here.statement, set->literal) != values_.value(last, found, column);
            });
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
    std::uint32_t functions = 0, answers = 0;
    for (auto& [question, of] : questions_) {
      constexpr std::uint64_t kFewRepeats = 2;
      if (of.answer.conflicts() == 0 && of.answer.repeats() >= kFewRepeats) of.one_answer = answers++;
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
      choice.one_answer = of.one_answer;
      for (std::uint32_t later = 0; later < one.rows.size(); ++later) {
        ClassRows& rows = one.rows[later];
        if (places[later].statement == kNone32 || places[later].statement <= choice.statement) continue;
        const std::vector<ColumnId> columns = candidates_.columns_with_key(candidate.question.table, rows.table);
        if (columns.size() != choice.key.size()) continue;
        bool same = true;
        for (std::size_t i = 0; i < columns.size(); ++i)
          same &= variable_in(rows, columns[i]) == choice.key[i].variable;
        if (!same) continue;
        if (rows.table == candidate.question.table) {
          rows.found_by = of.fact;
          add_known(rows, choice, of, candidate.kept);
        } else if (switches.on(FactKind::kCoInsert)) {
          rows.found_by = co_insert_fact(candidate.question.table, rows.table);
        }
      }
      one.choices.push_back(std::move(choice));
    }
  }

  // What the row was found by it has, if it was seen with that often enough, or if all of it is written again.
  void add_known(ClassRows& rows, const Choice& choice, const OfQuestion& of, const std::vector<ColumnId>& kept) const {
    for (const ClassRowKey& asked : choice.arguments) {
      const auto attribute = of.attributes.find(asked.column);
      if (attribute == of.attributes.end() || !facts_.stable(asked.column)) continue;
      const bool is_kept = kept.size() == choice.arguments.size() && attribute->second.conflicts() == 0;
      if (!is_kept && !attribute->second.holds()) continue;
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
  ChoiceCandidates candidates_;
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

void narrow_to_taken(Classes& classes) {
  for (TransactionClass& one : classes.classes) {
    for (const Choice& choice : one.choices) {
      if (choice.taken == kNoRows) continue;
      for (Operation& operation : one.operations) {
        if (operation.statement == choice.statement && operation.access.row_set == choice.found &&
            operation.access.action == Action::kRead && operation.access.skips_locked)
          operation.access.row_set = choice.taken;
      }
    }
  }
}

}  // namespace isolde::audit
