#include "check/solver/choices.h"

#include <algorithm>
#include <cadical.hpp>

#include "base/hash.h"

namespace isolde::solver {
namespace {

// CaDiCaL asks after so many decisions and conflicts, which the clauses alone determine.
constexpr std::uint64_t kStepsPerQuestion = 1000;

class SatLimit : public CaDiCaL::Terminator {
 public:
  explicit SatLimit(const Limits& limits) : limits_(limits) {}
  bool terminate() override {
    limits_.spend(kStepsPerQuestion);
    return limits_.exhausted();
  }

 private:
  const Limits& limits_;
};

std::unique_ptr<CaDiCaL::Solver> new_solver() {
  auto sat = std::make_unique<CaDiCaL::Solver>();
  sat->set("quiet", 1);
  return sat;
}

template <typename F>
void for_each_choice(const Problem& p, const Link& link, F&& f) {
  switch (link.kind) {
    case Link::Kind::kKnown:
    case Link::Kind::kInside:
      return;
    case Link::Kind::kBefore:
      return f(Choice{link.a, link.b, kNoRead});
    case Link::Kind::kFrom:
      if (!p.reads[link.read].is_fixed()) f(Choice{link.a, kNoTxn, link.read});
      return;
    case Link::Kind::kAnti:
      if (!p.reads[link.read].is_fixed()) f(Choice{link.a, kNoTxn, link.read});
      if (link.a != kNoTxn) f(Choice{link.a, link.b, kNoRead});
      return;
  }
}

}  // namespace

std::size_t choices_in(const Problem& problem, const Link& link) {
  std::size_t count = 0;
  for_each_choice(problem, link, [&](const Choice&) { ++count; });
  return count;
}

std::vector<Choice> choices_of(const Problem& problem, const Cycle& cycle) {
  std::vector<Choice> out;
  for (const Link& link : cycle) {
    for_each_choice(problem, link, [&](const Choice& choice) {
      if (std::find(out.begin(), out.end(), choice) == out.end()) out.push_back(choice);
    });
  }
  return out;
}

Choices::Choices(const Problem& problem, Since since) : p_(problem), since_(std::move(since)), sat_(new_solver()) {}
Choices::~Choices() = default;

Choices::Literal Choices::new_variable(const Choice& choice, bool value) {
  const auto variable = static_cast<Variable>(variables_.size());
  variables_.push_back(choice);
  value_.push_back(value ? 1 : 0);
  is_fixed_.push_back(0);
  round_.push_back(0);
  clauses_of_.resize(clauses_of_.size() + 2);
  touched_.push_back(variable);
  return {2 * variable};
}

bool Choices::open(std::uint32_t read, TxnId writer) {
  auto [at, fresh] = sources_.try_emplace(read);
  if (!fresh) return false;
  Clause one_of;
  for (const TxnId candidate : p_.candidates_of(p_.reads[read])) {
    if (candidate == p_.reads[read].txn) continue;
    one_of.push_back(new_variable({candidate, kNoTxn, read}, candidate == writer));
    at->second.emplace_back(candidate, one_of.back().variable());
  }
  add(std::move(one_of));
  return true;
}

// `value`: of a variable that is new.
Choices::Literal Choices::literal(const Choice& choice, bool value) {
  if (!choice.is_order()) {
    open(choice.read, choice.first);
    const auto& candidates = sources_.at(choice.read);
    const auto at =
        std::find_if(candidates.begin(), candidates.end(), [&](const auto& c) { return c.first == choice.first; });
    return {2 * at->second};
  }
  const bool up = raw(choice.first) < raw(choice.second);
  const auto [at, fresh] = pairs_.try_emplace(pair_id(choice.first, choice.second), 0);
  if (fresh) {
    at->second = new_variable(up ? choice : choice.reversed(), up == value).variable();
    ++orders_;
  }
  return {2 * at->second + (up ? 0U : 1U)};
}

bool Choices::forbid(const Cycle& cycle) {
  Clause clause;
  for (const Choice& choice : choices_of(p_, cycle)) clause.push_back(literal(choice, true).negated());
  std::sort(clause.begin(), clause.end(), [](Literal a, Literal b) { return a.code < b.code; });
  std::uint64_t hash = clause.size();
  for (const Literal l : clause) hash = mix64(hash * 3 + l.code + 1);
  if (!seen_.insert(hash).second) return false;
  cycles_.push_back(cycle);
  add(std::move(clause));
  return true;
}

void Choices::add(Clause clause) {
  const auto number = static_cast<std::uint32_t>(clauses_.size());
  for (const Literal l : clause) clauses_of_[l.code].push_back(number);
  clauses_.push_back(std::move(clause));
  broken_.push_back(number);
}

void Choices::set(Literal l) {
  value_[l.variable()] = l.is_negated() ? 0 : 1;
  round_[l.variable()] = rounds_;
  touched_.push_back(l.variable());
  const auto& without = clauses_of_[l.negated().code];
  broken_.insert(broken_.end(), without.begin(), without.end());
}

Choices::Rest Choices::rest_of(const Clause& clause) const {
  Rest out;
  for (const Literal l : clause) {
    if (is_fixed_[l.variable()] != 0) {
      out.met |= is_true(l);
    } else {
      ++out.open;
      out.last = l;
    }
  }
  return out;
}

// For good: and what follows of it. False: a clause has no choice left.
bool Choices::fix(Literal l) {
  std::vector<Literal> waiting{l};
  while (!waiting.empty()) {
    const Literal next = waiting.back();
    waiting.pop_back();
    if (is_fixed_[next.variable()] != 0) {
      if (!is_true(next)) return false;
      continue;
    }
    if (!is_true(next)) set(next);
    is_fixed_[next.variable()] = 1;
    if (variables_[next.variable()].is_order()) ++fixed_;
    for (const std::uint32_t number : clauses_of_[next.negated().code]) {
      const Rest rest = rest_of(clauses_[number]);
      if (rest.met || rest.open > 1) continue;
      if (rest.open == 0) return false;
      waiting.push_back(rest.last);
    }
  }
  return true;
}

// Which of its literals to make true; false: none that may be.
bool Choices::pick(const Clause& clause, Literal& out) const {
  bool found = false;
  std::uint64_t best = 0;
  for (const Literal l : clause) {
    if (is_fixed_[l.variable()] != 0 || round_[l.variable()] == rounds_) continue;
    const Choice& choice = variables_[l.variable()];
    // Among the candidates of a read the first will do.
    const std::uint64_t score =
        choice.is_order() ? 1 + std::uint64_t{since_(l.is_negated() ? choice : choice.reversed())} : 1;
    if (found && score <= best) continue;
    found = true;
    best = score;
    out = l;
  }
  return found;
}

// Meets the broken clauses by changes close to them. False: that did not do.
bool Choices::repair() {
  constexpr int kMostChanges = 200;
  ++rounds_;
  int changes = 0;
  while (!broken_.empty()) {
    const Clause& clause = clauses_[broken_.back()];
    const bool met = std::any_of(clause.begin(), clause.end(), [&](Literal l) { return is_true(l); });
    if (met) {
      broken_.pop_back();
      continue;
    }
    Literal change{};
    if (++changes > kMostChanges || !pick(clause, change)) return false;
    broken_.pop_back();
    set(change);
  }
  return true;
}

Choices::Answer Choices::settle(const Limits& limits) {
  for (std::size_t i = 0; i < broken_.size() && !impossible_; ++i) {
    const Rest rest = rest_of(clauses_[broken_[i]]);
    if (rest.met || rest.open > 1) continue;
    impossible_ = rest.open == 0 || !fix(rest.last);
  }
  if (impossible_) return Answer::kImpossible;
  if (!repair()) {
    if (const Answer answer = ask(limits); answer != Answer::kChosen) return answer;
  }
  note_changes();
  return Answer::kChosen;
}

Choices::Answer Choices::ask(const Limits& limits) {
  const auto number = [](Literal l) {
    const int v = static_cast<int>(l.variable()) + 1;
    return l.is_negated() ? -v : v;
  };
  for (; in_sat_ < clauses_.size(); ++in_sat_) {
    for (const Literal l : clauses_[in_sat_]) sat_->add(number(l));
    sat_->add(0);
  }
  for (Variable v = 0; v < variables_.size(); ++v) sat_->phase(number({2 * v + (value_[v] != 0 ? 0U : 1U)}));
  limits.spend(variables_.size() + clauses_.size());
  SatLimit limit(limits);
  sat_->connect_terminator(&limit);
  const int answer = sat_->solve();
  sat_->disconnect_terminator();
  if (answer != 10 && answer != 20) return Answer::kLimit;
  broken_.clear();
  impossible_ = answer == 20;
  if (impossible_) return Answer::kImpossible;
  for (Variable v = 0; v < variables_.size(); ++v) {
    const bool value = sat_->val(number({2 * v})) > 0;
    if (value == (value_[v] != 0)) continue;
    value_[v] = value ? 1 : 0;
    touched_.push_back(v);
  }
  return Answer::kChosen;
}

void Choices::note_changes() {
  changed_.clear();
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const Variable v : touched_) {
    const Choice& choice = variables_[v];
    if (choice.is_order()) {
      changed_.push_back(value_[v] != 0 ? choice : choice.reversed());
      continue;
    }
    // The writer that it has, if that will still do.
    const auto& candidates = sources_.at(choice.read);
    const auto had = source_.find(choice.read);
    const auto will_do = [&](const auto& c) { return value_[c.second] != 0; };
    auto at = candidates.end();
    if (had != source_.end()) {
      at = std::find_if(candidates.begin(), candidates.end(),
                        [&](const auto& c) { return c.first == had->second && will_do(c); });
      if (at != candidates.end()) continue;
    }
    at = std::find_if(candidates.begin(), candidates.end(), will_do);
    source_[choice.read] = at->first;
    changed_.push_back({at->first, kNoTxn, choice.read});
  }
  touched_.clear();
}

}  // namespace isolde::solver
