#include "proxy/capture/tables.h"

#include <algorithm>

namespace isolde::proxy::capture {

const Table* Tables::find(std::string_view schema, std::string_view name, std::string_view user) const {
  if (schema.empty()) {
    // The system's own tables come first, and then those of a schema that is named like the user.
    if (own_paths || name.starts_with("pg_")) return nullptr;
    if (std::find(schemas.begin(), schemas.end(), user) != schemas.end()) return nullptr;
    schema = "public";
  }
  const auto at = by_name.find(std::pair(std::string(schema), std::string(name)));
  return at == by_name.end() ? nullptr : &at->second;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace isolde::proxy::capture
