// The levels that ask for less than one state a transaction: every order of all transactions, and in it every version
// that a read may have returned, held against the level's axiom.

#include <algorithm>

#include "proof/exhaustion.h"
#include "proof/operations.h"

namespace isolde::proof {
namespace {

// Of whom a transaction may not miss what they wrote, when it reads.
enum class Axiom : std::uint8_t { kNone, kReadBefore, kReadOrSession, kCausalPast };

struct AxiomRow {
  Level level;
  Axiom axiom;
  bool no_lost_update;
};
constexpr AxiomRow kAxioms[] = {
    {Level::kReadCommitted, Axiom::kNone, false},
    {Level::kCursorStability, Axiom::kNone, true},
    {Level::kMonotonicAtomicView, Axiom::kReadBefore, false},
    {Level::kStrongSessionMonotonicAtomicView, Axiom::kReadBefore, false},
    {Level::kReadAtomic, Axiom::kReadOrSession, false},
    {Level::kCausal, Axiom::kCausalPast, false},
};

class ViewTrial {
 public:
  ViewTrial(const History& history, const AxiomRow& axiom, const std::vector<TxnId>& counted,
            const std::vector<bool>& asked, const Matches* matches, const GivenOrders& orders, Patience& patience)
      : h_(history),
        axiom_(axiom),
        txns_(counted),
        asked_(asked),
        matches_(matches),
        orders_(orders),
        patience_(patience),
        sessions_(info(axiom.level).order != AddedOrder::kNone) {
    for (const TxnId t : txns_) touches_.push_back(touches(h_, t));
    // What version sets say is about later versions too; and a past depends on what others read.
    at_last_ = axiom.axiom == Axiom::kCausalPast;
    for (std::uint32_t i = 0; matches != nullptr && i < h_.op_count(); ++i) {
      at_last_ |= is_predicate(h_.op(i).kind()) && matches->details(OpId{i}).has_vset != 0;
    }
  }

  Tried run() {
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) versions_.push_back({{Content(h_.initial(KeyId{k})), kNobody}});
    return place(orders_.start());
  }

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;
  struct Left {
    Content content;
    std::size_t writer;
  };
  // Something read of what others left, and what it can have been.
  struct Seen {
    std::size_t reader;
    std::uint32_t key;
    OpId op;
    bool looked;  // by a predicate, at no certain time of the operation
    std::vector<std::size_t> versions;
  };
  struct Taken {
    const Seen* seen;
    std::size_t version;
  };
  // An aggregate: what it was of is known when all versions are chosen.
  struct Sum {
    std::size_t reader;
    OpId op;
    std::vector<ValueId> own;
  };

  Tried place(const GivenOrders::Places& places) {
    if (!patience_.spend(16)) return Tried::kTooMuch;
    if (order_.size() == txns_.size()) {
      if (!orders_.is_done(places)) return Tried::kNone;
      return at_last_ ? take_at_last() : Tried::kFound;
    }
    for (std::size_t i = 0; i < txns_.size(); ++i) {
      if (std::find(order_.begin(), order_.end(), i) != order_.end() || !session_allows(i)) continue;
      const std::size_t before = seen_.size();
      const std::size_t sums_before = sums_.size();
      bool fits = find_seen(i);
      if (fits && !at_last_) {
        const Tried alone = take(before, seen_.size());
        if (alone == Tried::kTooMuch) return alone;
        fits = alone == Tried::kFound;
      }
      if (fits) {
        GivenOrders::Places met = places;
        orders_.write(txns_[i], met);
        order_.push_back(i);
        const std::vector<KeyId> keys = keys_written(touches_[i]);
        leave(i, keys);
        const Tried tried = place(met);
        if (tried != Tried::kNone) return tried;
        for (const KeyId k : keys) versions_[raw(k)].pop_back();
        order_.pop_back();
      }
      seen_.resize(before);
      sums_.resize(sums_before);
    }
    return Tried::kNone;
  }

  [[nodiscard]] bool in_session_before(std::size_t a, std::size_t b) const {
    return sessions_ && h_.session(txns_[a]) == h_.session(txns_[b]) && txns_[a] < txns_[b];
  }
  [[nodiscard]] bool session_allows(std::size_t i) const {
    for (std::size_t j = 0; j < txns_.size(); ++j) {
      if (in_session_before(j, i) && std::find(order_.begin(), order_.end(), j) == order_.end()) return false;
    }
    return true;
  }
  void leave(std::size_t i, const std::vector<KeyId>& keys) {
    for (const KeyId k : keys) {
      Content content = versions_[raw(k)].back().content;
      versions_[raw(k)].push_back({std::move(content), i});
    }
    for (const Touch& touch : touches_[i]) {
      if (touch.kind != OpKind::kRead) versions_[raw(touch.key)].back().content.apply(h_.values(), touch);
    }
  }
  static ValueId plain(const Content& content) {
    return content.plain().value_or(content.is_nothing() ? kUnknownValue : kNoPlainValue);
  }
  [[nodiscard]] bool writes_key(std::size_t i, std::uint32_t key) const {
    return std::any_of(touches_[i].begin(), touches_[i].end(),
                       [key](const Touch& t) { return t.kind != OpKind::kRead && raw(t.key) == key; });
  }
  // The first version that the transaction may read, if it is placed next.
  [[nodiscard]] std::size_t first_to_read(std::size_t i, std::uint32_t key) const {
    return axiom_.no_lost_update && writes_key(i, key) ? versions_[key].size() - 1 : 0;
  }

  // False if something that it read can be of nothing that was left so far.
  bool find_seen(std::size_t i) {
    std::vector<ValueId> own(h_.key_count(), kNullValue);
    std::vector<bool> is_own(h_.key_count(), false);
    std::size_t r = 0;
    for (std::uint32_t op = h_.first_op(txns_[i]); op < h_.end_op(txns_[i]); ++op) {
      const bool looks = is_predicate(h_.op(op).kind()) && asked_[op] && matches_ != nullptr;
      if (looks && !find_looked(i, OpId{op}, own, is_own)) return false;
      for (; r < touches_[i].size() && touches_[i][r].op == OpId{op}; ++r) {
        const Touch& touch = touches_[i][r];
        if (touch.kind == OpKind::kRead) {
          if (asked_[op] && !find_read(i, r)) return false;
        } else {
          is_own[raw(touch.key)] = true;
          own[raw(touch.key)] = touch.value;  // asked of registers only
        }
      }
    }
    return true;
  }
  bool find_read(std::size_t i, std::size_t r) {
    const Touch& read = touches_[i][r];
    Seen seen{i, raw(read.key), read.op, false, {}};
    bool overwrites = false;
    for (std::size_t w = 0; w < r; ++w)
      overwrites |= touches_[i][w].key == read.key && touches_[i][w].kind == OpKind::kWrite;
    const auto& left = versions_[raw(read.key)];
    for (std::size_t v = overwrites ? 0 : first_to_read(i, raw(read.key)); v < left.size(); ++v) {
      Content content = left[v].content;
      for (std::size_t w = 0; w < r; ++w) {
        const Touch& write = touches_[i][w];
        if (write.key == read.key && write.kind != OpKind::kRead) content.apply(h_.values(), write);
      }
      if (content.equals(h_.values(), read.value)) seen.versions.push_back(v);
    }
    patience_.spend(left.size() * (r + 1));
    if (seen.versions.empty()) return false;
    if (!overwrites) seen_.push_back(std::move(seen));
    return true;
  }
  // What a predicate says of the keys that are not its rows.
  bool find_looked(std::size_t i, OpId op, const std::vector<ValueId>& own, const std::vector<bool>& is_own) {
    const bool has_vset = matches_->details(op).has_vset != 0;
    const OpKind kind = h_.op(raw(op)).kind();
    if (has_vset && cannot_follow(h_, *matches_, op, own, is_own)) return false;
    if (kind == OpKind::kAggregate && !has_vset) sums_.push_back({i, op, own});
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      const auto row = matches_->in_result(op, KeyId{k});
      const Match wrong = row ? Match::kNo : Match::kYes;
      const bool tells = !has_vset && kind != OpKind::kAggregate;
      if (is_own[k]) {
        if (tells && matches_->of(op, KeyId{k}, own[k]) == wrong) return false;
        continue;
      }
      if (row && kind == OpKind::kScan) {
        if (tells && matches_->of(op, KeyId{k}, *row) == wrong) return false;
        continue;  // the row is a read
      }
      Seen seen{i, k, op, true, {}};
      for (std::size_t v = first_to_read(i, k); v < versions_[k].size(); ++v) {
        if (!tells || matches_->of(op, KeyId{k}, plain(versions_[k][v].content)) != wrong) seen.versions.push_back(v);
      }
      patience_.spend(4 * versions_[k].size());
      if (seen.versions.empty()) return false;
      seen_.push_back(std::move(seen));
    }
    return true;
  }

  // The order is whole.
  Tried take_at_last() {
    const std::vector<Seen> all = seen_;
    for (Seen& seen : seen_) {
      if (!seen.looked || matches_->details(seen.op).has_vset == 0) continue;
      std::vector<LeftVersion> left;
      for (const Left& l : versions_[seen.key])
        left.push_back({plain(l.content), l.writer == kNobody ? kNoTxn : txns_[l.writer]});
      std::erase_if(seen.versions, [&](std::size_t v) {
        return !may_have_looked(*matches_, seen.op, KeyId{seen.key}, txns_[seen.reader], left, v);
      });
    }
    Tried tried = Tried::kFound;
    if (axiom_.axiom == Axiom::kCausalPast || seen_.empty()) {
      tried = take(0, seen_.size());
    } else {
      // What each read is its own matter.
      for (std::size_t from = 0; from < seen_.size() && tried == Tried::kFound;) {
        std::size_t to = from;
        while (to < seen_.size() && seen_[to].reader == seen_[from].reader) ++to;
        tried = take(from, to);
        from = to;
      }
    }
    seen_ = all;
    return tried;
  }

  // Every version for the reads [i, end). The depth is their number.
  Tried take(std::size_t i, std::size_t end) {
    if (!patience_.spend(4 + taken_.size())) return Tried::kTooMuch;
    if (i == end) return sums_agree() && allowed() ? Tried::kFound : Tried::kNone;
    for (const std::size_t v : seen_[i].versions) {
      taken_.push_back({&seen_[i], v});
      const Tried tried = take(i + 1, end);
      taken_.pop_back();
      if (tried != Tried::kNone) return tried;
    }
    return Tried::kNone;
  }
  [[nodiscard]] bool sums_agree() const {
    return std::all_of(sums_.begin(), sums_.end(), [this](const Sum& sum) {
      std::vector<ValueId> versions = sum.own;
      bool is_taken = false;
      for (const Taken& taken : taken_) {
        if (taken.seen->op != sum.op) continue;
        is_taken = true;
        versions[taken.seen->key] = plain(versions_[taken.seen->key][taken.version].content);
      }
      const bool all_own = std::none_of(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.op == sum.op; });
      return (!is_taken && !all_own) || !fails(h_, *matches_, sum.op, versions);
    });
  }

  // Whether nobody misses what one that it may not miss wrote after the version that it read.
  [[nodiscard]] bool allowed() const {
    if (axiom_.axiom == Axiom::kNone) return true;
    if (axiom_.axiom == Axiom::kReadBefore) return can_be_read_in_turn();
    for (const Taken& taken : taken_) {
      const auto& left = versions_[taken.seen->key];
      for (std::size_t v = taken.version + 1; v < left.size(); ++v) {
        if (left[v].writer != taken.seen->reader && is_known(left[v].writer, taken.seen->reader)) return false;
      }
    }
    return true;
  }

  // Whether the one wrote, to the key of the read, something newer than what was read.
  [[nodiscard]] bool is_newer(std::size_t writer, const Taken& read) const {
    const auto& left = versions_[read.seen->key];
    for (std::size_t v = read.version + 1; writer != kNobody && v < left.size(); ++v) {
      if (left[v].writer == writer) return true;
    }
    return false;
  }
  // A read that misses what another read's writer wrote must come before that read. Operations, and rows of one, stand
  // in their order; what a predicate looked at stands anywhere within its operation.
  [[nodiscard]] bool can_be_read_in_turn() const {
    const std::size_t n = taken_.size();
    std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b || taken_[a].seen->reader != taken_[b].seen->reader) continue;
        const Seen& first = *taken_[a].seen;
        const Seen& second = *taken_[b].seen;
        const bool fixed = first.op < second.op || (first.op == second.op && !first.looked && !second.looked && a < b);
        before[a][b] = fixed || is_newer(from(taken_[b]), taken_[a]);
      }
    }
    for (std::size_t via = 0; via < n; ++via) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; before[a][via] && b < n; ++b) before[a][b] = before[a][b] || before[via][b];
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      if (before[a][a]) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_known(std::size_t writer, std::size_t reader) const {
    if (axiom_.axiom == Axiom::kReadOrSession) return comes_before(writer, reader);
    // A chain of sessions and reads, found from its end.
    std::vector<bool> past(txns_.size(), false);
    std::vector<std::size_t> open{reader};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (std::size_t i = 0; i < txns_.size(); ++i) {
        if (past[i] || !comes_before(i, at)) continue;
        past[i] = true;
        open.push_back(i);
      }
    }
    return past[writer];
  }
  [[nodiscard]] std::size_t from(const Taken& taken) const { return versions_[taken.seen->key][taken.version].writer; }
  // In its session, or by a read.
  [[nodiscard]] bool comes_before(std::size_t a, std::size_t b) const {
    return in_session_before(a, b) || std::any_of(taken_.begin(), taken_.end(), [&](const Taken& taken) {
             return taken.seen->reader == b && from(taken) == a;
           });
  }

  const History& h_;
  const AxiomRow& axiom_;
  const std::vector<TxnId>& txns_;
  const std::vector<bool>& asked_;
  const Matches* const matches_;  // null: no predicates
  const GivenOrders& orders_;
  Patience& patience_;
  const bool sessions_;
  bool at_last_ = false;  // reads are judged when the order is whole
  std::vector<std::vector<Touch>> touches_;
  std::vector<std::vector<Left>> versions_;  // by key, so far
  std::vector<std::size_t> order_;
  std::vector<Seen> seen_;
  std::vector<Sum> sums_;
  std::vector<Taken> taken_;
};

}  // namespace

Tried try_views(const History& history, Level level, const std::vector<TxnId>& counted, const std::vector<bool>& asked,
                const Matches* matches, const GivenOrders& orders, Patience& patience) {
  const auto* const axiom =
      std::find_if(std::begin(kAxioms), std::end(kAxioms), [level](const AxiomRow& row) { return row.level == level; });
  if (axiom == std::end(kAxioms)) return Tried::kTooMuch;
  return ViewTrial(history, *axiom, counted, asked, matches, orders, patience).run();
}

}  // namespace isolde::proof
