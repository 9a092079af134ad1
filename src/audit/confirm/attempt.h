// audit/confirm/attempt.h: one choice of values and rows, ready to be run in any order at any level, and judged.
//
// In, out: a place, play, SQL and rows -> runs. A run in which every transaction commits is compared with every serial
//          order of them on the same rows on the same server; they are run when the first is needed, and kept.
// Always:  Happened::kYes means unlike all serial orders, and that every dependency of the story's cycle was seen
//          (evidence.h); `another` that it is unlike them in another way than the story says. A run in which an UPDATE
//          finds no row confirms nothing: an application that looks at the number of rows begins again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/confirm/confirm.h"
#include "audit/confirm/evidence.h"
#include "audit/confirm/place.h"
#include "audit/confirm/rows.h"
#include "audit/confirm/script.h"
#include "audit/confirm/stage.h"
#include "audit/confirm/steps.h"

namespace isolde::audit {

// Whether some order may show the story on some rows.
struct Usable {
  std::string why = {};               // not; empty: some order may
  bool for_good = false;              // the statements say so, whatever the rows
  bool fails = false;                 // a member fails even when it runs alone: the rows say nothing at all
  std::string only_with_others = {};  // as Immaterial
};

class Attempt {
 public:
  Attempt(const ScratchPlace& place, Play play, const Script& script, std::vector<InitialRow> rows, WeakLevel level)
      : play_(std::move(play)),
        script_(script),
        sql_(script.sql(play_, place.dialect())),
        rows_(std::move(rows)),
        steps_(play_, sql_, level, place.dialect()) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  [[nodiscard]] const Play& play() const { return play_; }
  [[nodiscard]] const Script::Sql& sql() const { return sql_; }
  [[nodiscard]] const std::vector<InitialRow>& rows() const { return rows_; }

  // In the story's order.
  [[nodiscard]] std::vector<Cue> cues(const Anomaly& anomaly) const { return cues_of(anomaly, play_, sql_); }
  [[nodiscard]] const PlaySteps& steps() const { return steps_; }

  [[nodiscard]] Result<Usable> usable(Stage& stage);
  [[nodiscard]] Run run(Stage& stage, const StageLevel& level, const std::vector<Cue>& cues);
  // None that was made at the level ended as Happened::kNotRun.
  [[nodiscard]] bool every_run_says_something() const { return says_something_; }
  // The server would be sent the same as in a run that was made at the level.
  [[nodiscard]] bool was_run(const std::vector<Cue>& cues) const { return made_.has(members_of(cues)); }

 private:
  [[nodiscard]] static std::vector<std::uint32_t> members_of(const std::vector<Cue>& cues);
  [[nodiscard]] Result<void> learn(Stage& stage);
  [[nodiscard]] Run try_it(Stage& stage, const StageLevel& level, const std::vector<Cue>& cues);
  void judge(Stage& stage, const StageRun& ran, Run& run);
  [[nodiscard]] std::string found_no_row(const Observed& run, bool& never) const;
  [[nodiscard]] bool hides_a_difference(const Observed& run, const Observed& serial) const;
  [[nodiscard]] bool uses_what_others_use(std::uint32_t member, const Line& line) const;
  [[nodiscard]] bool inserts_later(std::uint32_t member, std::uint32_t line) const;
  [[nodiscard]] std::string fails_alone() const;
  [[nodiscard]] bool returned(const PlayChoice& choice, const LineAnswer& answer) const;
  [[nodiscard]] std::string took_what_was_not_read(const Observed& run, bool& never) const;
  [[nodiscard]] std::string inserted_nothing(const Observed& run) const;
  [[nodiscard]] std::string why_not(const StageRun& ran, const SerialOrder& order) const;

  Play play_;
  const Script& script_;
  Script::Sql sql_;
  std::vector<InitialRow> rows_;
  PlaySteps steps_;
  SerialRuns serial_;
  RunTree made_;  // at the level
  bool says_something_ = true;
  BlindSpots blind_;
};

}  // namespace isolde::audit
