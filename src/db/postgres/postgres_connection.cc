#include "db/postgres/postgres_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <unordered_map>

#include "base/text.h"
#include "db/postgres/cells.h"
#include "db/postgres/placeholders.h"

namespace isolde::db {
namespace {

struct CloseConnection {
  void operator()(PGconn* c) const { PQfinish(c); }
};
struct FreeResult {
  void operator()(PGresult* r) const { PQclear(r); }
};
struct FreeCancel {
  void operator()(PGcancel* c) const { PQfreeCancel(c); }
};
using ConnectionHandle = std::unique_ptr<PGconn, CloseConnection>;
using ResultHandle = std::unique_ptr<PGresult, FreeResult>;
using CancelHandle = std::unique_ptr<PGcancel, FreeCancel>;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

struct Prepared {
  std::string name;
  std::size_t parameters = 0;
};

constexpr const char* kFactsName = "isolde_facts";
constexpr const char* kCommitName = "isolde_commit";

std::string_view message_of(const char* text) { return text == nullptr ? "" : trimmed(text); }

bool is_failure(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY;
}

Failure failure_of(const PGresult* result) {
  const char* const code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return {code == nullptr ? "" : code, std::string(message_of(text == nullptr ? PQresultErrorMessage(result) : text))};
}

Reply reply_of(const PGresult* result) {
  Reply reply;
  const int rows = PQntuples(result);
  const int width = PQnfields(result);
  reply.width = static_cast<std::size_t>(width);
  reply.cells.reserve(static_cast<std::size_t>(rows) * reply.width);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < width; ++column) {
      if (PQgetisnull(result, row, column) != 0) {
        reply.cells.emplace_back();
        continue;
      }
      reply.cells.push_back(
          postgres_cell(PQftype(result, column),
                        {PQgetvalue(result, row, column), static_cast<std::size_t>(PQgetlength(result, row, column))}));
    }
  }
  auto* const tagged = const_cast<PGresult*>(result);  // libpq takes it without const and only reads
  if (const std::string_view tag = PQcmdStatus(tagged); !tag.starts_with("SELECT")) {
    const std::string_view count = PQcmdTuples(tagged);
    std::from_chars(count.data(), count.data() + count.size(), reply.changed);
  }
  return reply;
}

class PostgresConnection : public Connection {
 public:
  PostgresConnection(ConnectionHandle handle, std::string begin, std::span<const ErrorRow> errors,
                     FactsQuestion question)
      : handle_(std::move(handle)),
        cancel_(PQgetCancel(handle_.get())),
        socket_(fcntl(PQsocket(handle_.get()), F_DUPFD_CLOEXEC, 0)),
        begin_(std::move(begin)),
        errors_(errors),
        question_(std::move(question)) {
    // What is no answer is not ours to print.
    PQsetNoticeReceiver(handle_.get(), &PostgresConnection::on_notice, this);
  }

  ~PostgresConnection() override {
    handle_.reset();
    close(socket_);
  }

  Result<Reply> begin() override {
    if (is_lost()) return lost({});
    // BEGIN in an open transaction is only warned of, and the transaction would keep its old level.
    if (PQtransactionStatus(handle_.get()) != PQTRANS_IDLE)
      return Error{"begin() was called while a transaction is open: this is a bug in Isolde, not in the database"};
    return answer(PQsendQuery(handle_.get(), begin_.c_str()), begin_);
  }

  Result<Reply> execute(std::string_view sql, std::span<const Cell> parameters) override {
    if (is_lost()) return lost({});
    if (auto reply = prepare(sql); !reply || !reply->done()) return reply;
    const auto at = prepared_.find(sql);
    if (parameters.size() != at->second.parameters) {
      return Error{
          fmt::format("{} parameters were given, {} are expected: {}", parameters.size(), at->second.parameters, sql)};
    }
    if (auto fault = bind(parameters); !fault) return std::move(fault).error();
    return answer(PQsendQueryPrepared(handle_.get(), at->second.name.c_str(), static_cast<int>(parameters.size()),
                                      values_.data(), nullptr, nullptr, 0),
                  sql);
  }

  Result<Reply> run(std::string_view sql) override {
    if (is_lost()) return lost({});
    return with_names(collect(PQsendQuery(handle_.get(), std::string(sql).c_str())), sql);
  }

  // In one round trip; with kGoOn a Sync follows each request, so that a failure ends no more than its own.
  std::vector<Result<Reply>> run_all(std::span<const Request> requests, OnFailure on_failure) override {
    if (requests.size() < 2 || is_lost() || !goes_together(requests)) return Connection::run_all(requests, on_failure);
    PGconn* const c = handle_.get();
    std::vector<std::string> fresh(requests.size());  // the names of what is prepared on the way
    bool sent = PQenterPipelineMode(c) != 0;
    for (std::size_t i = 0; i < requests.size() && sent; ++i) {
      sent = send_one(requests[i], fresh[i]);
      if (sent && (on_failure == OnFailure::kGoOn || i + 1 == requests.size())) sent = PQpipelineSync(c) != 0;
    }
    std::vector<Result<Reply>> answers;
    if (!sent) {
      answers.push_back(lost({}));
      severed_ = true;  // half of it may be under way
      return answers;
    }
    std::vector<ResultHandle> results(requests.size());
    for (std::size_t i = 0; i < requests.size() && !is_lost(); ++i) {
      results[i] = read_one(requests[i], fresh[i]);
      if (!is_lost() && (on_failure == OnFailure::kGoOn || i + 1 == requests.size())) read_sync();
    }
    if (!is_lost() && PQexitPipelineMode(c) == 0) severed_ = true;  // an answer that was not expected
    // Only now can it be asked what became of the transaction. Where each has one of its own, it is the same for all.
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (results[i] != nullptr && PQresultStatus(results[i].get()) == PGRES_PIPELINE_ABORTED) break;
      answers.push_back(with_names(results[i], requests[i].sql));
      if (stops_after(answers.back(), on_failure)) break;
    }
    return answers;
  }

  Result<Reply> commit(TxnFacts* facts) override {
    if (is_lost()) return lost({});
    const PGTransactionStatusType state = PQtransactionStatus(handle_.get());
    if (state == PQTRANS_IDLE)
      return Error{"commit() was called without an open transaction: this is a bug in Isolde, not in the database"};
    if (facts == nullptr || state == PQTRANS_INERROR || question_.sql.empty())
      return committed(collect(PQsendQuery(handle_.get(), "COMMIT")));
    return commit_with_facts(*facts);
  }

  Result<Reply> roll_back() override {
    if (is_lost()) return lost({});
    if (PQtransactionStatus(handle_.get()) == PQTRANS_IDLE) return Reply{};  // the server did it already
    return answer(PQsendQuery(handle_.get(), "ROLLBACK"), "ROLLBACK");
  }

  void report_unlisted_errors() override { unlisted_ = Unlisted::kRollsBack; }
  void cancel() override {
    char words[256];
    if (cancel_ != nullptr) (void)PQcancel(cancel_.get(), words, sizeof words);  // it may have ended: nothing to do
  }
  std::int64_t session() const override { return PQbackendPID(handle_.get()); }
  bool says_it_waits() const override { return waits_; }
  void sever() override {
    severed_ = true;
    // The server reads an end of file, and no Terminate message: PQfinish() can send nothing any more.
    shutdown(socket_, SHUT_RDWR);
  }

 private:
  // ProcSleep() says so when it looked for a deadlock, and again when the lock is there.
  static void on_notice(void* self, const PGresult* notice) {
    const char* const function = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
    const char* const text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    if (function == nullptr || text == nullptr || std::string_view(function) != "ProcSleep") return;
    static_cast<PostgresConnection*>(self)->waits_ =
        std::string_view(text).find("still waiting") != std::string_view::npos;
  }

  [[nodiscard]] bool is_lost() const { return severed_ || PQstatus(handle_.get()) == CONNECTION_BAD; }

  [[nodiscard]] Reply lost(Failure failure) const {
    Reply reply;
    reply.fate = Fate::kLost;
    reply.failure = std::move(failure);
    if (reply.failure.code.empty()) reply.failure.code = "connection";
    if (reply.failure.text.empty())
      reply.failure.text = severed_ ? "this end closed the connection" : message_of(PQerrorMessage(handle_.get()));
    return reply;
  }

  // Everything that the server says to one request: the first failure, or else the last result.
  ResultHandle collect(int sent) {
    ResultHandle kept;
    if (sent == 0) return kept;
    while (PGresult* const next = PQgetResult(handle_.get())) {
      ResultHandle result(next);
      end_copy(PQresultStatus(next));
      if (kept == nullptr || !is_failure(kept.get())) kept = std::move(result);
      if (PQstatus(handle_.get()) == CONNECTION_BAD) break;
    }
    waits_ = false;
    return kept;
  }

  // COPY is not for this interface; but libpq would never come to the end of one.
  void end_copy(ExecStatusType status) {
    if (status == PGRES_COPY_IN) PQputCopyEnd(handle_.get(), "COPY is not supported here");
    if (status != PGRES_COPY_OUT) return;
    char* data = nullptr;
    while (PQgetCopyData(handle_.get(), &data, 0) > 0) PQfreemem(data);
  }

  Result<Reply> answer(int sent, std::string_view sql) { return settle(collect(sent).get(), sql); }

  Result<Reply> with_names(const ResultHandle& result, std::string_view sql) {
    auto reply = settle(result.get(), sql);
    if (reply && reply->done()) {
      for (int i = 0; i < PQnfields(result.get()); ++i) reply->names.emplace_back(PQfname(result.get(), i));
    }
    return reply;
  }

  [[nodiscard]] bool goes_together(std::span<const Request> requests) const {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const RequestKind kind = requests[i].kind;
      const bool begins = kind == RequestKind::kBegin && i == 0 && PQtransactionStatus(handle_.get()) == PQTRANS_IDLE;
      if (!begins && kind != RequestKind::kStatement && kind != RequestKind::kPrepared) return false;
    }
    return true;
  }

  // Into the pipeline. `fresh`: under which name it is prepared with the same request; empty: it is no such statement,
  // or it was prepared before.
  [[nodiscard]] bool send_one(const Request& request, std::string& fresh) {
    PGconn* const c = handle_.get();
    if (request.kind != RequestKind::kPrepared) {
      const std::string& sql = request.kind == RequestKind::kBegin ? begin_ : request.sql;
      return PQsendQueryParams(c, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0) != 0;
    }
    const auto at = prepared_.find(request.sql);
    if (at == prepared_.end()) {
      fresh = next_name();
      if (PQsendPrepare(c, fresh.c_str(), request.sql.c_str(), 0, nullptr) == 0) return false;
    }
    const std::string& name = at == prepared_.end() ? fresh : at->second.name;
    return PQsendQueryPrepared(c, name.c_str(), 0, nullptr, nullptr, nullptr, 0) != 0;
  }

  ResultHandle read_one(const Request& request, const std::string& fresh) {
    if (fresh.empty()) return collect(1);
    ResultHandle prepared = collect(1);
    const bool failed = prepared == nullptr || is_failure(prepared.get());
    if (!failed) prepared_.emplace(request.sql, Prepared{fresh, 0});
    if (is_lost()) return nullptr;
    ResultHandle own = collect(1);
    return failed ? std::move(prepared) : std::move(own);
  }

  void read_sync() {
    const ResultHandle sync(PQgetResult(handle_.get()));
    // Else they are the server's last words, after the answers.
    if (sync == nullptr || PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) severed_ = true;
  }

  [[nodiscard]] std::string next_name() { return fmt::format("isolde_{}", names_++); }

  Result<Reply> prepare(std::string_view sql) {
    if (prepared_.find(sql) != prepared_.end()) return Reply{};
    NumberedSql numbered = number_placeholders(sql);
    Prepared statement = {next_name(), numbered.parameters};
    auto reply = answer(PQsendPrepare(handle_.get(), statement.name.c_str(), numbered.sql.c_str(), 0, nullptr), sql);
    if (reply && reply->done()) prepared_.emplace(std::string(sql), std::move(statement));
    return reply;
  }

  Result<Reply> settle(const PGresult* result, std::string_view sql) {
    if (result == nullptr || is_lost()) return lost(result == nullptr ? Failure{} : failure_of(result));
    if (!is_failure(result)) return reply_of(result);
    Failure failure = failure_of(result);
    if (failure.code.empty()) return Error{fmt::format("the answer had neither rows nor an error: {}", sql)};
    auto reply = reply_to_failure(errors_, std::move(failure), sql, unlisted_);
    if (reply && reply->fate == Fate::kLost) severed_ = true;  // the server may have kept it open, but nobody knows how
    if (!reply || reply->fate == Fate::kLost) return reply;
    switch (PQtransactionStatus(handle_.get())) {
      case PQTRANS_INERROR:
        reply->fate = Fate::kMustRollBack;
        break;
      case PQTRANS_IDLE:
        reply->fate = Fate::kRolledBack;
        break;
      case PQTRANS_INTRANS:
        reply->fate = Fate::kStatementFailed;
        break;
      default:
        reply->fate = Fate::kLost;
    }
    return reply;
  }

  // The answer to COMMIT. An error is a rollback; so is the command tag ROLLBACK, with which a failed transaction ends.
  Result<Reply> committed(const ResultHandle& result) {
    if (result != nullptr && PQresultStatus(result.get()) == PGRES_COMMAND_OK) {
      const std::string_view tag = PQcmdStatus(result.get());
      // Said is said, even if the connection broke right after it.
      if (tag == "COMMIT") return Reply{};
      if (tag == "ROLLBACK" && !is_lost()) {
        Reply reply;
        reply.fate = Fate::kRolledBack;
        reply.failure = {"25P02", "the transaction had failed: COMMIT was answered with ROLLBACK"};
        return reply;
      }
      if (!is_lost()) return Error{fmt::format("the database answered COMMIT with {}", tag)};
    }
    return settle(result.get(), "COMMIT");
  }

  // The question and COMMIT go out together. If the question fails, the server skips COMMIT, which is then sent by
  // itself, to a transaction that has failed.
  Result<Reply> commit_with_facts(TxnFacts& facts) {
    PGconn* const c = handle_.get();
    for (auto& [name, sql, prepared] : parts_) {
      if (prepared) continue;
      auto reply = answer(PQsendPrepare(c, name, sql.c_str(), 0, nullptr), sql);
      if (!reply || reply->fate == Fate::kLost) return reply;
      if (!reply->done()) return committed(collect(PQsendQuery(c, "COMMIT")));
      prepared = true;
    }
    if (PQenterPipelineMode(c) == 0 || PQsendQueryPrepared(c, kFactsName, 0, nullptr, nullptr, nullptr, 0) == 0 ||
        PQsendQueryPrepared(c, kCommitName, 0, nullptr, nullptr, nullptr, 0) == 0 || PQpipelineSync(c) == 0) {
      if (is_lost()) return lost({});
      return Error{fmt::format("cannot send a commit: {}", message_of(PQerrorMessage(c)))};
    }
    const ResultHandle asked = collect(1);
    const ResultHandle done = is_lost() ? nullptr : collect(1);
    if (!is_lost()) {
      const ResultHandle sync(PQgetResult(c));
      if (sync != nullptr && is_failure(sync.get()) && PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) {
        // The server's last words, after the answers: what was answered stands, and the session is over.
        auto why = settle(sync.get(), "COMMIT");
        if (!why) return why;
        severed_ = true;
      }
      if (!is_lost() && PQexitPipelineMode(c) == 0)
        return Error{fmt::format("the answers to a commit are not those expected: {}", message_of(PQerrorMessage(c)))};
    }
    if (done != nullptr && PQresultStatus(done.get()) == PGRES_PIPELINE_ABORTED && !is_lost()) {
      // A failure that no table knows stops the run; what it was is lost in the rollback.
      auto why = settle(asked.get(), question_.sql);
      if (!why) return why;
      auto reply = committed(collect(PQsendQuery(c, "COMMIT")));
      if (reply && reply->fate == Fate::kRolledBack) reply->failure = std::move(why->failure);
      return reply;
    }
    if (done == nullptr && is_lost()) return lost(asked == nullptr ? Failure{} : failure_of(asked.get()));
    auto reply = committed(done);
    if (!reply || !reply->done() || asked == nullptr || PQntuples(asked.get()) != 1) return reply;
    if (auto read = question_.read(reply_of(asked.get()).cells, facts); !read) return std::move(read).error();
    return reply;
  }

  // Texts of the parameters, for libpq; null is NULL. The types are left to the server.
  Result<void> bind(std::span<const Cell> parameters) {
    texts_.clear();
    texts_.resize(parameters.size());
    values_.clear();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Cell& cell = parameters[i];
      if (const auto* text = std::get_if<std::string>(&cell)) {
        if (text->find('\0') != std::string::npos) return Error{"PostgreSQL's text cannot hold a zero byte"};
        values_.push_back(text->c_str());
        continue;
      }
      if (std::holds_alternative<std::monostate>(cell)) {
        values_.push_back(nullptr);
        continue;
      }
      const auto* integer = std::get_if<std::int64_t>(&cell);
      texts_[i] = integer != nullptr ? fmt::format_int(*integer).str() : fmt::format("{}", std::get<double>(cell));
      values_.push_back(texts_[i].c_str());
    }
    return {};
  }

  ConnectionHandle handle_;
  CancelHandle cancel_;
  int socket_;  // of our own: libpq may close its one, and the number be given to another connection, while sever()
                // runs
  std::string begin_;
  std::span<const ErrorRow> errors_;
  Unlisted unlisted_ = Unlisted::kStops;
  FactsQuestion question_;
  struct Part {
    const char* name;
    std::string sql;
    bool prepared = false;
  };
  Part parts_[2] = {{kFactsName, std::string(question_.sql)}, {kCommitName, "COMMIT"}};  // of a commit with a question
  std::atomic<bool> severed_ = false;
  std::atomic<bool> waits_ = false;  // by the server's notices
  std::unordered_map<std::string, Prepared, TextHash, std::equal_to<>> prepared_;
  std::size_t names_ = 0;  // given to prepared statements so far
  std::vector<std::string> texts_;
  std::vector<const char*> values_;
};

}  // namespace

Result<std::unique_ptr<Connection>> connect_postgres(const PostgresTarget& target, const ServerLevel& level,
                                                     std::span<const ErrorRow> errors, FactsQuestion question) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : target.parameters) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  ConnectionHandle handle(PQconnectdbParams(names.data(), values.data(), 0));
  if (handle == nullptr) return Error{"out of memory"};
  if (PQstatus(handle.get()) != CONNECTION_OK)
    return Error{fmt::format("cannot connect to {}: {}", target.shown, message_of(PQerrorMessage(handle.get())))};
  return std::unique_ptr<Connection>(std::make_unique<PostgresConnection>(
      std::move(handle), fmt::format("BEGIN ISOLATION LEVEL {}", level.setting), errors, std::move(question)));
}

}  // namespace isolde::db
