#include "check/solver/polygraph_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "check/solver/acyclic_sat.h"
#include "check/solver/core.h"
#include "check/solver/polygraph_explain.h"
#include "check/solver/polygraph_order.h"

namespace isolde::solver {

namespace {

using Literal = AcyclicSolver::Literal;
using Value = AcyclicSolver::Value;

constexpr std::uint64_t kStepsPerVisit = 4;  // of a node

class Walk : public AcyclicSolver::Guide {
 public:
  Walk(const Problem& problem, const Pruner& pruner, AcyclicSolver& solver, const Limits& limits)
      : problem_(problem),
        pruner_(pruner),
        solver_(solver),
        limits_(limits),
        current_(problem.writers_begin.size(), kNoTxn),
        active_(problem.writers_begin.size(), kNoTxn) {}

  Step next(Literal& literal) override {
    while (!log_.empty() && log_.back().place >= at_) {
      current_[log_.back().key] = log_.back().current;
      active_[log_.back().key] = log_.back().active;
      log_.pop_back();
    }
    const std::uint32_t from = at_;
    Step step = Step::kDone;
    for (; at_ < problem_.nodes; ++at_) {
      step = visit(solver_.node_at(at_), literal);
      if (step != Step::kDone) break;
    }
    limits_.spend(kStepsPerVisit * (at_ - from + 1));
    return step;
  }

  void moved(std::uint32_t place) override { at_ = std::min(at_, place); }

  // Links of the edges that were made, in their order.
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }

 private:
  // kDone: nothing is wrong there.
  Step visit(Node node, Literal& literal) {
    const TxnId t{problem_.has_points() ? node / 2 : node};
    if (raw(t) >= problem_.txns) return Step::kDone;
    if (node == problem_.read_node(t)) {
      for (std::uint32_t i = problem_.reads_begin[raw(t)]; i < problem_.reads_begin[raw(t) + 1]; ++i) {
        const Step step = pruner_.fixed(i) != kNone32 ? visit_fixed(i, problem_.candidates[pruner_.fixed(i)], literal)
                                                      : visit_open(i, literal);
        if (step != Step::kDone) return step;
      }
      if (problem_.form == graph::Nodes::kPoints) {
        for (const KeyId key : problem_.keys_of(t)) {
          if (active_[raw(key)] != kNoTxn) return choose_order(active_[raw(key)], t, literal);
        }
        for (const KeyId key : problem_.keys_of(t)) set(key, current_[raw(key)], t);
      }
    }
    if (node == problem_.write_node(t)) {
      for (const KeyId key : problem_.keys_of(t)) set(key, t, kNoTxn);
    }
    return Step::kDone;
  }

  void set(KeyId key, TxnId current, TxnId active) {
    const std::uint32_t k = raw(key);
    log_.push_back({at_, k, current_[k], active_[k]});
    current_[k] = current;
    active_[k] = active;
  }

  Step visit_fixed(std::uint32_t read, TxnId writer, Literal& literal) {
    const TxnId now = current_[raw(problem_.reads[read].key)];
    return now == writer ? Step::kDone : choose_order(writer, now, literal);
  }

  // An open read is right with any of its candidates that is not excluded.
  Step visit_open(std::uint32_t read, Literal& literal) {
    const Read& r = problem_.reads[read];
    const TxnId now = current_[raw(r.key)];
    const auto at = variables_of_.find(read);
    std::uint32_t best = kNone32, best_place = 0;
    for (std::uint32_t c = 0; c < r.count; ++c) {
      if (pruner_.is_ruled_out(read, c)) continue;
      const TxnId writer = problem_.candidates[r.first + c];
      const Value value = at == variables_of_.end() ? Value::kOpen : solver_.value(at->second + c);
      if (value == Value::kFalse) continue;
      if (writer == now) return Step::kDone;
      if (value == Value::kTrue) return keep_from(read, c, writer, now, literal);
      // The last one before the reader is tried first.
      const std::uint32_t place = writer == kNoTxn ? 0 : solver_.place_of(problem_.write_node(writer)) + 1;
      const std::uint32_t rank = place > at_ ? 0 : place + 1;
      if (best != kNone32 && rank <= best_place) continue;
      best = c;
      best_place = rank;
    }
    const std::uint32_t first = at == variables_of_.end() ? add_read(read) : at->second;
    literal = 2 * (first + best);
    return Step::kTry;
  }

  // The read has `writer` as its source, and another version is in the way.
  Step keep_from(std::uint32_t read, std::uint32_t candidate, TxnId writer, TxnId now, Literal& literal) {
    const std::uint32_t pair = variable_of(writer, now);
    if (solver_.value(pair) == Value::kOpen) return choose_order(writer, now, literal);
    const std::uint32_t source = variables_of_.at(read) + candidate;
    const std::uint64_t id = std::uint64_t{source} << 32 | raw(now);
    const auto [at, fresh] = conditional_.try_emplace(id, 0);
    if (fresh) {
      const Link link{
          Link::Kind::kAnti, problem_.read_node(problem_.reads[read].txn), problem_.write_node(now), writer, now, read};
      at->second = add_edge(link, 2 * source, 2 * pair + (raw(writer) < raw(now) ? 0 : 1));
    } else {
      solver_.insist(at->second);
    }
    return Step::kAgain;
  }

  // Which of two writers that are in each other's way comes first. Requires: `a` is before `b` in the order at hand.
  Step choose_order(TxnId a, TxnId b, Literal& literal) {
    const std::size_t before = pairs_.size();
    const std::uint32_t v = variable_of(a, b);
    bool a_first = raw(a) < raw(b) ? solver_.last_value(v) : !solver_.last_value(v);
    if (pairs_.size() > before) {
      // The way that moves less: the later one behind the reader, or before the other writer.
      const std::uint32_t place_a = solver_.place_of(problem_.write_node(a));
      const std::uint32_t place_b = solver_.place_of(problem_.write_node(b));
      a_first = place_b < place_a || place_b - place_a >= at_ - std::min(at_, place_b);
    }
    literal = 2 * v + (a_first == (raw(a) < raw(b)) ? 0 : 1);
    return Step::kTry;
  }

  std::uint32_t add_edge(const Link& link, Literal literal, Literal second) {
    links_.push_back(link);
    return solver_.add_edge(literal, second, link.from, link.to);
  }

  // True: the lower id comes first.
  std::uint32_t variable_of(TxnId a, TxnId b) {
    if (raw(b) < raw(a)) std::swap(a, b);
    const auto [at, fresh] = pairs_.try_emplace(std::uint64_t{raw(a)} << 32 | raw(b), 0);
    if (!fresh) return at->second;
    at->second = solver_.add_variable(true);
    add_order(a, b, 2 * at->second);
    add_order(b, a, 2 * at->second + 1);
    return at->second;
  }

  void add_order(TxnId a, TxnId b, Literal literal) {
    add_unless_known({Link::Kind::kBefore, problem_.write_node(a), problem_.overwrite_node(b), a, b, kNoRead}, literal);
    pruner_.each_common_key(a, b, [&](std::uint32_t slot, std::uint32_t) {
      pruner_.each_reader(slot, [&](std::uint32_t r) {
        const TxnId reader = problem_.reads[r].txn;
        if (reader == b) return;
        add_unless_known({Link::Kind::kAnti, problem_.read_node(reader), problem_.write_node(b), a, b, r}, literal);
      });
    });
  }

  void add_unless_known(const Link& link, Literal literal) {
    if (!pruner_.reach().reaches(link.from, link.to)) add_edge(link, literal, AcyclicSolver::kNoLiteral);
  }

  std::uint32_t add_read(std::uint32_t read) {
    const Read& r = problem_.reads[read];
    std::vector<Literal> one_of;
    std::uint32_t first = kNone32;
    for (std::uint32_t c = 0; c < r.count; ++c) {
      const std::uint32_t v = solver_.add_variable(false);
      if (c == 0) first = v;
      if (pruner_.is_ruled_out(read, c)) continue;
      one_of.push_back(2 * v);
      add_candidate(read, problem_.candidates[r.first + c], 2 * v);
    }
    solver_.add_clause(one_of);
    variables_of_.emplace(read, first);
    return first;
  }

  void add_candidate(std::uint32_t read, TxnId writer, Literal literal) {
    const Read& r = problem_.reads[read];
    const Node reader = problem_.read_node(r.txn);
    if (writer != kNoTxn) {
      add_unless_known({Link::Kind::kFrom, problem_.write_node(writer), reader, writer, kNoTxn, read}, literal);
    }
    std::uint32_t chain = kNone32;  // of a writer that comes after anyway: it stands for the rest of its chain
    for (const WriterAt& w : pruner_.by_write(r.key)) {
      if (w.txn == r.txn || w.txn == writer || w.chain == chain) continue;
      if (writer != kNoTxn && !pruner_.is_before(writer, w.txn)) continue;
      add_unless_known({Link::Kind::kAnti, reader, problem_.write_node(w.txn), writer, w.txn, read}, literal);
      chain = w.chain;
    }
  }

  struct Change {
    std::uint32_t place, key;
    TxnId current, active;  // what it was before
  };

  const Problem& problem_;
  const Pruner& pruner_;
  AcyclicSolver& solver_;
  const Limits& limits_;
  std::uint32_t at_ = 0;                 // the next place that is to be visited
  std::vector<TxnId> current_, active_;  // by key: who wrote last; who has started and will write
  std::vector<Change> log_;
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;         // variables
  std::unordered_map<std::uint32_t, std::uint32_t> variables_of_;  // by open read: that of the first candidate
  std::unordered_map<std::uint64_t, std::uint32_t> conditional_;   // by variable of a candidate and writer: an edge
  std::vector<Link> links_;
};

// First which of the cycles found are needed, taking what was pruned as given; then what these rest on.
Found explain(const Problem& problem, const Pruner& pruner, const Limits& limits, std::vector<Cycle> cycles,
              Explainer& explainer) {
  std::vector<Cycle> choices;
  for (const Cycle& cycle : cycles) {
    Cycle& open = choices.emplace_back();
    for (Link link : cycle) {
      if (link.kind == Link::Kind::kKnown || link.kind == Link::Kind::kInside) continue;
      if (link.kind != Link::Kind::kFrom && link.a != kNoTxn && pruner.is_before(link.a, link.b)) {
        if (link.kind == Link::Kind::kBefore) continue;
        link.kind = Link::Kind::kFrom;  // the order is given: the read alone is a choice
      }
      open.push_back(link);
    }
  }
  for (const RuledOut& out : pruner.ruled_out()) {
    choices.push_back({{Link::Kind::kFrom, 0, 0, out.candidate, kNoTxn, out.read}});
  }
  Found found;
  if (const auto needed = minimal_core_places(problem, choices, limits)) {
    for (const std::uint32_t i : *needed) {
      if (i < cycles.size()) explainer.add(std::move(cycles[i]));
    }
    if (auto core = minimal_core(problem, explainer.take(), limits)) {
      found.outcome = Found::Outcome::kNone;
      found.cycles = std::move(*core);
      return found;
    }
  }
  found.limit = "no order was found, and no proof that there is none";
  return found;
}

// The table dropped edges of times and gates; here all known edges count. Requires: those that lead to such a node come
// before those that it leads to.
std::vector<Node> with_all_nodes(const Problem& problem, const Pruner& pruner, const AcyclicSolver& solver) {
  std::vector<std::uint32_t> waits(problem.nodes, 0);
  for (const Node next : problem.to) ++waits[next];
  std::vector<Node> out;
  out.reserve(problem.nodes);
  std::size_t done = 0;
  const auto release = [&] {
    for (; done < out.size(); ++done) {
      for (const Node next : problem.known(out[done])) {
        if (--waits[next] == 0 && !pruner.reach().is_tracked(next)) out.push_back(next);
      }
    }
  };
  for (Node v = 0; v < problem.nodes; ++v) {
    if (waits[v] == 0 && !pruner.reach().is_tracked(v)) out.push_back(v);
  }
  release();
  for (std::uint32_t i = 0; i < problem.nodes; ++i) {
    if (!pruner.reach().is_tracked(solver.node_at(i))) continue;
    out.push_back(solver.node_at(i));
    release();
  }
  return out;
}

}  // namespace

Found search_pruned(const Problem& problem, const Pruner& pruner, const Limits& limits, SearchStats& stats,
                    std::span<const Node> hint) {
  std::vector<AcyclicSolver::Edge> fixed;
  for (Node v = 0; v < problem.nodes; ++v) {
    pruner.reach().each_next(v, [&](Node next) { fixed.push_back({v, next}); });
  }
  AcyclicSolver solver(tentative_order(problem, pruner, hint), fixed);
  Walk walk(problem, pruner, solver, limits);
  const AcyclicSolver::Outcome outcome = solver.solve(limits, &walk);
  stats.conflicts += solver.conflicts();
  Found found;
  if (outcome == AcyclicSolver::Outcome::kLimit) {
    found.limit =
        fmt::format("{}; {} of {} pairs left after pruning", limits.exhausted_by(), stats.searched, stats.pairs);
    return found;
  }
  if (outcome == AcyclicSolver::Outcome::kOrder) {
    found.outcome = Found::Outcome::kOrder;
    found.order = with_all_nodes(problem, pruner, solver);
    return found;
  }
  Explainer explainer(problem, pruner);
  std::vector<Cycle> cycles;
  for (std::size_t i = 0; i < solver.cycles(); ++i) {
    Cycle& cycle = cycles.emplace_back();
    for (const std::uint32_t e : solver.cycle(i)) {
      cycle.push_back(e < fixed.size() ? explainer.link_of(fixed[e].from, fixed[e].to)
                                       : walk.links()[e - fixed.size()]);
    }
  }
  return explain(problem, pruner, limits, std::move(cycles), explainer);
}

}  // namespace isolde::solver
