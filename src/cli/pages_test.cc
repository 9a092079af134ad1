// Pages of what verbs print: whatever it is, a page stays below 3 MB and says what is not there.
#include "cli/pages.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "report/page/json_text.h"
#include "report/page/page.h"
#include "report/page/parsed_json.h"
#include "tests/support/effort.h"

namespace isolde::cli {
namespace pages_test {

// `count` times the same.
std::string many(std::size_t count, const std::string& one) {
  return page_list(std::vector<std::size_t>(count), [&](std::size_t) { return one; });
}

std::string cell(std::string_view outcome, std::size_t letters) {
  return PageObject()
      .text("outcome", outcome)
      .raw("transcript", many(2, PageObject().text("sql", std::string(letters, '<')).done()))
      .done();
}

std::string probe(std::size_t cases, const std::string& cells) {
  return PageObject()
      .text("database", "D")
      .raw("levels", "[]")
      .raw("cases", many(cases, PageObject().text("name", "G0").raw("cells", cells).done()))
      .done();
}

std::string audit(std::size_t anomalies, std::size_t classes, std::size_t letters) {
  const std::string sql = json_string(std::string(letters, '>'));
  return PageObject()
      .text("file", "f")
      .text("level", "serializable")
      .text("verdict", "violated")
      .raw("trace", "{}")
      .raw("classes", many(classes, PageObject().raw("name", sql).done()))
      .raw("not_understood", many(classes, sql))
      .raw("dependencies", many(classes, sql))
      .raw("targets", many(classes, sql))
      .raw("removed", many(classes, sql))
      .raw("anomalies", many(anomalies, PageObject().raw("text", sql).done()))
      .done();
}

hunt::Finding finding(std::size_t letters, std::size_t statements) {
  hunt::Finding f;
  f.dialect = "sqlite";
  f.expected = f.actual = std::string(letters, '&');
  f.test.transactions.resize(1);
  for (std::size_t i = 0; i < statements; ++i) {
    f.test.transactions[0].statements.emplace_back();
    f.test.transactions[0].statements.back().sql = std::string(letters, 's');
    f.test.order.push_back(0);
  }
  return f;
}

TEST(Pages, AProbeOfAnySizeKeepsTheTranscriptsOfWhatHappened) {
  const std::string cells = "[" + cell("prevented", 20'000) + "," + cell("happened", 1000) + "]";
  const std::string json = probe_page(std::vector<std::string>(3, probe(40, cells)));
  EXPECT_LE(html_page_size(json), kLargestPage);
  EXPECT_EQ(html_page_size(json), html_page(json).size());
  const Parsed page(json);
  std::size_t kept = 0, counted = 0;
  for (const auto one : page.json["probes"].get_array()) {
    for (const auto row : one["cases"].get_array()) {
      EXPECT_EQ(size(row["cells"].at(1)["transcript"]), 2U);
      kept += size(row["cells"].at(0)["transcript"]);
      if (row["cells"].at(0)["left_out"].error() == simdjson::SUCCESS)
        counted += number(row["cells"].at(0)["left_out"]);
    }
  }
  EXPECT_EQ(kept + counted, 240U);
  EXPECT_GT(kept, 0U);
}

TEST(Pages, ProbesOfThousandsOfCasesAreCutAndCounted) {
  const auto cases = std::max<std::uint64_t>(10'000, effort::size(30'000));  // too many in any case
  const std::string json = probe_page(std::vector<std::string>(4, probe(cases, "[" + cell("happened", 10) + "]")));
  EXPECT_LE(html_page_size(json), kLargestPage);
  const Parsed page(json);
  for (const auto one : page.json["probes"].get_array())
    EXPECT_EQ(size(one["cases"]) + number(one["cases_left_out"]), cases);
}

TEST(Pages, ASmallProbeIsThereAsItWas) {
  const std::string one = probe(2, "[" + cell("happened", 10) + "]");
  EXPECT_NE(probe_page(std::span(&one, 1)).find(one), std::string::npos);
}

TEST(Pages, AnAuditOfAnySizeIsCutAndCounted) {
  for (const auto& [anomalies, classes, letters] :
       {std::tuple{5000U, 5000U, 200U}, std::tuple{10U, 3U, 400'000U}, std::tuple{40'000U, 1U, 10U}}) {
    const std::string json = audit_page(audit(anomalies, classes, letters));
    EXPECT_LE(html_page_size(json), kLargestPage);
    const Parsed page(json);
    const auto told = page.json["audit"];
    EXPECT_EQ(size(told["anomalies"]) + number(told["left_out"]["anomalies"]), anomalies);
  }
}

TEST(Pages, AnAnomalyThatIsTooLargeDoesNotHideThoseAfterIt) {
  const std::string huge = PageObject().text("text", std::string(4'000'000, 'x')).done();
  const std::string json = audit_page(PageObject().raw("anomalies", "[" + huge + ",{}]").done());
  const Parsed page(json);
  EXPECT_EQ(size(page.json["audit"]["anomalies"]), 1U);
  EXPECT_EQ(number(page.json["audit"]["left_out"]["anomalies"]), 1U);
}

TEST(Pages, NamesOfMembersStayNames) {
  const Parsed page(audit_page(R"({"a\"b\n":[1],"c\\":2})"));
  EXPECT_EQ(size(page.json["audit"]["a\"b\n"]), 1U);
}

// A report that somebody made by hand: whatever is in it, a page of at most 3 MB or one error.
struct ByHand {
  const char* what;
  std::string text;
};

std::vector<ByHand> reports_by_hand() {
  const auto report = [](const std::string& more) {
    return R"({"file":"f","level":"serializable","verdict":"violated","anomalies":[])" + more + "}";
  };
  const auto repeated = [](std::size_t count, auto&& one) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += one(i);
    return out;
  };
  const std::string long_text = json_string(std::string(5000, '<'));
  const std::string huge = json_string(std::string(4'000'000, '&'));
  const auto named = [](std::size_t i, const std::string& value) { return ",\"m" + std::to_string(i) + "\":" + value; };
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  const std::string one_probe = R"({"database":"D","levels":[],"cases":[]})";
  return {
      {"members with texts", report(repeated(2000, [&](std::size_t i) { return named(i, long_text); }))},
      {"members with lists", report(repeated(400'000, [&](std::size_t i) { return named(i, "[1]"); }))},
      {"one member again and again", report(repeated(4000, [&](std::size_t) { return ",\"file\":" + long_text; }))},
      {"a huge name", report("," + huge + ":1")},
      {"huge names", report(repeated(8, [&](std::size_t) { return "," + huge + ":1"; }))},
      {"a huge text", report(R"(,"why":)" + huge)},
      {"a huge object", report(R"(,"counts":{"a":)" + huge + "}")},
      {"its own left_out", report(R"(,"left_out":)" + huge)},
      {"deep nesting", report(repeated(500, [&](std::size_t i) { return named(i, deep); }))},
      {"a probe of huge texts", R"({"database":)" + huge + R"(,"levels":[],"cases":[]})"},
      {"a probe of huge levels", R"({"database":"D","levels":[)" + huge + R"(],"cases":[]})"},
      {"a probe of many members", R"({"database":"D","levels":[],"cases":[])" +
                                      repeated(2000, [&](std::size_t i) { return named(i, long_text); }) + "}"},
      {"a case of many members", R"({"database":"D","levels":[],"cases":[{"name":"G0")" +
                                     repeated(2000, [&](std::size_t i) { return named(i, long_text); }) + "}]}"},
      {"cells of huge texts", R"({"database":"D","levels":[],"cases":[{"name":"n","cells":[{"by_text":)" + huge +
                                  R"(,"transcript":[]},{"transcript":[)" + huge + "]}]}]}"},
      {"thousands of probes", repeated(90'000, [&](std::size_t) { return one_probe + "\n"; })},
      {"thousands of long probes",
       repeated(2000,
                [&](std::size_t) { return R"({"database":)" + long_text + R"(,"levels":[],"cases":[]})" + "\n"; })},
      {"many levels of many probes", repeated(300,
                                              [&](std::size_t) {
                                                return R"({"database":"D","levels":)" +
                                                       many(100, R"({"name":"<<<<<<<<<<"})") + R"(,"cases":[]})" + "\n";
                                              })},
      {"an error of a megabyte", R"({"file":"f","error":)" + huge + "}"},
  };
}

TEST(Pages, AReportMadeByHandGivesASmallPageOrOneError) {
  const std::vector<ByHand> all = reports_by_hand();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!effort::takes(i)) continue;
    const ByHand& one = all[i];
    const auto page = page_of_json(one.text, "f");
    if (!page) {
      EXPECT_LT(page.error().message().size(), 1000U) << one.what;
      continue;
    }
    ASSERT_TRUE(*page) << one.what;
    EXPECT_LE(html_page(**page).size(), kLargestPage) << one.what;
    EXPECT_EQ(html_page(**page).size(), html_page_size(**page)) << one.what;
    const Parsed parsed(**page);
  }
}

TEST(Pages, WhatAPageReadsStaysThoughOtherMembersAreMany) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"m" + std::to_string(i) + "\":[],";
  const auto page =
      page_of_json(text + R"("file":"f","level":"serializable","verdict":"violated","anomalies":[{}]})", "f");
  ASSERT_TRUE(page && *page);
  const Parsed parsed(**page);
  EXPECT_EQ(size(parsed.json["report"]["anomalies"]), 1U);
  EXPECT_GT(number(parsed.json["report"]["left_out"]["members"]), 90'000U);
}

TEST(Pages, ProbesThatHaveNoRoomAreCounted) {
  const std::vector<std::string> probes(
      1000, R"({"database":)" + json_string(std::string(5000, '<')) + R"(,"levels":[],"cases":[]})");
  const Parsed page(probe_page(probes));
  EXPECT_GT(size(page.json["probes"]), 100U);
  EXPECT_EQ(size(page.json["probes"]) + number(page.json["probes_left_out"]), 1000U);
}

TEST(Pages, FindingsOfAHuntAreCutAndCounted) {
  const std::vector<hunt::Finding> findings(30, finding(effort::size(5000), 300));
  const std::string json = hunt_page("f", "t", findings);
  EXPECT_LE(html_page_size(json), kLargestPage);
  const Parsed page(json);
  EXPECT_GT(size(page.json["findings"]), 0U);
  EXPECT_EQ(size(page.json["findings"]) + number(page.json["findings_left_out"]), 30U);
  // The commas between many small ones count too.
  EXPECT_LE(html_page_size(hunt_page("f", "t", std::vector<hunt::Finding>(effort::size(30'000), finding(1, 1)))),
            kLargestPage);
}

}  // namespace pages_test
}  // namespace isolde::cli
