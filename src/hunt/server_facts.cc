// What is known of servers beforehand: where the method's assumptions hold, their versions, what a scratch one may
// leave out.
#include <fmt/format.h>

#include <charconv>

#include "hunt/hunt.h"

namespace isolde::hunt {
namespace {

struct Row {
  std::string_view dialect;
  std::string_view level;   // part of its name
  std::string_view unless;  // in the server's description: then it holds after all; empty: never
  std::string_view reason;
  std::string_view cause;  // empty: it is not run at all
};

// TxCheck, assumption 3: a transaction does not overwrite what another wrote over a version that it read itself.
constexpr Row kRows[] = {
    {"mariadb", "read uncommitted", "",
     "at READ UNCOMMITTED a statement sees rows that are still being written, so the reads around it do not tell what "
     "it saw; take read committed or a stronger level",
     ""},
    {"mariadb", "repeatable read", "innodb_snapshot_isolation=ON",
     "InnoDB's REPEATABLE READ without innodb_snapshot_isolation reads from a snapshot but writes to the current rows: "
     "UPDATE and DELETE change rows that no SELECT of the transaction sees, and updates are lost. That is how it was "
     "made; all that comes of it is told once",
     "innodb-repeatable-read"},
    {"sqlite", "read_uncommitted", "",
     "with a shared cache and read_uncommitted a statement sees rows that are still being written, so the reads around "
     "it do not tell what it saw; take one of the other levels",
     ""},
};
constexpr std::string_view kDialects[] = {"postgres", "mariadb", "sqlite"};

}  // namespace

std::optional<NotApplicable> why_not(std::string_view dialect, std::string_view level, std::string_view server) {
  bool known = false;
  for (const std::string_view one : kDialects) known |= one == dialect;
  if (!known)
    return NotApplicable{
        fmt::format("hunting knows the SQL of PostgreSQL, MariaDB and SQLite, not of {}", dialect), false, {}};
  for (const Row& row : kRows) {
    if (row.dialect != dialect || level.find(row.level) == std::string_view::npos) continue;
    if (!row.unless.empty() && server.find(row.unless) != std::string_view::npos) continue;
    return NotApplicable{std::string(row.reason), !row.cause.empty(), std::string(row.cause)};
  }
  return std::nullopt;
}

int version_number(std::string_view server) {
  const std::size_t digits = server.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 0;
  int parts[3] = {0, 0, 0};
  int count = 0;
  const char* at = server.data() + digits;
  const char* const end = server.data() + server.size();
  while (count < 3) {
    const auto [next, error] = std::from_chars(at, end, parts[count]);
    if (error != std::errc{} || parts[count] > 9999) break;
    ++count;
    if (next == end || *next != '.') break;
    at = next + 1;
  }
  const bool two_parts = server.starts_with("PostgreSQL");  // since version 10
  return two_parts ? parts[0] * 10000 + parts[1] : parts[0] * 10000 + parts[1] * 100 + parts[2];
}

// A scratch server is thrown away after the hunt: a crash of the machine loses nothing.
std::map<std::string, std::string> fast_settings(std::string_view kind) {
  if (kind == "postgres") {
    return {
        {"autovacuum", "off"},  // its locks and its moments would differ from run to run
        {"deadlock_timeout", "10ms"}, {"fsync", "off"},
        {"full_page_writes", "off"},  {"log_min_messages", "log"},  // crashes, not the errors of statements
        {"max_wal_senders", "0"},     {"synchronous_commit", "off"},
        {"wal_level", "minimal"},
    };
  }
  if (kind == "mariadb") {
    return {
        {"innodb_doublewrite", "0"},
        {"innodb_flush_log_at_trx_commit", "0"},
        {"innodb_stats_persistent", "OFF"},
        {"skip_log_bin", ""},
        {"sync_binlog", "0"},
    };
  }
  return {};
}

}  // namespace isolde::hunt
