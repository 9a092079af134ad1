#include "anomaly/verdict.h"

namespace isolde {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSatisfied:
      return "satisfied";
    case Outcome::kViolated:
      return "violated";
    case Outcome::kUndecided:
      return "undecided";
  }
  return "undecided";
}

}  // namespace isolde
