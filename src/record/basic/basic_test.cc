// Every basic workload, run with several clients on SQLite: all engines find its history serializable, and prove it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "check/choose/engines.h"
#include "db/database.h"
#include "format/format.h"
#include "proof/prove.h"
#include "record/run.h"
#include "record/workload/workload.h"
#include "tests/support/native_client.h"

namespace isolde::record {
namespace basic_test {

constexpr std::string_view kBasic[] = {"register", "rmw",        "list-append",       "list-append-array",
                                       "bank",     "predicate",  "predicate-updates", "merge",
                                       "upsert",   "write-skew", "long-fork"};

struct Scratch {
  std::unique_ptr<db::Database> database;
  const db::ServerLevel* level;
};

Scratch scratch(std::string_view level = "wal deferred") {
  auto database = db::open_database(*db::parse_url("sqlite:?timeout=200"));
  const auto found = db::level_named(**database, level);
  return {*std::move(database), *found};
}

std::unique_ptr<Workload> make(std::string_view name, const WorkloadOptions& options, const db::Dialect& dialect) {
  auto made = workload_named(name)->make(options, dialect);
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return made ? *std::move(made) : nullptr;
}

// What `clients` record of so many transactions.
History recorded(const Scratch& s, Workload& workload, std::uint32_t clients, std::uint64_t transactions) {
  static int runs = 0;
  const std::string folder = fmt::format("{}/record-basic-{}-{}", ::testing::TempDir(), getpid(), runs++);
  RunOptions options;
  options.clients = clients;
  options.transactions = transactions;
  const auto summary = run(*s.database, *db::parse_url("sqlite:"), *s.level, workload, options, folder, {});
  EXPECT_TRUE(summary) << (summary ? "" : summary.error().message());
  EXPECT_GT(summary ? summary->committed : 0, transactions / 4);
  auto loaded = load(folder, nullptr, {});
  std::filesystem::remove_all(folder);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().message();
    std::abort();
  }
  return std::move(loaded->history);
}

// Asks every engine that can judge it.
void expect_serializable(const History& h) {
  int satisfied = 0;
  std::string reasons;
  for (const Engine& engine : engines()) {
    if (!engine.lacks(h, Level::kSerializable).empty()) continue;
    Limits limits;
    WorkBudget budget(2'000'000'000);
    limits.work = &budget;
    const Verdict verdict = engine.check(h, Level::kSerializable, limits);
    EXPECT_NE(verdict.outcome, Outcome::kViolated) << engine.name;
    const auto proved = prove(h, verdict);
    EXPECT_TRUE(proved) << engine.name << (proved ? "" : proved.error().message());
    satisfied += verdict.outcome == Outcome::kSatisfied ? 1 : 0;
    reasons += fmt::format("{}: {}\n", engine.name, verdict.reason);
  }
  EXPECT_GT(satisfied, 0) << reasons;
}

class EachBasicWorkload : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EachBasicWorkload, IsSerializableOnSqlite) {
  const Scratch s = scratch();
  const auto workload = make(GetParam(), {}, s.database->dialect());
  expect_serializable(recorded(s, *workload, 4, 240));
}

TEST_P(EachBasicWorkload, GoesOnWithFewKeysOrMany) {
  for (const std::uint32_t keys : {2U, 1000U}) {
    const Scratch s = scratch("wal immediate");
    WorkloadOptions options;
    options.keys = keys;
    options.distribution = Distribution::kHotspot;
    const auto workload = make(GetParam(), options, s.database->dialect());
    expect_serializable(recorded(s, *workload, 3, 90));
  }
}

TEST_P(EachBasicWorkload, AsksTheSameOfTheDatabaseWithTheSameSeed) {
  const auto alone = [](std::uint64_t seed) {
    const Scratch s = scratch();
    const auto workload = make(GetParam(), {}, s.database->dialect());
    auto connection = s.database->connect(*s.level);
    EXPECT_EQ(make_tables(**connection, *workload), "");
    NativeClient client(*std::move(connection), s.database->dialect(), 0, 1);
    const auto session = workload->session(0, Rng(seed));
    for (int i = 0; i < 30; ++i) session->transaction(client);
    EXPECT_EQ(client.fault(), "");
    return client.lines();
  };
  EXPECT_EQ(alone(5), alone(5));
  EXPECT_NE(alone(5), alone(6));
}

std::string test_name(const ::testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Basic, EachBasicWorkload, ::testing::ValuesIn(kBasic), test_name);

TEST(Workloads, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const WorkloadInfo& info : workloads()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(workload_named(info.name), &info);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_EQ(workload_named("no such"), nullptr);
}

TEST(BasicWorkloads, RefuseOptionsThatTheyCannotUse) {
  const Scratch s = scratch();
  const auto refusal = [&](std::string_view name, auto change) {
    WorkloadOptions options;
    change(options);
    const auto made = workload_named(name)->make(options, s.database->dialect());
    return made ? std::string() : made.error().message();
  };
  EXPECT_EQ(refusal("bank", [](auto& o) { o.ops = 3; }), "the workload bank cannot use --ops");
  EXPECT_EQ(refusal("write-skew", [](auto& o) { o.reads = 0.5; }), "the workload write-skew cannot use --reads");
  EXPECT_EQ(refusal("list-append", [](auto& o) { o.repeated_values = true; }),
            "the workload list-append cannot use --repeated");
  EXPECT_EQ(refusal("register", [](auto& o) { o.for_update = true; }), "the workload register cannot use --for-update");
  EXPECT_EQ(refusal("merge", [](auto& o) { o.scale = 2; }), "the workload merge cannot use --scale");
  EXPECT_EQ(refusal("bank", [](auto& o) { o.keys = 1; }), "the workload bank takes 2 to 10000000 keys, not 1");
  EXPECT_EQ(refusal("long-fork", [](auto& o) { o.ops = 1; }),
            "the workload long-fork takes 2 to 10000 operations per transaction, not 1");
  EXPECT_EQ(refusal("register", [](auto& o) { o.reads = 1.5; }), "the share of reads is 0 to 1, not 1.5");
}

TEST(BasicWorkloads, ListsNeedAColumnForThem) {
  const Scratch s = scratch();
  db::Dialect without = s.database->dialect();
  without.list_type = "";
  EXPECT_FALSE(workload_named("list-append-array")->make({}, without));
  EXPECT_TRUE(workload_named("list-append")->make({}, without));
}

TEST(RegisterWorkload, TakesRepeatedValuesOnRequest) {
  const Scratch s = scratch();
  WorkloadOptions options;
  options.repeated_values = true;
  options.reads = 0.0;
  const auto workload = make("register", options, s.database->dialect());
  const History h = recorded(s, *workload, 2, 80);
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    const std::string value = h.value_text(h.op_value(i));
    EXPECT_LE(std::stoi(value), 10);
    EXPECT_GE(std::stoi(value), 1);
  }
}

TEST(BankWorkload, EveryReadOfAllAccountsHasTheSameSum) {
  const Scratch s = scratch();
  WorkloadOptions options;
  options.keys = 5;
  const auto workload = make("bank", options, s.database->dialect());
  const History h = recorded(s, *workload, 4, 240);
  int checked = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    std::int64_t sum = 0;
    const std::uint32_t first = h.first_op(TxnId{t});
    if (h.end_op(TxnId{t}) - first != 5) continue;  // a transfer has four
    for (std::uint32_t i = 0; i < 5; ++i) {
      const std::string row = h.value_text(h.op_value(first + i));
      sum += std::stoll(row.substr(row.find(':') + 1));
    }
    EXPECT_EQ(sum, 500);
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

}  // namespace basic_test
}  // namespace isolde::record
