#include "audit/classes/loops.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace isolde::audit {

// Works on units: a symbol of the sequence, or a loop that was found, with a symbol of its own for its body. Loops of
// the same body have the same symbol, however often they went round; so outer loops are found over them.
class LoopFinder {
 public:
  LoopFinder(std::span<const std::uint32_t> symbols, LoopTree& tree) : tree_(tree) {
    units_.reserve(symbols.size());
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < symbols.size(); ++i) {
      most = std::max(most, symbols[i]);
      units_.push_back({symbols[i], add_leaf(i)});
    }
    first_loop_symbol_ = symbols.empty() ? 0 : most + 1;
  }

  void find() {
    steps_left_ = units_.size() * kStepsPerSymbol;
    do {
      fold_all_periods();
    } while (fold_with_single_rounds());
  }

  // Symbols of the skeleton, spans that were repeated, and the tree without those that were not.
  void finish(std::span<const std::uint32_t> symbols) {
    std::vector<std::uint32_t> top;
    top.reserve(units_.size());
    for (const Unit& unit : units_) top.push_back(unit.node);
    tree_.in_skeleton_.resize(symbols.size());
    std::uint32_t at = 0;
    for (const std::uint32_t node : top) at = lay_out(node, at, symbols, true);
    tree_.spans_.assign(repeated_.begin(), repeated_.end());
    std::ranges::sort(tree_.spans_, [](const LoopSpan& a, const LoopSpan& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<LoopTree::Node> clean;
    at = 0;
    for (const std::uint32_t node : top) at = copy(node, at, clean);
    tree_.top_ = store(clean);
  }

 private:
  // One scan for each period, and again from the shortest after each that found something: a few are enough for what
  // programs do.
  static constexpr std::uint64_t kStepsPerSymbol = std::uint64_t{4} * kLongestPeriod;

  struct Unit {
    std::uint32_t symbol, node;
  };
  struct Found {                        // a unit's content while loops are looked for
    std::uint32_t place = 0;            // leaf
    std::uint32_t symbol = 0;           // loop: of its body
    std::vector<std::uint32_t> rounds;  // loop: nodes, body by body
  };

  std::uint32_t add_leaf(std::uint32_t place) {
    found_.push_back({.place = place, .rounds = {}});
    return static_cast<std::uint32_t>(found_.size() - 1);
  }

  [[nodiscard]] bool is_loop(std::uint32_t symbol) const { return symbol >= first_loop_symbol_; }
  [[nodiscard]] const std::vector<std::uint32_t>& body(std::uint32_t symbol) const {
    return bodies_[symbol - first_loop_symbol_];
  }
  [[nodiscard]] std::uint32_t depth(std::uint32_t symbol) const {
    return is_loop(symbol) ? depths_[symbol - first_loop_symbol_] : 0;
  }

  // kTooDeep: it would nest too deep.
  static constexpr std::uint32_t kTooDeep = UINT32_MAX;
  std::uint32_t symbol_of_body(std::span<const Unit> units) {
    std::vector<std::uint32_t> symbols;
    std::uint32_t deepest = 0;
    for (const Unit& unit : units) {
      symbols.push_back(unit.symbol);
      deepest = std::max(deepest, depth(unit.symbol));
    }
    if (deepest >= kDeepestNest) return kTooDeep;
    const auto [place, is_new] = symbol_by_body_.try_emplace(symbols, 0);
    if (is_new) {
      place->second = first_loop_symbol_ + static_cast<std::uint32_t>(bodies_.size());
      bodies_.push_back(std::move(symbols));
      depths_.push_back(deepest + 1);
    }
    return place->second;
  }

  std::uint32_t add_loop(std::uint32_t symbol, std::span<const Unit> units) {
    Found loop{.symbol = symbol, .rounds = {}};
    loop.rounds.reserve(units.size());
    for (const Unit& unit : units) loop.rounds.push_back(unit.node);
    found_.push_back(std::move(loop));
    return static_cast<std::uint32_t>(found_.size() - 1);
  }

  bool fold_all_periods() {
    bool any = false;
    std::uint32_t period = 1;
    while (period <= kLongestPeriod && std::size_t{period} * 2 <= units_.size() && steps_left_ >= units_.size()) {
      steps_left_ -= units_.size();
      if (!fold(period)) {
        ++period;
        continue;
      }
      any = true;
      // One for one, so that no other repetition is torn apart; longer bodies wait until nothing else is found.
      if (period == 1) wrap(1);
      period = 1;
    }
    return any;
  }

  // Makes a loop of each run of that period.
  bool fold(std::uint32_t period) {
    const std::size_t n = units_.size();
    // alike_[i]: how many units from i on are the same as those a period later.
    std::uint32_t run = 0;
    bool any = false;
    for (std::size_t i = n - period; i-- > 0 && !any;) {
      run = units_[i].symbol == units_[i + period].symbol ? run + 1 : 0;
      any = run >= period;
    }
    if (!any) return false;
    alike_.assign(n, 0);
    for (std::size_t i = n - period; i-- > 0;) {
      alike_[i] = units_[i].symbol == units_[i + period].symbol ? alike_[i + 1] + 1 : 0;
    }
    any = false;
    std::size_t out = 0;
    for (std::size_t i = 0; i < n;) {
      if (alike_[i] < period) {
        units_[out++] = units_[i++];
        continue;
      }
      const std::size_t length = (std::size_t{alike_[i]} / period + 1) * period;
      const std::span<const Unit> units = std::span(units_).subspan(i, length);
      Unit loop;
      if (period == 1 && is_loop(units[0].symbol)) {
        loop = join(units);
      } else {
        const std::uint32_t symbol = symbol_of_body(units.first(period));
        if (symbol == kTooDeep) {
          units_[out++] = units_[i++];
          continue;
        }
        loop = {symbol, add_loop(symbol, units)};
      }
      units_[out++] = loop;
      i += length;
      any = true;
    }
    units_.resize(out);
    return any;
  }

  // Neighbouring loops of the same body are one with the rounds of all.
  Unit join(std::span<const Unit> units) {
    Found loop{.symbol = units[0].symbol, .rounds = {}};
    for (const Unit& unit : units) {
      const std::vector<std::uint32_t>& rounds = found_[unit.node].rounds;
      loop.rounds.insert(loop.rounds.end(), rounds.begin(), rounds.end());
    }
    found_.push_back(std::move(loop));
    return {units[0].symbol, static_cast<std::uint32_t>(found_.size() - 1)};
  }

  // Takes each body of `period` units that is a loop elsewhere for a loop that went round once.
  bool wrap(std::size_t period) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_first;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].size() == period) by_first[bodies_[i][0]].push_back(first_loop_symbol_ + i);
    }
    if (by_first.empty()) return false;
    bool any = false;
    std::size_t out = 0;
    for (std::size_t i = 0; i < units_.size();) {
      std::uint32_t symbol = kTooDeep;
      if (const auto place = by_first.find(units_[i].symbol); place != by_first.end()) {
        for (const std::uint32_t candidate : place->second) {
          if (is_body_at(i, candidate)) symbol = candidate;
        }
      }
      if (symbol == kTooDeep) {
        units_[out++] = units_[i++];
        continue;
      }
      units_[out++] = {symbol, add_loop(symbol, std::span(units_).subspan(i, period))};
      i += period;
      any = true;
    }
    units_.resize(out);
    return any;
  }

  [[nodiscard]] bool is_body_at(std::size_t i, std::uint32_t symbol) const {
    const std::vector<std::uint32_t>& wanted = body(symbol);
    if (wanted.size() > units_.size() - i) return false;
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      if (units_[i + j].symbol != wanted[j]) return false;
    }
    return true;
  }

  // Whether taking single rounds for loops shows an outer loop; if not, all is as it was.
  bool fold_with_single_rounds() {
    std::set<std::size_t> periods;
    for (const std::vector<std::uint32_t>& one : bodies_) {
      if (one.size() > 1) periods.insert(one.size());
    }
    for (const std::size_t period : periods) {
      const std::vector<Unit> before = units_;
      const std::size_t found_before = found_.size();
      if (wrap(period) && fold_all_periods()) return true;
      units_ = before;
      found_.resize(found_before);
    }
    return false;
  }

  // The skeleton is written by the first round of each loop; every round may show that an inner one is repeated.
  std::uint32_t lay_out(std::uint32_t node, std::uint32_t at, std::span<const std::uint32_t> symbols, bool writes) {
    const Found& one = found_[node];
    if (one.rounds.empty()) {
      if (writes) tree_.skeleton_.push_back(symbols[one.place]);
      tree_.in_skeleton_[one.place] = at;
      return at + 1;
    }
    const std::size_t period = body(one.symbol).size();
    std::uint32_t end = at;
    for (std::size_t i = 0; i < one.rounds.size(); ++i) {
      if (i % period == 0) end = at;
      end = lay_out(one.rounds[i], end, symbols, writes && i < period);
    }
    if (one.rounds.size() > period) repeated_.insert({at, end});
    return end;
  }

  std::uint32_t copy(std::uint32_t node, std::uint32_t at, std::vector<LoopTree::Node>& out) {
    const Found& one = found_[node];
    if (one.rounds.empty()) {
      out.push_back({.place = one.place});
      return at + 1;
    }
    const std::size_t period = body(one.symbol).size();
    const std::size_t rounds = one.rounds.size() / period;
    std::vector<LoopTree::Round> stored;
    std::vector<LoopTree::Node> nodes;
    std::uint32_t end = at;
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round >= tree_.rounds_wanted_ && round + tree_.rounds_wanted_ < rounds) continue;
      end = at;
      nodes.clear();
      for (std::size_t i = 0; i < period; ++i) end = copy(one.rounds[round * period + i], end, nodes);
      if (rounds == 1 && !repeated_.contains({at, end})) {
        out.insert(out.end(), nodes.begin(), nodes.end());
        return end;
      }
      stored.push_back(store(nodes));
    }
    out.push_back({.place = static_cast<std::uint32_t>(tree_.rounds_.size()),
                   .rounds = static_cast<std::uint32_t>(stored.size()),
                   .width = end - at});
    tree_.rounds_.insert(tree_.rounds_.end(), stored.begin(), stored.end());
    return end;
  }

  LoopTree::Round store(const std::vector<LoopTree::Node>& nodes) {
    const LoopTree::Round round{static_cast<std::uint32_t>(tree_.nodes_.size()),
                                static_cast<std::uint32_t>(nodes.size())};
    tree_.nodes_.insert(tree_.nodes_.end(), nodes.begin(), nodes.end());
    return round;
  }

  LoopTree& tree_;
  std::vector<Unit> units_;
  std::vector<Found> found_;
  std::uint32_t first_loop_symbol_ = 0;
  std::vector<std::vector<std::uint32_t>> bodies_;  // by loop symbol
  std::vector<std::uint32_t> depths_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> symbol_by_body_;
  std::vector<std::uint32_t> alike_;
  std::uint64_t steps_left_ = 0;
  std::set<LoopSpan> repeated_;
};

LoopTree::LoopTree(std::span<const std::uint32_t> symbols, std::uint32_t rounds) : rounds_wanted_(rounds) {
  LoopFinder finder(symbols, *this);
  if (rounds > 0) finder.find();
  finder.finish(symbols);
}

std::vector<std::uint32_t> LoopTree::keep(std::span<const LoopSpan> spans, Which which) const {
  std::vector<std::uint32_t> places;
  // What is left to do, the next at the end: nodes of a level from a place of the skeleton on, within spans[first,
  // end).
  struct Task {
    Round nodes;
    std::uint32_t at;
    std::size_t first_span, end_span;
  };
  std::vector<Task> tasks{{top_, 0, 0, spans.size()}};
  while (!tasks.empty()) {
    Task task = tasks.back();
    tasks.pop_back();
    while (task.nodes.count > 0) {
      const Node& node = nodes_[task.nodes.first];
      if (task.first_span == task.end_span || spans[task.first_span].begin > task.at) {
        places.push_back(node.place);  // a leaf: every loop of this tree is among `spans`
        ++task.nodes.first, --task.nodes.count, ++task.at;
        continue;
      }
      const LoopSpan span = spans[task.first_span];
      const std::size_t first_inner = task.first_span + 1;
      std::size_t end_inner = first_inner;
      while (end_inner < task.end_span && spans[end_inner].begin < span.end) ++end_inner;
      // The nodes under the span: the loop itself, or what went round once without being one.
      const bool is_loop = node.rounds > 0 && task.at + node.width == span.end;
      Round under{task.nodes.first, 0};
      for (std::uint32_t at = task.at; at < span.end; ++under.count) at += nodes_[under.first + under.count].width;
      task.nodes.first += under.count;
      task.nodes.count -= under.count;
      task.at = span.end;
      task.first_span = end_inner;
      tasks.push_back(task);
      for (std::uint32_t k = rounds_wanted_; k-- > 0;) {  // the last is done first
        Round round = under;
        if (is_loop && which == Which::kFirst) round = rounds_[node.place + std::min(k, node.rounds - 1)];
        if (is_loop && which == Which::kLast) {
          const std::uint32_t back = std::min(rounds_wanted_ - 1 - k, node.rounds - 1);
          round = rounds_[node.place + node.rounds - 1 - back];
        }
        tasks.push_back({round, span.begin, first_inner, end_inner});
      }
      task.nodes.count = 0;
    }
  }
  return places;
}

}  // namespace isolde::audit
