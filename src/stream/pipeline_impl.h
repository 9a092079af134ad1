// stream/pipeline_impl.h: the consumer's half of stream/pipeline.h, which includes it.
//
// Always: the heap has one node a producer that is waited for or has something to give, by the least key that it may
//         still give; `floor_` is at most the least of them, so what is behind it can only come from a producer that
//         nobody waited for.
#pragma once

#include "stream/pipeline.h"

namespace isolde::stream {

// What the heap is to know of a producer. False: nothing, since it has ended, or has nothing and is not waited for.
template <typename Item>
bool Pipeline<Item>::place(Member& member, Node& node) {
  for (;;) {
    if (member.at == member.batch.items.size()) {
      member.batch.items.clear();
      member.at = 0;
      member.look = member.buffer->fetch(member.batch);
      if (member.look.has == Buffer::Has::kEnd) {
        missing_.erase(raw64(member.buffer->print()));
        members_.erase(member.buffer.get());
        return false;
      }
    }
    if (member.look.promise >= floor_) caught_up(member);
    node = {member.look.promise, raw64(member.buffer->print()), &member, true};
    if (member.at < member.batch.items.size()) {
      node.key = std::max(member.batch.items[member.at].time, member.last);
      node.waiting = false;
      if (node.key < floor_) {
        node.key = floor_;
        node.rank = 0;
      }
      return true;
    }
    if (node.key < floor_) {
      mark_missing(member, PipelineEvent::What::kBehind);
      if (member.behind_since == kNoTime) member.behind_since = now_;
      node.key = floor_;
      if (!member.barred) return true;
    } else if (node.key != kEver) {
      return true;
    }
    if (member.buffer->leave(member.look)) return false;
  }
}

template <typename Item>
void Pipeline<Item>::take_inbox() {
  if (!inbox_.any.load(std::memory_order_acquire)) return;
  for (std::shared_ptr<Buffer>& buffer : inbox_.take()) {
    std::unique_ptr<Member>& member = members_[buffer.get()];
    if (!member) {
      member = std::make_unique<Member>();
      member->buffer = std::move(buffer);
    }
    Node node;
    if (place(*member, node)) push_node(node);
  }
}

template <typename Item>
template <typename Take, typename Pressed>
std::size_t Pipeline<Item>::dispatch(Take&& take, Pressed&& pressed, std::size_t max) {
  const std::uint64_t before = counts_.delivered;
  for (;;) {
    const std::size_t given = counts_.delivered - before;
    // After each fetch, and before anything of it is delivered: who opened before that was given is waited for.
    take_inbox();
    if (heap_.empty() || given >= max) return given;
    const Node& root = heap_.front();
    if (!root.waiting) {
      const bool young = options_.hold > 0 && (now_ == kNoTime || now_ - root.member->batch.arrived < options_.hold);
      if (young && root.rank != 0 && !pressed()) return given;
      give_run(take, max - given);
    } else if (!refresh_root()) {
      if (held() > 0 && over_time(*root.member)) {
        give_up_root(PipelineEvent::What::kSilent);
      } else if (!pressed() || !relieve(take)) {
        return given;
      }
    }
  }
}

// Delivers from the root's batch up to where another producer comes in.
template <typename Item>
template <typename Take>
void Pipeline<Item>::give_run(Take& take, std::size_t max) {
  Member& member = *heap_.front().member;
  Node limit{kEver, ~std::uint64_t{0}, nullptr, true};
  for (std::size_t i = 1; i < std::min<std::size_t>(heap_.size(), 3); ++i) {
    if (heap_[i].before(limit)) limit = heap_[i];
  }
  const std::uint64_t fingerprint = raw64(member.buffer->print());
  for (std::size_t given = 0; given < max && member.at < member.batch.items.size(); ++given) {
    const std::int64_t time = member.batch.items[member.at].time;
    const std::int64_t key = std::max(time, member.last);
    const bool behind = key < floor_;
    if (given > 0 && !Node{behind ? floor_ : key, behind ? 0 : fingerprint, nullptr, false}.before(limit)) break;
    floor_ = std::max(floor_, key);
    give_one(member, time != kNoTime && (time < key || behind), take);
  }
  ++counts_.runs;
  Node node;
  if (place(member, node)) {
    replace_root(node);
  } else {
    pop_root();
  }
}

template <typename Item>
template <typename Take>
void Pipeline<Item>::give_one(Member& member, bool late, Take& take) {
  Entry& entry = member.batch.items[member.at++];
  member.last = std::max(member.last, entry.time);
  inbox_.items.fetch_sub(1, std::memory_order_relaxed);
  ++counts_.delivered;
  if (late) ++counts_.late;
  take(entry.item, late);
}

// Looks again at the root, which waits. False: nothing new.
template <typename Item>
bool Pipeline<Item>::refresh_root() {
  const Node& root = heap_.front();
  Node node;
  if (!place(*root.member, node)) {
    pop_root();
    return true;
  }
  if (node.waiting && node.key == root.key) return false;
  replace_root(node);
  return true;
}

template <typename Item>
bool Pipeline<Item>::over_time(const Member& member) const {
  if (options_.silence <= 0 || now_ == kNoTime || member.look.heard == kNoTime) return false;
  return now_ - member.look.heard >= options_.silence ||
         (member.behind_since != kNoTime && now_ - member.behind_since >= options_.silence);
}

template <typename Item>
void Pipeline<Item>::give_up_root(PipelineEvent::What why) {
  Member& member = *heap_.front().member;
  if (!member.buffer->leave(member.look)) return;
  // Who was only silent may hold the others back once more, to catch up.
  member.barred = why == PipelineEvent::What::kGivenUpForRoom || member.behind_since != kNoTime;
  if (why == PipelineEvent::What::kSilent) {
    ++counts_.silent;
  } else {
    ++counts_.for_room;
  }
  mark_missing(member, why);
  pop_root();
}

// Too much is held while the root is waited for. If the root has sent since the oldest that is held arrived, it is that
// one that is ahead of everyone. False: it does not help.
template <typename Item>
template <typename Take>
bool Pipeline<Item>::relieve(Take& take) {
  std::size_t held = heap_.size();
  for (std::size_t i = 1; i < heap_.size(); ++i) {
    if (heap_[i].waiting) continue;
    if (held == heap_.size() || heap_[i].member->batch.arrived < heap_[held].member->batch.arrived) held = i;
  }
  if (held == heap_.size()) return false;
  const Member& root = *heap_.front().member;
  Member& member = *heap_[held].member;
  if (root.look.heard <= member.batch.arrived || root.behind_since != kNoTime) {
    give_up_root(PipelineEvent::What::kGivenUpForRoom);
    return true;
  }
  ++counts_.ahead;
  give_one(member, true, take);
  Node node;
  if (place(member, node)) {
    heap_[held] = node;
  } else {
    heap_[held] = heap_.back();
    heap_.pop_back();
  }
  std::make_heap(heap_.begin(), heap_.end(), [](const Node& a, const Node& b) { return b.before(a); });
  return true;
}

template <typename Item>
void Pipeline<Item>::caught_up(Member& member) {
  member.barred = false;
  member.behind_since = kNoTime;
  if (!member.missing) return;
  member.missing = false;
  missing_.erase(raw64(member.buffer->print()));
  ++counts_.returned;
  tell(PipelineEvent::What::kCaughtUp, member.buffer->print());
}

template <typename Item>
void Pipeline<Item>::mark_missing(Member& member, PipelineEvent::What why) {
  if (member.missing) return;
  member.missing = true;
  missing_.insert(raw64(member.buffer->print()));
  tell(why, member.buffer->print());
}

template <typename Item>
void Pipeline<Item>::tell(PipelineEvent::What what, Fingerprint producer) {
  constexpr std::size_t kMostEvents = 4096;  // if nobody takes them
  if (events_.size() < kMostEvents) events_.push_back({what, producer});
}

template <typename Item>
typename Pipeline<Item>::Saved Pipeline<Item>::save(const Producer& producer) const {
  const auto pending = producer.buffer_->pending();
  Saved saved{pending.least, kNoTime, false, false, pending.closed, {}};
  if (const auto found = members_.find(producer.buffer_.get()); found != members_.end()) {
    const Member& member = *found->second;
    saved.last = member.last;
    saved.missing = member.missing;
    saved.barred = member.barred;
    if (member.at < member.batch.items.size()) {
      saved.promise = std::min(saved.promise, std::max(member.batch.items[member.at].time, member.last));
    }
  }
  return saved;
}

template <typename Item>
typename Pipeline<Item>::Producer Pipeline<Item>::restore(Fingerprint fingerprint, const Saved& saved) {
  auto buffer = std::make_shared<Buffer>(fingerprint, inbox_, options_.local_items, options_.total_items);
  auto member = std::make_unique<Member>();
  member->buffer = buffer;
  member->last = saved.last;
  member->barred = saved.barred;
  if (saved.missing) {
    member->missing = true;
    missing_.insert(raw64(fingerprint));
    buffer->restore(saved.promise);
  } else {
    buffer->heartbeat(saved.promise, kNoTime);
  }
  members_[buffer.get()] = std::move(member);
  return Producer(std::move(buffer));
}

template <typename Item>
void Pipeline<Item>::push_node(const Node& node) {
  heap_.push_back(node);
  std::push_heap(heap_.begin(), heap_.end(), [](const Node& a, const Node& b) { return b.before(a); });
}

template <typename Item>
void Pipeline<Item>::replace_root(const Node& node) {
  sift_down(0, node);
}

template <typename Item>
void Pipeline<Item>::pop_root() {
  const Node last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
}

template <typename Item>
void Pipeline<Item>::sift_down(std::size_t hole, const Node& node) {
  for (std::size_t child = 2 * hole + 1; child < heap_.size(); child = 2 * hole + 1) {
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(node)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = node;
}

}  // namespace isolde::stream
