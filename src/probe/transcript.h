// probe/transcript.h: what became of a schedule that was run: every step's answer, who waited, how each transaction
// ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "probe/crew.h"

namespace isolde::probe {

inline constexpr std::size_t kNoStep = SIZE_MAX;

struct Step {
  std::size_t transaction;  // from 0; T1 is 0
  RequestKind kind = RequestKind::kStatement;
  std::string sql;
  // Sent together with it, so that nothing of another transaction's is sent in between: its kBegin, reads that show
  // what it sees and what it leaves.
  std::vector<Request> before = {}, after = {};
  bool prepared = false;  // kStatement: sent as a prepared one
};

// Whether a step gave no answer for a while, and by whose word it waited.
enum class Wait : std::uint8_t {
  kNone,
  kServerSays,  // the server's lock tables list its session
  kNoAnswer,    // it only did not answer within the limit
};

struct StepRecord {
  enum class State : std::uint8_t {
    kNotSent,  // its transaction had ended, or a value for it was missing
    kDone,
    kFailed,
    kGivenUp,  // cancelled by us: nothing was left that could have let it go
  };
  State state = State::kNotSent;
  std::string sql;                                 // as it was sent
  std::string missing;                             // kNotSent: what was missing, if its transaction had not ended
  db::Reply reply;                                 // not done: its own, or that of the request around it that failed
  std::vector<db::Reply> before = {}, after = {};  // to those of Step::before and Step::after that were carried out
  bool around = false;                             // not done: `reply` is that of a request around it
  std::chrono::milliseconds sent{0}, answered{0};  // since the schedule began
  Wait wait = Wait::kNone;
  std::size_t let_go_by = kNoStep;  // it waited: the step after which it went on

  [[nodiscard]] bool done() const { return state == State::kDone; }
};

enum class End : std::uint8_t {
  kNotBegun,
  kCommitted,
  kRolledBack,  // as the script asked
  kAborted,     // by the database, or because a failure left nothing else to do
  kGivenUp,     // rolled back by us: it never answered, or the script left it open
  kUnknown,     // the connection was lost at its commit
};
[[nodiscard]] std::string_view name(End end);

struct TxnRecord {
  End end = End::kNotBegun;
  std::size_t step = kNoStep;       // at which it ended …
  std::chrono::milliseconds at{0};  // … and when, since the schedule began
};

struct Event {
  enum class Kind : std::uint8_t { kAnswered, kWaits, kNoAnswer, kNotSent, kGivenUp };
  Kind kind;
  std::size_t step;
};
[[nodiscard]] std::string_view name(Event::Kind kind);

struct Transcript {
  std::vector<StepRecord> steps;   // as in the schedule
  std::vector<TxnRecord> ends;     // a transaction
  std::vector<Event> events;       // in the order that they happened
  std::optional<Error> fault;      // an error that no table knows, or the observer's: the run was broken off …
  std::size_t fault_at = kNoStep;  // … at this step

  [[nodiscard]] bool waited() const;
  // Something was not answered: a step was passed by only because it took too long, or a connection was lost.
  [[nodiscard]] bool unanswered() const;
  // Of the first failure that ended a transaction, else of the first that failed a statement; null: none.
  [[nodiscard]] const db::Failure* failure() const;
};

// "10", "'abc'", "null"
[[nodiscard]] std::string cell_text(const db::Cell& cell);
// "(1, 10), (2, 20)"; "nothing"
[[nodiscard]] std::string rows_text(const db::Reply& reply);
// The interleaving as it ran, a line an event; `steps` are shown as written there.
[[nodiscard]] std::string transcript_text(const std::vector<Step>& steps, const Transcript& transcript);

}  // namespace isolde::probe
