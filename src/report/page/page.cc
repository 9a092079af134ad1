#include "report/page/page.h"

#include <algorithm>

namespace isolde {
namespace {

constexpr std::string_view kPlace = "{{data}}";

}  // namespace

std::string html_page(std::string_view json) {
  const std::string_view page = page_template();
  const std::size_t place = page.find(kPlace);
  std::string out(page.substr(0, place));
  out.reserve(page.size() + json.size() + json.size() / 16);
  for (const char c : json) {
    // In JSON these stand only inside of strings, where an escape says the same.
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out += page.substr(place + kPlace.size());
}

std::size_t html_page_size(std::string_view json) {
  const auto escaped = std::ranges::count_if(json, [](char c) { return c == '<' || c == '>' || c == '&'; });
  return page_template().size() - kPlace.size() + json.size() + 5 * static_cast<std::size_t>(escaped);
}

}  // namespace isolde
