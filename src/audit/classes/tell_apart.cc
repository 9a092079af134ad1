#include "audit/classes/tell_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace isolde::audit {
namespace {

constexpr std::size_t kMostFeatures = 3;

// What it may be told by, the clearest first.
enum class Trait : std::uint8_t { kWrites, kLooksFor, kLocks, kReads };

struct Feature {
  Trait trait;
  ColumnId column;
  friend auto operator<=>(const Feature&, const Feature&) = default;
};

std::set<Feature> features_of(const TransactionClass& one) {
  std::set<Feature> out;
  for (const Operation& operation : one.operations) {
    const Access& access = operation.access;
    if (access.foreign_key) continue;
    if (access.action == Action::kWrite) {
      out.insert({Trait::kWrites, access.column});
    } else if (access.in_where) {
      out.insert({Trait::kLooksFor, access.column});
    } else if (access.lock == Lock::kExclusive && !access.of_write) {
      out.insert({Trait::kLocks, access.column});
    } else {
      out.insert({Trait::kReads, access.column});
    }
  }
  return out;
}

std::string feature_words(const Schema& schema, const Feature& feature, bool has, bool with_table) {
  static constexpr const char* kTraitVerbs[] = {"writing", "by", "locking", "reading"};
  return fmt::format("{}{} {}", has ? "" : "not ", kTraitVerbs[static_cast<std::size_t>(feature.trait)],
                     with_table ? schema.full_name(feature.column) : schema.column(feature.column).name);
}

}  // namespace

std::vector<std::string> tell_apart(const Schema& schema, std::span<const TransactionClass* const> alike) {
  std::vector<std::string> out(alike.size());
  if (alike.size() < 2 || alike.size() > kMostAlike) return out;
  std::vector<std::set<Feature>> features;
  std::map<Feature, std::size_t> holders;
  for (const TransactionClass* one : alike) {
    features.push_back(features_of(*one));
    for (const Feature& feature : features.back()) ++holders[feature];
  }
  std::erase_if(holders, [&](const auto& entry) { return entry.second == alike.size(); });
  std::map<std::string, std::set<ColumnId>> by_name;
  for (const auto& [feature, count] : holders) by_name[schema.column(feature.column).name].insert(feature.column);
  for (std::size_t i = 0; i < alike.size(); ++i) {
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < alike.size(); ++j) {
      if (j != i) others.push_back(j);
    }
    for (std::size_t word = 0; word < kMostFeatures && !others.empty(); ++word) {
      // The feature that most of the others do not share; one that it has before one that it lacks.
      const Feature* best = nullptr;
      std::size_t most = 0;
      bool best_has = false;
      for (const auto& [feature, count] : holders) {
        const bool has = features[i].contains(feature);
        const auto unlike = static_cast<std::size_t>(
            std::ranges::count_if(others, [&](std::size_t j) { return features[j].contains(feature) != has; }));
        if (unlike < most || unlike == 0 || (unlike == most && (best_has || !has))) continue;
        best = &feature;
        most = unlike;
        best_has = has;
      }
      if (best == nullptr) break;
      out[i] += (out[i].empty() ? "" : ", ") +
                feature_words(schema, *best, best_has, by_name[schema.column(best->column).name].size() > 1);
      std::erase_if(others, [&](std::size_t j) { return features[j].contains(*best) != best_has; });
    }
    // The same columns, more or fewer times.
    if (others.empty()) continue;
    const std::size_t statements = alike[i]->statements.size();
    if (std::ranges::any_of(others, [&](std::size_t j) { return alike[j]->statements.size() != statements; })) {
      out[i] += (out[i].empty() ? "" : ", ") + fmt::format("{} statements", statements);
    }
  }
  return out;
}

}  // namespace isolde::audit
