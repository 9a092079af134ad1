// The page of a watched stream: however long it was watched, and whatever was found, it stays small.
#include "cli/watch_page.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "report/page/page.h"
#include "report/page/parsed_json.h"
#include "tests/support/native_history.h"

namespace isolde::cli {
namespace watch_page_test {

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

Arrival arrival_of(std::string_view line) { return {std::make_shared<Chunk>(native(line)), TxnId{0}, true}; }

// The page after three seconds in which `counts` came about.
std::string page_after(PageView& view, stream::WatchCounts counts) {
  view.progress({});
  counts.seconds = 3;
  view.progress(counts);
  stream::WatchSummary summary;
  summary.counts = counts;
  return view.json({.name = "s"}, {}, summary);
}

TEST(WatchPage, SuspicionsAndLateArrivalsAreListedWithTheirMoments) {
  Silent next;
  PageView view(next);
  OnlineViolation suspicion{};
  suspicion.kind = AnomalyKind::kGSIb;
  suspicion.text = "7 read x = 1.";
  suspicion.transactions = {"7", "3"};
  for (int i = 0; i < 70; ++i) view.suspected(suspicion, "a session is missing");
  for (int i = 0; i < 60; ++i) view.late(arrival_of(R"({"id":"t<9>","session":"s","ops":[]})"));
  stream::WatchCounts counts;
  counts.suspicions = 70;
  counts.late = 60;
  const Parsed page(page_after(view, counts));
  EXPECT_EQ(size(page.json["suspicions"]), 50U);
  EXPECT_EQ(number(page.json["suspicions_left_out"]), 20U);
  EXPECT_EQ(text(page.json["suspicions"].at(0)["name"]), "GSIb");
  EXPECT_EQ(text(page.json["suspicions"].at(0)["text"]), "7 read x = 1.");
  EXPECT_EQ(text(page.json["suspicions"].at(0)["why"]), "a session is missing");
  EXPECT_EQ(text(page.json["suspicions"].at(0)["ids"].at(1)), "3");
  EXPECT_GE(double(page.json["suspicions"].at(0)["found"]), 0);
  EXPECT_EQ(size(page.json["late"]), 50U);
  EXPECT_EQ(number(page.json["late_left_out"]), 10U);
  EXPECT_EQ(text(page.json["late"].at(0)["id"]), R"("t<9>")");
  EXPECT_EQ(text(page.json["late"].at(0)["session"]), "s");
  bool plotted = false;
  for (const auto plot : page.json["plots"].get_array()) {
    if (text(plot["title"]) != "Suspected and late so far") continue;
    plotted = true;
    EXPECT_EQ(size(plot["series"]), 2U);
  }
  EXPECT_TRUE(plotted);
}

TEST(WatchPage, OfAStreamWithoutDoubtsNoneArePlotted) {
  Silent next;
  PageView view(next);
  const Parsed page(page_after(view, {}));
  EXPECT_EQ(size(page.json["plots"]), 4U);
  EXPECT_EQ(size(page.json["suspicions"]), 0U);
  EXPECT_EQ(size(page.json["late"]), 0U);
}

OnlineViolation stale_read() {
  OnlineViolation v{};
  v.kind = AnomalyKind::kGSIb;
  v.transactions = {"2", "1"};
  v.key = "\"x\"";
  v.read = "null";
  v.steps = {{0, 1, StepType::kRw, "\"x\""}, {1, 0, StepType::kRealtime}};
  return v;
}

TEST(WatchPage, AViolationIsDrawnFromWhatItNames) {
  Silent next;
  PageView view(next);
  view.violated(OnlineViolation{});
  view.violated(stale_read());
  const Parsed page(view.json({.name = "s"}, {}, {}));
  EXPECT_EQ(size(page.json["violations"].at(0)["steps"]), 0U);
  const auto drawn = page.json["violations"].at(1);
  EXPECT_EQ(size(drawn["transactions"]), 2U);
  ASSERT_EQ(size(drawn["steps"]), 2U);
  EXPECT_EQ(text(drawn["steps"].at(0)["text"]), "T1 overwrote what T2 read (x)");
  EXPECT_EQ(number(drawn["steps"].at(0)["from"]), 0U);
  EXPECT_EQ(number(drawn["steps"].at(0)["from_op"]), 0U);
  ASSERT_EQ(size(page.json["transactions"]), 2U);
  EXPECT_EQ(text(page.json["transactions"].at(0)["ops"].at(0)["text"]), "read x = null");
  EXPECT_EQ(text(page.json["transactions"].at(1)["ops"].at(0)["text"]), "wrote x");
}

TEST(WatchPage, WithTheRecordingTransactionsHaveTheirOperationsAndTimes) {
  const History history = native(R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","y",3],["w","x",1]]}
{"id":2,"session":2,"begin":21,"end":30,"ops":[["r","y",3],["r","x",null]]}
{"id":3,"session":2,"begin":31,"end":40,"ops":[["r","y",3]]})");
  Silent next;
  PageView view(next);
  view.violated(stale_read());
  OnlineViolation gone = stale_read();
  gone.transactions = {"2", "77"};
  view.violated(gone);
  const Parsed page(view.json({.name = "s", .recorded = &history}, {}, {}));
  ASSERT_EQ(size(page.json["transactions"]), 2U) << "only those of violations";
  EXPECT_EQ(text(page.json["transactions"].at(0)["id"]), "T2");
  EXPECT_EQ(number(page.json["transactions"].at(0)["begin"]), 21U);
  EXPECT_EQ(size(page.json["transactions"].at(0)["ops"]), 2U);
  const auto step = page.json["violations"].at(0)["steps"].at(0);
  EXPECT_EQ(number(step["from_op"]), 1U);
  EXPECT_EQ(number(step["to_op"]), 1U);
  EXPECT_EQ(size(page.json["violations"].at(1)["steps"]), 0U) << "a transaction that the recording lacks";
}

TEST(WatchPage, APieceOfAPageKeepsToItsRoom) {
  Silent next;
  PageView view(next);
  OnlineViolation v = stale_read();
  v.text = std::string(100'000, '<');
  for (int i = 0; i < 300; ++i) {
    view.violated(v);
    view.suspected(v, v.text);
    view.notice(v.text);
  }
  constexpr std::size_t kRoom = 400'000;
  EXPECT_LE(html_page_size(view.json({.name = v.text, .room = kRoom}, {}, {})), kRoom);
}

}  // namespace watch_page_test
}  // namespace isolde::cli
