#include "hunt/trial/unexplained.h"

#include <fmt/format.h>

#include "hunt/run/answers.h"
#include "hunt/run/refusals.h"

namespace isolde::hunt {
namespace {

// So much longer than alone is no matter of load.
constexpr int kFarLonger = 100;
constexpr int kTimesAlone = 4;

std::string error_text(const db::Failure& failure) { return fmt::format("{}: {}", failure.code, failure.text); }

// What the statement does alone on the rows that it saw; none: that is not known.
Result<std::optional<AloneRun>> alone_on_what_it_saw(Arena& arena, const Case& test, const Execution& execution,
                                                     Place place, std::uint64_t& rounds) {
  const StatementRun& run = at(execution, place);
  for (const std::string& table : at(test, place).reads)
    if (!run.seen.contains(table)) return std::optional<AloneRun>();
  if (auto ready = arena.reset(); !ready) return std::move(ready).error();
  AloneRun alone = arena.run_on(test, place, run.seen);
  ++rounds;
  if (alone.lost) return alone.fault.value_or(Error{"the connection to the server broke"});
  if (alone.fault || alone.runs.size() != 1 || alone.runs.front().ran != Ran::kDone) return std::optional<AloneRun>();
  return std::optional<AloneRun>(std::move(alone));
}

template <typename F>
Result<std::optional<Difference>> first_of(const Case& test, F&& judge) {
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
      Result<std::optional<Difference>> difference = judge(Place{t, s});
      if (!difference || *difference) return difference;
    }
  }
  return std::optional<Difference>();
}

Difference internal_error(Place place, const db::Failure& failure) {
  return {Wrong::kError, place, "no internal error", error_text(failure), failure.code};
}

bool is_internal(const db::Failure& failure) {
  return !failure.code.empty() && refusal_of(failure.code) == Refusal::kInternal;
}

}  // namespace

Result<std::optional<Difference>> unexplained_error(Arena& arena, const Case& test, const Execution& execution,
                                                    std::uint64_t& rounds) {
  for (std::uint32_t t = 0; t < test.transactions.size() && t < execution.end_failures.size(); ++t) {
    if (!is_internal(execution.end_failures[t])) continue;
    const auto end = static_cast<std::uint32_t>(test.transactions[t].statements.size());
    return std::optional<Difference>(internal_error({t, end}, execution.end_failures[t]));
  }
  return first_of(test, [&](Place place) -> Result<std::optional<Difference>> {
    const StatementRun& run = at(execution, place);
    if (run.ran != Ran::kFailed || run.reply.fate == db::Fate::kLost) return std::optional<Difference>();
    const db::Failure& failure = run.reply.failure;
    if (is_internal(failure)) return std::optional<Difference>(internal_error(place, failure));
    if (refusal_of(failure.code) != Refusal::kOwn || run.apart || run.waited || run.around)
      return std::optional<Difference>();
    const auto alone = alone_on_what_it_saw(arena, test, execution, place, rounds);
    if (!alone) return alone.error();
    if (!*alone) return std::optional<Difference>();
    return std::optional<Difference>(Difference{Wrong::kError, place,
                                                fmt::format("as alone: {}", answer_text((*alone)->runs.front().reply)),
                                                error_text(failure), failure.code});
  });
}

Result<std::optional<Difference>> unexplained_hang(Arena& arena, const Case& test, const Execution& execution,
                                                   std::uint64_t& rounds) {
  if (execution.limit.count() == 0) return std::optional<Difference>();
  const auto long_enough = execution.limit / 2;
  return first_of(test, [&](Place place) -> Result<std::optional<Difference>> {
    const StatementRun& run = at(execution, place);
    if (run.ran != Ran::kTimedOut && run.ran != Ran::kDone) return std::optional<Difference>();
    // Of one that waited, only the time counts in which nobody could hold what it waited for.
    const auto taken = run.waited ? run.waited_for_nobody : run.taken;
    if (taken < long_enough) return std::optional<Difference>();
    auto alone = alone_on_what_it_saw(arena, test, execution, place, rounds);
    // A busy machine may have held it up: the fastest of a few counts.
    for (int i = 1; i < kTimesAlone && alone && *alone && kFarLonger * (*alone)->taken > taken; ++i)
      alone = alone_on_what_it_saw(arena, test, execution, place, rounds);
    if (!alone) return alone.error();
    if (!*alone || kFarLonger * (*alone)->taken > taken) return std::optional<Difference>();
    return std::optional<Difference>(
        Difference{Wrong::kHang,
                   place,
                   fmt::format("as alone, at once: {}", answer_text((*alone)->runs.front().reply)),
                   run.waited ? "it waits for a lock while no other transaction is open" : "it goes on and on",
                   {}});
  });
}

}  // namespace isolde::hunt
