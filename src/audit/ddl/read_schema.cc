// Which of the two a file is: SQL begins with one of its verbs.
#include <algorithm>
#include <array>

#include "audit/ddl/ddl.h"
#include "audit/ddl/ddl_words.h"
#include "audit/schema/csv.h"
#include "audit/schema/schema.h"
#include "base/mapped_file.h"

namespace isolde::audit {
namespace {

constexpr std::array<std::string_view, 25> kDdlVerbs = {
    "create", "alter",  "set",     "drop",      "begin",    "pragma",  "use",     "lock",    "insert",
    "select", "start",  "grant",   "delimiter", "commit",   "copy",    "comment", "replace", "revoke",
    "update", "delete", "analyze", "unlock",    "truncate", "explain", "attach"};

bool looks_as_sql(std::string_view text) {
  DdlWords words(text.substr(0, 1 << 16));
  std::vector<DdlWord> first;
  if (!words.next(first)) return false;
  const bool verb = std::any_of(kDdlVerbs.begin(), kDdlVerbs.end(),
                                [&](std::string_view verb_name) { return first[0].is(verb_name); });
  return verb && (first.size() < 2 || !first[1].is_symbol(','));
}

}  // namespace

Result<Schema> read_schema_text(std::string_view text, const std::string& file) {
  return looks_as_sql(text) ? read_ddl_schema(text, file) : read_csv_schema(text, file);
}

Result<Schema> read_schema(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  return read_schema_text((*file)->text(), path);
}

}  // namespace isolde::audit
