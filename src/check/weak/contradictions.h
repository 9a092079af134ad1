// check/weak/contradictions.h: which reads a given order of all transactions cannot explain at a level, by its axiom.
//
// In, out: an order that session order and reads-from respect -> pairs that the axiom asks for and the order has the
//          other way round. None: the level holds.
// Always:  The axioms say: if a transaction saw `before`, which wrote a key, and read that key from `after`, then
//          `before` comes before `after`. What "saw" means is the level's SeenRule. A read of the version that is the
//          latest in the order asks for nothing that the order does not have, so only stale reads are looked at.
// Cost:    linear in reads and versions; a stale read: the writers that its transaction read from, or (kPast) those
//          that wrote the key since.
// Source:  Biswas and Enea (the axioms); AWDIT.
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"
#include "check/weak/table.h"

namespace isolde::weak {

struct StaleRead {
  Number reader;
  std::uint32_t read;     // in Table::reads
  graph::Version latest;  // of its key in the order, when the reader's turn came
};

struct Contradictions {
  std::vector<Pair> pairs;
  // The version read is the initial one, so that nothing can come before it: no order helps. `after` is not set.
  std::vector<Pair> missed;
  bool gave_up = false;  // there may be more: too much work, or the limits ran out
};

// The reader of `read`, a place in Table::reads, saw the writer, which the order has too late for that.
void add_contradiction(const Table& table, Number reader, std::uint32_t read, Number writer, Contradictions& out);

class Past;

class ContradictionFinder {
 public:
  ContradictionFinder(const graph::SeenContext& known, const Table& table);
  ~ContradictionFinder();

  [[nodiscard]] Contradictions find(const Order& order, const Limits& limits);

 private:
  std::vector<StaleRead> find_stale(const Order& order);
  void look_at_reads(const Order& order, const StaleRead& stale, bool before_only, Contradictions& out) const;
  void find_own_writers();

  const graph::SeenContext& k_;
  const Table& table_;
  std::vector<graph::Version> previous_;  // kPast: of each version, the one before it in the order
  std::vector<Number> own_writer_;        // kAny: of each read, the last writer of its key before it in the session
  std::unique_ptr<Past> past_;
};

}  // namespace isolde::weak
