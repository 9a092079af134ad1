#include "check/solver/acyclic_sat.h"

#include <minisat/core/Solver.h>

#include <algorithm>
#include <deque>

namespace isolde::solver {

namespace {

using Minisat::CRef;
using Minisat::CRef_Undef;
using Minisat::lbool;
using Minisat::Lit;
using Minisat::lit_Undef;
using Minisat::vec;

constexpr std::uint64_t kStepsPerPropagation = 6, kWatchersPerStep = 2;

Lit lit_of(AcyclicSolver::Literal literal) {
  return literal == AcyclicSolver::kNoLiteral ? lit_Undef : Minisat::toLit(static_cast<int>(literal));
}

}  // namespace

// MiniSat's own search (Een, Sorensson), with a second kind of propagation: literals put their edges in the graph.
class AcyclicSolver::Search : private Minisat::Solver {
 public:
  Search(std::span<const Node> order, std::span<const Edge> fixed)
      : edges_(fixed.begin(), fixed.end()),
        reason_(fixed.size(), {lit_Undef, lit_Undef}),
        is_linked_(fixed.size(), true),
        out_(order.size()),
        in_(order.size()),
        order_(order.begin(), order.end()),
        place_(order.size()),
        mark_(order.size(), 0),
        cost_(order.size()),
        parent_(order.size()) {
    for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (std::uint32_t i = 0; i < edges_.size(); ++i) put(i);
  }

  std::uint32_t add_variable(bool guess) {
    const Minisat::Var v = newVar(l_Undef, guide_ == nullptr);
    polarity[v] = static_cast<char>(!guess);
    edges_of_.resize(edges_of_.size() + 2);
    is_begun_.push_back(false);
    return static_cast<std::uint32_t>(v);
  }

  std::uint32_t add_edge(Literal literal, Literal second, Node from, Node to) {
    const auto edge = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back({from, to});
    reason_.push_back({lit_of(literal), lit_of(second)});
    is_linked_.push_back(false);
    edges_of_[literal].push_back(edge);
    if (second != kNoLiteral) edges_of_[second].push_back(edge);
    insist(edge);
    return edge;
  }

  void insist(std::uint32_t edge) {
    if (!is_linked_[edge] && is_in(reason_[edge].first) && is_in(reason_[edge].second)) late_.push_back(edge);
  }

  void add_clause(std::span<const Literal> clause) {
    vec<Lit> lits;
    for (const Literal l : clause) lits.push(lit_of(l));
    if (decisionLevel() == 0) {
      addClause_(lits);
      return;
    }
    const CRef made = ca.alloc(lits, false);
    clauses.push(made);
    attachClause(made);
  }

  Outcome solve(const Limits& limits, Guide* guide) {
    limits_ = &limits;
    guide_ = guide;
    if (!ok) return Outcome::kNone;
    if (limits.exhausted()) return Outcome::kLimit;
    exhausted_ = false;
    max_learnts = std::max(nClauses() * learntsize_factor, 20'000.0);
    learntsize_adjust_confl = learntsize_adjust_start_confl;
    learntsize_adjust_cnt = static_cast<int>(learntsize_adjust_confl);
    for (int round = 0;; ++round) {
      const lbool found = search(static_cast<int>(luby(round) * 100));
      if (found == l_True) return Outcome::kOrder;
      if (found == l_False) return Outcome::kNone;
      if (exhausted_) return Outcome::kLimit;
    }
  }

  [[nodiscard]] Value value_of(std::uint32_t variable) const {
    const lbool now = value(static_cast<Minisat::Var>(variable));
    return now == l_Undef ? Value::kOpen : now == l_True ? Value::kTrue : Value::kFalse;
  }
  [[nodiscard]] bool last_value(std::uint32_t variable) const { return polarity[static_cast<int>(variable)] == 0; }
  [[nodiscard]] Node node_at(std::uint32_t place) const { return order_[place]; }
  [[nodiscard]] std::uint32_t place_of(Node node) const { return place_[node]; }
  [[nodiscard]] std::uint64_t conflict_count() const { return conflicts; }
  [[nodiscard]] std::size_t cycles() const { return cycle_begin_.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> cycle(std::size_t i) const {
    return std::span(cycle_edges_).subspan(cycle_begin_[i], cycle_begin_[i + 1] - cycle_begin_[i]);
  }

 private:
  struct Arc {
    Node node;
    std::uint32_t edge;
  };
  struct Reason {
    Lit first, second;  // lit_Undef: none is needed
  };

  // Luby's sequence 1 1 2 1 1 2 4 …
  static double luby(int x) {
    int size = 1, seq = 0;
    for (; size < x + 1; ++seq) size = 2 * size + 1;
    while (size - 1 != x) {
      size = (size - 1) / 2;
      --seq;
      x %= size;
    }
    return static_cast<double>(1U << static_cast<unsigned>(seq));
  }

  // True, and its edges have their turn.
  [[nodiscard]] bool is_in(Lit lit) const {
    return lit == lit_Undef || (value(lit) == l_True && is_begun_[static_cast<std::size_t>(Minisat::var(lit))]);
  }

  void put(std::uint32_t edge) {
    out_[edges_[edge].from].push_back({edges_[edge].to, edge});
    in_[edges_[edge].to].push_back({edges_[edge].from, edge});
  }

  // Takes back literals and their edges; edges come and go like a stack, so each is the last of its lists.
  void back_to(int to_level) {
    if (decisionLevel() <= to_level) return;
    const auto keep = static_cast<std::size_t>(trail_lim[to_level]);
    while (begun_.size() > keep) {
      for (; linked_.size() > begun_.back(); linked_.pop_back()) {
        out_[edges_[linked_.back()].from].pop_back();
        in_[edges_[linked_.back()].to].pop_back();
        is_linked_[linked_.back()] = false;
      }
      begun_.pop_back();
      is_begun_[static_cast<std::size_t>(Minisat::var(trail[static_cast<int>(begun_.size())]))] = false;
    }
    late_.clear();
    cancelUntil(to_level);
  }

  // MiniSat's, with the clauses that it visits counted: they are most of what a hard search costs.
  CRef propagate_clauses() {
    const int from = qhead;
    const CRef failed = propagate();
    for (int i = from; i < qhead; ++i) watchers_ += static_cast<std::uint64_t>(watches[trail[i]].size());
    return failed;
  }

  // Clauses first, then edges of what is true, until neither says more.
  CRef propagate_both() {
    const CRef failed = propagate_clauses();
    if (failed != CRef_Undef) return failed;
    while (begun_.size() < static_cast<std::size_t>(trail.size())) {
      const Lit lit = trail[static_cast<int>(begun_.size())];
      begun_.push_back(linked_.size());
      is_begun_[static_cast<std::size_t>(Minisat::var(lit))] = true;
      for (const std::uint32_t edge : edges_of_[static_cast<std::size_t>(Minisat::toInt(lit))]) {
        if (is_in(reason_[edge].first) && is_in(reason_[edge].second) && !link(edge)) return conflict_of(edge);
      }
    }
    while (!late_.empty()) {
      const std::uint32_t edge = late_.back();
      late_.pop_back();
      if (!link(edge)) return conflict_of(edge);
    }
    return CRef_Undef;
  }

  // False: it closes a cycle.
  bool link(std::uint32_t edge) {
    if (is_linked_[edge]) return true;
    if (!make_fit(edge)) return false;
    put(edge);
    linked_.push_back(edge);
    is_linked_[edge] = true;
    return true;
  }

  // Puts the nodes in an order that the edge fits. False: it closes a cycle.
  bool make_fit(std::uint32_t edge) {
    const auto [from, to] = edges_[edge];
    if (place_[from] < place_[to]) return true;
    if (from == to) return false;
    const std::uint32_t low = place_[to], high = place_[from];
    ++stamp_;
    after_.assign(1, to);
    mark_[to] = stamp_;
    for (std::size_t i = 0; i < after_.size(); ++i) {
      looked_ += out_[after_[i]].size() + 1;
      for (const Arc& arc : out_[after_[i]]) {
        if (arc.node == from) return false;
        if (place_[arc.node] > high || mark_[arc.node] == stamp_) continue;
        mark_[arc.node] = stamp_;
        after_.push_back(arc.node);
      }
    }
    before_.assign(1, from);
    mark_[from] = stamp_;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      looked_ += in_[before_[i]].size() + 1;
      for (const Arc& arc : in_[before_[i]]) {
        if (place_[arc.node] < low || mark_[arc.node] == stamp_) continue;
        mark_[arc.node] = stamp_;
        before_.push_back(arc.node);
      }
    }
    const auto earlier = [&](Node a, Node b) { return place_[a] < place_[b]; };
    std::sort(before_.begin(), before_.end(), earlier);
    std::sort(after_.begin(), after_.end(), earlier);
    free_.clear();
    for (const Node v : before_) free_.push_back(place_[v]);
    for (const Node v : after_) free_.push_back(place_[v]);
    std::inplace_merge(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(before_.size()), free_.end());
    std::size_t at = 0;
    for (const auto* nodes : {&before_, &after_}) {
      for (const Node v : *nodes) {
        place_[v] = free_[at++];
        order_[place_[v]] = v;
      }
    }
    if (guide_ != nullptr) guide_->moved(low);
    return true;
  }

  [[nodiscard]] bool is_free(Lit lit) const { return lit != lit_Undef && level(Minisat::var(lit)) > 0; }

  // The cycle that an edge closes: of all, one with the fewest literals that could be chosen otherwise.
  CRef conflict_of(std::uint32_t closing) {
    late_.clear();
    const auto [from, to] = edges_[closing];
    const std::uint32_t high = place_[from];
    ++stamp_;
    std::deque<Node> queue{to};
    cost_[to] = 0;
    parent_[to] = closing;
    mark_[to] = stamp_;
    while (!queue.empty() && from != to) {
      const Node v = queue.front();
      queue.pop_front();
      if (v == from) break;
      looked_ += out_[v].size() + 1;
      for (const Arc& arc : out_[v]) {
        if (place_[arc.node] > high) continue;
        const bool free = is_free(reason_[arc.edge].first) || is_free(reason_[arc.edge].second);
        const std::uint32_t cost = cost_[v] + (free ? 1 : 0);
        if (mark_[arc.node] == stamp_ && cost_[arc.node] <= cost) continue;
        mark_[arc.node] = stamp_;
        cost_[arc.node] = cost;
        parent_[arc.node] = arc.edge;
        if (free) {
          queue.push_back(arc.node);
        } else {
          queue.push_front(arc.node);
        }
      }
    }
    vec<Lit> clause;
    const auto take = [&](std::uint32_t edge) {
      cycle_edges_.push_back(edge);
      for (const Lit lit : {reason_[edge].first, reason_[edge].second}) {
        if (is_free(lit)) clause.push(~lit);
      }
    };
    take(closing);
    const std::size_t first = cycle_edges_.size();
    for (Node v = from; v != to; v = edges_[parent_[v]].from) take(parent_[v]);
    std::reverse(cycle_edges_.begin() + static_cast<std::ptrdiff_t>(first), cycle_edges_.end());
    cycle_begin_.push_back(cycle_edges_.size());
    if (clause.size() == 0) {
      ok = false;
      return CRef_Undef;
    }
    std::sort(&clause[0], &clause[0] + clause.size());
    clause.shrink(static_cast<int>(&clause[0] + clause.size() - std::unique(&clause[0], &clause[0] + clause.size())));
    for (int place = 0; place < 2 && place < clause.size(); ++place) {  // the latest two are watched
      for (int i = place + 1; i < clause.size(); ++i) {
        if (level(Minisat::var(clause[i])) > level(Minisat::var(clause[place]))) std::swap(clause[i], clause[place]);
      }
    }
    back_to(level(Minisat::var(clause[0])));  // an edge that came late may rest on early choices alone
    const CRef made = ca.alloc(clause, true);
    if (clause.size() > 1) {
      learnts.push(made);
      attachClause(made);
    }
    return made;
  }

  void learn(CRef failed) {
    vec<Lit> learnt;
    int level_back = 0;
    analyze(failed, learnt, level_back);
    if (ca[failed].size() == 1) ca.free(failed);
    back_to(level_back);
    if (learnt.size() == 1) {
      uncheckedEnqueue(learnt[0]);
    } else {
      const CRef made = ca.alloc(learnt, true);
      learnts.push(made);
      attachClause(made);
      claBumpActivity(ca[made]);
      uncheckedEnqueue(learnt[0], made);
    }
    varDecayActivity();
    claDecayActivity();
    if (--learntsize_adjust_cnt == 0) {
      learntsize_adjust_confl *= learntsize_adjust_inc;
      learntsize_adjust_cnt = static_cast<int>(learntsize_adjust_confl);
      max_learnts *= learntsize_inc;
    }
  }

  lbool search(int most_conflicts) {
    int conflicts_here = 0;
    for (;;) {
      const CRef failed = propagate_both();
      if (!ok) return l_False;
      if (failed != CRef_Undef) {
        ++conflicts;
        ++conflicts_here;
        if (decisionLevel() == 0) return l_False;
        learn(failed);
        continue;
      }
      if ((++steps_ & 0x3f) == 0) {
        const std::uint64_t now = kStepsPerPropagation * propagations + watchers_ / kWatchersPerStep + looked_;
        limits_->spend(now - spent_);
        spent_ = now;
        exhausted_ = limits_->exhausted();
        if (limits_->progress != nullptr && (steps_ & 0xfff) == 0)
          limits_->progress->advance("searching", conflicts, 0);
      }
      if (conflicts_here >= most_conflicts || exhausted_) {
        back_to(0);
        return l_Undef;
      }
      if (decisionLevel() == 0 && !simplify()) return l_False;
      if (learnts.size() - nAssigns() >= max_learnts) reduceDB();
      Lit next = lit_Undef;
      if (guide_ != nullptr) {
        Literal literal = kNoLiteral;
        const Guide::Step step = guide_->next(literal);
        if (step == Guide::Step::kDone) return l_True;
        if (step == Guide::Step::kAgain) continue;
        next = lit_of(literal);
      } else {
        next = pickBranchLit();
        if (next == lit_Undef) return l_True;
      }
      newDecisionLevel();
      uncheckedEnqueue(next);
    }
  }

  const Limits* limits_ = nullptr;
  Guide* guide_ = nullptr;
  std::vector<Edge> edges_;
  std::vector<Reason> reason_;  // by edge
  std::vector<bool> is_linked_;
  std::vector<std::vector<std::uint32_t>> edges_of_;  // by literal
  std::vector<std::vector<Arc>> out_, in_;            // edges that are linked
  std::vector<Node> order_;                           // one that every linked edge fits …
  std::vector<std::uint32_t> place_;                  // … and the place of each node there
  std::vector<std::size_t> begun_;  // for each literal of the trail that had its turn: how many edges there were before
  std::vector<bool> is_begun_;      // by variable
  std::vector<std::uint32_t> linked_, late_;  // edges of literals, in the order in which they came; those still to come
  std::vector<std::uint64_t> mark_;
  std::vector<std::uint32_t> cost_, parent_, free_;
  std::vector<Node> after_, before_;
  std::uint64_t stamp_ = 0, steps_ = 0;
  std::uint64_t looked_ = 0, watchers_ = 0, spent_ = 0;  // arcs looked at; clauses visited; steps of the limits
  bool exhausted_ = false;
  std::vector<std::uint32_t> cycle_edges_;
  std::vector<std::size_t> cycle_begin_{0};
};

AcyclicSolver::AcyclicSolver(std::span<const Node> order, std::span<const Edge> fixed)
    : search_(std::make_unique<Search>(order, fixed)) {}
AcyclicSolver::~AcyclicSolver() = default;

std::uint32_t AcyclicSolver::add_variable(bool guess) { return search_->add_variable(guess); }
std::uint32_t AcyclicSolver::add_edge(Literal literal, Literal second, Node from, Node to) {
  return search_->add_edge(literal, second, from, to);
}
void AcyclicSolver::add_clause(std::span<const Literal> clause) { search_->add_clause(clause); }
void AcyclicSolver::insist(std::uint32_t edge) { search_->insist(edge); }
AcyclicSolver::Outcome AcyclicSolver::solve(const Limits& limits, Guide* guide) {
  return search_->solve(limits, guide);
}
AcyclicSolver::Value AcyclicSolver::value(std::uint32_t variable) const { return search_->value_of(variable); }
bool AcyclicSolver::last_value(std::uint32_t variable) const { return search_->last_value(variable); }
AcyclicSolver::Node AcyclicSolver::node_at(std::uint32_t place) const { return search_->node_at(place); }
std::uint32_t AcyclicSolver::place_of(Node node) const { return search_->place_of(node); }
std::uint64_t AcyclicSolver::conflicts() const { return search_->conflict_count(); }
std::size_t AcyclicSolver::cycles() const { return search_->cycles(); }
std::span<const std::uint32_t> AcyclicSolver::cycle(std::size_t index) const { return search_->cycle(index); }

}  // namespace isolde::solver
