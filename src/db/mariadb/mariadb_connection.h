// db/mariadb/mariadb_connection.h: one session with a server that speaks MySQL's wire protocol.
//
// In, out: execute() prepares (binary protocol) and keeps the statement; everything else goes as text.
// Always:  after an error that rolled the transaction back, the session is in autocommit: begin() therefore sends a
//          ROLLBACK with the next START TRANSACTION, in the same round trip, which also covers an error that left it
//          open after all (START TRANSACTION alone would commit it). `changed` counts the rows that were matched, as
//          other databases do (CLIENT_FOUND_ROWS); an upsert that changed a row counts it twice. A COMMIT whose outcome
//          is not known costs the connection: what is left of it must not be used. sever() is safe from any thread.
// Cost:    no round trip but the statement's own, and one to prepare it.
#pragma once

#include <mysql.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "db/connection.h"
#include "db/errors.h"
#include "db/mariadb/mariadb_rows.h"
#include "db/url.h"

namespace isolde::db {

struct MariadbTarget {
  std::string host, user, password, database;
  std::uint16_t port = 0;
  std::vector<std::string> setup;  // statements sent once, in this order
  std::span<const ErrorRow> errors, commit_errors;
  std::string kill_query = "kill query";
};

// Where the URL leads, without anything that depends on the kind of server.
[[nodiscard]] MariadbTarget mariadb_target(const Url& url, std::uint16_t default_port);

class MariadbConnection : public Connection {
 public:
  // `handle` is connected and becomes this object's.
  MariadbConnection(MYSQL* handle, const MariadbTarget& target);
  ~MariadbConnection() override;

  Result<Reply> begin() override;
  Result<Reply> execute(std::string_view sql, std::span<const Cell> parameters) override;
  Result<Reply> run(std::string_view sql) override;
  Result<Reply> commit(TxnFacts* facts) override;
  Result<Reply> roll_back() override;
  std::vector<Result<Reply>> run_all(std::span<const Request> requests, OnFailure on_failure) override;
  void report_unlisted_errors() override { unlisted_ = Unlisted::kRollsBack; }
  void cancel() override;
  std::int64_t session() const override { return session_; }
  void sever() override;

  // Sends the target's statements and asks the server what the driver has to know of it.
  [[nodiscard]] Result<void> set_up();

 protected:
  // START TRANSACTION, after a ROLLBACK where the last transaction ended by an error, and `then` if it is not empty, in
  // one round trip. The rows are those of `then`.
  [[nodiscard]] Result<Reply> begin_and(std::string_view then);
  // Sends COMMIT, and `then` in the same round trip if it is not empty. kDone: it is committed; the rows are those of
  // `then`, or none if that failed. Whatever becomes of `then`, it never changes what became of the commit.
  [[nodiscard]] Result<Reply> commit_and(std::string_view then);

  std::int64_t session_;

 private:
  [[nodiscard]] Result<Reply> failed(std::span<const ErrorRow> table, Failure failure, std::string_view sql);
  // The answers of a text request until the last; the rows of the last are kept, and those before it put into
  // `earlier`. False: the handle has the error.
  [[nodiscard]] bool read_answers(Reply& reply, std::vector<Reply>* earlier = nullptr);
  // Several statements in one text, until one fails.
  void run_together(std::span<const Request> requests, std::vector<Result<Reply>>& answers);
  [[nodiscard]] Failure failure() const;
  [[nodiscard]] static Reply lost();
  // By the server's answer to the last request.
  [[nodiscard]] std::string tracked_variable(std::string_view name) const;

  MYSQL* handle_;
  MariadbTarget target_;
  std::atomic<bool> gone_ = false;
  // Of our own: the library may close its one, and the number be given to another connection, while sever() runs.
  int socket_;
  Unlisted unlisted_ = Unlisted::kStops;  // of statements; whether a commit was carried out must be known
  bool rollback_on_timeout_ = false;
  bool ended_by_error_ = false;  // of the last transaction: whether the server rolled it back by itself
  std::unordered_map<std::string, std::unique_ptr<MariadbStatement>> prepared_;
};

// A handle for MariadbConnection. The error says what to do about it.
[[nodiscard]] Result<MYSQL*> open_mariadb_session(const MariadbTarget& target);

}  // namespace isolde::db
