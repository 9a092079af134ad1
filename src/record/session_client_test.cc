#include "record/session_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace isolde::record {
namespace session_client_test {

namespace fs = std::filesystem;

struct Asked {
  int statements = 0, commits = 0, rollbacks = 0;
  db::Fate commit_fate = db::Fate::kDone;
  db::TxnFacts facts = {};  // of every commit
};

class FakeConnection : public db::Connection {
 public:
  explicit FakeConnection(Asked& asked) : asked_(asked) {}
  Result<db::Reply> begin() override { return db::Reply{}; }
  Result<db::Reply> execute(std::string_view, std::span<const db::Cell>) override {
    ++asked_.statements;
    return db::Reply{};
  }
  Result<db::Reply> run(std::string_view) override { return db::Reply{}; }
  Result<db::Reply> commit(db::TxnFacts* facts) override {
    ++asked_.commits;
    if (facts != nullptr) *facts = asked_.facts;
    db::Reply reply;
    reply.fate = asked_.commit_fate;
    return reply;
  }
  Result<db::Reply> roll_back() override {
    ++asked_.rollbacks;
    return db::Reply{};
  }
  void cancel() override {}
  [[nodiscard]] std::int64_t session() const override { return 0; }
  void sever() override {}

 private:
  Asked& asked_;
};

class FakeDatabase : public db::Database {
 public:
  explicit FakeDatabase(Asked& asked) : asked_(asked) {}
  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel&) override {
    return std::unique_ptr<db::Connection>(std::make_unique<FakeConnection>(asked_));
  }
  [[nodiscard]] const db::Dialect& dialect() const override { return dialect_; }
  [[nodiscard]] std::span<const db::ServerLevel> levels() const override { return {}; }
  Result<std::string> describe(db::Connection&) override { return std::string("fake"); }
  Result<std::vector<std::int64_t>> waiting(db::Connection&) override { return std::vector<std::int64_t>(); }
  Result<void> terminate(db::Connection&, std::int64_t) override { return {}; }

 private:
  Asked& asked_;
  db::Dialect dialect_;
};

class SessionClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "isolde-client-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    auto journal = Journal::create(folder_ + "/session-0000.journal");
    ASSERT_TRUE(journal) << journal.error().message();
    client_ =
        std::make_unique<SessionClient>(shared_, 0, std::make_unique<FakeConnection>(asked_), *std::move(journal));
  }
  void TearDown() override {
    client_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  // The kinds of the records: "sbic…"; the client is gone then.
  std::string kinds() {
    client_.reset();
    std::ifstream in(folder_ + "/session-0000.journal");
    std::string out;
    for (std::string line; std::getline(in, line);) out += line[0];
    return out;
  }

  // What is said of each transaction: the records `f`.
  std::vector<std::string> facts() {
    client_.reset();
    std::ifstream in(folder_ + "/session-0000.journal");
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("f ")) all.push_back(line.substr(2));
    return all;
  }
  void transaction(std::optional<Lock> read) {
    ASSERT_TRUE(client_->begin());
    ASSERT_TRUE(client_->run("select", {}));
    if (read) client_->saw("1", "2", *read);
    client_->commit();
  }

  Asked asked_;
  FakeDatabase database_{asked_};
  db::ServerLevel level_{.name = "serializable", .claims = Level::kSerializable, .setting = ""};
  RunShared shared_{database_, level_, 4, true};
  std::string folder_;
  std::unique_ptr<SessionClient> client_;
};

TEST_F(SessionClientTest, AWriteIsInTheJournalBeforeItIsSentAndACommitToo) {
  ASSERT_TRUE(client_->begin());
  client_->will_write("1", "2");
  ASSERT_TRUE(client_->run("update", {}));
  EXPECT_TRUE(client_->commit());
  EXPECT_EQ(kinds(), "sbidce");
}

TEST_F(SessionClientTest, AWriteThatCouldNotBeJournalledIsNotSent) {
  ASSERT_TRUE(client_->begin());
  client_->will_write("1", "\"a\nb\"");  // what a full disk does, without a full disk: the journal takes no more
  EXPECT_FALSE(client_->run("update", {}));
  EXPECT_EQ(asked_.statements, 0);
  EXPECT_EQ(asked_.rollbacks, 1);
  EXPECT_TRUE(shared_.stop);
  EXPECT_TRUE(shared_.fault().has_value());
  EXPECT_EQ(kinds(), "sb");
}

TEST_F(SessionClientTest, ATransactionWhoseJournalIsNotWholeIsNotCommitted) {
  ASSERT_TRUE(client_->begin());
  ASSERT_TRUE(client_->run("select", {}));
  client_->saw("1", "\"a\nb\"", Lock::kNone);
  EXPECT_FALSE(client_->commit());
  EXPECT_EQ(asked_.commits, 0);
  EXPECT_EQ(asked_.rollbacks, 1);
  EXPECT_TRUE(shared_.fault().has_value());
  EXPECT_EQ(kinds(), "sb");
}

TEST_F(SessionClientTest, AfterALostAnswerTheSessionIsAnotherOne) {
  asked_.commit_fate = db::Fate::kLost;
  ASSERT_TRUE(client_->begin());
  EXPECT_FALSE(client_->commit());
  asked_.commit_fate = db::Fate::kDone;
  ASSERT_TRUE(client_->begin());
  EXPECT_TRUE(client_->commit());
  EXPECT_EQ(kinds(), "sbcesbce");
}

TEST_F(SessionClientTest, ReadsThatAllLockAreAtForUpdateTs) {
  asked_.facts.start_ts = 5;
  asked_.facts.commit_ts = 9;
  transaction(Lock::kUpdate);
  asked_.facts.for_update_ts = 7;
  transaction(Lock::kUpdate);
  transaction(Lock::kNone);
  asked_.facts.commit_ts = 5;  // it wrote nothing
  transaction(Lock::kUpdate);
  transaction(Lock::kNone);
  EXPECT_EQ(facts(), (std::vector<std::string>{R"("start_ts":5,"commit_ts":9)", R"("start_ts":7,"commit_ts":9)",
                                               R"("commit_ts":9)", R"("start_ts":7,"commit_ts":7)"}));
}

// Under strict two-phase locking a transaction stands where it asks for its commit, whatever becomes of the answer.
TEST_F(SessionClientTest, LockPointsAreInTheOrderOfAsking) {
  level_.serial = db::SerialOrder::kLockPoints;
  transaction(Lock::kNone);
  asked_.commit_fate = db::Fate::kLost;
  transaction(Lock::kNone);
  asked_.commit_fate = db::Fate::kDone;
  transaction(std::nullopt);
  const std::vector<std::string> all = facts();
  ASSERT_EQ(all.size(), 3U);
  std::int64_t last = -1;
  for (const std::string& one : all) {
    ASSERT_TRUE(one.starts_with(R"("order":)")) << one;
    const std::int64_t order = std::stoll(one.substr(8));
    EXPECT_GT(order, last);
    last = order;
  }
}

TEST_F(SessionClientTest, OnlyWritersHaveAPlaceWhereCommitsAreTheOrder) {
  level_.serial = db::SerialOrder::kCommitPlaces;
  transaction(Lock::kNone);
  asked_.facts.commit_place = 3;
  transaction(Lock::kNone);
  EXPECT_EQ(facts(), std::vector<std::string>{R"("order":3)"});
}

}  // namespace session_client_test
}  // namespace isolde::record
