#include "hunt/applicability.h"

#include <fmt/format.h>

#include "base/text.h"
#include "hunt/dialects.h"

namespace isolde::hunt {

std::optional<NotApplicable> why_not(std::string_view dialect, std::string_view level, std::string_view server) {
  const HuntDialect* const known = hunt_dialect(dialect);
  if (known == nullptr)
    return NotApplicable{
        fmt::format("hunting knows the SQL of PostgreSQL, MariaDB, MySQL, TiDB and SQLite, not of {}", dialect),
        false,
        {}};
  const std::string asked = folded(level);
  if (dialect == "sqlite" && asked.find("readuncommitted") != std::string::npos)
    return NotApplicable{
        "connections that share a cache at read_uncommitted see rows that are not committed, so a statement does not "
        "see "
        "what its transaction saw right before",
        false,
        {}};
  if (dialect == "tidb" && asked == "repeatableread" && server.find("pessimistic") != std::string_view::npos)
    return NotApplicable{
        "a statement that locks reads the rows committed last, not those of its transaction's snapshot (TiDB's "
        "pessimistic transactions)",
        true, "tidb-pessimistic"};
  if (!known->is_innodb) return std::nullopt;
  if (asked == "readuncommitted")
    return NotApplicable{
        "at READ UNCOMMITTED a statement sees rows that are not committed, and those that it changes may be undone "
        "under "
        "it",
        false,
        {}};
  if (asked != "repeatableread") return std::nullopt;
  if (server.find("innodb_snapshot_isolation=ON") != std::string_view::npos ||
      server.find("innodb_snapshot_isolation=1") != std::string_view::npos)
    return std::nullopt;
  return NotApplicable{
      "at REPEATABLE READ without innodb_snapshot_isolation an UPDATE, DELETE or locking read works on the rows "
      "committed last, not on those of its transaction's snapshot",
      true, "innodb-repeatable-read"};
}

}  // namespace isolde::hunt
