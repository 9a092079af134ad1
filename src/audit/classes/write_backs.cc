#include "audit/classes/write_backs.h"

#include <algorithm>
#include <map>
#include <optional>

#include "audit/classes/row_states.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostUnnamed = 16;  // rows of a session whose ids are not known yet
// An UPDATE saves a whole row if it writes so many columns as they were, and at most a quarter of those that are known
// otherwise.
constexpr std::size_t kColumnsOfWholeRow = 8;

class WriteBackFinder {
 public:
  WriteBackFinder(const TraceLog& log, const Schema& schema, std::span<const Statement> statements,
                  const MadeIds& made_ids)
      : log_(log),
        schema_(schema),
        statements_(statements),
        made_ids_(made_ids),
        states_(schema),
        asked_(schema.tables()),
        changed_(schema.columns()) {
    out_.unchanged.resize(schema.columns());
    out_.whole_rows.resize(schema.columns());
    for (const Statement& statement : statements) {
      if (statement.kind == StatementKind::kSelect) note_questions(statement);
    }
    note_values();
  }

  WriteBacks run() {
    for (const TraceTransaction& transaction : log_.transactions) {
      if (transaction.outcome != TxnOutcome::kCommitted) continue;
      for (std::uint32_t i = 0; i < transaction.statements; ++i)
        look_at(transaction.first_statement + i, unnamed_[transaction.session]);
    }
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      if (changed_[i]) out_.unchanged[i] = 0;
    }
    return std::move(out_);
  }

 private:
  // The row of an INSERT that left the id to the database.
  struct Unnamed {
    std::uint32_t statement;
    std::uint16_t rows;
  };

  void note_questions(const Statement& statement) {
    const auto add = [&](ColumnId column) {
      std::vector<ColumnId>& of = asked_[raw(schema_.column(column).table)];
      if (std::ranges::find(of, column) == of.end()) of.push_back(column);
    };
    for (const RowSet& rows : statement.row_sets) {
      for (const RowKey& key : rows.keys) add(key.column);
      for (const RowChoices& choices : rows.among) add(choices.column);
      for (const RowKey& pattern : rows.like) add(pattern.column);
    }
  }

  void look_at(std::uint32_t number, std::vector<Unnamed>& unnamed) {
    const TraceStatement& here = log_.statements[number];
    const Statement& statement = statements_[raw(here.shape)];
    const std::span<const LiteralId> literals = log_.literals_of(here);
    if (!unnamed.empty()) name_rows(statement, literals, unnamed);
    SeenUpdate seen;
    std::vector<ColumnId> words;  // that were written back as they were
    std::size_t others = 0;       // columns that were changed
    if (statement.kind == StatementKind::kUpdate && statement.row_sets.size() == 1) {
      const std::vector<ColumnId>& columns = asked_[raw(statement.row_sets[0].table)];
      const auto row = columns.empty() ? std::nullopt : states_.row(statement.row_sets[0], literals);
      for (std::size_t c = 0; row && c < columns.size(); ++c) {
        const std::optional<LiteralId> value = states_.value(columns[c], *row);
        if (value && is_word(log_, *value)) seen.before.emplace_back(columns[c], *value);
      }
    }
    states_.run(here.shape, statement, literals, [&](ColumnId column, LiteralId old, LiteralId now, ShapeId by) {
      // A flag that this very statement has set before, and always sets to the same: that says nothing of what was
      // there.
      if (by == here.shape && is_constant(here.shape, column)) return;
      if (old == now) {
        ++out_.unchanged[raw(column)];
        seen.unchanged.push_back(column);
        if (is_word(log_, now)) words.push_back(column);
      } else {
        changed_[raw(column)] = true;
        ++others;
      }
    });
    if (seen.unchanged.size() >= kColumnsOfWholeRow && others * 3 <= seen.unchanged.size()) {
      for (const ColumnId column : words) ++out_.whole_rows[raw(column)];
    }
    if (!seen.before.empty() || !seen.unchanged.empty()) {
      std::ranges::sort(seen.unchanged);
      out_.updates.emplace(number, std::move(seen));
    }
    if (statement.kind == StatementKind::kInsert && !statement.keeps_old_row) note_unnamed(number, statement, unnamed);
  }

  // The UPDATE sets the column to one value in the whole trace.
  [[nodiscard]] bool is_constant(ShapeId shape, ColumnId column) const {
    const auto value = only_value_.find({raw(shape), column});
    return value != only_value_.end() && value->second;
  }
  void note_values() {
    std::map<std::pair<std::uint32_t, ColumnId>, LiteralId> first;
    for (const TraceStatement& here : log_.statements) {
      const std::span<const LiteralId> literals = log_.literals_of(here);
      const Statement& statement = statements_[raw(here.shape)];
      for (const RowKey& set : statement.assigned) {
        const std::pair<std::uint32_t, ColumnId> place(raw(here.shape), set.column);
        const auto [value, is_new] = first.try_emplace(place, literals[set.literal]);
        bool& only = only_value_.try_emplace(place, true).first->second;
        only = only && value->second == literals[set.literal];
      }
      for (const ColumnId column : statement.nulls) only_value_[{raw(here.shape), column}] = true;
    }
  }

  void note_unnamed(std::uint32_t number, const Statement& statement, std::vector<Unnamed>& unnamed) const {
    for (std::uint16_t rows = 0; rows < statement.row_sets.size(); ++rows) {
      const RowSet& set = statement.row_sets[rows];
      const ColumnId id = made_ids_.made_by(set.table);
      const bool inserted = std::ranges::any_of(
          statement.accesses, [&](const Access& access) { return access.inserts && access.row_set == rows; });
      if (!inserted || !set.single || id == kNoColumn || std::ranges::binary_search(set.keys, id, {}, &RowKey::column))
        continue;
      if (unnamed.size() == kMostUnnamed) unnamed.erase(unnamed.begin());
      unnamed.push_back({number, rows});
    }
  }

  // An id that comes up only after the INSERT is that of its row.
  void name_rows(const Statement& statement, std::span<const LiteralId> literals, std::vector<Unnamed>& unnamed) {
    for (const RowSet& rows : statement.row_sets) {
      for (const RowKey& key : rows.keys) {
        const TableId table = made_ids_.ids_of(key.column);
        if (table == kNoTable) continue;
        const auto row = std::find_if(unnamed.rbegin(), unnamed.rend(), [&](const Unnamed& one) {
          return set_of(one).table == table && made_ids_.made_after(table, literals[key.literal], one.statement);
        });
        if (row == unnamed.rend()) continue;
        const TraceStatement& insert = log_.statements[row->statement];
        states_.born({literals[key.literal]}, insert.shape, set_of(*row), log_.literals_of(insert));
        unnamed.erase(std::next(row).base());
      }
    }
  }
  [[nodiscard]] const RowSet& set_of(const Unnamed& one) const {
    return statements_[raw(log_.statements[one.statement].shape)].row_sets[one.rows];
  }

  const TraceLog& log_;
  const Schema& schema_;
  std::span<const Statement> statements_;
  const MadeIds& made_ids_;
  RowStates states_;
  std::vector<std::vector<ColumnId>> asked_;                       // by table
  std::map<std::pair<std::uint32_t, ColumnId>, bool> only_value_;  // by shape and column that it sets
  std::vector<bool> changed_;                                      // by column
  std::map<std::uint32_t, std::vector<Unnamed>> unnamed_;          // by session
  WriteBacks out_;
};

}  // namespace

WriteBacks find_write_backs(const TraceLog& log, const Schema& schema, std::span<const Statement> statements,
                            const MadeIds& made_ids) {
  return WriteBackFinder(log, schema, statements, made_ids).run();
}

bool is_word(const TraceLog& log, LiteralId value) {
  if (value == kNoLiteral || value == kNullValue) return false;
  const std::string_view text = log.shapes.literal(value);
  return !text.empty() && std::ranges::none_of(text, is_digit);
}

}  // namespace isolde::audit
