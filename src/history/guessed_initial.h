// history/guessed_initial.h: histories of which it is partly a guess what keys held at first.
//
// A reader that has to guess (format/jepsen_bank.h) marks the history. That sums do not fit the guess proves nothing,
// so no engine says violated for that; an order that explains everything with the guess is as good as any.
//
// Always:  the mark is one of the history's flags, and stays with its columns (HistoryFlag has the others).
#pragma once

#include <cstdint>
#include <memory>

#include "history/history.h"

namespace isolde {

inline constexpr std::uint32_t kGuessedInitialFlag = 4;

[[nodiscard]] inline bool has_guessed_initial(const History& history) {
  return (history.columns().flags[0] & kGuessedInitialFlag) != 0;
}

[[nodiscard]] inline History with_guessed_initial(const History& history) {
  struct Marked {
    History history;
    std::uint32_t flags;
  };
  HistoryColumns columns = history.columns();
  const auto kept = std::make_shared<const Marked>(Marked{history, columns.flags[0] | kGuessedInitialFlag});
  columns.flags = {&kept->flags, 1};
  return {columns, kept};
}

}  // namespace isolde
