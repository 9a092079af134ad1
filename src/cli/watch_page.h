// cli/watch_page.h: a stream that was watched, as the data of a page: its verdict, its rates, lag and violations over
// time, and the first of what was violated, suspected and late, each with the moment when it was found.
//
// Always: what it keeps is bounded, however long the stream is watched: at most 240 points of time, each standing for
//         twice as long whenever they are full, the first 200 violations, 50 suspicions, 50 late arrivals and 50
//         notices. The page stays within the room it is given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/live_server.h"
#include "cli/terminal.h"
#include "cli/watch_plan.h"
#include "history/history.h"
#include "report/page/page.h"
#include "stream/watcher.h"

namespace isolde::cli {

// What the page is about, beside the stream itself.
struct WatchedSubject {
  std::string name;                                             // as the verdict names it
  std::vector<std::pair<std::string, std::string>> facts = {};  // of the run that was watched, by name; shown first
  std::vector<std::string> notes = {};
  const History* recorded = nullptr;  // what the stream was: gives the pictures operations; null: it is gone
  bool live = false;                  // the run goes on
  bool plots = true;                  // of `recorded`, by its clock of nanoseconds
  std::size_t room = kLargestPage;    // bytes of a page with this alone on it, at the most
};

// Hands on to `next` what it is told, and remembers what a page shows of it.
class PageView : public stream::WatchView {
 public:
  explicit PageView(stream::WatchView& next) : next_(next) {}

  void started(const stream::Checker& checker) override { next_.started(checker); }
  void violated(const OnlineViolation& violation) override;
  void suspected(const OnlineViolation& violation, std::string_view why) override;
  void late(const Arrival& arrival) override;
  void notice(std::string_view text) override;
  void progress(const stream::WatchCounts& counts) override;

  // The JSON of a WatchPage (web/src/data.ts).
  [[nodiscard]] std::string json(const WatchedSubject& subject, const Chosen& chosen,
                                 const stream::WatchSummary& summary);
  // From here on the server gets the page as it is so far, about once a second, and the numbers of the watch. All of
  // them outlive this.
  void serve(LiveServer& server, WatchedSubject subject, const Chosen& chosen);

 private:
  struct Sample {
    double seconds, lag, mib;
    std::uint64_t came, checked, violations, suspicions, late;  // until then
  };
  struct Late {
    double found;
    std::string id, session;
  };
  void sample(const stream::WatchCounts& counts);
  void show_live(const stream::WatchCounts& counts);
  [[nodiscard]] std::string page_json(const WatchedSubject& subject, const Chosen& chosen,
                                      const stream::WatchSummary& summary);
  [[nodiscard]] std::vector<std::string> plots() const;
  [[nodiscard]] std::string violations_json(const History* recorded, std::string& transactions) const;
  [[nodiscard]] bool halve();

  stream::WatchView& next_;
  Stopwatch since_;  // the start
  std::vector<Sample> samples_;
  double every_ = 0.25;                                   // seconds
  std::vector<OnlineViolation> violations_, suspicions_;  // with short texts
  std::vector<double> violations_found_, suspicions_found_;
  std::vector<std::string> why_;  // of suspicions
  std::vector<Late> late_;
  std::vector<std::string> notices_;
  LiveServer* server_ = nullptr;
  WatchedSubject served_;
  const Chosen* chosen_ = nullptr;
  double shown_live_ = -1;  // seconds
};

}  // namespace isolde::cli
