// cli/record_watch.h: checks a run of `isolde record` while it goes on: follows its own recording, in this process.
//
// Always: has a thread of its own (and one for reading); what it finds waits until the run's thread shows it. The run
//         never waits for it: it reads what the clients have written.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "cli/check_plan.h"
#include "cli/verbs.h"
#include "cli/watch_page.h"
#include "cli/watch_plan.h"
#include "cli/watch_view.h"
#include "db/database.h"
#include "db/url.h"
#include "record/session_client.h"
#include "stream/watcher.h"

namespace isolde::cli {

// The profile of that server at that level. Connects, to ask for the settings that change what its levels mean.
[[nodiscard]] Result<mirror::Profile> profile_of_database(db::Database& database, const db::Url& url,
                                                          const db::ServerLevel& level);

class RunWatcher : public stream::WatchView {
 public:
  RunWatcher(WatchPlan plan, std::string folder, std::uint64_t shown)
      : plan_(std::move(plan)), folder_(std::move(folder)), shown_(shown) {}
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;
  ~RunWatcher() override { wait(); }

  // Before start(): its page can be followed there.
  void serve(LiveServer& server, std::string subject) {
    server_ = &server;
    subject_ = std::move(subject);
  }
  // Requires: the run's journals are there, and its clients have not begun.
  void start(const record::RunClock& clock);
  // From the run's thread: what was found since it was last asked, and how far it is.
  [[nodiscard]] std::vector<std::string> found(Colour colour);
  [[nodiscard]] std::string live() const;
  // After the run: waits until everything is judged. None: it was never started.
  [[nodiscard]] std::optional<Result<stream::WatchSummary>> finish();
  // After finish(), of what it gave: the data of a page.
  [[nodiscard]] std::string page(const WatchedSubject& subject, const stream::WatchSummary& summary) {
    return page_->json(subject, chosen_, summary);
  }

  void started(const stream::Checker&) override {}
  void violated(const OnlineViolation& violation) override;
  void suspected(const OnlineViolation& violation, std::string_view why) override;
  void late(const Arrival&) override {}
  void notice(std::string_view text) override;
  void progress(const stream::WatchCounts& counts) override;

 private:
  [[nodiscard]] Result<stream::WatchSummary> watch(const record::RunClock& clock);
  void wait() {
    if (thread_.joinable()) thread_.join();
  }

  const WatchPlan plan_;
  const std::string folder_;
  const std::uint64_t shown_;
  Chosen chosen_;
  LiveServer* server_ = nullptr;
  std::string subject_;
  std::optional<PageView> page_;  // of the thread that watches
  mutable std::mutex mutex_;
  stream::WatchCounts counts_;
  std::vector<OnlineViolation> fresh_;
  std::vector<std::string> notices_;
  std::uint64_t violations_ = 0, told_ = 0;
  std::optional<Result<stream::WatchSummary>> summary_;
  std::thread thread_;
};

// What is said of it when the run is over: JSON, or lines.
[[nodiscard]] std::string watched_json(const mirror::Profile& profile, const stream::WatchSummary& summary);
[[nodiscard]] std::string watched_text(const mirror::Profile& profile, const stream::WatchSummary& summary,
                                       bool verdict_only);

// Of violations that the watcher found, a line: that the second engine finds that level, or a weaker one, violated,
// too; that it does not; or, where it did not run or judged another level, how to have one run. `out`: where the
// history is; empty: nowhere.
[[nodiscard]] std::string second_opinion_text(const mirror::Profile& profile, const std::string& out,
                                              const std::optional<Judged>& opinion);

}  // namespace isolde::cli
