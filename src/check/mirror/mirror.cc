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
    core_.columns.on = head.columns;
    if (head.columns) return begin_columns(core_, head);
    note_initial(core_, head);
    if (head.history.columns().key_initial.empty()) return;
    for (std::uint32_t k = 0; k < head.history.key_count(); ++k) {
      const Print value = head.value(head.history.initial(KeyId{k}));
      if (value == core_.default_initial) continue;
      if (core_.keys.find(head.key(KeyId{k})) != kNoKeySlot) continue;
      make_room(core_);
      KeyState& state = core_.keys[core_.keys.add(head.key(KeyId{k}))];
      state.base = value;
      core_.recent.note_initial(state.key, value);
      core_.written.add(state.key, value, core_.options.memory_limit / 8);
      state.flags |= kBaseInitial;
    }
  }

  void take(const Arrival& arrival) override {
    core_.names.note(arrival.chunk);
    core_.columns.on = core_.columns.on || arrival.chunk->columns;
    begin_looks(core_, *arrival.chunk);
    ++core_.counts.taken;
    ++core_.counts.pending;
    if (arrival.late) ++core_.counts.late;
    const TxnSlot slot = take_in(core_, arrival);
    Taken& txn = core_.txns[slot];
    core_.last_begin = std::max(core_.last_begin, txn.begin);
    core_.waiting.push({settled_at(txn), txn.number, slot});
    core_.in_order.push_back({txn.begin, txn.number, slot});
    core_.unclosed.push_back({txn.begin, txn.number, slot});
    core_.motion_bytes += txn.bytes();
    while (core_.motion_bytes > max_motion(core_) && !core_.in_order.empty()) give_up_waiting();
  }

  void advance(const StreamTime& time) override {
    core_.time = time;
    if (time.watermark != kNoTime) judge_before(time.watermark);
  }

  void finish() override {
    judge_before(kNever);
    tell_unmet(core_);
    look_back_at_all(core_);
  }

  [[nodiscard]] OnlineCounts counts() const override {
    OnlineCounts counts = core_.counts;
    counts.bytes = core_.keys.bytes() + core_.moments.bytes() + core_.order.bytes() + core_.names.bytes() +
                   core_.written.bytes() + core_.motion_bytes + core_.columns.of.capacity() * sizeof(Columns::Of) +
                   core_.looks.bytes();
    return counts;
  }

  void save(StateWriter& out) const override { save_core(const_cast<Core&>(core_), out); }
  [[nodiscard]] bool load(StateReader& in) override { return load_core(core_, in); }

 private:
  void judge_before(std::int64_t watermark) {
    while (!core_.waiting.empty() && (core_.waiting.top().end < watermark || watermark == kNever)) {
      const Core::Waiting next = core_.waiting.top();
      core_.waiting.pop();
      if (gone({next.end, next.number, next.slot})) continue;
      judge(core_, next.slot);
      core_.judged.push(next);
      while (!core_.in_order.empty() && gone(core_.in_order.front())) core_.in_order.pop_front();
    }
    const std::int64_t first = core_.in_order.empty() ? kNever : core_.in_order.front().time;
    close_until(core_, std::min(first, watermark));
  }

  // An unknown transaction's reads are settled when its last answer came, which may be after its commit was sent.
  static std::int64_t settled_at(const Taken& txn) {
    if (txn.status != Status::kUnknown) return txn.end;
    std::int64_t settled = txn.commit_lo;
    for (const ReadMoment& read : txn.moments) {
      if (read.hi != kNever) settled = std::max(settled, read.hi);
    }
    return settled;
  }

  // Too much is in motion: the one that has waited longest is left unchecked, and whoever began before it and comes
  // yet is late.
  void give_up_waiting() {
    while (!core_.in_order.empty() && gone(core_.in_order.front())) core_.in_order.pop_front();
    if (!core_.in_order.empty()) {
      const Core::Place place = core_.in_order.front();
      core_.in_order.pop_front();
      Taken& txn = core_.txns[place.slot];
      txn.late = true;
      judge(core_, place.slot);
      core_.judged.push({settled_at(txn), place.number, place.slot});
    }
    while (!core_.in_order.empty() && gone(core_.in_order.front())) core_.in_order.pop_front();
    close_until(core_, core_.in_order.empty() ? core_.last_begin : core_.in_order.front().time);
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
