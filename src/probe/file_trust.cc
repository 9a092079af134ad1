#include "probe/file_trust.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "db/product.h"

namespace isolde::probe {
namespace {

// The statement with a number, or nothing, for each ${…}: what is put there is whole numbers and FOR UPDATE.
std::string without_gaps(std::string_view sql) {
  std::string out;
  while (true) {
    const std::size_t from = sql.find("${");
    out += sql.substr(0, from);
    if (from == std::string_view::npos) return out;
    const std::size_t end = sql.find('}', from);
    if (end == std::string_view::npos) return out;
    const std::string_view inside = sql.substr(from + 2, end - from - 2);
    if (!inside.starts_with("for ")) out += "0";
    sql.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<Error> why_not_trusted(const Scenario& scenario, std::string_view dialect) {
  db::OwnTables own;
  for (const ScenarioTable& table : scenario.tables) own.insert(lower_case(table.name));
  const auto refused = [&](std::string_view shown, const std::string& sql, std::uint64_t line) -> std::optional<Error> {
    const std::string why = db::why_refused(sql, dialect, own);
    if (why.empty()) return std::nullopt;
    return Error{
        fmt::format("is not run: {}: {} (a scenario has only statements on rows of its own tables; --trust-file "
                    "runs whatever the file says)",
                    shown.substr(0, 200), why),
        scenario.file, line};
  };
  for (const ScenarioTable& table : scenario.tables) {
    if (auto e = refused(table.name, fmt::format("create table {} {}", table.name, table.columns), 0)) return e;
    for (const std::string& row : table.rows) {
      if (auto e = refused(row, fmt::format("insert into {} values ({})", table.name, row), 0)) return e;
    }
  }
  for (const ScriptLine& line : scenario.script) {
    if (!line.is_for(dialect) || line.step.kind != RequestKind::kStatement) continue;
    if (auto e = refused(line.step.sql, without_gaps(line.step.sql), line.line)) return e;
  }
  return std::nullopt;
}

}  // namespace isolde::probe
