// Any text as a scenario: no fault; an error has its place; what is read can be turned into steps and judged.
#include <cstdio>
#include <cstdlib>

#include "probe/scenario.h"
#include "probe/sql_text.h"

namespace isolde::probe {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// As if every step had been carried out and returned the same row.
void judge(const Scenario& s, std::string_view dialect) {
  const std::vector<Step> steps = steps_for(s, dialect);
  std::vector<std::string> names;
  std::map<std::string, db::Reply> tables;
  db::Reply row;
  row.width = 1;
  row.names = {"id"};
  row.cells = {std::int64_t{1}};
  for (const ScenarioTable& table : s.tables) {
    names.push_back(table.name);
    tables[table.name] = row;
  }
  Transcript transcript;
  transcript.steps.resize(steps.size());
  for (const Step& step : steps) transcript.ends.resize(std::max(transcript.ends.size(), step.transaction + 1));
  const db::Dialect plain{};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto pieces = parse_sql(steps[i].sql, names, s.file, 1, 1);
    require(pieces.has_value(), "SQL that was read before cannot be read again");
    const auto sql = sql_text(*pieces, {"p_", plain, steps, transcript});
    require(sql || !sql.error().text.empty(), "an error without words");
    transcript.steps[i].state = StepRecord::State::kDone;
    transcript.steps[i].reply = row;
  }
  (void)holds(s.happened, {steps, transcript, tables, s.tables.front().name});
}

}  // namespace
}  // namespace isolde::probe

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::probe;
  const auto scenario = parse_scenario({reinterpret_cast<const char*>(data), size}, "s");
  if (!scenario) {
    require(!scenario.error().text.empty() && scenario.error().line > 0 && scenario.error().column > 0,
            "an error without words or place");
    return 0;
  }
  for (const std::string_view dialect : {"postgres", "mariadb", "sqlite", "tidb", "none of them"})
    judge(*scenario, dialect);
  return 0;
}
