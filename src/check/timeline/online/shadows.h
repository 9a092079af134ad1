// check/timeline/online/shadows.h: writes that never were versions, for those who read them all the same.
//
// In, out: writes that were overwritten at once, or whose transaction did not commit -> who wrote a value of a key.
// Always:  held until the transaction that made them is released.
// Cost:    what is added and released again is a queue. Only when somebody asks are they put into an index, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "base/state_file.h"
#include "check/timeline/online/key_index.h"

namespace isolde::timeline {

struct Shadow {
  std::uint32_t txn;
  std::uint32_t op;
  bool intermediate;  // else of a transaction that did not commit
};

class Shadows {
 public:
  // `of`: pair_of(key, value).
  void add(std::uint64_t of, const Shadow& shadow) { order_.push_back({of, shadow}); }

  // Those of transactions up to this one, as far as no later one was added before them.
  void release(std::uint32_t txn) {
    while (!order_.empty() && !arrived_before(txn, order_.front().shadow.txn)) {
      if (indexed_ > 0) {
        --indexed_;
        const auto [begin, end] = index_.equal_range(order_.front().of);
        for (auto at = begin; at != end; ++at) {
          if (at->second.txn != order_.front().shadow.txn) continue;
          index_.erase(at);
          break;
        }
      }
      order_.pop_front();
    }
  }

  template <typename F>
  void for_each(std::uint64_t of, F&& f) const {
    for (; indexed_ < order_.size(); ++indexed_) index_.emplace(order_[indexed_].of, order_[indexed_].shadow);
    const auto [begin, end] = index_.equal_range(of);
    for (auto at = begin; at != end; ++at) f(at->second);
  }

  [[nodiscard]] std::size_t bytes() const { return order_.size() * 64; }

  void save(StateWriter& out) const {
    out.put(std::uint64_t{order_.size()});
    for (const One& one : order_) {
      out.put(one.of);
      out.put(one.shadow.txn);
      out.put(one.shadow.op);
      out.put(one.shadow.intermediate);
    }
  }
  void load(StateReader& in) {
    for (auto left = in.get<std::uint64_t>(); left > 0 && in.good(); --left) {
      One one{};
      one.of = in.get<std::uint64_t>();
      one.shadow.txn = in.get<std::uint32_t>();
      one.shadow.op = in.get<std::uint32_t>();
      one.shadow.intermediate = in.get<bool>();
      order_.push_back(one);
    }
  }

 private:
  struct One {
    std::uint64_t of;
    Shadow shadow;
  };
  std::deque<One> order_;
  mutable std::unordered_multimap<std::uint64_t, Shadow> index_;  // the first `indexed_` of them
  mutable std::size_t indexed_ = 0;
};

}  // namespace isolde::timeline
