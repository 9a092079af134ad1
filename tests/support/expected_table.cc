#include "tests/support/expected_table.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "probe/render.h"
#include "probe/words.h"

namespace isolde::test {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream rest(line);
  for (std::string cell; std::getline(rest, cell, '|');) cells.emplace_back(trimmed(cell));
  return cells;
}

}  // namespace

std::string differences(const std::string& file, const probe::Findings& findings,
                        std::span<const probe::Scenario> scenarios) {
  std::ifstream in(std::string(ISOLDE_SOURCE_DIR "/tests/probe/") + file);
  std::map<std::pair<std::string, std::string>, std::string> expected;  // case and level -> mark
  std::vector<std::string> head;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (head.empty()) {
      head = cells;
      continue;
    }
    for (std::size_t i = 1; i < head.size(); ++i) expected[{cells.at(0), head[i]}] = cells.size() > i ? cells[i] : "";
  }
  std::string out = expected.empty() ? fmt::format("{} has no cells\n", file) : "";
  for (const probe::LevelFindings& level : findings.levels) {
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
      const probe::Finding& finding = level.findings[s];
      const auto at = expected.find({scenarios[s].name, std::string(level.level->name)});
      const std::string wanted = at == expected.end() ? "no such cell" : at->second;
      if (at != expected.end()) expected.erase(at);
      if (probe::mark_of(finding) == wanted) continue;
      out += fmt::format("{} at {}: {}, not {}\n{}", scenarios[s].name, level.level->name, probe::mark_of(finding),
                         wanted, probe::transcript_text(finding.steps, finding.transcript));
    }
  }
  for (const auto& [cell, mark] : expected) out += fmt::format("{} at {} was not probed\n", cell.first, cell.second);
  return out;
}

}  // namespace isolde::test
