#include <fmt/format.h>

#include "history/value.h"
#include "probe/render.h"
#include "probe/summary.h"

namespace isolde::probe {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return "[" + out + "]";
}

std::string cell_json(const db::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return in_quotes(*text);
  return cell_text(cell);
}

std::string rows_json(const db::Reply& reply) {
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < reply.rows(); ++r) {
    std::vector<std::string> cells;
    cells.reserve(reply.width);
    for (std::size_t c = 0; c < reply.width; ++c) cells.push_back(cell_json(reply.at(r, c)));
    rows.push_back(joined(cells));
  }
  return joined(rows);
}

std::string_view kind_name(RequestKind kind) {
  switch (kind) {
    case RequestKind::kBegin:
      return "begin";
    case RequestKind::kStatement:
    case RequestKind::kPrepared:
      return "statement";
    case RequestKind::kCommit:
      return "commit";
    case RequestKind::kRollBack:
      return "rollback";
  }
  return "statement";
}

std::string event_json(const Finding& f, const Event& event) {
  const Step& step = f.steps[event.step];
  const StepRecord& record = f.transcript.steps[event.step];
  std::string out = fmt::format(R"({{"step": {}, "transaction": "T{}", "kind": "{}", "event": "{}")", event.step,
                                step.transaction + 1, kind_name(step.kind), name(event.kind));
  if (step.kind == RequestKind::kStatement) out += fmt::format(R"(, "sql": {})", in_quotes(record.sql));
  if (!record.missing.empty()) out += fmt::format(R"(, "missing": {})", in_quotes(record.missing));
  if (event.kind == Event::Kind::kAnswered) {
    if (!record.reply.done()) {
      out += fmt::format(R"(, "code": {}, "error": {})", in_quotes(record.reply.failure.code),
                         in_quotes(record.reply.failure.text));
    } else if (record.reply.width > 0) {
      out += fmt::format(R"(, "rows": {})", rows_json(record.reply));
    } else if (step.kind == RequestKind::kStatement) {
      out += fmt::format(R"(, "changed": {})", record.reply.changed);
    }
    if (record.let_go_by != kNoStep) out += fmt::format(R"(, "waited_until_step": {})", record.let_go_by);
  }
  return out + "}";
}

std::string finding_json(const LevelFindings& level, const Finding& f) {
  constexpr std::string_view kOutcomes[] = {"prevented", "happened", "undecided"};
  std::vector<std::string> events, ends;
  events.reserve(f.transcript.events.size());
  ends.reserve(f.transcript.ends.size());
  for (const Event& event : f.transcript.events) events.push_back(event_json(f, event));
  for (const TxnRecord& end : f.transcript.ends) ends.push_back(in_quotes(name(end.end)));
  std::string contents;
  for (const auto& [table, rows] : f.tables)
    contents += fmt::format("{}{}: {}", contents.empty() ? "" : ", ", in_quotes(table), rows_json(rows));
  return fmt::format(
      R"({{"level": {}, "outcome": "{}", "by": {}, "by_text": {}, "ends": {}, "final": {{{}}}, "transcript": {}}})",
      in_quotes(level.level->name), kOutcomes[static_cast<std::size_t>(f.outcome)], in_quotes(f.by),
      in_quotes(f.by_text), joined(ends), contents, joined(events));
}

std::string names_json(const std::vector<const Scenario*>& scenarios) {
  std::vector<std::string> names;
  names.reserve(scenarios.size());
  for (const Scenario* s : scenarios) names.push_back(in_quotes(s->name));
  return joined(names);
}

std::string level_json(const LevelFindings& level, std::span<const Scenario> scenarios) {
  const LevelSummary summary = summary_of(level, scenarios);
  std::vector<std::string> strongest;
  strongest.reserve(summary.strongest.size());
  for (const Level l : summary.strongest) strongest.push_back(in_quotes(info(l).name));
  return fmt::format(
      R"({{"name": {}, "default": {}, "claims": {}, "strongest": {}, "seen": {}, "forbidden": {}, "undecided": {}}})",
      in_quotes(level.level->name), level.level->is_default, in_quotes(info(level.level->claims).name),
      joined(strongest), names_json(summary.seen), names_json(summary.forbidden), names_json(summary.undecided));
}

}  // namespace

std::string findings_json(const Findings& findings, std::span<const Scenario> scenarios, std::string_view url) {
  std::vector<std::string> levels, cases;
  levels.reserve(findings.levels.size());
  for (const LevelFindings& level : findings.levels) levels.push_back(level_json(level, scenarios));
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    std::vector<std::string> cells;
    cells.reserve(findings.levels.size());
    for (const LevelFindings& level : findings.levels) cells.push_back(finding_json(level, level.findings[s]));
    cases.push_back(fmt::format(R"({{"name": {}, "title": {}, "file": {}, "cells": {}}})", in_quotes(scenarios[s].name),
                                in_quotes(scenarios[s].title), in_quotes(scenarios[s].file), joined(cells)));
  }
  return fmt::format(R"({{"database": {}, "url": {}, "levels": {}, "cases": {}}})", in_quotes(findings.database),
                     in_quotes(url), joined(levels), joined(cases));
}

}  // namespace isolde::probe
