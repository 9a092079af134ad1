#include "check/weak/needed_seen.h"

#include <algorithm>

#include "base/count_progress.h"
#include "check/weak/contradictions.h"

namespace isolde::weak {

using namespace graph;

namespace {

constexpr int kSeenRounds = 24;
constexpr std::uint64_t kStepsPerRead = 4, kStepsPerTurn = 16;

// The first read of what the writer wrote, and a read of the key's initial state; by the level's rule in that order.
Missed missed_of(const SeenContext& known, TxnId reader, TxnId writer, KeyId key) {
  const auto reads = known.trace.reads_of(reader);
  auto seen = std::find_if(reads.begin(), reads.end(), [&](const TracedRead& r) {
    return r.version < known.trace.versions.size() && known.trace.versions[r.version].txn == writer;
  });
  const bool later = known.row.seen == SeenRule::kLater;
  const auto read = std::find_if(later ? seen : reads.begin(), reads.end(),
                                 [&](const TracedRead& r) { return r.key == key && r.version == kInitialVersion; });
  if (known.row.seen == SeenRule::kPast) seen = reads.end();
  return {seen == reads.end() ? TracedRead{reader, kNoOp, kNoKey, kNoVersion} : *seen, *read, writer};
}

SeenOrders as_seen(const SeenContext& known, const Table& table, std::span<const Pair> pairs,
                   std::span<const Pair> missed) {
  SeenOrders out;
  out.orders.reserve(pairs.size());
  for (const Pair& p : pairs) {
    out.orders.push_back({table.txn[p.before], table.txn[p.after], table.txn[p.reader], p.key});
  }
  for (const Pair& p : missed) {
    out.missed.push_back(missed_of(known, table.txn[p.reader], table.txn[p.before], p.key));
  }
  return out;
}

}  // namespace

SeenOrders needed_seen(const SeenContext& known, const Limits& limits) {
  if (known.row.seen == SeenRule::kNone) return {};
  const auto numbers = first_order(known);
  if (!numbers) return all_seen(known, limits);
  Table table(known, *numbers);
  ContradictionFinder finder(known, table);
  std::optional<Order> order = table.first();
  std::vector<Pair> pairs;
  CountProgress rounds(limits, "orders tried", 0, 1);
  for (int round = 0; order; ++round) {
    rounds.add();
    if (limits.exhausted()) return {};
    limits.spend(kStepsPerRead * (table.reads.size() + table.size()));
    const Contradictions found = finder.find(*order, limits);
    // What was found before it gave up may do.
    if ((found.gave_up && found.pairs.empty() && found.missed.empty()) || round == kSeenRounds)
      return all_seen(known, limits);
    pairs.insert(pairs.end(), found.pairs.begin(), found.pairs.end());
    if (!found.missed.empty()) return as_seen(known, table, pairs, found.missed);
    if (found.pairs.empty()) {
      SeenOrders none;
      none.shown = true;
      return none;
    }
    limits.spend(kStepsPerTurn * table.size() + table.reads.size() + pairs.size());
    order = table.order_with(pairs, *order);
  }
  return as_seen(known, table, pairs, {});
}

std::optional<std::vector<TxnId>> explained_order(const SeenContext& known, std::vector<TxnId> first,
                                                  const Limits& limits) {
  if (known.row.seen == SeenRule::kNone) return first;
  Table table(known, first);
  ContradictionFinder finder(known, table);
  std::optional<Order> order = table.first();
  std::vector<Pair> pairs;
  for (int round = 0; order && round < kSeenRounds; ++round) {
    if (limits.exhausted()) return std::nullopt;
    limits.spend(kStepsPerRead * (table.reads.size() + table.size()));
    const Contradictions found = finder.find(*order, limits);
    if (found.gave_up || !found.missed.empty()) return std::nullopt;
    if (found.pairs.empty()) {
      for (std::size_t i = 0; i < order->turns.size(); ++i) first[i] = table.txn[order->turns[i]];
      return first;
    }
    pairs.insert(pairs.end(), found.pairs.begin(), found.pairs.end());
    limits.spend(kStepsPerTurn * table.size() + table.reads.size() + pairs.size());
    order = table.order_with(pairs, *order);
  }
  return std::nullopt;
}

}  // namespace isolde::weak
