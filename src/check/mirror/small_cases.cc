// check/mirror: what bounds leave open is tried out where it is small: every order of the moments on a few keys.
//
// In, out: a transaction that was judged and touches keys where something is open (a value written twice, an unknown
//          writer, a delete that may have found no row, versions in no certain order) -> told, if no order explains it.
// Always:  all writers of the keys are among the cases, and nothing else than what was read of them must hold: so who
//          finds no order there finds none at all. More than a bounded number of steps: nothing is said.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

constexpr std::size_t kMostKeys = 6, kMostMoments = 40, kMostTxns = 24;
constexpr std::size_t kMostSteps = 4096;

struct Check {
  std::size_t key;
  Print value;
};
struct Install {
  std::size_t key;
  Print value;
  const Version* step;  // whose appends and increments are made, or null
  std::size_t look;     // the moment at which a delete looked for its row; kMostMoments: it is certain
};
struct Case {
  std::int64_t lo, hi;
  std::uint64_t before = 0;  // those that come first
  std::uint64_t after = 0;   // of what may not be: those that come after it if it is
  NodeId node = kNoNode;
  bool may_not_be = false;  // an unknown transaction's commit
  std::vector<Check> checks = {};
  std::vector<Install> installs = {};
  std::size_t looks_at = kMostKeys;  // a delete's look at its row
};

class SmallCases {
 public:
  explicit SmallCases(Core& core) : core_(core) {}

  // False: no order is possible. True: one is, or there are too many to try.
  bool possible(TxnSlot slot) {
    gather_keys(core_.txns[slot]);
    if (keys_.empty() || !add_writers() || !add_readers()) return true;
    add_orders();
    std::array<Print, kMostKeys> state{};
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const KeyState& key = core_.keys[keys_[k]];
      if (key.has(kBaseUnknown | kLossy)) return true;
      state[k] = key.base;
    }
    const bool found = search(0, 0, state);
    return found || steps_ > kMostSteps;
  }

  // What was read of these keys is not asked again.
  void give_up_reads() {
    for (TakenRead* read : reads_) read->flags |= kRefused;
  }
  [[nodiscard]] const std::vector<Print>& txns() const { return ids_; }
  [[nodiscard]] KeySlot key() const { return keys_.front(); }
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  void add_key(KeySlot key) {
    if (!core_.keys[key].has(kOpen)) return;
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
  }
  void gather_keys(const Taken& txn) {
    for (const TakenRead& read : txn.reads) add_key(read.key);
    for (const TakenWrite& write : txn.writes) add_key(write.key);
    for (int round = 0; round < 2 && !keys_.empty() && keys_.size() <= kMostKeys; ++round) {
      for (const Core::Place& place : core_.unclosed) {
        const Taken& other = core_.txns[place.slot];
        if (!other.live || other.number != place.number || !other.judged) continue;
        const bool shares = std::any_of(other.reads.begin(), other.reads.end(), [&](const TakenRead& read) {
          return std::find(keys_.begin(), keys_.end(), read.key) != keys_.end();
        });
        if (!shares) continue;
        for (const TakenRead& read : other.reads) add_key(read.key);
      }
    }
    if (keys_.size() > kMostKeys) keys_.clear();
  }

  struct Writer {
    TxnSlot slot;
    Print id;
    std::size_t commit;
  };
  bool add_writers() {
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      for (const Version& v : core_.keys.versions(keys_[k])) {
        if (!v.has(kInstalled | kMaybe) || v.has(kOverwritten)) continue;
        // Whoever may come before the settled version, or may have looked before it, needs what is no longer held.
        const std::int64_t settled = core_.keys[keys_[k]].base_hi;
        if (v.lo <= settled && !v.has(kAfterBase)) return false;
        if (v.has(kDelete) && v.lock_hi <= settled) return false;
        auto writer = std::find_if(writers_.begin(), writers_.end(), [&](const Writer& w) { return w.id == v.txn; });
        if (writer == writers_.end()) {
          if (writers_.size() == kMostTxns || cases_.size() + 2 > kMostMoments) return false;
          const Moment commit = core_.commit_of(v);
          cases_.push_back({commit.lo, commit.hi, 0, 0, commit.node, v.has(kMaybe)});
          writers_.push_back({v.slot, v.txn, cases_.size() - 1});
          ids_.push_back(v.txn);
          writer = writers_.end() - 1;
        }
        Install install{k, v.value, nullptr, kMostMoments};
        if (v.has(kStepwise)) install.step = &v;
        if (v.has(kDelete)) {
          if (cases_.size() == kMostMoments) return false;
          install.look = cases_.size();
          // Up to its commit, which `before` says: a statement without an interval may be as late as that.
          cases_.push_back({v.lock_hi, core_.commit_of(v).hi, 0, 0, kNoNode, v.has(kMaybe)});
          cases_.back().looks_at = k;
          cases_[writer->commit].before |= std::uint64_t{1} << install.look;
        }
        cases_[writer->commit].installs.push_back(install);
      }
    }
    return true;
  }

  bool add_readers() {
    for (const Core::Place& place : core_.unclosed) {
      Taken& txn = core_.txns[place.slot];
      if (!txn.live || txn.number != place.number || !txn.judged || !txn.counts || txn.late) continue;
      std::vector<std::pair<std::uint32_t, std::size_t>> of_moment;
      for (TakenRead& read : txn.reads) {
        const auto key = std::find(keys_.begin(), keys_.end(), read.key);
        if (key == keys_.end() || (read.flags & kRefused) != 0) continue;
        // Who may have read before the settled version was there needs what is no longer held.
        if (txn.moments[read.moment].lo <= core_.keys[read.key].base_hi) continue;
        auto at =
            std::find_if(of_moment.begin(), of_moment.end(), [&](const auto& m) { return m.first == read.moment; });
        if (at == of_moment.end()) {
          if (cases_.size() == kMostMoments) return false;
          const ReadMoment& m = txn.moments[read.moment];
          const Moment now = core_.now({m.lo, m.hi, m.node, kNoTxnSlot});
          cases_.push_back({now.lo, now.hi, 0, 0, now.node});
          of_moment.emplace_back(read.moment, cases_.size() - 1);
          at = of_moment.end() - 1;
          for (const Writer& writer : writers_) {
            if (writer.id == txn.id) cases_[writer.commit].before |= std::uint64_t{1} << at->second;
          }
          if (std::find(ids_.begin(), ids_.end(), txn.id) == ids_.end()) ids_.push_back(txn.id);
        }
        cases_[at->second].checks.push_back({static_cast<std::size_t>(key - keys_.begin()), read.value});
        reads_.push_back(&read);
      }
    }
    return !reads_.empty();
  }

  void add_orders() {
    for (Case& c : cases_) {
      if (c.node == kNoNode) continue;
      const std::uint64_t bit = std::uint64_t{1} << (&c - cases_.data());
      core_.moments.for_each_after(c.node, [&](const MomentEdge& edge) {
        for (Case& next : cases_) {
          if (next.node != edge.node) continue;
          if (c.may_not_be) {
            c.after |= std::uint64_t{1} << (&next - cases_.data());
          } else {
            next.before |= bit;
          }
        }
      });
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!cases_[i].may_not_be) needed_ |= std::uint64_t{1} << i;
    }
  }

  // Each order is followed with the earliest readings that it allows: those already done have decided them.
  bool search(std::uint64_t done, std::uint64_t found_rows, const std::array<Print, kMostKeys>& state) {
    if ((done & needed_) == needed_) return true;
    if (++steps_ > kMostSteps) return true;
    std::uint64_t hash = mix64(done ^ (found_rows * 0x9e3779b97f4a7c15ULL));
    for (std::size_t k = 0; k < keys_.size(); ++k) hash = mix64(hash + raw64(state[k]) + k);
    if (!failed_.insert(hash).second) return false;
    std::int64_t now = kAlways;
    std::int64_t latest = kNever;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const bool is_done = (done >> i & 1U) != 0;
      if (is_done) now = std::max(now, cases_[i].lo);
      if (!is_done && !cases_[i].may_not_be) latest = std::min(latest, cases_[i].hi);
    }
    if (now > latest) return false;
    // A read that holds and costs no time is made at once: it changes nothing.
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& c = cases_[i];
      if ((done >> i & 1U) != 0 || c.checks.empty() || c.lo > now || (c.before & ~done) != 0 || !holds(c, state))
        continue;
      return search(done | std::uint64_t{1} << i, found_rows, state);
    }
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& c = cases_[i];
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((done & bit) != 0 || (c.before & ~done) != 0 || (c.after & done) != 0) continue;
      if (std::max(now, c.lo) > latest || now > c.hi || !holds(c, state)) continue;
      std::uint64_t rows = found_rows;
      if (c.looks_at != kMostKeys && state[c.looks_at] != kNullPrint) rows |= bit;
      auto after = state;
      bool fits = true;
      for (const Install& install : c.installs) fits = fits && make(install, rows, after);
      if (!fits) return true;  // a list plus a number, or beyond what prints hold: nothing is said
      if (search(done | bit, rows, after)) return true;
    }
    return false;
  }

  static bool holds(const Case& c, const std::array<Print, kMostKeys>& state) {
    return std::all_of(c.checks.begin(), c.checks.end(),
                       [&](const Check& check) { return state[check.key] == check.value; });
  }

  bool make(const Install& install, std::uint64_t rows, std::array<Print, kMostKeys>& state) const {
    if (install.look != kMostMoments && (rows >> install.look & 1U) == 0) return true;  // found no row
    if (install.step == nullptr) {
      state[install.key] = install.value;
      return true;
    }
    const auto next = after_version(core_, *install.step, keys_[install.key], state[install.key]);
    if (next) state[install.key] = *next;
    return next.has_value();
  }

  Core& core_;
  std::vector<KeySlot> keys_;
  std::vector<Case> cases_;
  std::vector<Writer> writers_;
  std::vector<TakenRead*> reads_;
  std::vector<Print> ids_;
  std::uint64_t needed_ = 0;
  std::size_t steps_ = 0;
  std::unordered_set<std::uint64_t> failed_;
};

}  // namespace

void try_small_cases(Core& core, TxnSlot slot) {
  if (core.credit < 0) return;
  SmallCases cases(core);
  const bool possible = cases.possible(slot);
  core.credit -= static_cast<std::int64_t>(cases.steps() + core.unclosed.size());
  if (possible) return;
  const Taken& txn = core.txns[slot];
  Found found{.kind = AnomalyKind::kNoOrder, .rule = "consistent read", .txns = {txn.id}, .text = {}};
  for (const Print id : cases.txns()) {
    if (id != txn.id) found.txns.push_back(id);
  }
  found.key = core.keys[cases.key()].key;
  found.time = txn.end;
  found.text = "no order of these transactions' commits and reads within their intervals gives what was read of it";
  cases.give_up_reads();
  tell(core, std::move(found));
}

}  // namespace isolde::mirror
