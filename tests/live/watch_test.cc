// tests/live/watch_test.cc: `isolde record --watch` on servers of its own: nothing is reported against the profile of
// what runs, and violations against one that promises more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace watch_test {

Answer watched(const std::string& server, const std::string& level, std::vector<std::string> more = {}) {
  const Scratch scratch;
  std::vector<std::string> args = {"record",
                                   "--spawn",
                                   server,
                                   "--workload",
                                   "rmw",
                                   "--keys",
                                   "10",
                                   "--level",
                                   level,
                                   "--clients",
                                   "8",
                                   "--time",
                                   "3",
                                   "--watch",
                                   "--json",
                                   "--seed",
                                   "7",
                                   "--out",
                                   scratch.path("run.isl")};
  args.insert(args.end(), more.begin(), more.end());
  return isolde(args);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_nothing(const Answer& answer) {
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_TRUE(has(answer.out, R"("violations": 0, )")) << answer.out;
  EXPECT_TRUE(has(answer.out, R"("watch": {)")) << answer.out;
  EXPECT_FALSE(has(answer.out, R"("committed": 0, )")) << answer.out;
}

TEST(RecordWatch, NothingIsReportedOfPostgres) {
  for (const char* const level : {"read committed", "repeatable read", "serializable"})
    expect_nothing(watched("postgres", level));
}

TEST(RecordWatch, NothingIsReportedOfMariaDb) {
  for (const char* const level : {"read committed", "repeatable read", "serializable"})
    expect_nothing(watched("mariadb", level));
}

TEST(RecordWatch, RepeatableReadOfMariaDbIsNoSnapshotIsolation) {
  const Scratch scratch;
  const std::string page = scratch.path("run.html");
  const Answer answer = watched("mariadb", "repeatable read", {"--profile", "snapshot-isolation", "--html", page});
  EXPECT_EQ(answer.status, 1) << answer.out << answer.err;
  const std::string html = content_of(page);
  EXPECT_TRUE(has(html, R"("name":"lost-update")"));
  EXPECT_TRUE(has(html, R"("type":"invisible")")) << "who depends on whom is drawn";
  EXPECT_TRUE(has(html, R"("text":"wrote key )")) << "with what the transactions did";
  EXPECT_LT(html.size(), 3'000'000U);
  EXPECT_TRUE(has(answer.out, R"("verdict": "violated")")) << answer.out;
  EXPECT_TRUE(has(answer.out, "lost-update")) << answer.out;
}

}  // namespace watch_test
}  // namespace isolde::test
