#include "audit/facts/row_lives.h"

namespace isolde::audit {

RowLives::RowLives(const TraceLog& log, const Classes& classes, const std::set<TableId>& tables) : log_(log) {
  const TraceValues values(log, classes.statements);
  for (std::uint32_t transaction = 0; transaction < log.transactions.size(); ++transaction) {
    const TraceTransaction& txn = log.transactions[transaction];
    if (txn.outcome != TxnOutcome::kCommitted) continue;
    for (std::uint32_t i = txn.first_statement; i < txn.first_statement + txn.statements; ++i) {
      const Statement& statement = values.meaning(i);
      const RowSet* last = nullptr;
      for (const Access& access : statement.accesses) {
        if (access.action != Action::kWrite || (!access.inserts && !access.deletes)) continue;
        const RowSet& rows = statement.row_sets[access.row_set];
        if (&rows == last || !tables.contains(rows.table)) continue;
        last = &rows;
        std::vector<LiteralId> key = values.values(i, rows, classes.schema.table(rows.table).primary_key);
        if (!key.empty()) events_[{rows.table, std::move(key)}].push_back({transaction, i, access.inserts});
      }
    }
  }
}

RowLives::Was RowLives::seen(TableId table, const std::vector<LiteralId>& key, std::uint32_t transaction) const {
  const auto found = events_.find({table, key});
  if (found == events_.end()) return Was::kUnknown;
  const TraceTransaction& txn = log_.transactions[transaction];
  bool inserted = false, gone = false, first_is_later = true;
  for (const Event& event : found->second) {
    if (event.transaction == transaction) {
      first_is_later = false;
      continue;
    }
    const TraceTransaction& other = log_.transactions[event.transaction];
    if (other.ended > txn.ended) {
      if (first_is_later && event.inserts) return Was::kNot;
      break;
    }
    first_is_later = false;
    if (event.inserts) {
      inserted = true;
      gone = false;
    } else {
      gone = other.ended < txn.begun;
    }
  }
  if (gone) return Was::kNot;
  return inserted ? Was::kThere : Was::kUnknown;
}

std::uint32_t RowLives::insert_of(TableId table, const std::vector<LiteralId>& key) const {
  const auto found = events_.find({table, key});
  if (found == events_.end()) return kNone32;
  for (const Event& event : found->second) {
    if (event.inserts) return event.statement;
  }
  return kNone32;
}

}  // namespace isolde::audit
