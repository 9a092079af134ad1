#include "db/duckdb/duckdb_connection.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "db/duckdb/duckdb.h"

namespace isolde::db {
namespace {

// duckdb_error_type, in its order.
constexpr std::string_view kDuckdbErrorNames[] = {"INVALID",
                                                  "OUT_OF_RANGE",
                                                  "CONVERSION",
                                                  "UNKNOWN_TYPE",
                                                  "DECIMAL",
                                                  "MISMATCH_TYPE",
                                                  "DIVIDE_BY_ZERO",
                                                  "OBJECT_SIZE",
                                                  "INVALID_TYPE",
                                                  "SERIALIZATION",
                                                  "TRANSACTION",
                                                  "NOT_IMPLEMENTED",
                                                  "EXPRESSION",
                                                  "CATALOG",
                                                  "PARSER",
                                                  "PLANNER",
                                                  "SCHEDULER",
                                                  "EXECUTOR",
                                                  "CONSTRAINT",
                                                  "INDEX",
                                                  "STAT",
                                                  "CONNECTION",
                                                  "SYNTAX",
                                                  "SETTINGS",
                                                  "BINDER",
                                                  "NETWORK",
                                                  "OPTIMIZER",
                                                  "NULL_POINTER",
                                                  "IO",
                                                  "INTERRUPT",
                                                  "FATAL",
                                                  "INTERNAL",
                                                  "INVALID_INPUT",
                                                  "OUT_OF_MEMORY",
                                                  "PERMISSION",
                                                  "PARAMETER_NOT_RESOLVED",
                                                  "PARAMETER_NOT_ALLOWED",
                                                  "DEPENDENCY",
                                                  "HTTP",
                                                  "MISSING_EXTENSION",
                                                  "AUTOLOAD",
                                                  "SEQUENCE",
                                                  "INVALID_CONFIGURATION"};

// DuckDB ends no transaction by itself before its COMMIT; after most errors it takes nothing but ROLLBACK.
constexpr ErrorRow kDuckdbErrors[] = {
    {"DUCKDB_ERROR_TRANSACTION", Fate::kMustRollBack, "another transaction has changed the row since the snapshot"},
    {"DUCKDB_ERROR_CONSTRAINT", Fate::kMustRollBack, "a constraint of the table"},
    {"DUCKDB_ERROR_INTERRUPT", Fate::kMustRollBack, "cancelled"},
};
constexpr ErrorRow kDuckdbCommitErrors[] = {
    {"DUCKDB_ERROR_TRANSACTION", Fate::kRolledBack, "a key that another transaction has committed meanwhile"},
    {"DUCKDB_ERROR_CONSTRAINT", Fate::kRolledBack, "the same"},
    {"DUCKDB_ERROR_INTERRUPT", Fate::kRolledBack, "cancelled"},
};

std::string error_code_name(int type) {
  const auto place = static_cast<std::size_t>(type);
  return type >= 0 && place < std::size(kDuckdbErrorNames) ? fmt::format("DUCKDB_ERROR_{}", kDuckdbErrorNames[place])
                                                           : fmt::format("DUCKDB_ERROR_{}", type);
}

// The type of an error that came without one: "Binder Error: …".
std::string error_code_in(std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(" Error:"));
  std::string name;
  for (const char c : kind) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == ' ' ? '_' : c;
  if (name == "TRANSACTIONCONTEXT") name = "TRANSACTION";
  return kind.size() == text.size() ? "DUCKDB_ERROR_INVALID" : "DUCKDB_ERROR_" + name;
}

class DuckdbConnection : public Connection {
 public:
  DuckdbConnection(std::shared_ptr<DuckdbFile> file, DuckdbHandle handle)
      : file_(std::move(file)), api_(file_->api), handle_(handle) {}
  ~DuckdbConnection() override { close(); }

  Result<Reply> begin() override {
    aborted_ = false;
    return run("begin transaction");
  }
  Result<Reply> commit(TxnFacts* /*facts*/) override {
    if (aborted_ && !is_lost()) return ended_by_error();
    committing_ = true;
    auto reply = run("commit");
    committing_ = false;
    return reply;
  }
  Result<Reply> roll_back() override {
    if (is_lost()) return lost();
    aborted_ = false;
    if (DuckdbResult result{}; api_.query(handle_, "rollback", &result) != 0) {
      // A COMMIT that failed has ended the transaction already.
      const std::string text = api_.result_error(&result);
      const int type = api_.result_error_type(&result);
      api_.destroy_result(&result);
      if (text.find("no transaction is active") == std::string::npos) return failed(type, text, "rollback");
    } else {
      api_.destroy_result(&result);
    }
    return Reply{};
  }

  Result<Reply> execute(std::string_view sql, std::span<const Cell> parameters) override {
    if (is_lost()) return lost();
    DuckdbHandle& statement = prepared_[std::string(sql)];
    if (statement == nullptr && api_.prepare(handle_, std::string(sql).c_str(), &statement) != 0) {
      const char* const words = api_.prepare_error(statement);
      const std::string text = words == nullptr ? "" : words;
      api_.destroy_prepare(&statement);
      prepared_.erase(std::string(sql));
      return failed_with(error_code_in(text), text, sql);
    }
    if (const std::uint64_t count = api_.nparams(statement); count != parameters.size())
      return Error{fmt::format("{} parameters were given for {}: {}", parameters.size(), count, sql)};
    for (std::size_t i = 0; i < parameters.size(); ++i) bind(statement, i + 1, parameters[i]);
    DuckdbResult result{};
    const int code = api_.execute_prepared(statement, &result);
    return taken(code, result, sql, false);
  }

  Result<Reply> run(std::string_view sql) override {
    if (is_lost()) return lost();
    DuckdbResult result{};
    const int code = api_.query(handle_, std::string(sql).c_str(), &result);
    return taken(code, result, sql, true);
  }

  void report_unlisted_errors() override { unlisted_ = Unlisted::kRollsBack; }
  void cancel() override {
    const std::lock_guard lock(closing_);
    if (handle_ != nullptr) api_.interrupt(handle_);
  }
  std::int64_t session() const override { return 0; }
  // The handle is another thread's: that one sees the flag before and after each request. A commit that is running is
  // carried out, and its answer lost.
  void sever() override { severed_ = true; }

 private:
  void bind(DuckdbHandle statement, std::uint64_t place, const Cell& cell) const {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
      api_.bind_int64(statement, place, *integer);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      api_.bind_double(statement, place, *real);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      api_.bind_varchar_length(statement, place, text->data(), text->size());
    } else {
      api_.bind_null(statement, place);
    }
  }

  // What was answered; `result` is destroyed.
  Result<Reply> taken(int code, DuckdbResult& result, std::string_view sql, bool with_names) {
    Result<Reply> reply = is_lost()   ? Result<Reply>(lost())
                          : code != 0 ? failed(result, sql)
                                      : rows_of(result, with_names);
    api_.destroy_result(&result);
    return reply;
  }

  Result<Reply> rows_of(DuckdbResult& result, bool with_names) const {
    Reply reply;
    const DuckdbReturns returns = api_.result_return_type(result);
    if (returns == DuckdbReturns::kChangedRows) reply.changed = api_.rows_changed(&result);
    if (returns != DuckdbReturns::kRows) return reply;
    const std::uint64_t width = api_.column_count(&result), rows = api_.row_count(&result);
    reply.width = width;
    reply.cells.reserve(width * rows);
    for (std::uint64_t i = 0; with_names && i < width; ++i) reply.names.emplace_back(api_.column_name(&result, i));
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t column = 0; column < width; ++column) {
        auto cell = cell_of(result, column, row);
        if (!cell) return std::move(cell).error();
        reply.cells.push_back(*std::move(cell));
      }
    }
    return reply;
  }

  Result<Cell> cell_of(DuckdbResult& result, std::uint64_t column, std::uint64_t row) const {
    const DuckdbType type = api_.column_type(&result, column);
    if (type == DuckdbType::kFloat || type == DuckdbType::kDouble) {
      if (api_.value_is_null(&result, column, row)) return Cell{};
      return Cell{api_.value_double(&result, column, row)};
    }
    if (type >= DuckdbType::kBoolean && type < DuckdbType::kUbigint) {
      if (api_.value_is_null(&result, column, row)) return Cell{};
      return Cell{api_.value_int64(&result, column, row)};
    }
    if (api_.value_is_null(&result, column, row)) return Cell{};
    const DuckdbString value = api_.value_string(&result, column, row);
    if (value.data == nullptr)
      return Error{fmt::format("column {} is of a nested type, which is not read from DuckDB: cast it to varchar",
                               api_.column_name(&result, column))};
    std::string text(value.data, value.size);
    api_.free(value.data);
    // A sum of integers is an integer of 16 bytes.
    if (type == DuckdbType::kHugeint || type == DuckdbType::kUbigint) {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc{} && end == text.data() + text.size()) return Cell{number};
    }
    return Cell{std::move(text)};
  }

  Result<Reply> failed(DuckdbResult& result, std::string_view sql) {
    const char* const text = api_.result_error(&result);
    return failed(api_.result_error_type(&result), text == nullptr ? "" : text, sql);
  }
  Result<Reply> failed(int type, std::string text, std::string_view sql) {
    return failed_with(error_code_name(type), std::move(text), sql);
  }
  Result<Reply> failed_with(std::string code, std::string text, std::string_view sql) {
    auto reply = reply_to_failure(committing_ ? duckdb_commit_errors() : duckdb_errors(),
                                  {std::move(code), std::move(text)}, sql, unlisted_);
    if (reply) aborted_ = !committing_;
    return reply;
  }

  // DuckDB answers COMMIT of a transaction that an error has ended as if it had committed it.
  Result<Reply> ended_by_error() {
    auto reply = roll_back();
    if (!reply || !reply->done()) return reply;
    reply->fate = Fate::kRolledBack;
    reply->failure = {"aborted", "an earlier error had ended the transaction"};
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
    for (auto& [sql, statement] : prepared_) api_.destroy_prepare(&statement);
    prepared_.clear();
    const std::lock_guard lock(closing_);
    if (handle_ != nullptr) api_.disconnect(&handle_);
    handle_ = nullptr;
  }

  std::shared_ptr<DuckdbFile> file_;
  const DuckdbApi& api_;
  DuckdbHandle handle_;
  Unlisted unlisted_ = Unlisted::kStops;
  std::atomic<bool> severed_ = false;
  bool committing_ = false;
  bool aborted_ = false;  // the transaction can only be rolled back
  std::mutex closing_;    // cancel() may come while this end closes the connection
  std::unordered_map<std::string, DuckdbHandle> prepared_;
};

}  // namespace

std::span<const ErrorRow> duckdb_errors() { return kDuckdbErrors; }
std::span<const ErrorRow> duckdb_commit_errors() { return kDuckdbCommitErrors; }

Result<std::unique_ptr<Connection>> connect_duckdb(std::shared_ptr<DuckdbFile> file) {
  DuckdbHandle handle = nullptr;
  if (file->api.connect(file->handle, &handle) != 0) return Error{"DuckDB gives no connection to its file"};
  return std::unique_ptr<Connection>(std::make_unique<DuckdbConnection>(std::move(file), handle));
}

}  // namespace isolde::db
