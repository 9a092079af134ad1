#include "hunt/case/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace isolde::hunt {

std::size_t statements_of(const Case& test) {
  std::size_t count = 0;
  for (const Transaction& transaction : test.transactions) count += transaction.statements.size();
  return count;
}

Case without(const Case& test, const std::vector<Place>& places) {
  const std::set<Place> gone(places.begin(), places.end());
  Case left{.seed = test.seed, .schema = test.schema, .transactions = {}, .order = {}};
  std::vector<std::uint32_t> new_number(test.transactions.size(), UINT32_MAX);
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    Transaction kept{.statements = {}, .commits = test.transactions[t].commits};
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s)
      if (!gone.contains({t, s})) kept.statements.push_back(test.transactions[t].statements[s]);
    if (kept.statements.empty()) continue;
    new_number[t] = static_cast<std::uint32_t>(left.transactions.size());
    left.transactions.push_back(std::move(kept));
  }
  std::vector<std::uint32_t> turn(test.transactions.size(), 0);
  for (const std::uint32_t t : test.order) {
    const std::uint32_t s = turn[t]++;
    if (new_number[t] == UINT32_MAX || gone.contains({t, s})) continue;
    left.order.push_back(new_number[t]);
  }
  return left;
}

std::string name(Place place) { return fmt::format("T{}.{}", place.transaction + 1, place.statement + 1); }

std::string_view name(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
      return "select";
    case StatementKind::kSelectForUpdate:
      return "select-for-update";
    case StatementKind::kInsert:
      return "insert";
    case StatementKind::kUpsert:
      return "upsert";
    case StatementKind::kUpdate:
      return "update";
    case StatementKind::kDelete:
      return "delete";
    case StatementKind::kMerge:
      return "merge";
  }
  return "";
}

std::string_view name(Sent sent) {
  switch (sent) {
    case Sent::kPlain:
      break;
    case Sent::kPrepared:
      return "prepared";
    case Sent::kCursor:
      return "cursor";
    case Sent::kSavepoint:
      return "savepoint";
  }
  return "plain";
}

}  // namespace isolde::hunt
