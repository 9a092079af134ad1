// Any bytes as the first line of a connection. A name that is accepted has nothing in it that speaks to a terminal.
#include "stream/greeting.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::stream;
  using isolde::fuzz::require;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const Greeting greeting = greeting_in(line);
  if (greeting.kind == Greeting::Kind::kHello) {
    require(!greeting.text.empty() && greeting.text.size() <= kMaxName && greeting.first > 0, "a name that is none");
    for (const char c : greeting.text) require(c < 0 || c >= ' ', "a control character in a name");
  }
  if (greeting.kind == Greeting::Kind::kWrong) require(!greeting.text.empty(), "an error without words");
  require(same_token(line, line), "a token is not itself");
  require(!same_token(line, std::string(line) + "x") && !same_token(std::string(line) + "x", line), "a longer token");
  return 0;
}
