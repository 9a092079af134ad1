// audit/confirm/evidence.h: which dependencies of a story's cycle a run showed.
//
// That a run is unlike every serial order says that something went wrong, not that it was the story. So each dependency
// of the cycle must be seen, from what was answered and left, and from the order of the answers:
//   rw   the answer of the reader (its line, or another SELECT of the same row) is one that it has in serial orders
//   where the writer comes after it, and in none where the
//        writer comes before it
//   wr   the other way round
//   ww   both changed rows, the first answered before the second, and either which of them comes first makes a
//        difference to what is left, or both name their row by the same key
// The members write different values (play_values.h), so an answer shows whom it was read from. Where the answer is in
// no serial order, because other members have a part in it, or where the reader is itself a write, whose answer is a
// number of rows, the time decides: who committed before what was answered. But only if the serial orders show that it
// makes a difference who comes first. If it makes none, the rows do not meet: the dependency is *immaterial* on these
// rows, and no order of the statements can show the story on them.
//
// In, out: Play, serial orders, run -> the first dependency that is missing, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "audit/confirm/observed.h"
#include "audit/confirm/play.h"

namespace isolde::audit {

using SerialOrder = std::vector<std::uint32_t>;
using SerialRuns = std::map<SerialOrder, Observed>;

// Why no order can show the story on some rows.
struct Immaterial {
  std::string why;        // empty: every dependency makes a difference
  bool for_good = false;  // the statements say so, whatever the rows
  // Some may, but these two do not meet unless a third has run before: where no order shows the story, that is weak.
  std::string only_with_others = {};
};

// Requires: `serial` has every order of all members.
class Evidence {
 public:
  Evidence(const Play& play, const SerialRuns& serial, const BlindSpots& blind,
           const std::vector<std::uint32_t>& snapshots)
      : play_(play), serial_(serial), blind_(blind), snapshots_(snapshots) {}

  [[nodiscard]] Immaterial immaterial() const;
  // "T1 did not read …"; empty: the run shows all of them.
  [[nodiscard]] std::string missing(const Observed& run) const;

 private:
  enum class Neighbours : std::uint8_t { kAnywhere, kFirst };
  using Grid = std::vector<std::vector<std::string>>;
  // What serial orders show of one line.
  struct Sides {
    std::vector<Grid> first, second;  // of the orders where the first member comes first, and the others
  };

  [[nodiscard]] bool shows(const PlayEdge& edge, const Observed& run) const;
  [[nodiscard]] bool shows_read(const PlayEdge& edge, const Observed& run) const;
  // By this line of the member that reads.
  [[nodiscard]] bool shows_read(const PlayEdge& edge, std::uint32_t line, const Observed& run) const;
  [[nodiscard]] bool reader_matters(const PlayEdge& edge, std::uint32_t line, Neighbours where) const;
  [[nodiscard]] bool shows_overwrite(const PlayEdge& edge, const Observed& run) const;
  [[nodiscard]] bool material(const PlayEdge& edge, Neighbours where = Neighbours::kAnywhere) const;
  [[nodiscard]] Sides answers(const PlayEdge& edge, std::uint32_t member, std::uint32_t line) const;
  template <typename What>
  [[nodiscard]] bool swap_matters(const PlayEdge& edge, Neighbours where, What&& what) const;
  [[nodiscard]] bool left_differs(const PlayEdge& edge, Neighbours where) const;
  [[nodiscard]] bool write_one_row(const PlayEdge& edge) const;
  [[nodiscard]] std::string contradiction(const PlayEdge& edge) const;
  [[nodiscard]] bool is_written(ColumnId column) const;
  [[nodiscard]] bool made_by_a_third(const PlayEdge& edge) const;
  [[nodiscard]] Grid answer(const Observed& observed, std::uint32_t member, std::uint32_t line) const;
  [[nodiscard]] std::string words(const PlayEdge& edge) const;
  [[nodiscard]] bool is_plain_read(std::uint32_t member, std::uint32_t line) const;

  const Play& play_;
  const SerialRuns& serial_;
  const BlindSpots& blind_;
  // By member: its plain reads see what was committed when this line was sent; kNone32: what is committed now.
  const std::vector<std::uint32_t>& snapshots_;
};

}  // namespace isolde::audit
