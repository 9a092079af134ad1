#include "history/predicate_set.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "history/predicate_shapes.h"

namespace isolde {

PredicateSet::PredicateSet(const History& history) {
  const auto predicates = history.columns().predicates;
  if (predicates.empty()) return;
  const ValueTable& values = history.values();
  PredicateCompiler compiler(values);
  std::unordered_map<std::uint32_t, std::uint32_t> known, known_aggregates;
  text_.reserve(predicates.size());
  aggregate_.reserve(predicates.size());
  for (const Predicate& p : predicates) {
    const auto [at, is_new] = known.try_emplace(raw(p.where), static_cast<std::uint32_t>(conditions_.size()));
    if (is_new) {
      auto compiled = compiler.compile(values.string(p.where));
      if (!compiled) {
        defect_ = fmt::format("the predicate {} is not understood: {}", values.json(p.where), compiled.error().text);
        return;
      }
      conditions_.push_back(std::move(*compiled));
    }
    text_.push_back(at->second);
    if (p.aggregate == kNullValue) {
      aggregate_.push_back(kNone32);
      continue;
    }
    const auto [agg, is_new_agg] =
        known_aggregates.try_emplace(raw(p.aggregate), static_cast<std::uint32_t>(aggregates_.size()));
    if (is_new_agg) {
      auto compiled = CompiledAggregate::compile(values.string(p.aggregate), compiler.columns());
      if (!compiled) {
        defect_ =
            fmt::format("the aggregate {} is not understood: {}", values.json(p.aggregate), compiled.error().text);
        return;
      }
      aggregates_.push_back(std::move(*compiled));
    }
    aggregate_.push_back(agg->second);
  }
}

}  // namespace isolde
