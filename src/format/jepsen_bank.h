// format/jepsen_bank.h: what the accounts of a bank held at first, which a Jepsen file does not say.
//
// Without it no read of a balance means anything. A read that no transfer of its account overlaps tells it: what was
// read, less the transfers that had ended before. Where every read overlaps one (or the file has completions alone) the
// first read is taken as if those transfers came after it: that is a guess, and a history with a guess is never called
// violated because of its sums (history/guessed_initial.h).
//
// In, out: a bank's History as read, initial balances missing -> these, by key.
// Always:  the same for the same order of invocations and completions, whoever asks: a reader, or a writer that has to
//          know what a reader will find.
// Cost:    linear in operations; for each account at most kMostReadsTried reads with the transfers of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "history/history.h"

namespace isolde {

struct BankStart {
  std::vector<std::optional<std::int64_t>> first;  // by key; nothing: absent, or no transfer touches it
  bool guessed = false;
};

// Places in the file, by transaction; kNoTime: not there.
struct FilePlaces {
  std::vector<std::int64_t> begin, end;
  std::vector<TxnId> order;  // in which a reader has them
};
[[nodiscard]] FilePlaces places_as_read(const History& history);

[[nodiscard]] BankStart bank_start(const History& history, const FilePlaces& places);

}  // namespace isolde
