#include "audit/trace/postgres_events.h"

#include <algorithm>
#include <optional>

#include "audit/trace/postgres_parameters.h"
#include "audit/trace/sql_scan.h"
#include "base/hash.h"

namespace isolde::audit {
namespace {

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// `duration: 0.123 ms` and the two blanks after it.
bool take_duration(std::string_view& text) {
  if (!take(text, "duration: ")) return false;
  const std::size_t end = text.find(" ms");
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 3);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

// Whether the server has just started, or has thrown everybody out.
bool ends_all_sessions(std::string_view message) {
  return message.starts_with("starting PostgreSQL ") || message.starts_with("database system was ") ||
         message.starts_with("all server processes terminated") ||
         message.starts_with("database system is ready to accept connections");
}

std::uint64_t hash_of(std::string_view text) { return hash_bytes(text.data(), text.size()); }

}  // namespace

void PostgresEvents::entry(const PostgresEntry& entry) {
  ++entries_;
  switch (entry.severity) {
    case PostgresSeverity::kLog:
      log(entry);
      break;
    case PostgresSeverity::kError:
      failure(entry);
      break;
    case PostgresSeverity::kFatal:
      sessions_.end(entry.session);
      break;
    case PostgresSeverity::kPanic:
      sessions_.end_all();
      break;
    case PostgresSeverity::kOther:
      break;
  }
}

void PostgresEvents::finish() {
  if (entries_ > 0 && statements_ == 0)
    sink_.not_read(1, {}, "no entry of this log is a statement: log_statement = all and lc_messages = C are needed");
}

void PostgresEvents::log(const PostgresEntry& entry) {
  std::string_view text = entry.message;
  const bool is_done = take_duration(text);
  if (take(text, "statement: ")) {
    std::string_view prepare = entry.detail;
    if (take(prepare, "prepare: ")) {
      if (const std::string sql = executed_text(text, prepare); !sql.empty()) {
        one(entry, sql);
        remember(entry, {hash_of(text), !is_done});
        return;
      }
    }
    message_of_client(entry, text);
    remember(entry, {hash_of(text), !is_done});
  } else if (take(text, "execute ")) {
    if (text.starts_with("fetch from ")) return;  // goes on with an execution that was logged
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return;
    text.remove_prefix(colon + 2);
    std::string_view values = entry.detail;
    if (take(values, "parameters: ") || take(values, "Parameters: ")) {
      one(entry, with_parameters(text, logged_parameters(values)));
    } else {
      one(entry, text);
    }
    remember(entry, {hash_of(text), !is_done});
  } else if (text.starts_with("disconnection: ") || text.starts_with("connection received: ") ||
             text.starts_with("unexpected EOF on client connection")) {
    sessions_.end(entry.session);
  } else if (ends_all_sessions(text)) {
    sessions_.end_all();
  }
}

void PostgresEvents::failure(const PostgresEntry& entry) {
  if (entry.statement.empty()) {
    // The server was told not to log the statements of errors: it can only have been the last one.
    const auto session = sessions_.find(entry.session);
    if (!session || !last_of(*session).may_fail) return;
    last_of(*session).may_fail = false;
    sink_.failed(*session);
    return;
  }
  const auto known = sessions_.find(entry.session);
  const Last before = known ? last_of(*known) : Last{};
  const std::uint64_t hash = hash_of(entry.statement);
  if (!before.may_fail || before.hash != hash) message_of_client(entry, entry.statement);
  const auto session = sessions_.find(entry.session);
  if (!session) return;  // what failed was empty, and so was all before it
  last_of(*session).may_fail = false;
  sink_.failed(*session);
}

void PostgresEvents::message_of_client(const PostgresEntry& entry, std::string_view sql) {
  SqlScanner scanner(SqlDialect::kPostgres);
  scanner.start();
  std::size_t stop = scanner.find_end(sql, 0);
  if (trimmed(sql.substr(stop), SqlDialect::kPostgres).empty()) return one(entry, sql.substr(0, stop));
  std::optional<std::uint32_t> session;  // once there is a statement that is not empty
  for (std::size_t at = 0; at < sql.size();) {
    const std::string_view piece = sql.substr(at, stop - at);
    if (!session && !tagged(piece, SqlDialect::kPostgres).empty()) {
      session = sessions_.of(entry.session);
      sink_.begin_message(*session);
    }
    one(entry, piece);
    at = stop + 1;
    if (at >= sql.size()) break;
    scanner.start();
    stop = scanner.find_end(sql, at);
  }
  if (session) sink_.end_message(*session);
}

void PostgresEvents::one(const PostgresEntry& entry, std::string_view sql) {
  sql = tagged(sql, SqlDialect::kPostgres);
  if (sql.empty()) return;
  ++statements_;
  sink_.statement({sessions_.of(entry.session), entry.time_us, entry.line, sql});
}

void PostgresEvents::remember(const PostgresEntry& entry, Last last) {
  if (const auto session = sessions_.find(entry.session)) last_of(*session) = last;
}

PostgresEvents::Last& PostgresEvents::last_of(std::uint32_t session) {
  if (session >= last_.size()) last_.resize(session + 1);
  return last_[session];
}

}  // namespace isolde::audit
