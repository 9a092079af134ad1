// db/connection.h: one session with a database: begin, execute with parameters, commit, roll back, cancel.
//
// In, out: SQL text and cells -> Reply, which says what became of the transaction; an Error is a fault that no table
//          knows: it stops the run and is named, never counted as the database's.
// Always:  one thread uses a connection at a time; only cancel() and sever() may come from another.
//          Every request is sent once: nothing is retried in here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace isolde::db {

// A parameter, or a column of a row. Booleans are 0 and 1; what is neither number nor NULL is text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
// Empty if it is no text.
[[nodiscard]] inline std::string text_in(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}

// What became of the transaction that a request belongs to.
enum class Fate : std::uint8_t {
  kDone,             // the request was carried out
  kStatementFailed,  // it did nothing; its transaction is open and could go on (MariaDB: duplicate key)
  kMustRollBack,     // its transaction is open but can only be rolled back (PostgreSQL after any error, SQLITE_BUSY)
  kRolledBack,       // the database rolled the whole transaction back (40001 at commit, MariaDB 1213 and 1020)
  kLost,             // the connection is gone: a commit that was sent is unknown, anything else will not be committed
};

struct Failure {
  std::string
      code;  // SQLSTATE, MariaDB's error number, SQLite's extended name: "40001", "1213", "SQLITE_BUSY_SNAPSHOT"
  std::string text;  // the server's words
};

struct Reply {
  Fate fate = Fate::kDone;
  Failure failure;                 // empty if kDone
  std::uint64_t changed = 0;       // rows inserted, updated or deleted
  std::size_t width = 0;           // columns of a row
  std::vector<Cell> cells;         // row after row
  std::vector<std::string> names;  // of the columns; filled by run() only

  [[nodiscard]] bool done() const { return fate == Fate::kDone; }
  [[nodiscard]] std::size_t rows() const { return width == 0 ? 0 : cells.size() / width; }
  [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const { return cells[row * width + column]; }
};

// What the database says in passing of a transaction that it commits, in the same round trip as the commit.
struct TxnFacts {
  struct Seen {  // PostgreSQL's pg_current_snapshot()
    std::int64_t xmin = 0, xmax = 0;
    std::vector<std::int64_t> active;
  };
  std::optional<std::int64_t> xid;  // none: it wrote nothing
  std::optional<Seen> snapshot;     // only where one snapshot served the whole transaction
  std::optional<std::int64_t> start_ts, commit_ts;
  // TiDB's pessimistic transactions: what its last locking read or write read at, if that is later than start_ts. Plain
  // reads are at start_ts all the same.
  std::optional<std::int64_t> for_update_ts;
  std::optional<std::int64_t> commit_place;  // its place in the order of the commits of all that wrote
};

// One of several requests that are sent together.
enum class RequestKind : std::uint8_t {
  kBegin,
  kStatement,  // as by run()
  kPrepared,   // as by execute(), without parameters
  kCommit,
  kRollBack,
};
struct Request {
  RequestKind kind = RequestKind::kStatement;
  std::string sql;  // kStatement, kPrepared: one statement
};
enum class OnFailure : std::uint8_t { kStop, kGoOn };

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // Starts a transaction at the level that the connection was made for.
  [[nodiscard]] virtual Result<Reply> begin() = 0;
  // `sql` is one statement; each `?` outside of quotes is a parameter. It is prepared when it first comes by, and kept.
  [[nodiscard]] virtual Result<Reply> execute(std::string_view sql, std::span<const Cell> parameters) = 0;
  // Any SQL without parameters, not prepared: schema, settings, a script's step. Fills Reply::names.
  [[nodiscard]] virtual Result<Reply> run(std::string_view sql) = 0;
  // `facts`: what to fill in; null: nothing is asked. kDone means that it is committed and nothing else does.
  [[nodiscard]] virtual Result<Reply> commit(TxnFacts* facts = nullptr) = 0;
  [[nodiscard]] virtual Result<Reply> roll_back() = 0;
  // One right after the other, as if each were sent by itself, in as few round trips as the driver knows how. The
  // answers are to those that were sent: all, except those after a kLost and, with kStop, those after the first that
  // was not carried out.
  [[nodiscard]] virtual std::vector<Result<Reply>> run_all(std::span<const Request> requests, OnFailure on_failure);
  // From now on a statement's error that no table lists is a Reply whose transaction must be rolled back, not an Error:
  // for those who judge errors themselves.
  virtual void report_unlisted_errors() {}
  // From any thread: makes the request that is running, if one is, fail soon.
  virtual void cancel() = 0;
  // What the server calls this session (PostgreSQL's pid, MariaDB's thread id); 0 where there is no server.
  [[nodiscard]] virtual std::int64_t session() const = 0;
  // From any thread: the server said by itself that the running request waits for a lock, and that it looked for a
  // deadlock and found none. Never true where servers do not say so (PostgreSQL does with log_lock_waits and
  // client_min_messages = log).
  [[nodiscard]] virtual bool says_it_waits() const { return false; }
  // From any thread: cuts the connection at this end without a word to the server, as a crashed client would. Every
  // later request is kLost, and so is the one that is running, unless its answer is there already.
  virtual void sever() = 0;
};

// Whether run_all() sends nothing after this answer.
[[nodiscard]] bool stops_after(const Result<Reply>& answer, OnFailure on_failure);

}  // namespace isolde::db
