// audit/confirm/stage.h: runs a play on real sessions, one a member, in any order of its steps.
//
// In, out: Play, rows, cues -> what was observed, and what became of every step.
// Always:  the rows are put back before each run. A member of which a statement fails is rolled back, as an application
//          would do. A statement that the server does not understand stops the run with the server's words. Whether a
//          statement waits is asked of the server (probe/schedule.h), never guessed by time.
// Cost:    a round trip for each step that may wait; plain reads are sent along with what comes after them, and a whole
//          serial order takes two round trips for each of its members.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/confirm/confirm.h"
#include "audit/confirm/observed.h"
#include "audit/confirm/place.h"
#include "audit/confirm/run_tree.h"
#include "probe/crew.h"
#include "probe/transcript.h"

namespace isolde::audit {

struct Cue {
  std::uint32_t member;
  Event::Kind kind;
  std::uint32_t line = 0;  // kStatement
};

// The story's steps, those of lines that are left out not among them; every member begins and commits once.
[[nodiscard]] std::vector<Cue> cues_of(const Anomaly& anomaly, const Play& play,
                                       const std::vector<std::vector<std::string>>& sql);
// One member after the other.
[[nodiscard]] std::vector<Cue> serial_cues(const Play& play, const std::vector<std::uint32_t>& order,
                                           const std::vector<std::vector<std::string>>& sql);

// How much of a member's steps may go to the server at once.
enum class Together : std::uint8_t {
  kNothing,     // where plain reads may wait, too
  kPlainReads,  // with the step that follows
  kAll,         // nobody else is running
};

struct StageRun {
  Observed observed;
  std::vector<ConfirmedStep> steps;
  bool waited = false;
  bool unanswered = false;     // something took too long: the run says nothing
  std::string refused_code;    // of the first failure
  std::string refused;         // in words
  std::vector<SentStep> sent;  // cue by cue; empty: it is not known for sure
};

class Stage {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Stage>> open(ScratchPlace& place, const StageLevel& level,
                                                           std::size_t members);
  // `sql`: by member and line; empty: the line is left out. An error: the server did not understand something.
  [[nodiscard]] Result<StageRun> run(const Play& play, const std::vector<std::vector<std::string>>& sql,
                                     const std::vector<InitialRow>& rows, ScratchPlace::RowOrder order,
                                     const std::vector<Cue>& cues, Together together);

 private:
  Stage(ScratchPlace& place, const StageLevel& level) : place_(place), level_(level) {}
  [[nodiscard]] Result<void> have_members(std::size_t members);
  // Cues whose requests are one step of the schedule.
  struct Bundle {
    std::vector<std::size_t> cues;  // places in the list of cues; the last is the step itself
    std::vector<std::size_t> of;    // by request before the step itself: the cue that it belongs to; kOurs: none
  };
  using Sql = std::vector<std::vector<std::string>>;
  void add_requests(const Play& play, const Sql& sql, const Cue& cue, std::vector<probe::Request>& before,
                    probe::Step& step) const;
  [[nodiscard]] std::vector<Bundle> bundles_of(const Play& play, const std::vector<Cue>& cues, Together together) const;
  [[nodiscard]] std::vector<probe::Step> steps_of(const Play& play, const Sql& sql, const std::vector<Cue>& cues,
                                                  std::vector<Bundle>& bundles) const;
  [[nodiscard]] static const db::Reply* reply_to(const Bundle& bundle, std::size_t cue,
                                                 const probe::StepRecord& record);
  static void note_answers(const std::vector<Cue>& cues, const Bundle& bundle, const probe::StepRecord& record,
                           Observed& seen);
  [[nodiscard]] static std::vector<SentStep> sent_steps(const std::vector<Cue>& cues,
                                                        const std::vector<Bundle>& bundles,
                                                        const probe::Transcript& transcript, std::size_t members);
  static void tell_steps(const Sql& sql, const std::vector<Cue>& cues, const std::vector<Bundle>& bundles,
                         const probe::Transcript& transcript, StageRun& out);

  ScratchPlace& place_;
  StageLevel level_;
  std::unique_ptr<probe::Crew> crew_;
};

}  // namespace isolde::audit
