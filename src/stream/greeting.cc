#include "stream/greeting.h"

#include <simdjson.h>

namespace isolde::stream {
namespace {

Greeting wrong(std::string text) { return {Greeting::Kind::kWrong, std::move(text)}; }

// The name of the first field, if it is a plain one.
std::string_view first_field(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::size_t at = line.find_first_not_of(kBlank);
  if (at == std::string_view::npos || line[at] != '{') return {};
  at = line.find_first_not_of(kBlank, at + 1);
  if (at == std::string_view::npos || line[at] != '"') return {};
  const std::size_t end = line.find('"', at + 1);
  return end == std::string_view::npos ? std::string_view{} : line.substr(at + 1, end - at - 1);
}

// U+0000 to U+001F, U+007F to U+009F.
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return true;
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

}  // namespace

Greeting greeting_in(std::string_view line) {
  const std::string_view field = first_field(line);
  const bool token = field == "token";
  const bool hello = field == "hello";
  if (!token && !hello && field != "bye") return {};
  if (line.size() > kMaxGreeting) return wrong("this line is too long");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(line.data(), line.size()).get(object)) return wrong("expected a JSON object");
  if (!token && !hello) {
    bool bye = false;
    if (object["bye"].get(bye) || !bye) return wrong("expected {\"bye\": true}");
    return {Greeting::Kind::kBye, {}};
  }
  std::string_view text;
  if (object[field].get(text)) return wrong(token ? "expected {\"token\": \"…\"}" : "expected {\"hello\": \"name\"}");
  if (token) return {Greeting::Kind::kToken, std::string(text)};
  // Names are shown to people: nothing in them may speak to a terminal.
  if (text.empty() || text.size() > kMaxName || has_control(text)) {
    return wrong("expected {\"hello\": \"name\"} with a name of 1 to 256 bytes without control characters");
  }
  Greeting out{Greeting::Kind::kHello, std::string(text)};
  const auto from = object["from"];
  if (from.error() == simdjson::NO_SUCH_FIELD) return out;
  if (from.get(out.first) || out.first == 0 || out.first > (std::uint64_t{1} << 62)) {
    return wrong("expected \"from\": the number of the first line that follows, 1 or more");
  }
  return out;
}

bool same_token(std::string_view given, std::string_view wanted) {
  volatile unsigned different = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = wanted.empty() ? '\0' : wanted[i % wanted.size()];
    different =
        different | static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other));
  }
  return different == 0;
}

}  // namespace isolde::stream
