#include "audit/classes/position.h"

#include <algorithm>
#include <map>
#include <utility>

namespace isolde::audit {
namespace {

const RowKey* find_key(const std::vector<RowKey>& keys, ColumnId column) {
  const auto place = std::ranges::find(keys, column, &RowKey::column);
  return place == keys.end() ? nullptr : &*place;
}

std::vector<ColumnId> distinct_columns(const std::vector<RowKey>& keys) {
  std::vector<ColumnId> out;
  for (const RowKey& key : keys) {
    if (out.empty() || out.back() != key.column) out.push_back(key.column);
  }
  return out;
}

}  // namespace

void Position::add(ShapeId shape, const Statement& statement) {
  const bool first = shapes_.empty();
  shapes_.push_back(shape);
  if (first) {
    accesses_ = statement.accesses;
    return;
  }
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint16_t> rows;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    Access& mine = accesses_[i];
    const Access& other = statement.accesses[i];
    mine.in_where |= other.in_where;
    mine.counts_only &= other.counts_only;
    mine.foreign_key &= other.foreign_key;
    mine.of_write &= other.of_write;
    mine.of_written_row &= other.of_written_row;
    mine.skips_locked &= other.skips_locked;
    const auto next = static_cast<std::uint16_t>(rows.size());
    mine.row_set = rows.try_emplace({mine.row_set, other.row_set}, next).first->second;
  }
}

void Position::finish(std::span<const Statement> statements) {
  std::map<std::uint16_t, std::uint16_t> numbers;  // rows that no operation touches are left out
  for (std::uint32_t i = 0; i < accesses_.size(); ++i) {
    const auto [place, is_new] = numbers.try_emplace(accesses_[i].row_set, static_cast<std::uint16_t>(numbers.size()));
    if (is_new) first_access_.push_back(i);
    accesses_[i].row_set = place->second;
  }
  const Statement& first = statements[raw(shapes_[0])];
  rows_.resize(first_access_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Rows& rows = rows_[i];
    rows.table = rows_in(first, i).table;
    rows.columns = distinct_columns(rows_in(first, i).keys);
    rows.unlike = distinct_columns(rows_in(first, i).unlike);
    for (const ShapeId shape : shapes_) {
      const RowSet& its = rows_in(statements[raw(shape)], i);
      rows.single &= its.single;
      std::erase_if(rows.columns, [&](ColumnId column) { return find_key(its.keys, column) == nullptr; });
      std::erase_if(rows.unlike, [&](ColumnId column) { return find_key(its.unlike, column) == nullptr; });
    }
  }
  changes_ = first.changes;
  for (const ShapeId shape : shapes_) {
    const std::vector<ColumnId>& its = statements[raw(shape)].changes;
    std::erase_if(changes_, [&](ColumnId column) { return std::ranges::find(its, column) == its.end(); });
  }
}

std::uint32_t Position::literal(const Statement& statement, std::size_t rows, ColumnId column) const {
  return find_key(rows_in(statement, rows).keys, column)->literal;
}

std::uint32_t Position::unlike_literal(const Statement& statement, std::size_t rows, ColumnId column) const {
  return find_key(rows_in(statement, rows).unlike, column)->literal;
}

}  // namespace isolde::audit
