// audit/trace/postgres_log.cc: PostgreSQL's log as text (log_destination = stderr, log_statement = all).
//
// An entry is a line with a label, the lines after it that begin with a tab (which the server puts there), and the
// lines with the labels DETAIL, HINT, CONTEXT, STATEMENT …, each of which may go on in the same way.
#include <algorithm>
#include <string>

#include "audit/trace/postgres_events.h"
#include "audit/trace/postgres_prefix.h"
#include "audit/trace/trace_input.h"

namespace isolde::audit {
namespace {

// A text of one line is where it stands in the file; one of several is put together.
class MessageText {
 public:
  void set(std::string_view line) {
    view_ = line;
    is_copy_ = false;
  }
  void add(std::string_view line) {
    if (!is_copy_) copy_.assign(view_);
    is_copy_ = true;
    copy_.push_back('\n');
    copy_.append(line);
  }
  [[nodiscard]] std::string_view text() const { return is_copy_ ? std::string_view(copy_) : view_; }

 private:
  std::string_view view_;
  std::string copy_;
  bool is_copy_ = false;
};

PostgresSeverity severity_of(std::string_view label) {
  if (label == "LOG") return PostgresSeverity::kLog;
  if (label == "ERROR") return PostgresSeverity::kError;
  if (label == "FATAL") return PostgresSeverity::kFatal;
  if (label == "PANIC") return PostgresSeverity::kPanic;
  return PostgresSeverity::kOther;
}

// `23505: `, which log_error_verbosity = verbose puts first.
std::string_view without_sqlstate(std::string_view text) {
  if (text.size() < 7 || text[5] != ':' || text[6] != ' ') return text;
  const bool is_state =
      std::ranges::all_of(text.substr(0, 5), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
  return is_state ? text.substr(7) : text;
}

class PostgresLogReader {
 public:
  PostgresLogReader(TraceInput& input, TraceSink& sink)
      : input_(input), sink_(sink), lines_(input.text), events_(sink) {}

  void read() {
    while (lines_.next()) {
      std::string_view line = lines_.line();
      if (line.starts_with('\t') && part_ != nullptr) {
        part_->add(line.substr(1));
        continue;
      }
      if (line.empty()) {
        part_ = nullptr;
        continue;
      }
      const auto parts = postgres_line(line);
      if (!parts) {
        part_ = nullptr;
        sink_.not_read(lines_.number(), line, "no entry of PostgreSQL's log: LOG:, ERROR: or another label is missing");
      } else if (!belongs(*parts)) {
        finish();
        begin(*parts);
      }
    }
    finish();
    events_.finish();
  }

 private:
  // A further part of the entry.
  bool belongs(const PostgresLine& line) {
    if (line.label == "DETAIL") {
      part_ = &detail_;
    } else if (line.label == "STATEMENT") {
      part_ = &statement_;
    } else if (line.label == "HINT" || line.label == "QUERY" || line.label == "CONTEXT" || line.label == "LOCATION" ||
               line.label == "BACKTRACE") {
      part_ = &unused_;
    } else {
      return false;
    }
    // Without its first line (the file begins here, or another process wrote in between) it says nothing.
    if (!in_entry_ || postgres_prefix(line.prefix).session != entry_.session) {
      sink_.not_read(lines_.number(), lines_.line(), "the entry that this belongs to is not before it");
      part_ = &unused_;
    }
    part_->set(line.text);
    return true;
  }

  void begin(const PostgresLine& line) {
    in_entry_ = true;
    const PostgresPrefix prefix = postgres_prefix(line.prefix);
    entry_.session = prefix.session;
    entry_.time_us = prefix.time_us;
    entry_.line = lines_.number();
    entry_.severity = severity_of(line.label);
    message_.set(without_sqlstate(line.text));
    detail_.set({});
    statement_.set({});
    part_ = &message_;
  }

  void finish() {
    if (!in_entry_) return;
    in_entry_ = false;
    entry_.message = message_.text();
    entry_.detail = detail_.text();
    entry_.statement = statement_.text();
    events_.entry(entry_);
    input_.done(lines_.begin());
  }

  TraceInput& input_;
  TraceSink& sink_;
  Lines lines_;
  PostgresEvents events_;
  bool in_entry_ = false;
  PostgresEntry entry_{};
  MessageText message_, detail_, statement_, unused_;
  MessageText* part_ = nullptr;  // what a line with a tab goes on with
};

}  // namespace

void read_postgres_log(TraceInput& input, TraceSink& sink) { PostgresLogReader(input, sink).read(); }

bool looks_like_postgres_log(std::string_view text) {
  Lines lines(text);
  std::size_t labels = 0;
  std::size_t other = 0;
  while (lines.next() && lines.number() <= 200 && lines.begin() < (1U << 18)) {
    if (lines.line().empty() || lines.line().starts_with('\t')) continue;
    const auto line = postgres_line(lines.line());
    // The prefix is short; a label far behind is a word of some text.
    (line && line->prefix.size() < 400 ? labels : other) += 1;
  }
  return labels > 0 && labels >= other;
}

}  // namespace isolde::audit
