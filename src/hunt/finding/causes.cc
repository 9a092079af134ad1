#include "hunt/finding/causes.h"

#include "anomaly/anomaly.h"

namespace isolde::hunt {
namespace {

constexpr std::uint64_t kTakenToBeTheSame = 3;

// What a failed assertion says is its cause; the rest of a log line is times and process ids.
std::string assertion_in(const std::string& log) {
  for (const std::string_view mark : {"TRAP: ", "PANIC:  ", "Failing assertion", "Assertion "}) {
    const std::size_t at = log.find(mark);
    if (at == std::string::npos) continue;
    std::string line = log.substr(at, log.find('\n', at) - at);
    if (const std::size_t pid = line.find(", PID"); pid != std::string::npos) line.resize(pid);
    return line;
  }
  return {};
}

}  // namespace

// The trial names the cause that the level is known for, where the run shows it in a statement. What such a level lets
// through besides is of the same cause, as long as no other transaction's unfinished work was seen.
bool Causes::is_expected(const Finding& finding) const {
  if (expected_.empty()) return false;
  if (finding.cause == expected_) return true;
  if (finding.wrong != Wrong::kIsolation) return false;
  const auto anomaly = anomaly_named(finding.anomaly);
  if (!anomaly) return false;
  return !proscribes(Level::kStrongSessionMonotonicAtomicView, *anomaly);
}

std::string Causes::rough_cause(const Finding& finding) const {
  if (is_expected(finding)) return expected_;
  std::string rough = (finding.rate.is_rare() ? "intermittent " : "") + std::string(name(finding.wrong));
  if (finding.wrong == Wrong::kCrash) return rough + " " + assertion_in(finding.actual);
  if (!finding.anomaly.empty()) return rough + " " + finding.anomaly;
  if (finding.where.transaction < finding.test.transactions.size() &&
      finding.where.statement < finding.test.transactions[finding.where.transaction].statements.size())
    rough += " " + std::string(name(at(finding.test, finding.where).kind));
  return rough;
}

std::string Causes::cause_of(const Finding& finding) const {
  if (is_expected(finding)) return expected_;
  if (finding.wrong == Wrong::kCrash) {
    if (const std::string assertion = assertion_in(finding.actual); !assertion.empty()) return assertion;
  }
  return finding.cause.empty() ? rough_cause(finding) : finding.cause;
}

bool Causes::worth_reducing(const Finding& finding) const {
  const std::string rough = rough_cause(finding);
  const auto times = nothing_new_.find(rough);
  return times == nothing_new_.end() || times->second < kTakenToBeTheSame;
}

std::uint64_t Causes::met(const Finding& finding) const {
  const auto found = met_.find(rough_cause(finding));
  return found == met_.end() ? 0 : found->second;
}

void Causes::reduced(const std::string& rough_cause, const Finding& finding) {
  ++met_[rough_cause];
  std::uint64_t& in_a_row = nothing_new_[rough_cause];
  in_a_row = known_.contains(cause_of(finding)) ? in_a_row + 1 : 0;
}

bool Causes::name_it(Finding& finding) {
  finding.cause = cause_of(finding);
  return known_.insert(finding.cause).second;
}

}  // namespace isolde::hunt
