#include "check/mirror/pipelined.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/prefetch.h"
#include "base/team.h"
#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

constexpr std::int64_t kLongestWait = 50'000'000;  // nanoseconds of StreamTime::now
// Room is made for all keys that a block can bring: with fewer than that the limit would be missed by far.
constexpr std::size_t kLeastKeys = std::size_t{1} << 16;

// Transactions in order, and where among them the stream's time went on.
struct Block {
  struct Txn {
    Arrival arrival;
    TxnWindows of;
    std::uint32_t first;  // in slots, windows
  };
  struct Advance {
    std::size_t at;  // after so many transactions
    StreamTime time;
  };
  std::vector<Txn> txns;
  std::vector<Advance> advances;
  std::size_t operations = 0;
  bool ready = false;  // what follows is filled
  std::vector<KeySlot> slots;
  std::vector<Window> windows;

  void clear() {
    txns.clear();
    advances.clear();
    operations = 0;
    ready = false;
    slots.clear();
    windows.clear();
  }
};

class Pipelined final : public OnlineEngine {
 public:
  Pipelined(const MirrorOptions& options, OnlineSink& sink) : core_(options, sink), team_(1) {}

  void begin(const Chunk& head) override { begin_core(core_, head); }

  void take(const Arrival& arrival) override {
    const History& h = arrival.history();
    filling_.operations += h.end_op(arrival.txn) - h.first_op(arrival.txn);
    filling_.txns.push_back({arrival, {}, 0});
    plain_ = plain_ && h.columns().predicates.empty() && !arrival.chunk->columns;
    quiet_ = false;
  }

  void advance(const StreamTime& time) override {
    filling_.advances.push_back({filling_.txns.size(), time});
    const bool was_quiet = std::exchange(quiet_, true);
    if (was_quiet || time.now - began_ >= kLongestWait) {
      began_ = time.now;
      return drain();
    }
    if (filling_.txns.size() >= core_.options.ahead) {
      began_ = time.now;
      round();
    }
  }

  void finish() override {
    drain();
    close_until(core_, judge_until(core_, kNever));
    tell_unmet(core_);
    look_back_at_all(core_);
  }

  [[nodiscard]] OnlineCounts counts() const override {
    OnlineCounts counts = core_.counts;
    const std::size_t waiting = filling_.txns.size() + ready_.txns.size();
    counts.taken += waiting;
    counts.pending += waiting;
    counts.bytes = bytes_of(core_);
    return counts;
  }

  void save(StateWriter& out) const override {
    auto& self = const_cast<Pipelined&>(*this);
    self.drain();
    save_core(self.core_, out);
  }
  [[nodiscard]] bool load(StateReader& in) override { return load_core(core_, in); }

 private:
  // Predicates and columns look up keys of their own while they are judged.
  [[nodiscard]] bool is_plain() const {
    return plain_ && !core_.columns.on && !core_.looks.on && core_.looks.header.empty();
  }

  // The block that is ready is judged while the next one is made ready.
  void round() {
    if (!is_plain()) return drain();
    make_room_for(filling_);
    core_.keys.set_guard(&guard_);
    team_.run([this](std::size_t i) { i == 0 ? judge(ready_) : make_ready(filling_, &guard_); });
    core_.keys.set_guard(nullptr);
    std::swap(ready_, filling_);
    filling_.clear();
    plain_ = true;
  }

  // Everything that waits is judged.
  void drain() {
    judge(ready_);
    ready_.clear();
    if (is_plain() && !filling_.txns.empty()) {
      make_room_for(filling_);
      make_ready(filling_, nullptr);
    }
    judge(filling_);
    filling_.clear();
    plain_ = true;
  }

  // Of what is ready the keys are in use.
  void make_room_for(const Block& block) {
    const std::size_t most = max_keys(core_), wanted = core_.keys.size() + block.operations;
    if (wanted <= most) return;
    std::uint32_t number = core_.next_number;
    for (std::size_t t = 0; t < ready_.txns.size(); ++t, ++number) {
      const std::size_t end = t + 1 < ready_.txns.size() ? ready_.txns[t + 1].first : ready_.slots.size();
      for (std::size_t i = ready_.txns[t].first; i < end; ++i) {
        if (ready_.slots[i] < core_.keys.slots()) core_.keys[ready_.slots[i]].touched = number;
      }
    }
    constexpr std::size_t kLooksAKey = 64;
    give_up_keys(core_, wanted - most, (wanted - most) * kLooksAKey);
  }

  // Looks up all keys of a block, each asked for some transactions before, and measures its transactions.
  void make_ready(Block& block, std::mutex* guard) {
    constexpr std::size_t kAhead = 8;
    block.slots.reserve(block.operations);
    block.windows.reserve(block.operations);
    for (std::size_t t = 0; t < std::min(kAhead, block.txns.size()); ++t) ask_for(block.txns[t].arrival);
    for (std::size_t t = 0; t < block.txns.size(); ++t) {
      if (t + kAhead < block.txns.size()) ask_for(block.txns[t + kAhead].arrival);
      Block::Txn& txn = block.txns[t];
      txn.first = static_cast<std::uint32_t>(block.slots.size());
      txn.of = measure(txn.arrival.history(), txn.arrival.txn, scratch_);
      block.windows.insert(block.windows.end(), scratch_.begin(), scratch_.end());
      if (guard != nullptr) guard->lock();
      look_up(txn.arrival, block.slots);
      if (guard != nullptr) guard->unlock();
    }
    block.ready = true;
  }

  void ask_for(const Arrival& arrival) const {
    const Chunk& chunk = *arrival.chunk;
    const std::uint32_t end = chunk.history.end_op(arrival.txn);
    for (std::uint32_t op = chunk.history.first_op(arrival.txn); op < end; ++op) {
      core_.keys.prefetch_index(chunk.key(chunk.history.op(op).key()));
    }
  }

  void look_up(const Arrival& arrival, std::vector<KeySlot>& slots) {
    const Chunk& chunk = *arrival.chunk;
    const std::uint32_t end = chunk.history.end_op(arrival.txn);
    for (std::uint32_t op = chunk.history.first_op(arrival.txn); op < end; ++op) {
      const Fingerprint key = chunk.key(chunk.history.op(op).key());
      const KeySlot known = core_.keys.seek(key);
      slots.push_back(known != kNoKeySlot ? known : core_.keys.reserve(key) | kFreshKey);
    }
  }

  void judge(const Block& block) {
    std::size_t next = 0;
    const auto advance_to = [&](std::size_t taken) {
      for (; next < block.advances.size() && block.advances[next].at <= taken; ++next) {
        core_.time = block.advances[next].time;
        if (core_.time.watermark != kNoTime) close_until(core_, judge_until(core_, core_.time.watermark));
      }
    };
    for (std::size_t t = 0; t < block.txns.size(); ++t) {
      advance_to(t);
      const Block::Txn& txn = block.txns[t];
      if (!block.ready) {
        static_cast<void>(mirror::take(core_, txn.arrival, false));
        continue;
      }
      look_ahead(block, t);
      const Ready ready{block.slots.data() + txn.first, block.windows.data() + txn.first, txn.of};
      core_.ready = &ready;
      static_cast<void>(mirror::take(core_, txn.arrival, false));
      core_.ready = nullptr;
    }
    advance_to(block.txns.size());
  }

  // The keys of those that are taken next, and then their versions.
  void look_ahead(const Block& block, std::size_t t) const {
    constexpr std::size_t kKeys = 6, kVersions = 3;
    const auto for_each_slot = [&](std::size_t of, const auto& f) {
      if (of >= block.txns.size()) return;
      const std::size_t end = of + 1 < block.txns.size() ? block.txns[of + 1].first : block.slots.size();
      for (std::size_t i = block.txns[of].first; i < end; ++i) f(block.slots[i]);
    };
    for_each_slot(t + kKeys, [&](KeySlot slot) { core_.keys.prefetch_reserved(slot & ~kFreshKey); });
    for_each_slot(t + kVersions, [&](KeySlot slot) { core_.keys.prefetch_versions_reserved(slot); });
  }

  Core core_;
  Block filling_, ready_;
  bool plain_ = true;  // what fills: neither predicates nor columns
  bool quiet_ = true;  // nothing was taken since the last advance
  std::int64_t began_ = 0;
  std::mutex guard_;
  std::vector<Window> scratch_;
  Team team_;
};

}  // namespace

bool can_be_pipelined(const MirrorOptions& options) {
  return options.partitions == 1 && max_keys(options.memory_limit, false, false) >= kLeastKeys;
}

std::unique_ptr<OnlineEngine> make_pipelined(const MirrorOptions& options, OnlineSink& sink) {
  return std::make_unique<Pipelined>(options, sink);
}

}  // namespace isolde::mirror
