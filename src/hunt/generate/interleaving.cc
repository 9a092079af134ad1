#include "hunt/generate/interleaving.h"

#include <algorithm>
#include <numeric>

#include "hunt/generate/domain.h"

namespace isolde::hunt::generate {
namespace {

using Turns = std::vector<std::uint32_t>;

// Transactions with turns left.
Turns open_ones(const Turns& left) {
  Turns open;
  for (std::uint32_t t = 0; t < left.size(); ++t)
    if (left[t] > 0) open.push_back(t);
  return open;
}

void take(std::uint32_t transaction, Turns& left, Turns& order) {
  order.push_back(transaction);
  --left[transaction];
}

// Each transaction that is not done is as likely as the others, or goes on as it is with chance `stays` out of 100.
void merge(Rng& rng, std::uint64_t stays, Turns left, Turns& order) {
  std::uint32_t last = UINT32_MAX;
  for (Turns open = open_ones(left); !open.empty(); open = open_ones(left)) {
    const bool same = last != UINT32_MAX && left[last] > 0 && percent(rng, stays);
    if (!same) last = open[rng.below(open.size())];
    take(last, left, order);
  }
}

// All begin before any ends.
void overlap(Rng& rng, Turns left, Turns& order) {
  for (std::uint32_t t = 0; t < left.size(); ++t)
    if (left[t] > 1) take(t, left, order);
  merge(rng, 0, std::move(left), order);
}

// The first stops somewhere in its midst, the others are carried out one after the other, then it goes on.
void enclose(Rng& rng, Turns left, Turns& order) {
  const auto outer = static_cast<std::uint32_t>(rng.below(left.size()));
  const std::uint64_t before = left[outer] > 1 ? 1 + rng.below(left[outer] - 1) : 0;
  for (std::uint64_t i = 0; i < before; ++i) take(outer, left, order);
  Turns others;
  for (std::uint32_t t = 0; t < left.size(); ++t)
    if (t != outer) others.push_back(t);
  for (std::size_t i = others.size(); i > 1; --i) std::swap(others[i - 1], others[rng.below(i)]);
  for (const std::uint32_t t : others)
    while (left[t] > 0) take(t, left, order);
  while (left[outer] > 0) take(outer, left, order);
}

}  // namespace

Turns draw_enclosing(Rng& rng, const Turns& turns) {
  Turns left = turns;
  Turns order;
  take(0, left, order);
  const std::uint32_t open = percent(rng, 25) ? 1 : 0;
  for (std::uint32_t t = 1; t < left.size(); ++t)
    while (left[t] > open) take(t, left, order);
  merge(rng, 50, std::move(left), order);
  return order;
}

Turns draw_interleaving(Rng& rng, const Turns& turns) {
  Turns order;
  order.reserve(std::accumulate(turns.begin(), turns.end(), std::size_t{0}));
  switch (rng.below(10)) {
    case 0:
    case 1:
    case 2:
      enclose(rng, turns, order);
      break;
    case 3:
    case 4:
      overlap(rng, turns, order);
      break;
    case 5:
    case 6:
      merge(rng, 65, turns, order);
      break;
    default:
      merge(rng, 0, turns, order);
      break;
  }
  return order;
}

}  // namespace isolde::hunt::generate
