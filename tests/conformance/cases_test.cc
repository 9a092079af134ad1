// Proof by cases against the oracle: of a tiny history every cycle of every choice is made a case. The proof accepts
// them exactly if the level is violated; and whatever else is put in a case, it never accepts a refutation of what
// holds.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "proof/committed.h"
#include "proof/operations.h"
#include "proof/possible_writers.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/order_levels.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace cases_test {

// All steps that could be part of a cycle: known ones, and each way to choose.
std::vector<Step> all_steps(const History& h, Level level, const std::vector<bool>& counted) {
  const auto counts = [&](TxnId t) { return h.status(t) != Status::kAborted; };
  const auto in_doubt = [&](TxnId t) { return t != kNoTxn && !counted[raw(t)]; };
  std::vector<Step> out;
  const AddedOrder added = info(level).order;
  const auto txns = h.txn_count();
  std::vector<proof::ReadAt> reads;
  for (std::uint32_t t = 0; t < txns; ++t) {
    if (!counts(TxnId{t})) continue;
    for (const proof::Touch& touch : proof::touches(h, TxnId{t})) {
      if (touch.kind == OpKind::kRead) reads.push_back({TxnId{t}, touch.op, touch.key});
    }
    for (std::uint32_t u = 0; u < txns; ++u) {
      if (u == t || !counts(TxnId{u})) continue;
      const TxnId a{t}, b{u};
      if (added != AddedOrder::kNone && t < u && h.session(a) == h.session(b))
        out.push_back({StepType::kSession, a, b});
      if (added == AddedOrder::kRealTime && h.status(a) == Status::kCommitted && h.end(a) != kNoTime &&
          h.begin(b) != kNoTime && h.end(a) < h.begin(b))
        out.push_back({StepType::kRealtime, a, b});
      for (const KeyId key : proof::keys_written(proof::touches(h, a))) {
        if (!proof::writes(h, b, key)) continue;
        out.push_back({StepType::kWw, a, b, key, kNoOp, kNoOp, Ground::kAssumed});
        break;
      }
    }
  }
  const proof::PossibleWriters writers(h, reads);
  for (const proof::ReadAt& read : reads) {
    const std::vector<TxnId>* const possible = writers.of(read.op, read.key);
    if (possible == nullptr) continue;
    for (const TxnId w : *possible) {
      if (w != kNoTxn && !counts(w)) continue;
      if (w != kNoTxn) {
        const Ground ground =
            possible->size() > 1 || in_doubt(w) || in_doubt(read.txn) ? Ground::kAssumed : Ground::kReads;
        out.push_back({StepType::kWr, w, read.txn, read.key, kNoOp, read.op, ground});
      }
      for (std::uint32_t u = 0; u < txns; ++u) {
        if (TxnId{u} == read.txn || TxnId{u} == w || !counts(TxnId{u}) || !proof::writes(h, TxnId{u}, read.key))
          continue;
        const bool is_known = w == kNoTxn && possible->size() == 1 && !in_doubt(read.txn) && !in_doubt(TxnId{u});
        out.push_back({StepType::kRw, read.txn, TxnId{u}, read.key, read.op, kNoOp,
                       is_known ? Ground::kReads : Ground::kAssumed, w});
      }
    }
  }
  return out;
}

bool may_follow(Level level, const Step& first, const Step& second) {
  const LevelFamily family = info(level).family;
  if (second.type != StepType::kRw || (family != LevelFamily::kSnapshot && family != LevelFamily::kPrefix)) return true;
  return first.type != StepType::kRw && !(family == LevelFamily::kPrefix && first.type == StepType::kWw);
}

// Every cycle in which each transaction stands once, with the least of them first.
void cycles(const std::vector<Step>& steps, Level level, std::vector<Step>& path, std::vector<Case>& out) {
  for (const Step& s : steps) {
    if (out.size() > 20'000) return;
    if (!path.empty() && (s.from != path.back().to || s.to < path[0].from || !may_follow(level, path.back(), s)))
      continue;
    if (path.empty() && s.to < s.from) continue;
    if (!path.empty() && s.to == path[0].from) {
      if (!may_follow(level, s, path[0])) continue;
      out.push_back({path});
      out.back().steps.push_back(s);
      continue;
    }
    if (std::any_of(path.begin(), path.end(), [&](const Step& p) { return p.from == s.to || p.to == s.to; })) continue;
    path.push_back(s);
    cycles(steps, level, path, out);
    path.pop_back();
  }
}

Verdict refutation(const History& h, Level level, std::vector<Case> cases) {
  Verdict v;
  v.outcome = Outcome::kViolated;
  v.level = level;
  v.method = "solver";
  Anomaly a;
  a.kind = AnomalyKind::kNoOrder;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) a.transactions.push_back(TxnId{t});
  a.cases = std::move(cases);
  v.anomalies.push_back(std::move(a));
  return v;
}

void change(Rng& rng, const History& h, Step& s) {
  const auto any = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(rng.below(bound + 1U)); };
  const auto may_be = [&](std::uint32_t n) { return n == 0 ? kNone32 : n - 1; };
  switch (rng.below(8)) {
    case 0:
      s.type = static_cast<StepType>(rng.below(10));
      break;
    case 1:
      s.from = TxnId{any(h.txn_count() - 1)};
      break;
    case 2:
      s.to = TxnId{any(h.txn_count() - 1)};
      break;
    case 3:
      s.key = KeyId{may_be(any(h.key_count()))};
      break;
    case 4:
      s.from_op = OpId{may_be(any(h.op_count()))};
      break;
    case 5:
      s.to_op = OpId{may_be(any(h.op_count()))};
      break;
    case 6:
      s.ground = static_cast<Ground>(rng.below(10));
      break;
    default:
      s.source = TxnId{may_be(any(h.txn_count()))};
      break;
  }
}

struct Tally {
  std::uint64_t violated = 0, satisfied = 0;
};

void compare(Rng& rng, const RandomOptions& options, Tally& tally) {
  const History h = random_history(rng, options);
  if (h.txn_count() == 0 || h.txn_count() > kOracleMaxTxns) return;
  // What is wrong with single reads, others tell.
  if (oracle(h, Level::kReadCommitted) != OracleVerdict::kSatisfied) return;
  for (const Level level : kOrderLevels) {
    const OracleVerdict truth = oracle(h, level);
    std::vector<Case> cases;
    std::vector<Step> path;
    const std::vector<bool> counted = proof::Committed(h, refutation(h, level, {})).counted();
    cycles(all_steps(h, level, counted), level, path, cases);
    if (cases.empty() || cases.size() > 20'000) {
      EXPECT_TRUE(!cases.empty() || truth == OracleVerdict::kSatisfied) << info(level).name << '\n' << native_text(h);
      continue;
    }
    const auto proof = prove(h, refutation(h, level, cases));
    const std::string says = proof ? "" : proof.error().message();
    if (truth == OracleVerdict::kViolated) {
      EXPECT_EQ(says, "") << info(level).name << '\n' << native_text(h);
      ++tally.violated;
      continue;
    }
    EXPECT_TRUE(says.ends_with("leave a way to choose")) << says << ' ' << info(level).name << '\n' << native_text(h);
    ++tally.satisfied;
    if (!h.columns().version_orders.empty()) continue;  // which a ground may name
    for (int i = 0; i < 30; ++i) {
      std::vector<Case> changed = cases;
      auto& steps = changed[rng.below(changed.size())].steps;
      for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) change(rng, h, steps[rng.below(steps.size())]);
      // Timestamps and snapshots are the database's word.
      const bool by_level = std::none_of(steps.begin(), steps.end(), [](const Step& s) {
        return s.ground == Ground::kTimestamps || s.ground == Ground::kSnapshot;
      });
      if (by_level) {
        EXPECT_FALSE(prove(h, refutation(h, level, changed))) << info(level).name << '\n' << native_text(h);
      }
    }
  }
}

TEST(Cases, AllCyclesOfAllChoicesAreAProofExactlyIfTheLevelIsViolated) {
  const std::uint64_t histories = effort::tries(1'000);
  Rng rng(effort::seed(1));
  Tally tally;
  for (std::uint64_t i = 0; i < histories; ++i) {
    compare(rng, {.max_txns = 4, .max_ops = 3, .aborted = 0.05, .unknown = 0.1, .registers_only = true}, tally);
  }
  RecordProperty("violated", std::to_string(tally.violated));
  RecordProperty("satisfied", std::to_string(tally.satisfied));
  // A history has up to eight answers, which are much alike: what is asked of them is far below the usual.
  EXPECT_TRUE(effort::reaches(0.25, tally.violated, histories)) << tally.violated;
  EXPECT_TRUE(effort::reaches(0.25, tally.satisfied, histories)) << tally.satisfied;
}

TEST(Cases, BlindWritersLeaveTheOrderOpen) {
  const std::uint64_t histories = effort::tries(750);
  Rng rng(effort::seed(2));
  Tally tally;
  for (std::uint64_t i = 0; i < histories; ++i) {
    compare(
        rng,
        {.max_txns = 5, .max_keys = 2, .max_ops = 3, .aborted = 0, .unknown = 0, .registers_only = true, .blind = true},
        tally);
  }
  RecordProperty("violated", std::to_string(tally.violated));
  RecordProperty("satisfied", std::to_string(tally.satisfied));
  EXPECT_TRUE(effort::reaches(1.0 / 6, tally.violated, histories)) << tally.violated;
  EXPECT_TRUE(effort::reaches(1.0 / 6, tally.satisfied, histories)) << tally.satisfied;
}

}  // namespace cases_test
}  // namespace isolde
