#include "format/jepsen_write.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"
#include "tests/support/jepsen.h"

namespace isolde::jepsen {
namespace jepsen_write_test {

TEST(JepsenWriter, TiesOfTimeAreNotMadeAnOrder) {
  HistoryBuilder b;
  for (const std::int64_t session : {0, 1}) {
    b.begin_txn(b.session(session));
    b.set_begin(session * 10);
    b.set_end(session * 10 + 10);
    b.write(b.key("x"), b.values().integer(session));
    b.end_txn();
  }
  auto h = b.finish();
  ASSERT_TRUE(h);
  const Written file = written(*h);
  EXPECT_EQ(file.lost, Lost{"begin and end: only their order is kept"});
  EXPECT_EQ(text_of(file.text), "0@0 ok 0..2: w x 0\n1@1 ok 1..3: w x 1\n");
}

TEST(JepsenWriter, WithoutTimesOnlyCompletionsAreWritten) {
  HistoryBuilder b;
  b.begin_txn(b.session(b.values().string("alice")));
  b.write(b.key("a b"), b.values().row(std::vector<RowField>{{b.values().string("c d"), b.values().integer(1)}}));
  b.set_status(Status::kUnknown);
  b.end_txn();
  auto h = b.finish();
  ASSERT_TRUE(h);
  const Written file = written(*h);
  EXPECT_EQ(file.text, "{:index 0, :type :info, :process 0, :f :txn, :value [[:w \"a b\" {\"c d\" 1}]]}\n");
  EXPECT_EQ(file.lost, Lost{"1 session names that are not integers: the processes are numbered"});
}

TEST(JepsenWriter, TransactionsThatOverlapInASessionLoseRealTime) {
  HistoryBuilder b;
  for (const std::int64_t begin : {0, 1}) {
    b.begin_txn(b.session(0));
    b.set_begin(begin);
    b.set_end(begin + 5);
    b.write(b.key("x"), b.values().integer(begin));
    b.end_txn();
  }
  auto h = b.finish();
  ASSERT_TRUE(h);
  const Written file = written(*h);
  EXPECT_EQ(file.lost.size(), 1U);
  EXPECT_EQ(text_of(file.text), "0@0 ok -..-: w x 0\n1@0 ok -..-: w x 1\n");
}

TEST(JepsenWriter, WhatEdnCannotCarryIsTold) {
  HistoryBuilder b;
  b.set_about("about");
  b.begin_txn(b.session(0));
  b.set_commit_ts(5);
  b.read(b.key("x"), kNullValue, Lock::kUpdate);
  b.increment(b.key("x"), b.values().integer(1));
  b.scan("a > 5", {});
  b.aggregate("max(a)", "TRUE", kNullValue);
  b.end_txn();
  b.version_order(b.key("x"), std::vector<ValueId>{b.values().integer(1)}, true);
  auto h = b.finish();
  ASSERT_TRUE(h);
  const Written file = written(*h);
  EXPECT_EQ(file.lost.size(), 7U);
  EXPECT_EQ(file.text,
            "; lossy, written by isolde: left out 1 increment, 1 scan, 1 aggregate, 1 transaction with start_ts or "
            "commit_ts, 1 version order; a verdict on this file may differ\n{:index 0, :type :ok, :process 0, :f :txn, "
            ":value [[:r :x nil]]}\n");
}

// --- properties ---

// A Jepsen file of a few processes that invoke, answer, fail, time out, go on after that, or never answer.
std::string random_file(Rng& rng) {
  const bool lists = rng.chance(0.5);
  const bool indexed = rng.chance(0.7);
  const double alone = rng.chance(0.5) ? 0.0 : rng.unit();  // how many completions have no invocation
  std::vector<std::string> open(1 + rng.below(4));
  std::string file;
  std::int64_t index = rng.between(0, 5);
  int next = 1;
  const auto line = [&](const char* type, std::size_t process, const std::string& value) {
    index += 1 + static_cast<std::int64_t>(rng.below(2));
    file += fmt::format("{{{}:type :{} :process {} :value [{}]}}\n", indexed ? fmt::format(":index {} ", index) : "",
                        type, process, value);
  };
  for (std::uint64_t events = 1 + rng.below(24); events > 0; --events) {
    const std::size_t process = rng.below(open.size());
    if (open[process].empty() && !rng.chance(alone)) {
      for (std::uint64_t ops = 1 + rng.below(3); ops > 0; --ops) {
        const std::uint64_t key = rng.below(3);
        open[process] += rng.chance(0.5) ? fmt::format("[:{} {} {}]", lists ? "append" : "w", key, next++)
                                         : fmt::format("[:r :k{} nil]", key);
      }
      line("invoke", process, open[process]);
    } else {
      static constexpr const char* kTypes[] = {"ok", "ok", "ok", "fail", "info"};
      if (open[process].empty()) open[process] = fmt::format("[:w 1 {}]", next++);
      line(kTypes[rng.below(5)], process, open[process]);
      open[process].clear();
    }
  }
  return file;
}

TEST(JepsenWriterProperty, WhatWasReadFromAFileIsTheSameAfterWritingAndReading) {
  for (const std::uint64_t seed : effort::seeds(0, 4'000)) {
    Rng rng(seed);
    const std::string file = random_file(rng);
    auto result = read(file);
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message() << "\n" << file;
    ASSERT_EQ(round_trip(result->history), "") << "seed " << seed << "\n" << file << written(result->history).text;
  }
}

// Any history: clocks that tie, overlap or are missing, whatever the outcome.
History random_history(Rng& rng) {
  HistoryBuilder b;
  const std::uint64_t sessions = 1 + rng.below(4);
  const double timed = rng.chance(0.5) ? 1.0 : 0.8;
  const std::int64_t clock = rng.between(3, 40);
  const bool sequential = rng.chance(0.7);
  std::vector<std::int64_t> last(sessions, 0);
  for (std::uint64_t t = 1 + rng.below(8); t > 0; --t) {
    const std::uint64_t session = rng.below(sessions);
    b.begin_txn(b.session(static_cast<std::int64_t>(session)));
    b.set_status(static_cast<Status>(rng.below(3)));
    const std::int64_t begin = (sequential ? last[session] : 0) + rng.between(0, clock);
    const std::int64_t end = begin + rng.between(0, clock);
    last[session] = end;
    if (rng.chance(timed)) b.set_begin(begin);
    if (rng.chance(timed)) b.set_end(end);
    b.write(b.key("x"), b.values().integer(static_cast<std::int64_t>(t)));
    b.end_txn();
  }
  return *b.finish();
}

// Real time: `a` ended before `b` began. A transaction of unknown outcome has no end.
bool precedes(const History& h, TxnId a, TxnId b) {
  return h.status(a) != Status::kUnknown && h.end(a) != kNoTime && h.begin(b) != kNoTime && h.end(a) < h.begin(b);
}

TEST(JepsenWriterProperty, AFileNeverSaysMoreOfRealTimeThanTheHistory) {
  std::uint64_t tried = 0, kept = 0;
  for (const std::uint64_t seed : effort::seeds(0, 5'000)) {
    ++tried;
    Rng rng(seed);
    const History h = random_history(rng);
    const Written file = written(h);
    auto back = read(file.text);
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message() << "\n" << file.text;
    const History& g = back->history;
    ASSERT_EQ(g.txn_count(), h.txn_count()) << "seed " << seed << "\n" << file.text;
    // Each transaction writes a value of its own, by which it is found again.
    std::vector<TxnId> original(g.txn_count());
    for (std::uint32_t t = 0; t < g.txn_count(); ++t) {
      for (std::uint32_t u = 0; u < h.txn_count(); ++u) {
        if (g.op_value(g.first_op(TxnId{t})) == h.op_value(h.first_op(TxnId{u}))) original[t] = TxnId{u};
      }
      ASSERT_EQ(g.status(TxnId{t}), h.status(original[t])) << "seed " << seed;
    }
    for (std::uint32_t t = 0; t < g.txn_count(); ++t) {
      for (std::uint32_t u = 0; u < g.txn_count(); ++u) {
        const bool same_session = h.session(original[t]) == h.session(original[u]);
        if (same_session) {
          ASSERT_EQ(t < u, raw(original[t]) < raw(original[u])) << "seed " << seed << ": session order\n" << file.text;
        } else if (precedes(g, TxnId{t}, TxnId{u})) {
          ++kept;
          ASSERT_TRUE(precedes(h, original[t], original[u])) << "seed " << seed << ": " << t << " " << u << "\n"
                                                             << file.text;
        }
      }
    }
  }
  EXPECT_TRUE(effort::reaches(0.5, kept, tried)) << kept << " of " << tried;
}

TEST(JepsenWriter, FaultsAreOperationsOfTheNemesisAndReadBackAsTheyWere) {
  HistoryBuilder b;
  for (const std::int64_t t : {0, 1, 2}) {
    b.begin_txn(b.session(t));
    b.set_begin(2 * t);
    b.set_end(2 * t + 1);
    b.write(b.key("x"), b.values().integer(t));
    b.end_txn();
  }
  ValueInterner& v = b.values();
  b.fault(0, 3, v.string("start-partition"), v.string("[:isolated {\"n1\" #{\"n2\"}}]"));
  b.fault(2, kNoTime, v.string("kill"), v.string("a text [with brackets"));
  b.fault(2, kNoTime, v.string("kill"), kNullValue);
  b.fault(5, 6, v.string("two words"), v.string(":keyword"));
  const History h = *b.finish();
  EXPECT_EQ(round_trip(h), "") << written(h).text;
  EXPECT_EQ(written(h).lost, Lost{});
  EXPECT_NE(written(h).text.find("{:type :info, :process :nemesis, :f :start-partition, :value nil}\n"),
            std::string::npos)
      << written(h).text;
}

TEST(JepsenWriter, WithoutAClockFaultsAreLost) {
  HistoryBuilder b;
  b.begin_txn(b.session(0));
  b.write(b.key("x"), b.values().integer(1));
  b.end_txn();
  b.fault(0, 3, b.values().string("restart"), kNullValue);
  const History h = *b.finish();
  EXPECT_EQ(written(h).lost, Lost{"1 fault"});
}

}  // namespace jepsen_write_test
}  // namespace isolde::jepsen
