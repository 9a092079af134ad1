// probe/scenario.h: one scripted interleaving and when its anomaly happened, as a scenario file says it.
//
// In, out: text (docs/probe.md) -> Scenario; an error has file, line, column and what was expected.
// Always:  a condition names only steps that exist in every dialect, and only tables of the scenario.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/level.h"
#include "base/result.h"
#include "probe/condition.h"
#include "probe/transcript.h"

namespace isolde::probe {

struct ScenarioTable {
  std::string name;
  std::string columns;            // with its parentheses
  std::vector<std::string> rows;  // as SQL literals with commas between
};

struct ScriptLine {
  std::uint64_t line = 0, column = 0;  // where it stands in the file
  std::vector<std::string> dialects;   // only for these; empty: for all
  bool not_these = false;              // only for others than those
  Step step;

  [[nodiscard]] bool is_for(std::string_view dialect) const;
};

struct Scenario {
  std::string file;
  std::string name, title, source;
  std::string about;  // one paragraph
  // The weakest levels that rule the anomaly out; all levels that imply one of them do too.
  std::vector<Level> breaks;
  std::vector<ScenarioTable> tables;
  std::vector<ScriptLine> script;
  Condition happened;

  [[nodiscard]] bool ruled_out_by(Level level) const;
};

[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text, const std::string& file);
[[nodiscard]] Result<Scenario> read_scenario(const std::string& path);
// Those that come with Isolde (scenarios/), in their order. The error can only be a fault of ours.
[[nodiscard]] Result<std::vector<Scenario>> built_in_scenarios();

// The script for a dialect, with the begins that were left out: each is put before its transaction's first step.
// `lines`: the line of the file of each step.
[[nodiscard]] std::vector<Step> steps_for(const Scenario& scenario, std::string_view dialect,
                                          std::vector<std::uint64_t>* lines = nullptr);

}  // namespace isolde::probe
