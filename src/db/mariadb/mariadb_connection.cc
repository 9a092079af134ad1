#include "db/mariadb/mariadb_connection.h"

#include <errmsg.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <mutex>

namespace isolde::db {
namespace {

constexpr unsigned kConnectSeconds = 10;

// "0-1-42": domain, server, sequence number. Within a domain each event group gets the next number.
std::optional<std::int64_t> sequence_of(std::string_view gtid) {
  const std::size_t dash = gtid.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::int64_t place = 0;
  const char* const end = gtid.data() + gtid.size();
  const auto [stop, error] = std::from_chars(gtid.data() + dash + 1, end, place);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return place;
}

}  // namespace

MariadbTarget mariadb_target(const Url& url, std::uint16_t default_port) {
  MariadbTarget target;
  target.host = url.host;
  target.user = url.user.empty() ? "root" : url.user;
  target.password = url.password;
  target.database = url.database;
  target.port = url.port == 0 ? default_port : url.port;
  return target;
}

Result<MYSQL*> open_mariadb_session(const MariadbTarget& target) {
  static std::once_flag once;
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
  MYSQL* const handle = mysql_init(nullptr);
  if (handle == nullptr) return Error{"out of memory"};
  mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &kConnectSeconds);
  mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const bool is_socket = target.host.starts_with('/');
  std::error_code ignored;
  std::string socket = is_socket ? target.host : "";
  if (is_socket && std::filesystem::is_directory(socket, ignored)) {
    const bool is_mariadb = std::filesystem::exists(socket + "/mariadb.sock", ignored);
    socket += is_mariadb ? "/mariadb.sock" : "/mysqld.sock";
  }
  const char* const host = is_socket ? "localhost" : target.host.empty() ? nullptr : target.host.c_str();
  const char* const database = target.database.empty() ? nullptr : target.database.c_str();
  if (mysql_real_connect(handle, host, target.user.c_str(), target.password.c_str(), database, target.port,
                         is_socket ? socket.c_str() : nullptr,
                         CLIENT_FOUND_ROWS | CLIENT_MULTI_STATEMENTS) == nullptr) {
    Error error{fmt::format("cannot connect to {}{} as {}: {} (error {})", host == nullptr ? "localhost" : target.host,
                            is_socket ? "" : fmt::format(":{}", target.port), target.user, mysql_error(handle),
                            mysql_errno(handle))};
    mysql_close(handle);
    return error;
  }
  return handle;
}

MariadbConnection::MariadbConnection(MYSQL* handle, const MariadbTarget& target)
    : session_(static_cast<std::int64_t>(mysql_thread_id(handle))),
      handle_(handle),
      target_(target),
      socket_(fcntl(mysql_get_socket(handle), F_DUPFD_CLOEXEC, 0)) {}

MariadbConnection::~MariadbConnection() {
  prepared_.clear();
  mysql_close(handle_);
  close(socket_);
}

Result<void> MariadbConnection::set_up() {
  for (const std::string& sql : target_.setup) {
    auto reply = run(sql);
    if (!reply) return std::move(reply).error();
    if (!reply->done()) return Error{fmt::format("{} ({})", reply->failure.text, sql)};
  }
  auto about = run("show variables like 'innodb_rollback_on_timeout'");
  if (!about) return std::move(about).error();
  if (about->done() && about->rows() == 1) rollback_on_timeout_ = about->at(0, 1) == Cell("ON");
  return {};
}

Result<Reply> MariadbConnection::begin_and(std::string_view then) {
  auto reply =
      run(fmt::format("{}start transaction{}{}", ended_by_error_ ? "rollback; " : "", then.empty() ? "" : "; ", then));
  if (reply && reply->done()) ended_by_error_ = false;
  return reply;
}

Result<Reply> MariadbConnection::begin() { return begin_and(""); }

Result<Reply> MariadbConnection::roll_back() {
  auto reply = run("rollback");
  if (reply && reply->done()) ended_by_error_ = false;
  return reply;
}

Result<Reply> MariadbConnection::execute(std::string_view sql, std::span<const Cell> parameters) {
  if (gone_) return lost();
  auto& statement = prepared_[std::string(sql)];
  if (statement == nullptr) {
    auto fresh = std::make_unique<MariadbStatement>(handle_, sql);
    if (fresh->failed()) return failed(target_.errors, fresh->failure(), sql);
    statement = std::move(fresh);
  }
  if (statement->parameters() != parameters.size()) {
    return Error{fmt::format("{} parameters were given for {}: {}", parameters.size(), statement->parameters(), sql)};
  }
  Reply reply;
  if (!statement->execute(parameters, reply)) return failed(target_.errors, statement->failure(), sql);
  return reply;
}

Result<Reply> MariadbConnection::run(std::string_view sql) {
  if (gone_) return lost();
  Reply reply;
  if (mysql_real_query(handle_, sql.data(), sql.size()) != 0 || !read_answers(reply))
    return failed(target_.errors, failure(), sql);
  return reply;
}

std::vector<Result<Reply>> MariadbConnection::run_all(std::span<const Request> requests, OnFailure on_failure) {
  // What ends a transaction is asked by itself: its errors mean something else.
  if (requests.size() < 2) return Connection::run_all(requests, on_failure);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RequestKind kind = requests[i].kind;
    const bool begins = kind == RequestKind::kBegin && i == 0;
    if (!begins && kind != RequestKind::kStatement && kind != RequestKind::kPrepared)
      return Connection::run_all(requests, on_failure);
  }
  std::vector<Result<Reply>> answers;
  while (answers.size() < requests.size()) {
    run_together(requests.subspan(answers.size()), answers);
    if (stops_after(answers.back(), on_failure)) break;
  }
  return answers;
}

void MariadbConnection::run_together(std::span<const Request> requests, std::vector<Result<Reply>>& answers) {
  if (gone_) return answers.push_back(lost());
  std::string sql;
  std::size_t extra = 0;  // answers that nobody asked for
  for (const Request& request : requests) {
    if (!sql.empty()) sql += "; ";
    const bool begins = request.kind == RequestKind::kBegin;
    extra += begins && ended_by_error_ ? 1 : 0;
    sql += begins ? (ended_by_error_ ? "rollback; start transaction" : "start transaction") : request.sql;
  }
  Reply reply;
  std::vector<Reply> earlier;
  const bool done = mysql_real_query(handle_, sql.data(), sql.size()) == 0 && read_answers(reply, &earlier);
  if (earlier.size() + (done ? 1 : 0) > extra && requests.front().kind == RequestKind::kBegin) ended_by_error_ = false;
  for (std::size_t i = std::min(extra, earlier.size()); i < earlier.size(); ++i)
    answers.push_back(std::move(earlier[i]));
  const std::size_t at = earlier.size() < extra ? 0 : std::min(earlier.size() - extra, requests.size() - 1);
  answers.push_back(done ? std::move(reply) : failed(target_.errors, failure(), requests[at].sql));
}

bool MariadbConnection::read_answers(Reply& reply, std::vector<Reply>* earlier) {
  for (;;) {
    reply = Reply{};
    MYSQL_RES* const rows = mysql_store_result(handle_);
    if (rows == nullptr) {
      if (mysql_field_count(handle_) != 0) return false;
      reply.changed = mysql_affected_rows(handle_);
    } else {
      reply.width = mysql_num_fields(rows);
      const MYSQL_FIELD* const fields = mysql_fetch_fields(rows);
      for (std::size_t i = 0; i < reply.width; ++i) reply.names.emplace_back(fields[i].name);
      while (MYSQL_ROW row = mysql_fetch_row(rows)) {
        const unsigned long* const lengths = mysql_fetch_lengths(rows);
        for (std::size_t i = 0; i < reply.width; ++i) {
          reply.cells.push_back(row[i] == nullptr ? Cell() : cell_of_text(fields[i], {row[i], lengths[i]}));
        }
      }
      mysql_free_result(rows);
    }
    const int more = mysql_next_result(handle_);
    if (more < 0) return true;
    if (earlier != nullptr) earlier->push_back(std::move(reply));
    if (more > 0) return false;
  }
}

Result<Reply> MariadbConnection::commit_and(std::string_view then) {
  if (gone_) return lost();
  const std::string sql = then.empty() ? "commit" : fmt::format("commit; {}", then);
  // The first answer is the COMMIT's, and the request fails if that does.
  if (mysql_real_query(handle_, sql.data(), sql.size()) != 0) return failed(target_.commit_errors, failure(), "commit");
  Reply reply;
  if (then.empty()) return reply;
  // An answer without rows: mysql_next_result() goes on to that of `then`.
  if (mysql_next_result(handle_) != 0 || !read_answers(reply)) {
    const unsigned code = mysql_errno(handle_);
    const ErrorRow* const row = find_error(target_.errors, std::to_string(code));
    if (row == nullptr || row->means == Fate::kLost) gone_ = true;  // the next request tells
    return Reply{};
  }
  return reply;
}

Result<Reply> MariadbConnection::commit(TxnFacts* facts) {
  auto reply = commit_and("");
  if (facts != nullptr && reply && reply->done()) facts->commit_place = sequence_of(tracked_variable("last_gtid"));
  return reply;
}

std::string MariadbConnection::tracked_variable(std::string_view name) const {
  const char* data = nullptr;
  std::size_t size = 0;
  // Names and values take turns.
  for (int code = mysql_session_track_get_first(handle_, SESSION_TRACK_SYSTEM_VARIABLES, &data, &size); code == 0;
       code = mysql_session_track_get_next(handle_, SESSION_TRACK_SYSTEM_VARIABLES, &data, &size)) {
    const bool found = std::string_view(data, size) == name;
    if (mysql_session_track_get_next(handle_, SESSION_TRACK_SYSTEM_VARIABLES, &data, &size) != 0) break;
    if (found) return {data, size};
  }
  return {};
}

Failure MariadbConnection::failure() const { return {std::to_string(mysql_errno(handle_)), mysql_error(handle_)}; }

Result<Reply> MariadbConnection::failed(std::span<const ErrorRow> table, Failure failure, std::string_view sql) {
  if (gone_) return lost();  // cut by sever(), whatever the library makes of it
  const bool is_ours = failure.code.size() == 4 && failure.code.front() == '2';  // the client library's own numbers
  const bool is_commit = table.data() == target_.commit_errors.data();
  auto reply = reply_to_failure(table, std::move(failure), sql, is_ours || is_commit ? Unlisted::kStops : unlisted_);
  if (!reply) {
    if (is_ours) sever();  // who knows what of the answer was read
    return reply;
  }
  // With innodb_rollback_on_timeout the transaction is gone after a timeout of a row lock, but not of a table's.
  if (rollback_on_timeout_ && reply->failure.code == "1205" && reply->fate == Fate::kStatementFailed)
    reply->fate = Fate::kMustRollBack;
  if (reply->fate == Fate::kRolledBack) ended_by_error_ = true;
  if (reply->fate == Fate::kLost) sever();
  return reply;
}

Reply MariadbConnection::lost() {
  Reply reply;
  reply.fate = Fate::kLost;
  reply.failure = {"closed", "the connection is closed"};
  return reply;
}

void MariadbConnection::cancel() {
  // From another thread: nothing of this session's handle may be touched.
  auto other = open_mariadb_session(target_);
  if (!other) return;
  const std::string sql = fmt::format("{} {}", target_.kill_query, session_);
  mysql_real_query(*other, sql.data(), sql.size());
  mysql_close(*other);
}

void MariadbConnection::sever() {
  gone_ = true;
  shutdown(socket_, SHUT_RDWR);
}

}  // namespace isolde::db
