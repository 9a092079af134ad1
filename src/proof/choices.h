// proof/choices.h: a proof by cases as choices that can be made one way or the other, and what must hold of them.
//
// In, out: a History and an Anomaly with cases -> variables, and clauses over them: of each case, that not all of its
//          choices are made; of each read with several possible writers, that it has one of them; that one who was read
//          from committed. That those of unknown outcome in a case committed is one of its choices.
// Always:  true of any order of the transactions that explains what was read, if the cases are right; whether they are
//          is not looked at here. Of two transactions one comes before the other: one variable.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "anomaly/anomaly.h"
#include "history/history.h"
#include "proof/possible_writers.h"

namespace isolde::proof {

struct Choice {
  enum class Kind : std::uint8_t {
    kBefore,     // `first` comes before `second`
    kFrom,       // `second` reads `key` by `op` from `first`; kNoTxn: the initial state
    kCommitted,  // `first`, whose outcome is not known, committed
  };
  Kind kind;
  TxnId first = kNoTxn;
  TxnId second = kNoTxn;
  KeyId key = kNoKey;
  OpId op = kNoOp;
};

struct Literal {
  std::uint32_t choice;  // place in Choices::all
  bool made;             // or not; of kBefore: not means that `second` comes before `first`
  friend bool operator==(const Literal&, const Literal&) = default;
};

struct Clause {
  std::vector<Literal> any_of;
  std::uint32_t of_case = kNone32;  // kNone32: of a read or a commit
};

struct Choices {
  // `counts`: whether a transaction counts as committed.
  Choices(const History& history, const Anomaly& anomaly, const PossibleWriters& writers,
          const std::function<bool(TxnId)>& counts);

  std::vector<Choice> all;
  std::vector<std::vector<Literal>> of_case;  // that it is about, each once
  std::vector<Clause> clauses;

 private:
  std::uint32_t variable(const Choice& choice);
  std::map<std::tuple<Choice::Kind, TxnId, TxnId, KeyId, OpId>, std::uint32_t> places_;
};

}  // namespace isolde::proof
