// Every engine, at every level it claims, agrees with the oracle on random tiny histories (DESIGN, rule 6), and what it
// answers is proved from the raw history.
//
// A new engine adds one row to kEngines: which evidence its verdict is about. The report has how often each level was
// answered which way (the properties named like levels).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>

#include "anomaly/level.h"
#include "check/choose/engines.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"
#include "tests/support/shrink.h"

namespace isolde {
namespace conformance_test {

constexpr int kShards = 10;
// What each engine decides at each level that it claims, in all shards. Each engine has histories of its own, so that
// `./dev test` compares engines with the oracle on 70,000 here, 50,000 in predicates_test.cc and 60,000 in
// version_evidence_test.cc: at least 100,000 (DESIGN, rule 6), each at up to 14 levels.
constexpr std::uint64_t kHistories = 10'000;
constexpr OracleEvidence kAllVersions =
    OracleEvidence::kVersions | OracleEvidence::kCommitOrder | OracleEvidence::kSnapshots;

// Every committed transaction has both timestamps, no two transactions share one, and nothing is unknown.
bool fully_stamped(const History& h, Level) {
  if (!h.columns().predicates.empty()) return false;  // whether they found all rows is not judged yet
  std::set<std::int64_t> taken;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId id{t};
    if (h.status(id) == Status::kUnknown) return false;
    if (h.status(id) == Status::kAborted) continue;
    const std::int64_t start = h.start_ts(id);
    const std::int64_t commit = h.commit_ts(id);
    if (start == kNoTime || commit == kNoTime || !taken.insert(start).second) return false;
    if (start != commit && !taken.insert(commit).second) return false;
  }
  return true;
}
// Every committed transaction has its timestamps; start_ts will do where it wrote nothing.
bool all_stamped(const History& h) {
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId id{t};
    if (h.status(id) == Status::kAborted) continue;
    bool writes = false;
    for (std::uint32_t i = h.first_op(id); i < h.end_op(id); ++i) writes |= h.op(i).kind() != OpKind::kRead;
    if (h.start_ts(id) == kNoTime || (writes && h.commit_ts(id) == kNoTime)) return false;
  }
  return true;
}
// Every committed transaction has its own place in the expected order, and nothing is unknown.
bool fully_ordered(const History& h, Level) {
  if (!h.columns().predicates.empty()) return false;
  std::set<std::int64_t> taken;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId id{t};
    if (h.status(id) == Status::kUnknown) return false;
    if (h.status(id) == Status::kCommitted && (h.order(id) == kNoTime || !taken.insert(h.order(id)).second))
      return false;
  }
  return true;
}
// Registers whose values are written once, and nothing unknown.
bool traceable(const History& h, bool with_unknown = false) {
  std::set<std::pair<KeyId, ValueId>> written;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kUnknown && !with_unknown) return false;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      const OpHead op = h.op(i);
      if (op.kind() == OpKind::kRead) continue;
      if (op.kind() != OpKind::kWrite || h.op_value(i) == h.initial(op.key())) return false;
      if (!written.emplace(op.key(), h.op_value(i)).second) return false;
    }
  }
  return true;
}
// Each key's order of versions is given whole, or what is known of each key by itself leaves one.
bool versions_known(const History& h, Level level) {
  if (!traceable(h)) return false;
  // Where every point in time is known the verdict is about these; equal ones may leave a choice.
  if (info(level).family == LevelFamily::kSnapshot && all_stamped(h)) return fully_stamped(h, level);
  if (one_version_order_left(h, level, kAllVersions)) return true;
  std::map<std::pair<KeyId, ValueId>, TxnId> written;
  std::set<std::pair<KeyId, TxnId>> open;  // versions without a place
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() != OpKind::kWrite) continue;
      written.emplace(std::pair(h.op(i).key(), h.op_value(i)), TxnId{t});
      if (h.status(TxnId{t}) == Status::kCommitted) open.emplace(h.op(i).key(), TxnId{t});
    }
  }
  for (const VersionOrder& order : h.columns().version_orders) {
    if (order.complete == 0) continue;
    for (const std::uint32_t entry : h.columns().version_entries.subspan(order.first, order.count)) {
      const auto by_value = written.find({order.key, ValueId{entry}});
      if (order.by_txn != 0) open.erase({order.key, TxnId{entry}});
      if (order.by_txn == 0 && by_value != written.end()) open.erase({order.key, by_value->second});
    }
  }
  return open.empty();
}
// Registers, whatever their values; nothing unknown; version orders that name each version once.
bool solvable(const History& h, Level) {
  std::set<std::pair<KeyId, ValueId>> written;
  bool repeated = false;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kUnknown) return false;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      const OpHead op = h.op(i);
      if (op.kind() == OpKind::kRead) continue;
      if (op.kind() != OpKind::kWrite) return false;
      repeated |= !written.emplace(op.key(), h.op_value(i)).second || h.op_value(i) == h.initial(op.key());
    }
  }
  const auto& orders = h.columns().version_orders;
  return !repeated || std::all_of(orders.begin(), orders.end(), [](const VersionOrder& o) { return o.by_txn != 0; });
}
// Registers whose values are written once: at the levels with axioms reads and sessions tell the rest.
bool has_axioms(const History& h, Level level) {
  return level == Level::kCursorStability ? versions_known(h, level) : traceable(h, true);
}
// Nothing but items, and no list that was something else before.
bool searchable(const History& h, Level level) {
  if (!h.columns().predicates.empty()) return false;
  const auto& status = h.columns().status;
  // There it is not asked whether somebody saw one of unknown outcome.
  if (level == Level::kReadUncommitted && std::find(status.begin(), status.end(), Status::kUnknown) != status.end())
    return false;
  std::set<KeyId> lists, counters, scalars;
  std::set<std::pair<KeyId, ValueId>> written;
  bool repeated = false;  // then version orders by value may be read in too many ways
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    if (!h.values().elements(h.initial(KeyId{k}))) scalars.insert(KeyId{k});
  }
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    const OpHead op = h.op(i);
    if (is_item_write(op.kind())) repeated |= !written.emplace(op.key(), h.op_value(i)).second;
    if (op.kind() == OpKind::kAppend) lists.insert(op.key());
    if (op.kind() == OpKind::kIncrement) counters.insert(op.key());
    if (op.kind() == OpKind::kWrite && !h.values().elements(h.op_value(i))) scalars.insert(op.key());
  }
  const auto& orders = h.columns().version_orders;
  if (repeated && std::any_of(orders.begin(), orders.end(), [](const VersionOrder& o) { return o.by_txn == 0; }))
    return false;
  return std::none_of(lists.begin(), lists.end(), [&](KeyId k) { return counters.contains(k) || scalars.contains(k); });
}
bool never(const History&, Level) { return false; }

OracleEvidence by_order(const History&, const Verdict&) { return OracleEvidence::kOrder; }
OracleEvidence by_timestamps(const History&, const Verdict&) { return OracleEvidence::kTimestamps; }
OracleEvidence by_given(const History&, const Verdict&) { return OracleEvidence::kVersions; }
OracleEvidence by_nothing(const History&, const Verdict&) { return OracleEvidence::kNone; }
bool rests_on(const Verdict& verdict, Ground ground) {
  for (const Anomaly& a : verdict.anomalies) {
    for (const Step& s : a.steps) {
      if (s.ground == ground) return true;
    }
  }
  return false;
}
bool says(const Verdict& verdict, std::string_view note) {
  return std::find(verdict.notes.begin(), verdict.notes.end(), note) != verdict.notes.end();
}
// The version orders given; timestamps and snapshots only where a step rests on them, or where all points are known.
OracleEvidence by_versions(const History&, const Verdict& verdict) {
  if (says(verdict, "given the database's start and commit timestamps"))
    return OracleEvidence::kVersions | OracleEvidence::kTimestamps;
  if (says(verdict, "given the database's snapshots as version sets"))
    return OracleEvidence::kVersions | OracleEvidence::kSnapshotSets;
  return rests_on_the_database(verdict) ? kAllVersions : OracleEvidence::kVersions;
}

struct EngineRow {
  std::string_view name;
  OracleEvidence (*evidence)(const History& h, const Verdict& verdict);  // that the verdict is about
  bool (*must_decide)(const History& h, Level level);                    // when kUndecided is not allowed
  bool satisfies;                                                        // whether it ever says so
  bool guess = true;                                                     // EngineOptions::guess
  bool counters = false;                                                 // it is for these alone
};
std::string label(const EngineRow& row) { return std::string(row.name) + (row.guess ? "" : "_without_guessing"); }
[[maybe_unused]] void PrintTo(const EngineRow& row, std::ostream* out) { *out << label(row); }

constexpr EngineRow kEngines[] = {
    {"replay", by_order, fully_ordered, true},   {"timeline", by_timestamps, fully_stamped, true},
    {"weak", by_versions, has_axioms, true},     {"graph", by_versions, versions_known, true},
    {"solver", by_given, solvable, true},        {"solver", by_given, solvable, true, false},
    {"rules", by_nothing, never, false},         {"exhaustive", by_given, searchable, true},
    {"sums", by_given, never, true, true, true},
};

enum class Against : std::uint8_t { kOracle, kProof };

// Other histories for every engine and question.
std::uint64_t first_seed(Against against, const EngineRow& row, int shard) {
  std::uint64_t place = 0;
  while (label(kEngines[place]) != label(row)) ++place;
  return effort::seed(1000 * (1 + place + (against == Against::kProof ? std::size(kEngines) : 0)) +
                      static_cast<std::uint64_t>(shard));
}

struct Tally {
  std::uint64_t tried = 0, satisfied = 0, violated = 0, undecided = 0;
  std::uint64_t by_timestamps = 0, by_snapshots = 0;  // violated, given these
};

// What is wrong with the verdict; empty if it agrees with the oracle.
std::string disagreement(const Verdict& verdict, OracleVerdict truth, bool must_decide) {
  switch (verdict.outcome) {
    case Outcome::kSatisfied:
      return truth == OracleVerdict::kViolated ? "satisfied, but the oracle says violated" : "";
    case Outcome::kViolated:
      if (truth == OracleVerdict::kSatisfied) return "violated, but the oracle says satisfied";
      return verdict.anomalies.empty() || verdict.total() == 0 ? "violated without an anomaly" : "";
    case Outcome::kUndecided:
      if (verdict.reason.empty() || verdict.why_open == WhyOpen::kDecided) return "undecided without a reason";
      return must_decide ? "undecided, but everything needed is known" : "";
  }
  return "no outcome";
}

// What the proof cannot follow; empty if nothing.
std::string gap(const History& h, const Verdict& verdict) {
  const Result<void> proved = prove(h, verdict);
  return proved ? "" : std::string(name(verdict.outcome)) + ", but the proof fails: " + proved.error().message();
}

struct Finding {
  Outcome outcome = Outcome::kUndecided;
  std::string fault;  // empty: none
  bool by_timestamps = false, by_snapshots = false;
};

// Whoever reads a verdict that rests on what the database says is told so.
std::string unsaid(const Verdict& verdict) {
  const bool said = std::any_of(verdict.notes.begin(), verdict.notes.end(),
                                [](const std::string& note) { return note.starts_with("given the database's "); });
  return rests_on_the_database(verdict) && !said ? "rests on the database's word, and no note says so" : "";
}

Finding judge(Against against, const EngineRow& row, const Engine& engine, Level level, const History& h,
              OracleCase& oracle_case) {
  if (!engine.lacks(h, level).empty()) return {};
  const Verdict verdict = engine.check(h, level, Limits{}, {.guess = row.guess});
  Finding found{verdict.outcome, unsaid(verdict), rests_on(verdict, Ground::kTimestamps),
                rests_on(verdict, Ground::kSnapshot)};
  if (!found.fault.empty()) return found;
  found.fault = against == Against::kProof
                    ? gap(h, verdict)
                    : disagreement(verdict, oracle_case(level, row.evidence(h, verdict)), row.must_decide(h, level));
  return found;
}

// Takes histories until each level that the engine claims has had its share; stops at the first fault.
void compare(Against against, const EngineRow& row, int shard) {
  const std::uint64_t target = effort::tries(kHistories / kShards);
  const std::uint64_t seed = first_seed(against, row, shard);
  const Engine* const engine = engine_named(row.name);
  ASSERT_NE(engine, nullptr) << row.name;
  Rng rng(seed);
  std::array<Tally, kLevelCount> tally{};
  // Histories that lack the evidence do not count; an engine that never has it for a level does not claim the level.
  for (std::uint64_t i = 0; i < 1000 + 20 * target; ++i) {
    RandomOptions options;
    if (row.counters) options.data = RandomOptions::Data::kCounters;
    if (i % 4 == 3) options.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
    if (i % 4 == 2) options.unknown = options.aborted = 0;
    if (i % 5 == 4) options.registers_only = true;
    if (i % 7 == 6) options.overwrites = 1;
    if (i % 10 == 9) {
      options.blind = true;
      options.max_txns = kOracleMaxTxns;
    }
    Draft draft = random_draft(rng, options);
    if (row.counters) draft.versions.clear();
    const History h = draft.build();
    OracleCase truth(h);
    for (const LevelInfo& level : all_levels()) {
      Tally& count = tally[static_cast<std::size_t>(level.level)];
      if (count.tried >= target || !engine->lacks(h, level.level).empty()) continue;
      const Finding found = judge(against, row, *engine, level.level, h, truth);
      if (row.satisfies && found.outcome == Outcome::kUndecided && found.fault.empty()) {
        ++count.undecided;  // leaves nothing to compare; another history takes its turn
        continue;
      }
      ++count.tried;
      count.satisfied += found.outcome == Outcome::kSatisfied ? 1 : 0;
      count.violated += found.outcome == Outcome::kViolated ? 1 : 0;
      count.undecided += found.outcome == Outcome::kUndecided ? 1 : 0;
      count.by_timestamps += found.by_timestamps ? 1 : 0;
      count.by_snapshots += found.by_snapshots ? 1 : 0;
      if (found.fault.empty()) continue;
      const auto finding_of = [&](const History& history) {
        OracleCase other(history);
        return judge(against, row, *engine, level.level, history, other);
      };
      const auto still = [&](const Draft& d) {
        const Finding now = finding_of(d.build());
        return !now.fault.empty() && now.outcome == found.outcome;
      };
      const History small = shrink(draft, still).build();
      FAIL() << label(row) << " at " << level.name << ", seed " << seed << ", history " << i << ": " << found.fault
             << "\n"
             << native_text(h) << "smallest: " << finding_of(small).fault << "\n"
             << native_text(small);
    }
    bool enough = i > 200;
    for (const Tally& count : tally) enough &= count.tried == 0 || count.tried >= target;
    if (enough) break;
  }
  for (const LevelInfo& level : all_levels()) {
    const Tally& count = tally[static_cast<std::size_t>(level.level)];
    if (count.tried == 0) continue;
    const std::string text =
        fmt::format("{} satisfied, {} violated ({} by timestamps, {} by snapshots), {} undecided", count.satisfied,
                    count.violated, count.by_timestamps, count.by_snapshots, count.undecided);
    ::testing::Test::RecordProperty(std::string(level.name), text);
    EXPECT_GE(count.tried, target) << row.name << " at " << level.name;
    if (!row.satisfies) continue;
    EXPECT_TRUE(effort::reaches(0.1, count.satisfied, count.tried)) << row.name << " at " << level.name << ": " << text;
    // Few histories overwrite in a cycle, which is all that read-uncommitted forbids.
    const double least = level.level == Level::kReadUncommitted ? 0.02 : 0.1;
    EXPECT_TRUE(effort::reaches(least, count.violated, count.tried))
        << row.name << " at " << level.name << ": " << text;
  }
}

class Conformance : public ::testing::TestWithParam<std::tuple<EngineRow, int>> {};

TEST_P(Conformance, AgreesWithTheOracle) {
  compare(Against::kOracle, std::get<0>(GetParam()), std::get<1>(GetParam()));
}
TEST_P(Conformance, IsProved) { compare(Against::kProof, std::get<0>(GetParam()), std::get<1>(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Engines, Conformance,
                         ::testing::Combine(::testing::ValuesIn(kEngines), ::testing::Range(0, kShards)),
                         [](const ::testing::TestParamInfo<Conformance::ParamType>& each) {
                           return fmt::format("{}_{}", label(std::get<0>(each.param)), std::get<1>(each.param));
                         });

TEST(ConformanceTable, EveryEngineHasItsRow) {
  for (const Engine& engine : engines()) {
    if (engine.given == Given::kProfile) continue;  // judges by a profile, not by a level: tests/mirror
    bool found = false;
    for (const EngineRow& row : kEngines) found |= row.name == engine.name;
    EXPECT_TRUE(found) << engine.name << " is not compared with the oracle: add its row to kEngines";
  }
}

}  // namespace conformance_test
}  // namespace isolde
