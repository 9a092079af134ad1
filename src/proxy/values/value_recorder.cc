#include "proxy/values/value_recorder.h"

#include <filesystem>
#include <random>

#include "proxy/mysql/conversation.h"
#include "proxy/values/value_capture.h"

namespace isolde::proxy::values {

Result<std::unique_ptr<capture::AnyRecorder>> ValueRecorder::begin(const db::Url& server,
                                                                   const capture::RecorderOptions& options) {
  std::unique_ptr<ValueRecorder> recorder(new ValueRecorder);
  recorder->path_ = options.path;
  recorder->wire_ = options.path + ".wire";
  auto format = capture::format_to_record(options.path);
  if (!format) return std::move(format).error();
  recorder->format_ = *format;
  auto catalogue = Catalogue::read(server, options.tables);
  if (!catalogue) return std::move(catalogue).error();
  recorder->catalogue_ = *std::move(catalogue);
  std::uint64_t secret = 0;
  if (options.hash_values) {
    std::random_device random;
    while (secret == 0) secret = std::uint64_t{random()} << 32U | random();
  }
  auto trace = ValueTrace::create(recorder->wire_, *recorder->catalogue_, secret);
  if (!trace) return std::move(trace).error();
  recorder->trace_ = *std::move(trace);
  for (const auto& [name, table] : recorder->catalogue_->tables()) {
    if (!table.why_not.empty()) recorder->trace_->left_out("a table with " + table.why_not);
  }
  return std::unique_ptr<capture::AnyRecorder>(std::move(recorder));
}

MakeConversation ValueRecorder::conversations() {
  return [this](std::size_t) -> std::unique_ptr<Conversation> {
    return std::make_unique<mysql::Conversation>(std::make_unique<ValueCapture>(*catalogue_, *trace_));
  };
}

Result<capture::Recorded> ValueRecorder::finish() {
  trace_->over();
  if (!trace_->fault().empty()) return Error{trace_->fault(), wire_};
  capture::Recorded out;
  out.transactions = trace_->transactions();
  out.statements = trace_->statements_judged();
  out.left_out = trace_->all_left_out();
  out.levels = trace_->levels();
  if (auto saved = capture::save_recorded(wire_, *format_, path_, out); !saved) return saved.error();
  return out;
}

}  // namespace isolde::proxy::values
