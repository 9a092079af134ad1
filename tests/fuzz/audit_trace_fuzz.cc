// Any bytes as a trace, in every form and dialect: no fault; what is told is inside the text and makes a sound log.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "audit/trace/log.h"

namespace isolde::audit {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

class CheckingSink : public TraceSink {
 public:
  explicit CheckingSink(std::string_view text) : lines_(std::count(text.begin(), text.end(), '\n') + 1) {}
  void begin_trace(const TraceFacts& facts) override {
    ++begun_;
    is_text_ = facts.format != TraceFormat::kRecording;
  }
  void statement(const TraceEvent& event) override {
    require(begun_ == 1, "a statement before the trace begins");
    require(!event.sql.empty(), "an empty statement");
    require(event.session <= next_, "a session out of turn");
    if (event.session == next_) ++next_;
    if (is_text_)
      require(event.line >= 1 && event.line <= static_cast<std::uint64_t>(lines_), "a line outside of the text");
  }
  void failed(std::uint32_t session) override { require(session < next_, "a failure of nobody"); }
  void end_of_session(std::uint32_t session) override { require(session < next_, "an end of nobody"); }
  void not_read(std::uint64_t, std::string_view, std::string_view why) override { require(!why.empty(), "no reason"); }

 private:
  std::ptrdiff_t lines_;
  bool is_text_ = true;
  int begun_ = 0;
  std::uint32_t next_ = 0;
};

void check(const TraceLog& log) {
  std::uint64_t statements = 0;
  for (const TraceTransaction& txn : log.transactions) {
    require(txn.statements > 0, "an empty transaction");
    require(txn.begun <= txn.ended, "a transaction that ends before it begins");
    require(txn.first_statement + txn.statements <= log.statements.size(), "statements outside of the log");
    statements += txn.statements;
    for (const TraceStatement& statement : log.of(txn)) {
      require(raw(statement.shape) < log.shapes.size(), "no such shape");
      require(statement.first_literal + log.shapes.literal_count(statement.shape) <= log.literals.size(),
              "no such literals");
      (void)log.text_of(statement);
    }
  }
  require(statements == log.statements.size(), "statements of no transaction");
}

void run(std::string_view text, const TraceOptions& options) {
  CheckingSink sink(text);
  const auto facts = read_trace_text(text, "t", options, sink);
  const auto log = load_trace_text(text, "t", options);
  require(facts.has_value() == log.has_value(), "the log does not agree with its events");
  if (!log) return require(!log.error().text.empty(), "an error without words");
  check(*log);
}

}  // namespace
}  // namespace isolde::audit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::audit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  run(text, {});
  TraceOptions options;
  for (const TraceFormat format : {TraceFormat::kMysqlLog, TraceFormat::kPostgresLog, TraceFormat::kPostgresCsv}) {
    options.format = format;
    run(text, options);
  }
  options.format = TraceFormat::kSqlText;
  for (const SqlDialect dialect : {SqlDialect::kPostgres, SqlDialect::kMysql, SqlDialect::kSqlite}) {
    options.dialect = dialect;
    run(text, options);
  }
  return 0;
}
