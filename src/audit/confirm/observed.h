// audit/confirm/observed.h: what a run of a play showed: every answer, and the rows that were left.
//
// Always: answers are compared as multisets of rows. Cells that differ between two runs of the same order on the same
//         rows (random numbers, rows picked by no order) say nothing, and are left out of every comparison.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/confirm/play.h"
#include "db/connection.h"

namespace isolde::audit {

struct Rows {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

struct LineAnswer {
  bool sent = false, done = false;
  bool gives_rows = false;
  std::string code, text;  // of a failure
  std::uint64_t changed = 0;
  Rows rows;
};

struct Observed {
  std::vector<bool> committed;                   // by member
  std::vector<std::vector<LineAnswer>> answers;  // by member and line
  std::vector<Rows> left;                        // by table of the play
  // The order in which answers came: by member and line, and of each COMMIT; kNone32: none came. `began`: of the first
  // that was heard of it, which may be that it waits.
  std::vector<std::vector<std::uint32_t>> began, ended;
  std::vector<std::uint32_t> committed_at;
};

[[nodiscard]] Rows rows_of(const db::Reply& reply);
[[nodiscard]] LineAnswer answer_of(const db::Reply& reply);
// "1 row", "1234 rows".
[[nodiscard]] std::string rows_counted(std::uint64_t n);

class BlindSpots {
 public:
  // Two runs of the same order.
  void learn(const Observed& a, const Observed& b);
  [[nodiscard]] bool answer(std::uint32_t member, std::uint32_t line) const {
    return answers_.contains({member, line});
  }
  [[nodiscard]] bool table(std::uint32_t table) const { return tables_.contains(table); }
  // The rows without the blind columns, sorted.
  [[nodiscard]] std::vector<std::vector<std::string>> seen_answer(std::uint32_t member, std::uint32_t line,
                                                                  const Rows& rows) const;
  [[nodiscard]] std::vector<std::vector<std::string>> seen_left(std::uint32_t table, const Rows& rows) const;

 private:
  using Columns = std::set<std::size_t>;
  std::set<std::pair<std::uint32_t, std::uint32_t>> answers_;  // of no use at all
  std::set<std::uint32_t> tables_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Columns> answer_columns_;
  std::map<std::uint32_t, Columns> table_columns_;
};

// How the run differs from a serial order, said as what the serial order would show.
struct Difference {
  std::string text;  // "T2 would read d_next_o_id = 3012 (it read 1)"
  int weight = 0;    // how telling: reads of the cycle first, rows that are left last
};
// The most telling; none: they do not differ in what the committed members read and left.
[[nodiscard]] std::optional<Difference> difference(const Play& play, const Observed& run, const Observed& serial,
                                                   const BlindSpots& blind);

}  // namespace isolde::audit
