// history/guessed_initial.h: histories whose initial values are partly a guess.
//
// A reader that has to guess (format/jepsen_bank.h) marks the history, and files keep the mark. Sums that do not fit a
// guess prove nothing, so no engine reports a violation because of them. An order that explains everything with the
// guess is as good as any other.
//
// Always:  the mark is one of the history's flags (HistoryFlag) and stays with its columns.
#pragma once

#include <cstdint>
#include <memory>

#include "history/history.h"

namespace isolde {

[[nodiscard]] inline bool has_guessed_initial(const History& history) { return history.has_flag(kInitialGuessed); }

[[nodiscard]] inline History with_guessed_initial(const History& history) {
  struct Marked {
    History history;
    std::uint32_t flags;
  };
  HistoryColumns columns = history.columns();
  const auto kept = std::make_shared<const Marked>(Marked{history, columns.flags[0] | kInitialGuessed});
  columns.flags = {&kept->flags, 1};
  return {columns, kept};
}

}  // namespace isolde
