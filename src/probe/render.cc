#include "probe/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "probe/summary.h"

namespace isolde::probe {
namespace {

constexpr std::size_t kMostCase = 16;

// How many places a text takes on a terminal: bytes that begin a character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t has = width_of(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

std::string heading(const db::ServerLevel& level) {
  return level.is_default ? std::string(level.name) + " ★" : std::string(level.name);
}

// Each code that stands in the table, with the server's words for it.
std::string legend(const Findings& findings) {
  std::map<std::string, std::string> codes;
  bool blocked = false, nothing = false, happened = false, undecided = false, starred = false;
  for (const LevelFindings& level : findings.levels) {
    starred = starred || level.level->is_default;
    for (const Finding& f : level.findings) {
      happened = happened || f.outcome == Outcome::kHappened;
      undecided = undecided || f.outcome == Outcome::kUndecided;
      if (f.outcome != Outcome::kPrevented) continue;
      nothing = nothing || f.by.empty();
      blocked = blocked || f.by == "blk";
      if (!f.by.empty() && f.by != "blk") codes.try_emplace(f.by, f.by_text);
    }
  }
  std::string out = happened ? "✓ prevented, — happened" : "✓ prevented";
  if (undecided)
    out +=
        ", ? undecided: a step gave no answer in time and the server does not report it as waiting, or a connection "
        "was lost";
  out += starred ? ", ★ the default level\n" : "\n";
  std::size_t width = 5;
  for (const auto& [code, text] : codes) width = std::max(width, code.size());
  if (blocked) out += fmt::format("  {:<{}}  only by making a statement wait for another transaction\n", "blk", width);
  for (const auto& [code, text] : codes) {
    std::string words = text;
    std::replace(words.begin(), words.end(), '\n', ' ');
    out += fmt::format("  {:<{}}  {}\n", code, width, words);
  }
  if (nothing)
    out += fmt::format("  {:<{}}  no transaction was stopped, and the reads do not show it\n", "alone", width);
  return out;
}

}  // namespace

std::string mark_of(const Finding& finding) {
  switch (finding.outcome) {
    case Outcome::kHappened:
      return "—";
    case Outcome::kUndecided:
      return "?";
    case Outcome::kPrevented:
      break;
  }
  return finding.by.empty() ? "✓" : "✓ " + finding.by;
}

std::string table_text(const Findings& findings, std::span<const Scenario> scenarios) {
  std::size_t left = 4;
  for (const Scenario& s : scenarios) left = std::max(left, std::min(width_of(s.name), kMostCase));
  std::vector<std::size_t> widths;
  for (const LevelFindings& level : findings.levels) {
    std::size_t width = width_of(heading(*level.level));
    for (const Finding& f : level.findings) width = std::max(width, width_of(mark_of(f)));
    widths.push_back(width);
  }
  std::string out = padded("case", left);
  for (std::size_t l = 0; l < widths.size(); ++l) out += "  " + padded(heading(*findings.levels[l].level), widths[l]);
  out += "  what it is\n";
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    out += padded(scenarios[s].name, left);
    for (std::size_t l = 0; l < widths.size(); ++l)
      out += "  " + padded(mark_of(findings.levels[l].findings[s]), widths[l]);
    out += fmt::format("  {}\n", scenarios[s].title);
  }
  return out + "\n" + legend(findings);
}

std::string transcripts_text(const Findings& findings, std::span<const Scenario> scenarios) {
  std::string out;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    for (const LevelFindings& level : findings.levels) {
      const Finding& f = level.findings[s];
      out += fmt::format("{} at {}: {}  ({})\n", scenarios[s].name, level.level->name, mark_of(f), scenarios[s].title);
      out += transcript_text(f.steps, f.transcript);
      for (const auto& [table, rows] : f.tables) out += fmt::format("  final {}: {}\n", table, rows_text(rows));
      out += "\n";
    }
  }
  return out;
}

}  // namespace isolde::probe
