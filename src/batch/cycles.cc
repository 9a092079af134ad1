#include "batch/cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "batch/deal.h"
#include "batch/orders.h"
#include "check/cycles/cycles.h"
#include "check/cycles/trace.h"
#include "check/cycles/version_order.h"
#include "history/history_builder.h"
#include "history/print.h"

namespace isolde::batch {
namespace {

using graph::Dependencies;
using graph::Edge;
using graph::EdgeSet;

// From one transaction to another one, by their places.
struct PlacedEdge {
  std::uint64_t from, to, type;
};

// All places from `first` to `last`.
struct Span {
  std::uint64_t first, last;
};

// What the core has of a transaction beside its edges.
struct CoreTxn {
  std::uint64_t place, session;
  std::int64_t begin, end;
};

// Overlapping ones made one. Those that only touch have no cycle in common.
std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (!out.empty() && span.first <= out.back().last) {
      out.back().last = std::max(out.back().last, span.last);
    } else {
      out.push_back(span);
    }
  }
  return out;
}

// The span that a place lies in; null: none.
const Span* span_of(const std::vector<Span>& spans, std::uint64_t place) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), place,
                                      [](std::uint64_t p, const Span& span) { return p < span.first; });
  if (after == spans.begin() || std::prev(after)->last < place) return nullptr;
  return &*std::prev(after);
}

TimeForm file_order() {
  TimeForm form{LevelFamily::kSerializable, AddedOrder::kNone, timeline::Clock::kTimestamps};
  form.by_place = true;
  return form;
}

class CyclesRun {
 public:
  CyclesRun(Ranks& ranks, Parts& parts, const Facts& facts, const CyclesJob& job)
      : ranks_(ranks), parts_(parts), facts_(facts), job_(job), row_(*graph::row_of(job.level)) {}

  Result<CyclesAnswer> run() {
    if (auto found = find_edges(); !found) return std::move(found).error();
    if (!answer_.open.empty()) return std::move(answer_);
    auto sessions = check_sessions(ranks_, parts_, file_order(), {}, 1);
    if (!sessions) return std::move(sessions).error();
    if (sessions->gaps.count > 0) return open("the numbers of sessions have gaps");
    answer_.sessions = sessions->sessions;
    answer_.orders = order_evidence_of(facts_, sessions->has_order);
    if (auto spans = find_spans(); !spans) return std::move(spans).error();
    if (auto searched = search_core(); !searched) return std::move(searched).error();
    const bool points = row_.nodes != graph::Nodes::kTransactions;
    answer_.witness = points ? Witness::Kind::kPoints : Witness::Kind::kSerialOrder;
    return std::move(answer_);
  }

 private:
  CyclesAnswer open(std::string why) {
    answer_.open = std::move(why);
    return std::move(answer_);
  }

  // The edges of this rank's keys.
  Result<void> find_edges() {
    const Dealing dealing{ranks_.size(), job_.passes};
    bool clear = true;
    for (unsigned pass = 0; pass < job_.passes; ++pass) {
      auto share = deal(ranks_, parts_, dealing, pass, file_order());
      if (!share) return std::move(share).error();
      answer_.keys += share->history.key_count();
      clear = clear && add_edges_of(*share);
    }
    answer_.keys = ranks_.sum(answer_.keys);
    has_open_keys_ = ranks_.any(has_open_keys_);
    // Timestamps would tell more of them.
    clear = clear && !(has_open_keys_ && facts_.has.start_ts + facts_.has.commit_ts > 0);
    if (ranks_.any(!clear))
      answer_.open = "some read, or the order of some versions, is not explained by its key alone";
    return {};
  }

  // False: something about these keys is not as it should be, or not known.
  bool add_edges_of(const KeyShare& share) {
    HistoryColumns columns = share.history.columns();
    columns.start_ts = columns.commit_ts = {};
    const History h(columns, nullptr);
    const graph::Trace trace = graph::trace_reads(h, job_.level, Limits{});
    if (trace.cut_short || trace.breaks_a_rule || !trace.bad_reads.empty() || !trace.untraceable.empty()) return false;
    const graph::VersionOrders orders = graph::order_versions(h, trace, row_.updates);
    if (!orders.ambiguous.empty() || !orders.lost_updates.empty() || !orders.notes.empty()) return false;
    if (orders.open != kNoKey) {
      if (!only_unread_are_open(orders, h.key_count())) return false;
      has_open_keys_ = true;
    }
    EdgeSet wanted;
    for (const Edge edge : {Edge::kWw, Edge::kWr, Edge::kRw}) {
      if (row_.edges.has(edge)) wanted = wanted | edge;
    }
    const Dependencies found = graph::find_dependencies(h, trace, orders, {}, {}, wanted);
    for (std::uint32_t t = 0; t < found.txns; ++t) {
      for (const graph::Arc arc : found.from(t)) {
        edges_.push_back({share.place[t], share.place[arc.to()], static_cast<std::uint64_t>(arc.type())});
      }
    }
    return true;
  }

  // Whether the versions whose place is not known are single ones that nobody read, such as appends that no later read
  // shows. They come after all that was read, and any order of them does: that in which a search put their writers
  // contradicts nothing. So what is known decides, as long as all of it is in the graph.
  static bool only_unread_are_open(const graph::VersionOrders& orders, std::uint32_t keys) {
    for (std::uint32_t k = 0; k < keys; ++k) {
      if (orders.heads_begin[k + 1] - orders.heads_begin[k] > graph::kMostSuccessors) return false;
    }
    return std::all_of(orders.heads.begin(), orders.heads.end(),
                       [&](graph::Version v) { return orders.next[v] == graph::kNoVersion; });
  }

  Result<void> find_spans() {
    std::vector<Span> own;
    std::size_t many = kFewSpans;
    for (const PlacedEdge& edge : edges_) {
      if (edge.to < edge.from) own.push_back({edge.to, edge.from});
      if (own.size() < many) continue;
      own = merged(std::move(own));
      many = std::max(kFewSpans, 2 * own.size());
    }
    // Sessions lead forward; real time may not.
    if (row_.edges.has(Edge::kRealtime)) {
      auto clock = spans_of_clock();
      if (!clock) return std::move(clock).error();
      own.insert(own.end(), clock->begin(), clock->end());
    }
    spans_ = merged(gathered(ranks_, merged(std::move(own))));
    return {};
  }

  // Where one that ended before another began stands behind it.
  Result<std::vector<Span>> spans_of_clock() {
    auto pairs = check_realtime(ranks_, parts_, file_order(), {}, SIZE_MAX, job_.passes, false);
    if (!pairs) return std::move(pairs).error();
    std::vector<Span> spans;
    for (const PlacePair& pair : pairs->first) spans.push_back({pair.after, pair.before});
    return merged(std::move(spans));
  }

  // What lies within the spans goes to rank 0.
  Result<void> search_core() {
    std::vector<PlacedEdge> inside;
    for (const PlacedEdge& edge : edges_) {
      const Span* const span = span_of(spans_, edge.from);
      if (span != nullptr && span == span_of(spans_, edge.to)) inside.push_back(edge);
    }
    edges_ = {};
    std::vector<CoreTxn> members;
    if (auto added = ranks_.agree(add_members(members)); !added) return added;
    answer_.core = ranks_.sum(members.size());
    const std::uint64_t bytes =
        answer_.core * (sizeof(CoreTxn) + 128) + ranks_.sum(inside.size()) * (sizeof(PlacedEdge) + 16);
    if (bytes > job_.most_at_first) {
      answer_.open = fmt::format("{} transactions may stand in a cycle, too many for one rank", answer_.core);
      return {};
    }
    const auto edges_in = ranks_.to_first(bytes_of(inside));
    const auto members_in = ranks_.to_first(bytes_of(members));
    bool cyclic = false;
    if (ranks_.is_first()) {
      inside.clear();
      members.clear();
      for (const std::string& some : edges_in) append_items(some, inside);
      for (const std::string& some : members_in) append_items(some, members);
      cyclic = has_cycle(members, inside);
    }
    if (ranks_.any(cyclic)) answer_.open = "there is a cycle";
    return {};
  }

  Result<void> add_members(std::vector<CoreTxn>& members) {
    for (std::size_t i = 0; i < parts_.count() && !spans_.empty(); ++i) {
      auto part = parts_.load(i);
      if (!part) return std::move(part).error();
      const History& h = **part;
      for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
        const std::uint64_t place = parts_.first_place(i) + t;
        if (h.status(TxnId{t}) != Status::kCommitted || span_of(spans_, place) == nullptr) continue;
        const ValueId session = h.columns().session_name[raw(h.session(TxnId{t}))];
        members.push_back({place, raw64(print_of(h.values(), session)), h.begin(TxnId{t}), h.end(TxnId{t})});
      }
    }
    return {};
  }

  // `members`: in the order of places.
  [[nodiscard]] bool has_cycle(const std::vector<CoreTxn>& members, const std::vector<PlacedEdge>& inside) const {
    if (members.empty()) return false;
    // Sessions and real time, by the engine itself, on transactions without operations.
    HistoryBuilder builder;
    for (const CoreTxn& txn : members) {
      builder.begin_txn(builder.session(static_cast<std::int64_t>(txn.session)));
      if (txn.begin != kNoTime) builder.set_begin(txn.begin);
      if (txn.end != kNoTime) builder.set_end(txn.end);
      builder.end_txn();
    }
    const auto core = builder.finish();
    if (!core) return true;  // then the whole history is asked
    graph::Trace trace;
    trace.counts.assign(members.size(), 1);
    EdgeSet added;
    for (const Edge edge : {Edge::kSession, Edge::kRealtime}) {
      if (row_.edges.has(edge)) added = added | edge;
    }
    const Dependencies of_clock = graph::find_dependencies(*core, trace, graph::VersionOrders{}, {}, {}, added);
    const auto node = [&members](std::uint64_t place) {
      const auto at = std::lower_bound(members.begin(), members.end(), place,
                                       [](const CoreTxn& txn, std::uint64_t p) { return txn.place < p; });
      return static_cast<std::uint32_t>(at - members.begin());
    };
    Dependencies all;
    all.txns = of_clock.txns;
    all.nodes = of_clock.nodes;
    all.begin.assign(all.nodes + std::size_t{1}, 0);
    for (const PlacedEdge& edge : inside) ++all.begin[node(edge.from) + 1];
    for (std::uint32_t v = 0; v < all.nodes; ++v) {
      all.begin[v + 1] += all.begin[v] + static_cast<std::uint32_t>(of_clock.from(v).size());
    }
    all.arcs.resize(all.begin.back());
    std::vector<std::uint32_t> at(all.begin.begin(), all.begin.end() - 1);
    for (const PlacedEdge& edge : inside)
      all.arcs[at[node(edge.from)]++] = {node(edge.to), static_cast<Edge>(edge.type)};
    for (std::uint32_t v = 0; v < all.nodes; ++v) {
      for (const graph::Arc arc : of_clock.from(v)) all.arcs[at[v]++] = arc;
    }
    // Versions that are open get an order of whole transactions.
    const graph::Nodes nodes = has_open_keys_ ? graph::Nodes::kTransactions : row_.nodes;
    return !graph::sort_nodes(all, nodes).components.empty();
  }

  static constexpr std::size_t kFewSpans = std::size_t{1} << 16;

  Ranks& ranks_;
  Parts& parts_;
  const Facts& facts_;
  const CyclesJob& job_;
  const graph::LevelRow& row_;
  CyclesAnswer answer_;
  bool has_open_keys_ = false;
  std::vector<PlacedEdge> edges_;
  std::vector<Span> spans_;
};

}  // namespace

std::string not_by_cycles(const Facts& facts, Level level) {
  const graph::LevelRow* const row = graph::row_of(level);
  if (row == nullptr || !row->needs_order || row->seen != graph::SeenRule::kNone || level == Level::kCursorStability)
    return fmt::format("{} is not judged by dependencies of keys alone", info(level).name);
  if (facts.has.predicates > 0) return "predicates look at all keys at once";
  if (facts.has.unknown > 0) return "transactions of unknown outcome may or may not count";
  if (facts.has.version_orders > 0 || facts.has.snapshots > 0) return "the order of versions is given by the database";
  if ((facts.flags & ~static_cast<std::uint32_t>(kSerialByCommitTs)) != 0) return "initial values are a guess";
  const bool timed = facts.has.start_ts > 0 || facts.has.commit_ts > 0;
  if (timed && info(level).family == LevelFamily::kSnapshot) return "timestamps are part of the question";
  return {};
}

Result<CyclesAnswer> judge_by_cycles(Ranks& ranks, Parts& parts, const Facts& facts, const CyclesJob& job) {
  return CyclesRun(ranks, parts, facts, job).run();
}

}  // namespace isolde::batch
