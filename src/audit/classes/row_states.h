// audit/classes/row_states.h: the last values of the trace's rows, statement by statement.
//
// In, out: the statements of committed transactions, in the order in which these ended -> what a column of a row holds.
// Always:  what is known of a row are the literals that INSERTs and UPDATEs gave it, by its primary key. A write whose
//          value is not a literal makes it unknown again; one of rows that are not told by their key makes the column
//          unknown in all rows.
// Cost:    a look-up for each column that is written.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

inline constexpr LiteralId kNullValue{kNone32 - 1};  // NULL is no literal

class RowStates {
 public:
  using Row = std::vector<LiteralId>;  // the primary key

  explicit RowStates(const Schema& schema) : schema_(schema), values_(schema.columns()) {}

  // The row that these rows of a statement are; none: they are not named by their whole key.
  [[nodiscard]] std::optional<Row> row(const RowSet& rows, std::span<const LiteralId> literals) const;
  [[nodiscard]] std::optional<LiteralId> value(ColumnId column, const Row& row) const;

  // The row has what an INSERT gave it, whose key was not known then.
  void born(const Row& row, ShapeId shape, const RowSet& inserted, std::span<const LiteralId> literals);

  // `on_update` is given each column that an UPDATE sets to a literal, where what was there is known: column, old, new,
  // and the shape of the statement that wrote the old one.
  template <typename OnUpdate>
  void run(ShapeId shape, const Statement& statement, std::span<const LiteralId> literals, OnUpdate&& on_update) {
    for (const Access& access : statement.accesses) {
      if (access.action != Action::kWrite) continue;
      const std::optional<Row> written = row(statement.row_sets[access.row_set], literals);
      const std::optional<LiteralId> given = given_by(statement, access, literals);
      auto& known = values_[raw(access.column)];
      if (!written) {
        if (!access.inserts) known.clear();
      } else if (access.deletes || !given) {
        known.erase(*written);
      } else {
        const auto [place, is_new] = known.try_emplace(*written, Written{*given, shape});
        if (!is_new && !access.inserts) on_update(access.column, place->second.value, *given, place->second.by);
        place->second = {*given, shape};
      }
    }
  }

 private:
  // What the statement writes there, if it is a literal or NULL.
  [[nodiscard]] static std::optional<LiteralId> given_by(const Statement& statement, const Access& access,
                                                         std::span<const LiteralId> literals);

  const Schema& schema_;
  struct Written {
    LiteralId value;
    ShapeId by;
  };
  std::vector<std::map<Row, Written>> values_;  // by column
};

}  // namespace isolde::audit
