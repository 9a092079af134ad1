// audit/classes/equal_evidence.h: are two columns of a class equal because a value flows from one to the other, or by
// chance?
//
//   SELECT … FROM orders WHERE o_id = 22 AND o_d_id = 1;  SELECT … FROM order_line WHERE ol_o_id = 22 AND ol_d_id = 1;
//
// Values that are taken for one value make rows one row, and what is one row cannot go wrong in as many ways: a wrong
// equality hides anomalies. So it takes more than that the two were always equal:
//   - not by chance: if the two were independent, with the values that they have, all n pairs would be equal with
//     probability q^n, q being the sum over all values of the product of their shares. That must be small.
//   - not merely usual: 85 % of the payments of TPC-C are made in the customer's own warehouse, so in ten payments the
//     two are likely to be always equal. Without a reason why they should be the same it takes 60 pairs without an
//     exception (fewer than 1 in 20 can then differ, with 95 % confidence: the rule of three).
// A reason is a foreign key or a name that says so (column_domains.h); then a hundredth is small enough, and the shares
// are those of the whole trace, so that a few transactions are enough if ids are many. Without a reason it is a
// millionth, and the shares are those of the class itself.
// The evidence of all classes in which the two are always equal counts together. Two places of the same column are not
// asked about: SELECT … WHERE id = 5, UPDATE … WHERE id = 5 are the same row however short the trace is.
//
// In, out: for each class its pairs of columns that were always equal -> which pairs are taken for one value.
// Cost:    linear in the literals of the trace, once.
// Source:  measured on samples of TPC-C: the rule "equal, and at least two values" takes 12 to 26 % wrongly.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "audit/classes/column_domains.h"
#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

// Two columns that were always equal in some classes.
struct AlwaysEqual {
  ColumnId a, b;
  std::uint64_t pairs = 0;  // of values that were compared
  bool taken = false;       // for one value
};

class EqualEvidence {
 public:
  // Requires: all of them outlive it.
  EqualEvidence(const TraceLog& log, const Schema& schema, std::span<const Statement> statements);

  // In one class the two were equal in all of so many pairs; `log_q`: the logarithm of the class's own q.
  void add(ColumnId a, ColumnId b, std::uint64_t pairs, double log_q);
  [[nodiscard]] bool enough(ColumnId a, ColumnId b) const;
  [[nodiscard]] std::vector<AlwaysEqual> all() const;

 private:
  struct Pooled {
    std::uint64_t pairs = 0;
    double log_chance = 0;
  };
  using Pair = std::pair<ColumnId, ColumnId>;
  [[nodiscard]] static Pair in_order(ColumnId a, ColumnId b) { return a < b ? Pair(a, b) : Pair(b, a); }
  [[nodiscard]] double log_q_of_trace(ColumnId a, ColumnId b);
  void count_values();

  const TraceLog& log_;
  std::span<const Statement> statements_;
  ColumnDomains domains_;
  bool counted_ = false;
  std::vector<std::unordered_map<LiteralId, std::uint32_t>> values_;  // by column: how often each came
  std::vector<std::uint64_t> total_;
  std::map<Pair, Pooled> pooled_;
};

}  // namespace isolde::audit
