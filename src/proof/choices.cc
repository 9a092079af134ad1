#include "proof/choices.h"

#include <algorithm>
#include <set>

namespace isolde::proof {

std::uint32_t Choices::variable(const Choice& choice) {
  // Whichever key they both write, it is the same choice.
  const KeyId key = choice.kind == Choice::Kind::kFrom ? choice.key : kNoKey;
  const auto [at, is_new] =
      places_.try_emplace({choice.kind, choice.first, choice.second, key, choice.op}, std::uint32_t(all.size()));
  if (is_new) all.push_back(choice);
  return at->second;
}

Choices::Choices(const History& history, const Anomaly& anomaly, const PossibleWriters& writers,
                 const std::function<bool(TxnId)>& counts) {
  std::set<std::pair<OpId, KeyId>> seen;
  std::vector<ReadAt> reads;
  const auto add = [](std::vector<Literal>& to, Literal literal) {
    if (std::find(to.begin(), to.end(), literal) == to.end()) to.push_back(literal);
  };
  const auto before = [&](TxnId a, TxnId b, KeyId key) {
    const bool swap = b < a;
    return Literal{variable({Choice::Kind::kBefore, swap ? b : a, swap ? a : b, key, kNoOp}), !swap};
  };
  const auto from = [&](const ReadAt& read, TxnId writer) {
    return Literal{variable({Choice::Kind::kFrom, writer, read.txn, read.key, read.op}), true};
  };
  const auto read_from = [&](std::vector<Literal>& to, const ReadAt& read, TxnId writer) {
    const std::vector<TxnId>* const possible = writers.of(read.op, read.key);
    if (possible == nullptr || possible->empty()) return;
    if (possible->size() > 1) add(to, from(read, writer));
    if (seen.insert({read.op, read.key}).second) reads.push_back(read);
  };
  const auto in_doubt = [&](TxnId t) { return t != kNoTxn && history.status(t) == Status::kUnknown && !counts(t); };
  const auto committed = [&](TxnId t) { return variable({Choice::Kind::kCommitted, t}); };
  for (const Case& one : anomaly.cases) {
    std::vector<Literal> made;
    for (const Step& s : one.steps) {
      for (const TxnId t : {s.from, s.to, s.source}) {
        if (in_doubt(t)) add(made, {committed(t), true});
      }
      if (s.ground != Ground::kAssumed) continue;
      if (s.type == StepType::kWw) add(made, before(s.from, s.to, s.key));
      if (s.type == StepType::kWr) read_from(made, {s.to, s.to_op, s.key}, s.from);
      if (s.type != StepType::kRw) continue;
      read_from(made, {s.from, s.from_op, s.key}, s.source);
      if (s.source != kNoTxn) add(made, before(s.source, s.to, s.key));
    }
    Clause clause{{}, static_cast<std::uint32_t>(of_case.size())};
    for (const Literal& l : made) clause.any_of.push_back({l.choice, !l.made});
    clauses.push_back(std::move(clause));
    of_case.push_back(std::move(made));
  }
  for (const ReadAt& read : reads) {
    const std::vector<TxnId>& possible = *writers.of(read.op, read.key);
    std::vector<Literal> unless;
    if (in_doubt(read.txn)) unless.push_back({committed(read.txn), false});
    if (possible.size() == 1) {
      if (!in_doubt(possible[0])) continue;
      unless.push_back({committed(possible[0]), true});
      clauses.push_back({std::move(unless)});
      continue;
    }
    Clause one_of{std::move(unless)};
    for (const TxnId writer : possible) {
      one_of.any_of.push_back(from(read, writer));
      if (in_doubt(writer)) clauses.push_back({{{from(read, writer).choice, false}, {committed(writer), true}}});
    }
    clauses.push_back(std::move(one_of));
  }
}

}  // namespace isolde::proof
