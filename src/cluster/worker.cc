#include "cluster/worker.h"

#include <fmt/format.h>

#include <algorithm>

#include "stream/violation_record.h"

namespace isolde::cluster {
namespace {

constexpr int kCheckpointShare = 20;
constexpr std::size_t kMostPublishing = 256;  // violations on their way, of one partition
constexpr std::chrono::seconds kLeaveWithin{10};
constexpr std::chrono::milliseconds kAfterFailure{100};
constexpr std::chrono::seconds kQuietWithRepetitions{2};
constexpr std::chrono::seconds kFirstGapPause{2}, kMostGapPause{20};
// A status is published again after this long, even if nothing is new: a worker that has lost the partition, and did
// not know it yet, may have spoken last.
constexpr std::chrono::seconds kTellAgain{10};
constexpr std::chrono::seconds kPatienceWithSilence{10}, kMostPatienceWithSilence{60};

}  // namespace

Worker::Worker(Broker& broker, Names names, const ClusterPlan& plan, WorkerOptions options, WorkerView& view)
    : broker_(&broker),
      names_(names),
      plan_(plan),
      options_(std::move(options)),
      view_(&view),
      leases_(broker, std::move(names), options_.id, options_.lease) {}

Worker::~Worker() = default;

std::vector<std::uint32_t> Worker::held() const {
  std::vector<std::uint32_t> all;
  for (const auto& [partition, one] : held_) all.push_back(partition);
  return all;
}

Result<void> Worker::step() {
  broker_->poll(std::chrono::milliseconds(0));
  leases_.read(now());
  look_at_renewals();
  if (auto done = look_at_takings(); !done) return done;
  if (looked_.count() < 0 || now() - looked_ >= options_.lease / 5) {
    looked_ = now();
    leases_.announce(now());
    renew();
  }
  share_out();
  bool busy = false;
  for (auto& [partition, one] : held_) {
    auto worked = one.reader == nullptr ? load(partition, one) : work_on(partition, one);
    if (!worked) return std::move(worked).error();
    busy = busy || *worked;
    tell_status(partition, one, false);
    step_checkpoint(partition, one);
  }
  begin_checkpoints();
  if (broken_) return *std::move(broken_);
  drop_lost();
  if (!busy) broker_->poll(options_.idle_wait);
  return {};
}

void Worker::drop_lost() {
  for (const auto& [partition, why] : lost_) {
    if (held_.erase(partition) > 0) view_->left(partition, why);
  }
  lost_.clear();
}

// ---- leases ---------------------------------------------------------------------------------------------------------

void Worker::renew() {
  for (auto& [partition, one] : held_) {
    if (one.renewal.pending()) continue;
    one.asked = now();
    one.renewal = broker_->append({names_.lease_of(partition), options_.id, {}}, one.revision);
  }
}

void Worker::look_at_renewals() {
  for (auto& [partition, one] : held_) {
    if (one.renewal.here()) {
      const Appended renewed = *std::exchange(one.renewal, {});
      if (renewed.outcome == AppendOutcome::kStored) {
        one.revision = renewed.sequence;
        one.renewed = one.asked;
      } else if (renewed.outcome == AppendOutcome::kRefused) {
        // One that got no answer may have been stored: then the lease is this worker's, with another revision.
        const Leases::Holder holder = leases_.holder(partition, now());
        if (holder.worker == options_.id && holder.revision > one.revision) {
          one.revision = holder.revision;
        } else {
          lost_.emplace_back(partition, "its lease was lost");  // no checkpoint: it is not ours any more
        }
      }
    }
    if (now() - one.renewed > options_.lease * 4 / 5) lost_.emplace_back(partition, "its lease could not be renewed");
  }
  drop_lost();
}

void Worker::share_out() {
  if (!leases_.known()) return;
  if (known_since_.count() < 0) known_since_ = now();
  // Workers that start together see each other before they take anything.
  if (now() - known_since_ < options_.lease / 100) return;
  if (shared_.count() >= 0 && now() - shared_ < options_.lease / 40) return;
  shared_ = now();
  const std::size_t count = leases_.workers(now());
  const std::uint32_t partitions = plan_.layout().count();
  const std::size_t fair = (partitions + count - 1) / count;
  // Those who look a little later than others make nobody give anything up.
  const bool settled = workers_before_ == count;
  workers_before_ = count;
  std::size_t staying = 0;
  for (const auto& [partition, one] : held_) staying += one.leaving ? 0 : 1;
  for (auto at = held_.rbegin(); settled && at != held_.rend() && staying > fair; ++at) {
    if (at->second.leaving) continue;
    leave_soon(at->first, "another worker is here to take it");
    --staying;
  }
  for (std::uint32_t i = 0; i < partitions && held_.size() + taking_.size() < fair; ++i) {
    const std::uint32_t partition = (next_tried_ + i) % partitions;
    if (held_.contains(partition) || taking_.contains(partition)) continue;
    const Leases::Holder holder = leases_.holder(partition, now());
    if (!holder.worker.empty() && holder.worker != options_.id) continue;
    taking_[partition] = {broker_->append({names_.lease_of(partition), options_.id, {}}, holder.revision), now()};
  }
  next_tried_ = (next_tried_ + 1) % partitions;
}

Result<void> Worker::look_at_takings() {
  for (auto at = taking_.begin(); at != taking_.end();) {
    const auto [partition, taking] = *at;
    // One that was not given waits a little, so that a partition is not asked for in every round.
    const bool over = taking.answer.here() &&
                      (taking.answer->outcome == AppendOutcome::kStored || now() - taking.asked >= options_.lease / 20);
    if (!over) {
      ++at;
      continue;
    }
    at = taking_.erase(at);
    if (taking.answer->outcome == AppendOutcome::kRefused) leases_.was_refused(partition);
    if (taking.answer->outcome != AppendOutcome::kStored) continue;
    auto checker = PartitionChecker::make(plan_, partition);
    if (!checker) return std::move(checker).error();
    Held& one = held_
                    .try_emplace(partition, StateStore(*broker_, names_, partition, options_.incarnation + ++taken_,
                                                       options_.folder, plan_.stream))
                    .first->second;
    one.checker = *std::move(checker);
    one.epoch = one.revision = taking.answer->sequence;
    one.renewed = taking.asked;
  }
  return {};
}

void Worker::leave_soon(std::uint32_t partition, const std::string& why) {
  Held& one = held_.at(partition);
  one.leaving = why;
  one.leaving_since = now();
}

bool Worker::may_go(const Held& one) const {
  if (one.reader == nullptr || now() - one.leaving_since > kLeaveWithin) return true;
  return one.covered == one.checker->changes() && one.unpublished.empty() && !one.store.saving() && !one.droppable &&
         !one.telling.pending();
}

void Worker::leave() {
  for (auto& [partition, one] : held_) {
    if (!one.leaving) leave_soon(partition, "this worker ends");
  }
  while (!held_.empty()) {
    broker_->poll(options_.idle_wait);
    for (auto& [partition, one] : held_) {
      static_cast<void>(publish(one));
      tell_status(partition, one, false);
      step_checkpoint(partition, one);
    }
    begin_checkpoints();
    drop_lost();
  }
  leases_.leave();
  broker_->poll(options_.idle_wait);
}

// ---- checking -------------------------------------------------------------------------------------------------------

Result<bool> Worker::load(std::uint32_t partition, Held& one) {
  auto loaded = one.store.load(now());
  if (!loaded) return false;
  if (!*loaded) return std::move(*loaded).error();
  if ((*loaded)->state) {
    StateReader in(std::move((*loaded)->state->bytes));
    if (!one.checker->load(in))
      return Error{fmt::format("the checkpoint of partition {} does not fit this program", partition)};
    if ((*loaded)->in_stream) one.kept_covers = one.checker->covered();
  } else if ((*loaded)->lost) {
    view_->trouble(fmt::format("the checkpoint of partition {} was lost", partition));
    one.checker->note_lost_state();
  }
  one.covered = one.checker->changes();
  one.taken = one.checkpointed = one.told = one.heard = now();
  one.patience = kPatienceWithSilence;
  // All that is there: what is covered was dropped, and what of it is left is known by its number.
  one.reader = broker_->reader(names_.trace(), names_.batches_of(partition), 1);
  view_->took(partition, one.epoch, one.checker->position());
  return true;
}

Result<bool> Worker::work_on(std::uint32_t partition, Held& one) {
  if (one.store.overtaken()) {
    lost_.emplace_back(partition, "it has a checkpoint that was not shown before");
    return true;
  }
  // What was found must not pile up.
  if (!publish(one) || one.checker->over() || one.leaving) return false;
  auto messages = one.reader->fetch(options_.fetch_most);
  if (!messages) {
    view_->trouble(fmt::format("partition {}: {}", partition, messages.error().text));
    return false;
  }
  for (const StoredMessage& message : *messages) one.checker->take(message);
  if (!messages->empty()) one.heard = now();
  look_for_gap(partition, one);
  remove_repetitions(one);
  for (const OnlineViolation& found : one.checker->take_findings()) {
    ++one.found;
    one.unpublished.push_back({{names_.violation(found.identity), stream::violation_json(found, "violation"), {}}, {}});
  }
  static_cast<void>(publish(one));
  return !messages->empty();
}

void Worker::read_again(std::uint32_t partition, Held& one) {
  one.read_again = one.heard = now();
  one.checker->read_again();
  one.store.doubt();  // perhaps its state was not shown, either
  // Nor may what was to be dropped have been: a full stream would stay full.
  one.dropped.clear();
  if (!one.droppable && !one.released.empty()) one.droppable = one.released;
  one.reader = broker_->reader(names_.trace(), names_.batches_of(partition), 1);
}

// What is repeated lies behind what may be dropped, until the producer's next batch comes. Where the stream is full of
// repetitions, that cannot come. So when nothing has come for a while, and both checkpoints cover all that was taken,
// they are removed one by one; never by their number and all before it, because a server that was just started may not
// have shown what lies between.
void Worker::remove_repetitions(Held& one) {
  const bool both_cover = one.checker->changes() == one.covered && !one.kept_covers.empty() &&
                          one.kept_covers == one.released && one.kept_covers == one.checker->covered();
  if (!both_cover || one.store.saving() || one.droppable || now() - one.heard < kQuietWithRepetitions) return;
  for (const std::uint64_t sequence : one.checker->take_repetitions()) broker_->remove(names_.trace(), sequence);
}

// What a producer sent again comes soon. What a server did not show comes when it is read again.
void Worker::look_for_gap(std::uint32_t partition, Held& one) {
  const std::optional<std::uint64_t> gap = one.checker->gap();
  if (!gap || gap != one.gap) {
    one.gap = gap;
    one.gap_since = one.read_again = now();
    one.gap_pause = kFirstGapPause;
    // Without anything that comes later, a gap at the end cannot be seen.
    if (now() - one.heard < one.patience) return;
    one.patience = std::min<Time>(one.patience * 2, kMostPatienceWithSilence);
    return read_again(partition, one);
  }
  if (now() - one.read_again < one.gap_pause) return;
  one.gap_pause = std::min<Time>(one.gap_pause * 2, kMostGapPause);
  if (plan_.silence > 0 && now() - one.gap_since > std::chrono::duration<double>(plan_.silence)) {
    one.checker->give_up_gaps();
    return;
  }
  read_again(partition, one);
}

// True: there is room for more. A violation that is there already was published by another worker, or before a restart.
bool Worker::publish(Held& one) {
  for (std::size_t i = 0; i < one.unpublished.size() && i < kMostPublishing; ++i) {
    Publication& p = one.unpublished[i];
    if (p.answer.here() && p.answer->outcome != AppendOutcome::kStored &&
        p.answer->outcome != AppendOutcome::kRefused) {
      view_->trouble("a violation could not be stored yet: " + p.answer->why);
      p.answer = {};
      one.publish_again = now() + kAfterFailure;
    }
    if (!p.answer.asked() && now() >= one.publish_again) p.answer = broker_->append(p.message, std::uint64_t{0});
  }
  while (!one.unpublished.empty() && one.unpublished.front().answer.here()) {
    const AppendOutcome outcome = one.unpublished.front().answer->outcome;
    if (outcome != AppendOutcome::kStored && outcome != AppendOutcome::kRefused) break;
    one.unpublished.pop_front();
  }
  return one.unpublished.size() < kMostPublishing;
}

// ---- statuses -------------------------------------------------------------------------------------------------------

void Worker::tell_status(std::uint32_t partition, Held& one, bool now_please) {
  if (one.reader == nullptr) return;
  if (one.telling.here()) {
    if (one.telling->outcome == AppendOutcome::kStored) {
      one.told_text = one.telling_text;
      // Senders know how far it is before their batches go.
      if (one.dropped_when_told) {
        for (const auto& [producer, last] : *one.dropped_when_told) {
          std::uint64_t& before = one.dropped[producer];
          if (last > before) broker_->drop(names_.trace(), names_.batch(partition, producer), last + 1);
          before = std::max(before, last);
        }
      }
      if (one.dropped_when_told == one.droppable) one.droppable.reset();
    }
    one.telling = {};
  }
  if (one.telling.pending()) return;
  if (!now_please && now() - one.told < (one.droppable ? kAfterFailure : options_.status_every)) return;
  one.told = now();
  PartitionStatus status = one.checker->status();
  status.epoch = one.epoch;
  if (!one.unpublished.empty()) status.over = false;
  one.telling_text = status_text(status);
  if (one.telling_text == one.told_text && !one.droppable && now() - one.published < kTellAgain) return;
  one.published = now();
  one.dropped_when_told = one.droppable;
  one.telling = broker_->append({names_.status_of(partition), one.telling_text, {}}, std::nullopt);
}

// ---- checkpoints ----------------------------------------------------------------------------------------------------

bool Worker::checkpoint_is_due(const Held& one) const {
  if (one.reader == nullptr || one.store.saving() || one.droppable) return false;
  // The last messages of a stream, too, are dropped only when two checkpoints cover them.
  if (one.checker->changes() == one.covered && (one.leaving || one.kept_covers == one.released)) return false;
  // It would replace a state that a server did not show, and may show again.
  if (one.checker->lacks_its_state()) return false;
  if (one.leaving) return true;
  Time all{0};
  for (const auto& [partition, other] : held_) all += other.took;
  const Time usual = std::max<Time>(options_.checkpoint_every, all * kCheckpointShare);
  const Time first = options_.first_checkpoint;
  return now() - one.checkpointed >= std::clamp<Time>(one.checkpointed - one.taken, first, usual);
}

// One at a time: a state may be large. Of those that are due, the one that has waited longest.
void Worker::begin_checkpoints() {
  Held* next = nullptr;
  for (auto& [partition, one] : held_) {
    if (one.store.saving()) return;
    if (checkpoint_is_due(one) && (next == nullptr || one.checkpointed < next->checkpointed)) next = &one;
  }
  if (next == nullptr) return;
  const Time began = now();
  StateWriter out;
  next->checker->save(out);
  next->covering = next->checker->changes();
  next->covers = next->checker->covered();
  next->found_then = next->found;
  next->store.begin_save(next->epoch, next->checker->position(), out.bytes());
  next->took = now() - began;
}

void Worker::step_checkpoint(std::uint32_t partition, Held& one) {
  if (one.store.saving()) {
    const std::uint64_t stored = one.found - one.unpublished.size();
    const auto tried = one.store.save(now(), stored >= one.found_then);
    if (!tried) {
      broken_ = tried.error();
      return;
    }
    const StateStore::Saved saved = *tried;
    if (saved == StateStore::Saved::kPending && !(one.leaving && may_go(one))) return;
    one.checkpointed = now();
    if (saved == StateStore::Saved::kLost) lost_.emplace_back(partition, "another worker has taken it over");
    if (saved == StateStore::Saved::kYes) {
      one.covered = one.covering;
      if (!one.kept_covers.empty()) one.droppable = one.kept_covers;
      one.released = std::exchange(one.kept_covers, one.covers);
      tell_status(partition, one, true);
    }
  }
  if (!one.leaving || !may_go(one)) return;
  static_cast<void>(broker_->append({names_.lease_of(partition), {}, {}}, one.revision));
  lost_.emplace_back(partition, *one.leaving);
}

}  // namespace isolde::cluster
