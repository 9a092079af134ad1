#include "check/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "check/accesses.h"
#include "check/timeline/found.h"
#include "check/timeline/missing.h"
#include "check/timeline/order.h"
#include "check/timeline/predicates.h"
#include "check/timeline/schedule.h"
#include "check/timeline/sweep.h"
#include "check/timeline/trace_reads.h"

namespace isolde {
namespace timeline {
namespace {

// One replay with everything that it leaves open.
struct Replay {
  Schedule schedule;
  Uncertain uncertain;
  SweepResult swept;
  std::vector<Finding> unreplayed;  // INT of transactions without a start
  std::vector<OrderFinding> session, realtime;
  std::vector<Placement> placements;
  PredicateReplay predicates;

  [[nodiscard]] bool cut_short() const { return swept.cut_short || predicates.cut_short; }
  [[nodiscard]] bool has_forced(bool snapshot) const {
    const auto forced = [](const Finding& f) { return f.forced; };
    return std::any_of(swept.findings.begin(), swept.findings.end(), forced) || !unreplayed.empty() ||
           !session.empty() || !realtime.empty() || predicates.sure > 0 ||
           (snapshot && !schedule.start_after_commit.empty()) ||
           std::any_of(placements.begin(), placements.end(),
                       [](const Placement& p) { return p.answer == Placement::Answer::kNowhere; });
  }
  [[nodiscard]] bool has_unforced() const {
    return predicates.open > 0 ||
           std::any_of(swept.findings.begin(), swept.findings.end(), [](const Finding& f) { return !f.forced; }) ||
           std::any_of(placements.begin(), placements.end(),
                       [](const Placement& p) { return p.answer == Placement::Answer::kUnclear; });
  }
};

class Timeline {
 public:
  Timeline(const History& history, Level level, const Limits& limits, Clock clock)
      : h_(history),
        clock_(clock),
        level_(info(level)),
        limits_(limits),
        snapshot_(level_.family == LevelFamily::kSnapshot),
        conditions_(history) {
    verdict_.level = level;
    verdict_.given = given_by(clock);
  }

  Verdict run() {
    Replay first = replay(make_schedule(h_, level_.family, level_.order, clock_, false));
    if (first.cut_short()) return out_of_limits();
    if (first.has_forced(snapshot_)) return violated(first);
    note_clock(first);
    const bool all_sure = first.schedule.floating_writers.empty() && first.schedule.maybes.empty();
    if (all_sure && !first.has_unforced()) return satisfied(first);
    if (auto verdict = try_to_place(first)) return *std::move(verdict);
    if (!first.schedule.maybes.empty()) {
      Replay with = replay(make_schedule(h_, level_.family, level_.order, clock_, true));
      if (auto verdict = try_to_place(with)) return *std::move(verdict);
    }
    return undecided(why_open(first.schedule));
  }

 private:
  Replay replay(Schedule schedule) {
    Replay r;
    r.schedule = std::move(schedule);
    for (const TxnId t : r.schedule.floating_writers) r.uncertain.add_writes_of(h_, t);
    for (const TxnId t : r.schedule.maybes) r.uncertain.add_writes_of(h_, t);
    for (const TieGroup& tie : r.schedule.ties) {
      for (std::uint32_t e = 0; e < tie.event_count; ++e) {
        const TxnId t = r.schedule.events[tie.first_event + e].txn();
        r.uncertain.in_ties.insert(raw(t));
        r.uncertain.add_writes_of(h_, t);
      }
    }
    finish(r);
    return r;
  }

  // Sweeps and looks at all that the sweep does not.
  void finish(Replay& r) {
    r.swept = sweep(h_, r.schedule, level_.family, level_.order, r.uncertain, keys_to_record(h_, r.schedule), limits_);
    if (r.swept.cut_short) return;
    for (const auto* group : {&r.schedule.missing_snapshot, &r.schedule.floating_writers}) {
      for (const TxnId t : *group) {
        if (r.swept.start_rank[raw(t)] != 0) continue;
        auto found = internal_findings(h_, t);
        r.unreplayed.insert(r.unreplayed.end(), std::make_move_iterator(found.begin()),
                            std::make_move_iterator(found.end()));
      }
    }
    const Ranks ranks{r.swept.start_rank, r.swept.commit_rank};
    if (level_.order != AddedOrder::kNone) r.session = session_findings(h_, ranks);
    if (level_.order == AddedOrder::kRealTime) r.realtime = realtime_findings(h_, ranks);
    // Among events of one time the order is ours, so what it breaks is not forced.
    const auto of_one_time = [&](const OrderFinding& f) {
      const std::int64_t start =
          snapshot_ && h_.start_ts(f.after) != kNoTime ? h_.start_ts(f.after) : serial_time(h_, f.after, clock_);
      return start == serial_time(h_, f.before, clock_);
    };
    if (std::erase_if(r.session, of_one_time) + std::erase_if(r.realtime, of_one_time) > 0) {
      r.placements.push_back({kNoTxn, Placement::Answer::kUnclear});
    }
    if (conditions_.defect().empty()) {
      r.predicates = ask_predicates(h_, conditions_, r.schedule, r.swept, level_.family, r.uncertain, limits_);
    }
    auto placed = place_missing(h_, r.schedule, r.swept, level_.family, level_.order, r.uncertain);
    r.placements.insert(r.placements.end(), placed.begin(), placed.end());
  }

  // Puts the floating writers right before the first read that saw them (at the end, if none did) and replays.
  std::optional<Verdict> try_to_place(const Replay& r) {
    if (r.schedule.floating_writers.empty()) {
      if (r.has_unforced() || r.has_forced(snapshot_)) return std::nullopt;
      return satisfied(r);
    }
    Replay placed;
    placed.schedule = r.schedule;
    std::vector<std::pair<std::uint32_t, TxnId>> inserts;  // in front of the event of that index
    inserts.reserve(r.schedule.floating_writers.size());
    for (const TxnId t : r.schedule.floating_writers)
      inserts.emplace_back(std::max(first_sight(r, t), r.swept.start_rank[raw(t)]), t);
    std::stable_sort(inserts.begin(), inserts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Event> events;
    events.reserve(r.schedule.events.size() + inserts.size() * 2);
    std::size_t next = 0;
    for (std::uint32_t e = 0; e <= r.schedule.events.size(); ++e) {
      for (; next < inserts.size() && inserts[next].first <= e; ++next) {
        const TxnId t = inserts[next].second;
        if (snapshot_ && r.swept.start_rank[raw(t)] == 0) events.push_back(Event::start(t));
        events.push_back(Event::commit(t));
      }
      if (e < r.schedule.events.size()) events.push_back(r.schedule.events[e]);
    }
    placed.schedule.events = std::move(events);
    placed.schedule.floating_writers.clear();
    placed.schedule.ties.clear();
    finish(placed);
    if (placed.cut_short() || !placed.swept.findings.empty() || placed.has_forced(snapshot_) || placed.has_unforced())
      return std::nullopt;
    return satisfied(placed);
  }

  // Index of the first event whose finding is explained by a write of `t`, or the number of events.
  [[nodiscard]] std::uint32_t first_sight(const Replay& r, TxnId t) const {
    Uncertain own;
    own.add_writes_of(h_, t);
    auto best = static_cast<std::uint32_t>(r.schedule.events.size());
    for (const Finding& f : r.swept.findings) {
      if (f.type != Finding::Type::kExternal || f.rank - 1 >= best) continue;
      bool saw = own.writes.contains(Uncertain::id(f.key, f.read));
      if (!saw && own.keys.contains(raw(f.key)) && f.expected_rich) saw = true;
      if (!saw && own.rich_keys.contains(raw(f.key))) saw = true;
      if (saw) best = f.rank - 1;
    }
    return best;
  }

  Verdict satisfied(const Replay& r) {
    if (!conditions_.defect().empty()) return undecided(conditions_.defect());
    verdict_.outcome = Outcome::kSatisfied;
    Witness& w = verdict_.witness;
    w.kind = snapshot_ ? Witness::Kind::kPoints : Witness::Kind::kSerialOrder;
    std::vector<Placement> placed = r.placements;
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placement& a, const Placement& b) { return a.after_rank < b.after_rank; });
    w.events.reserve(r.schedule.events.size() + placed.size() * 2);
    std::size_t next = 0;
    for (std::uint32_t rank = 0; rank <= r.schedule.events.size(); ++rank) {
      if (rank > 0) {
        const Event event = r.schedule.events[rank - 1];
        w.events.push_back(snapshot_ ? event.word() : raw(event.txn()));
      }
      for (; next < placed.size() && placed[next].after_rank == rank; ++next) {
        const TxnId t = placed[next].txn;
        if (!snapshot_) {
          w.events.push_back(raw(t));
          continue;
        }
        w.events.push_back(Witness::start_of(t));
        if (r.swept.commit_rank[raw(t)] == 0) w.events.push_back(Witness::commit_of(t));
      }
    }
    if (!placed.empty() && level_.order == AddedOrder::kRealTime && !keeps_orders(w)) {
      return undecided(why_open(r.schedule));
    }
    leave_predicates_open(r);
    return std::move(verdict_);
  }

  // If the witness does not show that the predicate operations are right.
  void leave_predicates_open(const Replay& r) {
    if (h_.columns().predicates.empty()) return;
    const auto leave_open = [&](std::string words) { verdict_.leave_open(WhyOpen::kEvidence, std::move(words)); };
    if (!r.predicates.undecided.empty()) return leave_open(r.predicates.undecided);
    if (r.placements.empty()) return;
    // The transactions without a start have got one by their item reads only.
    const PredicateReplay placed = replay_predicates(h_, conditions_, verdict_.witness.events,
                                                     snapshot_ ? EventForm::kPoints : EventForm::kSerial, limits_);
    if (placed.cut_short) return verdict_.leave_open(limits_);
    if (!placed.undecided.empty()) return leave_open(placed.undecided);
    if (!placed.explained()) leave_open(why_open(r.schedule));
  }

  // Places were chosen one by one; across the client's clock that may fail where another choice would not.
  [[nodiscard]] bool keeps_orders(const Witness& w) const {
    std::vector<std::uint32_t> start(h_.txn_count(), 0);
    std::vector<std::uint32_t> commit(h_.txn_count(), 0);
    for (std::uint32_t i = 0; i < w.events.size(); ++i) {
      const std::uint32_t t = snapshot_ ? w.events[i] >> 1 : w.events[i];
      if (!snapshot_ || (w.events[i] & 1) == 0) start[t] = i + 1;
      if (!snapshot_ || (w.events[i] & 1) != 0) commit[t] = i + 1;
    }
    const Ranks ranks{start, commit};
    return session_findings(h_, ranks).empty() && realtime_findings(h_, ranks).empty();
  }

  Verdict violated(const Replay& r) {
    verdict_.outcome = Outcome::kViolated;
    const Context context{h_, r.schedule, r.swept, level_.family, clock_};
    const std::size_t most = limits_.max_anomalies;
    add_findings(context, r.swept.findings, most, verdict_);
    add_findings(context, r.unreplayed, most, verdict_);
    add_order_findings(context, r.session, AnomalyKind::kSessionOrder, most, verdict_);
    add_order_findings(context, r.realtime, AnomalyKind::kRealtimeOrder, most, verdict_);
    add_unplaced(context, r.placements, most, verdict_);
    add_predicate_findings(context, r.predicates, most, verdict_);
    if (snapshot_) add_start_after_commit(context, most, verdict_);
    note_clock(r);
    if (!conditions_.defect().empty()) verdict_.notes.push_back(conditions_.defect());
    if (!snapshot_) verdict_.notes.push_back(order_note(clock_));
    return std::move(verdict_);
  }

  Verdict undecided(std::string words) {
    verdict_.leave_open(WhyOpen::kEvidence, std::move(words));
    return std::move(verdict_);
  }
  Verdict out_of_limits() {
    verdict_.leave_open(limits_);
    return std::move(verdict_);
  }

  [[nodiscard]] std::string why_open(const Schedule& s) const {
    std::vector<std::string> why;
    if (!s.floating_writers.empty()) {
      why.push_back(fmt::format("{} committed transactions that write have no {}", s.floating_writers.size(),
                                clock_ == Clock::kOrder ? "order" : "commit_ts"));
    }
    if (!s.maybes.empty())
      why.push_back(fmt::format("{} transactions of unknown outcome may or may not have been seen", s.maybes.size()));
    if (!s.ties.empty())
      why.push_back(fmt::format("{} groups of transactions with equal timestamps touch the same keys", s.ties.size()));
    if (!s.missing_snapshot.empty())
      why.push_back(fmt::format("{} transactions have no start_ts", s.missing_snapshot.size()));
    return fmt::format("the timestamps leave the order open: {}", fmt::join(why, "; "));
  }

  // Client clocks that contradict the timestamps: no violation of a level without real time, but worth knowing.
  void note_clock(const Replay& r) {
    if (level_.order == AddedOrder::kRealTime || h_.columns().begin.empty() || h_.columns().end.empty()) return;
    const auto found = realtime_findings(h_, {r.swept.start_rank, r.swept.commit_rank});
    if (found.empty()) return;
    verdict_.notes.push_back(clock_note(h_, level_, found.size(), found[0]));
  }

  const History& h_;
  const Clock clock_;
  const LevelInfo& level_;
  const Limits& limits_;
  const bool snapshot_;
  const PredicateSet conditions_;
  Verdict verdict_;
};

std::string timeline_lacks(const History& h, Level level) {
  const LevelInfo& l = info(level);
  if (l.family != LevelFamily::kSnapshot && l.family != LevelFamily::kSerializable) {
    return "timestamps decide the snapshot and serializable levels only";
  }
  if (h.txn_count() == 0) return {};
  if (h.columns().commit_ts.empty() && h.columns().start_ts.empty()) return "the history has no start_ts and commit_ts";
  if (h.columns().commit_ts.empty()) return "the history has no commit_ts";
  return {};
}

// Timestamps are a promise of their own, stronger than the bare level: the serializable family takes them as the
// serialization order only where somebody says that they are.
std::string timeline_passed_over(const History& h, Level level, bool order_by_commit) {
  if (info(level).family == LevelFamily::kSnapshot || order_by_commit || h.has_flag(kSerialByCommitTs)) return {};
  return "nothing says that commit timestamps are the serialization order (--order commit_ts)";
}

Verdict judge_by_timeline(CheckContext& context, Level level, const Limits& limits) {
  return judge(context.history(), level, limits, Clock::kTimestamps);
}

}  // namespace

Verdict judge(const History& history, Level level, const Limits& limits, Clock clock) {
  return Timeline(history, level, limits, clock).run();
}

}  // namespace timeline

constinit const Engine kTimelineEngine{.name = "timeline",
                                       .summary = "replay by the database's start and commit timestamps (Chronos)",
                                       .given = Given::kTimestamps,
                                       .taken_because = "the history has database timestamps",
                                       .passed_over = timeline::timeline_passed_over,
                                       .lacks = timeline::timeline_lacks,
                                       .judge = timeline::judge_by_timeline};

}  // namespace isolde
