#include "cluster/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "stream/violation_record.h"

namespace isolde::cluster {
namespace {

constexpr int kCheckpointShare = 10;
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::seconds(3);  // times kCheckpointShare

}  // namespace

Worker::Worker(Broker& broker, Names names, const ClusterPlan& plan, WorkerOptions options, WorkerView& view)
    : broker_(&broker),
      names_(names),
      plan_(plan),
      options_(std::move(options)),
      view_(&view),
      store_(broker, std::move(names), options_.folder) {}

Worker::~Worker() = default;

std::vector<std::uint32_t> Worker::held() const {
  std::vector<std::uint32_t> all;
  for (const auto& [partition, one] : held_) all.push_back(partition);
  return all;
}

bool Worker::idle() const {
  return std::all_of(held_.begin(), held_.end(),
                     [](const auto& one) { return one.second.checker->over() && one.second.unpublished.empty(); });
}

Result<void> Worker::step() {
  if (looked_.count() < 0 || now() - looked_ >= options_.lease / 5) {
    looked_ = now();
    announce();
    renew();
    if (auto done = share_out(); !done) return done;
  }
  for (auto& [partition, one] : held_) work_on(partition, one);
  std::vector<std::uint32_t> lost;
  for (auto& [partition, one] : held_) {
    tell_status(partition, one, false);
    if (now() - one.checkpointed < std::max<Time>(options_.checkpoint_every, one.checkpoint_took * kCheckpointShare))
      continue;
    auto kept = checkpoint(partition, one);
    if (!kept) return std::move(kept).error();
    if (!*kept) lost.push_back(partition);
  }
  for (const std::uint32_t partition : lost) give_up(partition, "another worker has taken it over");
  return {};
}

// ---- leases ---------------------------------------------------------------------------------------------------------

void Worker::announce() {
  const std::string key = Names::worker_key(options_.id);
  if (announced_ != 0) {
    const auto again = broker_->update(names_.lease(), key, "here", announced_);
    if (again && *again) {
      announced_ = **again;
      return;
    }
    if (!again) return;  // the broker does not answer
  }
  auto made = broker_->create(names_.lease(), key, "here");
  if (made && !*made) {  // a predecessor of the same name has left its key
    const auto known = broker_->keys(names_.lease(), key);
    if (known && !known->empty()) made = broker_->update(names_.lease(), key, "here", known->front().revision);
  }
  announced_ = made && *made ? **made : 0;
}

void Worker::renew() {
  std::vector<std::pair<std::uint32_t, std::string>> lost;
  for (auto& [partition, one] : held_) {
    const Time asked = now();
    const auto renewed = broker_->update(names_.lease(), Names::partition_key(partition), options_.id, one.revision);
    if (renewed && *renewed) {
      one.revision = **renewed;
      one.renewed = asked;
    } else if (renewed) {
      lost.emplace_back(partition, "its lease was lost");
    } else if (now() - one.renewed > options_.lease * 4 / 5) {
      lost.emplace_back(partition, "its lease could not be renewed: " + renewed.error().text);
    }
  }
  for (const auto& [partition, why] : lost) {
    held_.erase(partition);  // no checkpoint: it is not ours any more
    view_->left(partition, why);
  }
}

Result<void> Worker::share_out() {
  const auto workers = broker_->keys(names_.lease(), "worker.");
  const auto owned = broker_->keys(names_.lease(), "part.");
  if (!workers || !owned) return {};  // no answer: later
  const std::size_t count = std::max<std::size_t>(workers->size(), 1);
  const std::uint32_t partitions = plan_.layout().count();
  const std::size_t fair = (partitions + count - 1) / count;
  // A list that is behind makes nobody give anything up: only one that says the same twice.
  const bool settled = workers_before_ == count;
  workers_before_ = count;
  while (settled && held_.size() > fair) give_up(held_.rbegin()->first, "another worker is here to take it");
  std::unordered_map<std::string, const Broker::Key*> taken;
  for (const Broker::Key& key : *owned) taken.emplace(key.name, &key);
  for (std::uint32_t i = 0; i < partitions && held_.size() < fair; ++i) {
    const std::uint32_t partition = (next_tried_ + i) % partitions;
    if (held_.contains(partition)) continue;
    const auto owner = taken.find(Names::partition_key(partition));
    if (owner != taken.end() && owner->second->value != options_.id) continue;
    auto tried = try_to_take(partition, owner == taken.end() ? 0 : owner->second->revision);
    if (!tried) return std::move(tried).error();
  }
  next_tried_ = (next_tried_ + 1) % partitions;
  return {};
}

Result<bool> Worker::try_to_take(std::uint32_t partition, std::uint64_t known) {
  const Time asked = now();
  const std::string key = Names::partition_key(partition);
  const auto made = known == 0 ? broker_->create(names_.lease(), key, options_.id)
                               : broker_->update(names_.lease(), key, options_.id, known);
  if (!made || !*made) return false;
  Held one;
  one.epoch = one.revision = **made;
  one.renewed = asked;
  one.checkpointed = one.told = now();
  auto checker = PartitionChecker::make(plan_, partition);
  if (!checker) return std::move(checker).error();
  one.checker = *std::move(checker);
  auto stored = store_.load(partition);
  if (!stored) {
    view_->trouble(fmt::format("partition {}: {}", partition, stored.error().text));
    static_cast<void>(broker_->remove(names_.lease(), Names::partition_key(partition)));
    return false;
  }
  if (*stored) {
    StateReader in(std::move((*stored)->bytes));
    if (!one.checker->load(in))
      return Error{fmt::format("the checkpoint of partition {} does not fit this program", partition)};
  }
  one.covered = one.checker->resume_at();
  auto reader = broker_->reader(names_.trace(), names_.batches_of(partition), one.covered);
  if (!reader) {
    view_->trouble(fmt::format("partition {}: {}", partition, reader.error().text));
    static_cast<void>(broker_->remove(names_.lease(), Names::partition_key(partition)));
    return false;
  }
  one.reader = *std::move(reader);
  view_->took(partition, one.epoch, one.covered);
  held_.emplace(partition, std::move(one));
  return true;
}

void Worker::give_up(std::uint32_t partition, const std::string& why) {
  const auto at = held_.find(partition);
  if (at == held_.end()) return;
  const auto kept = checkpoint(partition, at->second);
  tell_status(partition, at->second, true);
  if (kept && *kept) static_cast<void>(broker_->remove(names_.lease(), Names::partition_key(partition)));
  held_.erase(at);
  view_->left(partition, why);
}

void Worker::leave() {
  while (!held_.empty()) give_up(held_.begin()->first, "this worker ends");
  if (announced_ != 0) static_cast<void>(broker_->remove(names_.lease(), Names::worker_key(options_.id)));
  announced_ = 0;
}

// ---- checking -------------------------------------------------------------------------------------------------------

// What was found must be stored before more is read.
void Worker::work_on(std::uint32_t partition, Held& one) {
  if (!publish(one) || one.checker->over()) return;
  auto messages = one.reader->fetch(options_.fetch_most, options_.fetch_wait);
  if (!messages) {
    view_->trouble(fmt::format("partition {}: {}", partition, messages.error().text));
    return;
  }
  for (const StoredMessage& message : *messages) one.checker->take(message);
  for (OnlineViolation& found : one.checker->take_findings()) one.unpublished.push_back(std::move(found));
  static_cast<void>(publish(one));
}

// True: nothing is left. A violation that is there already was published by another worker, or before a restart.
bool Worker::publish(Held& one) {
  std::size_t done = 0;
  for (; done < one.unpublished.size(); ++done) {
    const OnlineViolation& found = one.unpublished[done];
    const Appended stored = broker_->append(
        {names_.violation(found.identity), stream::violation_json(found, "violation"), {}}, std::uint64_t{0});
    if (stored.outcome != AppendOutcome::kStored && stored.outcome != AppendOutcome::kRefused) break;
  }
  one.unpublished.erase(one.unpublished.begin(), one.unpublished.begin() + static_cast<std::ptrdiff_t>(done));
  return one.unpublished.empty();
}

void Worker::tell_status(std::uint32_t partition, Held& one, bool now_please) {
  if (!now_please && now() - one.told < options_.status_every) return;
  one.told = now();
  PartitionStatus status = one.checker->status();
  status.epoch = one.epoch;
  if (!one.unpublished.empty()) status.over = false;
  std::string text = status_text(status);
  if (text == one.last_status) return;
  const Appended stored = broker_->append({names_.status_of(partition), text, {}}, std::nullopt);
  if (stored.outcome == AppendOutcome::kStored) one.last_status = std::move(text);
}

Result<bool> Worker::checkpoint(std::uint32_t partition, Held& one) {
  one.checkpointed = now();
  if (!publish(one) || one.checker->resume_at() == one.covered) return true;
  StoredState state{one.epoch, one.checker->resume_at(), {}};
  StateWriter out;
  one.checker->save(out);
  state.bytes = out.bytes();
  const Time began = now();
  auto saved = store_.save(partition, state);
  one.checkpointed = now();
  // What fails because it is much for a busy broker is not tried again at once.
  const bool failed = saved && *saved == StateStore::Saved::kNotNow;
  one.checkpoint_took =
      failed ? std::min(one.checkpoint_took * 2 + (now() - began) / kCheckpointShare, kLongestPause) : now() - began;
  if (!saved) return std::move(saved).error();
  if (*saved == StateStore::Saved::kLost) return false;
  if (*saved != StateStore::Saved::kYes) return true;
  tell_status(partition, one, true);  // senders learn how far it is before their batches go
  one.covered = state.resume;
  static_cast<void>(broker_->drop(names_.trace(), names_.batches_of(partition), state.resume));
  return true;
}

}  // namespace isolde::cluster
