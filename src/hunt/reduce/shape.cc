// Which transactions and statements there are, and in which order they run. The schema stays as it is.
#include <algorithm>
#include <iterator>

#include "hunt/reduce/session.h"

namespace isolde::hunt {
namespace {

using TurnOrder = std::vector<std::uint32_t>;

std::vector<Place> places_of(const Case& test) {
  std::vector<Place> places;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t)
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) places.push_back({t, s});
  return places;
}

// One transaction after the other, in the order of `first`, which has each once.
TurnOrder serial(const Case& test, const TurnOrder& first) {
  TurnOrder order;
  for (const std::uint32_t t : first) order.insert(order.end(), test.transactions[t].statements.size() + 1, t);
  return order;
}

// The transactions by their first turn, or by their last.
TurnOrder by_first_turn(const TurnOrder& order) {
  TurnOrder first;
  for (const std::uint32_t t : order)
    if (std::find(first.begin(), first.end(), t) == first.end()) first.push_back(t);
  return first;
}
TurnOrder by_last_turn(const TurnOrder& order) {
  TurnOrder backwards(order.rbegin(), order.rend());
  TurnOrder last = by_first_turn(backwards);
  std::reverse(last.begin(), last.end());
  return last;
}

std::size_t changes(const TurnOrder& order) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1] ? 1 : 0;
  return count;
}

// The orders in which one stretch of steps of one transaction has moved to the stretch before it, or after it, of the
// same transaction; best first.
std::vector<TurnOrder> simpler_orders(const TurnOrder& order) {
  struct Stretch {
    std::size_t begin, end;
  };
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i] == order[i - 1]) {
      stretches.back().end = i + 1;
    } else {
      stretches.push_back({i, i + 1});
    }
  }
  const auto at = [](TurnOrder& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<TurnOrder> simpler;
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    const std::uint32_t t = order[stretches[k].begin];
    for (std::size_t before = k; before-- > 0;) {
      if (order[stretches[before].begin] != t) continue;
      TurnOrder earlier = order;  // this one moves up to the one before, or that one down to this one
      std::rotate(at(earlier, stretches[before].end), at(earlier, stretches[k].begin), at(earlier, stretches[k].end));
      simpler.push_back(std::move(earlier));
      TurnOrder later = order;
      std::rotate(at(later, stretches[before].begin), at(later, stretches[before].end), at(later, stretches[k].begin));
      simpler.push_back(std::move(later));
      break;
    }
  }
  std::stable_sort(simpler.begin(), simpler.end(),
                   [](const TurnOrder& a, const TurnOrder& b) { return changes(a) < changes(b); });
  while (!simpler.empty() && changes(simpler.back()) >= changes(order)) simpler.pop_back();
  return simpler;
}

bool attempt_order(Reduction& reduction, TurnOrder order) {
  Finding candidate = reduction.best();
  if (candidate.test.order == order) return false;
  candidate.test.order = std::move(order);
  return reduction.attempt(candidate);
}

}  // namespace

Finding without(const Finding& finding, const std::vector<Place>& places) {
  Finding left = finding;
  left.test = without(finding.test, places);
  const auto is_gone = [&](Place place) { return std::find(places.begin(), places.end(), place) != places.end(); };
  std::vector<std::vector<Place>> moved(finding.test.transactions.size());
  std::uint32_t new_t = 0;
  for (std::uint32_t t = 0; t < finding.test.transactions.size(); ++t) {
    std::uint32_t new_s = 0;
    for (std::uint32_t s = 0; s < finding.test.transactions[t].statements.size(); ++s)
      moved[t].push_back(is_gone({t, s}) ? Place{} : Place{new_t, new_s++});
    new_t += new_s > 0 ? 1 : 0;
  }
  left.alone.clear();
  for (const Place place : finding.alone)
    if (!is_gone(place)) left.alone.push_back(moved[place.transaction][place.statement]);
  const Place where = finding.where;
  const bool there = where.transaction < moved.size() && where.statement < moved[where.transaction].size();
  left.where = there ? moved[where.transaction][where.statement] : Place{};
  return left;
}

TurnOrder sending_order(const Case& test, const std::vector<Place>& answered) {
  std::vector<std::size_t> sent(test.transactions.size(), 0), done(test.transactions.size(), 0);
  TurnOrder left = test.order, order;
  std::size_t next = 0;
  while (!left.empty()) {
    while (next < answered.size() && answered[next].transaction < sent.size() &&
           answered[next].statement < sent[answered[next].transaction])
      ++done[answered[next++].transaction];
    auto turn = std::find_if(left.begin(), left.end(), [&](std::uint32_t t) { return sent[t] == done[t]; });
    if (turn == left.end()) turn = left.begin();  // never answered: it stays where it was
    ++sent[*turn];
    order.push_back(*turn);
    left.erase(turn);
  }
  return order;
}

bool drop_transactions(Reduction& reduction) {
  const Finding base = reduction.best();
  const std::vector<Place> all = places_of(base.test);
  return drop_parts(base.test.transactions.size(), 1, reduction, [&](const std::vector<std::size_t>& kept) {
    std::vector<Place> gone;
    std::copy_if(all.begin(), all.end(), std::back_inserter(gone), [&](Place place) {
      return !std::binary_search(kept.begin(), kept.end(), std::size_t{place.transaction});
    });
    return reduction.attempt(without(base, gone));
  });
}

bool drop_statements(Reduction& reduction) {
  const Finding base = reduction.best();
  const std::vector<Place> all = places_of(base.test);
  return drop_parts(all.size(), 1, reduction, [&](const std::vector<std::size_t>& kept) {
    std::vector<Place> gone;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!std::binary_search(kept.begin(), kept.end(), i)) gone.push_back(all[i]);
    return reduction.attempt(without(base, gone));
  });
}

bool make_serial(Reduction& reduction) {
  const Case& test = reduction.best().test;
  if (changes(test.order) + 1 <= test.transactions.size()) return false;
  if (attempt_order(reduction, serial(test, by_last_turn(test.order)))) return true;
  if (attempt_order(reduction, serial(test, by_first_turn(test.order)))) return true;
  bool any = false;
  for (bool better = true; better && !reduction.over();) {
    better = false;
    for (TurnOrder& order : simpler_orders(reduction.best().test.order)) {
      better = attempt_order(reduction, std::move(order));
      if (better) break;
    }
    any = any || better;
  }
  return any;
}

bool number_transactions(Reduction& reduction) {
  const TurnOrder first = by_first_turn(reduction.best().test.order);
  if (std::is_sorted(first.begin(), first.end())) return false;
  std::vector<std::uint32_t> number(first.size());
  for (std::uint32_t i = 0; i < first.size(); ++i) number[first[i]] = i;
  Finding candidate = reduction.best();
  for (std::uint32_t i = 0; i < first.size(); ++i)
    candidate.test.transactions[i] = reduction.best().test.transactions[first[i]];
  for (std::uint32_t& t : candidate.test.order) t = number[t];
  for (Place& place : candidate.alone) place.transaction = number[place.transaction];
  if (candidate.where.transaction < number.size()) candidate.where.transaction = number[candidate.where.transaction];
  return reduction.attempt(candidate);
}

}  // namespace isolde::hunt
