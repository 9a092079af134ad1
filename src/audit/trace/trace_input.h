// audit/trace/trace_input.h: what the readers of all forms share: the text, its lines, and who is told how far it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "audit/trace/read_trace.h"
#include "base/mapped_file.h"

namespace isolde::audit {

class TraceInput {
 public:
  explicit TraceInput(std::string_view bytes, Progress* progress = nullptr, const MappedFile* mapped = nullptr)
      : text(bytes), progress_(progress), mapped_(mapped) {}

  std::string_view text;

  // All before `offset` has been read and is not needed again.
  void done(std::size_t offset) {
    if (offset < next_) return;
    next_ = offset + kStep;
    if (progress_ != nullptr) progress_->advance("reading the trace", offset, text.size());
    if (mapped_ != nullptr) mapped_->forget_before(offset);
  }

 private:
  static constexpr std::size_t kStep = std::size_t{8} << 20;
  Progress* progress_;
  const MappedFile* mapped_;
  std::size_t next_ = kStep;
};

// The lines of a text, with their numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool next() {
    if (end_ >= text_.size()) return false;
    begin_ = end_;
    const std::size_t newline = text_.find('\n', begin_);
    end_ = newline == std::string_view::npos ? text_.size() : newline + 1;
    ++number_;
    return true;
  }
  // Without its end: \n or \r\n.
  [[nodiscard]] std::string_view line() const {
    std::string_view line = text_.substr(begin_, end_ - begin_);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return end_; }  // after the newline
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
};

struct CivilTime {
  std::uint32_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, micros = 0;

  // Microseconds since 1970 if the clock showed UTC; kNoTime if there is no such time.
  [[nodiscard]] std::int64_t micros_since_epoch() const {
    const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)}, std::chrono::month{month},
                                           std::chrono::day{day}};
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) return kNoTime;
    const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * std::int64_t{1'000'000} + micros;
  }
};

// Takes `pattern` off the text, where 0 stands for a digit and any other character for itself. The digits go to
// `digits`. False: nothing is taken.
[[nodiscard]] inline bool take_pattern(std::string_view& text, std::string_view pattern, char* digits) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (pattern[i] == '0' ? !is_digit : text[i] != pattern[i]) return false;
    if (pattern[i] == '0') *digits++ = text[i];
  }
  text.remove_prefix(pattern.size());
  return true;
}

// Of at most nine digits.
[[nodiscard]] inline std::uint32_t number_of(std::string_view digits) {
  std::uint32_t n = 0;
  for (const char c : digits) n = n * 10 + static_cast<std::uint32_t>(c - '0');
  return n;
}

// `.123456`: takes it off; microseconds.
[[nodiscard]] inline std::uint32_t take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  std::uint32_t micros = 0;
  std::uint32_t unit = 100'000;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    micros += unit * static_cast<std::uint32_t>(text.front() - '0');
    unit /= 10;
    text.remove_prefix(1);
  }
  return micros;
}

// `2016-10-31 11:16:12.123`, with a blank or a T between; takes it off. The zone stays.
[[nodiscard]] inline bool take_iso_time(std::string_view& text, CivilTime& time) {
  char d[14];
  if (text.size() < 19 || (text[10] != ' ' && text[10] != 'T')) return false;
  std::string_view date = text.substr(0, 10);
  std::string_view clock = text.substr(11, 8);
  if (!take_pattern(date, "0000-00-00", d) || !take_pattern(clock, "00:00:00", d + 8)) return false;
  text.remove_prefix(19);
  const std::string_view digits(d, 14);
  time = {number_of(digits.substr(0, 4)),
          number_of(digits.substr(4, 2)),
          number_of(digits.substr(6, 2)),
          number_of(digits.substr(8, 2)),
          number_of(digits.substr(10, 2)),
          number_of(digits.substr(12, 2)),
          take_fraction(text)};
  return true;
}

// Each form's reader. The text has been recognised, or the user says what it is.
void read_mysql_log(TraceInput& input, TraceSink& sink);
void read_postgres_log(TraceInput& input, TraceSink& sink);
void read_postgres_csv(TraceInput& input, TraceSink& sink);
void read_sql_text(TraceInput& input, SqlDialect dialect, TraceSink& sink);

// Whether the beginning of the text looks like the form.
[[nodiscard]] bool looks_like_mysql_log(std::string_view text);
[[nodiscard]] bool looks_like_postgres_log(std::string_view text);
[[nodiscard]] bool looks_like_postgres_csv(std::string_view text);
[[nodiscard]] bool looks_like_sql_text(std::string_view text);
// Of plain SQL, from its words.
[[nodiscard]] SqlDialect dialect_of_sql_text(std::string_view text);

}  // namespace isolde::audit
