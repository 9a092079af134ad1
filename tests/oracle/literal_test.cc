// The oracle against its own definitions taken at their word: every order of all points is written out, then looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/oracle/oracle.h"
#include "tests/oracle/tiny.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace literal_test {

using tiny::States;
using tiny::Tiny;
using tiny::Txn;

struct Line {
  Tiny& tiny;
  std::vector<std::size_t> txns;    // counted
  std::vector<std::size_t> points;  // 2t: start of t, 2t+1: its commit
  [[nodiscard]] std::size_t at(std::size_t point) const {
    return static_cast<std::size_t>(std::find(points.begin(), points.end(), point) - points.begin());
  }
  [[nodiscard]] std::size_t start(std::size_t t) const { return at(2 * t); }
  [[nodiscard]] std::size_t commit(std::size_t t) const { return at(2 * t + 1); }
};

bool reads_explained(const Line& line) {
  tiny::Versions versions;
  std::array<tiny::Places, kOracleMaxTxns> at{};
  States now = line.tiny.initial;
  for (std::size_t k = 0; k < line.tiny.keys; ++k) versions[k].push_back({now[k], std::nullopt});
  for (const std::size_t point : line.points) {
    const std::size_t t = point / 2;
    if (point % 2 == 1) line.tiny.commit(now, t);
    for (std::size_t k = 0; k < line.tiny.keys; ++k) {
      if (point % 2 == 0) at[t][k] = versions[k].size() - 1;
      if (point % 2 == 1 && tiny::contains(line.tiny.txns[t].writes, k)) versions[k].push_back({now[k], t});
    }
  }
  for (const std::size_t t : line.txns) {
    States state = line.tiny.initial;
    for (std::size_t i = 0; i < line.start(t); ++i) {
      if (line.points[i] % 2 == 1) line.tiny.commit(state, line.points[i] / 2);
    }
    if (!line.tiny.explains(state, t)) return false;
    if (!line.tiny.vsets_fit(t, versions, at[t])) return false;
  }
  return true;
}

std::int64_t commit_time(const Txn& txn) {
  return txn.commit_ts == kNoTime && txn.writes == 0 ? txn.start_ts : txn.commit_ts;
}

// The rule for equal times in words: a commit of one that started earlier comes before every start at that time; an
// instant writer comes after those commits, before all other starts, and one after the other.
bool timestamps_respected(const Line& line) {
  for (const std::size_t a : line.txns) {
    const Txn& x = line.tiny.txns[a];
    const std::int64_t sa = x.start_ts;
    const std::int64_t ca = commit_time(x);
    if (sa != kNoTime && ca != kNoTime && sa > ca) return false;
    const bool instant_a = sa != kNoTime && sa == ca;
    for (const std::size_t b : line.txns) {
      if (a == b) continue;
      const Txn& y = line.tiny.txns[b];
      const std::int64_t sb = y.start_ts;
      const std::int64_t cb = commit_time(y);
      const bool instant_b = sb != kNoTime && sb == cb;
      if (sa != kNoTime && sb != kNoTime && sa < sb && line.start(a) > line.start(b)) return false;
      if (sa != kNoTime && cb != kNoTime && sa < cb && line.start(a) > line.commit(b)) return false;
      if (ca != kNoTime && sb != kNoTime && ca < sb && line.commit(a) > line.start(b)) return false;
      if (ca != kNoTime && cb != kNoTime && ca < cb && line.commit(a) > line.commit(b)) return false;
      if (ca != kNoTime && !instant_a && ca == sb && line.commit(a) > line.start(b)) return false;
      if (ca != kNoTime && !instant_a && ca == cb && instant_b && line.commit(a) > line.start(b)) return false;
      if (!instant_a || x.writes == 0) continue;
      const bool writer_b = instant_b && y.writes != 0;
      if (sb == sa && !writer_b && line.commit(a) > line.start(b)) return false;
      if (sb == sa && writer_b && line.commit(a) > line.start(b) && line.commit(b) > line.start(a)) return false;
    }
  }
  return true;
}

bool order_respected(const Line& line, Level level) {
  for (const std::size_t a : line.txns) {
    if (line.start(a) > line.commit(a)) return false;
    for (const std::size_t b : line.txns) {
      if (a == b) continue;
      const Txn& x = line.tiny.txns[a];
      const Txn& y = line.tiny.txns[b];
      const bool overlap = line.start(a) < line.commit(b) && line.start(b) < line.commit(a);
      if (level != Level::kPrefix && overlap && (x.writes & y.writes) != 0) return false;
      const bool session = a < b && x.session == y.session && level != Level::kSnapshotIsolation;
      const bool real = level == Level::kStrongSnapshotIsolation && x.status == Status::kCommitted &&
                        x.end != kNoTime && y.begin != kNoTime && x.end < y.begin;
      if ((session || real) && line.commit(a) > line.start(b)) return false;
    }
  }
  return true;
}

bool literally(const History& h, Level level, bool timestamps) {
  Tiny tiny(h);
  for (tiny::TxnSet counted = 0; counted < 1U << tiny.size(); ++counted) {
    if ((counted & tiny.committed()) != tiny.committed() || (counted & ~(tiny.committed() | tiny.unknown())) != 0)
      continue;
    Line line{tiny, {}, {}};
    for (std::size_t t = 0; t < tiny.size(); ++t) {
      if (!tiny::contains(counted, t)) continue;
      line.txns.push_back(t);
      line.points.push_back(2 * t);
      line.points.push_back(2 * t + 1);
    }
    do {
      if (order_respected(line, level) && (!timestamps || timestamps_respected(line)) && reads_explained(line))
        return true;
    } while (std::next_permutation(line.points.begin(), line.points.end()));
  }
  return false;
}

TEST(OracleLiterally, PointsAreWhereTheDefinitionsPutThem) {
  const std::uint64_t histories = effort::tries(2'000);
  Rng rng(effort::seed(3));
  RandomOptions options;
  options.max_txns = 3;
  for (std::uint64_t i = 0; i < histories; ++i) {
    options.rows_only = i % 2 == 0;
    const History h = random_history(rng, options);
    for (const Level level : {Level::kPrefix, Level::kSnapshotIsolation, Level::kStrongSessionSnapshotIsolation,
                              Level::kStrongSnapshotIsolation}) {
      for (const bool timestamps : {false, true}) {
        const auto use = timestamps ? OracleEvidence::kTimestamps : OracleEvidence::kNone;
        const OracleVerdict verdict = oracle(h, level, use);
        if (verdict == OracleVerdict::kNotApplicable) continue;  // predicates on lists; faults
        ASSERT_EQ(verdict == OracleVerdict::kSatisfied, literally(h, level, timestamps))
            << info(level).name << (timestamps ? " by timestamps\n" : "\n") << native_text(h);
      }
    }
  }
}

}  // namespace literal_test
}  // namespace isolde
