// check/solver/polygraph_prune.h: the choices that have only one way left, found by reachability, to a fixpoint.
//
// In, out: a Problem -> edges that follow from it, each with what it rests on; the table of who reaches whom.
// Always:  "a before b" is decided exactly when the other way would close a cycle with what is known; a candidate of a
//          read is ruled out likewise. Everything found names how much was known then, so that explanations are well
//          founded.
// Cost:    for each writer and chain only the last writer of the key on that chain that newly comes before is looked
// at:
//          no pair is looked at that the chains show.
// Source:  Cobra (section 3.4).
#pragma once

#include <cstdint>
#include <vector>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "check/solver/problem.h"
#include "check/solver/reachability.h"

namespace isolde::solver {

// `before` comes before `after`. The other way, an edge would close a cycle: that of "after before before" itself, or
// (read) the one from the reader of `after` to `before`.
struct Decision {
  TxnId before, after;
  std::uint32_t read;   // kNoRead: the edge between the two
  std::uint32_t known;  // it rests on the first `known` derived edges at most
};

// A read's candidate that would close a cycle: by its edge to the reader, or by the one from the reader to `over`.
struct RuledOut {
  std::uint32_t read;
  TxnId candidate;
  TxnId over;              // kNoTxn: the edge to the reader
  std::uint32_t decision;  // that the candidate comes before `over`; kNone32: none is needed
  std::uint32_t known;
};

struct Derived {
  Link link;
  std::uint32_t decision;  // kNone32: it rests on the read alone
};

// A writer of a key, where it stands on its chain, and its place in Problem::keys.
struct WriterAt {
  std::uint32_t chain, place;
  TxnId txn;
  std::uint32_t slot;
};

class Pruner {
 public:
  enum class Outcome : std::uint8_t {
    kFixpoint,
    kKnownCycle,   // the known edges alone
    kCycle,        // with the derived edges, the last one if `closing()`
    kNoCandidate,  // all candidates of read `emptied()` are ruled out
    kLimit
  };

  Pruner(const Problem& problem, const Limits& limits);
  [[nodiscard]] Outcome run();

  [[nodiscard]] const Reachability& reach() const { return reach_; }
  [[nodiscard]] const std::vector<Derived>& derived() const { return derived_; }
  [[nodiscard]] const std::vector<Decision>& decisions() const { return decisions_; }
  [[nodiscard]] const std::vector<RuledOut>& ruled_out() const { return ruled_out_; }
  [[nodiscard]] bool closing() const { return closing_; }
  [[nodiscard]] std::uint32_t emptied() const { return emptied_; }
  [[nodiscard]] const std::string& limit() const { return limit_; }
  [[nodiscard]] std::uint64_t pairs_at_start() const { return pairs_at_start_; }
  [[nodiscard]] std::uint32_t table_knows() const { return table_knows_; }

  // Pairs of writers of one key, counted once for each key, that have no known order.
  [[nodiscard]] std::uint64_t open_pairs() const;

  [[nodiscard]] bool is_before(TxnId a, TxnId b) const {
    return reach_.reaches(problem_.write_node(a), problem_.overwrite_node(b));
  }
  // Of a read that is not fixed, by place among its candidates.
  [[nodiscard]] bool is_ruled_out(std::uint32_t read, std::uint32_t candidate) const {
    return dead_[dead_begin_[read] + candidate];
  }
  // kNone32: still several. Else the place in Problem::candidates of the only one left.
  [[nodiscard]] std::uint32_t fixed(std::uint32_t read) const { return fixed_[read]; }
  // Calls f(read) for the fixed reads of what Problem::keys[slot] of its transaction wrote.
  template <typename F>
  void each_reader(std::uint32_t slot, F&& f) const {
    for (std::uint32_t r = first_reader_[slot]; r != kNoRead; r = next_reader_[r]) f(r);
  }
  // Calls f(slot of a, slot of b) for each key that both write.
  template <typename F>
  void each_common_key(TxnId a, TxnId b, F&& f) const {
    std::uint32_t i = problem_.keys_begin[raw(a)], j = problem_.keys_begin[raw(b)];
    const std::uint32_t i_end = problem_.keys_begin[raw(a) + 1], j_end = problem_.keys_begin[raw(b) + 1];
    while (i < i_end && j < j_end) {
      if (problem_.keys[i] < problem_.keys[j]) {
        ++i;
      } else if (problem_.keys[j] < problem_.keys[i]) {
        ++j;
      } else {
        f(i++, j++);
      }
    }
  }

  // The writers of a key by chain and place.
  [[nodiscard]] std::span<const WriterAt> by_write(KeyId key) const;
  // Where in Problem::keys a transaction's write of a key stands. Requires: it has one.
  [[nodiscard]] std::uint32_t slot_of(TxnId txn, KeyId key) const;

 private:
  void index_writers();
  void index_hot_keys();
  bool load();
  void add_initial_reads();
  void handle(Node node);
  void handle_writes(TxnId txn);
  void handle_read(std::uint32_t read);
  struct HotKey {
    KeyId key;
    std::vector<std::uint64_t> write, overwrite;  // which chains are of its writers
  };
  template <typename F>
  void last_fresh_bits(const HotKey& hot, const std::vector<std::uint64_t>& mask, F&& f);
  template <typename F>
  void last_fresh(std::span<const WriterAt> writers, F&& f);
  void decide(const WriterAt& before, TxnId after, std::uint32_t read);
  void derive(Link link, const Decision* why, std::uint32_t& decision);
  bool flush();
  void spend();
  Outcome cut_short();
  bool check_reads();
  bool check_read(std::uint32_t read);
  void fix(std::uint32_t read, std::uint32_t candidate);
  [[nodiscard]] std::span<const WriterAt> by_overwrite(KeyId key) const;

  const Problem& problem_;
  const Limits& limits_;
  Reachability reach_;
  std::vector<WriterAt> by_write_, by_overwrite_;  // per key as Problem::writers, by chain and place
  std::uint32_t indexed_cover_ = 0;
  std::vector<std::uint32_t> fixed_, first_reader_, next_reader_, open_reads_;
  std::vector<TxnId> reader_;  // of Problem::reads
  std::vector<std::size_t> dead_begin_;
  std::vector<bool> dead_;  // candidates that are ruled out, by open read

  struct Fresh {
    std::uint32_t chain, from, to;
  };
  std::vector<Fresh> fresh_;
  std::vector<std::uint64_t> fresh_bits_, wanted_bits_;
  std::vector<HotKey> hot_;                     // keys with so many writers that these are handled as bits
  std::vector<std::uint32_t> hot_at_;           // by key; kNone32: it is none
  std::vector<TxnId> txn_at_;                   // by chain, where each node is one
  std::vector<std::uint32_t> floor_, ceiling_;  // by chain: what is fresh, while one node is handled

  std::vector<Derived> derived_;
  std::vector<Decision> decisions_;
  std::vector<RuledOut> ruled_out_;
  std::vector<Reachability::Edge> pending_;
  std::uint32_t table_knows_ = 0;
  bool deferring_ = false, closing_ = false;
  std::uint32_t emptied_ = kNoRead;
  std::uint64_t pairs_at_start_ = 0;
  std::uint64_t steps_ = 0, spent_ = 0;  // beside those of reach_; of both together
  std::string limit_;
};

}  // namespace isolde::solver
