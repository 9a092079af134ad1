// report/page/page.h: the report as one HTML file that needs nothing else: the page of web/dist with data in it.
//
// Always: whatever the data's texts are, they stay data: no `<` leaves here inside of them, so nothing ends the element
//         that holds them. The page makes text nodes of all of it.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

// As built from web/ (./dev web); `{{data}}` stands where the data goes.
[[nodiscard]] std::string_view page_template();

// `json`: one object, as web/src/data.ts describes it.
[[nodiscard]] std::string html_page(std::string_view json);

}  // namespace isolde
