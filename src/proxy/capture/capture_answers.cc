// What the server answers.
#include <fmt/format.h>

#include <span>

#include "proxy/capture/capture.h"
#include "proxy/postgres/numbers.h"
#include "proxy/postgres/rows.h"

namespace isolde::proxy::capture {
namespace {

using postgres::message;

const Step kNoStep{.kind = Kind::kUnclear, .name = {}, .why_not = "more answers than statements"};
constexpr std::size_t kVersionColumns = 3;  // table, place, transaction; the key follows

// One part of a key of several columns: no two keys are the same text.
std::string escaped(std::string_view part) {
  std::string out;
  for (const char c : part) {
    if (c == '/' || c == '%') {
      out += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

char kind_of_row(const Plan& plan) {
  switch (plan.steps[0].kind) {
    case Kind::kWrite:
      return 'w';
    case Kind::kDelete:
      return 'd';
    default:
      return plan.lock == Lock::kUpdate ? 'l' : plan.lock == Lock::kShare ? 's' : 'r';
  }
}

}  // namespace

void Capture::server(char type, std::string_view body, const postgres::Answers::Fit& fit, ByteQueue& to_client) {
  if (fit.answers) pop_before(fit.owed.number);
  Task* const task =
      fit.answers && !tasks_.empty() && tasks_.front().number == fit.owed.number ? &tasks_.front() : nullptr;
  switch (type) {
    case 'T':
      if (task != nullptr) return describe(*task, body, to_client);
      break;
    case 'D':
      if (task != nullptr && task->cuts) return data_row(*task, body, to_client);
      break;
    case 'C':
      if (task != nullptr) complete(*task, body);
      break;
    case 's':
      if (task != nullptr)
        transactions_.done({.kind = Kind::kHarmless, .name = {}, .why_not = {}}, {}, task->sent, now_);
      break;
    case 'E':
    case 'N':
      return error(type, task, body, fit, to_client);
    case 'S':
      parameter(body);
      break;
    case 'Z':
      if (!fit.answers) break;
      pop_before(fit.owed.number + 1);
      if (!body.empty()) transactions_.ready(body[0], now_);
      if (changed_tables_ && !body.empty() && body[0] == 'I') {
        changed_tables_ = false;
        facts_.changed();
      }
      break;
    default:
      break;
  }
  to_client.append(message(type, body));
}

const Step& Capture::step_of(const Task& task) const {
  if (task.what.plan == nullptr || task.step >= task.what.plan->steps.size()) return kNoStep;
  return task.what.plan->steps[task.step];
}

// The rewritten text that EXECUTE runs, among several statements.
const Plan* Capture::borrowed(const Task& task) const {
  const Step& step = step_of(task);
  if (step.kind != Kind::kExecute) return nullptr;
  const auto at = statements_.find(step.name);
  return at != statements_.end() && at->second.plan->rewritten ? at->second.plan.get() : nullptr;
}

void Capture::describe(Task& task, std::string_view body, ByteQueue& to_client) {
  const Plan* plan = task.what.plan.get();
  if (task.type == 'Q' && !task.cuts) {
    plan = borrowed(task);
    if (plan != nullptr) {
      task.cuts = task.borrows = true;
      ++cutting_;
    }
  }
  if (plan == nullptr || !plan->rewritten) return to_client.append(message('T', body));
  if (plan->returns_nothing) {
    if (task.type == 'D') to_client.append(message('n', {}));
    return;
  }
  const auto cut = postgres::without_columns(body, plan->columns_added());
  to_client.append(message('T', cut ? std::string_view(*cut) : body));
}

void Capture::data_row(Task& task, std::string_view body, ByteQueue& to_client) {
  const Plan* const plan = task.borrows ? borrowed(task) : task.what.plan.get();
  const auto row = plan == nullptr ? std::nullopt : postgres::cut_row(body, plan->columns_added());
  if (!row) {
    transactions_.doubt("a row that was not as expected");
    to_client.append(message('D', body));
    return;
  }
  if (!task.borrows) row_seen(task, *row);
  if (plan->returns_nothing) return;
  std::string head(1, 'D');
  postgres::put_u32(head, static_cast<std::uint32_t>(row->kept + 4));
  postgres::put_u16(head, row->columns);
  to_client.append(head);
  to_client.append(body.substr(2, row->kept - 2));
}

void Capture::row_seen(const Task& task, const postgres::CutRow& row) {
  const Plan& plan = *task.what.plan;
  transactions_.starts(task.sent);
  std::size_t at = 0;
  for (const Table* const table : plan.sources) {
    const std::span<const std::optional<std::string_view>> all(row.added);
    const auto columns = all.subspan(at, kVersionColumns + table->key.size());
    at += columns.size();
    // The side of an outer join that had no row.
    if (!columns[0] && !columns[1] && !columns[2]) continue;
    const auto version = postgres::version_name(columns, task.what.binary);
    if (!version || version->table != table->oid) {
      trace_.left_out("a row of another table than expected");
      continue;
    }
    std::string key;
    for (std::size_t i = kVersionColumns; i < columns.size(); ++i) {
      const std::string_view part = columns[i].value_or(std::string_view());
      key += (i == kVersionColumns ? "" : "/") + (table->key.size() > 1 ? escaped(part) : std::string(part));
    }
    transactions_.row({.kind = kind_of_row(plan),
                       .table = table,
                       .plan = task.what.plan,
                       .key = std::move(key),
                       .version = *version,
                       .before = task.sent,
                       .after = task.sent - 1});
  }
}

void Capture::complete(Task& task, std::string_view body) {
  if (task.type != 'E' && task.type != 'Q') return;
  const Step& step = step_of(task);
  std::string_view rest = body;
  transactions_.starts(task.sent);
  if (&step == &kNoStep) transactions_.doubt(kNoStep.why_not);
  transactions_.done(step, postgres::take_text(rest).value_or(std::string_view()), task.sent, now_);
  if (step.changes_path) path_known_ = false;
  if (step.kind == Kind::kSchema) {
    changed_tables_ = true;
    facts_.changed();
  }
  if (step.forgets) {
    if (step.name.empty()) {
      statements_.clear();
    } else if (const auto at = statements_.find(step.name); at != statements_.end()) {
      statements_.erase(at);
    }
  }
  count(task, step);
  if (task.step == 0) log(task, {});
  if (task.borrows) {
    task.cuts = task.borrows = false;
    --cutting_;
  }
  if (task.type == 'Q') ++task.step;
}

// A text of several statements is logged once, with its first answer.
void Capture::log(const Task& task, std::string_view error) const {
  if (log_ == nullptr || task.what.sql == nullptr || (task.type != 'E' && task.type != 'Q')) return;
  log_->statement(session_, *task.what.sql,
                  task.what.parameters == nullptr ? std::string_view() : std::string_view(*task.what.parameters),
                  error);
}

void Capture::count(const Task& task, const Step& step) {
  if (task.what.plan != nullptr && task.what.plan->rewritten && !task.borrows) {
    trace_.judged();
  } else if (!step.why_not.empty()) {
    trace_.left_out(step.why_not);
  }
}

void Capture::error(char type, Task* task, std::string_view body, const postgres::Answers::Fit& fit,
                    ByteQueue& to_client) {
  if (task != nullptr && task->what.length > 0) {
    to_client.append(message(type, postgres::with_place_moved(body, task->what.from, task->what.length)));
  } else {
    to_client.append(message(type, body));
  }
  if (type == 'N') return;
  const std::string_view severity = postgres::error_field(body, 'V');
  if (severity == "FATAL" || severity == "PANIC") return closed();
  if (!fit.answers) return;
  if (task != nullptr && task->what.length > 0 && postgres::error_field(body, 'C').starts_with("42")) {
    // A name or a privilege: it may be gone since the server was asked.
    planner_.set_unchecked(task->what.plan);
    facts_.changed();
  }
  if (task != nullptr && (task->type == 'E' || task->type == 'Q')) {
    transactions_.starts(task->sent);
    transactions_.failed(step_of(*task));
    if (task->step == 0) log(*task, postgres::error_field(body, 'M'));
  } else {
    transactions_.failed({});
  }
  // The request itself, if it gave something a name, and those behind it.
  if (fit.dropped_to > 0) drop(fit.owed.number, fit.dropped_to);
}

void Capture::parameter(std::string_view body) {
  const auto name = postgres::take_text(body);
  const auto value = name ? postgres::take_text(body) : std::nullopt;
  if (!value) return;
  if (*name == "client_encoding") utf8_ = *value == "UTF8";
  if (*name == "standard_conforming_strings") plain_strings_ = *value == "on";
}

}  // namespace isolde::proxy::capture
