#include "probe/schedule.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

namespace isolde::probe {
namespace schedule_test {

using namespace std::chrono_literals;

// A database of named locks and nothing else. Statements: "lock x", "get" (returns 42), "fail" (kStatementFailed),
// "abort" (kMustRollBack), "nonsense" (an error that no table knows), "die" (kLost).
struct Locks {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::int64_t> owners;
  std::set<std::int64_t> waiting, cancelled, ended;
  std::int64_t next = 1;
  int roll_backs = 0;
  bool tells = true;       // who waits
  bool can_cancel = true;  // else only terminate() helps
  std::map<std::int64_t, std::string> wanted;
  std::chrono::milliseconds looks_after{0};  // a session that waits looks for a deadlock; 0: none ever does

  // Whether the session waits for one that waits for it. Requires: `mutex` is held.
  [[nodiscard]] bool in_cycle(std::int64_t session) {
    const auto owner = owners.find(wanted[session]);
    return owner != owners.end() && wanted.contains(owner->second) && owners[wanted[owner->second]] == session;
  }
};

class FakeConnection : public db::Connection {
 public:
  explicit FakeConnection(Locks& locks) : locks_(locks), session_(locks.next++) {}
  Result<db::Reply> begin() override { return db::Reply{}; }
  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell>) override { return run(sql); }
  Result<db::Reply> run(std::string_view sql) override {
    if (sql == "get") {
      db::Reply reply;
      reply.width = 1;
      reply.cells = {std::int64_t{42}};
      return reply;
    }
    if (sql == "fail") return failed(db::Fate::kStatementFailed, "1062");
    if (sql == "abort") return failed(db::Fate::kMustRollBack, "40001");
    if (sql == "die") return failed(db::Fate::kLost, "gone");
    if (!sql.starts_with("lock ")) return Error{"unlisted error 99"};
    const std::string name(sql.substr(5));
    std::unique_lock lock(locks_.mutex);
    locks_.waiting.insert(session_);
    locks_.wanted[session_] = name;
    const auto over = [&] {
      return !locks_.owners.contains(name) || locks_.owners[name] == session_ || locks_.ended.contains(session_) ||
             (locks_.can_cancel && locks_.cancelled.contains(session_));
    };
    const bool looks = locks_.looks_after.count() > 0;
    if (looks && !locks_.changed.wait_for(lock, locks_.looks_after, over)) {
      if (locks_.in_cycle(session_)) {
        locks_.waiting.erase(session_);
        locks_.wanted.erase(session_);
        return failed(db::Fate::kMustRollBack, "40P01");
      }
      waits_ = true;
    }
    locks_.changed.wait(lock, over);
    waits_ = false;
    locks_.waiting.erase(session_);
    locks_.wanted.erase(session_);
    locks_.cancelled.erase(session_);
    if (locks_.ended.contains(session_)) return failed(db::Fate::kLost, "ended");
    if (locks_.owners.contains(name) && locks_.owners[name] != session_)
      return failed(db::Fate::kMustRollBack, "57014");
    locks_.owners[name] = session_;
    return db::Reply{};
  }
  Result<db::Reply> commit(db::TxnFacts*) override { return release(); }
  Result<db::Reply> roll_back() override {
    ++locks_.roll_backs;
    return release();
  }
  void cancel() override {
    const std::lock_guard lock(locks_.mutex);
    locks_.cancelled.insert(session_);
    locks_.changed.notify_all();
  }
  std::int64_t session() const override { return session_; }
  bool says_it_waits() const override { return waits_; }
  void sever() override {}

 private:
  static db::Reply failed(db::Fate fate, std::string code) {
    db::Reply reply;
    reply.fate = fate;
    reply.failure = {std::move(code), "words"};
    return reply;
  }
  Result<db::Reply> release() {
    const std::lock_guard lock(locks_.mutex);
    std::erase_if(locks_.owners, [&](const auto& entry) { return entry.second == session_; });
    locks_.changed.notify_all();
    return db::Reply{};
  }
  Locks& locks_;
  std::int64_t session_;
  std::atomic<bool> waits_ = false;
};

class FakeDatabase : public db::Database {
 public:
  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel&) override {
    return std::unique_ptr<db::Connection>(std::make_unique<FakeConnection>(locks));
  }
  const db::Dialect& dialect() const override { return dialect_; }
  std::span<const db::ServerLevel> levels() const override { return kLevels; }
  Result<std::string> describe(db::Connection&) override { return std::string("fake"); }
  Result<std::vector<std::int64_t>> waiting(db::Connection&) override {
    const std::lock_guard lock(locks.mutex);
    std::vector<std::int64_t> waiting;
    if (!locks.tells) return waiting;
    // As at a real server, who waits for a lock has it once it is released, though its thread may not have run yet.
    for (const std::int64_t session : locks.waiting) {
      const auto owner = locks.owners.find(locks.wanted[session]);
      if (owner != locks.owners.end() && owner->second != session) waiting.push_back(session);
    }
    return waiting;
  }
  Result<void> terminate(db::Connection&, std::int64_t session) override {
    const std::lock_guard lock(locks.mutex);
    locks.ended.insert(session);
    std::erase_if(locks.owners, [&](const auto& entry) { return entry.second == session; });
    locks.changed.notify_all();
    return {};
  }
  Locks locks;

 private:
  static constexpr db::ServerLevel kLevels[] = {{"only", Level::kSerializable, ""}};
  db::Dialect dialect_;
};

class Schedule : public ::testing::Test {
 protected:
  // "1 lock a" per line; begins are added.
  Transcript run(const std::vector<std::pair<std::size_t, std::string>>& script, ScheduleOptions options = {}) {
    options.patience = patience_;
    std::vector<bool> begun(4, false);
    steps_.clear();
    for (const auto& [who, sql] : script) {
      if (!begun[who - 1]) steps_.push_back({who - 1, RequestKind::kBegin, {}});
      begun[who - 1] = true;
      const RequestKind kind = sql == "commit"     ? RequestKind::kCommit
                               : sql == "rollback" ? RequestKind::kRollBack
                                                   : RequestKind::kStatement;
      steps_.push_back({who - 1, kind, sql});
    }
    const db::ServerLevel& level = database_.levels().front();
    auto observer = database_.connect(level);
    std::vector<std::unique_ptr<db::Connection>> connections;
    for (int i = 0; i < 4; ++i) connections.push_back(*database_.connect(level));
    crew_ = std::make_unique<Crew>(std::move(connections));
    return run_schedule(database_, **observer, *crew_, steps_, options);
  }
  // "T1 lock a: answered; …", begins left out.
  std::string events(const Transcript& t) const {
    std::string out;
    for (const Event& e : t.events) {
      if (steps_[e.step].kind == RequestKind::kBegin) continue;
      out += (out.empty() ? "" : "; ");
      out += "T" + std::to_string(steps_[e.step].transaction + 1) + " " + steps_[e.step].sql + ": ";
      out += name(e.kind);
    }
    return out;
  }
  static std::string ends(const Transcript& t) {
    std::string out;
    for (const TxnRecord& end : t.ends) out += (out.empty() ? "" : ", ") + std::string(name(end.end));
    return out;
  }
  FakeDatabase database_;
  std::chrono::milliseconds patience_ = 20s;
  std::vector<Step> steps_;
  std::unique_ptr<Crew> crew_;
};

TEST_F(Schedule, StepsRunInTheScriptsOrder) {
  const Transcript t = run({{1, "get"}, {2, "get"}, {1, "commit"}, {2, "rollback"}});
  EXPECT_EQ(events(t), "T1 get: answered; T2 get: answered; T1 commit: answered; T2 rollback: answered");
  EXPECT_EQ(ends(t), "committed, rolled back");
  EXPECT_FALSE(t.waited());
  EXPECT_EQ(t.failure(), nullptr);
}

TEST_F(Schedule, ABlockedTransactionsLaterStepsComeWhenItAnswered) {
  const Transcript t = run({{1, "lock a"}, {2, "lock a"}, {2, "get"}, {1, "get"}, {1, "commit"}, {2, "commit"}});
  EXPECT_EQ(events(t),
            "T1 lock a: answered; T2 lock a: waits; T1 get: answered; T1 commit: answered; T2 lock a: answered; "
            "T2 get: answered; T2 commit: answered");
  EXPECT_EQ(ends(t), "committed, committed");
  EXPECT_TRUE(t.waited());
  EXPECT_FALSE(t.unanswered());
  const std::size_t waited = 3;
  ASSERT_EQ(t.steps[waited].wait, Wait::kServerSays);
  EXPECT_EQ(steps_[t.steps[waited].let_go_by].kind, RequestKind::kCommit);
}

TEST_F(Schedule, AStepThatMustBeRolledBackEndsItsTransaction) {
  const Transcript t = run({{1, "lock a"}, {1, "abort"}, {1, "get"}, {2, "lock a"}, {1, "commit"}, {2, "commit"}});
  EXPECT_EQ(events(t),
            "T1 lock a: answered; T1 abort: answered; T1 get: not sent; T2 lock a: answered; T1 commit: not sent; "
            "T2 commit: answered");
  EXPECT_EQ(ends(t), "aborted, committed");
  EXPECT_EQ(database_.locks.roll_backs, 1);
  ASSERT_NE(t.failure(), nullptr);
  EXPECT_EQ(t.failure()->code, "40001");
}

TEST_F(Schedule, AFailedStatementLeavesItsTransactionOpen) {
  const Transcript t = run({{1, "fail"}, {1, "get"}, {1, "commit"}});
  EXPECT_EQ(events(t), "T1 fail: answered; T1 get: answered; T1 commit: answered");
  EXPECT_EQ(ends(t), "committed");
  EXPECT_EQ(t.failure()->code, "1062");
}

TEST_F(Schedule, ALostConnectionIsNoCommitAndLeavesSomethingUnanswered) {
  const Transcript t = run({{1, "die"}, {1, "commit"}, {2, "commit"}});
  EXPECT_EQ(events(t), "T1 die: answered; T1 commit: not sent; T2 commit: answered");
  EXPECT_EQ(ends(t), "aborted, committed");
  EXPECT_TRUE(t.unanswered());
  EXPECT_FALSE(crew_->usable(0));
  EXPECT_TRUE(crew_->usable(1));
}

TEST_F(Schedule, AnUnlistedErrorBreaksTheRunOffAndCleansUp) {
  const Transcript t = run({{1, "lock a"}, {2, "lock a"}, {1, "nonsense"}, {1, "commit"}, {2, "commit"}});
  ASSERT_TRUE(t.fault);
  EXPECT_EQ(t.fault->text, "unlisted error 99");
  EXPECT_EQ(steps_[t.fault_at].sql, "nonsense");
  EXPECT_TRUE(database_.locks.owners.empty());
  EXPECT_FALSE(crew_->busy(0));
  EXPECT_FALSE(crew_->busy(1));
}

TEST_F(Schedule, ADeadlockThatNobodyFindsIsGivenUpYoungestFirst) {
  patience_ = 500ms;
  const Transcript t = run({{1, "lock a"}, {2, "lock b"}, {1, "lock b"}, {2, "lock a"}, {1, "commit"}, {2, "commit"}});
  // When T2 is given up, T1's answer is on its way: T2's last step may be passed over before it comes or after.
  const std::string begins =
      "T1 lock a: answered; T2 lock b: answered; T1 lock b: waits; T2 lock a: waits; T2 lock a: given up; ";
  const std::set<std::string> expected = {begins + "T1 lock b: answered; T1 commit: answered; T2 commit: not sent",
                                          begins + "T1 lock b: answered; T2 commit: not sent; T1 commit: answered",
                                          begins + "T2 commit: not sent; T1 lock b: answered; T1 commit: answered"};
  EXPECT_TRUE(expected.contains(events(t))) << events(t);
  EXPECT_EQ(ends(t), "committed, given up");
  EXPECT_FALSE(t.unanswered());
}

TEST_F(Schedule, OfThoseThatWaitBeyondTheMostTheLastIsCancelled) {
  ScheduleOptions options;
  options.most_waiting = 1;
  const Transcript t = run({{1, "lock a"},
                            {2, "lock b"},
                            {2, "lock a"},
                            {3, "lock b"},
                            {4, "lock a"},
                            {1, "commit"},
                            {2, "commit"},
                            {3, "commit"},
                            {4, "commit"}},
                           options);
  EXPECT_EQ(ends(t), "committed, committed, given up, given up");
  EXPECT_EQ(events(t),
            "T1 lock a: answered; T2 lock b: answered; T2 lock a: waits; T3 lock b: waits; T3 lock b: given up; "
            "T4 lock a: waits; T4 lock a: given up; T1 commit: answered; T2 lock a: answered; T2 commit: answered; "
            "T3 commit: not sent; T4 commit: not sent");
}

// On a busy machine a session may look for a deadlock long after it began to wait.
TEST_F(Schedule, OneThatClosesACycleIsToldSoHoweverLongThatTakes) {
  database_.locks.looks_after = 400ms;
  ScheduleOptions options;
  options.most_waiting = 1;
  options.sessions_speak = true;
  const Transcript t =
      run({{1, "lock a"}, {2, "lock b"}, {1, "lock b"}, {2, "lock a"}, {1, "commit"}, {2, "commit"}}, options);
  EXPECT_EQ(ends(t), "committed, aborted") << events(t);
  EXPECT_EQ(t.steps[5].reply.failure.code, "40P01") << events(t);
}

TEST_F(Schedule, WithoutTheServersWordAStepIsPassedByAfterTheLimit) {
  patience_ = 1s;
  database_.locks.tells = false;
  const Transcript t = run({{1, "lock a"}, {2, "lock a"}, {1, "commit"}, {2, "commit"}});
  EXPECT_EQ(events(t),
            "T1 lock a: answered; T2 lock a: no answer; T1 commit: answered; T2 lock a: answered; T2 commit: answered");
  EXPECT_TRUE(t.unanswered());
}

TEST_F(Schedule, OneThatCannotBeCancelledIsEndedAtTheServer) {
  patience_ = 500ms;
  database_.locks.can_cancel = false;
  const Transcript t = run({{1, "lock a"}, {2, "lock b"}, {1, "lock b"}, {2, "lock a"}, {1, "commit"}, {2, "commit"}});
  EXPECT_EQ(ends(t), "committed, given up");
  EXPECT_FALSE(crew_->usable(1));
}

TEST_F(Schedule, WhatTheScriptLeavesOpenIsRolledBack) {
  const Transcript t = run({{1, "lock a"}, {2, "get"}});
  EXPECT_EQ(ends(t), "given up, given up");
  EXPECT_TRUE(database_.locks.owners.empty());
}

TEST_F(Schedule, AStepWhoseValueIsMissingIsNotSent) {
  ScheduleOptions options;
  options.sql_of = [this](std::size_t step, const Transcript&) -> Result<std::string> {
    if (steps_[step].sql == "needs") return Error{"T2.1 returned no row"};
    return steps_[step].sql;
  };
  const Transcript t = run({{1, "lock a"}, {1, "needs"}, {1, "commit"}, {2, "lock a"}, {2, "commit"}}, options);
  EXPECT_EQ(events(t),
            "T1 lock a: answered; T1 needs: not sent; T1 commit: not sent; T2 lock a: answered; T2 commit: answered");
  EXPECT_EQ(ends(t), "given up, committed");
  EXPECT_EQ(t.steps[2].missing, "T2.1 returned no row");
}

class ScheduleTogether : public Schedule {
 protected:
  Transcript run_steps(std::vector<Step> steps, ScheduleOptions options = {}) {
    steps_ = std::move(steps);
    options.patience = patience_;
    auto observer = database_.connect(database_.levels().front());
    std::vector<std::unique_ptr<db::Connection>> connections;
    for (int i = 0; i < 2; ++i) connections.push_back(*database_.connect(database_.levels().front()));
    crew_ = std::make_unique<Crew>(std::move(connections));
    return run_schedule(database_, **observer, *crew_, steps_, options);
  }
  // Begins with it.
  static Step step(std::size_t who, std::string sql, std::vector<std::string> before = {},
                   std::vector<std::string> after = {}) {
    Step made{who, RequestKind::kStatement, std::move(sql)};
    made.before.push_back({RequestKind::kBegin, {}});
    for (std::string& text : before) made.before.push_back({RequestKind::kPrepared, std::move(text)});
    for (std::string& text : after) made.after.push_back({RequestKind::kPrepared, std::move(text)});
    return made;
  }
};

TEST_F(ScheduleTogether, WhatIsSentWithAStepIsAnsweredWithIt) {
  const Transcript t = run_steps({step(0, "lock a", {"get"}, {"get"}), {0, RequestKind::kCommit, {}}});
  EXPECT_EQ(ends(t), "committed");
  ASSERT_EQ(t.steps[0].before.size(), 2u);  // begin, get
  ASSERT_EQ(t.steps[0].after.size(), 1u);
  EXPECT_EQ(rows_text(t.steps[0].before[1]), "(42)");
  EXPECT_EQ(t.steps[0].reply.rows(), 0u);
  EXPECT_EQ(rows_text(t.steps[0].after[0]), "(42)");
}

TEST_F(ScheduleTogether, AFailureBeforeAStepIsItsOwnAndItIsNotSent) {
  const Transcript t = run_steps({step(0, "lock a", {"fail"}, {"get"}),
                                  {0, RequestKind::kStatement, "get"},
                                  step(1, "lock a"),
                                  {0, RequestKind::kCommit, {}},
                                  {1, RequestKind::kCommit, {}}});
  EXPECT_EQ(ends(t), "committed, committed");
  EXPECT_EQ(t.steps[0].state, StepRecord::State::kFailed);
  EXPECT_EQ(t.steps[0].reply.failure.code, "1062");
  EXPECT_EQ(t.steps[0].before.size(), 1u);
  EXPECT_FALSE(t.waited());
  EXPECT_TRUE(t.steps[1].done());
}

TEST_F(ScheduleTogether, AFailureAfterAStepRollsItsTransactionBack) {
  const Transcript t =
      run_steps({step(0, "lock a", {}, {"fail"}), {0, RequestKind::kStatement, "get"}, {0, RequestKind::kCommit, {}}});
  EXPECT_EQ(t.steps[0].state, StepRecord::State::kFailed);
  EXPECT_EQ(t.steps[1].state, StepRecord::State::kNotSent);
  EXPECT_NE(t.ends[0].end, End::kCommitted);
  EXPECT_TRUE(database_.locks.owners.empty());
}

TEST_F(ScheduleTogether, AStepThatWaitsBetweenItsReadsWaitsAsAWhole) {
  const Transcript t = run_steps({step(0, "lock a"),
                                  step(1, "lock a", {"get"}, {"get"}),
                                  {0, RequestKind::kCommit, {}},
                                  {1, RequestKind::kCommit, {}}});
  EXPECT_EQ(events(t), "T1 lock a: answered; T2 lock a: waits; T1 : answered; T2 lock a: answered; T2 : answered");
  EXPECT_EQ(t.steps[1].let_go_by, 2u);
}

TEST_F(ScheduleTogether, WhatIsNotPassedByIsCancelled) {
  patience_ = 300ms;
  database_.locks.tells = false;
  ScheduleOptions options;
  options.passes_by = false;
  const Transcript t = run_steps(
      {step(0, "lock a"), step(1, "lock a"), {0, RequestKind::kCommit, {}}, {1, RequestKind::kCommit, {}}}, options);
  EXPECT_EQ(t.steps[1].state, StepRecord::State::kGivenUp);
  EXPECT_EQ(ends(t), "committed, given up");
}

TEST_F(Schedule, TheTranscriptReadsAsItRan) {
  const Transcript t = run({{1, "lock a"}, {2, "lock a"}, {1, "get"}, {1, "commit"}, {2, "abort"}});
  const std::string text = transcript_text(steps_, t);
  std::string squeezed;
  for (const char c : text) {
    if (c != ' ' || squeezed.empty() || squeezed.back() != ' ') squeezed += c;
  }
  EXPECT_EQ(squeezed,
            " T1 lock a 0 rows changed\n T2 lock a waits for a lock\n T1 get (42)\n T1 commit committed\n"
            " T2 … 0 rows changed <- after T1: commit\n T2 abort 40001: words (rolled back)\n");
}

}  // namespace schedule_test
}  // namespace isolde::probe
