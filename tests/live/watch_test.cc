// tests/live/watch_test.cc: `isolde record --watch` on real servers: nothing is reported against the profile of
// what runs, and violations against one that promises more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/live/shared_server.h"

namespace isolde::test {
namespace watch_test {

// `where`: the database, as one word or as "--spawn" and a kind.
Answer recorded(const std::vector<std::string>& where, const std::string& level,
                const std::vector<std::string>& more = {}) {
  const Scratch scratch;
  std::vector<std::string> args = {"record"};
  args.insert(args.end(), where.begin(), where.end());
  for (const char* const word : {"--workload", "rmw", "--keys", "10", "--clients", "8", "--transactions", "3000",
                                 "--watch", "--json", "--seed", "7", "--level"})
    args.emplace_back(word);
  args.push_back(level);
  args.emplace_back("--out");
  args.push_back(scratch.path("run.isl"));
  args.insert(args.end(), more.begin(), more.end());
  return isolde(args);
}

// On the server that all tests share.
Answer watched(const std::string& kind, const std::string& level, const std::vector<std::string>& more = {}) {
  const db::Server* const server = shared_server({kind, "", {}});
  if (server == nullptr) return {};
  return recorded({server->url()}, level, more);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_nothing(const Answer& answer) {
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_TRUE(has(answer.out, R"("violations": 0, )")) << answer.out;
  EXPECT_TRUE(has(answer.out, R"("watch": {)")) << answer.out;
  EXPECT_FALSE(has(answer.out, R"("committed": 0, )")) << answer.out;
}

TEST(RecordWatch, NothingIsReportedOfPostgres) {
  for (const char* const level : {"read committed", "repeatable read"}) expect_nothing(watched("postgres", level));
  expect_nothing(recorded({"--spawn", "postgres"}, "serializable"));
}

TEST(RecordWatch, NothingIsReportedOfMariaDb) {
  for (const char* const level : {"read committed", "repeatable read"}) expect_nothing(watched("mariadb", level));
  expect_nothing(recorded({"--spawn", "mariadb"}, "serializable"));
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
