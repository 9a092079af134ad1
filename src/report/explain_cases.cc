#include "report/explain_cases.h"

#include <fmt/format.h>

#include <optional>

#include "proof/committed.h"
#include "report/words.h"

namespace isolde {
namespace {

using proof::Choice;
using words::txn;

// What an operation read of a key; nothing where that is told otherwise.
std::optional<ValueId> value_read(const History& h, OpId op, KeyId key) {
  if (op == kNoOp) return std::nullopt;
  const OpHead head = h.op(raw(op));
  if (head.kind() == OpKind::kRead) return h.op_value(raw(op));
  if (!is_predicate(head.kind())) return std::nullopt;
  for (const Item& item : h.items(h.predicate(head.predicate()))) {
    if (item.key == key) return item.value;
  }
  return std::nullopt;
}

// "read x = 1", "found x absent".
std::string did_read(const History& h, OpId op, KeyId key) {
  const auto value = value_read(h, op, key);
  if (!value) return "read " + words::key(h, key);
  return *value == kNullValue ? fmt::format("found {} absent", words::key(h, key))
                              : "read " + words::holds(h, key, *value);
}

// "from T3", "in its initial state".
std::string from_whom(const History& h, TxnId writer) {
  return writer == kNoTxn ? std::string("in its initial state") : "from " + txn(h, writer);
}

std::string before_text(const History& h, const Choice& choice, bool made, Mood mood) {
  return fmt::format("{} {} before {} (both wrote {})", txn(h, made ? choice.first : choice.second),
                     mood == Mood::kMust ? "must come" : "comes", txn(h, made ? choice.second : choice.first),
                     words::key(h, choice.key));
}

}  // namespace

proof::Choices choices_of(const History& h, const Anomaly& a) {
  std::optional<proof::Committed> committed;
  return proof::Choices(h, a, proof::PossibleWriters(h, proof::assumed_reads(a)), [&](TxnId t) {
    if (!committed) committed.emplace(h, Verdict{});
    return committed->counts(t);
  });
}

std::string choice_text(const History& h, const proof::Choices& choices, proof::Literal literal, Mood mood) {
  const Choice& choice = choices.all[literal.choice];
  const bool must = mood == Mood::kMust;
  switch (choice.kind) {
    case Choice::Kind::kBefore:
      return before_text(h, choice, literal.made, mood);
    case Choice::Kind::kFrom: {
      const std::string who = txn(h, choice.second);
      const std::string from = from_whom(h, choice.first);
      if (literal.made)
        return fmt::format("{}{} {} {}", who, must ? " must have" : "", did_read(h, choice.op, choice.key), from);
      return fmt::format("{} {} {} {}", who, must ? "cannot have read" : "did not read", words::key(h, choice.key),
                         from);
    }
    case Choice::Kind::kCommitted: {
      const std::string who = txn(h, choice.first);
      if (literal.made) return fmt::format("{} {}", who, must ? "must have committed" : "committed");
      return fmt::format("{} {}", who, must ? "cannot have committed" : "did not commit");
    }
  }
  return {};
}

std::string assumed_step_text(const History& h, const Step& s) {
  const std::string from = txn(h, s.from);
  const std::string to = txn(h, s.to);
  const std::string key = s.key == kNoKey ? std::string("a key") : words::key(h, s.key);
  switch (s.type) {
    case StepType::kWr:
      return fmt::format("{0} before {1}, because {1} {2} from {0}, as assumed", from, to, did_read(h, s.to_op, s.key));
    case StepType::kRw: {
      const std::string wrote = s.to_op == kNoOp ? "wrote " + key : words::did(h, s.to_op);
      if (s.source == kNoTxn)
        return fmt::format("{} before {}, because {} {} in its initial state, as assumed, and {} {}", from, to, from,
                           did_read(h, s.from_op, s.key), to, wrote);
      return fmt::format("{} before {}, because {} {} from {} and {} {}, later than {}, as assumed", from, to, from,
                         did_read(h, s.from_op, s.key), txn(h, s.source), to, wrote, txn(h, s.source));
    }
    default:
      return fmt::format("{} before {}, as assumed (both wrote {})", from, to, key);
  }
}

}  // namespace isolde
