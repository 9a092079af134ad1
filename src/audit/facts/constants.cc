#include "audit/facts/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "audit/facts/occurrences.h"
#include "audit/schema/entries.h"

namespace isolde::audit {
namespace {

const double kChance = std::log(1e-6);

// A variable that names rows in a statement of a class.
struct NamingPlace {
  std::uint32_t rows;
  ColumnId column;
  std::uint32_t variable;
};

class ConstantMiner {
 public:
  ConstantMiner(const TraceLog& log, const Forms& forms, Classes& classes)
      : log_(log),
        forms_(forms),
        classes_(classes),
        values_(log, classes.statements),
        entries_(entry_columns(classes.schema)),
        counts_(classes.schema.columns()),
        totals_(classes.schema.columns()),
        updated_(classes.schema.columns()) {
    classes.constant_facts.assign(classes.schema.columns(), kNone32);
    for (const TransactionClass& one : classes.classes) {
      for (const Operation& operation : one.operations) {
        const Access& access = operation.access;
        if (access.action != Action::kWrite || access.inserts || access.deletes) continue;
        const Statement& statement = classes.statements[raw(one.statements[operation.statement])];
        if (!keeps_its_key(statement, access, classes.schema)) updated_[raw(access.column)] = true;
      }
    }
  }

  void run() {
    count();
    for (std::size_t id = 0; id < classes_.classes.size(); ++id) look_at(classes_.classes[id], forms_.groups[id]);
    for (std::uint32_t column = 0; column < classes_.constant_facts.size(); ++column) {
      const std::uint32_t fact = classes_.constant_facts[column];
      if (fact == kNone32) continue;
      classes_.facts[fact].text = fmt::format(
          "{} is written in the program: in {} always the same value", classes_.schema.full_name(ColumnId(column)),
          classes_.facts[fact].support == 1 ? std::string("1 place of a class")
                                            : fmt::format("{} places of classes", classes_.facts[fact].support));
    }
  }

 private:
  void count() {
    for (std::uint32_t i = 0; i < log_.statements.size(); ++i) {
      for (const RowSet& rows : values_.meaning(i).row_sets) {
        for (const RowKey& key : rows.keys) {
          ++counts_[raw(key.column)][values_.literal(i, key.literal)];
          ++totals_[raw(key.column)];
        }
      }
    }
  }

  void look_at(TransactionClass& one, const FormGroup& group) {
    const std::vector<RowsPlace> places = places_of_rows(one);
    std::unordered_map<std::uint32_t, std::vector<NamingPlace>> at;  // by position
    for (std::uint32_t rows = 0; rows < one.rows.size(); ++rows) {
      if (places[rows].statement == kNone32) continue;
      for (const ClassRowKey& key : one.rows[rows].keys) {
        if (key.variable != kNoVariable && may_be_one(key.column))
          at[one.positions[places[rows].statement]].push_back({rows, key.column, key.variable});
      }
    }
    if (at.empty()) return;
    enum class State : std::uint8_t { kNew, kSame, kDiffers };
    std::vector<State> state(one.variables, State::kNew);
    std::vector<LiteralId> value(one.variables, kNoLiteral);
    for_each_transaction(log_, forms_, group, [&](std::uint32_t, std::span<const Occurrence> all) {
      for (const Occurrence& here : all) {
        const auto found = at.find(here.position);
        if (found == at.end()) continue;
        for (const NamingPlace& place : found->second) {
          const LiteralId literal =
              values_.value(here.statement, values_.rows(here.statement, places[place.rows]), place.column);
          State& known = state[place.variable];
          if (known == State::kNew) {
            known = literal == kNoLiteral ? State::kDiffers : State::kSame;
            value[place.variable] = literal;
          } else if (value[place.variable] != literal) {
            known = State::kDiffers;
          }
        }
      }
    });
    for (const auto& [position, list] : at) {
      for (const NamingPlace& place : list) {
        if (entries_[raw(one.rows[place.rows].table)].name == place.column && value[place.variable] != kNoLiteral)
          one.rows[place.rows].entry_seen = log_.shapes.literal(value[place.variable]);
        if (state[place.variable] != State::kSame) continue;
        if (!is_constant(place.column, value[place.variable], one.transactions)) continue;
        if (one.constants.empty()) one.constants.assign(one.variables, kNoLiteral);
        one.constants[place.variable] = value[place.variable];
        if (entries_[raw(one.rows[place.rows].table)].name == place.column)
          one.rows[place.rows].entry = log_.shapes.literal(value[place.variable]);
        std::uint32_t& fact = classes_.constant_facts[raw(place.column)];
        if (fact == kNone32) {
          fact = static_cast<std::uint32_t>(classes_.facts.size());
          classes_.facts.push_back(
              {.kind = FactKind::kConstant, .table = classes_.schema.column(place.column).table, .text = {}});
        }
        ++classes_.facts[fact].support;
      }
    }
  }

  [[nodiscard]] bool may_be_one(ColumnId column) const {
    return !updated_[raw(column)] && !classes_.schema.column(column).generated_id;
  }

  [[nodiscard]] bool is_constant(ColumnId column, LiteralId value, std::uint64_t transactions) const {
    if (value == kNoLiteral) return false;
    const bool names_entry = entries_[raw(classes_.schema.column(column).table)].name == column;
    if (names_entry && !values_.number(value)) return true;
    const auto times = counts_[raw(column)].find(value);
    if (times == counts_[raw(column)].end()) return false;
    const double share = static_cast<double>(times->second) / static_cast<double>(totals_[raw(column)]);
    return static_cast<double>(transactions) * std::log(share) <= kChance;
  }

  const TraceLog& log_;
  const Forms& forms_;
  Classes& classes_;
  TraceValues values_;
  std::vector<EntryColumns> entries_;
  std::vector<std::unordered_map<LiteralId, std::uint64_t>> counts_;  // by column
  std::vector<std::uint64_t> totals_;
  std::vector<bool> updated_;
};

}  // namespace

void find_constants(const TraceLog& log, const Forms& forms, Classes& classes) {
  ConstantMiner(log, forms, classes).run();
}

}  // namespace isolde::audit
