#include "check/timeline/online/window.h"

#include <algorithm>
#include <utility>

namespace isolde::timeline {

TxnRecord& Window::take(const Arrival& arrival, bool& fresh_chunk) {
  if (size() == records_.size()) {
    std::vector<TxnRecord> larger(records_.empty() ? 1024 : records_.size() * 2);
    for (std::uint32_t t = first_; t != next_; ++t) larger[t & (larger.size() - 1)] = at(t);
    records_.swap(larger);
  }
  const std::uint32_t number = number_of(arrival.chunk, fresh_chunk);
  ++chunks_[number - first_chunk_].users;
  TxnRecord& r = at(next_++);
  r = TxnRecord{};
  r.chunk = number;
  r.txn = arrival.txn;
  return r;
}

std::uint32_t Window::number_of(const std::shared_ptr<const Chunk>& chunk, bool& fresh) {
  fresh = false;
  if (!chunks_.empty() && last_chunk_ - first_chunk_ < chunks_.size() &&
      chunks_[last_chunk_ - first_chunk_].chunk == chunk) {
    return last_chunk_;
  }
  const auto found = numbers_.find(chunk.get());
  if (found != numbers_.end()) return last_chunk_ = found->second;
  fresh = true;
  Held held;
  held.chunk = chunk;
  held.key.assign(chunk->history.key_count(), kNone32);
  held.unresolved = chunk->history.key_count();
  held.session.assign(chunk->history.session_count(), kNone32);
  held.bytes = chunk->bytes() + (held.key.size() + held.session.size()) * sizeof(std::uint32_t) + sizeof(Held);
  chunk_bytes_ += held.bytes;
  chunks_.push_back(std::move(held));
  last_chunk_ = first_chunk_ + static_cast<std::uint32_t>(chunks_.size() - 1);
  numbers_.emplace(chunk.get(), last_chunk_);
  return last_chunk_;
}

void Window::release() {
  const TxnRecord& r = at(first_++);
  Held& h = held(r);
  if (--h.users > 0) return;
  // A chunk may still be in use by its reader, but if more of it comes it is as good as new.
  numbers_.erase(h.chunk.get());
  chunk_bytes_ -= h.bytes;
  h = Held{};
  while (!chunks_.empty() && chunks_.front().chunk == nullptr) {
    chunks_.pop_front();
    ++first_chunk_;
  }
}

void Window::restore(std::uint32_t first, std::vector<TxnRecord> records, std::uint32_t first_chunk,
                     std::vector<std::shared_ptr<const Chunk>> chunks) {
  std::size_t capacity = 1024;
  while (capacity < records.size()) capacity *= 2;
  records_.assign(capacity, TxnRecord{});
  first_ = next_ = first;
  first_chunk_ = last_chunk_ = first_chunk;
  for (auto& chunk : chunks) {
    Held held;
    if (chunk != nullptr) {
      held.key.assign(chunk->history.key_count(), kNone32);
      held.unresolved = chunk->history.key_count();
      held.session.assign(chunk->history.session_count(), kNone32);
      held.bytes = chunk->bytes() + (held.key.size() + held.session.size()) * sizeof(std::uint32_t) + sizeof(Held);
      chunk_bytes_ += held.bytes;
      held.chunk = std::move(chunk);
    }
    chunks_.push_back(std::move(held));
  }
  for (const TxnRecord& r : records) {
    at(next_++) = r;
    ++chunks_[r.chunk - first_chunk_].users;
  }
}

void TimeChains::hang(Window& window, std::uint32_t txn) {
  TxnRecord& r = window.at(txn);
  std::uint32_t& head = heads_[mix64(static_cast<std::uint64_t>(r.commit)) & (heads_.size() - 1)];
  r.same_time = std::exchange(head, txn);
  r.flags |= kChained;
}

void TimeChains::rehang(Window& window, std::size_t size, std::uint32_t until) {
  std::size_t wanted = 1024;
  while (wanted < size * 2) wanted *= 2;
  heads_.assign(wanted, window.first() - 1);
  for (std::uint32_t t = window.first(); t != until; ++t) {
    if ((window.at(t).flags & kChained) != 0) hang(window, t);
  }
}

void TimeChains::push(Window& window, std::uint32_t txn) {
  if (heads_.size() < window.size() || heads_.empty()) rehang(window, window.size(), txn);
  hang(window, txn);
}

}  // namespace isolde::timeline
