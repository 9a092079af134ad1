// What is known of servers: how their versions are written, and what a scratch one may leave out.
#include <charconv>

#include "hunt/hunt.h"

namespace isolde::hunt {

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
