// audit/cycles/forms.h: operations that differ only in their column: what holds for one in a cycle holds for all.
//
// In, out: operation -> its form (statement, rows, what it does and how); a cycle -> a number that is the same for all
//          cycles of the same forms.
// Always:  by moments, whether a cycle can happen depends on forms and kinds of edges alone. (By the paper's rule it
//          depends on the order of operations within a statement too.)
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "audit/cycles/cycle.h"

namespace isolde::audit {

class CycleForms {
 public:
  explicit CycleForms(const Classes& classes);
  [[nodiscard]] std::uint32_t form(ClassId id, std::uint32_t op) const { return forms_[first_[raw(id)] + op]; }

  // Conflicts of the same two forms and the same kind stand together: the place where each such run ends.
  // Reorders `conflicts`.
  [[nodiscard]] std::vector<std::uint32_t> group(ClassId a, ClassId b, std::span<Conflict> conflicts) const;

  // The same for cycles that differ in columns, in where they begin, and in which replica is which.
  [[nodiscard]] std::uint64_t fingerprint(const Cycle& cycle) const;

 private:
  std::vector<std::size_t> first_;    // by class
  std::vector<std::uint32_t> forms_;  // by operation: numbers within the class
};

// Verdicts by fingerprint, for many threads.
class Verdicts {
 public:
  [[nodiscard]] std::optional<std::uint8_t> find(std::uint64_t fingerprint);
  void add(std::uint64_t fingerprint, std::uint8_t verdict);

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::uint8_t> verdicts;
  };
  std::unique_ptr<Shard[]> shards_ = std::make_unique<Shard[]>(64);
};

}  // namespace isolde::audit
