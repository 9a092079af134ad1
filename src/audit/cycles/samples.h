// audit/cycles/samples.h: a cycle of classes -> cycles of operations: which dependency each step goes through.
//
// In, out: members, the steps whose dependency is given, l -> up to l different choices for the other steps.
// Always:  all choices if there are at most l; else by chance, none twice, and every second one, the first to begin
//          with, made so that it can come to pass, if any choice can (break_points.h). Where one step is to be chosen
//          and it can go through the same column as the last that is given, that is chosen first, rw before the
//          others: the plainest anomalies, such as a lost update, are not left to chance.
// Source:  IsoDiff, Algorithm 5, which counts the wrong variable: its loop need not end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "audit/cycles/break_points.h"
#include "audit/cycles/ways.h"
#include "base/rng.h"

namespace isolde::audit {

// The latest arrival and the earliest leaving among the conflicts of each pair of classes. Made once a search.
class PairTimes {
 public:
  PairTimes(const DependencyGraph& graph, const BreakPoints& times);
  [[nodiscard]] std::uint32_t latest_arrival(ClassId a, ClassId b) const { return times_[place(a, b)].arrives; }
  [[nodiscard]] std::uint32_t earliest_leaving(ClassId a, ClassId b) const { return times_[place(a, b)].leaves; }

 private:
  struct Times {
    std::uint32_t arrives = 0, leaves = kNone32;
  };
  [[nodiscard]] std::size_t place(ClassId a, ClassId b) const { return std::size_t{raw(a)} * count_ + raw(b); }
  std::size_t count_;
  std::vector<Times> times_;
};

class Sampler {
 public:
  Sampler(const DependencyGraph& graph, const BreakPoints& times, const PairTimes& pairs)
      : graph_(graph), times_(times), pairs_(pairs) {}

  // members[i] -> members[i + 1] by choices()[i]; the last goes to the first. The first `given.size()` steps are given.
  // Requires: at most kMostMembers members, and that each of the other steps has a conflict.
  template <typename Visit>
  void sample(std::span<const ClassId> members, std::span<const Conflict> given, std::uint32_t l, Rng rng,
              Visit&& visit) {
    begin(members, given);
    if (combinations(l) <= l) {
      do visit(choices());
      while (advance());
      return;
    }
    used_.clear();
    if (l > 0 && choose_same_column() && is_new()) visit(choices());
    for (std::uint32_t attempt = 0; used_.size() < l && attempt < 4 * l + 8; ++attempt) {
      if (used_.size() % 2 == 0 && attempt < 2 * l) {
        choose_possible(rng);
      } else {
        choose_any(rng);
      }
      if (is_new()) visit(choices());
    }
  }

  [[nodiscard]] std::span<const Conflict> choices() const { return std::span(chosen_).first(size_); }
  [[nodiscard]] static bool possible(const BreakPoints& times, std::span<const ClassId> members,
                                     std::span<const Conflict> choices);

 private:
  void begin(std::span<const ClassId> members, std::span<const Conflict> given);
  [[nodiscard]] std::uint64_t combinations(std::uint64_t enough) const;
  [[nodiscard]] bool advance();
  void choose_any(Rng& rng);
  void choose_possible(Rng& rng);
  [[nodiscard]] bool choose_same_column();
  [[nodiscard]] bool is_new();
  void take(std::size_t step, std::size_t place) {
    place_[step] = static_cast<std::uint32_t>(place);
    chosen_[step] = options_[step][place];
  }
  // One for which `fits` holds; Requires: there is one.
  template <typename Fits>
  void take_fitting(std::size_t step, Rng& rng, Fits&& fits);
  [[nodiscard]] std::size_t before(std::size_t step) const { return step == 0 ? size_ - 1 : step - 1; }

  const DependencyGraph& graph_;
  const BreakPoints& times_;
  const PairTimes& pairs_;
  std::size_t size_ = 0, given_ = 0;
  std::array<ClassId, kMostMembers> members_;
  std::array<std::span<const Conflict>, kMostMembers> options_;  // of each step; those given have one
  std::array<std::uint32_t, kMostMembers> place_;                // of the choice among them
  std::array<Conflict, kMostMembers> chosen_;
  std::array<Conflict, 2> fixed_;
  std::array<std::uint32_t, kMostMembers> breaks_;
  std::size_t break_count_ = 0;
  std::vector<std::uint64_t> used_;
};

}  // namespace isolde::audit
