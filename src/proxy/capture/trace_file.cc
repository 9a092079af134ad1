#include "proxy/capture/trace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return errno_error("cannot create", path);
  std::unique_ptr<TraceFile> file(new TraceFile(fd));
  file->write(fmt::format("{{\"isolde-proxy\":1,\"first_xid\":{},\"server\":{}}}\n", first_xid, json_string(server)));
  if (file->faulty_) return Error{file->fault(), path};
  return file;
}

TraceFile::~TraceFile() { ::close(fd_); }

void TraceFile::write(std::string_view line) {
  while (!line.empty() && !faulty_) {
    const ssize_t count = ::write(fd_, line.data(), line.size());
    if (count >= 0) {
      line.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    fault_ = fmt::format("cannot write: {}", std::strerror(errno));
    faulty_ = true;
  }
}

void TraceFile::transaction(std::int64_t session, const Ended& ended) {
  std::string line;
  auto out = std::back_inserter(line);
  fmt::format_to(out, "{{\"s\":{},\"st\":\"{}\",\"b\":{}", session, status_name(ended.status), ended.begin);
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
  write(line);
  ++transactions_;
}

void TraceFile::left_out(std::string_view why) {
  const std::lock_guard lock(mutex_);
  const auto at = left_out_.find(why);
  if (at == left_out_.end()) {
    left_out_.emplace(why, 1);
  } else {
    ++at->second;
  }
}

void TraceFile::over(const std::vector<std::string>& moved, const std::vector<std::string>& changed) {
  std::string lines = tables_line("moved", moved) + tables_line("changed", changed);
  write(lines + "{\"over\":1}\n");
}

std::map<std::string, std::uint64_t, std::less<>> TraceFile::all_left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

std::string TraceFile::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

}  // namespace isolde::proxy::capture
