// report/xml.h: text inside XML and HTML: the characters that mean something there, escaped.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

// For content and for attributes in double quotes. Requires: no control characters (base/printable.h escapes them).
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace isolde
