#include "proxy/capture/recorder.h"

#include <fmt/format.h>

#include <filesystem>

#include "proxy/capture/capture.h"

namespace isolde::proxy::capture {

namespace fs = std::filesystem;

Result<std::unique_ptr<Recorder>> Recorder::begin(const db::Url& server, const RecorderOptions& options) {
  const std::string& path = options.path;
  std::unique_ptr<Recorder> recorder(new Recorder);
  recorder->path_ = path;
  recorder->wire_ = path + ".wire";
  recorder->format_ = format_for_path(path);
  if (recorder->format_ == nullptr || recorder->format_->write == nullptr || recorder->format_->is_folder)
    return Error{"its ending says no format that can be written: .jsonl or .isl", path};
  std::error_code ignored;
  for (const std::string& name : {recorder->path_, recorder->wire_}) {
    if (fs::exists(name, ignored)) return Error{"is there already, and is not replaced", name};
  }
  auto facts = ServerFacts::connect(server, options.tables);
  if (!facts) return std::move(facts).error();
  recorder->facts_ = *std::move(facts);
  auto trace = TraceFile::create(recorder->wire_, recorder->facts_->first_xid(), recorder->facts_->version());
  if (!trace) return std::move(trace).error();
  recorder->trace_ = *std::move(trace);
  if (!options.sql_log.empty()) {
    auto log = SqlLog::create(options.sql_log);
    if (!log) return std::move(log).error();
    recorder->log_ = *std::move(log);
  }
  for (std::size_t i = 0; i < options.loops; ++i) recorder->planners_.push_back(std::make_unique<Planner>());
  return recorder;
}

MakeConversation Recorder::conversations() {
  return [this](std::size_t loop) -> std::unique_ptr<Conversation> {
    return std::make_unique<postgres::Conversation>(
        std::make_unique<Capture>(*facts_, *trace_, log_.get(), *planners_[loop]));
  };
}

Result<Recorded> Recorder::finish() {
  // Without an answer nothing is known of the tables, and the trace stays one that was not ended.
  if (const auto now = facts_->tables_now()) {
    std::vector<std::string> moved, changed;
    for (const auto& [shown, table] : facts_->tables_seen()) {
      const auto at = (*now)->by_name.find(std::pair(table.schema, table.name));
      if (at == (*now)->by_name.end() || at->second.oid != table.oid || at->second.file != table.file) {
        moved.push_back(shown);
      } else if (at->second.key != table.key) {
        changed.push_back(shown);
      }
    }
    trace_->over(moved, changed);
  }
  if (!trace_->fault().empty()) return Error{trace_->fault(), wire_};
  Recorded out{.transactions = trace_->transactions(),
               .statements = trace_->statements_judged(),
               .left_out = trace_->all_left_out()};
  auto loaded = load(wire_, nullptr, {});
  if (!loaded) return std::move(loaded).error();
  out.notes = std::move(loaded->notes);
  auto saved = save(loaded->history, *format_, path_);
  if (!saved) return std::move(saved).error();
  std::error_code ignored;
  fs::remove(wire_, ignored);
  out.saved = true;
  return out;
}

}  // namespace isolde::proxy::capture
