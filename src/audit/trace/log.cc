#include "audit/trace/log.h"

#include "audit/trace/log_builder.h"

namespace isolde::audit {
namespace {

template <typename Read>
Result<TraceLog> build_log(const std::string& file, Read&& read) {
  TraceLog log;
  LogBuilder builder(log);
  auto facts = read(builder);
  if (!facts) return std::move(facts).error();
  builder.finish();
  if (log.literals.size() >= kNone32 || log.statements.size() >= kNone32)
    return Error{"the trace has more statements or literals than 32 bits can number; audit a part of it", file};
  return log;
}

}  // namespace

std::span<const LiteralId> TraceLog::literals_of(const TraceStatement& statement) const {
  return std::span(literals).subspan(statement.first_literal, shapes.literal_count(statement.shape));
}

std::string TraceLog::text_of(const TraceStatement& statement) const {
  return shapes.text(statement.shape, literals_of(statement).data());
}

Result<TraceLog> load_trace(const std::string& path, const TraceOptions& options) {
  return build_log(path, [&](TraceSink& sink) { return read_trace(path, options, sink); });
}

Result<TraceLog> load_trace_text(std::string_view text, const std::string& file, const TraceOptions& options) {
  return build_log(file, [&](TraceSink& sink) { return read_trace_text(text, file, options, sink); });
}

}  // namespace isolde::audit
