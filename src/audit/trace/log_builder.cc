#include "audit/trace/log_builder.h"

#include <algorithm>
#include <tuple>

#include "audit/trace/sql_scan.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kKeptUnread = 1000;
constexpr std::size_t kKeptText = 200;

}  // namespace

void LogBuilder::begin_trace(const TraceFacts& facts) {
  dialect_ = facts.dialect;
  log_.facts = facts;
  log_.shapes = ShapeTable(facts.dialect);
}

LogBuilder::Session& LogBuilder::session(std::uint32_t number) {
  if (number == cached_number_) return *cached_;
  const auto [it, is_new] = sessions_.try_emplace(number);
  if (is_new) {
    it->second.autocommit = log_.facts.starts_in_autocommit;
    ++log_.sessions;
  }
  cached_number_ = number;
  cached_ = &it->second;
  return it->second;
}

void LogBuilder::statement(const TraceEvent& event) {
  ++event_;
  Session& s = session(event.session);
  settle(event.session, s);
  if (event.time_us != kNoTime) s.now = event.time_us;
  const ControlStatement found = control_of(event.sql, dialect_);
  if (found.commits_before) end(s, TxnOutcome::kCommitted);
  if (found.commits_before) settle(event.session, s);
  if (found.what == Control::kData) return data(s, event);
  s.last = Last::kOther;
  note_mark(s, event.sql, dialect_, found);
  if (found.what == Control::kNoData) {
    ++log_.no_data_statements;
  } else {
    ++log_.control_statements;
    control(s, found);
  }
}

void LogBuilder::note_mark(Session& s, std::string_view sql, SqlDialect dialect, const ControlStatement& found) {
  if (s.is_open) return;
  sql = trimmed(sql, dialect);
  const std::string_view first = first_word(sql);
  const std::string_view second = first_word(trimmed(sql.substr(first.size()), dialect));
  if (found.what == Control::kRollback) {
    s.marks |= kMarkRollback;
  } else if (is_any(first, {"discard", "reset", "deallocate"}) && same_word(second, "all")) {
    s.marks |= kMarkDiscard;
  } else if (found.what == Control::kAutocommit) {
    if (found.on && s.autocommit) s.marks |= kMarkAutocommit;
  } else if (same_word(first, "set") && is_any(second, {"names", "character", "charset"})) {
    s.marks |= kMarkNames;
  } else if (same_word(first, "set") && (found.what == Control::kNoData || found.for_session)) {
    s.marks |= kMarkSet;
  }
}

std::uint32_t LogBuilder::tag_of(std::string_view sql) {
  RequestTag tag = request_tag(sql);
  if (tag.empty()) return kNone32;
  const auto [place, is_new] = tags_.try_emplace(std::move(tag), static_cast<std::uint32_t>(log_.tags.size()));
  if (is_new) log_.tags.push_back(place->first);
  return place->second;
}

void LogBuilder::control(Session& s, const ControlStatement& found) {
  switch (found.what) {
    case Control::kBegin:
      if (dialect_ == SqlDialect::kMysql) end(s, TxnOutcome::kCommitted);
      if (!s.is_open) begin(s, false);
      s.of_message = false;
      if (found.level != SaidLevel::kNothing) s.open.level = found.level;
      break;
    case Control::kSetLevel:
      set_level(s, found);
      break;
    case Control::kCommit:
    case Control::kRollback:
      end(s, found.what == Control::kCommit ? TxnOutcome::kCommitted : TxnOutcome::kRolledBack);
      if (found.chain) begin(s, false);
      break;
    case Control::kPrepareTransaction:
      if (s.is_open) s.open.prepared = found.name;
      end(s, TxnOutcome::kCommitted);
      break;
    case Control::kRollbackPrepared:
      if (const auto it = prepared_.find(std::string(found.name)); it != prepared_.end())
        log_.transactions[it->second].outcome = TxnOutcome::kRolledBack;
      break;
    case Control::kSavepoint:
      if (!s.is_open && dialect_ == SqlDialect::kSqlite) {
        begin(s, false);
        s.savepoints.push_back({lower_case(found.name), 0, true});
      } else if (s.is_open || !s.autocommit) {
        if (!s.is_open) begin(s, false);
        s.savepoints.push_back({lower_case(found.name), s.open.statements.size()});
      }
      break;
    case Control::kRelease:
      release(s, found.name);
      break;
    case Control::kRollbackTo:
      roll_back_to(s, found.name);
      break;
    case Control::kAutocommit:
      if (found.on && !s.autocommit) end(s, TxnOutcome::kCommitted);
      s.autocommit = found.on;
      break;
    case Control::kCommitPrepared:
    case Control::kData:
    case Control::kNoData:
      break;
  }
}

void LogBuilder::set_level(Session& s, const ControlStatement& found) {
  if (found.for_session) {
    s.level = found.level;
  } else if (dialect_ == SqlDialect::kMysql) {
    s.next = found.level;
  } else if (s.is_open) {
    s.open.level = found.level;
  }
}

void LogBuilder::data(Session& s, const TraceEvent& event) {
  s.last = Last::kStatement;
  TraceStatement statement{};
  statement.first_literal = static_cast<std::uint32_t>(log_.literals.size());
  statement.shape = log_.shapes.intern(event.sql, log_.literals);
  statement.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(event.line, kNone32));
  const bool alone = !s.is_open && s.autocommit && !s.in_message;
  if (!s.is_open) begin(s, s.in_message);
  s.open.statements.push_back(statement);
  if (s.open.tag == kNone32) s.open.tag = tag_of(event.sql);
  s.open.autocommit = alone;
  if (alone) end(s, TxnOutcome::kCommitted);
  // What nothing can undo any more need not wait.
  if (alone && dialect_ == SqlDialect::kMysql) settle(event.session, s);
}

void LogBuilder::begin(Session& s, bool of_message) {
  s.is_open = true;
  s.of_message = of_message;
  s.poisoned = false;
  s.savepoints.clear();
  s.open.statements.clear();
  s.open.begun = event_;
  s.open.autocommit = false;
  s.open.level = s.next != SaidLevel::kNothing ? s.next : s.level;
  s.next = SaidLevel::kNothing;
  s.open.prepared.clear();
  s.open.tag = kNone32;
  s.open.begun_us = s.now;
  s.open.marks = s.marks;
  s.marks = 0;
}

void LogBuilder::end(Session& s, TxnOutcome outcome) {
  if (!s.is_open) return;
  s.is_open = false;
  s.open.ended = event_;
  s.open.ended_us = s.now;
  s.open.outcome = s.poisoned ? TxnOutcome::kRolledBack : outcome;
  std::swap(s.open, s.ended);
  s.has_ended = true;
}

void LogBuilder::roll_back_to(Session& s, std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto found =
      std::find_if(s.savepoints.rbegin(), s.savepoints.rend(), [&](const Savepoint& p) { return p.name == wanted; });
  if (!s.is_open || found == s.savepoints.rend()) return;
  s.open.statements.resize(std::min(found->statements, s.open.statements.size()));
  s.savepoints.erase(found.base(), s.savepoints.end());
  s.poisoned = false;
}

void LogBuilder::release(Session& s, std::string_view name) {
  const std::string wanted = lower_case(name);
  const auto found =
      std::find_if(s.savepoints.rbegin(), s.savepoints.rend(), [&](const Savepoint& p) { return p.name == wanted; });
  if (!s.is_open || found == s.savepoints.rend()) return;
  const bool commits = found->begins;
  s.savepoints.erase(std::prev(found.base()), s.savepoints.end());
  if (commits) end(s, TxnOutcome::kCommitted);
}

void LogBuilder::failed(std::uint32_t number) {
  Session& s = session(number);
  const Last last = s.last;
  s.last = Last::kNothing;
  ++log_.failed_statements;
  if (s.is_open) {
    if (last == Last::kStatement && !s.open.statements.empty()) s.open.statements.pop_back();
    s.poisoned = dialect_ == SqlDialect::kPostgres;
  } else if (s.has_ended && last != Last::kNothing) {
    // A COMMIT that failed has rolled back; so has a message of several statements. One by itself did nothing.
    s.ended.outcome = TxnOutcome::kRolledBack;
    if (s.ended.autocommit) s.has_ended = false;
  }
}

void LogBuilder::begin_message(std::uint32_t number) {
  Session& s = session(number);
  settle(number, s);
  s.in_message = true;
}

void LogBuilder::end_message(std::uint32_t number) {
  Session& s = session(number);
  s.in_message = false;
  if (s.is_open && s.of_message) end(s, TxnOutcome::kCommitted);
}

void LogBuilder::end_of_session(std::uint32_t number) {
  const auto it = sessions_.find(number);
  if (it == sessions_.end()) return;
  ++event_;
  settle(number, it->second);
  end(it->second, TxnOutcome::kRolledBack);
  settle(number, it->second);
  if (it->second.touched_rows) {
    if (number >= log_.closed_sessions.size()) log_.closed_sessions.resize(number + 1);
    log_.closed_sessions[number] = true;
  }
  sessions_.erase(it);
  cached_number_ = kNone32;
}

void LogBuilder::not_read(std::uint64_t line, std::string_view text, std::string_view why) {
  ++log_.unread_count;
  if (log_.unread.size() < kKeptUnread)
    log_.unread.push_back({line, std::string(text.substr(0, kKeptText)), std::string(why)});
}

void LogBuilder::settle(std::uint32_t number, Session& s) {
  if (!s.has_ended) return;
  s.has_ended = false;
  tell(number, s, s.ended);
}

void LogBuilder::tell(std::uint32_t number, Session& s, Draft& draft) {
  if (draft.statements.empty()) {
    ++log_.empty_transactions;
    (s.is_open ? s.open.marks : s.marks) |= draft.marks;
    return;
  }
  s.touched_rows = true;
  if (!draft.prepared.empty()) prepared_[draft.prepared] = log_.transactions.size();
  log_.transactions.push_back({number, static_cast<std::uint32_t>(log_.statements.size()),
                               static_cast<std::uint32_t>(draft.statements.size()), draft.outcome, draft.autocommit,
                               draft.begun, draft.ended, draft.level, draft.marks, draft.tag, draft.begun_us,
                               draft.ended_us});
  log_.statements.insert(log_.statements.end(), draft.statements.begin(), draft.statements.end());
}

void LogBuilder::finish() {
  std::vector<std::uint32_t> numbers;
  for (const auto& entry : sessions_) numbers.push_back(entry.first);
  std::ranges::sort(numbers);
  ++event_;
  for (const std::uint32_t number : numbers) {
    Session& s = sessions_[number];
    settle(number, s);
    end(s, TxnOutcome::kOpen);
    settle(number, s);
  }
  sessions_.clear();
  cached_number_ = kNone32;
  std::ranges::sort(log_.transactions, {},
                    [](const TraceTransaction& t) { return std::tuple(t.ended, t.begun, t.first_statement); });
}

}  // namespace isolde::audit
