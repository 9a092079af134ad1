#include "batch/edges.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "batch/seen.h"
#include "check/cycles/fault_anomalies.h"
#include "check/cycles/trace.h"
#include "check/cycles/version_order.h"
#include "history/fingerprint.h"

namespace isolde::batch {
namespace {

using graph::Dependencies;
using graph::Edge;
using graph::EdgeSet;
using graph::LevelRow;
using graph::Trace;
using graph::VersionOrders;

constexpr std::size_t kMostFaults = 100'000;  // of one share; with more of them the history is looked at as a whole

// Whether the versions whose place is not known are single ones that nobody read, such as appends that no later read
// shows. They come after all that was read, and any order of them does: that in which a search put their writers
// contradicts nothing. So what is known decides, as long as all of it is in the graph.
bool only_unread_are_open(const VersionOrders& orders, std::uint32_t keys) {
  for (std::uint32_t k = 0; k < keys; ++k) {
    if (orders.heads_begin[k + 1] - orders.heads_begin[k] > graph::kMostSuccessors) return false;
  }
  return std::all_of(orders.heads.begin(), orders.heads.end(),
                     [&](graph::Version v) { return orders.next[v] == graph::kNoVersion; });
}

std::uint64_t open_pairs_of(const VersionOrders& orders) {
  std::uint64_t pairs = 0;
  for (std::size_t k = 0; k + 1 < orders.heads_begin.size(); ++k) {
    const std::uint64_t runs = orders.heads_begin[k + 1] - orders.heads_begin[k];
    if (runs > 0) pairs += runs * (runs - 1) / 2;
  }
  return pairs;
}

std::vector<PlacedEdge> placed(const KeyShare& share, const Dependencies& graph) {
  std::vector<PlacedEdge> out;
  out.reserve(graph.arcs.size());
  for (std::uint32_t t = 0; t < graph.txns; ++t) {
    for (const graph::Arc arc : graph.from(t)) out.emplace_back(share.place[t], share.place[arc.to()], arc.type());
  }
  return out;
}

class EdgeFinder {
 public:
  EdgeFinder(Ranks& ranks, Parts& parts, const Facts& facts, const EdgesJob& job)
      : ranks_(ranks), parts_(parts), facts_(facts), job_(job), row_(*job.row) {
    for (const Edge edge : {Edge::kWw, Edge::kWr, Edge::kRw}) {
      if (row_.edges.has(edge)) wanted_ = wanted_ | edge;
    }
  }

  Result<KeyEdges> run() {
    const Dealing dealing{ranks_.size(), job_.passes};
    const bool sees = row_.seen != graph::SeenRule::kNone;
    const bool sessions = row_.seen == graph::SeenRule::kAny && row_.edges.has(Edge::kSession);
    const DealtToo too{sessions, sees};
    for (unsigned pass = 0; pass < job_.passes; ++pass) {
      auto share = deal(ranks_, parts_, dealing, pass, file_order(), too);
      if (!share) return std::move(share).error();
      clear_ = add(*share) && clear_;
      keys_ += share->history.key_count();
    }
    out_.keys = ranks_.sum(keys_);
    out_.open_pairs = ranks_.sum(out_.open_pairs);
    out_.has_open_keys = ranks_.any(out_.has_open_keys);
    out_.has_faults = ranks_.any(!out_.faulty.empty());
    out_.repeats_values = ranks_.any(out_.repeats_values);
    out_.leads_backward = ranks_.any(std::any_of(out_.known.begin(), out_.known.end(), [](const PlacedEdge& e) {
      return e.is_backward() && e.type() != Edge::kSeen;
    }));
    // Timestamps would tell more of them.
    const bool told = !job_.guesses && out_.has_open_keys && facts_.has.start_ts + facts_.has.commit_ts > 0;
    if (ranks_.any(!clear_ || told))
      out_.open = "some read, or the order of some versions, is not explained by its key alone";
    return std::move(out_);
  }

 private:
  // False: it takes more than these keys to say what is the matter with them.
  bool add(const KeyShare& share) {
    HistoryColumns columns = share.history.columns();
    columns.start_ts = columns.commit_ts = {};
    const History h(columns, nullptr);
    const Trace trace = graph::trace_reads(h, row_.level, Limits{});
    if (trace.cut_short || !trace.untraceable.empty()) return false;
    VersionOrders orders = graph::order_versions(h, trace, row_.updates);
    if (!orders.ambiguous.empty() || !orders.notes.empty()) return false;
    if (!add_faults(h, trace, orders)) return false;
    if (trace.repeated > 0) out_.repeats_values = true;
    std::vector<PlacedEdge> known = placed(share, graph::find_dependencies(h, trace, orders, {}, {}, wanted_));
    if (row_.needs_order && orders.open != kNoKey) {
      out_.has_open_keys = true;
      if (!job_.guesses && !only_unread_are_open(orders, h.key_count())) return false;
      if (job_.guesses) add_guesses(share, h, trace, orders, known);
    }
    out_.known.insert(out_.known.end(), known.begin(), known.end());
    if (row_.seen != graph::SeenRule::kNone) add_accesses(share, trace);
    if (row_.seen == graph::SeenRule::kAny && row_.edges.has(Edge::kSession))
      add_earlier_in_session(share, trace, out_.known, out_.missed);
    return true;
  }

  // The keys of bad reads and lost updates.
  bool add_faults(const History& h, const Trace& trace, const VersionOrders& orders) {
    Verdict faults;
    faults.level = row_.level;
    Limits limits;
    limits.max_anomalies = kMostFaults;
    if (!graph::add_read_faults(h, trace, limits, faults)) return false;
    if (trace.breaks_a_rule && faults.total() == 0) return false;
    for (const graph::LostUpdate& lost : orders.lost_updates) faults.add(graph::lost_update(h, lost), kMostFaults);
    if (faults.total() > faults.anomalies.size()) return false;
    for (const Anomaly& a : faults.anomalies) {
      if (a.key == kNoKey) return false;
      out_.faulty.push_back(raw64(fingerprint_of(h.values(), h.columns().key_name[raw(a.key)])));
    }
    return true;
  }

  // What the order of the file adds: one guess, which decides the level if it closes no cycle.
  void add_guesses(const KeyShare& share, const History& h, const Trace& trace, VersionOrders& orders,
                   std::vector<PlacedEdge>& known) {
    out_.open_pairs += open_pairs_of(orders);
    std::vector<std::uint32_t> place(h.txn_count());
    std::iota(place.begin(), place.end(), 0U);
    graph::complete_orders(trace, place, graph::PlaceBy::kFirst, orders);
    std::vector<PlacedEdge> all = placed(share, graph::find_dependencies(h, trace, orders, {}, {}, wanted_));
    std::sort(known.begin(), known.end());
    std::erase_if(all, [&](const PlacedEdge& edge) { return std::binary_search(known.begin(), known.end(), edge); });
    out_.guessed.insert(out_.guessed.end(), all.begin(), all.end());
  }

  void add_accesses(const KeyShare& share, const Trace& trace) {
    for (const graph::VersionInfo& version : trace.versions) {
      if (trace.is_counted(version.txn))
        out_.writes.push_back({share.place[raw(version.txn)], keys_ + raw(version.key)});
    }
    for (const graph::TracedRead& read : trace.reads) {
      if (read.version == graph::kNoVersion) continue;
      const std::uint64_t writer =
          read.version == graph::kInitialVersion ? kNoPlace : share.place[raw(trace.versions[read.version].txn)];
      out_.reads.push_back({share.place[raw(read.txn)], writer, static_cast<std::uint32_t>(keys_) + raw(read.key),
                            share.offset[raw(read.op)]});
    }
  }

  Ranks& ranks_;
  Parts& parts_;
  const Facts& facts_;
  const EdgesJob& job_;
  const LevelRow& row_;
  EdgeSet wanted_;
  KeyEdges out_;
  std::uint64_t keys_ = 0;  // of this rank, in the passes so far
  bool clear_ = true;
};

}  // namespace

TimeForm file_order() {
  TimeForm form{LevelFamily::kSerializable, AddedOrder::kNone, timeline::Clock::kTimestamps};
  form.by_place = true;
  return form;
}

Result<KeyEdges> find_edges(Ranks& ranks, Parts& parts, const Facts& facts, const EdgesJob& job) {
  return EdgeFinder(ranks, parts, facts, job).run();
}

}  // namespace isolde::batch
