// Any native history of few transactions: every engine answers at every level that it claims, and src/proof accepts
// what it says.
#include "check/choose/engines.h"
#include "format/native.h"
#include "proof/prove.h"
#include "tests/fuzz/format_fuzz.h"

namespace {

constexpr std::uint32_t kMostTxns = 12;
constexpr std::uint32_t kMostOps = 64;

void check_all(const isolde::History& history) {
  using namespace isolde;
  Limits limits;
  limits.max_anomalies = 8;
  for (const Engine& engine : engines()) {
    for (const LevelInfo& level : all_levels()) {
      if (!engine.lacks(history, level.level).empty()) continue;
      const Verdict verdict = engine.check(history, level.level, limits);
      if (verdict.outcome == Outcome::kUndecided) {
        fuzz::require(!verdict.reason.empty() && verdict.why_open != WhyOpen::kDecided, "undecided without a reason");
        continue;
      }
      const auto proof = prove(history, verdict);
      fuzz::require(proof.has_value(), std::string(engine.name) + " at " + std::string(level.name) + ": " +
                                           (proof ? std::string() : proof.error().message()));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = isolde::kNativeFormat.read(isolde::testing::source_of(bytes), {});
  if (!read || read->history.txn_count() > kMostTxns || read->history.op_count() > kMostOps) return 0;
  check_all(read->history);
  return 0;
}
