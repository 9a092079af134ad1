// check/exhaustive/model.h: a small history made ready for a search that tries everything: what keys can hold as small
// numbers, transactions as bits.
//
// In, out: a History -> the transactions that may count, their operations, and what a level's orders ask of pairs.
// Always:  equal contents have equal numbers, whatever operations led to them: a register, a row, a list, a counter.
//          What no data type explains (a counter that was no number) equals nothing that was read.
//          The numbering follows from the transactions alone, so nothing depends on the order of lines but names.
// Cost:    a content is made once and then looked up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"
#include "history/predicate_set.h"

namespace isolde::exhaustive {

inline constexpr std::uint32_t kMostTxns = 12;  // that committed or may have
inline constexpr std::uint32_t kMostKeys = 60;

using TxnSet = std::uint32_t;  // bit t: transaction t of the model
using KeySet = std::uint64_t;
using State = std::uint32_t;
using States = std::vector<State>;  // by key

constexpr bool has(TxnSet set, std::size_t t) { return (set >> t & 1U) != 0; }
constexpr TxnSet only(std::size_t t) { return TxnSet{1} << t; }
constexpr bool has_key(KeySet set, std::size_t k) { return (set >> k & 1U) != 0; }
constexpr KeySet only_key(std::size_t k) { return KeySet{1} << k; }

// Whether something is so, where a condition may have a fault that leaves it open.
enum class Fit : std::uint8_t { kNo, kOpen, kYes };

// How what nobody can tell is taken: a condition with a fault; an append to what is no list, which makes a list of it
// or leaves nothing that a read could return; a counter past 64 bits, likewise. What is explained strictly is explained
// leniently too, so a violation is shown leniently and an acceptance strictly.
enum class Reading : std::uint8_t { kStrict, kLenient };

struct Access {
  OpKind kind;  // kRead, kWrite, kAppend or kIncrement; kScan, kAggregate, kUpdate: what the predicate says of all keys
  std::uint32_t key = 0;
  State state = 0;         // kRead, kWrite
  ValueId value;           // as in the history
  std::uint32_t id = 0;    // place among all accesses of the model
  OpId op = kNoOp;         // of the history
  std::uint32_t look = 0;  // of a predicate: its place among the looks
};

struct Look {
  PredicateId predicate;
  std::vector<std::pair<std::uint32_t, State>> items;
  std::optional<States> looked;  // the version set, by key
};

struct SmallTxn {
  TxnId id;
  bool sure = true;  // committed; else of unknown outcome
  std::vector<Access> accesses;
  KeySet writes = 0;
};

struct Version {
  State state;
  std::uint32_t writer;  // kNobody: the initial one
  static constexpr std::uint32_t kNobody = kNone32;
};
using Versions = std::vector<std::vector<Version>>;  // by key

// One comes before the other, as wholes or by their commits.
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class Model {
 public:
  // Requires: at most kMostTxns transactions are not aborted, and kMostKeys keys.
  explicit Model(const History& history);

  // Why the history is not for this search; empty if it is.
  [[nodiscard]] const std::string& lack() const { return lack_; }

  std::vector<SmallTxn> txns;
  States initial;
  std::size_t keys = 0;
  TxnSet sure = 0, all = 0;
  bool has_looks = false, has_vsets = false;
  // Predicates may have looked at any versions, as long as who changed the matches comes before (repeatable-read).
  bool looks_anywhere = false;
  Reading reading = Reading::kLenient;
  const Limits* limits = nullptr;  // of the search at hand; who asks the model looks whether they ran out meanwhile

  // Reads and predicate operations that need an explanation, by operation of the history.
  std::vector<bool> asked;

  // Whether the two readings have differed.
  [[nodiscard]] bool met_doubt() const { return has_looks || met_doubt_; }

  [[nodiscard]] State apply(State before, const Access& write);
  void commit(States& states, std::size_t t);
  // Whether every read and predicate of `t` that is asked for returns what follows from `snapshot`, changed by its own
  // earlier operations; one with a version set: what follows from that.
  [[nodiscard]] bool explains(const States& snapshot, std::size_t t);
  // Whether its version sets agree with where it stands among all versions: `at` by key.
  [[nodiscard]] bool vsets_fit(std::size_t t, const Versions& versions, const std::vector<std::uint32_t>& at) const;

  // … whether what its predicates looked at, where that may be anything, may have been so.
  [[nodiscard]] bool looks_fit(std::size_t t, const Versions& versions, const std::vector<std::uint32_t>& at) const;
  // Whether what predicates say is about the whole order.
  [[nodiscard]] bool judged_at_last() const { return has_vsets || (looks_anywhere && has_looks); }

  [[nodiscard]] Pairs session_pairs() const;
  [[nodiscard]] Pairs realtime_pairs() const;
  // Every way to read the version orders that are given: an entry whose value several transactions wrote is one of
  // them. One way without a pair if none is given; no way if they contradict each other. Nothing: too many ways.
  [[nodiscard]] std::optional<std::vector<Pairs>> given_orders() const;

  [[nodiscard]] bool is_asked(const Access& a) const { return asked[raw(a.op)]; }
  [[nodiscard]] bool has_lists() const { return std::find(is_list_.begin(), is_list_.end(), true) != is_list_.end(); }
  [[nodiscard]] bool lenient() const { return reading == Reading::kLenient; }
  [[nodiscard]] const History& history() const { return h_; }
  [[nodiscard]] Fit matches(const Look& look, std::size_t key, State state) const;
  [[nodiscard]] bool accepts(Fit fit) const { return fit == Fit::kYes || (fit == Fit::kOpen && lenient()); }
  [[nodiscard]] const Look& look_of(const Access& a) const { return looks_[a.look]; }
  // Whether the result follows from these versions; from that of one key.
  [[nodiscard]] Fit follows(const Access& look, const States& states) const;
  [[nodiscard]] Fit follows_key(const Access& look, std::size_t key, State state) const;
  // … or from its version set, where its transaction had written the keys `own`. Requires: it has one.
  [[nodiscard]] Fit follows_vset(const Access& look, const States& now, KeySet own) const;
  // Whether its version set may have been looked at by one who stands at that version of the key: none between that
  // and the one looked at changes the matches. Requires: it has one, and `t` had not written the key.
  [[nodiscard]] bool vset_fits(const Access& look, std::size_t t, std::size_t key, const std::vector<Version>& versions,
                               std::size_t at) const;

 private:
  struct Content {
    enum class Type : std::uint8_t { kValue, kNumber, kList, kNothing } type = Type::kValue;
    ValueId value = kNullValue;
    std::int64_t number = 0;
    std::vector<ValueId> elements;
    friend auto operator<=>(const Content&, const Content&) = default;
  };

  void add_txn(TxnId t);
  void add_access(SmallTxn& txn, OpKind kind, KeyId key, ValueId value, OpId op);
  void add_look(SmallTxn& txn, OpHead head, ValueId value, OpId op);
  [[nodiscard]] State intern(Content content, ValueId plain);
  [[nodiscard]] State state_of(ValueId value, std::uint32_t key);
  [[nodiscard]] Content changed(Content content, const Access& write);
  [[nodiscard]] std::vector<State> may_have_looked_at(const Access& look, std::size_t t, std::size_t key,
                                                      const std::vector<Version>& versions, std::size_t at) const;
  [[nodiscard]] bool some_sum_fits(const Access& look, const std::vector<std::vector<State>>& choices) const;
  [[nodiscard]] bool changes_matches(const Look& look, std::size_t key, const std::vector<Version>& versions,
                                     std::size_t v) const;
  [[nodiscard]] std::vector<std::uint32_t> writers_of(KeyId key, ValueId value) const;
  // False: too many ways.
  bool add_order(const VersionOrder& order, std::vector<Pairs>& ways) const;

  const History& h_;
  const PredicateSet predicates_;
  std::string lack_;
  std::vector<bool> is_list_;  // by key
  std::map<Content, State> numbers_;
  std::vector<Content> contents_;  // by state
  std::vector<ValueId> plain_;     // by state: the value of the history that it came from
  std::unordered_map<std::uint64_t, State> applied_;
  std::vector<Look> looks_;
  std::uint32_t accesses_ = 0;
  bool met_doubt_ = false;
};

}  // namespace isolde::exhaustive
