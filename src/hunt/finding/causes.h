// hunt/finding/causes.h: which findings have one cause, and how much work each is worth.
//
// A cause is what reduction leaves: so a finding is reduced to know it. Where one like it has been reduced to a known
// cause several times, the next is taken to be the same without.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "hunt/finding/finding.h"

namespace isolde::hunt {

class Causes {
 public:
  // `expected`: the cause that is known beforehand (hunt/hunt.h: NotApplicable); empty: none.
  explicit Causes(std::string expected) : expected_(std::move(expected)) {}

  // What can be said of it unreduced.
  [[nodiscard]] std::string rough_cause(const Finding& finding) const;
  [[nodiscard]] bool worth_reducing(const Finding& finding) const;
  // How many that are like it were reduced.
  [[nodiscard]] std::uint64_t met(const Finding& finding) const;
  void reduced(const std::string& rough_cause, const Finding& finding);
  // Fills in its cause. True: it was not known before.
  [[nodiscard]] bool name_it(Finding& finding);

 private:
  [[nodiscard]] bool is_expected(const Finding& finding) const;
  [[nodiscard]] std::string cause_of(const Finding& finding) const;

  std::string expected_;
  std::set<std::string> known_;
  std::map<std::string, std::uint64_t> met_;          // rough causes
  std::map<std::string, std::uint64_t> nothing_new_;  // in a row, by rough cause
};

}  // namespace isolde::hunt
