// tests/live/standard_passed_over_test.cc: the standard workloads on servers where every fiftieth UPDATE by key passes
// over its row and reports 0 rows. The application rolls back then; what the statement answered is recorded all the
// same, and no level allows it. (On SQLite: src/record/standard/standard_test.cc.)
#include "db/server.h"
#include "tests/live/shared_server.h"
#include "tests/support/faulty_database.h"
#include "tests/support/planting_database.h"
#include "tests/support/recorded_run.h"

namespace isolde::record {
namespace standard_passed_over_test {

constexpr std::string_view kWorkloads[] = {"ycsb-a", "blindw-rw", "smallbank", "tpcc"};

WorkloadOptions few_rows() {
  WorkloadOptions options;
  options.keys = 40;
  return options;
}

void expect_violated(const std::string& kind,
                     const std::function<std::unique_ptr<db::Database>(std::unique_ptr<db::Database>)>& planted) {
  const db::Server* const server = test::shared_server({kind, "", {}});
  ASSERT_NE(server, nullptr);
  for (const std::string_view workload : kWorkloads) {
    Place p = place(server->url(), "serializable");
    const db::ServerLevel level = *p.level;
    p.database = planted(std::move(p.database));
    p.level = &level;
    const auto run = record_on(p, workload, few_rows(), transactions(400, 4));
    ASSERT_TRUE(run);
    EXPECT_EQ(judged(run->history, Level::kReadCommitted), Outcome::kViolated) << workload;
    EXPECT_EQ(judged(run->history, Level::kSerializable), Outcome::kViolated) << workload;
  }
}

TEST(PassedOver, IsFoundOnPostgres) {
  expect_violated("postgres", [](std::unique_ptr<db::Database> real) {
    return test::planted_in(std::move(real), [](const std::string& table) -> std::vector<std::string> {
      static constexpr std::pair<std::string_view, std::string_view> kNumbers[] = {
          {"usertable", "field0"}, {"blindw", "v"}, {"checking", "w"},
          {"savings", "w"},        {"stock", "w"},  {"district", "w"}};
      for (const auto& [planted, number] : kNumbers) {
        if (table != planted) continue;
        return {fmt::format("create or replace function passes_over_{0}() returns trigger language plpgsql as $$ begin "
                            "if new.{1} % 50 = 7 then return null; end if; return new; end $$",
                            planted, number),
                fmt::format("create trigger passes_over before update on {0} for each row execute function "
                            "passes_over_{0}()",
                            planted)};
      }
      return {};
    });
  });
}

// A trigger of MariaDB cannot leave out a row.
TEST(PassedOver, IsFoundOnMariadb) {
  expect_violated("mariadb", [](std::unique_ptr<db::Database> real) {
    return std::make_unique<test::FaultyDatabase>(std::move(real),
                                                  test::PlantedFault{test::Fault::kPassedOver, "", {}, 50});
  });
}

}  // namespace standard_passed_over_test
}  // namespace isolde::record
