// check/solver/problem.h: what is left open about one order of all transactions, as choices and what each entails.
//
// In, out: a History, a level -> nodes, edges that are known, and the choices: of two writers of a key one comes first;
//          a read whose value several wrote has one of them as its writer.
// Nodes:   serializable family: one a transaction, node t. Snapshot family, prefix: the start 2t and the commit 2t+1.
//          After them time nodes, and for each key that somebody read in its initial state a gate: those readers lead
//          to it, and it leads to every writer. The history satisfies the level exactly if each choice can be made so
//          that known edges and those that the choices entail have no cycle:
//            "a before b" (two writers of a key)   write_node(a) -> overwrite_node(b)
//            r reads from a (a fixed read: known)  write_node(a) -> read_node(r)
//            r reads key k from a, a before b, b writes k:  read_node(r) -> write_node(b)
//            r reads key k from the initial state, b writes k: the same, whatever is chosen (a fixed read: known, over
//            the gate of k)
// Always:  edges of fixed reads, sessions, real time and given version orders are in `to`; read-modify-write chains
//          too (ww, at levels that forbid lost updates).
// Source:  Papadimitriou (polygraphs); Cobra; PolySI (snapshot isolation); VeriStrong (several possible writers).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "check/cycles/cycles.h"
#include "check/cycles/trace.h"

namespace isolde::solver {

using Node = std::uint32_t;
inline constexpr std::uint32_t kNoRead = kNone32;

struct Read {
  TxnId txn;
  OpId op;
  KeyId key;
  std::uint32_t first, count;  // in Problem::candidates; one: the read is fixed. The reader itself is no candidate
                               // even if it stands there
  std::uint32_t value;         // of an open read: a number for its key and value; kNone32: the read is fixed

  [[nodiscard]] bool is_fixed() const { return count == 1; }
};

struct Problem {
  graph::Nodes form = graph::Nodes::kTransactions;
  std::uint32_t txns = 0;  // of the history; those that do not count have no edges, reads or writes
  std::uint32_t nodes = 0;
  std::uint32_t first_gate = 0;   // the gates come last …
  std::vector<KeyId> gated_keys;  // … and are of these keys
  std::vector<std::uint32_t> begin;
  std::vector<Node> to;  // known edges by where they start

  std::vector<std::uint32_t> writers_begin;  // by key, one more
  std::vector<TxnId> writers;                // of a key: transactions that count, each once
  std::vector<std::uint32_t> keys_begin;     // by transaction, one more
  std::vector<KeyId> keys;                   // that a transaction writes, ascending

  std::vector<std::uint32_t> reads_begin;  // by transaction, one more
  std::vector<Read> reads;                 // at most one of a key by one transaction; none of what it wrote itself
  std::vector<TxnId> candidates;           // kNoTxn: the initial state; reads of one value share them
  std::uint32_t values = 0;                // that open reads returned
  std::vector<std::uint32_t> value_left;   // beside `keys`: which of them the transaction left there; empty: none are
  std::vector<std::uint32_t> value_first;  // by key: … and which the key started with

  [[nodiscard]] bool has_points() const { return form != graph::Nodes::kTransactions; }
  [[nodiscard]] Node read_node(TxnId t) const { return has_points() ? 2 * raw(t) : raw(t); }
  [[nodiscard]] Node write_node(TxnId t) const { return has_points() ? 2 * raw(t) + 1 : raw(t); }
  // Where a transaction stands that must come after another writer of a key: prefix lets writers overlap.
  [[nodiscard]] Node overwrite_node(TxnId t) const {
    return form == graph::Nodes::kPoints ? 2 * raw(t) : write_node(t);
  }
  [[nodiscard]] std::span<const Node> known(Node node) const {
    return std::span(to).subspan(begin[node], begin[node + 1] - begin[node]);
  }
  [[nodiscard]] std::span<const TxnId> writers_of(KeyId key) const {
    return std::span(writers).subspan(writers_begin[raw(key)], writers_begin[raw(key) + 1] - writers_begin[raw(key)]);
  }
  [[nodiscard]] std::span<const KeyId> keys_of(TxnId t) const {
    return std::span(keys).subspan(keys_begin[raw(t)], keys_begin[raw(t) + 1] - keys_begin[raw(t)]);
  }
  [[nodiscard]] std::span<const Read> reads_of(TxnId t) const {
    return std::span(reads).subspan(reads_begin[raw(t)], reads_begin[raw(t) + 1] - reads_begin[raw(t)]);
  }
  [[nodiscard]] std::span<const TxnId> candidates_of(const Read& read) const {
    return std::span(candidates).subspan(read.first, read.count);
  }
};

// What a Problem is made from; it explains the known edges.
struct Source {
  const History& history;
  const graph::Trace& trace;
  const graph::VersionOrders& orders;
  const graph::Dependencies& graph;
  const graph::LevelRow& row;
};

// Requires: reads that the trace does not explain are in Trace::open. An open read's candidates are the transactions
//           that count; `left_out` tells whether one that may count (its outcome is unknown) was not among them.
[[nodiscard]] Problem make_problem(const Source& source, bool& left_out);

// One edge of a cycle, and the choices that it rests on.
struct Link {
  enum class Kind : std::uint8_t {
    kKnown,   // an edge of Problem::to
    kBefore,  // write_node(a) -> overwrite_node(b), if a comes before b
    kFrom,    // write_node(a) -> read_node of the reader, if `read` has a as its writer
    kAnti,    // read_node of the reader -> write_node(b), if `read` has a as its writer and (a is no kNoTxn) a comes
              // before b
    kInside,  // read_node(t) -> write_node(t) of one transaction, where they differ
  };
  Kind kind;
  Node from, to;
  TxnId a = kNoTxn, b = kNoTxn;
  std::uint32_t read = kNoRead;  // place in Problem::reads
};

// Not all choices of the links can be made: a learned clause. Without any, no order exists.
using Cycle = std::vector<Link>;

// What a search found: an order of all nodes, or cycles such that every way to choose closes one, or neither.
struct Found {
  enum class Outcome : std::uint8_t { kOrder, kNone, kLimit } outcome = Outcome::kLimit;
  std::vector<Node> order;
  std::vector<Cycle> cycles;
  std::string limit;  // kLimit: which one ran out, and how far it got
};

}  // namespace isolde::solver
