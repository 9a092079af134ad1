// Any bytes as what --json printed: no fault; an error in few words, or a page below its limit whose data is one JSON
// object that nothing in it can end. A first byte of 'x' repeats the last member until it is past the limit,
// since that is what has to be cut.
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/pages.h"
#include "report/page/page.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// What stands between the two marks, as a browser finds it: up to the first end of a script.
std::string_view data_of(std::string_view html) {
  const std::string_view page = isolde::page_template();
  const std::size_t start = page.find("{{data}}");
  const std::string_view rest = html.substr(start);
  return rest.substr(0, rest.find("</script"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde;
  std::string text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kRepeated = 64;
  if (size > 1 && data[0] == 'x') {
    // The member before the last bracket, again and again under other names.
    const std::string_view one(text.data() + 1, size - 1);
    const std::size_t end = one.rfind('}'), comma = one.rfind(',', end);
    if (end == std::string_view::npos || comma == std::string_view::npos) return 0;
    std::string more(one.substr(0, end));
    const std::string member(one.substr(comma, end - comma));
    const std::size_t times = std::min<std::size_t>(kLargestPage / member.size() + kRepeated, 20'000);
    const std::size_t name = member.starts_with(",\"") ? 2 : member.size();
    for (std::size_t i = 0; i < times; ++i) more += member.substr(0, name) + std::to_string(i) + member.substr(name);
    text = more + std::string(one.substr(end));
  }
  const auto page = cli::page_of_json(text, "f");
  if (!page) {
    require(!page.error().text.empty() && page.error().text.size() < 1000, "an error without words, or of too many");
    return 0;
  }
  if (!*page) return 0;
  const std::string html = html_page(**page);
  require(html.size() <= kLargestPage, "a page above the limit");
  require(html.size() == html_page_size(**page), "a page of another size than was said");
  const std::string_view inside = data_of(html);
  require(inside.find('<') == std::string_view::npos && inside.find('>') == std::string_view::npos &&
              inside.find('&') == std::string_view::npos,
          "a letter of markup in the data");
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  require(parser.parse(inside.data(), inside.size()).get(object) == simdjson::SUCCESS, "the data is no JSON object");
  simdjson::dom::element kind;
  require(object["kind"].get(kind) == simdjson::SUCCESS, "the data has no kind");
  return 0;
}
