#include <fmt/format.h>

#include <algorithm>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "base/nearest.h"
#include "base/text.h"
#include "check/tested.h"
#include "cli/example_table.h"
#include "cli/verbs.h"
#include "format/native.h"
#include "report/json.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kWidest = 100;

std::string wrapped_paragraph(std::string_view text) {
  const std::size_t width = std::min(kWidest, output_width());
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find_first_of(" \n"), text.size());
    if (column > 0 && column + 1 + space > width) {
      out += '\n';
      column = 0;
    } else if (column > 0 && space > 0) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, space);
    column += space;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out + "\n";
}

std::string names_of(std::span<const Level> levels) {
  return joined(levels, [](Level level) { return info(level).name; });
}

std::vector<Level> stronger_than(Level level) {
  std::vector<Level> found;
  for (const LevelInfo& other : all_levels()) {
    if (std::find(other.weaker.begin(), other.weaker.end(), level) != other.weaker.end()) found.push_back(other.level);
  }
  return found;
}

std::string names_json(std::span<const Level> levels) {
  return json_list(levels, [](Level level) { return json_string(info(level).name); });
}

std::string example_text(std::string_view example, std::string_view says, std::string_view level) {
  if (example.empty()) return {};
  std::string out = fmt::format("\n{}\n", bold("Smallest example"));
  out += example_table(example);
  if (!says.empty()) out += "\n" + wrapped_paragraph(says);
  out += fmt::format("\n{}\n{}{}", bold("As a history (JSON Lines)"), example, example.ends_with('\n') ? "" : "\n");
  if (!level.empty())
    out += fmt::format("\nTo try it, save these lines as h.jsonl and run: isolde check h.jsonl --level {}\n", level);
  return out;
}

// The level to try an anomaly's example at: the best known of those that it breaks.
std::string_view level_to_try(const std::vector<Level>& breaks) {
  for (const Level known : {Level::kSnapshotIsolation, Level::kSerializable}) {
    if (std::find(breaks.begin(), breaks.end(), known) != breaks.end()) return info(known).name;
  }
  return breaks.empty() ? std::string_view{} : info(breaks[0]).name;
}

std::string level_text(const LevelInfo& level) {
  std::string out = fmt::format("{}: {}\n", bold(level.name), level.summary);
  if (!level.aliases.empty()) out += fmt::format("also written {}\n", fmt::join(level.aliases, ", "));
  out += "\n" + wrapped_paragraph(level.definition) + "\n";
  const std::vector<Level> stronger = stronger_than(level.level);
  out += fmt::format("next stronger: {}\n", stronger.empty() ? "none" : names_of(stronger));
  out += fmt::format("next weaker:   {}\n", level.weaker.empty() ? "none" : names_of(level.weaker));
  return out + example_text(level.example, level.example_says, level.name);
}

// What an anomaly's example keeps, as `isolde check` says of it: levels with an order that it has nothing of are apart.
struct Kept {
  std::vector<Level> holds, not_tested;
};
Kept kept_by(const AnomalyInfo& anomaly) {
  Source source;
  source.path = "example";
  source.files.push_back({"example", anomaly.example, nullptr});
  const auto read = kNativeFormat.read(source, {});
  const OrderEvidence evidence = read ? order_evidence(read->history) : OrderEvidence{};
  Kept kept;
  for (const Level level : levels_allowing(anomaly.kind))
    (tested_form(level, evidence) ? kept.not_tested : kept.holds).push_back(level);
  return kept;
}

std::string anomaly_text(const AnomalyInfo& anomaly) {
  std::string out =
      fmt::format("{}: {}\n\n{}", bold(anomaly.name), anomaly.summary, wrapped_paragraph(anomaly.definition));
  const std::vector<Level> breaks = levels_against(anomaly.kind);
  out += "\n" + wrapped_paragraph("The example breaks " + names_of(breaks) + ".");
  const Kept kept = kept_by(anomaly);
  if (!kept.holds.empty()) out += wrapped_paragraph("It still satisfies " + names_of(kept.holds) + ".");
  if (!kept.not_tested.empty())
    out += wrapped_paragraph("Not tested, because the example has no clocks or sessions: " + names_of(kept.not_tested) +
                             ".");
  return out + example_text(anomaly.example, anomaly.example_says, level_to_try(breaks));
}

std::string level_json(const LevelInfo& level) {
  return JsonObject()
             .text("name", level.name)
             .text("kind", "level")
             .text("summary", level.summary)
             .text("definition", level.definition)
             .raw("stronger", names_json(stronger_than(level.level)))
             .raw("weaker", names_json(level.weaker))
             .text("example", level.example)
             .text("example_says", level.example_says)
             .done() +
         "\n";
}

std::string anomaly_json(const AnomalyInfo& anomaly) {
  const Kept kept = kept_by(anomaly);
  return JsonObject()
             .text("name", anomaly.name)
             .text("kind", "anomaly")
             .text("summary", anomaly.summary)
             .text("definition", anomaly.definition)
             .raw("breaks", names_json(levels_against(anomaly.kind)))
             .raw("keeps", names_json(kept.holds))
             .raw("not_tested", names_json(kept.not_tested))
             .text("example", anomaly.example)
             .text("example_says", anomaly.example_says)
             .done() +
         "\n";
}

Exit list_all(bool json) {
  if (json) {
    for (const LevelInfo& level : all_levels()) print(level_json(level));
    for (const AnomalyInfo& anomaly : all_anomalies()) print(anomaly_json(anomaly));
    return Exit::kFine;
  }
  print(bold("Levels") + "\n");
  for (const LevelInfo& level : all_levels()) print(fitted(fmt::format("  {:<36}  {}\n", level.name, level.summary)));
  print("\n" + bold("Anomalies") + "\n");
  for (const AnomalyInfo& anomaly : all_anomalies())
    print(fitted(fmt::format("  {:<36}  {}\n", anomaly.name, anomaly.summary)));
  return Exit::kFine;
}

}  // namespace

Exit run_explain(const Arguments& args) {
  const bool json = args.has("json");
  if (args.has("list")) return list_all(json);
  if (args.positional.empty()) {
    print_error("explain what? Name a level or an anomaly, or give --list");
    return Exit::kBadInput;
  }
  const std::string& name = args.positional[0];
  if (const auto level = level_named(name)) {
    print(json ? level_json(info(*level)) : fitted(level_text(info(*level))));
    return Exit::kFine;
  }
  if (const auto anomaly = anomaly_named(name)) {
    print(json ? anomaly_json(info(*anomaly)) : fitted(anomaly_text(info(*anomaly))));
    return Exit::kFine;
  }
  std::vector<std::string_view> names;
  for (const LevelInfo& level : all_levels()) {
    names.push_back(level.name);
    names.insert(names.end(), level.aliases.begin(), level.aliases.end());
  }
  for (const AnomalyInfo& anomaly : all_anomalies()) names.push_back(anomaly.name);
  print_error(fmt::format("\"{}\" is neither a level nor an anomaly{} (isolde explain --list)", name,
                          did_you_mean(name, names)));
  return Exit::kBadInput;
}

}  // namespace isolde::cli
