// audit/sql/rows.h: which rows of which mention of a table a statement touches, told by its equalities.
//
// In, out: column = literal and column = column, as they must hold for the rows that count -> keys of each source.
// Always:  an equality that holds only for some rows (below OR, the ON of an outer join for the side that is kept)
//          is not told here, or only in the direction in which it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "audit/schema/ids.h"
#include "audit/schema/schema.h"
#include "audit/sql/scope.h"
#include "audit/sql/statement.h"

namespace isolde::audit {

class Equalities {
 public:
  void bind(SourceColumn column, std::uint32_t literal);
  void equal(SourceColumn a, SourceColumn b);
  // What `from` is, `to` is; not the other way around.
  void follows(SourceColumn from, SourceColumn to);
  // No row that counts has the literal in that column.
  void unlike(SourceColumn column, std::uint32_t literal);
  void among(SourceColumn column, std::vector<std::uint32_t> literals) {
    among_.emplace_back(column, std::move(literals));
  }
  void like(SourceColumn column, std::uint32_t literal) { like_.emplace_back(column, literal); }
  // The column is NOW() in the row; it is long ago in all rows that count.
  void just_now(SourceColumn column) { just_now_.push_back(column); }
  void long_ago(SourceColumn column) { long_ago_.push_back(column); }
  // No call of the above after this one.
  void solve();

  // Sorted by column.
  [[nodiscard]] std::vector<RowKey> keys_of(std::uint32_t source);
  [[nodiscard]] std::vector<RowKey> unlike_of(std::uint32_t source) const;
  [[nodiscard]] std::vector<RowChoices> among_of(std::uint32_t source) const;
  [[nodiscard]] std::vector<RowKey> like_of(std::uint32_t source) const;
  [[nodiscard]] std::vector<ColumnId> just_now_of(std::uint32_t source) const { return of(just_now_, source); }
  [[nodiscard]] std::vector<ColumnId> long_ago_of(std::uint32_t source) const { return of(long_ago_, source); }

 private:
  [[nodiscard]] static std::vector<ColumnId> of(const std::vector<SourceColumn>& all, std::uint32_t source);
  std::uint32_t node(SourceColumn column);
  std::uint32_t root(std::uint32_t node);

  std::unordered_map<std::uint64_t, std::uint32_t> places_;
  std::vector<SourceColumn> columns_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_source_;  // nodes
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> literals_;  // of a root; kNone32: none
  std::vector<std::pair<std::uint32_t, std::uint32_t>> followers_;
  std::vector<std::pair<SourceColumn, std::uint32_t>> unlike_;
  std::vector<SourceColumn> just_now_, long_ago_;
  std::vector<std::pair<SourceColumn, std::vector<std::uint32_t>>> among_;
  std::vector<std::pair<SourceColumn, std::uint32_t>> like_;
};

// Whether the keys hold all columns of the primary key or of a unique key.
[[nodiscard]] bool covers_a_key(const Table& table, const std::vector<RowKey>& keys);

}  // namespace isolde::audit
