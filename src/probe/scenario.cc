#include "probe/scenario.h"

#include <algorithm>

#include "base/mapped_file.h"
#include "probe/built_in.h"

namespace isolde::probe {

bool Scenario::ruled_out_by(Level level) const {
  return std::any_of(breaks.begin(), breaks.end(), [&](Level broken) { return implies(level, broken); });
}

bool ScriptLine::is_for(std::string_view dialect) const {
  return dialects.empty() || (std::find(dialects.begin(), dialects.end(), dialect) != dialects.end()) != not_these;
}

Result<Scenario> read_scenario(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  return parse_scenario((*file)->text(), path);
}

Result<std::vector<Scenario>> built_in_scenarios() {
  std::vector<Scenario> all;
  for (const BuiltInFile& file : built_in_files()) {
    auto scenario = parse_scenario(file.text, std::string(file.name));
    if (!scenario) return std::move(scenario).error();
    all.push_back(*std::move(scenario));
  }
  return all;
}

std::vector<Step> steps_for(const Scenario& scenario, std::string_view dialect, std::vector<std::uint64_t>* lines) {
  std::vector<Step> steps;
  std::vector<bool> begun;
  const auto add = [&](Step step, const ScriptLine& line) {
    steps.push_back(std::move(step));
    if (lines != nullptr) lines->push_back(line.line);
  };
  for (const ScriptLine& line : scenario.script) {
    if (!line.is_for(dialect)) continue;
    const std::size_t who = line.step.transaction;
    if (begun.size() <= who) begun.resize(who + 1, false);
    if (!begun[who] && line.step.kind != RequestKind::kBegin) add({who, RequestKind::kBegin, {}}, line);
    begun[who] = true;
    add(line.step, line);
  }
  return steps;
}

}  // namespace isolde::probe
