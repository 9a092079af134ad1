#include "check/mirror/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "check/mirror/mirror.h"

namespace isolde {
namespace mirror {
namespace {

constexpr std::uint32_t kStride = 1024;  // transactions between looks at the time

// Violations of a stream, found again in the history that it was made of.
class Collector final : public OnlineSink {
 public:
  Collector(const History& history, const Limits& limits, Verdict& verdict)
      : h_(history), limits_(limits), verdict_(verdict) {}

  void violated(const OnlineViolation& violation) override {
    verdict_.count(violation.kind);
    if (verdict_.anomalies.size() >= limits_.max_anomalies) return;
    if (txns_.empty()) index();
    Anomaly anomaly{};
    anomaly.kind = violation.kind;
    anomaly.variant = violation.variant;
    for (const std::string& id : violation.transactions) {
      if (const auto at = txns_.find(id); at != txns_.end()) anomaly.transactions.push_back(at->second);
    }
    if (const auto at = keys_.find(violation.key); !violation.key.empty() && at != keys_.end())
      anomaly.key = at->second;
    if (!violation.read.empty() && !anomaly.transactions.empty())
      anomaly.op = read_of(anomaly.transactions.front(), anomaly.key, violation.read);
    if (violation.statement != kNone32 && !anomaly.transactions.empty())
      anomaly.op = OpId{h_.first_op(anomaly.transactions.front()) + violation.statement};
    for (const OnlineStep& step : violation.steps) add_step(violation, step, anomaly);
    anomaly.expected_text = violation.expected;
    anomaly.says = fmt::format("{}: {}", violation.rule, violation.text);
    verdict_.anomalies.push_back(std::move(anomaly));
  }
  // Everything is there, so nothing is missing that might explain it.
  void suspected(const OnlineViolation& violation, std::string_view /*why*/) override { violated(violation); }

 private:
  void index() {
    const HistoryColumns& c = h_.columns();
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) txns_.emplace(h_.value_text(c.id[t]), TxnId{t});
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) keys_.emplace(h_.value_text(c.key_name[k]), KeyId{k});
  }

  void add_step(const OnlineViolation& violation, const OnlineStep& step, Anomaly& anomaly) const {
    const auto from = txns_.find(violation.transactions[step.from]), to = txns_.find(violation.transactions[step.to]);
    if (from == txns_.end() || to == txns_.end()) return;
    const auto key = keys_.find(step.key);
    anomaly.steps.push_back({.type = step.type,
                             .from = from->second,
                             .to = to->second,
                             .key = step.key.empty() || key == keys_.end() ? kNoKey : key->second});
  }

  OpId read_of(TxnId t, KeyId key, const std::string& value) const {
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      const OpHead head = h_.op(op);
      if (head.kind() == OpKind::kRead && head.key() == key && h_.value_text(h_.op_value(op)) == value) return OpId{op};
      if (head.kind() != OpKind::kScan) continue;
      for (const Item& item : h_.items(h_.predicate(head.predicate()))) {
        if (item.key == key && h_.value_text(item.value) == value) return OpId{op};
      }
    }
    return kNoOp;
  }

  const History& h_;
  const Limits& limits_;
  Verdict& verdict_;
  std::unordered_map<std::string, TxnId> txns_;
  std::unordered_map<std::string, KeyId> keys_;
};

std::string mirror_lacks(const History& history, Level /*level*/) {
  if (history.columns().begin.empty() || history.columns().end.empty())
    return "transactions have no begin and end on the clients' clock";
  return {};
}

// All of the history, in order of begin. False: the limits ran out.
bool feed(const History& history, const Limits& limits, OnlineEngine& engine) {
  const auto chunk = std::make_shared<const Chunk>(history);
  std::vector<std::uint32_t> order(history.txn_count());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return history.begin(TxnId{a}) < history.begin(TxnId{b}); });
  engine.begin(*chunk);
  for (std::uint32_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn{order[i]};
    if (i % kStride == 0) {
      if (limits.exhausted()) return false;
      if (limits.progress != nullptr) limits.progress->advance("mirror", i, history.txn_count());
      engine.advance({.now = static_cast<std::int64_t>(i), .watermark = history.begin(txn), .complete = true});
    }
    engine.take({chunk, txn, false});
  }
  engine.finish();
  return true;
}

Verdict judge_by_mirror(CheckContext& context, Level level, const Limits& limits) {
  const History& history = context.history();
  const auto& [profile, partitions, guess] = context.options();
  Verdict verdict;
  verdict.level = level;
  if (profile == nullptr) {
    verdict.leave_open(WhyOpen::kEvidence,
                       "mirror compares with what a DBMS does, and no profile was given (--profile)");
    return verdict;
  }
  Collector collector(history, limits, verdict);
  const auto engine =
      make_mirror(with_threads({.profile = *profile, .memory_limit = SIZE_MAX / 4}, partitions), collector);
  const bool whole = feed(history, limits, *engine);
  const OnlineCounts counts = engine->counts();
  verdict.notes.push_back(fmt::format("the profile {} ({})", profile->name, profile->source));
  verdict.notes.push_back(
      fmt::format("{} dependencies, of which {} are between overlapping intervals and {} of these were ordered; "
                  "{} reads and predicate operations could not be judged; {} transactions were left open by the rules "
                  "and too many for the exact "
                  "search",
                  counts.dependencies, counts.overlapping, counts.deduced, counts.unchecked, counts.unsearched));
  if (verdict.total() > 0) {
    verdict.outcome = Outcome::kViolated;
  } else if (whole) {
    verdict.leave_open(WhyOpen::kFindsOnly,
                       "nothing was found that breaks the profile; mirror finds bugs, it does not certify");
  } else {
    verdict.leave_open(limits);
  }
  return verdict;
}

}  // namespace

Level level_of(const Profile& profile) {
  if (profile.certifier != Certifier::kNone) return Level::kSerializable;
  if (profile.first_updater_wins) return Level::kSnapshotIsolation;
  if (profile.reads == Reads::kTransaction || profile.read_locks) return Level::kRepeatableRead;
  return profile.reads == Reads::kDirty ? Level::kReadUncommitted : Level::kReadCommitted;
}

}  // namespace mirror

constinit const Engine kMirrorEngine{
    .name = "mirror",
    .summary = "bugs against what a DBMS does at a level (--profile), by client-side intervals; only when asked",
    .given = Given::kProfile,
    .certifies = false,
    .set_aside_because = "it finds violations of a database's profile but certifies no level; used only on request",
    .lacks = mirror::mirror_lacks,
    .judge = mirror::judge_by_mirror};

}  // namespace isolde
