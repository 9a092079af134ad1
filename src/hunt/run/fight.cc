#include "hunt/run/fight.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/run/contents.h"
#include "hunt/run/refusals.h"
#include "hunt/run/sent.h"

namespace isolde::hunt {
namespace {

using probe::Event;
using probe::kNoStep;
using probe::Request;
using probe::RequestKind;
using probe::Step;
using probe::StepRecord;
using probe::Transcript;

Result<std::vector<const Table*>> tables_named(const Schema& schema, const std::vector<std::string>& names) {
  std::vector<const Table*> tables;
  for (const Table& table : schema.tables) {
    if (std::find(names.begin(), names.end(), table.name) != names.end()) tables.push_back(&table);
  }
  for (const std::string& name : names) {
    if (std::none_of(tables.begin(), tables.end(), [&](const Table* table) { return table->name == name; }))
      return Error{fmt::format("a statement reads or writes {}, which is no table of the schema", name)};
  }
  return tables;
}

Result<void> read_around(const Case& test, const Statement& statement, std::string_view dialect, Step& step) {
  const auto seen = tables_named(test.schema, statement.reads);
  const auto left = tables_named(test.schema, statement.writes);
  if (!seen || !left) return seen ? left.error() : seen.error();
  if (!seen->empty()) step.before.push_back({RequestKind::kPrepared, contents_sql(*seen, dialect)});
  if (!statement.before.empty()) step.before.push_back({RequestKind::kStatement, statement.before});
  if (!left->empty()) step.after.push_back({RequestKind::kPrepared, contents_sql(*left, dialect)});
  return {};
}

// As Statement::sent says: last of what comes before it, first of what comes after.
void send_as_asked(const Statement& statement, std::string_view dialect, Step& step) {
  SentSql sent = sent_sql(statement, dialect, Preparer::kDriver);
  for (std::string& sql : sent.before) step.before.push_back({RequestKind::kStatement, std::move(sql)});
  step.sql = std::move(sent.sql);
  step.prepared = sent.by_driver;
  std::vector<Request> after;
  for (std::string& sql : sent.after) after.push_back({RequestKind::kStatement, std::move(sql)});
  step.after.insert(step.after.begin(), after.begin(), after.end());
}

// What was read around it; of one that failed, what came before it.
Result<void> take_reads(const Case& test, const Statement& statement, bool begins, const StepRecord& record,
                        StatementRun& run) {
  std::size_t at = begins ? 1 : 0;
  if (!statement.reads.empty() && at < record.before.size()) {
    auto seen = contents_of(*tables_named(test.schema, statement.reads), record.before[at++]);
    if (!seen) return std::move(seen).error();
    run.seen = *std::move(seen);
  }
  if (!statement.before.empty() && at < record.before.size()) {
    auto pkeys = pkeys_of(record.before[at++]);
    if (!pkeys) return std::move(pkeys).error();
    run.about_to_change = *std::move(pkeys);
  }
  if (!statement.writes.empty() && !record.after.empty()) {
    auto left = contents_of(*tables_named(test.schema, statement.writes), record.after.back());
    if (!left) return std::move(left).error();
    run.left = *std::move(left);
  }
  return {};
}

Ended ended_as(probe::End end) {
  switch (end) {
    case probe::End::kCommitted:
      return Ended::kCommitted;
    case probe::End::kRolledBack:
      return Ended::kRolledBack;
    case probe::End::kUnknown:
      return Ended::kUnknown;
    case probe::End::kNotBegun:
    case probe::End::kAborted:
    case probe::End::kGivenUp:
      break;
  }
  return Ended::kAborted;
}

// How long no transaction but its own had been open when a step was answered.
std::chrono::milliseconds alone_for(const Transcript& t, std::size_t transaction, const StepRecord& record) {
  std::chrono::milliseconds others_ended = record.sent;
  for (std::size_t other = 0; other < t.ends.size(); ++other) {
    if (other == transaction || t.ends[other].end == probe::End::kNotBegun) continue;
    others_ended = std::max(others_ended, t.ends[other].at);
  }
  return std::max(record.answered - others_ended, std::chrono::milliseconds(0));
}

// Of every step, whether another transaction's was answered after it was sent and before it was answered itself.
std::vector<bool> apart_steps(const Script& script, const Transcript& t) {
  std::vector<bool> apart(script.steps.size(), false);
  std::vector<std::size_t> waits;  // those that wait, as of the event that is looked at
  for (const Event& event : t.events) {
    if (event.kind == Event::Kind::kNotSent) continue;
    if (event.kind == Event::Kind::kWaits || event.kind == Event::Kind::kNoAnswer) {
      waits.push_back(event.step);
      continue;
    }
    std::erase(waits, event.step);
    for (const std::size_t step : waits) apart[step] = true;
    // It was let go by a statement, in the middle of it.
    if (const std::size_t by = t.steps[event.step].let_go_by; by != kNoStep) apart[by] = true;
  }
  return apart;
}

}  // namespace

Ran ran_as(const db::Reply& reply) {
  if (reply.done()) return Ran::kDone;
  return refusal_of(reply.failure.code) == Refusal::kLimit ? Ran::kTimedOut : Ran::kFailed;
}

Result<Script> script_of(const Case& test, std::string_view dialect, bool instrumented) {
  Script script;
  std::vector<std::uint32_t> turns(test.transactions.size(), 0);
  for (const std::uint32_t t : test.order) {
    if (t >= turns.size() || turns[t] > test.transactions[t].statements.size())
      return Error{fmt::format("the order has a turn too many of T{}", t + 1)};
    const Transaction& transaction = test.transactions[t];
    const std::uint32_t s = turns[t]++;
    Step step{t, transaction.commits ? RequestKind::kCommit : RequestKind::kRollBack, {}};
    if (s == 0) step.before.push_back({RequestKind::kBegin, {}});
    if (s < transaction.statements.size()) {
      const Statement& statement = transaction.statements[s];
      step.kind = RequestKind::kStatement;
      step.sql = statement.sql;
      if (instrumented) {
        if (auto added = read_around(test, statement, dialect, step); !added) return std::move(added).error();
      }
      send_as_asked(statement, dialect, step);
    }
    script.steps.push_back(std::move(step));
    script.places.push_back({t, s});
  }
  for (std::uint32_t t = 0; t < turns.size(); ++t) {
    if (turns[t] != test.transactions[t].statements.size() + 1)
      return Error{fmt::format("the order has a turn too few of T{}", t + 1)};
  }
  return script;
}

Execution execution_of(const Case& test, const Script& script, Transcript transcript, bool instrumented) {
  Execution execution;
  for (const Transaction& transaction : test.transactions) execution.runs.emplace_back(transaction.statements.size());
  execution.end_failures.resize(test.transactions.size());
  for (std::size_t t = 0; t < test.transactions.size(); ++t)
    execution.ends.push_back(t < transcript.ends.size() ? ended_as(transcript.ends[t].end) : Ended::kAborted);
  for (const Event& event : transcript.events) {
    if (event.kind == Event::Kind::kAnswered || event.kind == Event::Kind::kGivenUp)
      execution.answered.push_back(script.places[event.step]);
  }
  if (transcript.fault) {
    execution.fault = std::move(transcript.fault);
    if (transcript.fault_at != kNoStep) execution.fault_at = script.places[transcript.fault_at];
  }
  const std::vector<bool> apart = apart_steps(script, transcript);
  for (std::size_t i = 0; i < script.steps.size(); ++i) {
    StepRecord& record = transcript.steps[i];
    execution.lost |= record.reply.fate == db::Fate::kLost;
    const Place place = script.places[i];
    const RequestKind kind = script.steps[i].kind;
    if (kind == RequestKind::kCommit || kind == RequestKind::kRollBack)
      execution.end_failures[place.transaction] = record.reply.failure;
    if (record.state == StepRecord::State::kNotSent || script.steps[i].kind != RequestKind::kStatement) continue;
    StatementRun& run = execution.runs[place.transaction][place.statement];
    run.ran = record.state == StepRecord::State::kGivenUp ? Ran::kTimedOut : ran_as(record.reply);
    run.apart = apart[i];
    run.around = record.around;
    run.waited = record.wait != probe::Wait::kNone;
    run.taken = record.answered - record.sent;
    if (run.waited) run.waited_for_nobody = alone_for(transcript, place.transaction, record);
    if (instrumented) {
      auto taken = take_reads(test, at(test, place), place.statement == 0, record, run);
      if (!taken && !execution.fault) {
        execution.fault = std::move(taken).error();
        execution.fault_at = place;
      }
    }
    run.reply = std::move(record.reply);
  }
  return execution;
}

}  // namespace isolde::hunt
