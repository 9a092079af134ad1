#include "probe/transcript.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::probe {
namespace {

constexpr std::size_t kSqlWidth = 58;

std::string words_of(RequestKind kind, std::string_view sql) {
  switch (kind) {
    case RequestKind::kBegin:
      return "begin";
    case RequestKind::kCommit:
      return "commit";
    case RequestKind::kRollBack:
      return "rollback";
    case RequestKind::kStatement:
    case RequestKind::kPrepared:
      break;
  }
  return std::string(sql);
}

std::string outcome_text(const Step& step, const StepRecord& record) {
  const db::Reply& reply = record.reply;
  if (!reply.done()) {
    std::string text = fmt::format("{}: {}", reply.failure.code, reply.failure.text);
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (reply.fate == db::Fate::kStatementFailed) return text + " (the transaction goes on)";
    return text + (reply.fate == db::Fate::kLost ? "" : " (rolled back)");
  }
  switch (step.kind) {
    case RequestKind::kBegin:
      return "begun";
    case RequestKind::kCommit:
      return "committed";
    case RequestKind::kRollBack:
      return "rolled back";
    case RequestKind::kStatement:
    case RequestKind::kPrepared:
      break;
  }
  if (reply.width > 0) return rows_text(reply);
  return fmt::format("{} row{} changed", reply.changed, reply.changed == 1 ? "" : "s");
}

std::string event_text(const std::vector<Step>& steps, const Transcript& t, const Event& event) {
  const Step& step = steps[event.step];
  const StepRecord& record = t.steps[event.step];
  switch (event.kind) {
    case Event::Kind::kWaits:
      return "waits for a lock";
    case Event::Kind::kNoAnswer:
      return "does not answer; the server does not report it as waiting";
    case Event::Kind::kNotSent:
      return record.missing.empty() ? "not sent: its transaction has ended" : "not sent: " + record.missing;
    case Event::Kind::kGivenUp:
      return "given up: nothing was left that could release it";
    case Event::Kind::kAnswered:
      break;
  }
  std::string text = outcome_text(step, record);
  if (record.wait != Wait::kNone && record.let_go_by != kNoStep) {
    const Step& by = steps[record.let_go_by];
    text += fmt::format("  <- after T{}: {}", by.transaction + 1, words_of(by.kind, t.steps[record.let_go_by].sql));
  }
  return text;
}

}  // namespace

std::string_view name(End end) {
  constexpr std::string_view kNames[] = {"not begun", "committed", "rolled back", "aborted", "given up", "unknown"};
  return kNames[static_cast<std::size_t>(end)];
}

std::string_view name(Event::Kind kind) {
  constexpr std::string_view kNames[] = {"answered", "waits", "no answer", "not sent", "given up"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool Transcript::waited() const {
  return std::any_of(steps.begin(), steps.end(), [](const StepRecord& s) { return s.wait != Wait::kNone; });
}

bool Transcript::unanswered() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const StepRecord& s) { return s.wait == Wait::kNoAnswer || s.reply.fate == db::Fate::kLost; });
}

const db::Failure* Transcript::failure() const {
  const db::Failure* other = nullptr;
  for (const Event& event : events) {
    const StepRecord& record = steps[event.step];
    if (event.kind != Event::Kind::kAnswered || record.reply.done()) continue;
    if (record.reply.fate != db::Fate::kStatementFailed) return &record.reply.failure;
    if (other == nullptr) other = &record.reply.failure;
  }
  return other;
}

std::string cell_text(const db::Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return fmt::format("'{}'", *text);
  return "null";
}

std::string rows_text(const db::Reply& reply) {
  if (reply.rows() == 0) return "nothing";
  std::string out;
  for (std::size_t r = 0; r < reply.rows(); ++r) {
    out += r == 0 ? "(" : ", (";
    for (std::size_t c = 0; c < reply.width; ++c) {
      if (c > 0) out += ", ";
      out += cell_text(reply.at(r, c));
    }
    out += ")";
  }
  return out;
}

std::string transcript_text(const std::vector<Step>& steps, const Transcript& transcript) {
  std::string out;
  std::vector<bool> told(steps.size(), false);
  for (const Event& event : transcript.events) {
    const Step& step = steps[event.step];
    // A begin that went well at once says nothing.
    if (step.kind == RequestKind::kBegin && event.kind == Event::Kind::kAnswered &&
        transcript.steps[event.step].done() && !told[event.step])
      continue;
    if (step.kind == RequestKind::kBegin && event.kind == Event::Kind::kNotSent) continue;
    const std::string sql = told[event.step]
                                ? "    …"
                                : words_of(step.kind, transcript.steps[event.step].sql.empty()
                                                          ? std::string_view(step.sql)
                                                          : std::string_view(transcript.steps[event.step].sql));
    told[event.step] = true;
    const std::string who = fmt::format("T{}", step.transaction + 1);
    out += fmt::format("  {:<4}{:<{}}  {}\n", who, sql, kSqlWidth, event_text(steps, transcript, event));
  }
  return out;
}

}  // namespace isolde::probe
