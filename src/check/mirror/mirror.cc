#include "check/mirror/mirror.h"

#include <algorithm>
#include <array>

#include "check/mirror/core.h"
#include "check/mirror/partitioned.h"
#include "check/mirror/pipelined.h"

namespace isolde::mirror {
namespace {

class Mirror final : public OnlineEngine {
 public:
  Mirror(const MirrorOptions& options, OnlineSink& sink) : core_(options, sink) {}

  void begin(const Chunk& head) override { begin_core(core_, head); }
  void take(const Arrival& arrival) override {
    look_ahead(core_, arrival, nullptr);
    ahead_[next_++ % kAhead] = arrival;
    if (next_ - taken_ > kAhead / 2) look_nearer(core_, ahead_[(next_ - 1 - kAhead / 2) % kAhead], nullptr);
    if (next_ - taken_ == kAhead) take_one();
  }

  void advance(const StreamTime& time) override {
    take_all();
    core_.time = time;
    if (time.watermark != kNoTime) close_until(core_, judge_until(core_, time.watermark));
  }

  void finish() override {
    take_all();
    close_until(core_, judge_until(core_, kNever));
    tell_unmet(core_);
    look_back_at_all(core_);
  }

  [[nodiscard]] OnlineCounts counts() const override {
    OnlineCounts counts = core_.counts;
    counts.taken += next_ - taken_;
    counts.pending += next_ - taken_;
    counts.bytes = bytes_of(core_);
    return counts;
  }

  void save(StateWriter& out) const override {
    auto& self = const_cast<Mirror&>(*this);
    self.take_all();
    save_core(self.core_, out);
  }
  [[nodiscard]] bool load(StateReader& in) override { return load_core(core_, in); }

 private:
  void take_one() {
    Arrival& next = ahead_[taken_++ % kAhead];
    static_cast<void>(mirror::take(core_, next, false));
    next.chunk.reset();
  }
  void take_all() {
    while (taken_ != next_) take_one();
  }

  Core core_;
  // A few arrivals wait while their keys come into the cache.
  static constexpr std::uint64_t kAhead = 4;
  std::array<Arrival, kAhead> ahead_;
  std::uint64_t next_ = 0, taken_ = 0;
};

}  // namespace

MirrorOptions with_threads(MirrorOptions options, std::uint32_t threads) {
  constexpr std::uint32_t kAheadOfJudging = 256;
  options.ahead = threads == 2 ? kAheadOfJudging : 0;
  options.partitions = threads > 2 ? std::min(threads, kMostPartitions) : 1;
  return options;
}

std::unique_ptr<OnlineEngine> make_mirror(const MirrorOptions& options, OnlineSink& sink) {
  if (options.partitions > 1) return make_partitioned(options, sink);
  if (options.ahead > 0 && can_be_pipelined(options)) return make_pipelined(options, sink);
  return std::make_unique<Mirror>(options, sink);
}

}  // namespace isolde::mirror
