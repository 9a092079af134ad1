#include "batch/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "batch/deal.h"
#include "batch/fetch.h"
#include "batch/sweeps.h"
#include "check/timeline/found.h"

namespace isolde::batch {
namespace {

using timeline::Finding;
using timeline::Found;

void sort_unique(std::vector<std::uint64_t>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

class TimelineRun {
 public:
  TimelineRun(Ranks& ranks, Parts& parts, const Facts& facts, const TimelineJob& job)
      : ranks_(ranks),
        parts_(parts),
        facts_(facts),
        job_(job),
        form_{info(job.level).family, info(job.level).order, job.clock},
        dealing_{ranks.size(), job.passes} {}

  Result<TimelineAnswer> run() {
    if (facts_.has.predicates > 0) return open("predicates look at all keys at once");
    if (facts_.has.unknown > 0) {
      if (auto found = find_counted(); !found) return std::move(found).error();
      if (!answer_.open.empty()) return std::move(answer_);
    }
    if (auto looked = look_at_places(); !looked) return std::move(looked).error();
    if (!answer_.open.empty()) return std::move(answer_);
    if (auto swept = sweep_all(); !swept) return std::move(swept).error();
    if (!answer_.open.empty()) return std::move(answer_);
    if (auto looked = look_at_orders(); !looked) return std::move(looked).error();
    const bool unclear = sessions_.order.same_time + realtime_.same_time > 0;
    const bool violated = ranks_.any(found_count_ > 0) || sessions_.order.count > 0 || realtime_.count > 0 ||
                          places_.start_after_commit > 0;
    // What stands at one time may be in either order, and another order might do.
    if (unclear && !violated) return open("transactions of one time contradict the order that the level adds");
    answer_.outcome = violated ? Outcome::kViolated : Outcome::kSatisfied;
    if (auto judged = judge(); !judged) return std::move(judged).error();
    return std::move(answer_);
  }

 private:
  TimelineAnswer open(std::string why) {
    answer_.open = std::move(why);
    return std::move(answer_);
  }

  // Who was seen may have seen others: rounds until nothing is new.
  Result<void> find_counted() {
    for (;;) {
      UnknownSeen own;
      for (unsigned pass = 0; pass < job_.passes; ++pass) {
        if (!share_) {
          auto dealt = deal(ranks_, parts_, dealing_, pass, form_);
          if (!dealt) return std::move(dealt).error();
          share_ = *std::move(dealt);
        }
        const UnknownSeen seen = who_was_seen(*share_, counted_);
        if (job_.passes > 1) share_.reset();
        own.yes.insert(own.yes.end(), seen.yes.begin(), seen.yes.end());
        own.maybe.insert(own.maybe.end(), seen.maybe.begin(), seen.maybe.end());
      }
      CountedUnknown yes = gathered(ranks_, own.yes);
      CountedUnknown maybe = gathered(ranks_, own.maybe);
      sort_unique(yes);
      sort_unique(maybe);
      if (yes != counted_) {
        counted_ = std::move(yes);
        continue;
      }
      const bool any_maybe = std::any_of(maybe.begin(), maybe.end(), [&](std::uint64_t place) {
        return !std::binary_search(counted_.begin(), counted_.end(), place);
      });
      if (any_maybe) answer_.open = "transactions of unknown outcome may or may not have been seen";
      return {};
    }
  }

  Result<void> look_at_places() {
    auto places = check_places(ranks_, parts_, form_, counted_, job_.max_anomalies);
    if (!places) return std::move(places).error();
    places_ = *std::move(places);
    if (places_.open > 0) {
      answer_.open = "the timestamps leave the place of transactions open";
    } else if (places_.has_ties) {
      answer_.open = "transactions have equal timestamps, and the level adds an order to them";
    }
    return {};
  }

  Result<void> sweep_all() {
    std::uint64_t keys = 0;
    bool ties = false;
    for (unsigned pass = 0; pass < job_.passes; ++pass) {
      if (!share_) {
        auto dealt = deal(ranks_, parts_, dealing_, pass, form_);
        if (!dealt) return std::move(dealt).error();
        share_ = *std::move(dealt);
      }
      ShareFindings found = sweep_share(*std::move(share_), dealing_.bucket(ranks_.rank(), pass), form_, counted_);
      share_.reset();
      keys += found.keys;
      ties = ties || found.has_ties;
      found_count_ += found.count;
      findings_ += found.findings;
      needed_.insert(needed_.end(), found.needed.begin(), found.needed.end());
    }
    answer_.keys = ranks_.sum(keys);
    if (ranks_.any(ties)) answer_.open = "transactions with equal timestamps touch the same keys";
    return {};
  }

  Result<void> look_at_orders() {
    auto sessions = check_sessions(ranks_, parts_, form_, counted_, job_.max_anomalies);
    if (!sessions) return std::move(sessions).error();
    sessions_ = *std::move(sessions);
    answer_.sessions = sessions_.sessions;
    answer_.orders = order_evidence_of(facts_, sessions_.has_order);
    if (form_.order == AddedOrder::kNone) sessions_.order = {};
    const bool is_added = form_.order == AddedOrder::kRealTime;
    if (facts_.has.begin == 0 || facts_.has.end == 0) return {};
    auto realtime =
        check_realtime(ranks_, parts_, form_, counted_, is_added ? job_.max_anomalies : 1, job_.passes, is_added);
    if (!realtime) return std::move(realtime).error();
    (is_added ? realtime_ : clocks_) = *std::move(realtime);
    return {};
  }

  // Brings together at rank 0 what was found and the transactions that it is about.
  Result<void> judge() {
    std::vector<std::uint64_t> places = gathered(ranks_, needed_);
    needed_ = {};
    for (const auto* pairs : {&sessions_.order, &sessions_.gaps, &realtime_, &clocks_}) {
      for (const PlacePair& pair : pairs->first) places.insert(places.end(), {pair.before, pair.after});
    }
    places.insert(places.end(), places_.first_start_after_commit.begin(), places_.first_start_after_commit.end());
    sort_unique(places);
    auto joiner = fetch(ranks_, parts_, places);
    if (!joiner) return std::move(joiner).error();
    const std::vector<std::string> found = ranks_.to_first(std::move(findings_));
    Result<void> good;
    if (ranks_.is_first()) good = judge_here(*std::move(joiner), found, places);
    return ranks_.agree(good);
  }

  Result<void> judge_here(HistoryJoiner joiner, const std::vector<std::string>& of_ranks,
                          const std::vector<std::uint64_t>& places) {
    std::vector<RemoteFinding> remote;
    for (const std::string& bytes : of_ranks) {
      auto read = read_findings(bytes, joiner.values());
      if (!read) return std::move(read).error();
      std::move(read->begin(), read->end(), std::back_inserter(remote));
    }
    auto joined = joiner.finish();
    if (!joined) return std::move(joined).error();
    answer_.part = *std::move(joined);
    const History& h = *answer_.part;
    if (h.txn_count() != places.size()) return Error{"transactions did not arrive; please report this"};
    const auto here = [&places](std::uint64_t place) {
      return TxnId{static_cast<std::uint32_t>(std::lower_bound(places.begin(), places.end(), place) - places.begin())};
    };
    const auto pairs = [&](const PairsFound& from, timeline::FirstOf<timeline::OrderFinding>& to) {
      to.count = from.count;
      for (const PlacePair& pair : from.first) to.first.push_back({here(pair.before), here(pair.after)});
    };
    Found out;
    pairs(sessions_.order, out.session);
    pairs(realtime_, out.realtime);
    pairs(clocks_, out.clocks);
    out.start_after_commit.count = places_.start_after_commit;
    for (const std::uint64_t place : places_.first_start_after_commit)
      out.start_after_commit.first.push_back(here(place));
    if (auto put = put_in_order(h, places, remote, out); !put) return put;
    Limits limits;
    limits.max_anomalies = job_.max_anomalies;
    answer_.verdict = timeline::judge_found(h, job_.level, limits, job_.clock, out);
    answer_.gap_count = sessions_.gaps.count;
    for (const PlacePair& pair : sessions_.gaps.first) answer_.gaps.push_back({here(pair.before), here(pair.after)});
    return {};
  }

  // Ranks of the events of these transactions among each other, and the findings in the order of a sweep.
  Result<void> put_in_order(const History& h, const std::vector<std::uint64_t>& places,
                            const std::vector<RemoteFinding>& remote, Found& out) const {
    std::vector<TxnPlaces> of_txn(h.txn_count());
    std::vector<EventPlace> events;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      const bool counted = counts(h, TxnId{t}, places[t], counted_);
      out.counts.push_back(counted ? timeline::Counts::kYes : timeline::Counts::kNo);
      if (!counted) continue;
      of_txn[t] = places_of(h, TxnId{t}, places[t], form_);
      for (const EventPlace& event : {of_txn[t].start, of_txn[t].commit}) {
        if (event.exists()) events.push_back(event);
      }
    }
    std::sort(events.begin(), events.end());
    events.erase(std::unique(events.begin(), events.end()), events.end());
    const auto rank_of = [&events](const EventPlace& event) {
      if (!event.exists()) return 0U;
      return static_cast<std::uint32_t>(std::lower_bound(events.begin(), events.end(), event) - events.begin()) + 1;
    };
    for (const TxnPlaces& txn : of_txn) out.commit_rank.push_back(rank_of(txn.commit));

    std::vector<std::uint64_t> bucket_of_key;
    for (const ValueId name : h.columns().key_name) bucket_of_key.push_back(dealing_.bucket_of(h.values(), name));
    for (const RemoteFinding& r : remote) {
      const auto at = std::lower_bound(places.begin(), places.end(), r.txn);
      const auto other = std::lower_bound(places.begin(), places.end(), r.other);
      Finding f{r.type,
                true,
                r.expected_rich,
                TxnId{static_cast<std::uint32_t>(at - places.begin())},
                0,
                0,
                kNoKey,
                kNullValue,
                r.expected,
                kNoTxn,
                {},
                {}};
      if (r.has_other) f.other = TxnId{static_cast<std::uint32_t>(other - places.begin())};
      std::uint64_t left = r.op;
      std::uint32_t op = h.first_op(f.txn);
      while (op < h.end_op(f.txn) && (bucket_of_key[raw(h.op(op).key())] != r.bucket || left-- > 0)) ++op;
      if (op == h.end_op(f.txn)) return Error{"an operation that another rank found is not there; please report this"};
      f.op = op;
      f.key = h.op(op).key();
      f.read = h.op_value(op);
      f.expected_elements = r.expected_elements;
      f.expected_text = r.expected_text;
      const TxnPlaces& txn = of_txn[raw(f.txn)];
      f.rank = rank_of(f.type == Finding::Type::kConflict ? txn.commit : txn.start);
      out.findings.push_back(std::move(f));
    }
    std::stable_sort(out.findings.begin(), out.findings.end(), [](const Finding& a, const Finding& b) {
      return std::tie(a.rank, a.op) < std::tie(b.rank, b.op);
    });
    return {};
  }

  Ranks& ranks_;
  Parts& parts_;
  const Facts& facts_;
  const TimelineJob& job_;
  const TimeForm form_;
  const Dealing dealing_;
  TimelineAnswer answer_;
  CountedUnknown counted_;
  std::optional<KeyShare> share_;  // dealt, but not yet swept
  PlacesFound places_;
  SessionsFound sessions_;
  PairsFound realtime_, clocks_;  // at levels that add real time; at others
  std::uint64_t found_count_ = 0;
  std::string findings_;
  std::vector<std::uint64_t> needed_;
};

}  // namespace

Result<TimelineAnswer> judge_by_time(Ranks& ranks, Parts& parts, const Facts& facts, const TimelineJob& job) {
  return TimelineRun(ranks, parts, facts, job).run();
}

}  // namespace isolde::batch
