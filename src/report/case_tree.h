// report/case_tree.h: a proof by cases as a person would tell it: what must hold because otherwise a cycle closes, and
// then either, or.
//
// In, out: an Anomaly with cases, and its choices -> lines, each at a depth; some stand for the cycle of a case.
// Always:  every cycle that is named closes by the choices above it. If the proof is too long for a tree, or leaves a
//          way to choose, its cases one after the other.
// Cost:    bounded, whatever the number of cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proof/choices.h"

namespace isolde {

struct CaseLine {
  std::size_t depth;
  std::string text;               // "if T1 comes before T2 (both wrote x):"
  std::uint32_t cycle = kNone32;  // or the cycle of this case
};

[[nodiscard]] std::vector<CaseLine> case_tree(const History& history, const proof::Choices& choices);

}  // namespace isolde
