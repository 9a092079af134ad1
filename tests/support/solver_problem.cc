#include "tests/support/solver_problem.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/effort.h"
#include "tests/support/random_history.h"

namespace isolde::solver {
namespace {

bool writes(const Problem& p, TxnId t, KeyId key) {
  const auto keys = p.keys_of(t);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool share_a_key(const Problem& p, TxnId a, TxnId b) {
  const auto keys = p.keys_of(a);
  return std::any_of(keys.begin(), keys.end(), [&](KeyId k) { return writes(p, b, k); });
}

std::string link_fault(const Problem& p, const Link& link) {
  switch (link.kind) {
    case Link::Kind::kKnown: {
      const auto next = p.known(link.from);
      return std::find(next.begin(), next.end(), link.to) == next.end() ? "an edge that is not known" : "";
    }
    case Link::Kind::kInside:
      return p.has_points() && link.from % 2 == 0 && link.to == link.from + 1 ? "" : "not inside one transaction";
    case Link::Kind::kBefore:
      if (link.from != p.write_node(link.a) || link.to != p.overwrite_node(link.b)) return "before: other nodes";
      return link.a != link.b && share_a_key(p, link.a, link.b) ? "" : "before: no common key";
    case Link::Kind::kFrom:
    case Link::Kind::kAnti:
      break;
  }
  if (link.read >= p.reads.size()) return "no such read";
  const Read& read = p.reads[link.read];
  const auto candidates = p.candidates_of(read);
  if (std::find(candidates.begin(), candidates.end(), link.a) == candidates.end()) return "not a candidate";
  if (link.a == read.txn) return "reads from itself";
  if (link.kind == Link::Kind::kFrom)
    return link.from == p.write_node(link.a) && link.to == p.read_node(read.txn) ? "" : "from: other nodes";
  if (link.from != p.read_node(read.txn) || link.to != p.write_node(link.b)) return "anti: other nodes";
  if (!writes(p, link.b, read.key)) return "anti: does not write the key";
  return link.b != read.txn && link.b != link.a ? "" : "anti: of one transaction";
}

}  // namespace

SolverProblem::SolverProblem(History from, Level level)
    : history(std::move(from)), row(*graph::row_of(level)), trace(graph::trace_reads(history, level, {})) {
  if (!trace.untraceable.empty() && !trace.only_open) return;
  if (trace.breaks_a_rule || !trace.bad_reads.empty()) return;
  orders = graph::order_versions(history, trace, row.updates);
  if (!orders.ambiguous.empty() || !orders.lost_updates.empty()) return;
  graph = graph::find_dependencies(history, trace, orders, {}, {}, row.edges);
  if (!graph::sort_nodes(graph, row.nodes).components.empty()) return;
  problem = make_problem(source(), left_out);
  is_open = std::all_of(problem.reads.begin(), problem.reads.end(), [](const Read& r) { return r.count > 0; });
}

std::unique_ptr<SolverProblem> solver_problem(const History& history, Level level) {
  auto out = std::make_unique<SolverProblem>(history, level);
  return out->is_open ? std::move(out) : nullptr;
}

std::uint64_t for_random_problems(std::uint64_t usual_seed, std::uint64_t usual, int max_txns,
                                  const std::function<void(const SolverProblem&, Rng&)>& f) {
  const std::uint64_t wanted = effort::tries(usual);
  Rng rng(effort::seed(usual_seed));
  RandomOptions options;
  options.registers_only = true;
  options.max_txns = max_txns;
  std::uint64_t had = 0;
  for (std::size_t i = 0; had < wanted && !::testing::Test::HasFatalFailure(); ++i) {
    options.blind = i % 3 == 2;
    const auto one = solver_problem(random_history(rng, options), kOrderLevels[i % std::size(kOrderLevels)]);
    if (one == nullptr) continue;
    f(*one, rng);
    ++had;
  }
  return had;
}

std::vector<std::uint32_t> random_ranks(Rng& rng, std::uint32_t size) {
  std::vector<std::uint32_t> out(size);
  for (std::uint32_t i = 0; i < size; ++i) out[i] = i;
  for (std::uint32_t i = size; i > 1; --i) std::swap(out[i - 1], out[rng.below(i)]);
  return out;
}

bool known_is_acyclic(const Problem& p) {
  std::vector<std::uint32_t> waits(p.nodes, 0);
  for (const Node to : p.to) ++waits[to];
  std::vector<Node> order;
  for (Node v = 0; v < p.nodes; ++v) {
    if (waits[v] == 0) order.push_back(v);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Node to : p.known(order[i])) {
      if (--waits[to] == 0) order.push_back(to);
    }
  }
  return order.size() == p.nodes;
}

std::string order_fault(const Problem& p, std::span<const Node> order, const Held& held) {
  std::vector<std::uint32_t> place(p.nodes, kNone32);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] >= p.nodes || place[order[i]] != kNone32) return "not an order of nodes";
    place[order[i]] = i;
  }
  const auto done = [&](Node v) { return place[v] != kNone32; };
  const auto right = [&](Node a, Node b) { return !done(b) || place[a] < place[b]; };
  for (Node v = 0; v < p.nodes; ++v) {
    for (const Node next : p.known(v)) {
      if (!right(v, next)) return fmt::format("a known edge {} -> {} is turned round", v, next);
    }
  }
  std::map<std::uint32_t, TxnId> held_source;
  for (const Choice& choice : held.choices) {
    if (!choice.is_order()) held_source[choice.read] = choice.first;
    if (choice.is_order() && !right(p.write_node(choice.first), p.overwrite_node(choice.second)))
      return "a held order is turned round";
  }
  for (std::uint32_t k = 0; k + 1 < p.writers_begin.size(); ++k) {
    for (const TxnId a : p.writers_of(KeyId{k})) {
      for (const TxnId b : p.writers_of(KeyId{k})) {
        if (a == b || !done(p.write_node(a)) || !right(p.write_node(a), p.write_node(b))) continue;
        // a commits first.
        if (p.form == graph::Nodes::kPoints && !right(p.write_node(a), p.overwrite_node(b)))
          return "two writers of a key overlap";
      }
    }
  }
  for (std::uint32_t r = 0; r < p.reads.size(); ++r) {
    const Read& read = p.reads[r];
    const Node reader = p.read_node(read.txn);
    const auto source = held_source.find(r);
    // The version that stands there when the reader runs, or at the end.
    TxnId last = kNoTxn;
    for (const TxnId w : p.writers_of(read.key)) {
      const Node node = p.write_node(w);
      if (!done(node) || w == read.txn || (done(reader) && place[node] > place[reader])) continue;
      if (last == kNoTxn || place[p.write_node(last)] < place[node]) last = w;
    }
    const auto candidates = p.candidates_of(read);
    const auto fits = [&](TxnId w) {
      if (source != held_source.end()) return w == source->second;
      return std::find(candidates.begin(), candidates.end(), w) != candidates.end();
    };
    if (done(reader) && !fits(last)) return fmt::format("read {} found another version", r);
    if (done(reader) || (!read.is_fixed() && source == held_source.end())) continue;
    // It has not read yet: its version is not overwritten.
    const TxnId from = source != held_source.end() ? source->second : candidates[0];
    if (from != kNoTxn ? done(p.write_node(from)) && last != from : last != kNoTxn)
      return fmt::format("the version of read {} is gone", r);
  }
  return {};
}

std::string cycle_fault(const Problem& p, const Cycle& cycle) {
  if (cycle.empty()) return "nothing";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle[i].to != cycle[(i + 1) % cycle.size()].from) return "does not close";
    if (std::string fault = link_fault(p, cycle[i]); !fault.empty()) return fault;
  }
  return {};
}

bool can_avoid(const Problem& p, std::span<const Cycle> cycles) {
  std::map<std::uint64_t, std::size_t> pairs;
  std::map<std::uint32_t, std::uint64_t> reads;  // and how many candidates each has
  std::vector<std::vector<Choice>> clauses;
  for (const Cycle& cycle : cycles) {
    clauses.push_back(choices_of(p, cycle));
    for (const Choice& choice : clauses.back()) {
      if (choice.is_order()) pairs.try_emplace(pair_id(choice.first, choice.second), pairs.size());
      if (!choice.is_order()) reads[choice.read] = p.reads[choice.read].count;
    }
  }
  std::uint64_t ways = std::uint64_t{1} << pairs.size();
  for (const auto& [read, count] : reads) ways *= count;
  for (std::uint64_t way = 0; way < ways; ++way) {
    std::uint64_t rest = way >> pairs.size();
    std::map<std::uint32_t, TxnId> source;
    bool allowed = true;
    for (const auto& [read, count] : reads) {
      source[read] = p.candidates[p.reads[read].first + rest % count];
      allowed &= source[read] != p.reads[read].txn;
      rest /= count;
    }
    const auto is_made = [&](const Choice& c) {
      if (!c.is_order()) return source[c.read] == c.first;
      const bool up = (way >> pairs[pair_id(c.first, c.second)] & 1) != 0;
      return up == (raw(c.first) < raw(c.second));
    };
    const auto closes = [&](const auto& clause) { return std::all_of(clause.begin(), clause.end(), is_made); };
    if (allowed && std::none_of(clauses.begin(), clauses.end(), closes)) return true;
  }
  return false;
}

}  // namespace isolde::solver
