// check/weak/table.h: the history as these levels see it: who wrote and read what, with transactions renumbered in an
// order, so that what happened together lies together.
//
// In, out: the trace, an order of the transactions that count -> arrays by number; other orders of the same numbers.
// Always:  numbers go up along session order and reads-from. Reads that are not traced are left out.
// Cost:    linear; another order: a heap of the transactions that are ready.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/weak/order.h"

namespace isolde::weak {

using Number = std::uint32_t;  // of a transaction

// `reader` saw `before`, which wrote `key`, and read the key from `after`.
struct Pair {
  Number before, after, reader;
  KeyId key;
};

// An order of all numbers.
struct Order {
  std::vector<Number> turns;         // one after the other
  std::vector<std::uint32_t> place;  // by number
};

struct Table {
  struct Read {
    graph::Version version;  // by this table's numbers; or kInitialVersion
    KeyId key;
  };

  // Keeps `known`, which must live as long.
  Table(const graph::SeenContext& known, std::span<const TxnId> order);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(txn.size()); }
  [[nodiscard]] bool writes(Number n, KeyId wanted) const;
  [[nodiscard]] Order first() const;
  // An order that respects these pairs too, and is else close to `near`; nothing if that goes in a cycle.
  [[nodiscard]] std::optional<Order> order_with(std::span<const Pair> pairs, const Order& near);

  std::vector<TxnId> txn;                     // by number
  std::vector<std::uint32_t> session;         // by number
  std::vector<std::uint32_t> read_begin;      // by number, one more
  std::vector<Read> reads;                    // of one transaction: in program order
  std::vector<graph::Version> first_version;  // by number, one more
  std::vector<KeyId> key;                     // by version; of one transaction: ascending
  std::vector<Number> writer;                 // by version

 private:
  void link();

  const graph::SeenContext& known_;
  std::vector<std::uint32_t> begin_;  // by number, one more; empty: not asked for yet
  std::vector<Number> after_;         // that must come after it, whatever the order
};

}  // namespace isolde::weak
