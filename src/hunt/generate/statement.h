// hunt/generate/statement.h: draws the statements that write.
//
// Always: rows that are written get the statement's version as vkey, and keep their pkey. New rows have pkeys that no
//         other statement makes, unless they are meant to collide.
#pragma once

#include <cstdint>

#include "hunt/generate/draw.h"

namespace isolde::hunt::generate {

// Pkeys for new rows, over one case.
class NewKeys {
 public:
  // For rows with given values: nobody else's.
  [[nodiscard]] std::int64_t fresh() { return kFirst + next_++; }
  // One that several statements may use.
  [[nodiscard]] std::int64_t shared(Rng& rng) const { return kFirst - 1 - static_cast<std::int64_t>(rng.below(3)); }
  // What is added to the pkeys of source rows. Sums of different ones differ, so that copies of copies do not collide.
  // Requires: more_bases().
  [[nodiscard]] std::int64_t base() { return 1000LL << bases_++; }
  [[nodiscard]] bool more_bases() const { return bases_ < kMostBases; }

 private:
  static constexpr std::int64_t kFirst = 104;
  static constexpr int kMostBases = 4;  // each may double the rows of a table
  std::int64_t next_ = 0;
  int bases_ = 0;
};

[[nodiscard]] sql::NodePtr draw_update(Draw& draw, const Relation& table, std::int64_t version);
[[nodiscard]] sql::NodePtr draw_delete(Draw& draw, const Relation& table);
[[nodiscard]] sql::NodePtr draw_insert_rows(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys);
// Requires: keys.more_bases().
[[nodiscard]] sql::NodePtr draw_insert_query(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys);
[[nodiscard]] sql::NodePtr draw_upsert(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys);
// REPLACE deletes every row that is in the way: no other row of the table may be, nor one that refers to it.
[[nodiscard]] bool can_replace(const GenerateOptions& options, const Model& model, const Relation& table);
[[nodiscard]] sql::NodePtr draw_replace(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys);
[[nodiscard]] sql::NodePtr draw_merge(Draw& draw, const Relation& table, std::int64_t version, NewKeys& keys);

}  // namespace isolde::hunt::generate
