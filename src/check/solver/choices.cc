#include "check/solver/choices.h"

#include <algorithm>
#include <cadical.hpp>

#include "base/hash.h"

namespace isolde::solver {
namespace {

class Clock : public CaDiCaL::Terminator {
 public:
  explicit Clock(const Limits& limits) : limits_(limits) {}
  bool terminate() override { return limits_.out_of_time(); }

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

std::vector<Choice> choices_of(const Problem& problem, const Circle& circle) {
  std::vector<Choice> out;
  for (const Link& link : circle) {
    for_each_choice(problem, link, [&](const Choice& choice) {
      if (std::find(out.begin(), out.end(), choice) == out.end()) out.push_back(choice);
    });
  }
  return out;
}

Choices::Choices(const Problem& problem) : p_(problem), sat_(new_solver()) {}
Choices::~Choices() = default;

int Choices::new_variable(const Choice& choice) {
  variables_.push_back(choice);
  return static_cast<int>(variables_.size());
}

void Choices::open(std::uint32_t read) {
  auto [at, fresh] = sources_.try_emplace(read);
  if (!fresh) return;
  for (const TxnId writer : p_.candidates_of(p_.reads[read])) {
    if (writer == p_.reads[read].txn) continue;
    at->second.emplace_back(writer, new_variable({writer, kNoTxn, read}));
    sat_->phase(-at->second.back().second);
  }
  for (const auto& [writer, variable] : at->second) sat_->add(variable);
  sat_->add(0);
}

int Choices::literal(const Choice& choice) {
  if (!choice.is_order()) {
    open(choice.read);
    for (const auto& [writer, variable] : sources_[choice.read]) {
      if (writer == choice.first) return variable;
    }
    return 0;
  }
  auto [at, fresh] = pairs_.try_emplace(pair_id(choice.first, choice.second), 0);
  const bool up = raw(choice.first) < raw(choice.second);
  if (fresh) {
    at->second = new_variable(up ? choice : Choice{choice.second, choice.first, kNoRead});
  }
  return up ? at->second : -at->second;
}

void Choices::prefer(const Choice& choice) {
  if (!choice.is_order()) preferred_source_[choice.read] = choice.first;
  const int l = literal(choice);
  sat_->phase(l);
}

bool Choices::forbid(const Circle& circle) {
  std::vector<int> clause;
  for (const Choice& choice : choices_of(p_, circle)) clause.push_back(-literal(choice));
  std::sort(clause.begin(), clause.end());
  std::uint64_t hash = clause.size();
  for (const int l : clause) hash = mix64(hash + static_cast<std::uint64_t>(static_cast<std::uint32_t>(l)));
  if (!seen_.emplace(hash, 0).second) return false;
  for (const int l : clause) sat_->add(l);
  sat_->add(0);
  circles_.push_back(circle);
  return true;
}

Choices::Answer Choices::solve(const Limits& limits) {
  Clock clock(limits);
  sat_->connect_terminator(&clock);
  const int answer = sat_->solve();
  sat_->disconnect_terminator();
  if (answer == 20) return Answer::kImpossible;
  if (answer != 10) return Answer::kOutOfTime;
  chosen_.clear();
  for (const auto& [id, variable] : pairs_) {
    Choice choice = variables_[static_cast<std::size_t>(variable) - 1];
    if (sat_->val(variable) < 0) std::swap(choice.first, choice.second);
    chosen_.push_back(choice);
  }
  for (const auto& [read, candidates] : sources_) {
    const auto preferred = preferred_source_.find(read);
    TxnId writer = kNoTxn;
    bool found = false;
    for (const auto& [candidate, variable] : candidates) {
      if (sat_->val(variable) < 0) continue;
      if (!found || (preferred != preferred_source_.end() && preferred->second == candidate)) writer = candidate;
      found = true;
    }
    chosen_.push_back({writer, kNoTxn, read});
  }
  return Answer::kChosen;
}

std::vector<Circle> Choices::core(const Limits& limits) const {
  // Long circles are tried for removal first: what is left is short.
  std::vector<std::size_t> in(circles_.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i;
  std::stable_sort(in.begin(), in.end(),
                   [&](std::size_t a, std::size_t b) { return circles_[a].size() < circles_[b].size(); });
  // Each circle's clause has a literal that turns it on.
  const auto sat = new_solver();
  std::unordered_map<std::uint64_t, int> variables;
  int count = 0;
  const auto variable = [&](std::uint64_t id) {
    auto [at, fresh] = variables.try_emplace(id, 0);
    if (fresh) at->second = ++count;
    return at->second;
  };
  const auto source_id = [](std::uint32_t read, TxnId writer) {
    return mix64(std::uint64_t{read} << 32 | raw(writer)) | std::uint64_t{1} << 63;
  };
  for (const auto& [read, candidates] : sources_) {
    for (const auto& [writer, unused] : candidates) sat->add(variable(source_id(read, writer)));
    sat->add(0);
  }
  std::vector<int> selector(circles_.size(), 0);
  for (const std::size_t i : in) {
    selector[i] = ++count;
    sat->add(-selector[i]);
    for (const Choice& choice : choices_of(p_, circles_[i])) {
      if (choice.is_order()) {
        const int v = variable(pair_id(choice.first, choice.second));
        sat->add(raw(choice.first) < raw(choice.second) ? -v : v);
      } else {
        sat->add(-variable(source_id(choice.read, choice.first)));
      }
    }
    sat->add(0);
  }
  const auto impossible = [&](const std::vector<std::size_t>& with) {
    for (const std::size_t i : with) sat->assume(selector[i]);
    return sat->solve() == 20;
  };
  // Growing sets of the shortest: the first that is enough.
  for (std::size_t size = 8; size < in.size(); size *= 2) {
    const std::vector<std::size_t> some(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));
    if (!impossible(some)) continue;
    in = some;
    break;
  }
  if (!impossible(in)) return circles_;
  std::erase_if(in, [&](std::size_t i) { return !sat->failed(selector[i]); });
  for (std::size_t at = in.size(); at-- > 0 && !limits.out_of_time();) {
    std::vector<std::size_t> less = in;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(at));
    if (!impossible(less)) continue;
    std::erase_if(less, [&](std::size_t i) { return !sat->failed(selector[i]); });
    in = std::move(less);
    at = std::min(at, in.size());
  }
  std::vector<Circle> out;
  for (const std::size_t i : in) out.push_back(circles_[i]);
  return out;
}

}  // namespace isolde::solver
