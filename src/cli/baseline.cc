#include "cli/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "audit/hints/hints.h"
#include "base/nearest.h"
#include "cli/toml_file.h"
#include "cli/verbs.h"
#include "report/json.h"

namespace isolde::cli {
namespace {

constexpr std::string_view kTable = "known", kAnything = "*";
constexpr std::string_view kWords[] = {"verb", "file", "level", "anomaly", "most", "why"};
constexpr std::string_view kCheck = "check", kVerbsWithFindings[] = {kCheck, "probe", "hunt", "audit"};

bool covers(const KnownFinding& known, const KnownFinding& found) {
  return known.verb == found.verb && audit::matches(known.file, found.file) &&
         (known.level == kAnything || known.level == found.level) && known.anomaly == found.anomaly;
}

// Sets one word of an entry; the error, if it is none.
std::optional<Error> take_word(const TomlFile& file, const TomlEntry& entry, KnownFinding& to) {
  const bool is_number = entry.key == "most";
  if (entry.kind != (is_number ? TomlEntry::Kind::kNumber : TomlEntry::Kind::kText))
    return file.error_at(entry.place, fmt::format("expected {} = {}", entry.key, is_number ? "a number" : "\"…\""));
  if (entry.key == "file") {
    to.file = entry.text;
  } else if (entry.key == "why") {
    to.why = entry.text;
  } else if (entry.key == "verb") {
    if (std::ranges::find(kVerbsWithFindings, entry.text) == std::end(kVerbsWithFindings))
      return file.error_at(entry.place, fmt::format("expected check, probe, hunt or audit, not \"{}\"{}", entry.text,
                                                    did_you_mean(entry.text, kVerbsWithFindings)));
    to.verb = entry.text;
  } else if (entry.key == "level") {
    to.level = entry.text;
  } else if (entry.key == "anomaly") {
    to.anomaly = entry.text;
  } else if (is_number) {
    const auto [end, error] = std::from_chars(entry.text.data(), entry.text.data() + entry.text.size(), to.most);
    if (error != std::errc() || end != entry.text.data() + entry.text.size())
      return file.error_at(entry.place, fmt::format("expected most = a whole number, not {}", entry.text));
  }
  return std::nullopt;
}

// The level and the anomaly of `check` by the names that the table of levels and anomalies has. Those of other verbs
// are the database's own, the user's, or made of names of the application.
std::optional<Error> name_parts(const TomlFile& file, const TomlTable& table, KnownFinding& finding) {
  if (finding.verb != kCheck) return std::nullopt;
  for (const TomlEntry& entry : table.entries) {
    if (entry.key == "level" && finding.level != kAnything) {
      const auto level = level_by_name(finding.level);
      if (!level) return file.error_at(entry.place, level.error().text);
      finding.level = info(*level).name;
    } else if (entry.key == "anomaly") {
      const auto kind = anomaly_named(finding.anomaly);
      if (!kind) {
        std::vector<std::string_view> names;
        for (const AnomalyInfo& one : all_anomalies()) names.push_back(one.name);
        return file.error_at(entry.place, fmt::format("\"{}\" is no anomaly{} (isolde explain --list)", finding.anomaly,
                                                      did_you_mean(finding.anomaly, names)));
      }
      finding.anomaly = info(*kind).name;
    }
  }
  return std::nullopt;
}

Result<KnownFinding> finding_of(const TomlFile& file, const TomlTable& table) {
  if (table.name != kTable || !table.many)
    return file.error_at(table.name.empty() && !table.entries.empty() ? table.entries[0].place : table.place,
                         "expected [[known]] before each known finding");
  KnownFinding finding;
  for (const TomlEntry& entry : table.entries) {
    bool known = false;
    for (const std::string_view word : kWords) known = known || word == entry.key;
    if (!known)
      return file.error_at(entry.place, fmt::format("expected verb, file, level, anomaly, most or why, not \"{}\"{}",
                                                    entry.key, did_you_mean(entry.key, kWords)));
    if (auto error = take_word(file, entry, finding)) return *std::move(error);
  }
  if (auto error = name_parts(file, table, finding)) return *std::move(error);
  if (finding.anomaly.empty()) return file.error_at(table.place, "expected anomaly = \"…\" in this entry");
  return finding;
}

}  // namespace

Result<Baseline> Baseline::read(const std::string& path, std::string_view verb) {
  auto file = read_toml_file(path);
  if (!file) return std::move(file).error();
  Baseline baseline;
  baseline.path_ = path;
  baseline.verb_ = verb;
  for (const TomlTable& table : file->tables) {
    auto finding = finding_of(*file, table);
    if (!finding) return std::move(finding).error();
    baseline.findings_.push_back(*std::move(finding));
  }
  return baseline;
}

KnownFindings Baseline::compare(const std::vector<KnownFinding>& findings) {
  KnownFindings result{.baseline = path_, .known = {}, .fresh = {}};
  for (const KnownFinding& found : findings) {
    bool allowed = false;
    for (KnownFinding& known : findings_) {
      if (!covers(known, found)) continue;
      known.seen = true;
      allowed = allowed || found.most <= known.most;
    }
    (allowed ? result.known : result.fresh).push_back(fmt::format("{} {}", found.anomaly, grouped(found.most)));
  }
  return result;
}

std::string Baseline::why(const KnownFinding& finding) const {
  for (const KnownFinding& known : findings_) {
    if (covers(known, finding) && !known.why.empty()) return known.why;
  }
  return {};
}

std::vector<std::string> Baseline::unseen() const {
  std::vector<std::string> texts;
  for (const KnownFinding& known : findings_) {
    if (known.seen || known.verb != verb_) continue;
    std::string text = known.anomaly;
    if (known.file != kAnything) text += fmt::format(" of {}", known.file);
    if (known.level != kAnything) text += fmt::format(" at {}", known.level);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<KnownFinding> findings_of(const Report& report) {
  std::vector<KnownFinding> found;
  const Verdict& verdict = report.verdict;
  if (verdict.outcome != Outcome::kViolated) return found;
  for (std::size_t k = 0; k < verdict.counts.size(); ++k) {
    if (verdict.counts[k] == 0) continue;
    KnownFinding one;
    one.file = report.file;
    one.level = info(verdict.level).name;
    one.anomaly = info(static_cast<AnomalyKind>(k)).name;
    one.most = verdict.counts[k];
    found.push_back(std::move(one));
  }
  return found;
}

std::string baseline_text(const std::vector<KnownFinding>& findings) {
  std::string out =
      "# Known findings: with `--baseline` and this file, only others fail a build, or more of these (docs/ci.md).\n"
      "# Each entry: verb (left out: check), file (* stands for anything), level, anomaly, most (left out: any "
      "number),\n"
      "# why.\n";
  for (const KnownFinding& one : findings) {
    out += "\n[[known]]\n";
    if (one.verb != kCheck) out += fmt::format("verb = {}\n", json_string(one.verb));
    out += fmt::format("file = {}\nlevel = {}\nanomaly = {}\nmost = {}\nwhy = {}\n", json_string(one.file),
                       json_string(one.level), json_string(one.anomaly), one.most, json_string(one.why));
  }
  return out;
}

}  // namespace isolde::cli
