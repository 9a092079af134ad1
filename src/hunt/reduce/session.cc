#include "hunt/reduce/session.h"

#include "base/hash.h"
#include "hunt/finding/finding_file.h"

namespace isolde::hunt {
namespace {

constexpr std::uint32_t kMostFaults = 6;
// Kept for confirm().
constexpr std::uint64_t kLastRuns = 12;

std::size_t rows_of(const Case& test) {
  std::size_t rows = 0;
  for (const Table& table : test.schema.tables) rows += table.rows.size();
  return rows;
}

// What is run, whatever came of it.
std::uint64_t hash_of(Finding finding) {
  finding.expected.clear();
  finding.actual.clear();
  const std::string text = finding_text(finding);
  return hash_bytes(text.data(), text.size());
}

}  // namespace

Reduction::Reduction(const Finding& finding, const TryAgain& again, const ReduceOptions& options)
    : again_(again), options_(options), best_(finding) {
  tried_.insert(hash_of(finding));
}

bool Reduction::over() const {
  return runs_ + std::min(kLastRuns, options_.most_runs / 4) >= options_.most_runs || faults_ >= kMostFaults ||
         (options_.stop != nullptr && options_.stop->load());
}

Reduction::Answer Reduction::ask(const Finding& candidate, Finding& seen) {
  ++runs_;
  auto answer = again_(candidate);
  if (!answer) {
    ++faults_;
    if (!ran_) fault_ = std::move(answer).error();
    return Answer::kFault;
  }
  faults_ = 0;
  ran_ = true;
  fault_.reset();
  if (!*answer || (*answer)->wrong != candidate.wrong || (*answer)->anomaly != candidate.anomaly)
    return Answer::kNotSeen;
  seen = *std::move(*answer);
  // What ran is what was asked for, and it keeps its trees.
  seen.test = candidate.test;
  seen.alone = candidate.alone;
  seen.cause = candidate.cause;
  seen.rate = candidate.rate;
  seen.isolde = candidate.isolde;
  return Answer::kSeen;
}

bool Reduction::attempt(const Finding& candidate) {
  if (over() || statements_of(candidate.test) == 0 || !tried_.insert(hash_of(candidate)).second) return false;
  Finding seen;
  const bool better = ask(candidate, seen) == Answer::kSeen;
  // Statements may fail in ways that no table of errors knows; only if what ran before fails too, the server is gone.
  if (faults_ >= kMostFaults) (void)ask(best_, seen);
  if (better) {
    stations_.push_back(std::move(best_));
    best_ = std::move(seen);
  }
  if (options_.progress) options_.progress(runs_, statements_of(best_.test), rows_of(best_.test));
  return better;
}

void Reduction::confirm() {
  constexpr int kTimes = 2;
  std::size_t back = 1;
  while (!stations_.empty()) {
    Finding seen;
    for (int time = 0; time < kTimes; ++time) {
      if (runs_ >= options_.most_runs || (options_.stop != nullptr && options_.stop->load())) return;
      const Answer answer = ask(best_, seen);
      if (answer == Answer::kFault) return;  // says nothing against it
      if (answer != Answer::kSeen) continue;
      best_ = std::move(seen);
      return;
    }
    // Ever larger steps back, so that few runs are needed.
    for (std::size_t i = 0; i < back && !stations_.empty(); ++i) {
      best_ = std::move(stations_.back());
      stations_.pop_back();
    }
    back *= 2;
  }
}

}  // namespace isolde::hunt
