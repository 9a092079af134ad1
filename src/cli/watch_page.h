// cli/watch_page.h: a stream that was watched, as the data of a page: its verdict, its rates, lag and violations over
// time, and the first violations.
//
// Always: what it keeps is bounded, however long the stream is watched: at most 240 points of time, each standing for
//         twice as long whenever they are full, and the first 200 violations. The page stays below kLargestPage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/watch_plan.h"
#include "stream/watcher.h"

namespace isolde::cli {

// Hands on to `next` what it is told, and remembers what a page shows of it.
class PageView : public stream::WatchView {
 public:
  explicit PageView(stream::WatchView& next) : next_(next) {}

  void started(const stream::Checker& checker) override { next_.started(checker); }
  void violated(const OnlineViolation& violation) override;
  void suspected(const OnlineViolation& violation, std::string_view why) override { next_.suspected(violation, why); }
  void late(const Arrival& arrival) override { next_.late(arrival); }
  void notice(std::string_view text) override;
  void progress(const stream::WatchCounts& counts) override;

  // The JSON of a WatchPage (web/src/data.ts). `subject`: what was watched.
  [[nodiscard]] std::string json(const std::string& subject, const Chosen& chosen, const stream::WatchSummary& summary);

 private:
  struct Sample {
    double seconds, in, checked, lag, mib;
    std::uint64_t violations;
  };
  void sample(const stream::WatchCounts& counts);
  [[nodiscard]] std::string plots() const;

  stream::WatchView& next_;
  std::vector<Sample> samples_;
  double every_ = 1;  // seconds
  stream::WatchCounts last_;
  std::vector<std::string> violations_, notices_;  // as JSON
};

}  // namespace isolde::cli
