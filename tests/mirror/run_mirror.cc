#include "tests/mirror/run_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "check/mirror/mirror.h"

namespace isolde {
namespace {

class Kept final : public OnlineSink {
 public:
  explicit Kept(std::vector<OnlineViolation>& to) : to_(to) {}
  void violated(const OnlineViolation& violation) override { to_.push_back(violation); }
  void suspected(const OnlineViolation& violation, std::string_view /*why*/) override { to_.push_back(violation); }

 private:
  std::vector<OnlineViolation>& to_;
};

}  // namespace

std::string MirrorRun::text() const {
  std::string out;
  for (const OnlineViolation& v : violations)
    out += fmt::format("{} ({}): {}\n", full_name(v.kind, v.variant), v.rule, v.text);
  return out;
}

MirrorRun run_mirror(const Trace& trace, const mirror::Profile& profile, bool each, std::uint32_t partitions) {
  MirrorRun run;
  Kept sink(run.violations);
  const auto engine = mirror::make_mirror({.profile = profile, .partitions = partitions}, sink);
  const auto chunk = std::make_shared<const Chunk>(trace.build());
  const History& h = chunk->history;
  std::vector<std::uint32_t> order(h.txn_count());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return h.begin(TxnId{a}) < h.begin(TxnId{b}); });
  engine->begin(*chunk);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (each) engine->advance({.now = static_cast<std::int64_t>(i), .watermark = h.begin(TxnId{order[i]})});
    engine->take({chunk, TxnId{order[i]}, false});
  }
  engine->finish();
  run.counts = engine->counts();
  return run;
}

Trace smallest(Trace trace, const std::function<bool(const Trace&)>& still) {
  const auto try_out = [&](const std::function<void(Trace&)>& change) {
    Trace less = trace;
    change(less);
    if (!still(less)) return false;
    trace = std::move(less);
    return true;
  };
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t t = trace.txns.size(); t-- > 0;) {
      const auto at = static_cast<std::ptrdiff_t>(t);
      smaller |= try_out([&](Trace& less) { less.txns.erase(less.txns.begin() + at); });
    }
    for (std::size_t t = 0; t < trace.txns.size(); ++t) {
      if (trace.txns[t].commit_before != kNoTime)
        smaller |= try_out([&](Trace& less) { less.txns[t].commit_before = kNoTime; });
      for (std::size_t i = trace.txns[t].ops.size(); i-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        if (try_out([&](Trace& less) { less.txns[t].ops.erase(less.txns[t].ops.begin() + at); })) {
          smaller = true;
          continue;
        }
        if (trace.txns[t].ops[i].lock != Lock::kNone)
          smaller |= try_out([&](Trace& less) { less.txns[t].ops[i].lock = Lock::kNone; });
      }
    }
  }
  return trace;
}

}  // namespace isolde
