#include "audit/sql/rows.h"

#include <algorithm>

namespace isolde::audit {

std::uint32_t Equalities::node(SourceColumn column) {
  const std::uint64_t name = (std::uint64_t{column.source} << 32) | raw(column.column);
  const auto [place, is_new] = places_.try_emplace(name, static_cast<std::uint32_t>(columns_.size()));
  if (is_new) {
    columns_.push_back(column);
    of_source_[column.source].push_back(place->second);
    parents_.push_back(place->second);
    literals_.push_back(kNone32);
  }
  return place->second;
}

std::uint32_t Equalities::root(std::uint32_t node) {
  while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
  return node;
}

void Equalities::bind(SourceColumn column, std::uint32_t literal) {
  std::uint32_t& known = literals_[root(node(column))];
  if (known == kNone32) known = literal;
}

void Equalities::equal(SourceColumn a, SourceColumn b) {
  const std::uint32_t kept = root(node(a)), joined = root(node(b));
  if (kept == joined) return;
  parents_[joined] = kept;
  if (literals_[kept] == kNone32) literals_[kept] = literals_[joined];
}

void Equalities::follows(SourceColumn from, SourceColumn to) { followers_.emplace_back(node(from), node(to)); }

void Equalities::unlike(SourceColumn column, std::uint32_t literal) { unlike_.emplace_back(column, literal); }

void Equalities::solve() {
  // Chains of outer joins and subqueries are short; a longer one only loses a key.
  constexpr int kMaxRounds = 16;
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (const auto& [from, to] : followers_) {
      const std::uint32_t literal = literals_[root(from)];
      std::uint32_t& known = literals_[root(to)];
      if (literal == kNone32 || known != kNone32) continue;
      known = literal;
      changed = true;
    }
  }
}

std::vector<RowKey> Equalities::keys_of(std::uint32_t source) {
  std::vector<RowKey> keys;
  const auto nodes = of_source_.find(source);
  if (nodes == of_source_.end()) return keys;
  for (const std::uint32_t i : nodes->second) {
    const std::uint32_t literal = literals_[root(i)];
    if (literal != kNone32) keys.push_back({.column = columns_[i].column, .literal = literal});
  }
  std::ranges::sort(keys, {}, &RowKey::column);
  return keys;
}

std::vector<RowKey> Equalities::unlike_of(std::uint32_t source) const {
  std::vector<RowKey> out;
  for (const auto& [column, literal] : unlike_) {
    if (column.source == source) out.push_back({.column = column.column, .literal = literal});
  }
  std::ranges::stable_sort(out, {}, &RowKey::column);
  return out;
}

std::vector<RowChoices> Equalities::among_of(std::uint32_t source) const {
  std::vector<RowChoices> out;
  for (const auto& [column, literals] : among_) {
    if (column.source == source) out.push_back({column.column, literals});
  }
  return out;
}

std::vector<RowKey> Equalities::like_of(std::uint32_t source) const {
  std::vector<RowKey> out;
  for (const auto& [column, literal] : like_) {
    if (column.source == source) out.push_back({column.column, literal});
  }
  return out;
}

std::vector<ColumnId> Equalities::of(const std::vector<SourceColumn>& all, std::uint32_t source) {
  std::vector<ColumnId> out;
  for (const SourceColumn& column : all) {
    if (column.source == source) out.push_back(column.column);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

bool covers_a_key(const Table& table, const std::vector<RowKey>& keys) {
  const auto covered = [&](const std::vector<ColumnId>& key) {
    return !key.empty() && std::ranges::all_of(key, [&](ColumnId column) {
      return std::ranges::binary_search(keys, column, {}, &RowKey::column);
    });
  };
  return covered(table.primary_key) || std::ranges::any_of(table.unique_keys, covered);
}

}  // namespace isolde::audit
