// The page of a watched stream: however long it was watched, and whatever was found, it stays small.
#include "cli/watch_page.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "report/page/page.h"

namespace isolde::cli {
namespace {

class Silent : public stream::WatchView {
 public:
  void started(const stream::Checker&) override {}
  void violated(const OnlineViolation&) override { ++violations; }
  void suspected(const OnlineViolation&, std::string_view) override {}
  void late(const Arrival&) override {}
  void notice(std::string_view) override {}
  void progress(const stream::WatchCounts&) override { ++told; }
  int told = 0, violations = 0;
};

TEST(WatchPage, ADayHasAtMost240PointsInTheirOrder) {
  Silent next;
  PageView view(next);
  stream::WatchCounts counts;
  constexpr int kTold = 4 * 86'400;
  for (int i = 0; i < kTold; ++i) {
    counts.seconds = i / 4.0;
    counts.lag = i == 1000 ? 7 : 0.5;
    counts.violations = static_cast<std::uint64_t>(i);
    view.progress(counts);
  }
  EXPECT_EQ(next.told, kTold) << "what it is told, it hands on";
  stream::WatchSummary summary;
  summary.counts = counts;
  simdjson::dom::parser parser;
  const simdjson::padded_string json(view.json({.name = "s"}, {}, summary));
  const simdjson::dom::element page = parser.parse(json);
  double before = -1;
  std::size_t points = 0;
  for (const double at : page["plots"].at(0)["at"].get_array()) {
    EXPECT_GT(at, before);
    before = at;
    ++points;
  }
  EXPECT_LE(points, 240U);
  EXPECT_GE(points, 100U);
  EXPECT_NEAR(before, 86'400, 1000);
}

TEST(WatchPage, TheWorstLagSurvivesHalving) {
  Silent next;
  PageView view(next);
  stream::WatchCounts counts;
  for (int i = 0; i < 5000; ++i) {
    counts.seconds = i;
    counts.lag = i == 100 ? 7 : 0.5;
    view.progress(counts);
  }
  stream::WatchSummary summary;
  summary.counts = counts;
  EXPECT_NE(view.json({.name = "s"}, {}, summary).find("0.5,7,0.5"), std::string::npos);
}

TEST(WatchPage, ManyHostileViolationsAreCutAndCounted) {
  Silent next;
  PageView view(next);
  OnlineViolation violation{};
  violation.text = violation.key = std::string(100'000, '<');
  violation.transactions.assign(1000, violation.text);
  for (int i = 0; i < 1000; ++i) view.violated(violation);
  EXPECT_EQ(next.violations, 1000);
  stream::WatchSummary summary;
  summary.counts.violations = 1000;
  const std::string json = view.json({.name = violation.text}, {}, summary);
  EXPECT_LE(html_page_size(json), kLargestPage);
  simdjson::dom::parser parser;
  const simdjson::padded_string text(json);
  const simdjson::dom::element page = parser.parse(text);
  EXPECT_EQ(page["violations"].get_array().size() + std::uint64_t(page["violations_left_out"]), 1000U);
}

}  // namespace
}  // namespace isolde::cli
