#include "hunt/trial/turns.h"

namespace isolde::hunt {

bool has_all_turns(const Case& test) {
  std::vector<std::size_t> turns(test.transactions.size(), 0);
  for (const std::uint32_t t : test.order)
    if (t >= turns.size() || ++turns[t] > test.transactions[t].statements.size() + 1) return false;
  for (std::size_t t = 0; t < turns.size(); ++t)
    if (turns[t] != test.transactions[t].statements.size() + 1) return false;
  return true;
}

std::vector<std::uint32_t> answered_order(const Case& test, const Execution& execution) {
  std::vector<std::size_t> turns(test.transactions.size());
  for (std::size_t t = 0; t < turns.size(); ++t) turns[t] = test.transactions[t].statements.size() + 1;
  std::vector<std::uint32_t> order;
  for (const Place place : execution.answered) {
    if (turns[place.transaction] == 0) continue;
    --turns[place.transaction];
    order.push_back(place.transaction);
  }
  for (std::uint32_t t = 0; t < turns.size(); ++t) order.insert(order.end(), turns[t], t);
  return order;
}

std::optional<std::vector<std::uint32_t>> serial_order(const Case& test) {
  std::vector<std::uint32_t> order;
  std::size_t left = 0;
  for (const std::uint32_t t : test.order) {
    if (left == 0) {
      order.push_back(t);
      left = test.transactions[t].statements.size() + 1;
    }
    if (t != order.back()) return std::nullopt;
    --left;
  }
  return order;
}

std::vector<Place> statements_in(const Case& test, const std::vector<std::uint32_t>& transactions) {
  std::vector<Place> places;
  for (const std::uint32_t t : transactions) {
    if (!test.transactions[t].commits) continue;
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) places.push_back({t, s});
  }
  return places;
}

}  // namespace isolde::hunt
