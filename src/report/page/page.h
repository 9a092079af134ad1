// report/page/page.h: the report as one HTML file that needs nothing else: the page of web/dist with data in it.
//
// Always: whatever the data's texts are, they stay data: no `<` leaves here inside of them, so nothing ends the element
//         that holds them. The page makes text nodes of all of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isolde {

// Bytes of a page at the most: small enough to be mailed. Whoever makes its data keeps to it.
inline constexpr std::size_t kLargestPage = 3'000'000;

// As built from web/ (./dev web); `{{data}}` stands where the data goes.
[[nodiscard]] std::string_view page_template();

// `json`: one object, as web/src/data.ts describes it.
[[nodiscard]] std::string html_page(std::string_view json);
// The same for a server that serves it: it follows `events` there (web/src/live.ts) and may fetch nothing else.
[[nodiscard]] std::string live_html_page(std::string_view json);
// Its size, without making it.
[[nodiscard]] std::size_t html_page_size(std::string_view json);

}  // namespace isolde
