// audit/scope/earlier.h: what an earlier request of the same user has read of a row: a check that is acted upon later.
//
//   request 1   SELECT * FROM product WHERE id = 50          -- the cart page: is there enough?
//   request 2   UPDATE product SET quantity = quantity - 1 WHERE id = 50        -- the payment page asks no more
//
// In, out: the statements of one request after the other, in the order of the trace -> for a row and a column, the last
//          plain read of it in a request of the same user that came before.
// Always:  two requests are of one user if they name rows by the same value of a column that says whose a row is
//          (users.h): a session, a customer.
// Cost:    a look-up for each key that a SELECT names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "audit/classes/column_domains.h"
#include "audit/facts/occurrences.h"
#include "audit/scope/held.h"

namespace isolde::audit {

class EarlierReads {
 public:
  // Requires: both outlive it.
  EarlierReads(const TraceLog& log, const Classes& classes)
      : classes_(classes), log_(log), values_(log, classes.statements), domains_(classes.schema) {}

  // A request begins.
  void begin(std::span<const RequestStep> steps);
  // It has ended: what it has read counts for those that come.
  void end(std::span<const RequestStep> steps);

  // In a request before this one. `keys`: by which the row is named.
  [[nodiscard]] std::optional<RequestStep> find(TableId table, ColumnId column, std::span<const KeyValue> keys) const;

 private:
  using User = std::pair<std::uint32_t, LiteralId>;  // domain of the column, value
  struct Seen {
    RequestStep step;
    std::uint16_t rows;
    std::uint32_t request;
  };
  [[nodiscard]] std::set<User> users_of(std::span<const RequestStep> steps) const;

  const Classes& classes_;
  const TraceLog& log_;
  TraceValues values_;
  ColumnDomains domains_;
  std::set<User> users_;                      // of this request
  std::vector<std::set<User>> users_before_;  // by earlier request
  std::map<std::pair<ColumnId, LiteralId>, std::vector<Seen>>
      by_key_;  // reads of earlier requests, by each of their keys
};

}  // namespace isolde::audit
