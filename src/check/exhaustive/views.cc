#include "check/exhaustive/views.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/count_progress.h"

namespace isolde::exhaustive {
namespace {

// Whose writes a transaction must not miss.
enum class Knows : std::uint8_t {
  kNobody,
  kSoFar,   // those that it has read from before, read by read
  kDirect,  // those that it reads from at any time, and those before it in its session
  kPast,    // and those that these know of
};

struct ViewRule {
  Level level;
  Knows knows;
  bool writes_next;  // who reads a key and writes it writes the next version
};

// LevelInfo::order says whether session order counts.
constexpr ViewRule kViewRules[] = {
    {Level::kReadCommitted, Knows::kNobody, false},
    {Level::kCursorStability, Knows::kNobody, true},
    {Level::kMonotonicAtomicView, Knows::kSoFar, false},
    {Level::kStrongSessionMonotonicAtomicView, Knows::kSoFar, false},
    {Level::kReadAtomic, Knows::kDirect, false},
    {Level::kCausal, Knows::kPast, false},
};

const ViewRule* rule_of(Level level) {
  const auto* const at = std::find_if(std::begin(kViewRules), std::end(kViewRules),
                                      [level](const ViewRule& r) { return r.level == level; });
  return at == std::end(kViewRules) ? nullptr : at;
}

// A read of what others left.
struct OpenRead {
  std::uint32_t key;
  State state;                     // that it returned …
  std::vector<const Access*> own;  // … after these changes of the transaction itself
};

// What one operation reads: an item; or what a predicate says of all keys, and the rows that it returned, one by one.
struct Event {
  const Access* look = nullptr;
  std::vector<OpenRead> reads;
  KeySet own = 0;     // keys that the transaction had written, …
  States own_states;  // … and what it had left there
};

using Choices = std::vector<std::uint32_t>;  // versions of one key

class ViewSearch {
 public:
  ViewSearch(Model& model, const Asked& asked, const Limits& limits)
      : model_(model),
        rule_(*rule_of(asked.level)),
        limits_(limits),
        tried_(limits, "orders tried"),
        versions_(model.keys),
        events_(model.txns.size()),
        past_(model.txns.size(), 0),
        session_(model.txns.size(), 0) {
    for (std::size_t k = 0; k < model.keys; ++k) versions_[k].push_back({model.initial[k], Version::kNobody});
    if (info(asked.level).order != AddedOrder::kNone) {
      for (const auto& [a, b] : model.session_pairs()) {
        add(a, b);
        session_[b] |= only(a);
      }
    }
    for (const auto& [a, b] : asked.orders) add(a, b);
    for (std::size_t t = 0; t < model.txns.size(); ++t) {
      if (!collect(t)) impossible_ |= only(t);
    }
  }

  // The depth is the number of transactions.
  End extend(TxnSet placed) {
    limits_.spend(8 + model_.keys);
    tried_.add();
    if (limits_.exhausted()) return End::kStopped;
    if ((placed & model_.sure) == model_.sure && (!model_.has_vsets || all_fit_at_last(0, 0))) return End::kFound;
    struct Next {
      std::size_t txn;
      TxnSet past;
    };
    std::vector<Next> next;
    for (std::size_t t = 0; t < model_.txns.size(); ++t) {
      if (has(placed | impossible_, t) || (earlier_[t] & model_.sure & ~placed) != 0 || (later_[t] & placed) != 0)
        continue;
      // What version sets say is about later versions too, so everything is looked at when the order is whole.
      const std::vector<TxnSet> pasts = model_.has_vsets ? std::vector<TxnSet>{0} : views(t, placed);
      if (limits_.exhausted()) return End::kStopped;
      // Who writes nothing and whom nobody knows of hinders no other.
      const bool hinders_nobody = model_.txns[t].writes == 0 && (earlier_[t] & ~placed) == 0;
      if (!pasts.empty() && hinders_nobody && rule_.knows != Knows::kPast && !model_.has_vsets) {
        next.assign(1, {t, pasts.front()});
        break;
      }
      for (const TxnSet past : pasts) next.push_back({t, past});
    }
    for (const auto& [t, past] : next) {
      past_[t] = past;
      install(t);
      order_.push_back(t);
      const End end = extend(placed | only(t));
      if (end != End::kNone) return end;
      order_.pop_back();
      take_back(t);
    }
    return limits_.exhausted() ? End::kStopped : End::kNone;
  }

 private:
  void add(std::uint32_t a, std::uint32_t b) {
    earlier_[b] |= only(a);
    later_[a] |= only(b);
  }
  void install(std::size_t t) {
    States states;
    for (const auto& of_key : versions_) states.push_back(of_key.back().state);
    model_.commit(states, t);
    for (std::size_t k = 0; k < model_.keys; ++k) {
      if (has_key(model_.txns[t].writes, k)) versions_[k].push_back({states[k], static_cast<std::uint32_t>(t)});
    }
  }
  void take_back(std::size_t t) {
    for (std::size_t k = 0; k < model_.keys; ++k) {
      if (has_key(model_.txns[t].writes, k)) versions_[k].pop_back();
    }
  }

  // False if the transaction contradicts its own writes.
  bool collect(std::size_t t) {
    const auto& accesses = model_.txns[t].accesses;
    KeySet own = 0;
    KeySet overwritten = 0;
    States now = model_.initial;
    std::vector<std::vector<const Access*>> changes(model_.keys);
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const Access& a = accesses[i];
      if (is_item_write(a.kind)) {
        now[a.key] = model_.apply(now[a.key], a);
        own |= only_key(a.key);
        if (a.kind == OpKind::kWrite) overwritten |= only_key(a.key);
        changes[a.key].push_back(&a);
        continue;
      }
      if (!model_.is_asked(a)) continue;
      const bool row = a.kind == OpKind::kRead && is_predicate(model_.history().op(raw(a.op)).kind());
      if (!row)
        events_[t].push_back({.look = is_predicate(a.kind) ? &a : nullptr, .reads = {}, .own = own, .own_states = now});
      if (a.kind != OpKind::kRead) continue;
      if (!has_key(overwritten, a.key)) {
        events_[t].back().reads.push_back({.key = a.key, .state = a.state, .own = changes[a.key]});
      } else if (now[a.key] != a.state) {
        return false;
      }
    }
    return true;
  }

  // The least version of the key that does not miss what these wrote.
  [[nodiscard]] std::uint32_t floor(std::uint32_t key, TxnSet known) const {
    for (auto v = static_cast<std::uint32_t>(versions_[key].size()); v-- > 1;) {
      if (has(known, versions_[key][v].writer)) return v;
    }
    return 0;
  }
  [[nodiscard]] TxnSet writer(std::uint32_t key, std::uint32_t version) const {
    const std::uint32_t who = versions_[key][version].writer;
    return who == Version::kNobody ? 0 : only(who);
  }

  // The versions of the key, by `from` and missing none of `known`, that `t` may read at all.
  [[nodiscard]] Choices readable(std::size_t t, std::uint32_t key, TxnSet from, TxnSet known) const {
    Choices out;
    const auto& all = versions_[key];
    limits_.spend(all.size());
    for (std::uint32_t v = floor(key, known); v < all.size(); ++v) {
      if ((writer(key, v) & ~from) != 0) continue;
      if (rule_.writes_next && has_key(model_.txns[t].writes, key)) {
        const bool is_placed = order_.size() > 0 && v + 1 < all.size() && all[v + 1].writer == t;
        const bool comes_next = !model_.has_vsets && v + 1 == all.size();
        if (!is_placed && !comes_next) continue;
      }
      out.push_back(v);
    }
    return out;
  }
  Choices read_choices(std::size_t t, const OpenRead& read, TxnSet from, TxnSet known) {
    Choices out = readable(t, read.key, from, known);
    std::erase_if(out, [&](std::uint32_t v) {
      State state = versions_[read.key][v].state;
      for (const Access* const change : read.own) state = model_.apply(state, *change);
      return state != read.state;
    });
    return out;
  }

  // Keys that a predicate says something of beside its rows and what its transaction had written.
  [[nodiscard]] std::vector<std::uint32_t> looked_keys(const Event& event) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < model_.keys; ++k) {
      const bool row =
          std::any_of(event.reads.begin(), event.reads.end(), [k](const OpenRead& r) { return r.key == k; });
      if (!row && !has_key(event.own, k)) out.push_back(k);
    }
    return out;
  }
  // What follows from its own writes, its rows and its version set, whatever else was looked at.
  [[nodiscard]] bool result_fits(const Event& event) const {
    const Access& look = *event.look;
    if (model_.look_of(look).looked) return model_.accepts(model_.follows_vset(look, event.own_states, event.own));
    if (look.kind == OpKind::kAggregate) return true;
    for (const OpenRead& row : event.reads) {
      if (!model_.accepts(model_.follows_key(look, row.key, row.state))) return false;
    }
    for (std::uint32_t k = 0; k < model_.keys; ++k) {
      if (has_key(event.own, k) && !model_.accepts(model_.follows_key(look, k, event.own_states[k]))) return false;
    }
    return true;
  }
  // Of these versions, those that may have been looked at, as far as the key alone tells.
  Choices look_choices(std::size_t t, const Access& look, std::uint32_t key, Choices out) const {
    const auto& all = versions_[key];
    const auto& looked = model_.look_of(look).looked;
    std::erase_if(out, [&](std::uint32_t v) {
      if (looked) return !model_.vset_fits(look, t, key, all, v);
      return look.kind != OpKind::kAggregate && !model_.accepts(model_.follows_key(look, key, all[v].state));
    });
    return out;
  }
  // Calls f(versions) with each way to have looked at the keys until it returns true; whether it did.
  template <typename F>
  bool for_each_way(const Event& event, const std::vector<std::uint32_t>& keys, const std::vector<Choices>& choices,
                    F&& f) {
    if (std::any_of(choices.begin(), choices.end(), [](const Choices& c) { return c.empty(); })) return false;
    const bool joint = event.look->kind == OpKind::kAggregate && !model_.look_of(*event.look).looked;
    std::vector<std::size_t> digit(keys.size(), 0);
    Choices way(keys.size());
    for (;;) {
      limits_.spend(8 + keys.size());
      if (limits_.exhausted()) return false;
      States states = event.own_states;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        way[i] = choices[i][digit[i]];
        states[keys[i]] = versions_[keys[i]][way[i]].state;
      }
      if ((!joint || model_.accepts(model_.follows(*event.look, states))) && f(way)) return true;
      std::size_t i = 0;
      while (i < digit.size() && ++digit[i] == choices[i].size()) digit[i++] = 0;
      if (i == digit.size()) return false;
    }
  }
  [[nodiscard]] std::vector<Choices> ways_to_look(std::size_t t, const Event& event,
                                                  const std::vector<std::uint32_t>& keys, TxnSet from,
                                                  TxnSet known) const {
    std::vector<Choices> out;
    for (const std::uint32_t k : keys) out.push_back(look_choices(t, *event.look, k, readable(t, k, from, known)));
    return out;
  }

  // What `t` may know of if it comes after `placed`, one set a way to explain what it read; nothing if there is none.
  std::vector<TxnSet> views(std::size_t t, TxnSet placed) {
    if (rule_.knows == Knows::kNobody) return fits(t, placed, 0) ? std::vector<TxnSet>{0} : std::vector<TxnSet>{};
    if (rule_.knows == Knows::kSoFar) return fits_in_turn(t, placed) ? std::vector<TxnSet>{0} : std::vector<TxnSet>{};
    std::vector<TxnSet> found;
    const TxnSet before = session_[t] & placed;
    for (TxnSet set = placed;; set = (set - 1) & placed) {
      const bool whole = (before & ~set) == 0 && (rule_.knows != Knows::kPast || closed(set) == set);
      if (whole && fits(t, set, set)) found.push_back(set);
      if (set == 0 || (rule_.knows == Knows::kDirect && !found.empty())) break;
    }
    // Who knows less asks for less.
    std::vector<TxnSet> least;
    for (const TxnSet set : found) {
      if (std::none_of(found.begin(), found.end(), [set](TxnSet o) { return o != set && (o & ~set) == 0; }))
        least.push_back(set);
    }
    return least;
  }
  [[nodiscard]] TxnSet closed(TxnSet known) const {
    TxnSet all = known;
    for (std::size_t t = 0; t < model_.txns.size(); ++t) all |= has(known, t) ? past_[t] : 0U;
    return all;
  }

  // Whether all that `t` reads and looks at may be by `from`, and misses none of `known`.
  bool fits(std::size_t t, TxnSet from, TxnSet known) {
    for (const Event& event : events_[t]) {
      for (const OpenRead& read : event.reads) {
        if (read_choices(t, read, from, known).empty()) return false;
      }
      if (event.look == nullptr) continue;
      if (!result_fits(event)) return false;
      const auto keys = looked_keys(event);
      if (!for_each_way(event, keys, ways_to_look(t, event, keys, from, known), [](const Choices&) { return true; }))
        return false;
    }
    return true;
  }

  // Whether there is a way to read one after the other without missing what was known by then.
  bool fits_in_turn(std::size_t t, TxnSet placed) {
    std::set<TxnSet> known{0};
    for (const Event& event : events_[t]) {
      std::set<TxnSet> then;
      if (event.look != nullptr && !result_fits(event)) return false;
      for (const TxnSet set : known) {
        if (event.look == nullptr) {
          in_turn(t, event, {}, {}, {.placed = placed, .known = set}, then);
          continue;
        }
        const auto keys = looked_keys(event);
        for_each_way(event, keys, ways_to_look(t, event, keys, placed, set), [&](const Choices& way) {
          in_turn(t, event, keys, way, {.placed = placed, .known = set}, then);
          return false;
        });
      }
      known = std::move(then);
    }
    return !known.empty();
  }
  struct Turn {
    TxnSet placed, known;
    std::size_t row = 0;  // rows that were read
    KeySet looked = 0;    // places among `keys`
  };
  // The keys of one operation may have been looked at in any order, before, between and after its rows. The depth is
  // their number.
  void in_turn(std::size_t t, const Event& event, const std::vector<std::uint32_t>& keys, const Choices& way, Turn turn,
               std::set<TxnSet>& out) {
    limits_.spend(8);
    if (limits_.exhausted()) return;
    if (turn.row == event.reads.size() && turn.looked == only_key(keys.size()) - 1) {
      out.insert(turn.known);
      return;
    }
    if (turn.row < event.reads.size()) {
      const OpenRead& read = event.reads[turn.row];
      for (const std::uint32_t v : read_choices(t, read, turn.placed, turn.known)) {
        Turn next = turn;
        next.known |= writer(read.key, v);
        ++next.row;
        in_turn(t, event, keys, way, next, out);
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (has_key(turn.looked, i) || way[i] < floor(keys[i], turn.known)) continue;
      Turn next = turn;
      next.known |= writer(keys[i], way[i]);
      next.looked |= only_key(i);
      in_turn(t, event, keys, way, next, out);
      // A look that tells nothing new may as well come first.
      if (next.known == turn.known) return;
    }
  }

  // Of a whole order: everybody, one after the other. The depth is the number of transactions.
  bool all_fit_at_last(std::size_t i, TxnSet placed) {
    if (i == order_.size()) return true;
    const std::size_t t = order_[i];
    for (const TxnSet past : views(t, placed)) {
      past_[t] = past;
      if (all_fit_at_last(i + 1, placed | only(t))) return true;
    }
    return false;
  }

  Model& model_;
  const ViewRule& rule_;
  const Limits& limits_;
  CountProgress tried_;
  Versions versions_;
  std::vector<std::vector<Event>> events_;  // by transaction
  std::vector<std::size_t> order_;
  std::vector<TxnSet> past_, session_;
  std::array<TxnSet, kMostTxns> earlier_{}, later_{};
  TxnSet impossible_ = 0;
};

}  // namespace

bool is_about_views(Level level) { return rule_of(level) != nullptr; }

End find_views(Model& model, const Asked& asked, const Limits& limits) {
  return ViewSearch(model, asked, limits).extend(0);
}

}  // namespace isolde::exhaustive
