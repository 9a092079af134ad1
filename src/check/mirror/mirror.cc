#include "check/mirror/mirror.h"

#include <algorithm>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

class Mirror final : public OnlineEngine {
 public:
  Mirror(const MirrorOptions& options, OnlineSink& sink) : core_(options, sink) {}

  void begin(const Chunk& head) override {
    core_.default_initial = head.value(head.history.default_initial());
    if (head.history.columns().key_initial.empty()) return;
    for (std::uint32_t k = 0; k < head.history.key_count(); ++k) {
      const Print value = head.value(head.history.initial(KeyId{k}));
      if (value == core_.default_initial) continue;
      bool is_new = false;
      KeyState& state = core_.keys[core_.keys.find_or_add(head.key(KeyId{k}), is_new)];
      state.base = value;
      state.flags |= kBaseInitial;
    }
  }

  void take(const Arrival& arrival) override {
    core_.names.note(arrival.chunk);
    ++core_.counts.taken;
    ++core_.counts.pending;
    if (arrival.late) ++core_.counts.late;
    make_room(core_);
    const TxnSlot slot = take_in(core_, arrival);
    const Taken& txn = core_.txns[slot];
    // An unknown transaction's reads are settled when its last answer came.
    const std::int64_t end = txn.status == Status::kUnknown ? txn.commit_lo : txn.end;
    core_.waiting.push({end, txn.number, slot});
    core_.in_order.push_back({txn.begin, txn.number, slot});
  }

  void advance(const StreamTime& time) override {
    core_.time = time;
    if (time.watermark != kNoTime) judge_before(time.watermark);
  }

  void finish() override { judge_before(kNever); }

  [[nodiscard]] OnlineCounts counts() const override {
    OnlineCounts counts = core_.counts;
    counts.bytes = core_.keys.bytes() + core_.moments.bytes();
    return counts;
  }

  void save(StateWriter& out) const override { static_cast<void>(out); }
  [[nodiscard]] bool load(StateReader& in) override { return in.good(); }

 private:
  void judge_before(std::int64_t watermark) {
    while (!core_.waiting.empty() && (core_.waiting.top().end < watermark || watermark == kNever)) {
      const Core::Waiting next = core_.waiting.top();
      core_.waiting.pop();
      judge(core_, next.slot);
      core_.judged.push_back({next.end, next.number, next.slot});
      while (!core_.in_order.empty() && gone(core_.in_order.front())) core_.in_order.pop_front();
    }
    const std::int64_t first = core_.in_order.empty() ? kNever : core_.in_order.front().time;
    close_until(core_, std::min(first, watermark));
  }

  [[nodiscard]] bool gone(const Core::Place& place) const {
    const Taken& txn = core_.txns[place.slot];
    return txn.number != place.number || txn.judged;
  }

  Core core_;
};

}  // namespace

std::unique_ptr<OnlineEngine> make_mirror(const MirrorOptions& options, OnlineSink& sink) {
  return std::make_unique<Mirror>(options, sink);
}

}  // namespace isolde::mirror
