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

}  // namespace

// MiniSat's own search (Een, Sorensson), with a second kind of propagation: literals put their edges in the graph.
class AcyclicSolver::Search : private Minisat::Solver {
 public:
  Search(std::span<const Node> order, std::span<const Edge> fixed)
      : edges_(fixed.begin(), fixed.end()),
        literal_(fixed.size(), lit_Undef),
        out_(order.size()),
        in_(order.size()),
        place_(order.size()),
        mark_(order.size(), 0),
        cost_(order.size()),
        parent_(order.size()) {
    for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (std::uint32_t i = 0; i < edges_.size(); ++i) link(i);
  }

  std::uint32_t add_variable(bool guess) {
    const Minisat::Var v = newVar();
    polarity[v] = static_cast<char>(!guess);
    edges_of_.resize(edges_of_.size() + 2);
    return static_cast<std::uint32_t>(v);
  }

  void add_edge(Literal literal, Node from, Node to) {
    edges_of_[literal].push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back({from, to});
    literal_.push_back(Minisat::toLit(static_cast<int>(literal)));
  }

  void add_clause(std::span<const Literal> clause) {
    vec<Lit> lits;
    for (const Literal l : clause) lits.push(Minisat::toLit(static_cast<int>(l)));
    addClause_(lits);
  }

  Outcome solve(const Limits& limits) {
    limits_ = &limits;
    if (!ok) return Outcome::kNone;
    // Variables are first chosen in the order in which they were made.
    const double step = 1e-3 / (nVars() + 1);
    for (int v = 0; v < nVars(); ++v) varBumpActivity(v, step * (nVars() - v));
    max_learnts = std::max(nClauses() * learntsize_factor, 20'000.0);
    learntsize_adjust_confl = learntsize_adjust_start_confl;
    learntsize_adjust_cnt = static_cast<int>(learntsize_adjust_confl);
    for (int round = 0;; ++round) {
      const lbool found = search(static_cast<int>(luby(round) * 200));
      if (found == l_True) {
        model.growTo(nVars());
        for (int v = 0; v < nVars(); ++v) model[v] = value(v);
        return Outcome::kOrder;
      }
      if (found == l_False) return Outcome::kNone;
      if (out_of_time_) return Outcome::kLimit;
    }
  }

  [[nodiscard]] bool true_in_model(std::uint32_t v) const { return modelValue(static_cast<int>(v)) == l_True; }
  [[nodiscard]] std::uint64_t conflict_count() const { return conflicts; }
  [[nodiscard]] std::size_t circles() const { return circle_begin_.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> circle(std::size_t i) const {
    return std::span(circle_edges_).subspan(circle_begin_[i], circle_begin_[i + 1] - circle_begin_[i]);
  }

 private:
  struct Arc {
    Node node;
    std::uint32_t edge;
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

  void link(std::uint32_t edge) {
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
      }
      begun_.pop_back();
    }
    cancelUntil(to_level);
  }

  // Clauses first, then edges of what is true, until neither says more.
  CRef propagate_both() {
    const CRef failed = propagate();
    if (failed != CRef_Undef) return failed;
    while (begun_.size() < static_cast<std::size_t>(trail.size())) {
      const Lit lit = trail[static_cast<int>(begun_.size())];
      begun_.push_back(linked_.size());
      for (const std::uint32_t edge : edges_of_[static_cast<std::size_t>(Minisat::toInt(lit))]) {
        if (!insert(edge)) return conflict_of(edge);
        link(edge);
        linked_.push_back(edge);
      }
    }
    return CRef_Undef;
  }

  // Puts the nodes in an order that the edge fits. False: it closes a circle.
  bool insert(std::uint32_t edge) {
    const auto [from, to] = edges_[edge];
    if (place_[from] < place_[to]) return true;
    if (from == to) return false;
    const std::uint32_t low = place_[to], high = place_[from];
    ++stamp_;
    after_.assign(1, to);
    mark_[to] = stamp_;
    for (std::size_t i = 0; i < after_.size(); ++i) {
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
    std::sort(free_.begin(), free_.end());
    std::size_t at = 0;
    for (const Node v : before_) place_[v] = free_[at++];
    for (const Node v : after_) place_[v] = free_[at++];
    return true;
  }

  // The circle that an edge closes: of all, one with the fewest literals that could be chosen otherwise.
  CRef conflict_of(std::uint32_t closing) {
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
      for (const Arc& arc : out_[v]) {
        if (place_[arc.node] > high) continue;
        const bool free = literal_[arc.edge] != lit_Undef && level(Minisat::var(literal_[arc.edge])) > 0;
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
      circle_edges_.push_back(edge);
      if (literal_[edge] != lit_Undef) clause.push(~literal_[edge]);
    };
    take(closing);
    const std::size_t first = circle_edges_.size();
    for (Node v = from; v != to; v = edges_[parent_[v]].from) take(parent_[v]);
    std::reverse(circle_edges_.begin() + static_cast<std::ptrdiff_t>(first), circle_edges_.end());
    circle_begin_.push_back(circle_edges_.size());

    std::sort(&clause[0], &clause[0] + clause.size());
    int kept = 0;
    for (int i = 0; i < clause.size(); ++i) {
      if (level(Minisat::var(clause[i])) == 0 || (kept > 0 && clause[kept - 1] == clause[i])) continue;
      clause[kept++] = clause[i];
    }
    clause.shrink(clause.size() - kept);
    if (kept == 0) {
      ok = false;
      return CRef_Undef;
    }
    for (int place = 0; place < 2 && place < kept; ++place) {  // the latest two are watched
      for (int i = place + 1; i < kept; ++i) {
        if (level(Minisat::var(clause[i])) > level(Minisat::var(clause[place]))) std::swap(clause[i], clause[place]);
      }
    }
    const CRef made = ca.alloc(clause, true);
    if (kept > 1) {
      learnts.push(made);
      attachClause(made);
    }
    return made;
  }

  lbool search(int most_conflicts) {
    int conflicts_here = 0;
    vec<Lit> learnt;
    for (;;) {
      const CRef failed = propagate_both();
      if (!ok) return l_False;
      if (failed != CRef_Undef) {
        ++conflicts;
        ++conflicts_here;
        if (decisionLevel() == 0) return l_False;
        learnt.clear();
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
        continue;
      }
      if ((++steps_ & 0xff) == 0) {
        out_of_time_ = limits_->out_of_time();
        if (limits_->progress != nullptr && (steps_ & 0xffff) == 0) {
          limits_->progress->advance("searching", static_cast<std::uint64_t>(trail.size()),
                                     static_cast<std::uint64_t>(nVars()));
        }
      }
      if (conflicts_here >= most_conflicts || out_of_time_) {
        back_to(0);
        return l_Undef;
      }
      if (decisionLevel() == 0 && !simplify()) return l_False;
      if (learnts.size() - nAssigns() >= max_learnts) reduceDB();
      const Lit next = pickBranchLit();
      if (next == lit_Undef) return l_True;
      newDecisionLevel();
      uncheckedEnqueue(next);
    }
  }

  const Limits* limits_ = nullptr;
  std::vector<Edge> edges_;
  std::vector<Lit> literal_;                          // by edge; lit_Undef: it stands always
  std::vector<std::vector<std::uint32_t>> edges_of_;  // by literal
  std::vector<std::vector<Arc>> out_, in_;
  std::vector<std::uint32_t> place_;   // of each node, in an order that every linked edge fits
  std::vector<std::size_t> begun_;     // for each literal of the trail whose edges are in: how many there were before
  std::vector<std::uint32_t> linked_;  // edges of literals, in the order in which they came
  std::vector<std::uint64_t> mark_;
  std::vector<std::uint32_t> cost_, parent_, free_;
  std::vector<Node> after_, before_;
  std::uint64_t stamp_ = 0, steps_ = 0;
  bool out_of_time_ = false;
  std::vector<std::uint32_t> circle_edges_;
  std::vector<std::size_t> circle_begin_{0};
};

AcyclicSolver::AcyclicSolver(std::span<const Node> order, std::span<const Edge> fixed)
    : search_(std::make_unique<Search>(order, fixed)) {}
AcyclicSolver::~AcyclicSolver() = default;

std::uint32_t AcyclicSolver::add_variable(bool guess) { return search_->add_variable(guess); }
void AcyclicSolver::add_edge(Literal literal, Node from, Node to) { search_->add_edge(literal, from, to); }
void AcyclicSolver::add_clause(std::span<const Literal> clause) { search_->add_clause(clause); }
AcyclicSolver::Outcome AcyclicSolver::solve(const Limits& limits) { return search_->solve(limits); }
bool AcyclicSolver::value(std::uint32_t variable) const { return search_->true_in_model(variable); }
std::uint64_t AcyclicSolver::conflicts() const { return search_->conflict_count(); }
std::size_t AcyclicSolver::circles() const { return search_->circles(); }
std::span<const std::uint32_t> AcyclicSolver::circle(std::size_t index) const { return search_->circle(index); }

}  // namespace isolde::solver
