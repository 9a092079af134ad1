#include "check/timeline/online/online.h"

#include <algorithm>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {

Online::Online(const OnlineOptions& options, OnlineSink& sink)
    : options_(options),
      sink_(sink),
      level_(info(options.level)),
      serial_(level_.family == LevelFamily::kSerializable),
      patience_(std::min(options.deadline / 4, kMostPatience)),
      names_(std::min<std::size_t>(std::size_t{32} << 20, options.memory_limit / 8)),
      most_cloud_(std::min<std::size_t>(std::size_t{1} << 20, options.memory_limit / 1024)),
      given_up_(options.memory_limit / 32),
      given_up_cloudy_(options.memory_limit / 64) {
  if (!options.spill_folder.empty()) {
    spill_ = std::make_unique<Spill>(options.spill_folder, options.memory_limit / 16);
    read_spill_ = std::make_unique<Spill>(options.spill_folder, options.memory_limit / 32, "reads");
    start_spill_ = std::make_unique<Spill>(options.spill_folder, options.memory_limit / 32, "starts");
    keys_.set_fold_sink(this);
  }
  make_lanes();
}

// What is on disk, and who studies flips, is asked by one thread.
void Online::make_lanes() {
  const bool alone = spill_ != nullptr || options_.flips != nullptr;
  lanes_.resize(alone ? 1 : std::clamp<std::size_t>(options_.threads, 1, kMostThreads));
  keys_.set_stores(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i].store = &keys_.store(i);
  if (lanes_.size() > 1 && team_ == nullptr) team_ = std::make_unique<Team>(lanes_.size() - 1);
}

void Online::begin(const Chunk& head) {
  head_chunk_ = std::make_unique<Chunk>(head);
  header_keys_.note_header(head);
  head_ = &head_chunk_->history;
  keys_.set_default(state_of(*head_chunk_, head_->default_initial()));
  for (std::uint32_t k = 0; k < head_->key_count(); ++k) {
    const ValueId value = head_->initial(KeyId{k});
    if (value == head_->default_initial()) continue;
    const Fingerprint fingerprint = head_chunk_->key(KeyId{k});
    initial_.emplace(raw64(fingerprint), value);
    KeyTimeline& key = keys_.at(keys_.find_or_add(fingerprint));
    const State state = state_of(*head_chunk_, value);
    key.base_bits = state.bits;
    key.base_kind = state.kind;
  }
}

std::optional<ValueId> Online::initial_value(Fingerprint key) const {
  if (head_ == nullptr) return std::nullopt;
  const auto at = initial_.find(raw64(key));
  return at == initial_.end() ? head_->default_initial() : at->second;
}

State Online::initial_of(Fingerprint key) const {
  const auto value = initial_value(key);
  return value ? state_of(*head_chunk_, *value) : State{};
}

std::vector<Fingerprint> Online::initial_elements(Fingerprint key) const {
  std::vector<Fingerprint> fingerprints;
  const auto value = initial_value(key);
  if (!value) return fingerprints;
  if (const auto elements = head_->values().elements(*value)) {
    for (const ValueId element : *elements) fingerprints.push_back(head_chunk_->value(element));
  } else {
    fingerprints.push_back(head_chunk_->value(*value));
  }
  return fingerprints;
}

void Online::advance(const StreamTime& time) {
  time_ = time;
  if (applied_ != window_.next() && time_.now - staged_since_ >= patience_) apply_staged();
  collect();
}

void Online::finish() {
  apply_staged();
  while (judged_ != window_.next()) judge(judged_++, false);
  judge_postponed(kLatest);
  const bool whole = asks_predicates_ && !released_any_ && can_ask();
  if (open_count_ > 0 || whole) settle(true);
  if (asks_predicates_ && !whole) ask_predicates(true);
  counts_.unchecked += unasked_;
  unasked_ = 0;
}

OnlineCounts Online::counts() const {
  OnlineCounts counts = counts_;
  counts.pending = counts.taken - counts.checked;
  counts.bytes = bytes();
  counts.spilled = spill_ == nullptr ? 0 : spill_->bytes() + read_spill_->bytes() + start_spill_->bytes();
  return counts;
}

std::unique_ptr<OnlineEngine> make_online(const OnlineOptions& options, OnlineSink& sink) {
  return std::make_unique<Online>(options, sink);
}

}  // namespace isolde::timeline
