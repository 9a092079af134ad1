#include "db/sqlite/sqlite_connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "db/errors.h"

namespace isolde::db {
namespace {

struct CodeName {
  int code;
  std::string_view name;
};
constexpr CodeName kNames[] = {
    {SQLITE_ERROR, "SQLITE_ERROR"},
    {SQLITE_INTERNAL, "SQLITE_INTERNAL"},
    {SQLITE_NOMEM, "SQLITE_NOMEM"},
    {SQLITE_READONLY, "SQLITE_READONLY"},
    {SQLITE_IOERR, "SQLITE_IOERR"},
    {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
    {SQLITE_FULL, "SQLITE_FULL"},
    {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
    {SQLITE_PROTOCOL, "SQLITE_PROTOCOL"},
    {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
    {SQLITE_TOOBIG, "SQLITE_TOOBIG"},
    {SQLITE_MISMATCH, "SQLITE_MISMATCH"},
    {SQLITE_MISUSE, "SQLITE_MISUSE"},
    {SQLITE_AUTH, "SQLITE_AUTH"},
    {SQLITE_RANGE, "SQLITE_RANGE"},
    {SQLITE_NOTADB, "SQLITE_NOTADB"},
    {SQLITE_BUSY, "SQLITE_BUSY"},
    {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY"},
    {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"},
    {SQLITE_BUSY_TIMEOUT, "SQLITE_BUSY_TIMEOUT"},
    {SQLITE_LOCKED, "SQLITE_LOCKED"},
    {SQLITE_LOCKED_SHAREDCACHE, "SQLITE_LOCKED_SHAREDCACHE"},
    {SQLITE_INTERRUPT, "SQLITE_INTERRUPT"},
    {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
    {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"},
    {SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE"},
    {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"},
    {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"},
    {SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER"},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"},
};

// Whether the transaction is still open is asked of SQLite itself; where it is not, the fate becomes kRolledBack.
constexpr ErrorRow kSqliteErrors[] = {
    {"SQLITE_BUSY*", Fate::kMustRollBack, "another connection holds the lock, or wrote since this one's snapshot"},
    {"SQLITE_LOCKED*", Fate::kMustRollBack, "another connection of the shared cache holds the table's lock"},
    {"SQLITE_INTERRUPT", Fate::kMustRollBack, "cancelled"},
    {"SQLITE_CONSTRAINT*", Fate::kStatementFailed, "a constraint of the table"},
};

std::string name_of(int code) {
  constexpr int kPrimary = 0xff;  // of an extended code
  for (const int wanted : {code, code & kPrimary}) {
    for (const CodeName& row : kNames) {
      if (row.code == wanted) return std::string(row.name);
    }
  }
  return fmt::format("SQLITE_{}", code);
}

class SqliteConnection : public Connection {
 public:
  SqliteConnection(sqlite3* handle, SqliteMode mode, std::atomic<std::int64_t>& commits)
      : handle_(handle), mode_(mode), commits_(commits) {
    sqlite3_commit_hook(handle_, &SqliteConnection::on_commit, this);
  }
  ~SqliteConnection() override { close(); }

  Result<Reply> begin() override {
    auto reply = run(mode_.immediate ? "begin immediate" : "begin deferred");
    open_ = reply && reply->done();
    if (open_) changes_before_ = sqlite3_total_changes(handle_);
    return reply;
  }
  Result<Reply> commit(TxnFacts* facts) override {
    place_ = 0;
    auto reply = run("commit");
    if (!reply || !reply->done()) return reply;
    open_ = false;
    // BEGIN IMMEDIATE makes a writer, and calls the hook, of one that only reads.
    const bool wrote = sqlite3_total_changes(handle_) != changes_before_;
    if (facts != nullptr && wrote && place_ != 0) facts->commit_place = place_;
    return reply;
  }
  Result<Reply> roll_back() override {
    open_ = false;
    if (handle_ != nullptr && sqlite3_get_autocommit(handle_) != 0) return Reply{};  // SQLite did it already
    return run("rollback");
  }

  Result<Reply> execute(std::string_view sql, std::span<const Cell> parameters) override {
    if (is_lost()) return lost();
    auto& statement = prepared_[std::string(sql)];
    if (statement == nullptr) {
      const char* rest = nullptr;
      const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                          &statement, &rest);
      if (code != SQLITE_OK) return failed(code, sql);
      const std::string_view left(rest, static_cast<std::size_t>(sql.data() + sql.size() - rest));
      if (statement == nullptr || left.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
        sqlite3_finalize(std::exchange(statement, nullptr));
        return Error{fmt::format("execute() takes one statement: {}", sql)};
      }
    }
    if (const auto count = static_cast<std::size_t>(sqlite3_bind_parameter_count(statement));
        count != parameters.size())
      return Error{fmt::format("{} parameters were given for {}: {}", parameters.size(), count, sql)};
    for (std::size_t i = 0; i < parameters.size(); ++i) bind(statement, static_cast<int>(i + 1), parameters[i]);
    Reply reply;
    const int code = collect(statement, reply);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (is_lost()) return lost();
    if (code != SQLITE_DONE) return failed(code, sql);
    return reply;
  }

  Result<Reply> run(std::string_view sql) override {
    if (is_lost()) return lost();
    Reply reply;
    const std::string text(sql);
    const char* rest = text.c_str();
    while (*rest != '\0') {
      sqlite3_stmt* statement = nullptr;
      int code = sqlite3_prepare_v2(handle_, rest, -1, &statement, &rest);
      if (code != SQLITE_OK) return failed(code, sql);
      if (statement == nullptr) continue;  // a comment, or nothing but spaces
      reply = Reply{};
      code = collect(statement, reply);
      for (int i = 0; i < sqlite3_column_count(statement); ++i)
        reply.names.emplace_back(sqlite3_column_name(statement, i));
      sqlite3_finalize(statement);
      if (is_lost()) return lost();
      if (code != SQLITE_DONE) return failed(code, sql);
    }
    return reply;
  }

  void report_unlisted_errors() override { unlisted_ = Unlisted::kRollsBack; }
  void cancel() override {
    const std::lock_guard lock(closing_);
    if (handle_ != nullptr) sqlite3_interrupt(handle_);
  }
  std::int64_t session() const override { return 0; }
  // The handle is another thread's: that one sees the flag before and after each request. A commit that is running is
  // carried out, and its answer lost.
  void sever() override { severed_ = true; }

 private:
  static int on_commit(void* self) {
    auto* const connection = static_cast<SqliteConnection*>(self);
    connection->place_ = connection->commits_.fetch_add(1) + 1;
    return 0;  // go on
  }

  static void bind(sqlite3_stmt* statement, int place, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
      sqlite3_bind_int64(statement, place, *integer);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      sqlite3_bind_double(statement, place, *real);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else {
      sqlite3_bind_null(statement, place);
    }
  }

  static Cell cell_of(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_NULL:
        return {};
      case SQLITE_INTEGER:
        return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
      default: {
        const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
        return std::string(bytes == nullptr ? "" : bytes,
                           static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      }
    }
  }

  int collect(sqlite3_stmt* statement, Reply& reply) {
    const int before = sqlite3_total_changes(handle_);
    int code = sqlite3_step(statement);
    const int width = sqlite3_column_count(statement);  // the first step prepares it anew if the table was altered
    reply.width = static_cast<std::size_t>(width);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      for (int i = 0; i < width; ++i) reply.cells.push_back(cell_of(statement, i));
    }
    // The total has rows that foreign keys made it delete, too; the other count stays when a statement changes nothing.
    const bool changed = sqlite3_total_changes(handle_) != before;
    reply.changed = changed ? static_cast<std::uint64_t>(sqlite3_changes(handle_)) : 0;
    return code;
  }

  Result<Reply> failed(int code, std::string_view sql) {
    auto reply = reply_to_failure(kSqliteErrors, {name_of(code), sqlite3_errmsg(handle_)}, sql, unlisted_);
    if (!reply || sqlite3_get_autocommit(handle_) == 0) return reply;
    if (open_ || reply->fate == Fate::kMustRollBack) reply->fate = Fate::kRolledBack;
    open_ = false;
    return reply;
  }

  [[nodiscard]] bool is_lost() {
    if (severed_ && handle_ != nullptr) close();
    return handle_ == nullptr;
  }

  static Reply lost() {
    Reply reply;
    reply.fate = Fate::kLost;
    reply.failure = {"closed", "this end closed the connection"};
    return reply;
  }

  void close() {
    for (auto& [sql, statement] : prepared_) sqlite3_finalize(statement);
    prepared_.clear();
    const std::lock_guard lock(closing_);
    sqlite3_close_v2(handle_);
    handle_ = nullptr;
  }

  sqlite3* handle_;
  SqliteMode mode_;
  Unlisted unlisted_ = Unlisted::kStops;
  std::atomic<std::int64_t>& commits_;
  std::atomic<bool> severed_ = false;
  std::int64_t place_ = 0;  // of the commit that is running; 0: it wrote nothing
  bool open_ = false;       // a transaction that begin() began and SQLite has not ended
  int changes_before_ = 0;  // rows changed by this connection before it
  std::mutex closing_;      // cancel() may come while this end closes the connection
  std::unordered_map<std::string, sqlite3_stmt*> prepared_;
};

// What a connection may be asked for once it is set up: everything in its own file, nothing beyond it. A statement that
// came in a file would otherwise open and write other files (ATTACH, VACUUM INTO, which attaches its target) or run
// code (load_extension).
int stays_in_its_file(void* /*context*/, int action, const char* first, const char* second, const char* /*database*/,
                      const char* /*trigger*/) {
  static constexpr std::string_view kPragmas[] = {"busy_timeout",
                                                  "case_sensitive_like",
                                                  "data_version",
                                                  "defer_foreign_keys",
                                                  "foreign_key_list",
                                                  "foreign_keys",
                                                  "index_info",
                                                  "index_list",
                                                  "index_xinfo",
                                                  "query_only",
                                                  "read_uncommitted",
                                                  "recursive_triggers",
                                                  "reverse_unordered_selects",
                                                  "synchronous",
                                                  "table_info",
                                                  "table_xinfo"};
  const std::string_view name = action == SQLITE_FUNCTION ? (second == nullptr ? "" : second)
                                : first == nullptr        ? ""
                                                          : first;
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_CREATE_VTABLE:
      return SQLITE_DENY;
    case SQLITE_FUNCTION:
      return name == "load_extension" || name == "fts3_tokenizer" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return second == nullptr || std::find(std::begin(kPragmas), std::end(kPragmas), name) != std::end(kPragmas)
                 ? SQLITE_OK
                 : SQLITE_DENY;
    default:
      return SQLITE_OK;
  }
}

}  // namespace

Result<std::unique_ptr<Connection>> connect_sqlite(const std::string& file, SqliteMode mode,
                                                   std::atomic<std::int64_t>& commits) {
  sqlite3* handle = nullptr;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  flags |= mode.shared_cache ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE;
  if (const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr); code != SQLITE_OK) {
    const std::string text = handle == nullptr ? "out of memory" : sqlite3_errmsg(handle);
    sqlite3_close_v2(handle);
    return Error{fmt::format("cannot open the SQLite file {}: {}", file, text)};
  }
  sqlite3_extended_result_codes(handle, 1);
  auto connection = std::make_unique<SqliteConnection>(handle, mode, commits);
  // Changing the journal mode takes a lock; another connection may be doing the same.
  sqlite3_busy_timeout(handle, 10'000);
  const std::string_view journal = mode.wal ? "wal" : "delete";
  auto reply = connection->run(fmt::format("pragma journal_mode = {}", journal));
  // While another connection has it open in the other mode, SQLite leaves it there, and says so as if that were fine.
  if (reply && reply->done() && (reply->rows() != 1 || reply->at(0, 0) != Cell(std::string(journal))))
    return Error{fmt::format("the journal of {} cannot be changed to \"{}\": it is open elsewhere", file, journal)};
  if (reply && reply->done())
    reply = connection->run(mode.wal ? "pragma synchronous = normal" : "pragma synchronous = off");
  if (reply && reply->done() && mode.shared_cache) reply = connection->run("pragma read_uncommitted = 1");
  if (!reply) return std::move(reply).error();
  if (!reply->done()) return Error{fmt::format("cannot set up {}: {}", file, reply->failure.text)};
  sqlite3_busy_timeout(handle, mode.timeout_ms);
  sqlite3_set_authorizer(handle, stays_in_its_file, nullptr);
  return std::unique_ptr<Connection>(std::move(connection));
}

std::string sqlite_version() { return sqlite3_libversion(); }

}  // namespace isolde::db
