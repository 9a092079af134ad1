#include "cli/record_page.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "format/format.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

// Of journals. Loaded, they take about as much memory.
constexpr std::uint64_t kMostToLoad = std::uint64_t{1} << 30;
// Beside a check, which shows anomalies with all that is known of them.
constexpr std::size_t kRoomBeside = kLargestPage / 3;

}  // namespace

std::string record_page(RunWatcher& watcher, const stream::WatchSummary& summary, const RecordedRun& run) {
  const record::RunSummary& s = run.summary;
  WatchedSubject subject;
  subject.name = fmt::format("{} on {}", run.workload, s.database);
  const auto fact = [&](std::string name, std::string value) {
    subject.facts.emplace_back(std::move(name), std::move(value));
  };
  fact("run", fmt::format("{}, {}, seed {}", run.level, words::counted(run.clients, "client"), run.seed));
  const double per_second = s.seconds > 0 ? static_cast<double>(s.committed) / s.seconds : 0;
  fact("transactions",
       fmt::format("{:.1f} s: {} committed ({}/s), {} aborted, {} unknown", s.seconds, grouped(s.committed),
                   grouped(static_cast<std::uint64_t>(per_second)), grouped(s.aborted), grouped(s.unknown)));
  fact("duration of a committed transaction",
       fmt::format("{:.2f} ms (median), {:.2f} ms (99 %)", milliseconds(s.latency.at_most(0.5)),
                   milliseconds(s.latency.at_most(0.99))));
  if (s.faults.all() > 0) fact("faults injected", record::to_text(s.faults));
  if (!s.evidence_source.empty()) fact("version order", s.evidence_source);

  // The check loads it too; here it is only for the pictures of violations.
  const bool wanted = !run.checked || summary.counts.violations > 0;
  if (run.checked) subject.room = kRoomBeside + page_template().size();
  subject.plots = !run.checked;
  std::optional<Loaded> loaded;
  if (wanted && s.journal_bytes > kMostToLoad) {
    subject.notes.push_back(
        fmt::format("the recording has {} MiB: plots of the run and operations of transactions are left out (isolde "
                    "report FILE shows them)",
                    s.journal_bytes >> 20));
  } else if (wanted) {
    if (auto read = load(run.file, nullptr, {})) loaded.emplace(*std::move(read));
  }
  if (loaded) subject.recorded = &loaded->history;
  return watcher.page(subject, summary);
}

}  // namespace isolde::cli
