#include "stream/recording_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace isolde::stream {
namespace {

constexpr std::string_view kRecordingPosition = "recording";

}  // namespace

std::string RecordingPosition::journals_text() const {
  std::string text;
  for (const auto& [name, place] : journals) {
    text += fmt::format(";{} {} {} {}", name, place.offset, place.lines,
                        place.session ? fmt::format_int(*place.session).str() : "-");
  }
  return text;
}

std::string RecordingPosition::text() const {
  return fmt::format("{} {}{}", kRecordingPosition, spool, journals_text());
}

bool RecordingPosition::parse_journals(const std::string& text) {
  std::istringstream all(text);
  std::string one;
  std::getline(all, one, ';');  // what stands before the first
  if (!one.empty()) return false;
  while (std::getline(all, one, ';')) {
    std::istringstream in(one);
    std::string name;
    std::string session;
    JournalTail::Place place;
    if (!(in >> name >> place.offset >> place.lines >> session) || name.find('/') != std::string::npos) return false;
    if (session != "-") {
      std::int64_t number = 0;
      const auto [stop, failed] = std::from_chars(session.data(), session.data() + session.size(), number);
      if (failed != std::errc{} || stop != session.data() + session.size()) return false;
      place.session = number;
    }
    journals[name] = place;
  }
  return true;
}

bool RecordingPosition::parse(const std::string& text) {
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  const std::string head = text.substr(0, semicolon);
  if (!head.starts_with(kRecordingPosition)) return false;
  const char* const from = head.data() + std::min(kRecordingPosition.size() + 1, head.size());
  const auto [stop, failed] = std::from_chars(from, head.data() + head.size(), spool);
  return failed == std::errc{} && stop == head.data() + head.size() && parse_journals(text.substr(semicolon));
}

}  // namespace isolde::stream
