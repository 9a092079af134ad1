#include "proxy/capture/trace_file.h"

#include <fmt/format.h>

#include <iterator>

#include "report/json.h"

namespace isolde::proxy::capture {
namespace {

std::string_view status_name(Status status) {
  return status == Status::kCommitted ? "committed" : status == Status::kAborted ? "aborted" : "unknown";
}

std::string tables_line(std::string_view field, const std::vector<std::string>& tables) {
  if (tables.empty()) return {};
  std::string line = fmt::format("{{\"{}\":[", field);
  for (std::size_t i = 0; i < tables.size(); ++i) line += (i == 0 ? "" : ",") + json_string(tables[i]);
  return line + "]}\n";
}

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::string& path, std::int64_t first_xid,
                                                     std::string_view server) {
  auto lines = LineFile::create(path);
  if (!lines) return std::move(lines).error();
  std::unique_ptr<TraceFile> file(new TraceFile(*std::move(lines)));
  file->file_->write(
      fmt::format("{{\"isolde-proxy\":1,\"first_xid\":{},\"server\":{}}}\n", first_xid, json_string(server)));
  file->file_->flush();
  if (!file->fault().empty()) return Error{file->fault(), path};
  return file;
}

void TraceFile::transaction(std::int64_t session, const Ended& ended) {
  std::string line;
  auto out = std::back_inserter(line);
  fmt::format_to(out, "{{\"s\":{},\"st\":\"{}\",\"b\":{}", session, status_name(ended.status), ended.begin);
  fmt::format_to(out, ",\"l\":{}", json_string(ended.level));
  if (ended.status == Status::kUnknown) {
    fmt::format_to(out, ",\"c\":[{},null],\"ops\":[", ended.commit_sent);
  } else {
    fmt::format_to(out, ",\"e\":{},\"c\":[{},{}],\"ops\":[", ended.end, ended.commit_sent, ended.commit_answered);
  }
  bool first = true;
  for (const RowSeen& row : ended.rows) {
    fmt::format_to(out, "{}[\"{}\",{},{},{},\"{},{}\",{},{}]", first ? "" : ",", row.kind,
                   json_string(row.table->shown), json_string(row.key), row.version.xmin, row.version.block,
                   row.version.place, row.before, row.after);
    first = false;
  }
  line += "]}\n";
  file_->write(line);
  ++transactions_;
  const std::lock_guard lock(mutex_);
  ++levels_[ended.level];
}

void TraceFile::over(const std::vector<std::string>& moved, const std::vector<std::string>& changed) {
  std::string lines = tables_line("moved", moved) + tables_line("changed", changed);
  file_->write(lines + "{\"over\":1}\n");
  file_->flush();
}

}  // namespace isolde::proxy::capture
