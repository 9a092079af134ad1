#include "check/cycles/level_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/radix_sort.h"
#include "check/cycles/causal.h"
#include "check/cycles/cursor.h"
#include "check/cycles/cycles.h"
#include "check/cycles/explain_cycle.h"
#include "check/cycles/fault_anomalies.h"
#include "check/cycles/order_search.h"
#include "check/cycles/predicates.h"
#include "check/cycles/seen.h"
#include "check/cycles/start_order.h"
#include "check/cycles/version_evidence.h"
#include "check/cycles/views.h"
#include "check/predicates/predicate_replay.h"

namespace isolde::graph {
namespace {

constexpr std::uint32_t kManyForPredicates = 20'000;  // transactions
constexpr std::uint64_t kMostPast = 2'000'000'000;    // cells of clocks
constexpr std::uint64_t kStepsPerOrderedVersion = 4;

class GraphLevelCheck {
 public:
  GraphLevelCheck(const History& history, Level level, const Limits& limits, const Trace& trace, FindSeen find_seen)
      : h_(history),
        row_(*row_of(level)),
        limits_(limits),
        trace_(trace),
        find_seen_(find_seen),
        predicates_(predicate_rule(level) != PredicateRule::kNone && !history.columns().predicates.empty()
                        ? std::make_unique<const PredicateSet>(history)
                        : nullptr) {
    verdict_.level = level;
  }

  Verdict run() {
    if (trace_.cut_short) return out_of_limits();
    const std::string lack = order_and_find_lack();
    if (!add_read_faults(h_, trace_, limits_, verdict_)) return out_of_limits();
    verdict_.notes.insert(verdict_.notes.end(), orders_.notes.begin(), orders_.notes.end());
    const bool traced = trace_.untraceable.empty() && orders_.ambiguous.empty();
    const bool partly = is_partly_traced() && orders_.ambiguous.empty();
    if ((traced || partly) && !find_cycles() && verdict_.total() == 0) return out_of_limits();
    if (verdict_.total() > 0) {
      verdict_.outcome = Outcome::kViolated;
      verdict_.witness = {};
      return std::move(verdict_);
    }
    if (traced && info(verdict_.level).family == LevelFamily::kSnapshot) {
      StartOrder starts = check_start_order(h_, trace_, orders_, facts_.edges, row_);
      if (starts.applies) return by_start_order(std::move(starts));
    }
    if (!lack.empty() && limits_.exhausted()) return out_of_limits();
    if (!lack.empty() && !(traced && completes_orders())) {
      if (verdict_.total() == 0)
        return undecided(WhyOpen::kEvidence, "not enough evidence: " + (orders_.open == kNoKey ? lack : order_lack()));
      verdict_.outcome = Outcome::kViolated;
      return std::move(verdict_);
    }
    if (trace_.breaks_a_rule || unexplained_) return undecided(WhyOpen::kEvidence, "a read has no explanation");
    if (predicates_ != nullptr && !settled_) return by_open_predicates();
    verdict_.outcome = Outcome::kSatisfied;
    return std::move(verdict_);
  }

  // After run(): a stronger level may still show that this one holds.
  [[nodiscard]] bool predicates_left_open() const { return left_open_; }
  [[nodiscard]] bool at_given_points() const { return at_given_points_; }

 private:
  // Orders the versions. What is missing for a verdict, as far as it shows without looking for cycles; empty if
  // nothing.
  std::string order_and_find_lack() {
    if (!trace_.untraceable.empty() && !is_partly_traced()) return trace_.untraceable;
    limits_.spend(kStepsPerOrderedVersion * trace_.versions.size());
    orders_ = tells_no_order() ? no_order() : order_versions(h_, trace_, row_.updates);
    if (!trace_.untraceable.empty()) return trace_.untraceable;
    if (!orders_.ambiguous.empty()) return orders_.ambiguous;
    if (!row_.needs_order || orders_.open == kNoKey) return {};
    return order_lack();
  }
  // What the reads show that have one writer stands, whoever wrote what the others returned.
  [[nodiscard]] bool is_partly_traced() const { return trace_.only_open && h_.columns().predicates.empty(); }
  // Registers, at a level that lets transactions overwrite what they did not read.
  [[nodiscard]] bool tells_no_order() const {
    return row_.updates == Updates::kMaySkip && !row_.needs_order && trace_.chains.empty() &&
           h_.columns().version_orders.empty() && h_.columns().predicates.empty();
  }
  [[nodiscard]] VersionOrders no_order() const {
    VersionOrders out;
    out.next.assign(trace_.versions.size(), kNoVersion);
    out.why.assign(trace_.versions.size(), Ground::kReads);
    return out;
  }
  [[nodiscard]] std::string order_lack() const {
    return fmt::format("the order of the versions of {} is not known", h_.key_text(orders_.open));
  }

  // Every point in time is known: the verdict is about these.
  Verdict by_start_order(StartOrder starts) {
    at_given_points_ = true;
    verdict_.notes.emplace_back("given the database's start and commit timestamps");
    verdict_.witness = {};
    for (Anomaly& a : starts.anomalies) keep(std::move(a));
    if (verdict_.total() > 0) {
      verdict_.outcome = Outcome::kViolated;
      return std::move(verdict_);
    }
    if (!starts.unsure.empty()) return undecided(WhyOpen::kEvidence, "not enough evidence: " + starts.unsure);
    if (trace_.breaks_a_rule) return undecided(WhyOpen::kEvidence, "a read has no explanation");
    verdict_.witness.kind = Witness::Kind::kPoints;
    verdict_.witness.events = std::move(starts.events);
    if (predicates_ != nullptr && (!predicates_->defect().empty() || !explains_predicates()))
      return undecided(
          WhyOpen::kEvidence,
          "not known whether the predicates found the right rows at these timestamps; method timeline decides that");
    verdict_.outcome = Outcome::kSatisfied;
    return std::move(verdict_);
  }

  Verdict undecided(WhyOpen why, std::string words) {
    verdict_.leave_open(why, std::move(words));
    return std::move(verdict_);
  }
  Verdict out_of_limits() {
    verdict_.leave_open(limits_);
    return std::move(verdict_);
  }

  void keep(Anomaly anomaly) { verdict_.add(std::move(anomaly), limits_.max_anomalies); }

  // Updates that are not of the version right before.
  void add_missed_versions() {
    const CursorFaults faults = cursor_faults(h_, trace_, orders_);
    for (const MissedVersion& fault : faults.missed) keep(missed_version(h_, trace_, fault));
    unexplained_ = faults.unexplained;
  }

  void add_missed(const Missed& missed) {
    if (row_.seen != SeenRule::kPast) return keep(missed_write(h_, row_.seen, missed));
    // A path takes a search: only for those that will be shown.
    if (verdict_.anomalies.size() >= limits_.max_anomalies) return verdict_.count(kMissedPast);
    keep(missed_past(h_, trace_, missed));
  }

  [[nodiscard]] Dependencies dependencies(const VersionOrders& orders, std::span<const Seen> seen,
                                          std::span<const PredicateEdge> predicates) const {
    Dependencies graph = find_dependencies(h_, trace_, orders, seen, predicates, row_.edges);
    limits_.spend(steps_of(graph));
    return graph;
  }

  // False: the limits ran out.
  bool find_cycles() {
    for (const LostUpdate& lost : orders_.lost_updates) keep(lost_update(h_, lost));
    if (row_.level == Level::kCursorStability) add_missed_versions();
    if (predicates_ != nullptr && h_.txn_count() > kManyForPredicates && has_item_cycle()) return true;
    facts_ = predicate_facts(orders_);
    if (limits_.exhausted()) return false;
    SeenOrders seen = find_seen_({h_, trace_, orders_, facts_.edges, row_}, limits_);
    for (const Missed& missed : seen.missed) add_missed(missed);
    for (Anomaly& mismatch : facts_.mismatches) keep(std::move(mismatch));
    if (seen.shown && predicates_ == nullptr) return true;
    if (limits_.exhausted()) return false;
    const Dependencies graph = dependencies(orders_, seen.orders, facts_.edges);
    if (limits_.exhausted()) return false;
    Sorted sorted = sort_nodes(graph, row_.nodes);
    if (sorted.components.empty()) {
      order_ = std::move(sorted.order);
      if (orders_.open == kNoKey || !row_.needs_order) {
        make_witness(graph.txns, order_);
        settled_ = settles(facts_, graph);
      }
      return true;
    }
    // Of those who saw one pair the first is named, whatever else the history has.
    std::sort(seen.orders.begin(), seen.orders.end(), [](const Seen& a, const Seen& b) {
      return std::tie(a.before, a.after, a.reader, a.key) < std::tie(b.before, b.after, b.reader, b.key);
    });
    explain({h_, trace_, orders_, seen.orders, facts_.edges, graph}, sorted);
    return true;
  }

  // Of large histories first what costs little: whether items alone break the level.
  bool has_item_cycle() {
    const Dependencies graph = dependencies(orders_, {}, {});
    const Sorted sorted = sort_nodes(graph, row_.nodes);
    if (!sorted.components.empty()) explain({h_, trace_, orders_, {}, {}, graph}, sorted);
    return verdict_.total() > 0;
  }

  [[nodiscard]] PredicateFacts predicate_facts(const VersionOrders& orders) {
    if (predicates_ == nullptr) return {};
    PredicateFacts facts;
    facts.unsure = predicates_->defect();
    if (!facts.unsure.empty()) return facts;
    slots_ = std::make_unique<Slots>(h_, trace_, orders);
    return find_predicate_facts(h_, *predicates_, trace_, *slots_, row_.level, limits_);
  }

  // Whether an order without a cycle explains the predicates too. What their edges leave open is looked for.
  bool settles(const PredicateFacts& facts, const Dependencies& graph) {
    if (predicates_ == nullptr) return true;
    const PredicateRule rule = predicate_rule(row_.level);
    if (!facts.mismatches.empty()) return false;
    if (rule == PredicateRule::kResult)
      return !facts.choice_matters && facts.unsure.empty() && row_.level != Level::kCursorStability;
    if (facts.decided()) return true;
    if (!predicates_->defect().empty() || rule != PredicateRule::kState) return false;
    if (explains_predicates()) return true;
    std::vector<std::uint32_t> order =
        search_order(h_, *predicates_, trace_, *slots_, facts, graph, row_.nodes, limits_);
    if (order.empty()) return false;
    make_witness(graph.txns, order);
    return explains_predicates();
  }
  [[nodiscard]] bool explains_predicates() const {
    const EventForm form = verdict_.witness.kind == Witness::Kind::kPoints ? EventForm::kPoints : EventForm::kSerial;
    return replay_predicates(h_, *predicates_, verdict_.witness.events, form, limits_).explained();
  }

  // It is not known that the predicates are explained.
  Verdict by_open_predicates() {
    left_open_ = true;
    if (limits_.exhausted()) return out_of_limits();
    if (!facts_.unsure.empty()) return undecided(WhyOpen::kEvidence, facts_.unsure);
    return undecided(WhyOpen::kEvidence,
                     "not known which versions the predicates were evaluated on: the history has no version sets, and "
                     "several are possible");
  }

  void explain(const Evidence& evidence, const Sorted& sorted) {
    add_cycles(evidence, row_, sorted, limits_, verdict_);
  }

  // Whether some order of the versions that are open explains the history; if not, verdict_ may have a cycle.
  bool completes_orders() {
    if (!h_.has_flag(kVersionsByCommitTs)) return guess() || by_past() || (verdict_.total() == 0 && by_evidence());
    // The user says that the timestamps are the order of versions: no order that contradicts them is an answer.
    if (by_evidence()) return true;
    return !evidence_added_ && (guess() || by_past());
  }

  // What a transaction's past holds is older than what it wrote, and not newer than what it read, of the same key: an
  // order of versions that needs no evidence.
  bool by_past() {
    if (orders_.open == kNoKey || !row_.edges.has(Edge::kRw)) return false;
    PastOptions options;
    options.sessions = row_.edges.has(Edge::kSession);
    options.writers = true;
    options.most_work = kMostPast;
    const SeenOrders seen = causal_orders(h_, trace_, orders_, limits_, options);
    if (seen.orders.empty()) return false;
    const VersionOrders known = orders_;
    for (const Seen& s : seen.orders) {
      const Version before = trace_.version_of(s.before, s.key);
      const Version after = trace_.version_of(s.after, s.key);
      if (orders_.next[before] == after) continue;
      orders_.known.push_back({before, after, s.reader == kNoTxn ? Ground::kPast : Ground::kSeen});
    }
    orders_.index_known();
    const Dependencies graph = dependencies(orders_, {}, facts_.edges);
    Sorted sorted = sort_nodes(graph, row_.nodes);
    if (!sorted.components.empty()) {
      explain({h_, trace_, orders_, {}, facts_.edges, graph}, sorted);
      return false;
    }
    std::swap(order_, sorted.order);
    if (guess()) return true;
    // The evidence is weighed without it: whether the two contradict each other is then a cycle to be shown.
    orders_ = known;
    order_ = std::move(sorted.order);
    return false;
  }

  // What the level and the reads leave open, the database's own timestamps and snapshots may tell. Without a cycle the
  // witness stands without them; a cycle is a violation given them.
  bool by_evidence() {
    evidence_added_ = orders_.open != kNoKey && add_evidence(h_, trace_, row_.updates, orders_, verdict_.notes);
    if (!evidence_added_) return false;
    // Steps of predicates keep to what was known before, so that each can be shown.
    const Dependencies graph = dependencies(orders_, {}, facts_.edges);
    Sorted sorted = sort_nodes(graph, row_.nodes);
    if (sorted.components.empty()) {
      order_ = std::move(sorted.order);
      return guess();
    }
    explain({h_, trace_, orders_, {}, facts_.edges, graph}, sorted);
    for (const auto& [ground, words] :
         {std::pair(Ground::kTimestamps, "commit timestamps"), std::pair(Ground::kSnapshot, "snapshots")}) {
      if (rests_on(ground))
        verdict_.notes.push_back(fmt::format("given the database's {} as the order of versions", words));
    }
    return false;
  }

  [[nodiscard]] bool rests_on(Ground ground) const {
    return std::any_of(verdict_.anomalies.begin(), verdict_.anomalies.end(), [ground](const Anomaly& a) {
      return std::any_of(a.steps.begin(), a.steps.end(), [ground](const Step& s) { return s.ground == ground; });
    });
  }

  // Where nothing known is contradicted: some order of the versions that are open, and whether it does.
  bool guess() {
    if (order_.empty()) return false;
    if (row_.level == Level::kCursorStability && fits_hints()) return true;
    bool points = row_.nodes != Nodes::kTransactions;
    if (points) {
      // An order of whole transactions is the better guess: it keeps those that write one key apart.
      Sorted serial = sort_nodes(dependencies(orders_, {}, facts_.edges), Nodes::kTransactions);
      if (serial.components.empty()) {
        order_ = std::move(serial.order);
        points = false;
      }
    }
    std::vector<std::uint32_t> place(h_.txn_count(), 0);
    const std::uint32_t end = points ? 2 * h_.txn_count() : h_.txn_count();
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (order_[i] < end) place[points ? order_[i] / 2 : order_[i]] = i;  // of points: the commit, which comes last
    }
    if (fits(place)) return true;
    if (points) return false;
    // A version is better placed close before its readers.
    std::vector<bool> read(h_.txn_count(), false);
    for (const TracedRead& r : trace_.reads) {
      if (r.version < trace_.versions.size()) read[raw(trace_.versions[r.version].txn)] = true;
    }
    return fits(late_places(dependencies(orders_, {}, facts_.edges), order_, read));
  }

  // In the order in which transactions seem to have happened, no version came between a read and the write after it.
  bool fits_hints() {
    for (const Hint hint : {Hint::kFile, Hint::kClocks}) {
      Dependencies bare;
      bare.txns = bare.nodes = h_.txn_count();
      const std::vector<std::int64_t> time = ranks(h_, TransactionView{bare}, hint);
      std::vector<KeyedIndex> sorted;
      for (std::uint32_t t = 0; t < time.size(); ++t) sorted.push_back({order_preserving(time[t]), t});
      radix_sort(sorted);
      std::vector<std::uint32_t> place(time.size());
      for (std::uint32_t i = 0; i < sorted.size(); ++i) place[sorted[i].index] = i;
      if (fits(place)) return true;
    }
    return false;
  }

  // Whether the versions that are open may come in the order of these places of their transactions.
  bool fits(std::span<const std::uint32_t> place) {
    for (const PlaceBy by : {PlaceBy::kFirst, PlaceBy::kLast}) {
      VersionOrders orders = orders_;
      complete_orders(trace_, place, by, orders);
      const PredicateFacts facts = predicate_facts(orders);
      if (!facts.mismatches.empty()) continue;
      const Dependencies graph = dependencies(orders, {}, facts.edges);
      Sorted sorted = sort_nodes(graph, row_.nodes);
      if (!sorted.components.empty()) continue;
      make_witness(graph.txns, sorted.order);
      settled_ = settles(facts, graph);
      return row_.level != Level::kCursorStability || fits_cursors(orders);
    }
    return false;
  }
  [[nodiscard]] bool fits_cursors(const VersionOrders& orders) const {
    const CursorFaults faults = cursor_faults(h_, trace_, orders);
    return faults.missed.empty() && !faults.unexplained;
  }

  void make_witness(std::uint32_t txns, std::vector<std::uint32_t>& order) {
    // A cycle that the level forbids may need no anti-dependency; then an order explains no reads.
    if (!row_.needs_order || !row_.edges.has(Edge::kRw)) return;
    verdict_.witness = witness_of(std::move(order), trace_, txns, row_.nodes);
  }

  const History& h_;
  const LevelRow& row_;
  const Limits& limits_;
  const Trace& trace_;
  const FindSeen find_seen_;
  VersionOrders orders_;
  bool unexplained_ = false;                              // an update that does not fit its read
  std::vector<std::uint32_t> order_;                      // of the nodes, by what is known
  const std::unique_ptr<const PredicateSet> predicates_;  // null: none that the level speaks of
  PredicateFacts facts_;
  std::unique_ptr<Slots> slots_;  // of the facts found last
  bool settled_ = false;          // the witness explains the predicates
  bool left_open_ = false;        // nothing but predicates leaves it undecided
  bool at_given_points_ = false;
  bool evidence_added_ = false;  // by_evidence() ordered versions
  Verdict verdict_;
};

}  // namespace

LevelVerdict check_level(const History& history, Level level, const Limits& limits, const Trace& trace,
                         FindSeen find_seen) {
  GraphLevelCheck check(history, level, limits, trace, find_seen);
  LevelVerdict out;
  out.verdict = check.run();
  out.predicates_left_open = check.predicates_left_open();
  out.at_given_points = check.at_given_points();
  return out;
}

}  // namespace isolde::graph
