#include <fmt/format.h>

#include "base/json_text.h"
#include "probe/render.h"
#include "probe/summary.h"

namespace isolde::probe {
namespace {

std::string cell_json(const db::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return json_string(*text);
  return cell_text(cell);
}

std::string rows_json(const db::Reply& reply) {
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < reply.rows(); ++r) {
    std::vector<std::string> cells;
    cells.reserve(reply.width);
    for (std::size_t c = 0; c < reply.width; ++c) cells.push_back(cell_json(reply.at(r, c)));
    rows.push_back(json_list(cells));
  }
  return json_list(rows);
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
  JsonObject out;
  out.number("step", event.step)
      .text("transaction", fmt::format("T{}", step.transaction + 1))
      .text("kind", kind_name(step.kind))
      .text("event", name(event.kind));
  if (step.kind == RequestKind::kStatement) out.text("sql", record.sql);
  if (!record.missing.empty()) out.text("missing", record.missing);
  if (event.kind == Event::Kind::kAnswered) {
    if (!record.reply.done()) {
      out.text("code", record.reply.failure.code).text("error", record.reply.failure.text);
    } else if (record.reply.width > 0) {
      out.raw("rows", rows_json(record.reply));
    } else if (step.kind == RequestKind::kStatement) {
      out.number("changed", record.reply.changed);
    }
    if (record.let_go_by != kNoStep) out.number("waited_until_step", record.let_go_by);
  }
  return out.done();
}

std::string finding_json(const LevelFindings& level, const Finding& f) {
  constexpr std::string_view kOutcomes[] = {"prevented", "happened", "undecided"};
  JsonObject contents;
  for (const auto& [table, rows] : f.tables) contents.raw(table, rows_json(rows));
  return JsonObject()
      .text("level", level.level->name)
      .text("outcome", kOutcomes[static_cast<std::size_t>(f.outcome)])
      .text("by", f.by)
      .text("by_text", f.by_text)
      .raw("ends", json_list(f.transcript.ends, [](const TxnRecord& end) { return json_string(name(end.end)); }))
      .raw("final", contents.done())
      .raw("transcript", json_list(f.transcript.events, [&](const Event& event) { return event_json(f, event); }))
      .done();
}

std::string names_json(const std::vector<const Scenario*>& scenarios) {
  return json_list(scenarios, [](const Scenario* s) { return json_string(s->name); });
}

std::string level_json(const LevelFindings& level, std::span<const Scenario> scenarios) {
  const LevelSummary summary = summary_of(level, scenarios);
  return JsonObject()
      .text("name", level.level->name)
      .truth("default", level.level->is_default)
      .text("claims", info(level.level->claims).name)
      .raw("strongest", json_list(summary.strongest, [](Level l) { return json_string(info(l).name); }))
      .raw("seen", names_json(summary.seen))
      .raw("forbidden", names_json(summary.forbidden))
      .raw("undecided", names_json(summary.undecided))
      .done();
}

}  // namespace

std::string findings_json(const Findings& findings, std::span<const Scenario> scenarios, std::string_view url) {
  std::vector<std::string> cases;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const auto cell = [s](const LevelFindings& level) { return finding_json(level, level.findings[s]); };
    cases.push_back(JsonObject()
                        .text("name", scenarios[s].name)
                        .text("title", scenarios[s].title)
                        .text("file", scenarios[s].file)
                        .raw("cells", json_list(findings.levels, cell))
                        .done());
  }
  const auto level = [&](const LevelFindings& one) { return level_json(one, scenarios); };
  return JsonObject()
      .text("database", findings.database)
      .text("url", url)
      .raw("levels", json_list(findings.levels, level))
      .raw("cases", json_list(cases))
      .done();
}

}  // namespace isolde::probe
