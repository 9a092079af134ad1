#include <unordered_set>

#include "audit/sql/draft.h"
#include "audit/sql/to_postgres.h"

namespace isolde::audit {

bool touches_no_data(const std::vector<Token>& tokens, SqlDialect dialect) {
  const Draft draft(tokens, dialect);
  if (draft.size() == 0) return true;
  static const std::unordered_set<std::string_view> kWords = {
      "ABORT",  "ATTACH",  "BEGIN",    "BINLOG",     "CACHE",    "CHANGE",    "CHECK",    "CHECKPOINT", "CHECKSUM",
      "CLOSE",  "COMMENT", "COMMIT",   "DEALLOCATE", "DESC",     "DESCRIBE",  "DETACH",   "DISCARD",    "END",
      "FETCH",  "FLUSH",   "GET",      "GRANT",      "HELP",     "INSTALL",   "KILL",     "LISTEN",     "LOCK",
      "MOVE",   "NOTIFY",  "OPTIMIZE", "PRAGMA",     "PREPARE",  "PURGE",     "REASSIGN", "REINDEX",    "RELEASE",
      "REPAIR", "RESET",   "RESIGNAL", "REVOKE",     "ROLLBACK", "SAVEPOINT", "SECURITY", "SHOW",       "SHUTDOWN",
      "SIGNAL", "START",   "STOP",     "UNINSTALL",  "UNLISTEN", "UNLOCK",    "USE",      "VACUUM",     "XA",
  };
  const std::size_t first = draft.first();
  if (draft.is(first, "LOCK") && dialect == SqlDialect::kPostgres) return false;
  if (kWords.contains(draft[first].word)) return true;
  if (draft.is(first, "DROP")) return draft.is(draft.next(first), "PREPARE");
  // These may carry a query that is carried out.
  if (draft.is(first, "SET")) {
    for (std::size_t i = first; i < draft.size(); ++i) {
      if (draft.is(i, "SELECT")) return false;
    }
    return true;
  }
  if (draft.is(first, "EXPLAIN")) {
    for (std::size_t i = first; i < draft.size(); ++i) {
      if (draft.is(i, "ANALYZE")) return false;
      if (draft.is_any(i, "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH")) return true;
    }
    return true;
  }
  if (draft.is(first, "ANALYZE")) {
    return !draft.is_any(draft.next(first), "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH");
  }
  return false;
}

}  // namespace isolde::audit
