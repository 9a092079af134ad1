// tests/live/proxy_mariadb_record_test.cc: applications on MariaDB that know nothing of `isolde proxy`, recorded by
// values, and what `isolde check` says of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/rng.h"
#include "proxy/values/value_recorder.h"
#include "tests/live/proxy_mariadb_twins.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace proxy_mariadb_record_test {

// A database of its own, and a proxy that records what passes.
class Bank {
 public:
  explicit Bank(bool hash_values = false, const std::string& more = "do 0") {
    MariadbClient admin(0, "");
    for (const std::string& sql :
         {std::string("create or replace database isolde_bank"), std::string("use isolde_bank"),
          std::string(
              "create table account (id int primary key, balance int, owner varchar(100), seen datetime default "
              "now())"),
          std::string("insert into account (id, balance, owner) select seq, 100, concat('o', seq) from seq_1_to_20"),
          more})
      EXPECT_TRUE(admin.query(sql).starts_with("changed")) << sql;
    auto url = *db::parse_url(mariadb()->superuser_url());
    url.database = "isolde_bank";
    auto begun = proxy::values::ValueRecorder::begin(url, {.path = path(), .hash_values = hash_values});
    EXPECT_TRUE(begun) << begun.error().message();
    recorder_ = *std::move(begun);
    proxy_ = std::make_unique<RunningProxy>(mariadb()->superuser_url(), proxy::ProxyOptions{.threads = 2},
                                            recorder_->conversations());
  }
  ~Bank() {
    proxy_.reset();
    MariadbClient admin(0, "");
    admin.query("drop database isolde_bank");
  }
  Bank(const Bank&) = delete;
  Bank& operator=(const Bank&) = delete;

  [[nodiscard]] std::unique_ptr<MariadbClient> client() const {
    auto made = std::make_unique<MariadbClient>(static_cast<unsigned>(std::stoul(proxy_->port())), "isolde_bank");
    EXPECT_TRUE(made->connected()) << made->error();
    return made;
  }
  proxy::capture::Recorded finish() {
    EXPECT_EQ(proxy_->stop().unreadable, decltype(proxy::Counts::unreadable){});
    auto recorded = recorder_->finish();
    EXPECT_TRUE(recorded) << recorded.error().message();
    return recorded ? *std::move(recorded) : proxy::capture::Recorded{};
  }
  [[nodiscard]] Answer check(const std::string& level) const {
    return isolde({"check", path(), "--level", level, "--prove"});
  }
  [[nodiscard]] std::string path() const { return scratch_.path("run.jsonl"); }

 private:
  Scratch scratch_;
  std::unique_ptr<proxy::capture::AnyRecorder> recorder_;
  std::unique_ptr<RunningProxy> proxy_;
};

std::string shown_recorded(const proxy::capture::Recorded& recorded) {
  std::string out;
  for (const auto& [why, count] : recorded.left_out) out += fmt::format("{} {}\n", count, why);
  for (const std::string& note : recorded.notes) out += note + "\n";
  return out;
}

class ProxyMariadbRecord : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Both, ProxyMariadbRecord, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Hashed" : "Plain"; });

TEST_P(ProxyMariadbRecord, ALostUpdateOfAnApplicationIsFound) {
  Bank bank(GetParam());
  {
    const auto ann = bank.client(), bob = bank.client();
    for (MariadbClient* const one : {ann.get(), bob.get()}) {
      one->query("begin");
      EXPECT_NE(one->query("select balance from account where id = 7").find("100|"), std::string::npos);
    }
    ann->query("update account set balance = 90 where id = 7");
    ann->query("commit");
    bob->execute("update account set balance = ? where id = ?", {"80", "7"});
    bob->query("commit");
  }
  const auto recorded = bank.finish();
  EXPECT_EQ(recorded.transactions, 2U) << shown_recorded(recorded);
  EXPECT_EQ(recorded.levels.at("repeatable read"), 2U);
  EXPECT_EQ(bank.check("read-committed").status, 0);
  const Answer si = bank.check("snapshot-isolation");
  EXPECT_EQ(si.status, 1) << si.out << shown_recorded(recorded);
  EXPECT_NE(si.out.find("lost-update"), std::string::npos) << si.out;
  EXPECT_EQ(content_of(bank.path()).find("balance\",90") != std::string::npos, !GetParam());
}

TEST(ProxyMariadbRecord, ReadsOfRowsThatAreNotThereAndDeletionsAreJudged) {
  Bank bank;
  {
    const auto ann = bank.client(), bob = bank.client();
    for (MariadbClient* const one : {ann.get(), bob.get()}) one->query("begin");
    // Each looks for the other's row and makes its own: write skew.
    ann->query("select owner from account where id = 101");
    bob->query("select owner from account where id = 102");
    ann->query("insert into account (id, balance, owner) values (102, 1, 'ann')");
    bob->query("insert into account (id, balance, owner) values (101, 1, 'bob')");
    for (MariadbClient* const one : {ann.get(), bob.get()}) one->query("commit");
  }
  const auto recorded = bank.finish();
  EXPECT_EQ(recorded.transactions, 2U) << shown_recorded(recorded);
  EXPECT_EQ(bank.check("snapshot-isolation").status, 0) << bank.check("snapshot-isolation").out;
  EXPECT_EQ(bank.check("serializable").status, 1) << shown_recorded(recorded);
}

TEST(ProxyMariadbRecord, WhatIsNotUnderstoodIsLeftOutAndSaid) {
  Bank bank(false, "create procedure pay() update account set balance = 5 where id = 3");
  {
    const auto ann = bank.client();
    ann->query("update account set balance = balance + 1");
    ann->query("select balance from account where id = 1");
    ann->query("update account set owner = 'x' where id = 1");
    ann->query("select owner from account where id = 1");
  }
  const auto recorded = bank.finish();
  EXPECT_GE(recorded.left_out.at("a write whose rows are not named by their key"), 1U);
  const std::string said = shown_recorded(recorded);
  EXPECT_NE(said.find("keys left out"), std::string::npos) << said;
  EXPECT_EQ(bank.check("serializable").status, 0);
}

TEST(ProxyMariadbRecord, WhatTheServerChangedOnTheWayIsNotTakenForWhatWasSent) {
  Bank bank(false, "create view rich as select id, upper(owner) as owner from account");
  {
    const auto ann = bank.client();
    ann->query("set sql_mode = ''");
    // Cut to 100 characters, with a warning.
    ann->query("update account set owner = '" + std::string(150, 'x') + "' where id = 1");
    ann->query("update account set owner = '" + std::string(100, 'x') + "' where id = 2");
    ann->query("select owner from account where id = 1");
    // One row of NULL although there is none; another column under the table's name.
    ann->query("update account set owner = null where id = 3");
    ann->query("select owner, count(*) from account where id = 99");
    ann->query("select id, owner from rich where id = 4");
  }
  const auto recorded = bank.finish();
  EXPECT_EQ(bank.check("serializable").status, 0) << bank.check("serializable").out;
  EXPECT_EQ(shown_recorded(recorded).find("nobody wrote"), std::string::npos) << shown_recorded(recorded);
}

// Whatever a client does, a correct server is never blamed.
void random_client(MariadbClient& client, const std::string& level, std::uint64_t seed, int transactions) {
  Rng rng(seed);
  client.query("set session transaction isolation level " + level);
  client.query("set session innodb_lock_wait_timeout = 2");
  const auto some_row = [&] { return std::to_string(1 + rng.below(24)); };
  for (int i = 0; i < transactions; ++i) {
    const bool explicit_one = rng.below(4) != 0;
    if (explicit_one) client.query(rng.below(2) == 0 ? "begin" : "start transaction");
    for (std::uint64_t left = 1 + rng.below(5); left > 0; --left) {
      const std::string row = some_row();
      const std::string value = std::to_string(rng.below(6));  // repeats often
      switch (rng.below(14)) {
        case 0:
        case 1:
          client.query("select balance, owner from account where id = " + row);
          break;
        case 2:
          client.execute("select id, balance from account where id > ? order by id limit 3", {row});
          break;
        case 3:
          client.execute("select balance from account where id = ? for update", {row});
          break;
        case 4:
          client.query("select owner from account where id = " + row + " lock in share mode");
          break;
        case 5:
        case 6:
          client.execute("update account set balance = ? where id = ?", {value, row});
          break;
        case 7:
          client.query("update account set owner = 'p" + value + "' where id = " + row + " and balance > 2");
          break;
        case 8:
          client.query("update account set balance = balance + " + value + " where id = " + row +
                       "; select balance from account where id = " + row);
          break;
        case 9:
          client.query("delete from account where id = " + row);
          break;
        case 10:
          client.query("insert into account (id, balance, owner) values (" + row + ", " + value + ", 'n')");
          break;
        case 11:
          client.execute("replace into account (id, balance) values (?, ?)", {row, value});
          break;
        case 12:
          client.query("savepoint s; update account set balance = " + value + " where id = " + row + "; rollback to s");
          break;
        default:
          client.query("insert into account (id, balance) values (" + row + ", 1) on duplicate key update balance = 2");
      }
    }
    if (explicit_one) client.query(rng.below(6) == 0 ? "rollback" : "commit");
  }
}

TEST(ProxyMariadbRecord, NothingIsReportedOfACorrectServer) {
  struct Promise {
    const char* level;
    const char* checked;
  };
  for (const Promise& promise :
       {Promise{"read uncommitted", "read-uncommitted"}, Promise{"read committed", "read-committed"},
        Promise{"repeatable read", "read-committed"}, Promise{"serializable", "serializable"}}) {
    Bank bank;
    {
      std::vector<std::thread> threads;
      for (std::uint64_t t = 0; t < 6; ++t) {
        threads.emplace_back([&, t] {
          const auto client = bank.client();
          random_client(*client, promise.level, effort::seed(100 * t + 7), static_cast<int>(effort::tries(60)));
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
    const auto recorded = bank.finish();
    const Answer said = bank.check(promise.checked);
    EXPECT_EQ(said.status, 0) << promise.level << "\n" << said.out << said.err << shown_recorded(recorded);
    EXPECT_GE(recorded.statements, 100U);
  }
}

}  // namespace proxy_mariadb_record_test
}  // namespace isolde::test
