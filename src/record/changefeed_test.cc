#include "record/changefeed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <deque>
#include <fstream>

#include "record/hex.h"
#include "record/recovery_cockroach.h"

namespace isolde::record {
namespace changefeed_test {

const TracedTable kTables[] = {
    {.name = "accounts",
     .key_columns = {"id"},
     .value_columns = {"owner", "balance"},
     .style = ValueStyle::kRow,
     .bare_key = true},
    {.name = "notes", .key_columns = {"k", "name"}, .value_columns = {"tags"}, .style = ValueStyle::kArray}};

using Row = std::array<std::string, 3>;

std::vector<Row> rows_of(const std::string& name) {
  std::ifstream file(ISOLDE_SOURCE_DIR "/tests/fixtures/changefeed/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    simdjson::dom::parser parser;
    Row row;
    std::size_t i = 0;
    for (const simdjson::dom::element part : simdjson::dom::array(parser.parse(line))) {
      std::string_view text;
      if (part.get(text) == simdjson::SUCCESS) row[i] = text;
      ++i;
    }
    rows.push_back(row);
  }
  return rows;
}

std::string shown(const Result<std::vector<RecoveredVersion>>& versions) {
  if (!versions) return versions.error().message();
  std::string out;
  for (const RecoveredVersion& v : *versions)
    out += fmt::format("+{} {}={}\n", v.xid - (*versions)[0].xid, v.key, v.value);
  return out;
}

constexpr std::string_view kWrapped = R"(+0 1={"owner":"ann","balance":10}
+1 1={"owner":"ann","balance":15}
+3 "notes/7/a~1b"=[1,2]
+3 2={"owner":null,"balance":25}
+65536000 2=null
)";

TEST(Changefeed, VersionsAreOrderedByTimestampAndCountOnce) {
  ChangefeedVersions feed(kTables);
  for (const Row& row : rows_of("wrapped.jsonl")) {
    const auto added = feed.add(row[0], row[1], row[2]);
    ASSERT_TRUE(added) << added.error().message();
  }
  db::HlcScale scale;
  EXPECT_EQ(shown(feed.take(scale)), kWrapped);
}

TEST(Changefeed, TheEnrichedEnvelopeIsReadToo) {
  ChangefeedVersions feed(kTables);
  for (const Row& row : rows_of("enriched.jsonl")) {
    const auto added = feed.add(row[0], row[1], row[2]);
    ASSERT_TRUE(added) << added.error().message();
  }
  db::HlcScale scale;
  EXPECT_EQ(shown(feed.take(scale)), "+0 1={\"owner\":\"ann\",\"balance\":10}\n+32768000 1=null\n");
}

TEST(Changefeed, WhatIsOfAnotherFormIsAnError) {
  ChangefeedVersions feed(kTables);
  constexpr std::string_view kGood =
      R"({"after":{"owner":"a","balance":1},"updated":"1745525261013511000.0000000000"})";
  EXPECT_TRUE(feed.add("accounts", "[1]", kGood));
  EXPECT_TRUE(feed.add("elsewhere", "[1", "{"));
  EXPECT_FALSE(feed.add("accounts", "[1", kGood));
  EXPECT_FALSE(feed.add("accounts", "[1,2]", kGood));
  EXPECT_FALSE(feed.add("accounts", "7", kGood));
  EXPECT_FALSE(feed.add("accounts", "[1]", "{"));
  EXPECT_FALSE(feed.add("accounts", "[1]", "5"));
  EXPECT_FALSE(feed.add("accounts", "[1]", R"({"after":{"owner":"a","balance":1}})"));
  EXPECT_FALSE(feed.add("accounts", "[1]", R"({"after":{"owner":"a"},"updated":"1745525261013511000.0000000000"})"));
  EXPECT_FALSE(feed.add("accounts", "[1]", R"({"updated":"1745525261013511000.0000000000"})"));
}

TEST(Changefeed, TwoValuesAtOneTimeAreAContradiction) {
  ChangefeedVersions feed(kTables);
  for (const int balance : {1, 2}) {
    ASSERT_TRUE(
        feed.add("accounts", "[1]",
                 fmt::format(R"({{"after":{{"owner":"a","balance":{}}},"updated":"17.0000000000"}})", balance)));
  }
  db::HlcScale scale;
  EXPECT_FALSE(feed.take(scale));
}

// A connection that gives prepared answers and keeps what it was asked.
struct Script {
  std::deque<db::Reply> answers;
  std::vector<std::string> asked;
};

class ScriptedConnection : public db::Connection {
 public:
  explicit ScriptedConnection(Script& script) : script_(script) {}
  Result<db::Reply> begin() override { return Error{"not asked for"}; }
  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell>) override { return run(sql); }
  Result<db::Reply> run(std::string_view sql) override {
    script_.asked.emplace_back(sql);
    if (script_.answers.empty()) return Error{"no more answers"};
    db::Reply reply = std::move(script_.answers.front());
    script_.answers.pop_front();
    return reply;
  }
  Result<db::Reply> commit(db::TxnFacts*) override { return Error{"not asked for"}; }
  Result<db::Reply> roll_back() override { return Error{"not asked for"}; }
  void cancel() override {}
  std::int64_t session() const override { return 0; }
  void sever() override {}

 private:
  Script& script_;
};

class ScriptedDatabase : public db::Database {
 public:
  explicit ScriptedDatabase(Script& script) : script_(script) {}
  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel&) override {
    return std::unique_ptr<db::Connection>(std::make_unique<ScriptedConnection>(script_));
  }
  const db::Dialect& dialect() const override { return dialect_; }
  std::span<const db::ServerLevel> levels() const override { return {&level_, 1}; }
  Result<std::string> describe(db::Connection&) override { return std::string(); }
  Result<std::vector<std::int64_t>> waiting(db::Connection&) override { return std::vector<std::int64_t>(); }
  Result<void> terminate(db::Connection&, std::int64_t) override { return {}; }

 private:
  Script& script_;
  db::Dialect dialect_;
  db::ServerLevel level_ = {"serializable", Level::kSerializable, "SERIALIZABLE", true};
};

db::Reply one(std::string text) {
  db::Reply reply;
  reply.width = 1;
  reply.cells.emplace_back(std::move(text));
  return reply;
}

db::Cell hex_of(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::string out = "\\x";
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

TEST(CockroachRecovery, AChangefeedFromTheStartToTheEndOfTheRunIsRead) {
  db::Reply feed;
  feed.width = 3;
  for (const Row& row : rows_of("wrapped.jsonl")) {
    feed.cells.push_back(row[0].empty() ? db::Cell() : db::Cell(row[0]));
    feed.cells.push_back(hex_of(row[1]));
    feed.cells.push_back(hex_of(row[2]));
  }
  Script script;
  script.answers = {one("true"), one("1745525261000000000.0000000000"), one("1745525262000000000.0000000001"), feed};
  ScriptedDatabase database(script);
  const db::Url url = *db::parse_url("cockroachdb://root@localhost/d");
  std::string why_not;
  auto recovery = make_recovery({database, url, kTables}, why_not);
  ASSERT_TRUE(recovery) << recovery.error().message();
  ASSERT_NE(*recovery, nullptr) << why_not;
  ASSERT_TRUE((*recovery)->prepare());
  EXPECT_EQ(shown((*recovery)->recover()), kWrapped);
  EXPECT_EQ(script.asked.back(),
            "create changefeed for table accounts, notes with updated, mvcc_timestamp, "
            "cursor = '1745525261000000000.0000000000', end_time = '1745525262000000000.0000000001'");
}

TEST(CockroachRecovery, WithoutRangefeedsItSaysWhatToSet) {
  Script script;
  script.answers = {one("false")};
  ScriptedDatabase database(script);
  const db::Url url = *db::parse_url("cockroachdb://root@localhost/d");
  std::string why_not;
  auto recovery = make_recovery({database, url, kTables}, why_not);
  ASSERT_TRUE(recovery);
  EXPECT_EQ(*recovery, nullptr);
  EXPECT_NE(why_not.find("kv.rangefeed.enabled"), std::string::npos);
}

}  // namespace changefeed_test
}  // namespace isolde::record
