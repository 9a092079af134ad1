#include "proxy/capture/recorder.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "proxy/capture/capture.h"

namespace isolde::proxy::capture {

namespace fs = std::filesystem;

Result<const FormatInfo*> format_to_record(const std::string& path) {
  const FormatInfo* const format = format_for_path(path);
  if (format == nullptr || format->write == nullptr || format->is_folder)
    return Error{"its ending says no format that can be written: .jsonl or .isl", path};
  std::error_code ignored;
  for (const std::string& name : {path, path + ".wire"}) {
    if (fs::exists(name, ignored)) return Error{"is there already, and is not replaced", name};
  }
  return format;
}

Result<void> save_recorded(const std::string& wire, const FormatInfo& format, const std::string& path,
                           Recorded& recorded) {
  auto loaded = load(wire, nullptr, {});
  if (!loaded) return std::move(loaded).error();
  recorded.notes = std::move(loaded->notes);
  if (auto saved = save(loaded->history, format, path); !saved) return std::move(saved).error();
  std::error_code ignored;
  fs::remove(wire, ignored);
  recorded.saved = true;
  return {};
}

Result<std::unique_ptr<Recorder>> Recorder::begin(const db::Url& server, const RecorderOptions& options) {
  const std::string& path = options.path;
  std::unique_ptr<Recorder> recorder(new Recorder);
  recorder->path_ = path;
  recorder->wire_ = path + ".wire";
  auto format = format_to_record(path);
  if (!format) return std::move(format).error();
  recorder->format_ = *format;
  recorder->sample_ = options.sample;
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
    // Evenly: the n-th is recorded if that brings the number of those that are up to its share.
    const auto number = static_cast<double>(connections_++);
    if (std::floor((number + 1) * sample_) <= std::floor(number * sample_)) {
      ++not_sampled_;
      return std::make_unique<postgres::Conversation>();
    }
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
  Recorded out;
  out.transactions = trace_->transactions();
  out.statements = trace_->statements_judged();
  out.left_out = trace_->all_left_out();
  out.levels = trace_->levels();
  if (not_sampled_ > 0) out.left_out["a connection that is not in the sample"] = not_sampled_;
  if (auto saved = save_recorded(wire_, *format_, path_, out); !saved) return saved.error();
  return out;
}

}  // namespace isolde::proxy::capture
