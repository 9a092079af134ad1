// gen/store.h: the simulated store's newest versions, as registers or as append-only lists.
//
// Always: events come in time order, so "the state at a transaction's snapshot" is the newest state when it starts;
// older
//         versions need not be kept. A list is only appended to, so a snapshot of it is a length.
//         A key's index is its name: 0 … keys-1, then fresh ones.
// Cost:   24 bytes a key, 4 bytes a list element and the unused rest of each list's block.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "base/ids.h"
#include "base/prefetch.h"
#include "gen/options.h"
#include "history/value.h"

namespace isolde {

class Store {
 public:
  explicit Store(const GenOptions& options)
      : lists_(options.type == DataType::kList), max_list_(options.max_list), block_(options.max_list + options.ops) {
    states_.resize(options.keys, initial());
    if (!lists_) return;
    current_.reserve(options.keys);
    for (std::uint32_t place = 0; place < options.keys; ++place) current_.push_back(place);
  }

  // The key that stands at that place of the distribution now.
  [[nodiscard]] std::uint32_t key_at(std::uint32_t place) const { return lists_ ? current_[place] : place; }
  // What a snapshot taken now sees of a key: a ValueId, or the length of a list.
  [[nodiscard]] std::uint32_t newest(std::uint32_t key) const { return states_[key].newest; }
  [[nodiscard]] bool changed_since(std::uint32_t key, std::int64_t ts) const { return states_[key].commit_ts > ts; }
  void prefetch(std::uint32_t key) const { isolde::prefetch(&states_[key]); }

  [[nodiscard]] std::span<const ValueId> list(std::uint32_t key, std::uint32_t length) const {
    if (length == 0) return {};
    return elements_.view().subspan(static_cast<std::size_t>(states_[key].block) * block_, length);
  }

  // The value of the list at that length if it was remembered last for its key, so that it is not looked up again.
  [[nodiscard]] bool recall(std::uint32_t key, std::uint32_t length, ValueId& value) const {
    if (key >= remembered_.size() || remembered_[key].length != length) return false;
    value = remembered_[key].value;
    return true;
  }
  void remember(std::uint32_t key, std::uint32_t length, ValueId value) {
    if (key >= remembered_.size()) remembered_.resize(states_.size() * 2, Remembered{kNone32, kNullValue});
    remembered_[key] = {length, value};
  }

  void set(std::uint32_t key, ValueId value, std::int64_t commit_ts) {
    states_[key].newest = raw(value);
    states_[key].commit_ts = commit_ts;
  }
  // Requires: the key stands at a place, so its list is shorter than max_list before this transaction.
  void append(std::uint32_t key, ValueId element, std::int64_t commit_ts) {
    State& state = states_[key];
    if (state.block == kNone32) {
      state.block = static_cast<std::uint32_t>(elements_.size() / block_);
      elements_.extend(block_);
    }
    elements_[static_cast<std::size_t>(state.block) * block_ + state.newest++] = element;
    state.commit_ts = commit_ts;
  }
  // Puts a fresh key at the place if its list is long enough.
  void retire_if_full(std::uint32_t place) {
    if (states_[current_[place]].newest >= max_list_) current_[place] = fresh_keys(1);
  }
  // The first of `count` keys that nobody has used.
  std::uint32_t fresh_keys(std::uint32_t count) {
    const auto first = static_cast<std::uint32_t>(states_.size());
    for (std::uint32_t i = 0; i < count; ++i) states_.push_back(initial());
    return first;
  }

  // What the transaction that is being written down did to a key: valid while `stamp` is that transaction's.
  struct Own {
    std::uint32_t stamp;
    std::uint32_t last;  // its last write: the value, or on lists the operation
  };
  Own& own(std::uint32_t key) { return states_[key].own; }
  [[nodiscard]] bool lists() const { return lists_; }

 private:
  struct State {
    std::int64_t commit_ts = 0;
    std::uint32_t newest = 0;
    std::uint32_t block = kNone32;
    Own own{0, 0};
  };

  struct Remembered {
    std::uint32_t length;
    ValueId value;
  };

  [[nodiscard]] State initial() const {
    State state;
    state.newest = lists_ ? 0 : raw(kNullValue);
    return state;
  }

  bool lists_;
  std::uint32_t max_list_;
  std::uint32_t block_;
  Column<State> states_;
  Column<std::uint32_t> current_;  // lists: key by place
  Column<ValueId> elements_;       // lists: one block a list
  Column<Remembered> remembered_;
};

}  // namespace isolde
