// audit/trace/postgres_csv.cc: PostgreSQL's csvlog (log_destination = csvlog, log_statement = all).
//
// Columns: 0 time, 1 user, 2 database, 3 process, 4 client, 5 session id, 6 line of the session, …, 11 severity,
//          12 SQLSTATE, 13 message, 14 detail, …, 19 the statement that an error concerns, …; 23 columns up to
//          PostgreSQL 12, 24 in 13, 26 since 14.
#include <algorithm>
#include <array>
#include <string>

#include "audit/trace/postgres_events.h"
#include "audit/trace/trace_input.h"

namespace isolde::audit {
namespace {

enum : std::size_t {
  kTime = 0,
  kSession = 5,
  kSeverity = 11,
  kMessage = 13,
  kDetail = 14,
  kStatement = 19,
  kFewest = 22
};
constexpr std::size_t kMostCsvColumns = 64;

bool begins_row(std::string_view text) {
  CivilTime time;
  return take_iso_time(text, time);
}

class PostgresCsvReader {
 public:
  PostgresCsvReader(TraceInput& input, TraceSink& sink) : input_(input), sink_(sink), events_(sink) {}

  void read() {
    const std::string_view text = input_.text;
    while (at_ < text.size()) {
      const std::size_t begin = at_;
      const std::uint64_t line = line_;
      if (text[at_] == '\n' || text[at_] == '\r') {
        next_line();
      } else if (!begins_row(text.substr(at_, 32))) {
        not_read(begin, line, "no row of a csvlog: it does not begin with a time");
      } else if (!row()) {
        // That somebody's statement failed is known even if the rest of the row is lost.
        if (columns_ > kMessage && cells_[kSeverity] != "LOG") entry(line);
        at_ = begin;
        line_ = line;
        not_read(begin, line, "no row of a csvlog: a quote is not closed, or columns are missing");
      } else {
        entry(line);
        input_.done(begin);
      }
    }
    events_.finish();
  }

 private:
  void next_line() {
    const std::size_t newline = input_.text.find('\n', at_);
    at_ = newline == std::string_view::npos ? input_.text.size() : newline + 1;
    ++line_;
  }
  // Goes on with the next line that begins a row.
  void not_read(std::size_t begin, std::uint64_t line, std::string_view why) {
    do next_line();
    while (at_ < input_.text.size() && !begins_row(input_.text.substr(at_, 32)));
    sink_.not_read(line, input_.text.substr(begin, at_ - begin), why);
  }

  // The columns of the row at at_, which goes behind it.
  bool row() {
    columns_ = 0;
    cells_.fill({});
    while (columns_ < kMostCsvColumns) {
      if (!column()) return false;
      ++columns_;
      if (at_ >= input_.text.size() || input_.text[at_] != ',') break;
      ++at_;
    }
    if (at_ < input_.text.size() && input_.text[at_] == '\r') ++at_;
    if (at_ < input_.text.size() && input_.text[at_] != '\n') return false;
    ++at_;
    ++line_;
    return columns_ >= kFewest;
  }

  bool column() {
    const std::string_view text = input_.text;
    if (at_ >= text.size() || text[at_] != '"') {
      const std::size_t end = std::min(text.find_first_of(",\r\n", at_), text.size());
      cells_[columns_] = text.substr(at_, end - at_);
      at_ = end;
      return true;
    }
    const std::size_t begin = ++at_;
    bool doubled = false;
    while (true) {
      const std::size_t quote = text.find('"', at_);
      if (quote == std::string_view::npos) return false;
      at_ = quote + 1;
      if (!text.substr(at_).starts_with('"')) break;
      doubled = true;
      ++at_;
    }
    std::string_view cell = text.substr(begin, at_ - 1 - begin);
    line_ += static_cast<std::uint64_t>(std::ranges::count(cell, '\n'));
    if (doubled) cell = without_doubled(cell, copies_[columns_]);
    cells_[columns_] = cell;
    return true;
  }

  static std::string_view without_doubled(std::string_view cell, std::string& copy) {
    copy.clear();
    for (std::size_t at = 0; at < cell.size();) {
      const std::size_t quote = std::min(cell.find('"', at), cell.size() - 1);
      copy.append(cell.substr(at, quote + 1 - at));
      at = quote + 1;
      if (copy.back() == '"') ++at;
    }
    return copy;
  }

  void entry(std::uint64_t line) {
    PostgresEntry entry{};
    CivilTime time;
    std::string_view clock = cells_[kTime];
    entry.time_us = take_iso_time(clock, time) ? time.micros_since_epoch() : kNoTime;
    entry.session = cells_[kSession];
    entry.line = line;
    entry.message = cells_[kMessage];
    entry.detail = cells_[kDetail];
    entry.statement = cells_[kStatement];
    const std::string_view severity = cells_[kSeverity];
    entry.severity = severity == "LOG"     ? PostgresSeverity::kLog
                     : severity == "ERROR" ? PostgresSeverity::kError
                     : severity == "FATAL" ? PostgresSeverity::kFatal
                     : severity == "PANIC" ? PostgresSeverity::kPanic
                                           : PostgresSeverity::kOther;
    events_.entry(entry);
  }

  TraceInput& input_;
  TraceSink& sink_;
  PostgresEvents events_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::size_t columns_ = 0;
  std::array<std::string_view, kMostCsvColumns> cells_;
  std::array<std::string, kMostCsvColumns> copies_;
};

}  // namespace

void read_postgres_csv(TraceInput& input, TraceSink& sink) { PostgresCsvReader(input, sink).read(); }

bool looks_like_postgres_csv(std::string_view text) {
  Lines lines(text);
  while (lines.next() && lines.number() <= 200 && lines.begin() < (1U << 18)) {
    std::string_view line = lines.line();
    CivilTime time;
    if (!take_iso_time(line, time)) continue;
    // A zone, then columns: in the text log the session would follow without a comma.
    const std::string_view zone = line.substr(0, std::min(line.find(','), line.size()));
    const auto commas = std::ranges::count(line, ',');
    if (zone.size() >= 2 && zone.size() <= 12 && commas >= 11 && zone.find(':') == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace isolde::audit
