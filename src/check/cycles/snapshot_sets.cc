#include "check/cycles/snapshot_sets.h"

#include <algorithm>
#include <optional>

#include "check/cycles/explain_cycle.h"
#include "check/cycles/order_search.h"
#include "check/cycles/predicates.h"
#include "check/cycles/visible.h"
#include "check/predicates/predicate_replay.h"

namespace isolde::graph {
namespace {

constexpr std::uint64_t kMostSnapshotLooks = 200'000'000;  // at versions
constexpr std::size_t kMostSnapshotEdges = 10'000'000;

// A database may find min and max at one end of an index: then it has not looked at the other versions that match, and
// need not keep transactions apart because of them. So violations rest on those that look at all. What leads to an
// order may be stricter than need be: all of them, and as if each version that matches had been read.
enum class Aggregates : std::uint8_t { kThatLookAtAll, kAll };

// The versions of keys that snapshots show, and the order that follows as from a version set.
class SnapshotSets {
 public:
  SnapshotSets(const History& history, const PredicateSet& predicates, Slots& slots, const Limits& limits)
      : h_(history),
        set_(predicates),
        slots_(slots),
        limits_(limits),
        tells_(history.key_count(), Tells::kNotAsked),
        edge_from_(history.txn_count(), kNoTxn),
        edge_to_(history.txn_count(), kNoTxn),
        own_(history.key_count(), kNoOp) {}

  // Appends to `edges`.
  void run(const PredicateFacts& facts, Aggregates aggregates, std::vector<PredicateEdge>& edges) {
    edges_ = &edges;
    aggregates_ = aggregates;
    auto aggregate = facts.open_aggregates.begin();
    auto open = facts.open.begin();
    while ((open != facts.open.end() || aggregate != facts.open_aggregates.end()) && !spent()) {
      // Both by transaction: the edges of one reader are found together.
      if (aggregate == facts.open_aggregates.end() || (open != facts.open.end() && open->txn <= aggregate->txn)) {
        const auto last = std::find_if(open, facts.open.end(), [&](const auto& r) { return r.op != open->op; });
        require(std::span(open, last));
        open = last;
      } else {
        look_at_all(*aggregate++);
      }
    }
  }

  // A snapshot shows a version that the result does not follow from.
  std::uint64_t mismatch_count = 0;
  std::vector<Anomaly> mismatches;  // as many as are wanted

 private:
  enum class Tells : std::uint8_t { kNotAsked, kNo, kYes };

  [[nodiscard]] bool spent() {
    limits_.spend(looked_at_ - spent_ + 1);
    spent_ = looked_at_;
    return looked_at_ > kMostSnapshotLooks || edges_->size() > kMostSnapshotEdges ||
           ((++asked_ & 0xff) == 0 && limits_.exhausted());
  }

  void require(std::span<const OpenRequirement> open) {
    const PredicateId predicate = h_.op(raw(open[0].op)).predicate();
    // Its own version set may leave something open too.
    if (h_.snapshot(open[0].txn) == nullptr || h_.predicate(predicate).has_vset != 0) return;
    const Matcher matcher(h_, slots_, set_.condition(predicate));
    for (const OpenRequirement& r : open) {
      const auto slot = shown(r.txn, r.key);
      if (!slot) continue;
      const Match match = matcher.of(*slot);
      if (match == Match::kFault) continue;
      if (match != r.match) {
        mismatch(r, *slot);
      } else {
        add_edges(r.txn, r.op, r.key, *slot, match, matcher);
      }
    }
  }

  void mismatch(const OpenRequirement& r, Slot slot) {
    if (++mismatch_count > limits_.max_anomalies) return;
    const TxnId writer = slots_.writer(slot);
    Anomaly a{};
    a.kind = AnomalyKind::kResultSetMismatch;
    a.transactions.push_back(r.txn);
    a.source = r.match == Match::kNo ? ReadSource::kRowMissed : ReadSource::kRowExtra;
    a.op = r.op;
    a.key = r.key;
    for (const Item& item : h_.items(h_.predicate(h_.op(raw(r.op)).predicate()))) {
      if (item.key == r.key) a.read = item.value;
    }
    a.expected = slots_.value(slot);
    a.expected_known = true;
    a.expected_writer = writer;
    if (writer == kNoTxn) {
      a.steps.push_back({StepType::kProgram, r.txn, r.txn, r.key, r.op, kNoOp, Ground::kSnapshot});
    } else {
      a.transactions.push_back(writer);
      a.steps.push_back({StepType::kWr, writer, r.txn, r.key, last_write(h_, writer, r.key), r.op, Ground::kSnapshot});
    }
    mismatches.push_back(std::move(a));
  }

  void look_at_all(const OpenAggregate& a) {
    if (h_.snapshot(a.txn) == nullptr) return;
    const AggregateKind kind = set_.aggregate(h_.op(raw(a.op)).predicate()).kind();
    const bool is_extreme = kind == AggregateKind::kMin || kind == AggregateKind::kMax;
    if (is_extreme && aggregates_ == Aggregates::kThatLookAtAll) return;
    mark_own(a);
    const Matcher matcher(h_, slots_, set_.condition(h_.op(raw(a.op)).predicate()));
    for (std::uint32_t k = 0; k < h_.key_count() && looked_at_ <= kMostSnapshotLooks; ++k) {
      if (own_[k] == a.op) continue;
      const auto slot = shown(a.txn, KeyId{k});
      const Match match = slot ? matcher.of(*slot) : Match::kFault;
      if (match == Match::kFault) continue;
      if (match == Match::kYes && aggregates_ == Aggregates::kAll) {
        as_if_read(a, KeyId{k}, *slot);
      } else {
        add_edges(a.txn, a.op, KeyId{k}, *slot, match, matcher);
      }
    }
  }

  // The next version may match too and still change the result.
  void as_if_read(const OpenAggregate& a, KeyId key, Slot slot) {
    if (slot != slots_.begin(key)) edge(a.txn, a.op, key, slot, false);
    if (slot + 1 < slots_.end(key)) edge(a.txn, a.op, key, slot + 1, true);
  }

  void mark_own(const OpenAggregate& a) {
    for (std::uint32_t i = h_.first_op(a.txn); i < raw(a.op); ++i) {
      const OpHead op = h_.op(i);
      if (op.kind() == OpKind::kUpdate) {
        for (const Item& item : h_.items(h_.predicate(op.predicate()))) own_[raw(item.key)] = a.op;
      } else if (is_item_write(op.kind())) {
        own_[raw(op.key())] = a.op;
      }
    }
  }

  // The slot of the last version that the transaction's snapshot shows.
  [[nodiscard]] std::optional<Slot> shown(TxnId txn, KeyId key) {
    if (!tells(key)) return std::nullopt;
    const Slot end = slots_.end(key);
    looked_at_ += end - slots_.begin(key);
    Slot last = slots_.begin(key);
    while (last + 1 < end && is_visible(slots_.writer(last + 1), txn)) ++last;
    for (Slot s = last + 1; s < end; ++s) {
      if (is_visible(slots_.writer(s), txn)) return std::nullopt;
    }
    return last;
  }

  [[nodiscard]] bool tells(KeyId key) {
    Tells& tells = tells_[raw(key)];
    if (tells == Tells::kNotAsked) {
      bool good = slots_.kind(key) == KeyKind::kOrdered && slots_.maybes(key).empty();
      for (Slot s = slots_.begin(key) + 1; s < slots_.end(key) && good; ++s) {
        const Snapshot* const of_writer = h_.snapshot(slots_.writer(s));
        good = of_writer != nullptr && of_writer->has_xid != 0;
      }
      tells = good ? Tells::kYes : Tells::kNo;
    }
    return tells == Tells::kYes;
  }

  // As PostgreSQL decides it; what a transaction writes later it does not see.
  [[nodiscard]] bool is_visible(TxnId writer, TxnId reader) const {
    if (writer == reader) return false;
    return graph::is_visible(h_, h_.snapshot(writer)->xid, *h_.snapshot(reader));
  }

  // After who began the run of versions that match alike, before who ended it.
  void add_edges(TxnId txn, OpId op, KeyId key, Slot slot, Match status, const Matcher& matcher) {
    Slot first = slot;
    while (first != slots_.begin(key) && matcher.of(first - 1) == status) --first;
    if (first != slots_.begin(key) && matcher.of(first - 1) != Match::kFault) edge(txn, op, key, first, false);
    Slot next = slot + 1;
    while (next < slots_.end(key) && matcher.of(next) == status) ++next;
    if (next < slots_.end(key) && matcher.of(next) != Match::kFault) edge(txn, op, key, next, true);
  }

  void edge(TxnId txn, OpId op, KeyId key, Slot slot, bool anti) {
    const TxnId other = slots_.writer(slot);
    TxnId& done = (anti ? edge_to_ : edge_from_)[raw(other)];
    if (other == txn || done == txn) return;
    done = txn;
    edges_->push_back({txn, other, key, op, anti, Ground::kSnapshot});
  }

  const History& h_;
  const PredicateSet& set_;
  Slots& slots_;
  const Limits& limits_;
  std::vector<PredicateEdge>* edges_ = nullptr;
  Aggregates aggregates_ = Aggregates::kAll;
  std::vector<Tells> tells_;                // by key
  std::vector<TxnId> edge_from_, edge_to_;  // by transaction: the reader that has an edge already
  std::vector<OpId> own_;                   // by key: the aggregate before which its transaction wrote it
  std::uint64_t looked_at_ = 0, spent_ = 0;
  std::uint32_t asked_ = 0;
};

// An edge that needs no snapshot stays before one that does.
void sort_by_reader(std::vector<PredicateEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const PredicateEdge& a, const PredicateEdge& b) { return a.reader < b.reader; });
}

// An order in which the predicates find what they should, by itself.
Witness find_witness(const History& h, const PredicateSet& predicates, const Trace& trace, Slots& slots,
                     const PredicateFacts& facts, const Dependencies& graph, const LevelRow& row,
                     const Limits& limits) {
  Witness witness = witness_of(search_order(h, predicates, trace, slots, facts, graph, row.nodes, limits), trace,
                               graph.txns, row.nodes);
  const EventForm form = witness.kind == Witness::Kind::kPoints ? EventForm::kPoints : EventForm::kSerial;
  if (witness.events.empty() || !replay_predicates(h, predicates, witness.events, form, limits).explained()) return {};
  return witness;
}

}  // namespace

void decide_by_snapshot_sets(const History& history, const Trace& trace, const Limits& limits, Verdict& verdict) {
  if (history.columns().snapshots.empty() || predicate_rule(verdict.level) != PredicateRule::kState) return;
  const LevelRow& row = *row_of(verdict.level);
  const PredicateSet predicates(history);
  if (!predicates.defect().empty()) return;
  // What was read and given, without a guess.
  const VersionOrders orders = order_versions(history, trace, row.updates);
  Slots slots(history, trace, orders);
  PredicateFacts facts = find_predicate_facts(history, predicates, trace, slots, verdict.level, limits);
  if (!facts.mismatches.empty() || (facts.open.empty() && facts.open_aggregates.empty())) return;
  SnapshotSets sets(history, predicates, slots, limits);
  std::vector<PredicateEdge> edges = facts.edges;
  sets.run(facts, Aggregates::kThatLookAtAll, edges);
  if (limits.exhausted()) return;
  for (std::uint64_t i = 0; i < sets.mismatch_count; ++i) verdict.count(AnomalyKind::kResultSetMismatch);
  verdict.anomalies = std::move(sets.mismatches);
  sort_by_reader(edges);
  const Dependencies graph = find_dependencies(history, trace, orders, {}, edges, row.edges);
  limits.spend(steps_of(graph));
  const Sorted sorted = sort_nodes(graph, row.nodes);
  add_cycles({history, trace, orders, {}, edges, graph}, row, sorted, limits, verdict);
  if (verdict.total() > 0) {
    verdict.decide(Outcome::kViolated);
    verdict.notes.emplace_back("given the database's snapshots as version sets");
    return;
  }
  if (orders.open != kNoKey || !facts.unsure.empty()) return;
  const auto satisfies = [&](const Dependencies& led_by) {
    verdict.witness = find_witness(history, predicates, trace, slots, facts, led_by, row, limits);
    if (verdict.witness.events.empty()) return false;
    verdict.decide(Outcome::kSatisfied);
    return true;
  };
  // An order that is led too strictly is one all the same.
  std::vector<PredicateEdge> all = facts.edges;
  SnapshotSets(history, predicates, slots, limits).run(facts, Aggregates::kAll, all);
  if (all.size() > facts.edges.size() && !limits.exhausted()) {
    sort_by_reader(all);
    const Dependencies stricter = find_dependencies(history, trace, orders, {}, all, row.edges);
    limits.spend(steps_of(stricter));
    if (sort_nodes(stricter, row.nodes).components.empty() && satisfies(stricter)) return;
  }
  if (edges.size() > facts.edges.size()) satisfies(graph);
}

}  // namespace isolde::graph
