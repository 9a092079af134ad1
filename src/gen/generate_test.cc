#include "gen/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "history/history.h"
#include "history/predicate_set.h"
#include "tests/support/effort.h"
#include "tests/support/replayer.h"

namespace isolde {
namespace generate_test {

Generated made(const GenOptions& options) {
  Result<Generated> result = generate(options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message());
  return *std::move(result);
}

std::string text(const replayer::Broken& broken) {
  std::string out;
  for (const auto& [level, why] : broken) out += std::to_string(static_cast<int>(level)) + ": " + why + "; ";
  return out;
}

GenOptions small(std::uint64_t seed) {
  GenOptions o;
  o.transactions = 500;
  o.sessions = 8;
  o.ops = 6;
  o.keys = 20;
  o.seed = seed;
  return o;
}

TEST(Generate, TheSameSeedGivesTheSameHistory) {
  for (const DataType type : {DataType::kRegister, DataType::kList, DataType::kRow}) {
    GenOptions o = small(9);
    o.type = type;
    o.plants = {{PlantKind::kLostUpdate, 0.05}, {PlantKind::kG1a, 0.05}};
    o.abort_share = 0.1;
    o.unknown_share = 0.1;
    o.evidence = {true, true, true, true, true, type == DataType::kRow};
    EXPECT_EQ(difference(made(o).history, made(o).history), "");
    GenOptions other = o;
    other.seed = 10;
    EXPECT_NE(difference(made(o).history, made(other).history), "");
  }
}

// If this fails on a new machine or compiler, histories are not reproducible there.
TEST(Generate, TheSameSeedGivesTheSameHistoryOnEveryMachine) {
  const auto print = [](const History& h) {
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < h.op_count(); ++i) hash = mix64(hash ^ h.op(i).word()) + raw(h.op_value(i));
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      hash = mix64(hash ^ static_cast<std::uint64_t>(h.begin(TxnId{t}))) +
             static_cast<std::uint64_t>(h.commit_ts(TxnId{t}));
    }
    return hash;
  };
  GenOptions o;
  o.transactions = 2000;
  EXPECT_EQ(print(made(o).history), 566897192073550204U);
  o.distribution = Distribution::kUniform;
  EXPECT_EQ(print(made(o).history), 13811392656103213548U);
}

TEST(Generate, EvidenceDoesNotChangeWhatHappens) {
  GenOptions full = small(4);
  full.level = Level::kSerializable;
  full.evidence = {true, true, true, true, true, false};
  GenOptions bare = full;
  bare.evidence = {false, false, false, false, false, false};
  const History a = made(full).history;
  const History b = made(bare).history;
  ASSERT_EQ(a.op_count(), b.op_count());
  for (std::uint32_t i = 0; i < a.op_count(); ++i) {
    ASSERT_EQ(a.op(i).word(), b.op(i).word());
    ASSERT_EQ(a.op_value(i), b.op_value(i));
  }
  EXPECT_TRUE(b.columns().begin.empty());
  EXPECT_TRUE(b.columns().start_ts.empty());
  EXPECT_TRUE(b.columns().order.empty());
  EXPECT_TRUE(b.columns().op_before.empty());
  EXPECT_TRUE(b.columns().version_orders.empty());
  EXPECT_FALSE(b.has_flag(kSerialByCommitTs));
  EXPECT_TRUE(a.has_flag(kSerialByCommitTs));
}

// Sizes, distributions, types, levels and shares, over many seeds: all valid, by a judge of its own.
TEST(Generate, EveryHistoryIsValidAtItsLevel) {
  const std::uint64_t rounds = effort::tries(600);
  Rng rng(effort::seed(2024));
  std::uint64_t skewed = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    GenOptions o;
    o.seed = rng.next();
    o.transactions = 1 + rng.below(300);
    o.sessions = 1 + static_cast<std::uint32_t>(rng.below(12));
    o.ops = 1 + static_cast<std::uint32_t>(rng.below(12));
    o.keys = 1 + static_cast<std::uint32_t>(rng.below(40));
    o.distribution = static_cast<Distribution>(rng.below(3));
    o.read_share = static_cast<double>(rng.below(5)) / 4;
    o.level = rng.chance(0.5) ? Level::kStrictSerializable : Level::kStrongSnapshotIsolation;
    constexpr DataType kTypes[] = {DataType::kRegister, DataType::kRegister, DataType::kList, DataType::kRow};
    o.type = kTypes[rng.below(4)];
    o.predicate_share = static_cast<double>(rng.below(5)) / 4;
    o.selectivity = rng.chance(0.5) ? 0.05 : 0.4;
    o.repeated_values = o.type == DataType::kRegister && rng.chance(0.3);
    o.max_list = 1 + static_cast<std::uint32_t>(rng.below(10));
    o.overlap = 1 + static_cast<double>(rng.below(6));
    if (rng.chance(0.5)) o.abort_share = 0.3;
    // With repeated values nobody can tell which unknown transaction was seen.
    if (rng.chance(0.5) && !o.repeated_values) o.unknown_share = 0.2;
    const bool vsets = o.type == DataType::kRow && rng.chance(0.5);
    o.evidence = {true, true, rng.chance(0.5), rng.chance(0.5), rng.chance(0.5), vsets};
    if (rng.chance(0.3)) o.evidence.versions_share = 0.5;
    if (rng.chance(0.3) && o.type != DataType::kRow) o.rmw_share = (1 - o.read_share) / 2;
    o.shuffled = rng.chance(0.3);
    const Generated g = made(o);
    ASSERT_EQ(g.history.txn_count(), o.transactions);
    ASSERT_GE(g.history.op_count(), o.transactions * o.ops);
    ASSERT_LE(g.history.op_count(), o.transactions * o.ops * (o.rmw_share > 0 ? 2 : 1));
    ASSERT_EQ(defect_of(g.history.columns()), "");
    ASSERT_EQ(PredicateSet(g.history).defect(), "");
    replayer::Broken broken = replayer::broken_by_timestamps(g.history);
    if (o.level == Level::kStrongSnapshotIsolation) {
      skewed += broken.contains(Level::kSerializable) ? 1 : 0;
      for (const Level level : {Level::kSerializable, Level::kStrongSessionSerializable, Level::kStrictSerializable}) {
        broken.erase(level);
      }
    }
    ASSERT_TRUE(broken.empty()) << "seed " << o.seed << " round " << round << ": " << text(broken);
  }
  // Snapshot isolation is not generated as serializability by the back door.
  EXPECT_TRUE(effort::reaches(1.0 / 15, skewed, rounds)) << skewed << " of " << rounds;
}

TEST(Generate, TimestampsAreUniqueAndOnlyReadOnlyTransactionsHaveBothAlike) {
  const History h = made(small(2)).history;
  std::set<std::int64_t> seen;
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    bool writes = false;
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) writes |= is_item_write(h.op(op).kind());
    EXPECT_TRUE(seen.insert(h.start_ts(t)).second);
    if (writes) {
      EXPECT_TRUE(seen.insert(h.commit_ts(t)).second);
    } else {
      EXPECT_EQ(h.start_ts(t), h.commit_ts(t));
    }
  }
}

TEST(Generate, SessionsRunOneTransactionAtATimeAndAllAreUsedEvenly) {
  GenOptions o;
  o.transactions = 10'000;
  const History h = made(o).history;
  std::map<SessionId, std::int64_t> last_end;
  std::map<SessionId, int> count;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const SessionId s = h.session(TxnId{t});
    if (last_end.contains(s)) {
      ASSERT_LT(last_end[s], h.begin(TxnId{t}));
    }
    ASSERT_LT(h.begin(TxnId{t}), h.end(TxnId{t}));
    last_end[s] = h.end(TxnId{t});
    ++count[s];
  }
  ASSERT_EQ(count.size(), 50U);
  for (const auto& [s, n] : count) EXPECT_NEAR(n, 200, 60);
}

TEST(Generate, TransactionsOverlapAndAbortsStayTolerable) {
  for (const Distribution d : {Distribution::kUniform, Distribution::kZipf, Distribution::kHotspot}) {
    for (const Level level : {Level::kSnapshotIsolation, Level::kSerializable}) {
      GenOptions o;
      o.distribution = d;
      o.level = level;
      const GenStats stats = made(o).stats;
      EXPECT_GE(stats.overlap, 2);
      EXPECT_LE(stats.overlap, 4.01);
      EXPECT_LT(stats.attempts, 4 * o.transactions);
    }
  }
}

TEST(Generate, SharesAreAsAsked) {
  GenOptions o;
  o.transactions = 20'000;
  o.read_share = 0.7;
  o.abort_share = 0.1;
  o.unknown_share = 0.05;
  o.distribution = Distribution::kHotspot;
  const History h = made(o).history;
  double reads = 0;
  double hot = 0;
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    reads += h.op(i).kind() == OpKind::kRead ? 1 : 0;
    hot += raw(h.columns().key_name[raw(h.op(i).key())]) < 200 ? 1 : 0;
  }
  std::map<Status, double> status;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    status[h.status(TxnId{t})] += 1.0 / 20'000;
    if (h.status(TxnId{t}) == Status::kAborted) {
      EXPECT_EQ(h.commit_ts(TxnId{t}), kNoTime);
    }
    if (h.status(TxnId{t}) == Status::kUnknown) {
      EXPECT_EQ(h.end(TxnId{t}), kNoTime);
    }
  }
  EXPECT_NEAR(reads / h.op_count(), 0.7, 0.01);
  EXPECT_NEAR(hot / h.op_count(), 0.8, 0.01);
  EXPECT_NEAR(status[Status::kAborted], 0.1, 0.001);
  EXPECT_NEAR(status[Status::kUnknown], 0.05, 0.01);
}

TEST(Generate, RegistersHoldEachValueOnceUnlessRepeatedOnesAreAskedFor) {
  GenOptions o = small(6);
  std::set<std::uint32_t> values;
  const History unique = made(o).history;
  for (std::uint32_t i = 0; i < unique.op_count(); ++i) {
    if (unique.op(i).kind() == OpKind::kWrite) {
      EXPECT_TRUE(values.insert(raw(unique.op_value(i))).second);
    }
  }
  EXPECT_EQ(*values.begin(), 1U);
  EXPECT_EQ(*values.rbegin(), values.size());
  o.repeated_values = true;
  values.clear();
  const History repeated = made(o).history;
  for (std::uint32_t i = 0; i < repeated.op_count(); ++i) {
    if (repeated.op(i).kind() == OpKind::kWrite) values.insert(raw(repeated.op_value(i)));
  }
  EXPECT_LE(values.size(), 10U);
}

TEST(Generate, ListsAreRetiredWhenLong) {
  GenOptions o = small(6);
  o.type = DataType::kList;
  o.max_list = 8;
  o.transactions = 3000;
  const History h = made(o).history;
  std::size_t longest = 0;
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    if (h.op(i).kind() == OpKind::kRead) longest = std::max(longest, h.values().elements(h.op_value(i))->size());
  }
  EXPECT_GE(longest, 7U);
  EXPECT_LT(longest, 8U + o.ops);
  EXPECT_GT(h.key_count(), 3000U * 3 / 16);
}

// For every key: the final writes of committed transactions, in the order of their commit timestamps.
TEST(Generate, AReadModifyWriteReadsAKeyAndThenWritesIt) {
  for (const auto& [reads, rmw] : {std::pair(0.25, 0.5), std::pair(0.1, 0.1), std::pair(0.0, 1.0)}) {
    for (const DataType type : {DataType::kRegister, DataType::kList}) {
      GenOptions o;
      o.transactions = 5'000;
      o.ops = 8;
      o.distribution = Distribution::kUniform;
      o.keys = 10'000;
      o.read_share = reads;
      o.rmw_share = rmw;
      o.type = type;
      const History h = made(o).history;
      double both = 0, writes = 0;
      for (std::uint32_t i = 0; i < h.op_count(); ++i) {
        if (h.op(i).kind() == OpKind::kRead) continue;
        const bool after_read = i > 0 && h.op(i - 1).kind() == OpKind::kRead && h.op(i - 1).key() == h.op(i).key();
        (after_read ? both : writes) += 1;
      }
      const double all = 5'000 * 8;
      EXPECT_NEAR(both / all, rmw, 0.01);
      EXPECT_NEAR(writes / all, 1 - reads - rmw, 0.01);
      EXPECT_NEAR(h.op_count() / all, 1 + rmw, 0.01);
    }
  }
}

TEST(Generate, AShareOfTheVersionsIsLeftInTheirOrder) {
  for (const bool repeated : {false, true}) {
    GenOptions o = small(5);
    o.transactions = 5'000;
    o.evidence.versions = true;
    o.repeated_values = repeated;
    const History whole = made(o).history;
    o.evidence.versions_share = 0.9;
    const History some = made(o).history;
    const double left = static_cast<double>(some.columns().version_entries.size());
    EXPECT_NEAR(left / static_cast<double>(whole.columns().version_entries.size()), 0.9, 0.02);
    for (const VersionOrder& order : some.columns().version_orders) {
      EXPECT_EQ(order.complete, 0);
      const auto& all = whole.columns().version_orders;
      const auto of = std::ranges::find_if(all, [&](const VersionOrder& w) { return w.key == order.key; });
      ASSERT_NE(of, all.end());
      const auto entries = some.columns().version_entries.subspan(order.first, order.count);
      auto next = whole.columns().version_entries.subspan(of->first, of->count);
      for (const std::uint32_t entry : entries) {
        const auto at = std::ranges::find(next, entry);
        ASSERT_NE(at, next.end());
        next = next.subspan(static_cast<std::size_t>(at - next.begin()) + 1);
      }
    }
    o.evidence.versions_share = 0;
    EXPECT_TRUE(made(o).history.columns().version_orders.empty());
  }
}

// By session: what its transactions did, with their times.
std::map<std::string, std::vector<std::string>> by_session(const History& h) {
  std::map<std::string, std::vector<std::string>> out;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    std::string what = std::to_string(static_cast<int>(h.status(txn))) + " " + std::to_string(h.begin(txn)) + " " +
                       std::to_string(h.start_ts(txn)) + " " + std::to_string(h.commit_ts(txn));
    for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
      const History::Interval at = h.at(txn, OpId{i});
      what += " " + std::to_string(static_cast<int>(h.op(i).kind())) + h.key_text(h.op(i).key()) + "=" +
              h.value_text(h.op_value(i)) + "@" + std::to_string(at.before) + "-" + std::to_string(at.after);
    }
    out[h.session_text(h.session(txn))].push_back(std::move(what));
  }
  return out;
}

TEST(Generate, ShuffledLinesTellOnlyTheOrderWithinSessions) {
  for (const bool repeated : {false, true}) {
    GenOptions o = small(6);
    o.transactions = 2'000;
    o.evidence = {true, true, true, true, false, false};
    o.repeated_values = repeated;
    o.abort_share = 0.1;
    o.plants = {{PlantKind::kG1a, 0, 3}};
    const Generated lines = made(o);
    o.shuffled = true;
    const Generated other = made(o);
    EXPECT_EQ(defect_of(other.history.columns()), "");
    EXPECT_EQ(by_session(lines.history), by_session(other.history));
    const auto commit_times = [](const History& h) {
      std::int64_t falls = 0, last = 0;
      for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
        if (h.commit_ts(TxnId{t}) == kNoTime) continue;
        falls += h.commit_ts(TxnId{t}) < last ? 1 : 0;
        last = h.commit_ts(TxnId{t});
      }
      return falls;
    };
    EXPECT_GT(commit_times(other.history), 700);
    ASSERT_EQ(lines.planted.size(), 3U);
    for (std::size_t g = 0; g < 3; ++g) {
      for (std::size_t i = 0; i < lines.planted[g].transactions.size(); ++i) {
        EXPECT_EQ(lines.history.begin(lines.planted[g].transactions[i]),
                  other.history.begin(other.planted[g].transactions[i]));
      }
    }
    // Orders by transaction name the same transactions.
    ASSERT_EQ(lines.history.columns().version_orders.size(), other.history.columns().version_orders.size());
    for (std::size_t k = 0; repeated && k < lines.history.columns().version_entries.size(); ++k) {
      ASSERT_EQ(lines.history.begin(TxnId{lines.history.columns().version_entries[k]}),
                other.history.begin(TxnId{other.history.columns().version_entries[k]}));
    }
  }
}

TEST(Generate, VersionOrdersFollowCommits) {
  for (const bool by_txn : {false, true}) {
    GenOptions o = small(8);
    o.evidence.versions = true;
    o.abort_share = 0.1;
    o.type = by_txn ? DataType::kList : DataType::kRegister;
    const History h = made(o).history;
    std::vector<TxnId> by_commit;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      if (h.status(TxnId{t}) == Status::kCommitted) by_commit.push_back(TxnId{t});
    }
    std::ranges::sort(by_commit, {}, [&](TxnId t) { return h.commit_ts(t); });
    std::map<KeyId, std::vector<std::uint32_t>> expected;
    for (const TxnId t : by_commit) {
      std::map<KeyId, std::uint32_t> final;
      for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
        if (h.op(i).kind() != OpKind::kRead) final[h.op(i).key()] = by_txn ? raw(t) : raw(h.op_value(i));
      }
      for (const auto& [key, entry] : final) expected[key].push_back(entry);
    }
    ASSERT_EQ(h.columns().version_orders.size(), expected.size());
    for (const VersionOrder& order : h.columns().version_orders) {
      EXPECT_EQ(order.by_txn != 0, by_txn);
      EXPECT_TRUE(order.complete != 0);
      const auto entries = h.columns().version_entries.subspan(order.first, order.count);
      EXPECT_EQ(std::vector<std::uint32_t>(entries.begin(), entries.end()), expected[order.key]);
    }
  }
}

GenOptions rows(std::uint64_t seed) {
  GenOptions o = small(seed);
  o.type = DataType::kRow;
  o.transactions = 4000;
  o.ops = 5;
  o.keys = 100;
  o.distribution = Distribution::kUniform;
  return o;
}

// Emme's mix: half of the operations are predicates, a tenth of all inserts, the rest half reads and half updates.
TEST(Generate, RowsHaveTheSharesOfPredicatesReadsAndMatchesThatWereAsked) {
  const History h = made(rows(3)).history;
  std::map<OpKind, double> share;
  double found = 0;
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    share[h.op(i).kind()] += 1.0 / h.op_count();
    if (h.op(i).kind() == OpKind::kScan) {
      found += static_cast<double>(h.items(h.predicate(h.op(i).predicate())).size());
    }
  }
  EXPECT_NEAR(share[OpKind::kScan] + share[OpKind::kAggregate], 0.25, 0.02);
  EXPECT_NEAR(share[OpKind::kUpdate], 0.25, 0.02);
  EXPECT_NEAR(share[OpKind::kRead], 0.2, 0.02);
  EXPECT_NEAR(share[OpKind::kWrite], 0.3, 0.02);
  EXPECT_NEAR(found / (share[OpKind::kScan] * h.op_count()) / 100, 0.1, 0.02);
}

TEST(Generate, RowsAreWrittenOnceAndTheirVersionOrdersFollowCommits) {
  GenOptions o = rows(4);
  o.level = Level::kSerializable;
  o.evidence.versions = true;
  const History h = made(o).history;
  std::vector<TxnId> by_commit;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) by_commit.push_back(TxnId{t});
  std::ranges::sort(by_commit, {}, [&](TxnId t) { return h.commit_ts(t); });
  std::set<ValueId> written;
  std::map<KeyId, std::vector<std::uint32_t>> expected;
  for (const TxnId t : by_commit) {
    std::map<KeyId, ValueId> final;
    for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
      std::vector<Item> writes;
      if (h.op(i).kind() == OpKind::kWrite) writes = {{h.op(i).key(), h.op_value(i)}};
      if (h.op(i).kind() == OpKind::kUpdate) {
        const auto items = h.items(h.predicate(h.op(i).predicate()));
        writes.assign(items.begin(), items.end());
      }
      for (const Item& item : writes) {
        EXPECT_TRUE(written.insert(item.value).second);
        final[item.key] = item.value;
      }
    }
    for (const auto& [key, value] : final) expected[key].push_back(raw(value));
  }
  ASSERT_EQ(h.columns().version_orders.size(), expected.size());
  for (const VersionOrder& order : h.columns().version_orders) {
    const auto entries = h.columns().version_entries.subspan(order.first, order.count);
    EXPECT_EQ(std::vector<std::uint32_t>(entries.begin(), entries.end()), expected[order.key]);
  }
}

// Whatever a version set names, its predicate finds exactly the result among it.
TEST(Generate, ResultsFollowFromVersionSets) {
  GenOptions o = rows(5);
  o.transactions = 500;
  o.evidence.vsets = true;
  o.plants = {{PlantKind::kPhantom, 0.05}, {PlantKind::kResultSetMismatch, 0.05}};
  const History h = made(o).history;
  const PredicateSet predicates(h);
  ASSERT_EQ(predicates.defect(), "");
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    if (!is_predicate(h.op(i).kind())) continue;
    const PredicateId id = h.op(i).predicate();
    ASSERT_NE(h.predicate(id).has_vset, 0);
    std::vector<Item> found;
    for (const Item& item : h.vset(h.predicate(id))) {
      const ValueId name = h.columns().key_name[raw(item.key)];
      if (predicates.condition(id).evaluate(h.values(), name, item.value).matches()) found.push_back(item);
    }
    const auto items = h.items(h.predicate(id));
    if (h.op(i).kind() == OpKind::kScan) {
      EXPECT_TRUE(std::ranges::equal(items, found));
    } else if (h.op(i).kind() == OpKind::kUpdate) {
      EXPECT_TRUE(std::ranges::equal(items, found, {}, &Item::key, &Item::key));
    } else {
      AggregateState state(predicates.aggregate(id), h.values());
      for (const Item& item : found) state.add(h.columns().key_name[raw(item.key)], item.value);
      EXPECT_TRUE(state.agrees(h.op_value(i)));
    }
  }
}

TEST(Generate, OrderIsThereAtSerializableLevelsOnly) {
  GenOptions o = small(5);
  o.evidence.order = true;
  const Generated snapshot = made(o);
  EXPECT_TRUE(snapshot.history.columns().order.empty());
  EXPECT_EQ(snapshot.notes.size(), 1U);
  o.level = Level::kStrongSessionSerializable;
  o.evidence.timestamps = false;
  const Generated serial = made(o);
  EXPECT_EQ(serial.history.columns().order.size(), o.transactions);
  EXPECT_TRUE(serial.notes.empty());
}

TEST(Generate, OperationsHaveTheirIntervalsWithinTheTransaction) {
  GenOptions o = small(5);
  o.evidence.op_intervals = true;
  o.plants = {{PlantKind::kWriteSkew, 0.1}};
  const History h = made(o).history;
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    std::int64_t last = h.begin(t);
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
      const History::Interval at = h.at(t, OpId{op});
      ASSERT_LT(last, at.before);
      ASSERT_LT(at.before, at.after);
      last = at.after;
    }
    const History::Interval commit = h.commit_interval(t);
    ASSERT_LE(last, commit.before);
    ASSERT_LT(commit.before, h.end(t));
    ASSERT_EQ(commit.after, h.end(t));
  }
}

TEST(Generate, OptionsThatMakeNoHistoryAreRefused) {
  const auto refused = [](auto change) {
    GenOptions o;
    change(o);
    return !generate(o).has_value();
  };
  EXPECT_TRUE(refused([](GenOptions& o) { o.transactions = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.ops = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.sessions = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.keys = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.transactions = UINT64_MAX; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.read_share = 1.5; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.abort_share = 1; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.zipf_exponent = -1; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.overlap = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.max_list = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.plants = {{PlantKind::kG1a, 2.0}}; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.plants = {{PlantKind::kPhantom, 0.1}}; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.evidence.vsets = true; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.predicate_share = 1.5; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.selectivity = 0; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.rmw_share = 0.6; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.spread = 2; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.evidence.versions_share = -1; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.plants = {{PlantKind::kG1a, 0, 1'000'000}}; }));
  EXPECT_TRUE(refused([](GenOptions& o) { o.plants = {{PlantKind::kG1a, 0, UINT64_MAX / 3 + 1}}; }));
  EXPECT_TRUE(refused([](GenOptions& o) {
    o.type = DataType::kRow;
    o.rmw_share = 0.1;
  }));
  EXPECT_TRUE(refused([](GenOptions& o) {
    o.type = DataType::kList;
    o.repeated_values = true;
  }));
}

TEST(GenOptions, NamesAndListsAreParsed) {
  EXPECT_EQ(distribution_named("hotspot"), Distribution::kHotspot);
  EXPECT_FALSE(distribution_named("normal"));
  EXPECT_EQ(data_type_named(name(DataType::kList)), DataType::kList);
  EXPECT_EQ(data_type_named("row"), DataType::kRow);
  const Result<GenEvidence> some = parse_evidence("versions,order");
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->versions && some->order && !some->timestamps && !some->intervals);
  ASSERT_TRUE(parse_evidence("none"));
  EXPECT_FALSE(parse_evidence("none")->timestamps);
  EXPECT_FALSE(parse_evidence("timestamps,,order"));
  EXPECT_FALSE(parse_evidence(""));
  ASSERT_TRUE(parse_evidence("timestamps,versions:0.9"));
  EXPECT_EQ(parse_evidence("timestamps,versions:0.9")->versions_share, 0.9);
  EXPECT_EQ(some->versions_share, 1);
  EXPECT_FALSE(parse_evidence("versions:"));
  EXPECT_FALSE(parse_evidence("versions:1.5"));
  EXPECT_FALSE(parse_evidence("timestamps:0.5"));
  ASSERT_TRUE(parse_plant("G1a:0.25"));
  EXPECT_EQ(parse_plant("G1a:0.25")->rate, 0.25);
  EXPECT_GT(parse_plant("long-fork")->rate, 0);
  ASSERT_TRUE(parse_plant("long-fork=3"));
  EXPECT_EQ(parse_plant("long-fork=3")->groups, 3U);
  EXPECT_FALSE(parse_plant("long-fork=0"));
  EXPECT_FALSE(parse_plant("long-fork="));
  EXPECT_FALSE(parse_plant("long-fork=1.5"));
  EXPECT_FALSE(parse_plant("long-fork:"));
  EXPECT_FALSE(parse_plant("long-fork:2"));
  EXPECT_FALSE(parse_plant("long-spoon:0.1"));
}

}  // namespace generate_test
}  // namespace isolde
