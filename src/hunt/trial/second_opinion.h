// hunt/trial/second_opinion.h: the same statements alone, asked of a second plan or of a second server.
//
// A fault that shows in a transaction and alone alike (an index that is not kept up to date) passes every comparison of
// the two. So some cases are also run alone by other plans: with settings of the session that make the server take an
// index wherever there is one, or none (PostgreSQL, MariaDB), and on tables without their indexes; and, if there is a
// second server, on that one.
//
// In, out: a case and an order of its statements -> what differs; none: nothing, or a statement was refused somewhere.
// Always:  statements depend on nothing but rows (docs/hunt-sql.md; tests/live/hunt_plan_test.cc runs them with and
//          without indexes), so both must answer the same. Unique indexes stay, because they refuse rows.
// Cost:    a run alone for each plan or server, and two schemas made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hunt/judge/compare.h"
#include "hunt/run/arena.h"

namespace isolde::hunt {

// What a Finding of Wrong::kPlan has as its anomaly where the plan was none of settings (name(Plan)).
inline constexpr std::string_view kWithoutIndexes = "without-indexes";

// The schema without the indexes that only make it faster.
[[nodiscard]] Schema without_indexes(const Schema& schema);

// The errors are the arena's. Ensures: the arena has the case's schema again.
[[nodiscard]] Result<std::optional<Difference>> other_plan(Arena& arena, const Case& test,
                                                           const std::vector<Place>& order, std::uint64_t& rounds);
// `other` is given the case's schema.
[[nodiscard]] Result<std::optional<Difference>> other_server(Arena& arena, Arena& other, const Case& test,
                                                             const std::vector<Place>& order, std::uint64_t& rounds);

// Of cases that share the arena's schema, the first whose statements one plan or server answers otherwise.
struct Suspect {
  std::size_t which = 0;  // of the cases
  Difference difference;
};
// Whether tables without indexes are asked, too. They are made once for all cases, which takes as long as many rounds,
// and may be what the arena has afterwards.
enum class FewerIndexes : std::uint8_t { kAsk, kSkip };
[[nodiscard]] Result<std::optional<Suspect>> first_suspect(Arena& arena, Arena* against, const std::vector<Case>& cases,
                                                           FewerIndexes fewer, std::uint64_t& rounds);

// The statements of those transactions that commit, one transaction after the other: what both are asked.
[[nodiscard]] std::vector<Place> one_after_the_other(const Case& test);

}  // namespace isolde::hunt
