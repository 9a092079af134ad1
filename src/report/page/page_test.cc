// The page: what was built is what the program carries, and no data can leave its place in it.
#include "report/page/page.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>
#include <sstream>

#include "history/history_builder.h"
#include "report/page/check_page.h"
#include "report/page/page_testing.h"

namespace isolde {
namespace page_test {

TEST(Page, TheProgramCarriesTheOneOfTheTree) {
  std::ifstream file(ISOLDE_SOURCE_DIR "/web/dist/page.html", std::ios::binary);
  std::stringstream kept;
  kept << file.rdbuf();
  EXPECT_EQ(page_template(), kept.str());
}

TEST(Page, TheDataHasOnePlace) {
  const std::string_view page = page_template();
  const std::size_t place = page.find("{{data}}");
  ASSERT_NE(place, std::string_view::npos);
  EXPECT_EQ(page.find("{{", place + 2), std::string_view::npos);
}

TEST(Page, ItFetchesNothing) {
  const std::string_view page = page_template();
  EXPECT_NE(page.find("default-src 'none'"), std::string_view::npos);
  for (const std::string_view fetching : {"src=\"", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(fetching), std::string_view::npos) << fetching;
}

TEST(Page, ItsPolicyAllowsItsOwnScriptAndStyleByTheirHashesOnly) {
  const std::string_view page = page_template();
  EXPECT_EQ(page.find("unsafe-"), std::string_view::npos);
  EXPECT_NE(page.find("script-src 'sha256-"), std::string_view::npos);
  EXPECT_NE(page.find("style-src 'sha256-"), std::string_view::npos);
  EXPECT_EQ(page.find(" style=\""), std::string_view::npos) << "a style attribute is inline style";
  EXPECT_EQ(page.find("setAttribute(\"style\""), std::string_view::npos);
}

TEST(Page, MarksOfTheTemplateInTheDataStayData) {
  const std::string page = html_page(R"({"kind":"check","file":"{{data}}<b>&"})");
  EXPECT_EQ(data_in(page), R"({"kind":"check","file":"{{data}}\u003cb\u003e\u0026"})");
}

// Keys, values, sessions, ids and the file's name, each with all of it.
TEST(Page, AHostileHistoryStaysData) {
  const std::string hostile =
      "</script><script>alert(1)</script><!-- ' \" \\ \xe2\x80\xa8 \xe2\x80\xa9 \x01\n\t\x7f \xff\xc3 ]]>";
  HistoryBuilder b;
  const KeyId key = b.key(hostile);
  for (int i = 0; i < 2; ++i) {
    b.begin_txn(b.session(b.values().string(hostile)));
    b.set_id(b.values().string(hostile + std::to_string(i)));
    b.set_commit_ts(i + 1);
    b.read(key, kNullValue);
    b.write(key, b.values().string(hostile + std::to_string(i)));
    b.end_txn();
  }
  const History h = *b.finish();
  Verdict v = violated_at(Level::kSerializable);
  v.anomalies.push_back(cycle_of(h, {TxnId{0}, TxnId{1}}));
  v.anomalies[0].says = hostile;
  v.count(v.anomalies[0].kind);
  Report report = report_on(h, v);
  report.file = hostile;
  report.notes = {hostile};
  const std::string page = html_page(check_page_json(report, {.version = "1", .command = hostile}));

  const std::string data = data_in(page);
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  ASSERT_EQ(parser.parse(data).get(json), simdjson::SUCCESS) << data;
  // What UTF-8 cannot say is U+FFFD; the rest is as it was.
  const std::string said =
      "</script><script>alert(1)</script><!-- ' \" \\ \xe2\x80\xa8 \xe2\x80\xa9 \x01\n\t\x7f \xef\xbf\xbd\xef\xbf\xbd "
      "]]>";
  EXPECT_EQ(std::string_view(json["file"]), said);
  EXPECT_EQ(std::string_view(json["made"]["command"]), said);
  // Names that are not plain stand in quotes, with escapes.
  for (const std::string_view name :
       {std::string_view(json["keys"].at(0)["key"]), std::string_view(json["transactions"].at(0)["session"])})
    EXPECT_TRUE(name.starts_with("\"</script><script>alert(1)</script><!-- ' \\\"")) << name;
  EXPECT_EQ(std::string_view(json["anomalies"].at(0)["text"]), said);
  // Around the data, the page is the one that was built.
  const std::string_view built = page_template();
  EXPECT_TRUE(page.starts_with(built.substr(0, built.find("{{data}}"))));
  EXPECT_TRUE(page.ends_with(built.substr(built.find("{{data}}") + 8)));
}

}  // namespace page_test
}  // namespace isolde
