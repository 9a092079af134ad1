#include "cli/record_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/mirror/engine.h"
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"
#include "stream/input.h"

namespace isolde::cli {

Result<mirror::Profile> profile_of_database(db::Database& database, const db::Url& url, const db::ServerLevel& level) {
  auto connection = database.connect(level);
  if (!connection) return std::move(connection).error();
  auto described = database.describe(**connection);
  if (!described) return std::move(described).error();
  mirror::ServerFlags flags;
  flags.innodb_snapshot_isolation = described->find("innodb_snapshot_isolation=ON") != std::string::npos;
  flags.optimistic = described->find("optimistic") != std::string::npos;
  const mirror::Profile* const found = mirror::profile_of_server(url.scheme, level.name, flags);
  if (found == nullptr)
    return Error{fmt::format("no profile is known for {} at \"{}\": name one with --profile (docs/profiles.md)",
                             *described, level.name)};
  return *found;
}

void RunWatcher::start(const record::RunClock& clock) {
  thread_ = std::thread([this, clock] {
    auto summary = watch(clock);
    const std::scoped_lock lock(mutex_);
    summary_.emplace(std::move(summary));
  });
}

Result<stream::WatchSummary> RunWatcher::watch(const record::RunClock& clock) {
  stream::InputOptions options;
  options.max_held = std::min(options.max_held, plan_.memory / 8);
  options.max_line = std::min(options.max_line, options.max_held / 2);
  auto input = stream::follow_recording(folder_, [clock] { return clock.now(); }, std::move(options));
  if (!input) return std::move(input).error();
  PageView& page = page_.emplace(*this);
  if (server_ != nullptr) page.serve(*server_, {.name = subject_}, chosen_);
  return stream::watch(**input, checker_of(plan_, chosen_), page, {});
}

void RunWatcher::violated(const OnlineViolation& violation) {
  const std::scoped_lock lock(mutex_);
  if (++violations_ <= shown_) fresh_.push_back(violation);
}

void RunWatcher::suspected(const OnlineViolation& violation, std::string_view why) {
  const std::scoped_lock lock(mutex_);
  if (notices_.size() < shown_)
    notices_.push_back(
        fmt::format("suspected {}: {} ({})", full_name(violation.kind, violation.variant), violation.text, why));
}

void RunWatcher::notice(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (notices_.size() < shown_) notices_.emplace_back(text);
}

void RunWatcher::progress(const stream::WatchCounts& counts) {
  const std::scoped_lock lock(mutex_);
  counts_ = counts;
}

std::vector<std::string> RunWatcher::found(Colour colour) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> out;
  for (const std::string& text : notices_) out.push_back(fmt::format("  watch: {}\n", text));
  for (const OnlineViolation& violation : fresh_) out.push_back(violation_text(violation, ++told_, colour));
  notices_.clear();
  fresh_.clear();
  return out;
}

std::string RunWatcher::live() const {
  const std::scoped_lock lock(mutex_);
  return fmt::format("checked {}/s, lag {:.1f} s, {}", static_cast<std::uint64_t>(counts_.checked_per_second),
                     counts_.lag, words::counted(counts_.violations, "violation"));
}

std::optional<Result<stream::WatchSummary>> RunWatcher::finish() {
  wait();
  return std::move(summary_);
}

std::string watched_json(const mirror::Profile& profile, const stream::WatchSummary& s) {
  const OnlineCounts& e = s.counts.engine;
  JsonObject out;
  out.text("verdict", name(s.outcome))
      .truth("certifies", false)
      .text("profile", profile.name)
      .number("violations", s.counts.violations)
      .raw("counts", by_name_json(s.counts))
      .number("suspicions", s.counts.suspicions)
      .number("transactions", s.counts.arrived)
      .number("dependencies", e.dependencies)
      .number("overlapping", e.overlapping)
      .number("deduced", e.deduced)
      .number("unchecked", e.unchecked)
      .number("unsearched", e.unsearched)
      .number("late", s.counts.late)
      .decimal("most_lag_seconds", s.counts.most_lag, 3);
  if (!s.reason.empty()) out.text("reason", s.reason);
  return out.done();
}

std::string watched_text(const mirror::Profile& profile, const stream::WatchSummary& s, bool verdict_only) {
  Chosen chosen;
  chosen.method = name(OnlineMethod::kMirror);
  chosen.judged = profile.name;
  chosen.mirror = true;
  std::string out = verdict_text("the watched run", chosen, s) + "\n";
  if (verdict_only) return out;
  if (!s.reason.empty()) out += fmt::format("  {}\n", s.reason);
  if (s.counts.violations > 0) out += fmt::format("  {}\n", by_name_text(s.counts));
  return out + fmt::format("  {} transactions, {} dependencies, lag at most {:.1f} s\n", grouped(s.counts.arrived),
                           grouped(s.counts.engine.dependencies), s.counts.most_lag);
}

std::string second_opinion_text(const mirror::Profile& profile, const std::string& out,
                                const std::optional<Judged>& opinion) {
  const Level promised = mirror::level_of(profile);
  if (opinion && opinion->outcome == Outcome::kViolated && implies(promised, opinion->level)) {
    return fmt::format("  another engine ({}) confirms that the run breaks the promise of {}: it violates {}\n",
                       opinion->method, profile.name, info(opinion->level).name);
  }
  if (opinion && opinion->outcome == Outcome::kSatisfied && implies(opinion->level, promised)) {
    return fmt::format("  another engine ({}) does not confirm this: the run satisfies {}\n", opinion->method,
                       info(opinion->level).name);
  }
  if (out.empty())
    return "  not checked by another engine: record with --out FILE and check that file, or add --check\n";
  return fmt::format("  not checked by another engine; to do so: {}\n", confirm_text(out, profile));
}

}  // namespace isolde::cli
