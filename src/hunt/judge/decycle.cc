#include <algorithm>
#include <map>

#include "hunt/judge/effects.h"
#include "hunt/judge/judge.h"

namespace isolde::hunt {
namespace {

// Nodes by number, and who is left.
class Decycler {
 public:
  Decycler(const StatementGraph& graph, const Case& test, Rng& rng) : graph_(graph), rng_(rng) {
    const std::size_t count = graph.statements.size();
    next_.resize(count);
    here_.assign(count, 1);
    std::map<Place, std::uint32_t> number;
    for (std::uint32_t i = 0; i < count; ++i) number.emplace(graph.statements[i], i);
    for (const Dependency& dependency : graph.dependencies)
      next_[number.at(dependency.from)].push_back(number.at(dependency.to));
    for (auto& list : next_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    for (const Place place : graph.statements) writer_.push_back(writes(at(test, place)) ? 1 : 0);
  }

  std::vector<Place> statements() {
    std::vector<std::uint32_t> dropped;
    for (bool again = true; again;) {
      again = false;
      for (const std::vector<std::uint32_t>& component : components()) {
        if (component.size() < 2) continue;
        const std::uint32_t node = choose(component);
        here_[node] = 0;
        dropped.push_back(node);
        again = true;
      }
    }
    spare(dropped);
    std::vector<Place> places;
    for (const std::uint32_t node : dropped) places.push_back(graph_.statements[node]);
    return places;
  }

 private:
  // The node with the most ways through it, readers before writers, chance between equals.
  std::uint32_t choose(const std::vector<std::uint32_t>& component) {
    std::vector<std::uint8_t> in_it(next_.size(), 0);
    for (const std::uint32_t node : component) in_it[node] = 1;
    std::vector<std::uint64_t> in(next_.size(), 0), out(next_.size(), 0);
    for (const std::uint32_t node : component) {
      for (const std::uint32_t to : next_[node]) {
        if (in_it[to] == 0) continue;
        ++out[node];
        ++in[to];
      }
    }
    std::uint32_t best = component.front();
    std::uint64_t best_weight = 0;
    for (const std::uint32_t node : component) {
      const std::uint64_t ways = std::min<std::uint64_t>(in[node] * out[node], 1U << 20);
      const std::uint64_t weight = ((writer_[node] != 0 ? 0 : 1ULL) << 60) + (ways << 32) + rng_.below(1U << 30);
      if (weight >= best_weight) {
        best = node;
        best_weight = weight;
      }
    }
    return best;
  }

  // Puts back what is not needed any more: writers first.
  void spare(std::vector<std::uint32_t>& dropped) {
    for (std::size_t i = dropped.size(); i > 1; --i) std::swap(dropped[i - 1], dropped[rng_.below(i)]);
    std::stable_sort(dropped.begin(), dropped.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return writer_[a] > writer_[b]; });
    std::erase_if(dropped, [&](std::uint32_t node) {
      here_[node] = 1;
      for (const auto& component : components()) {
        if (component.size() < 2) continue;
        here_[node] = 0;
        return false;
      }
      return true;
    });
  }

  // Strongly connected components of those left (Tarjan, with a stack of our own).
  std::vector<std::vector<std::uint32_t>> components() {
    constexpr std::uint32_t kNew = UINT32_MAX;
    const auto count = static_cast<std::uint32_t>(next_.size());
    std::vector<std::uint32_t> index(count, kNew), low(count, 0), edge(count, 0), path, stack;
    std::vector<std::uint8_t> on_stack(count, 0);
    std::vector<std::vector<std::uint32_t>> found;
    std::uint32_t clock = 0;
    for (std::uint32_t root = 0; root < count; ++root) {
      if (here_[root] == 0 || index[root] != kNew) continue;
      path.push_back(root);
      while (!path.empty()) {
        const std::uint32_t node = path.back();
        if (index[node] == kNew) {
          index[node] = low[node] = clock++;
          stack.push_back(node);
          on_stack[node] = 1;
        }
        bool deeper = false;
        while (edge[node] < next_[node].size()) {
          const std::uint32_t to = next_[node][edge[node]++];
          if (here_[to] == 0) continue;
          if (index[to] == kNew) {
            path.push_back(to);
            deeper = true;
            break;
          }
          if (on_stack[to] != 0) low[node] = std::min(low[node], index[to]);
        }
        if (deeper) continue;
        path.pop_back();
        if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[node]);
        if (low[node] != index[node]) continue;
        std::vector<std::uint32_t>& component = found.emplace_back();
        do {
          component.push_back(stack.back());
          on_stack[stack.back()] = 0;
          stack.pop_back();
        } while (component.back() != node);
      }
    }
    return found;
  }

  const StatementGraph& graph_;
  Rng& rng_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::uint8_t> here_, writer_;
};

}  // namespace

std::vector<Place> statements_to_drop(const StatementGraph& graph, const Case& test, Rng& rng) {
  return Decycler(graph, test, rng).statements();
}

}  // namespace isolde::hunt
