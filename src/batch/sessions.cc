// The transactions of a session lie in the parts of several ranks. What a rank has to know of those before is little:
// per session the latest commit, the last transaction and its number. So ranks say that of their own parts to the rank
// that answers for the session, which hands it on in the order of ranks; then each looks through its parts once more.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "batch/orders.h"
#include "history/fingerprint.h"
#include "history/session_gaps.h"

namespace isolde::batch {
namespace {

// What is known of a session behind some of its transactions.
struct SessionState {
  std::uint64_t session;     // a print of its name, of 64 bits
  EventPlace latest;         // commit
  std::uint64_t latest_txn;  // whose
  std::uint64_t last_txn;    // UINT64_MAX: none
  std::int64_t last_number;
  std::uint64_t used;  // transactions that did not abort

  void follow(const SessionState& next) {
    if (next.latest > latest) {
      latest = next.latest;
      latest_txn = next.latest_txn;
    }
    if (next.last_txn != UINT64_MAX) {
      last_txn = next.last_txn;
      last_number = next.last_number;
    }
    used += next.used;
  }
};

SessionState nothing_of(std::uint64_t session) { return {session, {}, 0, UINT64_MAX, kNoTime, 0}; }

class SessionChecker {
 public:
  SessionChecker(Parts& parts, const TimeForm& form, const CountedUnknown& counted, std::size_t most)
      : parts_(parts), form_(form), counted_(counted), most_(most) {}

  std::unordered_map<std::uint64_t, SessionState> states;
  SessionsFound found;

  // `judge`: findings are looked for; otherwise only what is behind the parts.
  Result<void> walk(bool judge) {
    for (std::size_t i = 0; i < parts_.count(); ++i) {
      auto part = parts_.load(i);
      if (!part) return std::move(part).error();
      const History& h = **part;
      std::vector<SessionState*> of_session;
      for (const ValueId name : h.columns().session_name) {
        const std::uint64_t print = raw64(fingerprint_of(h.values(), name));
        of_session.push_back(&states.try_emplace(print, nothing_of(print)).first->second);
      }
      for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
        take(h, TxnId{t}, parts_.first_place(i) + t, judge, *of_session[raw(h.session(TxnId{t}))]);
      }
    }
    return {};
  }

 private:
  void take(const History& h, TxnId t, std::uint64_t place, bool judge, SessionState& state) {
    if (judge) look_at_number(h, t, place, state);
    state.last_txn = place;
    state.last_number = h.sno(t);
    if (h.status(t) != Status::kAborted) ++state.used;
    if (!counts(h, t, place, counted_)) return;
    const TxnPlaces places = places_of(h, t, place, form_);
    if (judge && places.start.exists() && state.latest > places.start) {
      add_pair(found.order, {state.latest_txn, place}, state.latest.time == places.start.time);
    }
    if (places.commit > state.latest) {
      state.latest = places.commit;
      state.latest_txn = place;
    }
  }

  void look_at_number(const History& h, TxnId t, std::uint64_t place, const SessionState& state) {
    if (state.last_txn == UINT64_MAX || !is_numbered_apart(state.last_number, h.sno(t))) return;
    add_pair(found.gaps, {state.last_txn, place}, false);
  }

  void add_pair(PairsFound& to, PlacePair pair, bool same_time) const {
    if (same_time) {
      ++to.same_time;
      return;
    }
    ++to.count;
    if (to.first.size() < most_) to.first.push_back(pair);
  }

  Parts& parts_;
  const TimeForm form_;
  const CountedUnknown& counted_;
  const std::size_t most_;
};

// What each rank has before its parts, of the sessions in them. Also: whether some transaction follows another.
void hand_on(Ranks& ranks, SessionChecker& checker) {
  std::vector<std::vector<SessionState>> out(ranks.size());
  for (const auto& [print, state] : checker.states) out[mix64(print) % ranks.size()].push_back(state);
  auto in = exchanged(ranks, out);
  std::unordered_map<std::uint64_t, SessionState> so_far;
  std::vector<std::vector<SessionState>> back(ranks.size());
  for (std::size_t r = 0; r < in.size(); ++r) {
    for (const SessionState& state : in[r]) {
      const auto at = so_far.try_emplace(state.session, nothing_of(state.session)).first;
      back[r].push_back(at->second);
      at->second.follow(state);
    }
  }
  checker.found.sessions = so_far.size();
  checker.found.has_order =
      std::any_of(so_far.begin(), so_far.end(), [](const auto& entry) { return entry.second.used > 1; });
  checker.states.clear();
  for (const std::vector<SessionState>& states : exchanged(ranks, back)) {
    for (const SessionState& state : states) checker.states.emplace(state.session, state);
  }
}

// Those of rank 0 come first.
PairsFound in_order_of_ranks(Ranks& ranks, const PairsFound& own, std::size_t most) {
  PairsFound all;
  all.first = gathered(ranks, own.first);
  if (all.first.size() > most) all.first.resize(most);
  all.count = ranks.sum(own.count);
  all.same_time = ranks.sum(own.same_time);
  return all;
}

}  // namespace

bool counts(const History& h, TxnId t, std::uint64_t place, const CountedUnknown& counted) {
  const Status status = h.status(t);
  return status == Status::kCommitted ||
         (status == Status::kUnknown && std::binary_search(counted.begin(), counted.end(), place));
}

Result<SessionsFound> check_sessions(Ranks& ranks, Parts& parts, const TimeForm& form, const CountedUnknown& counted,
                                     std::size_t most) {
  SessionChecker checker(parts, form, counted, most);
  Result<void> good = checker.walk(false);
  hand_on(ranks, checker);
  if (good) good = checker.walk(true);
  if (auto agreed = ranks.agree(good); !agreed) return std::move(agreed).error();
  SessionsFound all;
  all.order = in_order_of_ranks(ranks, checker.found.order, most);
  all.gaps = in_order_of_ranks(ranks, checker.found.gaps, most);
  all.sessions = ranks.sum(checker.found.sessions);
  all.has_order = ranks.any(checker.found.has_order);
  return all;
}

Result<PlacesFound> check_places(Ranks& ranks, Parts& parts, const TimeForm& form, const CountedUnknown& counted,
                                 std::size_t most) {
  struct TimeOfBlock {
    std::uint64_t time, block;
    auto operator<=>(const TimeOfBlock&) const = default;
  };
  PlacesFound own;
  std::vector<std::vector<TimeOfBlock>> times(ranks.size());
  const auto look = [&]() -> Result<void> {
    for (std::size_t i = 0; i < parts.count(); ++i) {
      auto part = parts.load(i);
      if (!part) return std::move(part).error();
      for (std::uint32_t t = 0; t < (*part)->txn_count(); ++t) {
        const std::uint64_t place = parts.first_place(i) + t;
        if (!counts(**part, TxnId{t}, place, counted)) continue;
        const TxnPlaces places = places_of(**part, TxnId{t}, place, form);
        if (!places.open.empty()) {
          ++own.open;
          own.why_open = places.open;
          continue;
        }
        if (places.start_after_commit) {
          ++own.start_after_commit;
          if (own.first_start_after_commit.size() < most) own.first_start_after_commit.push_back(place);
        }
        const bool may_tie =
            form.is_serial() || places.block == Block::kUnknownStart || places.block == Block::kInstantWriter;
        if (form.order == AddedOrder::kNone || !may_tie) continue;
        times[mix64(places.commit.time) % ranks.size()].push_back(
            {places.commit.time, static_cast<std::uint64_t>(places.block)});
      }
    }
    return {};
  };
  const Result<void> looked = look();
  if (form.order != AddedOrder::kNone) {
    std::vector<TimeOfBlock> mine;
    for (const auto& some : exchanged(ranks, times)) mine.insert(mine.end(), some.begin(), some.end());
    std::sort(mine.begin(), mine.end());
    own.has_ties = std::adjacent_find(mine.begin(), mine.end()) != mine.end();
  }
  if (auto agreed = ranks.agree(looked); !agreed) return std::move(agreed).error();
  PlacesFound all;
  all.open = ranks.sum(own.open);
  all.why_open = own.why_open;
  all.start_after_commit = ranks.sum(own.start_after_commit);
  all.first_start_after_commit = gathered(ranks, own.first_start_after_commit);
  if (all.first_start_after_commit.size() > most) all.first_start_after_commit.resize(most);
  all.has_ties = ranks.any(own.has_ties);
  return all;
}

}  // namespace isolde::batch
