#include "check/mirror/partitioned.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/team.h"
#include "check/mirror/partition.h"
#include "check/mirror/windows.h"

namespace isolde::mirror {
namespace {

constexpr std::uint64_t kPartitionedMagic = 0x69736f6c'70617274ULL;
constexpr std::size_t kLongestBatch = 256;         // transactions: what they touch should stay in the cache
constexpr std::int64_t kLongestStep = 50'000'000;  // nanoseconds of StreamTime::now
constexpr int kMostRounds = 8;                     // of asking again, at the end

class Partitioned final : public OnlineEngine {
 public:
  Partitioned(const MirrorOptions& options, OnlineSink& sink)
      : sink_(sink), merger_(options, found_), team_(options.partitions - 1) {
    MirrorOptions each = options;
    each.memory_limit = options.memory_limit / options.partitions;
    for (std::uint32_t i = 0; i < options.partitions; ++i) {
      parts_.push_back(std::make_unique<Partition>(each, KeyShare{i, options.partitions}));
    }
  }

  void begin(const Chunk& head) override {
    for (const auto& part : parts_) part->begin(head);
    merger_.begin(head);
  }

  void take(const Arrival& arrival) override {
    const auto& [chunk, owners] = owners_of(arrival.chunk);
    const KeyOwners::Users users = owners->users(*chunk, arrival.txn, next_number_);
    batch_.push_back({arrival, owners.get(), users.partitions, users.home, next_number_});
    if (++next_number_ == 0) next_number_ = 1;
    unjudged_predicates_ += predicates_of(*chunk, arrival.txn);
    quiet_ = false;
  }

  void advance(const StreamTime& time) override {
    const bool changed = time.complete != time_.complete;
    if (changed && !batch_.empty()) step(time_.watermark);
    time_ = time;
    const bool was_quiet = std::exchange(quiet_, true);
    if (changed || was_quiet || batch_.size() >= kLongestBatch || time.now - stepped_ >= kLongestStep) {
      if (batch_.empty() && learned_.empty() && time.watermark == stepped_to_) return;
      step(time.watermark);
    }
  }

  void finish() override {
    step(kNever);
    for (int round = 0; round < kMostRounds && !learned_.empty(); ++round) step(kNever);
    std::vector<Fingerprint> told;
    team_.run([this](std::size_t i) { parts_[i]->finish(); });
    for (const auto& part : parts_) {
      told.insert(told.end(), part->summary().told.begin(), part->summary().told.end());
    }
    merger_.finish(told);
    tell();
  }

  [[nodiscard]] OnlineCounts counts() const override {
    OnlineCounts all = merger_.counts();
    for (const auto& part : parts_) {
      const OnlineCounts counts = part->counts();
      all.taken += counts.taken;
      all.checked += counts.checked;
      all.pending += counts.pending;
      all.operations += counts.operations;
      all.violations += counts.violations;
      all.suspicions += counts.suspicions;
      all.late += counts.late;
      all.unchecked += counts.unchecked;
      all.unsearched += counts.unsearched;
      all.dependencies += counts.dependencies;
      all.overlapping += counts.overlapping;
      all.deduced += counts.deduced;
      all.bytes += counts.bytes;
    }
    all.unchecked += unjudged_predicates_;
    all.taken += batch_.size();
    all.pending += batch_.size();
    return all;
  }

  void save(StateWriter& out) const override { const_cast<Partitioned*>(this)->save_all(out); }

  [[nodiscard]] bool load(StateReader& in) override {
    if (in.get<std::uint64_t>() != kPartitionedMagic || in.get<std::uint64_t>() != parts_.size()) return false;
    next_number_ = in.get<std::uint32_t>();
    unjudged_predicates_ = in.get<std::uint64_t>();
    horizon_ = in.get<std::int64_t>();
    time_.now = stepped_ = in.get<std::int64_t>();
    time_.watermark = in.get<std::int64_t>();
    time_.complete = in.get<bool>();
    for (const auto& part : parts_) {
      if (!part->load(in)) return false;
    }
    return merger_.load(in);
  }

 private:
  struct Dealt {
    Arrival arrival;
    const KeyOwners* owners;
    std::uint64_t partitions;
    std::uint32_t home, number;
  };
  using Owned = std::pair<std::shared_ptr<const Chunk>, std::unique_ptr<const KeyOwners>>;

  // A predicate looks at the keys of all partitions at one moment, so none of them can judge it: these are counted as
  // unchecked. Scans of a range of keys are reads of its keys, each judged where it belongs.
  static std::uint64_t predicates_of(const Chunk& chunk, TxnId txn) {
    const History& h = chunk.history;
    if (h.status(txn) == Status::kAborted) return 0;
    std::uint64_t count = 0;
    for (std::uint32_t op = h.first_op(txn); op < h.end_op(txn); ++op) {
      const OpHead head = h.op(op);
      if (!is_predicate(head.kind())) continue;
      std::int64_t low = 0, high = 0;
      const std::string_view where = h.values().string(h.predicate(head.predicate()).where);
      if (head.kind() != OpKind::kScan || !whole_key_range(where, low, high)) ++count;
    }
    return count;
  }

  const Owned& owners_of(const std::shared_ptr<const Chunk>& chunk) {
    for (auto known = owners_.rbegin(); known != owners_.rend(); ++known) {
      if (known->first == chunk) return *known;
    }
    const auto count = static_cast<std::uint32_t>(parts_.size());
    owners_.emplace_back(chunk, std::make_unique<const KeyOwners>(*chunk, count));
    return owners_.back();
  }
  // The last ones are probably needed again.
  void forget_owners() {
    constexpr std::size_t kKept = 64;
    while (owners_.size() > kKept) owners_.pop_front();
  }

  void work(Partition& part, std::uint32_t index, std::int64_t watermark) {
    part.learn(learned_, horizon_);
    const auto uses = [&](std::size_t at) {
      return at < batch_.size() && ((batch_[at].partitions >> index) & 1) != 0 ? &batch_[at] : nullptr;
    };
    for (std::size_t at = 0; at < batch_.size(); ++at) {
      if (const Dealt* later = uses(at + 4)) part.expect(later->arrival, *later->owners, 4);
      if (const Dealt* soon = uses(at + 2)) part.expect(soon->arrival, *soon->owners, 2);
      if (const Dealt* one = uses(at)) part.take(one->arrival, one->number, *one->owners, one->home == index);
    }
    part.judge(time_, watermark);
  }

  void step(std::int64_t watermark) {
    for (const Dealt& one : batch_) merger_.arrived(one.arrival, one.number);
    team_.run([&](std::size_t i) { work(*parts_[i], static_cast<std::uint32_t>(i), watermark); });
    all_.clear();
    for (const auto& part : parts_) merge(all_, part->summary());
    learned_.clear();
    merger_.step(all_, time_, learned_);
    horizon_ = std::max(horizon_, all_.horizon);
    batch_.clear();
    forget_owners();
    stepped_ = time_.now;
    stepped_to_ = watermark;
    tell();
  }

  void tell() {
    const auto pass_on = [this](const std::vector<Findings::One>& all) {
      for (const Findings::One& one : all) {
        if (one.suspected) {
          sink_.suspected(one.violation, one.why);
        } else {
          sink_.violated(one.violation);
        }
      }
    };
    for (const auto& part : parts_) pass_on(part->take_findings());
    pass_on(std::exchange(found_.all, {}));
  }

  // What waits is judged first as far as that is possible: a state has no arrivals in it.
  void save_all(StateWriter& out) {
    if (!batch_.empty()) step(time_.watermark);
    for (int round = 0; round < kMostRounds && !learned_.empty(); ++round) step(time_.watermark);
    learned_.clear();
    out.put(kPartitionedMagic);
    out.put(std::uint64_t{parts_.size()});
    out.put(next_number_);
    out.put(unjudged_predicates_);
    out.put(horizon_);
    out.put(time_.now);
    out.put(time_.watermark);
    out.put(time_.complete);
    for (const auto& part : parts_) part->save(out);
    merger_.save(out);
  }

  OnlineSink& sink_;
  Findings found_;  // by the merger
  std::vector<std::unique_ptr<Partition>> parts_;
  Merger merger_;
  std::vector<Dealt> batch_;
  std::deque<Owned> owners_;
  Summary all_;
  Learned learned_;
  std::int64_t horizon_ = kAlways;
  StreamTime time_;
  std::int64_t stepped_ = 0, stepped_to_ = kNoTime;
  bool quiet_ = true;  // nothing was taken since the last advance
  std::uint32_t next_number_ = 1;
  std::uint64_t unjudged_predicates_ = 0;
  Team team_;
};

}  // namespace

std::unique_ptr<OnlineEngine> make_partitioned(const MirrorOptions& options, OnlineSink& sink) {
  return std::make_unique<Partitioned>(options, sink);
}

}  // namespace isolde::mirror
