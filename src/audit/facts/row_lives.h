// audit/facts/row_lives.h: which rows were certainly there, or certainly not, while a transaction ran.
//
// In, out: INSERTs and DELETEs of committed transactions that name a whole primary key -> was the row there?
// Always:  kNot only if no reading of the trace has it there: it is first inserted by a transaction that ended later,
// or
//          it was deleted before the transaction began and not inserted again before it ended.
// Cost:    one pass over the trace; a question costs a look-up.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "audit/facts/occurrences.h"

namespace isolde::audit {

class RowLives {
 public:
  RowLives(const TraceLog& log, const Classes& classes, const std::set<TableId>& tables);

  enum class Was : std::uint8_t { kUnknown, kThere, kNot };
  // `key`: the primary key's values, in its order.
  [[nodiscard]] Was seen(TableId table, const std::vector<LiteralId>& key, std::uint32_t transaction) const;

  // The INSERT of the row, the first of the trace; kNone32: none.
  [[nodiscard]] std::uint32_t insert_of(TableId table, const std::vector<LiteralId>& key) const;

 private:
  struct Event {
    std::uint32_t transaction, statement;
    bool inserts;
  };
  const TraceLog& log_;
  std::map<std::pair<TableId, std::vector<LiteralId>>, std::vector<Event>> events_;  // in the order of the commits
};

}  // namespace isolde::audit
