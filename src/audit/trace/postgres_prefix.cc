#include "audit/trace/postgres_prefix.h"

#include <algorithm>
#include <charconv>

#include "audit/trace/sql_scan.h"
#include "audit/trace/trace_input.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::string_view kLabels[] = {"LOG",   "ERROR",  "FATAL",   "PANIC",     "WARNING",  "NOTICE",   "INFO",
                                        "DEBUG", "DEBUG1", "DEBUG2",  "DEBUG3",    "DEBUG4",   "DEBUG5",   "DETAIL",
                                        "HINT",  "QUERY",  "CONTEXT", "STATEMENT", "LOCATION", "BACKTRACE"};

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

std::size_t run_length(std::string_view text, std::size_t at, bool (*is)(char)) {
  std::size_t end = at;
  while (end < text.size() && is(text[end])) ++end;
  return end - at;
}

struct Piece {
  std::size_t at = 0, size = 0;
};

// The time's place in the prefix; `2026-11-15 02:48:03.872 UTC`, or seconds since 1970 with a fraction (%n).
Piece find_time(std::string_view prefix, std::int64_t& time_us) {
  for (std::size_t at = 0; at < prefix.size(); ++at) {
    if (!is_digit(prefix[at]) || (at > 0 && is_word_char(prefix[at - 1]))) continue;
    std::string_view rest = prefix.substr(at);
    CivilTime time;
    if (take_iso_time(rest, time)) {
      time_us = time.micros_since_epoch();
      return {at, prefix.size() - at - rest.size()};
    }
    const std::size_t digits = run_length(prefix, at, is_digit);
    if (digits == 10 && at + digits < prefix.size() && prefix[at + digits] == '.') {
      std::int64_t seconds = 0;
      std::from_chars(rest.data(), rest.data() + digits, seconds);
      rest.remove_prefix(digits);
      time_us = seconds * 1'000'000 + take_fraction(rest);
      return {at, prefix.size() - at - rest.size()};
    }
    at += digits;
  }
  return {};
}

// Eight hexadecimal digits, a point, and more: %c.
std::string_view find_session_id(std::string_view prefix) {
  for (std::size_t point = prefix.find('.'); point != std::string_view::npos; point = prefix.find('.', point + 1)) {
    if (point < 8) continue;
    const std::size_t begin = point - 8;
    const std::size_t after = run_length(prefix, point + 1, is_hex);
    const std::size_t end = point + 1 + after;
    if (run_length(prefix, begin, is_hex) == 8 && (begin == 0 || !is_word_char(prefix[begin - 1])) && after > 0 &&
        (end == prefix.size() || !is_word_char(prefix[end])))
      return prefix.substr(begin, end - begin);
  }
  return {};
}

std::string_view find_pid(std::string_view prefix) {
  for (const std::string_view word : {"pid=", "PID=", "pid:", "PID:"}) {
    const std::size_t at = prefix.find(word);
    if (at == std::string_view::npos) continue;
    if (const std::size_t digits = run_length(prefix, at + word.size(), is_digit))
      return prefix.substr(at + word.size(), digits);
  }
  for (std::size_t at = prefix.find('['); at != std::string_view::npos; at = prefix.find('[', at + 1)) {
    const std::size_t digits = run_length(prefix, at + 1, is_digit);
    if (digits > 0 && prefix.substr(at + 1 + digits).starts_with(']')) return prefix.substr(at + 1, digits);
  }
  return {};
}

std::string_view find_number(std::string_view prefix, Piece time) {
  for (std::size_t at = 0; at < prefix.size(); ++at) {
    if (at >= time.at && at < time.at + time.size) continue;
    if (!is_digit(prefix[at])) continue;
    const std::size_t digits = run_length(prefix, at, is_digit);
    const char before = at > 0 ? prefix[at - 1] : ' ';
    const char after = at + digits < prefix.size() ? prefix[at + digits] : ' ';
    const auto joins = [](char c) {
      return is_word_char(c) || std::string_view("./+-").find(c) != std::string_view::npos;
    };
    if (!joins(before) && !joins(after)) return prefix.substr(at, digits);
    at += digits;
  }
  return {};
}

}  // namespace

PostgresPrefix postgres_prefix(std::string_view prefix) {
  PostgresPrefix found{{}, kNoTime};
  const Piece time = find_time(prefix, found.time_us);
  found.session = find_session_id(prefix);
  if (found.session.empty()) found.session = find_pid(prefix);
  if (found.session.empty()) found.session = find_number(prefix, time);
  if (found.session.empty()) found.session = trimmed(prefix.substr(time.at + time.size), SqlDialect::kPostgres);
  return found;
}

std::optional<PostgresLine> postgres_line(std::string_view line) {
  for (std::size_t colon = line.find(":  "); colon != std::string_view::npos; colon = line.find(":  ", colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && ((line[begin - 1] >= 'A' && line[begin - 1] <= 'Z') || is_digit(line[begin - 1]))) --begin;
    const std::string_view label = line.substr(begin, colon - begin);
    if (begin > 0 && is_word_char(line[begin - 1])) continue;
    if (std::ranges::find(kLabels, label) == std::end(kLabels)) continue;
    return PostgresLine{line.substr(0, begin), label, line.substr(colon + 3)};
  }
  return std::nullopt;
}

}  // namespace isolde::audit
