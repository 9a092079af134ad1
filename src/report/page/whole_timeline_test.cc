#include "report/page/whole_timeline.h"

#include <gtest/gtest.h>

#include "tests/support/history_text.h"

namespace isolde {
namespace whole_timeline_test {

std::string part(const std::string& json, const std::string& name) {
  const std::string start = "\"" + name + "\": ";
  const std::size_t at = json.find(start);
  if (at == std::string::npos) return "none";
  const std::size_t from = at + start.size();
  return json.substr(from, json.find_first_of(",}", from) - from);
}

TEST(WholeTimeline, TakesTheClientsClockElseTheDatabasesElsePlaces) {
  const auto clock = [](std::string_view history) {
    return part(whole_timeline_json(hist(history), {}, true, 100), "clock");
  };
  EXPECT_EQ(clock("T1 {10..20}: w x1 | T2 {15..30}: r x1"), "\"client\"");
  EXPECT_EQ(clock("T1 1..2: w x1 | T2 3..4: r x1"), "\"database\"");
  EXPECT_EQ(clock("T1: w x1 | T2: r x1"), "\"place\"");
  EXPECT_EQ(whole_timeline_json(hist(""), {}, true, 100), "");
}

TEST(WholeTimeline, ABarIsAFewBytes) {
  // From 0 for 10, lane 0, committed; 5 later for 15, lane 1, aborted. The ids are no numbers.
  const std::string json = whole_timeline_json(hist("T1@a {10..20}: w x1 | T2@b! {15..30}: w x2"), {}, true, 100);
  EXPECT_EQ(part(json, "bars"), "\"AAoABQ8J\"") << json;
  EXPECT_EQ(part(json, "low"), "\"10\"");
  EXPECT_NE(json.find("\"lanes\": [\"a\", \"b\"]"), std::string::npos) << json;
}

TEST(WholeTimeline, OfTooManyAShareIsKeptAndThoseOfAnomalies) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += (i == 0 ? "" : " | ") + std::string("T") + std::to_string(i) + ": w x" + std::to_string(i);
  const History h = hist(text);
  Verdict verdict;
  Anomaly anomaly{};
  anomaly.transactions = {TxnId{3}};
  verdict.anomalies.push_back(anomaly);
  const std::string json = whole_timeline_json(h, verdict, false, 10);
  EXPECT_EQ(part(json, "count"), "11") << json;
  EXPECT_EQ(part(json, "of"), "100");
}

}  // namespace whole_timeline_test
}  // namespace isolde
