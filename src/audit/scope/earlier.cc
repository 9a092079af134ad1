#include "audit/scope/earlier.h"

#include <algorithm>
#include <ranges>

#include "audit/scope/users.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostSeen = 64;  // reads that are kept of one key

}  // namespace

std::set<EarlierReads::User> EarlierReads::users_of(std::span<const RequestStep> steps) const {
  std::set<User> out;
  for (const RequestStep& step : steps) {
    for (const RowSet& rows : values_.meaning(step.statement).row_sets) {
      for (const RowKey& key : rows.keys) {
        if (!is_of_one_user(classes_.schema, key.column)) continue;
        const LiteralId value = values_.literal(step.statement, key.literal);
        const std::string_view text = value == kNoLiteral ? std::string_view() : log_.shapes.literal(value);
        if (!text.empty() && text != "0") out.emplace(domains_.of(key.column), value);
      }
    }
  }
  return out;
}

void EarlierReads::begin(std::span<const RequestStep> steps) { users_ = users_of(steps); }

void EarlierReads::end(std::span<const RequestStep> steps) {
  if (users_.empty()) return;
  const auto request = static_cast<std::uint32_t>(users_before_.size());
  users_before_.push_back(users_);
  for (const RequestStep& step : steps) {
    const Statement& statement = values_.meaning(step.statement);
    if (statement.kind != StatementKind::kSelect) continue;
    for (std::uint16_t rows = 0; rows < statement.row_sets.size(); ++rows) {
      for (const RowKey& key : statement.row_sets[rows].keys) {
        const LiteralId value = values_.literal(step.statement, key.literal);
        if (value == kNoLiteral) continue;
        std::vector<Seen>& all = by_key_[{key.column, value}];
        if (all.size() == kMostSeen) all.erase(all.begin(), all.begin() + kMostSeen / 2);
        all.push_back({step, rows, request});
      }
    }
  }
}

std::optional<RequestStep> EarlierReads::find(TableId table, ColumnId column, std::span<const KeyValue> keys) const {
  std::optional<RequestStep> out;
  std::uint32_t request = 0;
  for (const KeyValue& key : keys) {
    const auto all = by_key_.find({key.column, key.value});
    if (all == by_key_.end()) continue;
    for (const Seen& seen : std::views::reverse(all->second)) {
      const Statement& statement = values_.meaning(seen.step.statement);
      const RowSet& rows = statement.row_sets[seen.rows];
      const bool differs = std::ranges::any_of(keys, [&](const KeyValue& other) {
        const LiteralId value = values_.value(seen.step.statement, rows, other.column);
        return value != kNoLiteral && value != other.value;
      });
      const bool reads = std::ranges::any_of(statement.accesses, [&](const Access& access) {
        return access.action == Action::kRead && access.row_set == seen.rows && access.column == column &&
               !access.counts_only;
      });
      const bool same_user =
          std::ranges::any_of(users_before_[seen.request], [&](const User& user) { return users_.contains(user); });
      if (rows.table != table || differs || !reads || !same_user) continue;
      if (!out || seen.request > request) out = seen.step, request = seen.request;
      break;
    }
  }
  return out;
}

}  // namespace isolde::audit
