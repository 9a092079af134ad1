// tests/hunt/hunting.h: what tests that hunt share.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "hunt/hunt.h"

namespace isolde::test {

// So that a hunt that finds nothing ends by its cases, whatever else the machine does.
inline constexpr std::chrono::seconds kNoTimeLimit{3600};

inline hunt::HuntOptions hunt_options(std::uint64_t seed, std::uint64_t cases) {
  hunt::HuntOptions options;
  options.seed = seed;
  options.most_cases = cases;
  options.time = kNoTimeLimit;
  options.most_findings = 1;
  return options;
}

// What a hunt did, as text: two of one seed must give the same.
inline std::string told(const hunt::HuntCounts& c) {
  return fmt::format(
      "{} cases, {} runs, {} rounds, {} statements, {} failed, {} waited, {} dropped, {} timed out, {} given up, "
      "{} histories, {} findings, {} causes, {} faults",
      c.cases, c.runs, c.rounds, c.statements, c.failed, c.waited, c.dropped_for_cycles, c.timed_out, c.given_up,
      c.histories, c.findings, c.causes, c.faults);
}

inline std::string told(const std::vector<hunt::Finding>& findings) {
  std::string text;
  for (const hunt::Finding& f : findings) {
    text += std::string(name(f.wrong)) + ", " + f.cause + "\n";
    for (const hunt::Transaction& t : f.test.transactions) {
      for (const hunt::Statement& s : t.statements) text += "  " + s.sql + "\n";
      text += t.commits ? "  commit\n" : "  rollback\n";
    }
    text += "expected:\n" + f.expected + "\ncame:\n" + f.actual + "\n";
  }
  return text;
}

}  // namespace isolde::test
