#include "record/logged_versions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/hex_lines.h"

namespace isolde::record {
namespace logged_versions_test {

const TracedTable kAccounts = {.name = "accounts",
                               .key_columns = {"id"},
                               .value_columns = {"owner", "balance"},
                               .style = ValueStyle::kRow,
                               .bare_key = true};
const TracedTable kTags = {
    .name = "Tags", .key_columns = {"a", "b"}, .value_columns = {"note"}, .style = ValueStyle::kScalar};

std::vector<std::string> messages() { return test::hex_lines("tests/fixtures/pgoutput/accounts.hex"); }

std::string shown(std::span<const RecoveredVersion> versions) {
  std::string out;
  for (const RecoveredVersion& v : versions)
    out += fmt::format("{} {}={}\n", v.xid, v.key, v.value.size() > 100 ? "(long)" : v.value);
  return out;
}

TEST(LoggedVersions, TheLastVersionOfEachKeyInEachTransaction) {
  const TracedTable tables[] = {kAccounts};
  LoggedVersions log(tables, 800);
  for (const std::string& m : messages()) ASSERT_TRUE(log.add(m));
  EXPECT_FALSE(log.in_transaction());
  EXPECT_EQ(shown(log.take()), R"(749 1={"owner":"ann","balance":11}
749 2={"owner":null,"balance":20}
750 2=null
750 3={"owner":null,"balance":20}
750 1=null
)");
}

TEST(LoggedVersions, AValueThatWasLeftAloneIsTheOneBefore) {
  const TracedTable tables[] = {kTags};
  LoggedVersions log(tables, 800);
  auto all = messages();
  all.resize(all.size() - 4);  // without the truncation
  for (const std::string& m : all) ASSERT_TRUE(log.add(m));
  const auto versions = log.take();
  EXPECT_EQ(shown(versions), "752 \"Tags/1/x\"=(long)\n753 \"Tags/1/x\"=null\n753 \"Tags/1/y\"=(long)\n");
  EXPECT_EQ(versions[0].value, versions[2].value);
}

TEST(LoggedVersions, AValueOlderThanTheLogIsNotKnown) {
  const TracedTable tables[] = {kTags};
  LoggedVersions log(tables, 800);
  auto all = messages();
  all.resize(all.size() - 4);
  for (const std::string& m : all) {
    if (m.size() < 2000) {
      ASSERT_TRUE(log.add(m));  // without the insert
    }
  }
  EXPECT_EQ(shown(log.take()), "753 \"Tags/1/x\"=null\n753 \"Tags/1/y\"=\n");
}

TEST(LoggedVersions, ATruncationOfATracedTableIsAnError) {
  const TracedTable tables[] = {kTags};
  LoggedVersions log(tables, 800);
  std::string fault;
  for (const std::string& m : messages()) {
    if (auto added = log.add(m); !added) fault = added.error().message();
  }
  EXPECT_NE(fault.find("Tags was truncated"), std::string::npos) << fault;
}

TEST(LoggedVersions, XidsBelongToTheEpochThatIsNotAhead) {
  const TracedTable tables[] = {kAccounts};
  for (const auto& [next, epoch] : {std::pair{800L, 0L}, {(5L << 32) + 800, 5L << 32}, {(5L << 32) + 3, 4L << 32}}) {
    LoggedVersions log(tables, next);
    const auto all = messages();
    for (std::size_t i = 0; i < 6; ++i) ASSERT_TRUE(log.add(all[i]));
    EXPECT_EQ(log.take()[0].xid, epoch + 749);
  }
}

TEST(LoggedVersions, AColumnThatIsNotThereIsAnError) {
  TracedTable wrong = kAccounts;
  wrong.value_columns = {"amount"};
  LoggedVersions log({&wrong, 1}, 800);
  const auto all = messages();
  ASSERT_TRUE(log.add(all[0]));
  EXPECT_FALSE(log.add(all[1]));
  // A row of a table that nobody described, and one outside of a transaction.
  LoggedVersions fresh({&kAccounts, 1}, 800);
  EXPECT_FALSE(fresh.add(all[2]));
}

}  // namespace logged_versions_test
}  // namespace isolde::record
