// Messages of PostgreSQL's log, each behind two bytes of length: any bytes are a fault in words or versions, and what
// was decoded lies within what was given.
#include "record/logged_versions.h"
#include "record/pgoutput.h"
#include "tests/fuzz/format_fuzz.h"

namespace {

using isolde::fuzz::require;
using isolde::record::LoggedVersions;
using isolde::record::TracedTable;
using isolde::record::ValueStyle;

const TracedTable kTables[] = {{.name = "accounts",
                                .key_columns = {"id"},
                                .value_columns = {"owner", "balance"},
                                .style = ValueStyle::kRow,
                                .bare_key = true},
                               {.name = "tags", .key_columns = {"a", "b"}, .value_columns = {"note"}}};

bool within(std::string_view part, std::string_view all) {
  return part.empty() || (part.data() >= all.data() && part.data() + part.size() <= all.data() + all.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  LoggedVersions log(kTables, 1'000'000);
  while (rest.size() >= 2) {
    const std::size_t length =
        static_cast<std::size_t>(static_cast<unsigned char>(rest[0])) * 256 + static_cast<unsigned char>(rest[1]);
    const std::string message(rest.substr(2, length));  // a copy of its own, so that a look beyond it is found
    rest.remove_prefix(std::min(rest.size(), length + 2));
    const auto decoded = isolde::record::pgoutput::decode(message);
    if (decoded) {
      for (const auto* row : {&decoded->change.before, &decoded->change.after}) {
        if (!*row) continue;
        for (const auto& field : **row) require(within(field.text, message), "a field outside of its message");
      }
    } else {
      require(!decoded.error().text.empty(), "an error without words");
    }
    const auto added = log.add(message);
    require(added || !added.error().text.empty(), "an error without words");
  }
  for (const auto& version : log.take()) require(!version.key.empty(), "a version without a key");
  return 0;
}
