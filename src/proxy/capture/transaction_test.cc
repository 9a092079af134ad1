#include "proxy/capture/transaction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace isolde::proxy::capture {
namespace transaction_test {

class Heard : public TransactionSink {
 public:
  void ended(Ended&& transaction) override {
    said += fmt::format("[{} {}-{} commit {}-{}:",
                        transaction.status == Status::kCommitted ? "committed"
                        : transaction.status == Status::kAborted ? "aborted"
                                                                 : "unknown",
                        transaction.begin, transaction.end, transaction.commit_sent, transaction.commit_answered);
    for (const RowSeen& row : transaction.rows) said += " " + row.key;
    said += "]";
  }
  void left_out(std::string_view why) override { said += fmt::format("({})", why); }
  std::string said;
};

// A conversation whose clock goes on by one with every message.
struct Told {
  Heard heard;
  Transactions transactions{heard};
  std::int64_t clock = 0;

  // A statement that returned these rows. `tag` empty: it failed.
  void says(Kind kind, std::string_view rows, std::string_view tag, const std::string& name = {}, bool chains = false) {
    const std::int64_t sent = ++clock;
    transactions.starts(sent);
    for (const char row : rows)
      transactions.row({.kind = 'w',
                        .table = nullptr,
                        .plan = nullptr,
                        .key = std::string(1, row),
                        .version = {},
                        .before = sent,
                        .after = 0});
    const Step step{.kind = kind, .name = name, .chains = chains};
    ++clock;
    if (tag.empty()) {
      transactions.failed(step);
    } else {
      transactions.done(step, tag, sent, clock);
    }
  }
  std::string ready(char status) {
    transactions.ready(status, ++clock);
    return std::exchange(heard.said, {});
  }
};

TEST(Transactions, AStatementAloneIsOne) {
  Told told;
  told.says(Kind::kWrite, "a", "UPDATE 1");
  EXPECT_EQ(told.ready('I'), "[committed 1-3 commit 1-3: a]");
  told.says(Kind::kWrite, "a", "");
  EXPECT_EQ(told.ready('I'), "");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kWrite, "b", "");
  EXPECT_EQ(told.ready('I'), "[aborted 7-11 commit 9-11: a]");
}

TEST(Transactions, BlocksEndByTheirTags) {
  Told told;
  told.says(Kind::kBegin, "", "BEGIN");
  EXPECT_EQ(told.ready('T'), "");
  told.says(Kind::kRead, "ab", "SELECT 2");
  EXPECT_EQ(told.ready('T'), "");
  told.says(Kind::kCommit, "", "COMMIT");
  EXPECT_EQ(told.ready('I'), "[committed 1-8 commit 7-8: a b]");
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kWrite, "b", "");
  EXPECT_EQ(told.ready('E'), "");
  told.says(Kind::kCommit, "", "ROLLBACK");
  EXPECT_EQ(told.ready('I'), "[aborted 10-18 commit 17-18: a]");
  // A commit that fails is answered with an error.
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kCommit, "", "");
  EXPECT_EQ(told.ready('I'), "[aborted 20-26 commit 24-26: a]");
}

TEST(Transactions, SavepointsTakeBackWhatCameAfterThem) {
  Told told;
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kSavepoint, "", "SAVEPOINT", "s");
  told.says(Kind::kWrite, "b", "UPDATE 1");
  told.says(Kind::kSavepoint, "", "SAVEPOINT", "s");
  told.says(Kind::kWrite, "c", "UPDATE 1");
  told.says(Kind::kRelease, "", "RELEASE", "s");
  told.says(Kind::kWrite, "d", "");
  told.says(Kind::kRollBackTo, "", "ROLLBACK", "s");
  told.says(Kind::kWrite, "e", "UPDATE 1");
  told.says(Kind::kCommit, "", "COMMIT");
  EXPECT_EQ(told.ready('I'), "[committed 1-22 commit 21-22: a e]");
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kRollBackTo, "", "ROLLBACK", "nowhere");
  told.says(Kind::kCommit, "", "COMMIT");
  EXPECT_EQ(told.ready('I'), "(a savepoint that was not seen)");
}

TEST(Transactions, WhatMayHaveBeenCutOtherwiseIsLeftOut) {
  Told told;
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kUnclear, "", "CALL");
  EXPECT_EQ(told.ready('I'), "(a statement that may commit by itself)");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kUnclear, "", "");
  EXPECT_EQ(told.ready('I'), "(a statement that may commit by itself)");
  // In a block it may not.
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kUnclear, "", "CALL");
  told.says(Kind::kCommit, "", "COMMIT");
  EXPECT_EQ(told.ready('I'), "[committed 11-18 commit 17-18: a]");
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kPrepare, "", "PREPARE TRANSACTION");
  EXPECT_EQ(told.ready('I'), "(PREPARE TRANSACTION)");
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  EXPECT_EQ(told.ready('I'), "(an end that was not understood)");
}

TEST(Transactions, AChainedOneBeginsWhereTheLastEnded) {
  Told told;
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.says(Kind::kCommit, "", "COMMIT", {}, true);
  EXPECT_EQ(told.ready('T'), "[committed 1-6 commit 5-6: a]");
  told.says(Kind::kWrite, "b", "UPDATE 1");
  EXPECT_EQ(told.ready('T'), "");
  told.says(Kind::kRollBack, "", "ROLLBACK");
  EXPECT_EQ(told.ready('I'), "[aborted 8-12 commit 11-12: b]");
}

TEST(Transactions, ALostAnswerIsUnknown) {
  Told told;
  told.says(Kind::kBegin, "", "BEGIN");
  told.says(Kind::kWrite, "a", "UPDATE 1");
  told.transactions.lost(true, 9);
  EXPECT_EQ(std::exchange(told.heard.said, {}), "[unknown 1-0 commit 9-0: a]");
  Told idle;
  idle.says(Kind::kBegin, "", "BEGIN");
  idle.says(Kind::kWrite, "a", "UPDATE 1");
  idle.transactions.lost(false, 9);
  EXPECT_EQ(idle.heard.said, "[aborted 1-0 commit 3-0: a]");
}

}  // namespace transaction_test
}  // namespace isolde::proxy::capture
