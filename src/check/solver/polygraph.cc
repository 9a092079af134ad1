#include "check/solver/polygraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "check/solver/acyclic_sat.h"
#include "check/solver/core.h"
#include "check/solver/polygraph_explain.h"
#include "check/solver/polygraph_order.h"
#include "check/solver/polygraph_prune.h"

namespace isolde::solver {

namespace {

constexpr std::uint64_t kMostPairs = 40'000'000;  // that a search keeps in memory

// An edge that stands if a literal is true (2 * variable, one more if it must be false), or two are.
struct Conditional {
  Link link;
  std::uint32_t literal, second;  // second: kNone32: none
};

class Search {
 public:
  Search(const Problem& problem, const Limits& limits, SearchStats& stats, Pruner& pruner)
      : problem_(problem), limits_(limits), stats_(stats), pruner_(pruner) {}

  Found run() {
    pairs_ = pruner_.list_open_pairs(kMostPairs);
    if (pairs_.size() > kMostPairs) return out_of("memory");
    order_ = tentative_order(problem_, pruner_);
    place_.resize(problem_.nodes);
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    // Pairs in the order of time, so that what the search chooses one after the other has to do with each other.
    const auto time = [&](const std::pair<TxnId, TxnId>& pair) {
      return std::max(place_[problem_.write_node(pair.first)], place_[problem_.write_node(pair.second)]);
    };
    std::sort(pairs_.begin(), pairs_.end(), [&](const auto& a, const auto& b) { return time(a) < time(b); });
    add_orders();
    add_reads();
    group();
    value_.assign(variables_, false);
    for (const auto& group : groups_) {
      const Found::Outcome outcome = search(group);
      if (outcome == Found::Outcome::kLimit) return out_of("time");
      if (outcome == Found::Outcome::kNone) return explained();
    }
    return ordered();
  }

 private:
  Found out_of(std::string_view what) {
    Found out;
    out.limit =
        fmt::format("{} ran out; {} of {} pairs left after pruning", what, stats_.pairs - stats_.pruned, stats_.pairs);
    return out;
  }

  void add_edge(Link link, std::uint32_t literal, std::uint32_t second) {
    if (!pruner_.reach().reaches(link.from, link.to)) conditionals_.push_back({link, literal, second});
  }

  void add_orders() {
    variables_ = static_cast<std::uint32_t>(pairs_.size());
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
      const auto [a, b] = pairs_[i];
      add_order(a, b, 2 * i);
      add_order(b, a, 2 * i + 1);
    }
  }

  void add_order(TxnId a, TxnId b, std::uint32_t literal) {
    add_edge({Link::Kind::kBefore, problem_.write_node(a), problem_.overwrite_node(b), a, b, kNoRead}, literal,
             kNone32);
    pruner_.each_common_key(a, b, [&](std::uint32_t slot, std::uint32_t) {
      pruner_.each_reader(slot, [&](std::uint32_t r) {
        const TxnId reader = problem_.reads[r].txn;
        if (reader == b) return;
        add_edge({Link::Kind::kAnti, problem_.read_node(reader), problem_.write_node(b), a, b, r}, literal, kNone32);
      });
    });
  }

  [[nodiscard]] std::uint32_t order_literal(TxnId a, TxnId b) const {
    const std::uint64_t key =
        raw(a) < raw(b) ? std::uint64_t{raw(a)} << 32 | raw(b) : std::uint64_t{raw(b)} << 32 | raw(a);
    return 2 * pair_index_.at(key) + (raw(a) < raw(b) ? 0 : 1);
  }

  void add_reads() {
    for (std::uint32_t i = 0; i < problem_.reads.size(); ++i) {
      if (pruner_.fixed(i) != kNone32) continue;
      if (open_reads_.empty()) {
        for (std::uint32_t p = 0; p < pairs_.size(); ++p) {
          pair_index_.emplace(std::uint64_t{raw(pairs_[p].first)} << 32 | raw(pairs_[p].second), p);
        }
      }
      const Read& read = problem_.reads[i];
      open_reads_.push_back({i, variables_, static_cast<std::uint32_t>(conditionals_.size()), 0});
      for (std::uint32_t c = 0; c < read.count; ++c, ++variables_) {
        if (!pruner_.is_ruled_out(i, c)) add_candidate(i, problem_.candidates[read.first + c], 2 * variables_);
      }
      open_reads_.back().last_edge = static_cast<std::uint32_t>(conditionals_.size());
    }
  }

  void add_candidate(std::uint32_t index, TxnId writer, std::uint32_t literal) {
    const Read& read = problem_.reads[index];
    const Node reader = problem_.read_node(read.txn);
    if (writer != kNoTxn) {
      add_edge({Link::Kind::kFrom, problem_.write_node(writer), reader, writer, kNoTxn, index}, literal, kNone32);
    }
    std::uint32_t chain = kNone32;  // of the last writer that comes after anyway: it stands for the rest of its chain
    for (const WriterAt& w : pruner_.by_write(read.key)) {
      if (w.txn == read.txn || w.txn == writer || w.chain == chain) continue;
      const Link link{Link::Kind::kAnti, reader, problem_.write_node(w.txn), writer, w.txn, index};
      if (writer == kNoTxn || pruner_.is_before(writer, w.txn)) {
        add_edge(link, literal, kNone32);
        chain = w.chain;
      } else if (!pruner_.is_before(w.txn, writer)) {
        add_edge(link, literal, order_literal(writer, w.txn));
      }
    }
  }

  // Groups of components of the possible graph: those that a read joins are one.
  void group() {
    std::vector<std::uint32_t> begin(problem_.nodes + 1, 0);
    for (Node v = 0; v < problem_.nodes; ++v) {
      pruner_.reach().each_next(v, [&](Node) { ++begin[v + 1]; });
    }
    for (const Conditional& c : conditionals_) ++begin[c.link.from + 1];
    for (Node v = 0; v < problem_.nodes; ++v) begin[v + 1] += begin[v];
    std::vector<Node> to(begin.back());
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    for (Node v = 0; v < problem_.nodes; ++v) {
      pruner_.reach().each_next(v, [&](Node next) { to[at[v]++] = next; });
    }
    for (const Conditional& c : conditionals_) to[at[c.link.from]++] = c.link.to;
    const std::vector<std::vector<Node>> components = graph::strong_components(begin, to);

    component_.assign(problem_.nodes, kNone32);
    for (std::uint32_t i = 0; i < components.size(); ++i) {
      for (const Node v : components[i]) component_[v] = i;
    }
    std::vector<std::uint32_t> root(components.size());
    std::iota(root.begin(), root.end(), 0U);
    const auto find = [&](std::uint32_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (OpenRead& read : open_reads_) {
      for (std::uint32_t e = read.first_edge; e < read.last_edge; ++e) {
        for (const std::uint32_t c : {in_component(conditionals_[e].link), component_of(conditionals_[e].second)}) {
          if (c == kNone32) continue;
          if (read.group == kNone32) read.group = c;
          root[find(c)] = find(read.group);
        }
      }
    }
    std::vector<std::uint32_t> number(components.size(), kNone32);
    for (Node v = 0; v < problem_.nodes; ++v) {
      if (component_[v] == kNone32) continue;
      const std::uint32_t r = find(component_[v]);
      if (number[r] == kNone32) {
        number[r] = static_cast<std::uint32_t>(groups_.size());
        groups_.emplace_back();
      }
    }
    for (const Node v : order_) {
      if (component_[v] != kNone32) groups_[number[find(component_[v])]].nodes.push_back(v);
    }
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) groups_[number[find(component_of(2 * i))]].pairs.push_back(i);
    for (std::uint32_t i = 0; i < open_reads_.size(); ++i) {
      if (open_reads_[i].group != kNone32) groups_[number[find(open_reads_[i].group)]].reads.push_back(i);
    }
    for (std::uint32_t i = 0; i < conditionals_.size(); ++i) {
      const std::uint32_t c = in_component(conditionals_[i].link);
      if (c != kNone32) groups_[number[find(c)]].edges.push_back(i);
    }
  }

  // Both ends in one component, else it cannot be part of a circle.
  [[nodiscard]] std::uint32_t in_component(const Link& link) const {
    return component_[link.from] == component_[link.to] ? component_[link.from] : kNone32;
  }
  // Of the pair of an order literal: its two ends reach each other in the possible graph.
  [[nodiscard]] std::uint32_t component_of(std::uint32_t literal) const {
    return literal == kNone32 ? kNone32 : component_[problem_.write_node(pairs_[literal / 2].first)];
  }

  struct Group {
    std::vector<Node> nodes;                         // in the tentative order
    std::vector<std::uint32_t> pairs, reads, edges;  // places in pairs_, open_reads_, conditionals_
  };

  Found::Outcome search(const Group& group) {
    local_.resize(problem_.nodes);
    for (std::uint32_t i = 0; i < group.nodes.size(); ++i) local_[group.nodes[i]] = i;
    std::vector<Node> identity(group.nodes.size());
    std::iota(identity.begin(), identity.end(), 0U);
    std::vector<AcyclicSolver::Edge> fixed;
    for (const Node v : group.nodes) {
      pruner_.reach().each_next(v, [&](Node next) {
        if (component_[v] == component_[next]) fixed.push_back({local_[v], local_[next]});
      });
    }
    AcyclicSolver solver(identity, fixed);
    std::vector<std::uint32_t> edge_of;  // the conditional of each edge after the fixed ones
    local_variable_.resize(variables_);
    for (const std::uint32_t p : group.pairs) {
      const auto [a, b] = pairs_[p];
      local_variable_[p] = solver.add_variable(place_[problem_.write_node(a)] < place_[problem_.write_node(b)]);
    }
    for (const std::uint32_t r : group.reads) add_read(open_reads_[r], solver);
    const auto local_literal = [&](std::uint32_t literal) { return 2 * local_variable_[literal / 2] + literal % 2; };
    for (const std::uint32_t e : group.edges) {
      const Conditional& c = conditionals_[e];
      std::uint32_t literal = local_literal(c.literal);
      if (c.second != kNone32) {
        const std::uint32_t both = 2 * solver.add_variable(false);
        solver.add_clause(std::vector<std::uint32_t>{literal ^ 1, local_literal(c.second) ^ 1, both});
        literal = both;
      }
      solver.add_edge(literal, local_[c.link.from], local_[c.link.to]);
      edge_of.push_back(e);
    }
    const AcyclicSolver::Outcome outcome = solver.solve(limits_);
    stats_.conflicts += solver.conflicts();
    if (outcome == AcyclicSolver::Outcome::kLimit) return Found::Outcome::kLimit;
    if (outcome == AcyclicSolver::Outcome::kNone) {
      for (std::size_t i = 0; i < solver.circles(); ++i) {
        RawCircle& raw = raw_circles_.emplace_back();
        for (const std::uint32_t e : solver.circle(i)) {
          if (e < fixed.size()) {
            raw.push_back({{group.nodes[fixed[e].from], group.nodes[fixed[e].to]}, kNone32});
          } else {
            raw.push_back({{0, 0}, edge_of[e - fixed.size()]});
          }
        }
      }
      return Found::Outcome::kNone;
    }
    for (const std::uint32_t p : group.pairs) value_[p] = solver.value(local_variable_[p]);
    for (const std::uint32_t r : group.reads) {
      const OpenRead& read = open_reads_[r];
      for (std::uint32_t c = 0; c < problem_.reads[read.read].count; ++c) {
        value_[read.first_variable + c] = solver.value(local_variable_[read.first_variable + c]);
      }
    }
    return Found::Outcome::kOrder;
  }

  struct OpenRead {
    std::uint32_t read, first_variable, first_edge, last_edge;
    std::uint32_t group = kNone32;  // a component
  };

  // First tried: the last candidate before the reader in the tentative order.
  void add_read(const OpenRead& open, AcyclicSolver& solver) {
    const Read& read = problem_.reads[open.read];
    std::vector<std::uint32_t> one_of;
    std::uint32_t best = kNone32;
    const auto place = [&](std::uint32_t c) {
      const TxnId writer = problem_.candidates[read.first + c];
      const std::uint32_t at = writer == kNoTxn ? 0 : place_[problem_.write_node(writer)] + 1;
      return at > place_[problem_.read_node(read.txn)] ? 0 : at + 1;
    };
    for (std::uint32_t c = 0; c < read.count; ++c) {
      if (pruner_.is_ruled_out(open.read, c)) continue;
      if (best == kNone32 || place(c) > place(best)) best = c;
    }
    for (std::uint32_t c = 0; c < read.count; ++c) {
      const std::uint32_t v = solver.add_variable(c == best);
      local_variable_[open.first_variable + c] = v;
      if (!pruner_.is_ruled_out(open.read, c)) one_of.push_back(2 * v);
    }
    solver.add_clause(one_of);
  }

  Found ordered() {
    for (const OpenRead& open : open_reads_) {
      if (open.group != kNone32) continue;
      const Read& read = problem_.reads[open.read];
      for (std::uint32_t c = 0; c < read.count; ++c) {
        if (pruner_.is_ruled_out(open.read, c)) continue;
        value_[open.first_variable + c] = true;
        break;
      }
    }
    const auto holds = [&](std::uint32_t literal) { return value_[literal / 2] == (literal % 2 == 0); };
    std::vector<std::vector<Node>> chosen(problem_.nodes);
    std::vector<std::uint32_t> waits(problem_.nodes, 0);
    for (const Conditional& c : conditionals_) {
      if (!holds(c.literal) || (c.second != kNone32 && !holds(c.second))) continue;
      chosen[c.link.from].push_back(c.link.to);
      ++waits[c.link.to];
    }
    for (Node v = 0; v < problem_.nodes; ++v) {
      pruner_.reach().each_next(v, [&](Node next) { ++waits[next]; });
    }
    Found out;
    out.order.reserve(problem_.nodes);
    for (Node v = 0; v < problem_.nodes; ++v) {
      if (waits[v] == 0) out.order.push_back(v);
    }
    for (std::size_t i = 0; i < out.order.size(); ++i) {
      const Node v = out.order[i];
      const auto take = [&](Node next) {
        if (--waits[next] == 0) out.order.push_back(next);
      };
      pruner_.reach().each_next(v, take);
      for (const Node next : chosen[v]) take(next);
    }
    if (out.order.size() == problem_.nodes) {
      out.outcome = Found::Outcome::kOrder;
    } else {
      out.order.clear();
      out.limit = "the search and the order made of it disagree";
    }
    return out;
  }

  // First which of the circles found are needed, taking what was pruned as given; then what these rest on.
  Found explained() {
    Explainer explainer(problem_, pruner_);
    std::vector<Circle> with_pruned, plain;
    for (const RawCircle& raw : raw_circles_) {
      Circle& circle = with_pruned.emplace_back();
      Circle& choices = plain.emplace_back();
      for (const auto& [edge, conditional] : raw) {
        circle.push_back(conditional == kNone32 ? explainer.link_of(edge.from, edge.to)
                                                : conditionals_[conditional].link);
        if (conditional == kNone32) continue;
        Link link = conditionals_[conditional].link;
        if (link.kind == Link::Kind::kAnti && link.a != kNoTxn && pruner_.is_before(link.a, link.b)) {
          link.kind = Link::Kind::kFrom;  // the order is given: the read alone is a choice
        }
        choices.push_back(link);
      }
    }
    for (const RuledOut& out : pruner_.ruled_out()) {
      plain.push_back({{Link::Kind::kFrom, 0, 0, out.candidate, kNoTxn, out.read}});
    }
    Found found;
    const std::optional<std::vector<std::uint32_t>> needed = minimal_core_places(problem_, plain, limits_);
    if (needed) {
      for (const std::uint32_t i : *needed) {
        if (i < with_pruned.size()) explainer.add(std::move(with_pruned[i]));
      }
      if (auto core = minimal_core(problem_, explainer.take(), limits_)) {
        found.outcome = Found::Outcome::kNone;
        found.circles = std::move(*core);
        return found;
      }
    }
    found.limit = "no order was found, and no proof that there is none";
    return found;
  }

  const Problem& problem_;
  const Limits& limits_;
  SearchStats& stats_;
  Pruner& pruner_;
  std::vector<std::pair<TxnId, TxnId>> pairs_;  // variables: each true if the first comes first; then candidates
  std::unordered_map<std::uint64_t, std::uint32_t> pair_index_;
  std::vector<OpenRead> open_reads_;
  std::uint32_t variables_ = 0;
  std::vector<Conditional> conditionals_;
  std::vector<Node> order_;
  std::vector<std::uint32_t> place_, component_, local_, local_variable_;
  std::vector<Group> groups_;
  std::vector<bool> value_;
  using RawCircle = std::vector<std::pair<AcyclicSolver::Edge, std::uint32_t>>;  // an edge, or a conditional
  std::vector<RawCircle> raw_circles_;
};

// Pruning alone found that there is no order.
Found refuted(const Problem& problem, const Pruner& pruner, Pruner::Outcome outcome, const Limits& limits) {
  Explainer explainer(problem, pruner);
  if (outcome == Pruner::Outcome::kKnownCircle) {
    explainer.add(explainer.find_circle(false));
  } else if (outcome == Pruner::Outcome::kNoCandidate) {
    explainer.add_read(pruner.emptied());
  } else if (pruner.closing()) {
    const Link last = pruner.derived().back().link;
    const auto known = pruner.table_knows();
    Circle circle = explainer.way(last.to, last.from, known);
    circle.push_back(last);
    explainer.add(std::move(circle));
  } else {
    explainer.add(explainer.find_circle(true));
  }
  Found found;
  if (auto core = minimal_core(problem, explainer.take(), limits)) {
    found.outcome = Found::Outcome::kNone;
    found.circles = std::move(*core);
  } else {
    found.limit = "pruning left no order, and no proof was found that there is none";
  }
  return found;
}

}  // namespace

Found solve_polygraph(const Problem& problem, const Limits& limits, SearchStats& stats) {
  for (const Read& read : problem.reads) stats.reads += read.count > 1 ? 1 : 0;
  Pruner pruner(problem, limits);
  const Pruner::Outcome outcome = pruner.run();
  stats.pairs = pruner.pairs_at_start();
  if (outcome == Pruner::Outcome::kLimit) {
    Found found;
    found.limit = fmt::format("{} ({} pairs at the start)", pruner.limit(), stats.pairs);
    return found;
  }
  if (outcome != Pruner::Outcome::kFixpoint) {
    stats.pruned = stats.pairs;
    return refuted(problem, pruner, outcome, limits);
  }
  stats.searched = pruner.open_pairs();
  stats.pruned = stats.pairs - stats.searched;
  return Search(problem, limits, stats, pruner).run();
}

}  // namespace isolde::solver
