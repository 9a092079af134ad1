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

std::string live_html_page(std::string_view json) {
  std::string page = html_page(json);
  const auto replace = [&](std::string_view what, std::string_view with) {
    if (const std::size_t at = page.find(what); at != std::string::npos) page.replace(at, what.size(), with);
  };
  // Both stand in the template's head, before any data.
  replace("default-src 'none'", "default-src 'none'; connect-src 'self'");
  replace("<title>", "<meta name=\"isolde-live\" content=\"events\">\n<title>");
  return page;
}

std::size_t html_page_size(std::string_view json) {
  const auto escaped = std::ranges::count_if(json, [](char c) { return c == '<' || c == '>' || c == '&'; });
  return page_template().size() - kPlace.size() + json.size() + 5 * static_cast<std::size_t>(escaped);
}

}  // namespace isolde
