#include "proxy/values/value_capture.h"

#include <algorithm>

#include "base/ascii.h"
#include "db/mariadb/mariadb_errors.h"
#include "proxy/mysql/numbers.h"

namespace isolde::proxy::values {
namespace {

using mysql::Command;
using mysql::Meaning;

constexpr std::uint64_t kLastPrepared = 0xffffffff;  // MariaDB: the statement that was prepared last
constexpr std::size_t kExecuteHead = 10;             // command, statement, flags, iterations

bool is_utf8_name(std::string_view name) { return name.starts_with("utf8"); }

bool holds_word(const Statement& statement, std::string_view word) {
  return std::find(statement.names.begin(), statement.names.end(), word) != statement.names.end();
}

bool may_write(Doing doing) {
  return doing == Doing::kInsert || doing == Doing::kReplace || doing == Doing::kUpdate || doing == Doing::kDelete ||
         doing == Doing::kWritesOthers || doing == Doing::kSchema || doing == Doing::kAnything;
}

}  // namespace

void ValueCapture::logged_in(const mysql::Login& login) {
  session_ = trace_.next_session();
  capabilities_ = login.capabilities;
  schema_ = login.database;
  utf8_ = login.utf8;
  records_ = true;
  transactions_.set_level(catalogue_.level());
}

const FollowedTable* ValueCapture::table_of(const Statement& statement) const {
  return catalogue_.table(statement.schema, statement.table, schema_);
}

// What may write more than can be said touches its tables before the server hears of it: from then on nothing that
// anybody reads of them is judged.
void ValueCapture::touch_before(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (!may_write(statement.doing)) {
      if (catalogue_.names_a_routine(statement.names))
        trace_.touched(catalogue_.touched_by(statement.names), "a stored routine");
      continue;
    }
    const FollowedTable* const table = table_of(statement);
    switch (statement.doing) {
      case Doing::kSchema:
        if (holds_word(statement, "temporary")) blind_ = true;
        if (holds_word(statement, "view")) catalogue_.add_view(statement.names);
        if (holds_word(statement, "trigger") || holds_word(statement, "event") || holds_word(statement, "procedure") ||
            holds_word(statement, "function")) {
          trace_.touched({.everything = true, .tables = {}}, "a trigger, routine or event that was made");
        } else if (!holds_word(statement, "lock") && !holds_word(statement, "flush") &&
                   !holds_word(statement, "analyze") && !holds_word(statement, "grant") &&
                   !holds_word(statement, "revoke")) {
          trace_.touched(catalogue_.touched_by(statement.names), "a statement that changes tables");
        }
        break;
      case Doing::kAnything:
        if (holds_word(statement, "call")) {
          trace_.touched(catalogue_.touched_by(statement.names), "a stored routine");
        } else {
          trace_.touched({.everything = true, .tables = {}}, "a statement that may do anything (EXECUTE, XA, …)");
        }
        break;
      default:
        if (statement.doing == Doing::kWritesOthers || blind_ || table == nullptr ||
            catalogue_.names_a_routine(statement.names))
          trace_.touched(catalogue_.touched_by(statement.names), "a write whose rows are not named by their key");
    }
  }
}

void ValueCapture::command(std::uint64_t number, const mysql::Packet& packet) {
  if (!records_) return;
  const auto command = static_cast<Command>(packet.first());
  const std::string_view rest = packet.body.empty() ? packet.body : packet.body.substr(1);
  Task task{.number = number, .command = command};
  task.sent = now_;
  trace_.open_since(session_, now_);
  switch (command) {
    case Command::kQuery:
    case Command::kPrepare: {
      auto statements = std::make_shared<std::vector<Statement>>(reader_.read(rest));
      if (!packet.whole()) {
        // Only its beginning is there. The tables that it writes stand there in what clients send of that length.
        for (Statement& statement : *statements) {
          if (statement.doing == Doing::kInsert || statement.doing == Doing::kReplace)
            statement.doing = Doing::kWritesOthers;
          else if (may_write(statement.doing) || statement.doing == Doing::kNothing)
            statement.doing = Doing::kAnything;
          statement.plain = statement.by_where = false;
        }
      }
      if (command == Command::kQuery) touch_before(*statements);
      task.statements = std::move(statements);
      break;
    }
    case Command::kExecute:
    case Command::kBulkExecute:
    case Command::kFetch:
      task.body = std::string(packet.body);
      if (!packet.whole()) task.body.clear();
      // Pipelined behind its own preparation: then its statements wait for that in the queue.
      if (command != Command::kFetch) {
        const auto waiting = std::find_if(tasks_.rbegin(), tasks_.rend(),
                                          [](const Task& one) { return one.command == Command::kPrepare; });
        const std::uint64_t id = mysql::Reader(rest).integer(4);
        const auto at = prepared_.find(id == kLastPrepared ? last_prepared_ : id);
        if (id == kLastPrepared && waiting != tasks_.rend()) {
          touch_before(*waiting->statements);
        } else if (at != prepared_.end()) {
          touch_before(*at->second.statements);
        }
      }
      break;
    case Command::kLongData: {
      mysql::Reader reader(rest);
      const auto at = prepared_.find(reader.integer(4));
      const std::size_t place = reader.integer(2);
      if (at == prepared_.end() || !reader.good()) return;
      if (at->second.sent_apart.size() <= place) at->second.sent_apart.resize(place + 1);
      at->second.sent_apart[place] = true;
      return;
    }
    case Command::kCloseStatement:
      prepared_.erase(mysql::Reader(rest).integer(4));
      return;
    case Command::kQuit:
      return;
    case Command::kInitDb:
    case Command::kChangeUser:
    case Command::kResetStatement:
      task.body = std::string(packet.body);
      break;
    default:
      break;
  }
  tasks_.push_back(std::move(task));
}

// Which statement is carried out, and with which values.
void ValueCapture::read_execution(Task& task) {
  task.resolved = true;
  mysql::Reader reader(task.body);
  static_cast<void>(reader.integer(1));
  std::uint64_t id = reader.integer(4);
  if (id == kLastPrepared) id = last_prepared_;
  const auto at = prepared_.find(id);
  if (!reader.good() || at == prepared_.end()) return;
  Prepared& prepared = at->second;
  task.statements = prepared.statements;
  const bool understood = task.command == Command::kExecute && task.body.size() >= kExecuteHead &&
                          parameters_seen(std::string_view(task.body).substr(kExecuteHead), prepared.parameters,
                                          prepared.types, prepared.sent_apart, task.parameters);
  if (!understood) task.parameters.assign(prepared.parameters, FieldSeen{});
  prepared.sent_apart.clear();
}

const Statement* ValueCapture::statement_of(const Task& task) const {
  if (task.statements == nullptr || task.step >= task.statements->size()) return nullptr;
  return &(*task.statements)[task.step];
}

void ValueCapture::answer(const mysql::Answer& answer, const mysql::Packet& packet) {
  if (!records_) return;
  while (!tasks_.empty() && tasks_.front().number < answer.number) tasks_.pop_front();
  if (tasks_.empty() || tasks_.front().number != answer.number) return;
  Task& task = tasks_.front();
  const bool executes = task.command == Command::kExecute || task.command == Command::kBulkExecute;
  const bool runs = executes || task.command == Command::kQuery;
  if (executes && !task.resolved) read_execution(task);
  switch (answer.meaning) {
    case Meaning::kColumnCount:
      result_ = {};
      break;
    case Meaning::kColumn:
      if (!runs) break;
      if (auto column = column_seen(packet.body, (capabilities_ & mysql::kExtendedMetadata) != 0)) {
        result_.columns.push_back(*std::move(column));
      } else {
        result_.columns.emplace_back();
      }
      break;
    case Meaning::kRow:
      ++result_.rows;
      if (const Statement* const statement = runs ? statement_of(task) : nullptr;
          statement != nullptr && statement->plain && !blind_ && packet.whole())
        row(task, *statement, packet.body);
      break;
    case Meaning::kPrepared:
      last_prepared_ = answer.count;
      prepared_[answer.count] = {.statements = task.statements,
                                 .parameters = mysql::Reader(packet.body.substr(7)).integer(2)};
      break;
    case Meaning::kOk:
    case Meaning::kRowsEnd:
    case Meaning::kColumnsEnd:
      if (answer.meaning == Meaning::kColumnsEnd && !answer.finished) break;
      if (runs) {
        carried_out(task, answer, packet.body);
      } else if (task.command == Command::kInitDb) {
        schema_ = task.body.substr(1);
      } else if (task.command == Command::kChangeUser || task.command == Command::kResetConnection) {
        transactions_.lost(false, {}, now_);
        prepared_.clear();
        if (const auto changed = mysql::changed_user(task.body, capabilities_);
            task.command == Command::kChangeUser && changed)
          schema_ = changed->database;
        utf8_ = false;  // nobody knows what the new one has
        transactions_.set_level(catalogue_.level());
      } else if (task.command == Command::kResetStatement) {
        const auto at = prepared_.find(mysql::Reader(std::string_view(task.body).substr(1)).integer(4));
        if (at != prepared_.end()) at->second.sent_apart.clear();
      }
      break;
    case Meaning::kError:
      if (runs) failed(task, packet.body);
      break;
    default:
      break;
  }
  if (!answer.finished) return;
  tasks_.pop_front();
  if (tasks_.empty() && !transactions_.is_open()) trace_.open_since(session_, 0);
}

Value ValueCapture::value_of(const Task& task, const Term& term, ColumnKind kind) const {
  switch (term.kind) {
    case Term::Kind::kNull:
      return {Value::Kind::kNull};
    case Term::Kind::kNumber:
      return plain_integer(term.text) ? text_value(term.text, kind, true) : Value{};
    case Term::Kind::kText:
      return text_value(term.text, kind, utf8_);
    case Term::Kind::kParameter:
      return term.parameter < task.parameters.size() ? field_value(task.parameters[term.parameter], kind, utf8_)
                                                     : Value{};
    case Term::Kind::kUnknown:
      break;
  }
  return {};
}

std::string ValueCapture::key_of(const Task& task, const Statement& statement, const FollowedTable& table,
                                 bool nothing_else) const {
  if (nothing_else && statement.where.size() != table.key.size()) return {};
  std::string key;
  for (const std::string& column : table.key) {
    const auto at = std::find_if(statement.where.begin(), statement.where.end(),
                                 [&](const Named& named) { return same_ignoring_case(named.column, column); });
    if (at == statement.where.end()) return {};
    const Value value = value_of(task, at->value, ColumnKind::kInteger);
    if (value.kind != Value::Kind::kInteger) return {};
    key += (key.empty() ? "" : "/") + std::to_string(value.number);
  }
  return key;
}

void ValueCapture::controls(const Statement& statement, bool open, std::int64_t sent) {
  switch (statement.doing) {
    case Doing::kBegin:
      return transactions_.begin(sent, now_);
    case Doing::kCommit:
      return transactions_.commit(open, sent, now_);
    case Doing::kRollBack:
      return transactions_.roll_back(open, sent, now_);
    case Doing::kSavepoint:
      return transactions_.savepoint(statement.name);
    case Doing::kRelease:
      return transactions_.release(statement.name);
    case Doing::kRollBackTo:
      return transactions_.roll_back_to(statement.name);
    case Doing::kUse:
      schema_ = statement.name;
      break;
    case Doing::kNames:
      utf8_ = is_utf8_name(statement.name);
      break;
    case Doing::kLevel:
      transactions_.set_level(statement.name);
      break;
    case Doing::kLevelOnce:
      transactions_.set_next_level(statement.name);
      break;
    case Doing::kAnything:
      transactions_.doubt("a statement that may do anything (EXECUTE, XA, …)");
      break;
    default:
      break;
  }
  transactions_.done({}, open, sent, now_);
}

void ValueCapture::carried_out(Task& task, const mysql::Answer& answer, std::string_view packet) {
  const Statement* const statement = statement_of(task);
  const bool open = (answer.status & mysql::kInTransaction) != 0;
  if (statement == nullptr) {
    // An execution of something that was not seen being prepared, or a routine's further results.
    if (!task.statements || task.statements->empty() || task.statements->back().doing != Doing::kAnything) {
      trace_.touched({.everything = true, .tables = {}}, "a statement that was not seen");
      transactions_.doubt("a statement that was not seen");
    }
    transactions_.done({}, open, task.sent, now_);
  } else if (may_write(statement->doing) || statement->doing == Doing::kRead) {
    if (statement->doing == Doing::kAnything) {
      controls(*statement, open, task.sent);
    } else {
      transactions_.done(ops_of(task, *statement, answer, packet), open, task.sent, now_);
    }
  } else {
    controls(*statement, open, task.sent);
  }
  result_ = {};
  ++task.step;
}

void ValueCapture::failed(const Task& task, std::string_view packet) {
  result_ = {};
  const std::string code = std::to_string(mysql::Reader(packet.size() > 1 ? packet.substr(1) : packet).integer(2));
  const Statement* const statement = statement_of(task);
  const bool commits = statement != nullptr && statement->doing == Doing::kCommit;
  const db::ErrorRow* const row = db::find_error(commits ? db::mariadb_commit_errors() : db::mariadb_errors(), code);
  const bool timed_out = code == "1205" && catalogue_.timeouts_roll_back();
  // Errors of names and grammar are found before anything is done.
  const bool harmless = code == "1064" || code == "1146" || code == "1054" || code == "1049" || code == "1295";
  if (timed_out || (row != nullptr && row->means == db::Fate::kRolledBack))
    return transactions_.aborted(task.sent, now_);
  if (row == nullptr && !harmless) {
    transactions_.doubt("an error of which it is not known whether it ended the transaction");
  } else if (row != nullptr && row->means == db::Fate::kLost) {
    return transactions_.lost(true, {}, task.sent);
  }
  transactions_.failed();
}

void ValueCapture::lost_track() {
  if (!records_ || over_) return;
  trace_.touched({.everything = true, .tables = {}}, "a connection that could not be read further");
  transactions_.doubt("a connection that could not be read further");
  closed();
}

void ValueCapture::closed() {
  if (!records_ || over_) return;
  over_ = true;
  // The statement at hand may have been carried out, and committed.
  std::vector<ValueOp> ops;
  bool waits = false;
  for (Task& task : tasks_) {
    const bool executes = task.command == Command::kExecute || task.command == Command::kBulkExecute;
    if (executes && !task.resolved) read_execution(task);
    for (; task.statements != nullptr && task.command != Command::kPrepare && task.step < task.statements->size();
         ++task.step) {
      const Statement& statement = (*task.statements)[task.step];
      waits = true;
      if (statement.doing == Doing::kRead || !may_write(statement.doing)) continue;
      // Whatever it says that it writes, it may have written, with values that nobody confirmed.
      trace_.touched(catalogue_.touched_by(statement.names), "a statement whose answer was lost");
    }
  }
  transactions_.lost(waits, std::move(ops), now_);
  trace_.open_since(session_, 0);
}

}  // namespace isolde::proxy::values
