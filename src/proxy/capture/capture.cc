#include "proxy/capture/capture.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "proxy/postgres/numbers.h"
#include "proxy/postgres/rows.h"

namespace isolde::proxy::capture {
namespace {

using postgres::message;

// Why the server would not have a text with our columns.
std::string_view refusal(std::string_view objection) {
  const std::string_view code = objection.substr(0, 5);
  if (code == "42803") return "an aggregate";
  if (code == "42501") return "a privilege that is missing";
  return "a statement that the server refuses with further columns";
}
bool contains_ignoring_case(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
         }) != text.end();
}

bool is_passing(std::string_view objection) { return objection.starts_with("55P03"); }  // a lock

}  // namespace

Capture::Capture(ServerFacts& facts, TraceFile& trace, SqlLog* log, Planner& planner)
    : facts_(facts), trace_(trace), log_(log), planner_(planner), transactions_(*this) {}

void Capture::startup(std::string_view parameters) {
  std::string database, level;
  while (!parameters.empty() && parameters.front() != '\0') {
    const auto name = postgres::take_text(parameters);
    const auto value = name ? postgres::take_text(parameters) : std::nullopt;
    if (!value) break;
    if (*name == "user") user_ = *value;
    if (*name == "database") database = *value;
    if (auto said = level_in_startup(*name, *value); !said.empty()) level = std::move(said);
    const bool names_path = [](std::string_view text) {
      return text.find("search_path") != std::string_view::npos || text.find("role") != std::string_view::npos ||
             text.find("session_authorization") != std::string_view::npos;
    }(lower_case(*name) + " " + (*name == "options" ? lower_case(*value) : std::string()));
    path_known_ = path_known_ && !names_path;
  }
  records_ = (database.empty() ? user_ : database) == facts_.database();
  if (records_) {
    session_ = trace_.next_session();
    transactions_.level().start(level.empty() ? facts_.level_of(user_) : level);
  } else {
    trace_.left_out("a connection to another database");
  }
}

bool Capture::wants_from_client(char type) const {
  return records_ && (type == 'Q' || type == 'P' || type == 'B' || type == 'D' || type == 'E' || type == 'C');
}

bool Capture::wants_from_server(char type) const {
  switch (type) {
    case 'D':
      return cutting_ > 0;
    case 'T':
    case 'C':
    case 'E':
    case 'N':
    case 'S':
    case 's':
    case 'Z':
      return records_;
    default:
      return false;
  }
}

// What the text is, and in `rewritten` what is sent instead; empty: the text itself.
Capture::Prepared Capture::prepare(std::string_view sql, std::string& rewritten) {
  // SET, set_config(), ALTER ROLE …: whatever names it may change what names mean.
  if (contains_ignoring_case(sql, "search_path")) path_known_ = false;
  if (contains_ignoring_case(sql, "set_config")) transactions_.level().lose();
  const bool can = path_known_ && utf8_ && plain_strings_;
  auto tables = can ? facts_.tables() : nullptr;
  Prepared out{.plan = planner_.plan(sql, tables, user_)};
  if (out.plan->unknown_table && !planner_.is_checked(out.plan)) {
    planner_.set_checked(out.plan);
    facts_.changed();
    tables = facts_.tables();
    out.plan = planner_.plan(sql, tables, user_);
  }
  if (out.plan->steps.size() == 1 && out.plan->steps[0].kind == Kind::kExecute) {
    // What it runs may return columns that were added.
    const auto at = statements_.find(out.plan->steps[0].name);
    if (at != statements_.end()) return Prepared{.plan = at->second.plan};
  }
  if (!out.plan->rewritten) return out;
  Rewriting rewriting = planner_.rewrite(sql, *out.plan);
  if (!planner_.is_checked(out.plan)) {
    const std::string objection = facts_.objection(rewriting.sql, user_);
    if (is_passing(objection)) {
      out.plan = Planner::plain(*out.plan, "a table that was locked when it was first met");
      return out;
    }
    if (!objection.empty()) {
      planner_.give_up(sql, user_, refusal(objection));
      out.plan = planner_.plan(sql, tables, user_);
      return out;
    }
    planner_.set_checked(out.plan);
  }
  rewritten = std::move(rewriting.sql);
  out.from = rewriting.from;
  out.length = rewriting.length;
  ever_rewritten_ = true;
  return out;
}

void Capture::set_name(Names& names, std::string_view name, std::optional<Prepared> what, Task& task) {
  const auto at = names.find(name);
  task.undo = Undo{&names, std::string(name), at == names.end() ? std::nullopt : std::optional(at->second)};
  if (what) {
    names.insert_or_assign(std::string(name), *std::move(what));
  } else if (at != names.end()) {
    names.erase(at);
  }
}

void Capture::push(Task&& task) {
  cutting_ += task.cuts ? 1 : 0;
  tasks_.push_back(std::move(task));
}

void Capture::pop_before(std::uint64_t number) {
  while (!tasks_.empty() && tasks_.front().number < number) {
    cutting_ -= tasks_.front().cuts ? 1 : 0;
    tasks_.pop_front();
  }
}

// Requests that the server threw away: what their names meant before is what they mean.
void Capture::drop(std::uint64_t from, std::uint64_t to) {
  for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
    if (task->number < from || task->number >= to || !task->undo) continue;
    Undo& undo = *task->undo;
    if (undo.before) {
      undo.names->insert_or_assign(undo.name, *undo.before);
    } else {
      undo.names->erase(undo.name);
    }
    task->undo.reset();
  }
}

void Capture::client(char type, std::string_view body, const postgres::Sent& sent, ByteQueue& to_server) {
  if (sent.ignored) {
    to_server.append(message(type, body));
    return;
  }
  Task task{.number = sent.number, .type = type, .what = {}, .sent = now_};
  switch (type) {
    case 'P':
      parse(body, task, to_server);
      break;
    case 'B':
      bind(body, task, to_server);
      break;
    case 'E':
      execute(body, task, to_server);
      break;
    case 'Q':
      query(body, task, to_server);
      break;
    default:
      describe_or_close(type, body, task, to_server);
  }
  push(std::move(task));
}

void Capture::parse(std::string_view body, Task& task, ByteQueue& to_server) {
  std::string_view rest = body;
  const auto name = postgres::take_text(rest);
  const auto sql = name ? postgres::take_text(rest) : std::nullopt;
  if (!sql) return to_server.append(message('P', body));
  std::string rewritten;
  task.what = prepare(*sql, rewritten);
  if (log_ != nullptr) task.what.sql = std::make_shared<const std::string>(*sql);
  set_name(statements_, *name, task.what, task);
  if (rewritten.empty()) return to_server.append(message('P', body));
  std::string changed(*name);
  changed.push_back('\0');
  changed += rewritten;
  changed.push_back('\0');
  changed += rest;
  to_server.append(message('P', changed));
}

void Capture::bind(std::string_view body, Task& task, ByteQueue& to_server) {
  const auto named = postgres::bind_parts(body, 0);
  if (!named) return to_server.append(message('B', body));
  const auto at = statements_.find(named->statement);
  if (at != statements_.end()) task.what = at->second;
  const bool adds = task.what.plan != nullptr && task.what.plan->rewritten;
  const auto parts = postgres::bind_parts(body, adds ? task.what.plan->columns_added() : 0);
  task.what.binary = parts->binary;
  if (log_ != nullptr) task.what.parameters = std::make_shared<const std::string>(SqlLog::parameters_of(body));
  set_name(portals_, parts->portal, task.what, task);
  to_server.append(message('B', parts->body.empty() ? body : std::string_view(parts->body)));
}

void Capture::execute(std::string_view body, Task& task, ByteQueue& to_server) {
  std::string_view rest = body;
  const auto portal = postgres::take_text(rest);
  const auto at = portal ? portals_.find(*portal) : portals_.end();
  if (at == portals_.end() || rest.size() != 4) return to_server.append(message('E', body));
  task.what = at->second;
  const Plan* const plan = task.what.plan.get();
  task.cuts = plan != nullptr && plan->rewritten;
  if (!task.cuts || !plan->returns_nothing) return to_server.append(message('E', body));
  // With rows to return, a limit would suspend the statement instead of ending it.
  std::string changed(*portal);
  changed.append(5, '\0');
  to_server.append(message('E', changed));
}

void Capture::query(std::string_view body, Task& task, ByteQueue& to_server) {
  std::string_view rest = body;
  const auto sql = postgres::take_text(rest);
  if (!sql || !rest.empty()) return to_server.append(message('Q', body));
  std::string rewritten;
  task.what = prepare(*sql, rewritten);
  if (log_ != nullptr) task.what.sql = std::make_shared<const std::string>(*sql);
  task.cuts = task.what.plan->rewritten;
  if (rewritten.empty()) return to_server.append(message('Q', body));
  rewritten.push_back('\0');
  to_server.append(message('Q', rewritten));
}

void Capture::describe_or_close(char type, std::string_view body, Task& task, ByteQueue& to_server) {
  to_server.append(message(type, body));
  if (body.size() < 2) return;
  std::string_view rest = body.substr(1);
  const auto name = postgres::take_text(rest);
  if (!name) return;
  Names& names = body[0] == 'S' ? statements_ : portals_;
  const auto at = names.find(*name);
  if (at != names.end()) task.what = at->second;
  if (type == 'C') set_name(names, *name, std::nullopt, task);
}

bool Capture::lost_track() {
  if (!records_ || over_) return true;
  transactions_.doubt("a connection that could not be read further");
  transactions_.lost(true, now_);
  over_ = true;
  records_ = false;
  cutting_ = 0;
  return !ever_rewritten_;
}

void Capture::closed() {
  if (!records_ || over_) return;
  over_ = true;
  const bool waits =
      std::any_of(tasks_.begin(), tasks_.end(), [](const Task& task) { return task.type == 'E' || task.type == 'Q'; });
  transactions_.lost(waits, now_);
}

}  // namespace isolde::proxy::capture
