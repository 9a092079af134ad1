#include "proxy/values/value_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json_text.h"

namespace isolde::proxy::values {
namespace {

constexpr std::uint64_t kTransactionsPerHorizon = 200;

std::string_view status_word(Status status) {
  return status == Status::kCommitted ? "committed" : status == Status::kAborted ? "aborted" : "unknown";
}

// As in the trace: read, read for update, read for share, written, and written with a value that nobody knows.
char letter_of(const ValueOp& op) {
  switch (op.act) {
    case Act::kRead:
      return 'r';
    case Act::kReadForUpdate:
      return 'l';
    case Act::kReadForShare:
      return 's';
    default:
      return op.value.kind == Value::Kind::kUnknown ? 'u' : 'w';
  }
}

}  // namespace

Result<std::unique_ptr<ValueTrace>> ValueTrace::create(const std::string& path, Catalogue& catalogue,
                                                       std::uint64_t secret) {
  auto file = capture::LineFile::create(path);
  if (!file) return std::move(file).error();
  std::unique_ptr<ValueTrace> trace(new ValueTrace(*std::move(file), catalogue, secret));
  trace->file_->write(fmt::format("{{\"isolde-proxy-values\":1,\"server\":{}}}\n", json_string(catalogue.version())));
  trace->file_->flush();
  if (!trace->fault().empty()) return Error{trace->fault(), path};
  return trace;
}

void ValueTrace::write_first(const ValueOp& op, std::string& to) {
  const auto first = catalogue_.first_of(*op.table, op.key);
  if (first == nullptr || !first->known) return;
  auto out = std::back_inserter(to);
  fmt::format_to(out, "{{\"row\":[{},{}],\"cells\":{{", json_string(op.table->name), json_string(op.key));
  bool any = false;
  for (std::size_t i = 0; i < op.table->columns.size(); ++i) {
    const Value value = first->values.empty() ? Value{Value::Kind::kAbsent} : first->values[i];
    if (value.kind == Value::Kind::kUnknown) continue;
    fmt::format_to(out, "{}{}:{}", any ? "," : "", json_string(op.table->columns[i].name), value_json(value, secret_));
    any = true;
  }
  to += "}}\n";
}

void ValueTrace::transaction(std::int64_t session, const EndedByValue& ended) {
  std::string lines, line;
  auto out = std::back_inserter(line);
  fmt::format_to(out, "{{\"s\":{},\"st\":\"{}\",\"b\":{}", session, status_word(ended.status), ended.begin);
  if (!ended.sure) line += ",\"sure\":false";
  if (ended.status == Status::kUnknown) {
    fmt::format_to(out, ",\"c\":[{},null],\"ops\":[", ended.commit_sent);
  } else {
    fmt::format_to(out, ",\"c\":[{},{}],\"ops\":[", ended.commit_sent, ended.commit_answered);
  }
  bool first = true;
  for (const ValueOp& op : ended.ops) {
    const char letter = letter_of(op);
    // What was read and cannot be said is not read.
    if (letter != 'w' && letter != 'u' && op.value.kind == Value::Kind::kUnknown) continue;
    write_first(op, lines);
    fmt::format_to(out, "{}[\"{}\",{},{},{},{},{},{}]", first ? "" : ",", letter, json_string(op.table->name),
                   json_string(op.key), json_string(op.column->name),
                   letter == 'u' ? "null" : value_json(op.value, secret_), op.before, op.after);
    first = false;
  }
  line += "]}\n";
  if (++transactions_ % kTransactionsPerHorizon == 0) line += horizon();
  file_->write(lines + line);
  const std::lock_guard lock(mutex_);
  ++levels_[ended.level];
}

void ValueTrace::open_since(std::int64_t session, std::int64_t time) {
  const std::lock_guard lock(mutex_);
  if (time == 0) {
    open_.erase(session);
  } else {
    open_.try_emplace(session, time);
  }
}

// What began before is in the file, or will never be.
std::string ValueTrace::horizon() {
  const std::lock_guard lock(mutex_);
  std::int64_t first = INT64_MAX;
  for (const auto& [session, time] : open_) first = std::min(first, time);
  return first == INT64_MAX ? std::string() : fmt::format("{{\"horizon\":{}}}\n", first);
}

void ValueTrace::touched(const FollowedTable& table, const FollowedColumn* column, std::string_view why) {
  if (!table.why_not.empty()) return;
  file_->left_out(why);
  {
    const std::lock_guard lock(mutex_);
    if (touched_.contains({&table, nullptr}) || !touched_.emplace(&table, column).second) return;
  }
  file_->write(column == nullptr
                   ? fmt::format("{{\"touched\":[{}]}}\n", json_string(table.name))
                   : fmt::format("{{\"touched\":[{},{}]}}\n", json_string(table.name), json_string(column->name)));
}

void ValueTrace::touched(const Touched& touched, std::string_view why) {
  if (touched.everything) {
    for (const auto& [name, table] : catalogue_.tables()) this->touched(table, nullptr, why);
    return;
  }
  for (const FollowedTable* const table : touched.tables) this->touched(*table, nullptr, why);
}

capture::LeftOut ValueTrace::levels() const {
  const std::lock_guard lock(mutex_);
  return levels_;
}

}  // namespace isolde::proxy::values
