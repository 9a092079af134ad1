#include "audit/trace/read_trace.h"

#include <sys/stat.h>

#include "audit/trace/recording.h"
#include "audit/trace/trace_input.h"
#include "base/mapped_file.h"

namespace isolde::audit {
namespace {

constexpr std::string_view kForms =
    "expected SQL recorded in one of these forms: a general_log of MySQL or MariaDB; a log of PostgreSQL, text or csv "
    "(log_statement = all); SQL statements with semicolons, as SQLite's .trace writes them; or a history that isolde "
    "recorded";

std::optional<TraceFormat> recognised(std::string_view text) {
  if (looks_like_mysql_log(text)) return TraceFormat::kMysqlLog;
  if (looks_like_postgres_csv(text)) return TraceFormat::kPostgresCsv;
  if (looks_like_sql_text(text)) return TraceFormat::kSqlText;
  if (looks_like_postgres_log(text)) return TraceFormat::kPostgresLog;
  return std::nullopt;
}

// What can be said of a file that is none of the forms.
std::string_view first_words(std::string_view text) {
  if (text.empty()) return "the file is empty: ";
  if (text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd") || text.starts_with("PK\x03\x04") ||
      text.starts_with("BZh") ||
      text.starts_with("\xfd"
                       "7zXZ"))
    return "the file is compressed, unpack it first: ";
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return "the file is UTF-16, make it UTF-8 first: ";
  return "";
}

Result<TraceFacts> read(std::string_view text, const Source& source, const MappedFile* mapped,
                        const TraceOptions& options, TraceSink& sink) {
  TraceFacts facts;
  facts.bytes = text.size();
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const FormatInfo* history = nullptr;
  if (!options.format || *options.format == TraceFormat::kRecording) history = recognised_recording(source);
  std::optional<TraceFormat> format = options.format;
  if (!format && history != nullptr) format = TraceFormat::kRecording;
  if (!format && !source.is_folder) format = recognised(text);
  if (!format || (*format == TraceFormat::kRecording && history == nullptr))
    return Error{std::string(source.is_folder ? "" : first_words(text)) + std::string(kForms), source.path};
  facts.format = *format;
  if (facts.format == TraceFormat::kMysqlLog) facts.dialect = SqlDialect::kMysql;
  if (facts.format == TraceFormat::kSqlText) facts.dialect = dialect_of_sql_text(text);
  // The words of a recording are our own.
  if (options.dialect && facts.format != TraceFormat::kRecording) facts.dialect = *options.dialect;
  sink.begin_trace(facts);
  TraceInput input(text, options.progress, mapped);
  switch (facts.format) {
    case TraceFormat::kMysqlLog:
      read_mysql_log(input, sink);
      break;
    case TraceFormat::kPostgresLog:
      read_postgres_log(input, sink);
      break;
    case TraceFormat::kPostgresCsv:
      read_postgres_csv(input, sink);
      break;
    case TraceFormat::kSqlText:
      read_sql_text(input, facts.dialect, sink);
      break;
    case TraceFormat::kRecording:
      if (const auto done = read_recording(source, *history, options.progress, sink); !done) return done.error();
      break;
  }
  return facts;
}

}  // namespace

std::string_view name(TraceFormat format) {
  switch (format) {
    case TraceFormat::kMysqlLog:
      return "mysql-log";
    case TraceFormat::kPostgresLog:
      return "postgres-log";
    case TraceFormat::kPostgresCsv:
      return "postgres-csv";
    case TraceFormat::kSqlText:
      return "sql";
    case TraceFormat::kRecording:
      return "recording";
  }
  return "";
}

Result<TraceFacts> read_trace(const std::string& path, const TraceOptions& options, TraceSink& sink) {
  auto source = open_source(path, options.limits);
  if (!source) return std::move(source).error();
  if (source->is_folder) return read({}, *source, nullptr, options, sink);  // a recording, which looks for itself
  if (source->files.empty()) return Error{std::string(kForms), path};
  const SourceFile& file = source->files.front();
  auto facts = read(file.bytes, *source, file.mapped.get(), options, sink);
  if (const auto whole = still_whole(*source); !whole) return whole.error();
  return facts;
}

Result<TraceFacts> read_trace_text(std::string_view text, const std::string& file, const TraceOptions& options,
                                   TraceSink& sink) {
  Source source;
  source.path = file;
  source.files.push_back({file, text, nullptr});
  return read(text, source, nullptr, options, sink);
}

}  // namespace isolde::audit
