#include "cli/baseline.h"

#include <fmt/format.h>

#include <charconv>

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
constexpr std::string_view kWords[] = {"file", "level", "anomaly", "most", "why"};

bool covers(const KnownFinding& known, const KnownFinding& found) {
  return audit::matches(known.file, found.file) && (known.level == kAnything || known.level == found.level) &&
         known.anomaly == found.anomaly;
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
  } else if (entry.key == "level" && entry.text != kAnything) {
    const auto level = level_by_name(entry.text);
    if (!level) return file.error_at(entry.place, level.error().text);
    to.level = info(*level).name;
  } else if (entry.key == "anomaly") {
    const auto kind = anomaly_named(entry.text);
    if (!kind) {
      std::vector<std::string_view> names;
      for (const AnomalyInfo& one : all_anomalies()) names.push_back(one.name);
      return file.error_at(entry.place, fmt::format("\"{}\" is no anomaly{} (isolde explain --list)", entry.text,
                                                    did_you_mean(entry.text, names)));
    }
    to.anomaly = info(*kind).name;
  } else if (is_number) {
    const auto [end, error] = std::from_chars(entry.text.data(), entry.text.data() + entry.text.size(), to.most);
    if (error != std::errc() || end != entry.text.data() + entry.text.size())
      return file.error_at(entry.place, fmt::format("expected most = a whole number, not {}", entry.text));
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
      return file.error_at(entry.place, fmt::format("expected file, level, anomaly, most or why, not \"{}\"{}",
                                                    entry.key, did_you_mean(entry.key, kWords)));
    if (auto error = take_word(file, entry, finding)) return *std::move(error);
  }
  if (finding.anomaly.empty()) return file.error_at(table.place, "expected anomaly = \"…\" in this entry");
  return finding;
}

}  // namespace

Result<Baseline> Baseline::read(const std::string& path) {
  auto file = read_toml_file(path);
  if (!file) return std::move(file).error();
  Baseline baseline;
  baseline.path_ = path;
  for (const TomlTable& table : file->tables) {
    auto finding = finding_of(*file, table);
    if (!finding) return std::move(finding).error();
    baseline.findings_.push_back(*std::move(finding));
  }
  return baseline;
}

KnownFindings Baseline::compare(const Report& report) {
  KnownFindings result{.baseline = path_, .known = {}, .fresh = {}};
  for (const KnownFinding& found : findings_of(report)) {
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
    if (known.seen) continue;
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
      "# Known findings: `isolde check --baseline` of this file fails only for others, or for more of these.\n"
      "# Each entry: file (* stands for anything), level, anomaly, most (left out: any number), why.\n";
  for (const KnownFinding& one : findings) {
    out += fmt::format("\n[[known]]\nfile = {}\nlevel = {}\nanomaly = {}\nmost = {}\nwhy = {}\n", json_string(one.file),
                       json_string(one.level), json_string(one.anomaly), one.most, json_string(one.why));
  }
  return out;
}

}  // namespace isolde::cli
