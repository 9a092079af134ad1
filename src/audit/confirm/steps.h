// audit/confirm/steps.h: a play cut into steps, and what they matter to each other: what orders.h needs to know.
//
// A member's statements are cut behind each that matters to another member: those of the cycle, those that write or
// lock what another uses, the one that takes the snapshot. The last step is the COMMIT. Statements that matter to
// nobody go with the next that does: to take a lock as late as possible keeps nobody from anything.
//
// A statement that names its row by the whole key of a table that has no other key, and by nothing else, is about that
// row alone: two that name different rows do not matter to each other. That is not so where the server locks more than
// rows: InnoDB above READ COMMITTED locks gaps, and what a serializable transaction reads may turn others away.
//
// In, out: Play, SQL by member and line -> steps, effects, which come before which in every order that can show the
//          cycle.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "audit/confirm/orders.h"
#include "audit/confirm/play.h"
#include "audit/confirm/script.h"
#include "audit/confirm/stage.h"

namespace isolde::audit {

class PlaySteps {
 public:
  // Requires: both outlive it.
  PlaySteps(const Play& play, const Script::Sql& sql, WeakLevel level, db::Family dialect);

  // By member: the line that takes its snapshot; kNone32: it has none.
  [[nodiscard]] const std::vector<std::uint32_t>& snapshots() const { return snapshots_; }
  // In an order of different_orders(effects(), …).
  [[nodiscard]] std::vector<Cue> cues(const std::vector<std::uint32_t>& order) const;
  [[nodiscard]] std::vector<std::vector<Effect>> effects() const;
  [[nodiscard]] std::vector<std::pair<StepPlace, StepPlace>> needed_order() const;

 private:
  [[nodiscard]] std::uint32_t snapshot_line(std::uint32_t member) const;
  [[nodiscard]] RowPlace place_of(std::uint32_t member, std::uint32_t line, TableId table) const;
  [[nodiscard]] std::vector<RowPlace> places_of(std::uint32_t member, std::uint32_t line) const;
  [[nodiscard]] bool matters_to_others(std::uint32_t member, std::uint32_t line) const;
  void cut();
  [[nodiscard]] Effect effect_of(std::uint32_t member, const std::vector<Cue>& part) const;

  const Play& play_;
  const Script::Sql& sql_;
  WeakLevel level_;
  bool postgres_;
  bool locks_rows_only_ = true;
  std::vector<std::uint32_t> snapshots_;
  std::vector<std::vector<std::vector<RowPlace>>> places_;  // by member and line
  std::vector<std::vector<std::vector<Cue>>> parts_;        // by member: its steps
};

}  // namespace isolde::audit
