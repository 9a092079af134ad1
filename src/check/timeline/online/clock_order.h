// check/timeline/online/clock_order.h: who had ended, by the client's clock, before others began.
//
// In, out: begins and ends as they arrive, in any order -> the latest commit of those that had ended before a moment;
//          whether somebody who began after a moment reads an earlier state.
// Always:  holds only what is not implied by others: an end with a later commit than all earlier ends, a begin with an
//          earlier start than all later begins. Beyond a limit the oldest are forgotten, which can only hide.
// Cost:    logarithmic.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace isolde::timeline {

class ClockOrder {
 public:
  struct Ended {
    std::int64_t commit;
    std::uint64_t writer;
  };

  void add_ended(std::int64_t end, std::int64_t commit, std::uint64_t writer) {
    auto at = ended_.upper_bound(end);
    if (at != ended_.begin() && std::prev(at)->second.commit >= commit) return;
    at = std::next(ended_.insert_or_assign(end, Ended{commit, writer}).first);
    while (at != ended_.end() && at->second.commit <= commit) at = ended_.erase(at);
    if (ended_.size() > kMost) ended_.erase(ended_.begin());
  }
  // The latest commit of those that had ended before `begin`.
  [[nodiscard]] std::optional<Ended> latest_before(std::int64_t begin) const {
    const auto at = ended_.lower_bound(begin);
    if (at == ended_.begin()) return std::nullopt;
    return std::prev(at)->second;
  }

  struct Began {
    std::int64_t start;
    std::uint64_t id;
  };
  void add_began(std::int64_t begin, std::int64_t start, std::uint64_t id) {
    auto at = began_.lower_bound(begin);
    if (at != began_.end() && at->second.start <= start) return;
    at = began_.insert_or_assign(begin, Began{start, id}).first;
    while (at != began_.begin() && std::prev(at)->second.start >= start) began_.erase(std::prev(at));
    if (began_.size() > kMost) began_.erase(began_.begin());
  }
  // Calls f(id) for those of whom it holds that began after `end` and start before `commit`; there is one if any is.
  template <typename F>
  void for_each_too_early(std::int64_t end, std::int64_t commit, F&& f) const {
    for (auto at = began_.upper_bound(end); at != began_.end() && at->second.start < commit; ++at) f(at->second.id);
  }

  [[nodiscard]] std::size_t bytes() const { return (ended_.size() + began_.size()) * 64; }

  template <typename Out>
  void save(Out& out) const {
    out.put(std::uint64_t{ended_.size()});
    for (const auto& [end, e] : ended_) out.put(end), out.put(e);
    out.put(std::uint64_t{began_.size()});
    for (const auto& [begin, start] : began_) out.put(begin), out.put(start);
  }
  template <typename In>
  void load(In& in) {
    for (auto n = in.template get<std::uint64_t>(); n > 0 && in.good(); --n) {
      const auto end = in.template get<std::int64_t>();
      ended_.insert_or_assign(end, in.template get<Ended>());
    }
    for (auto n = in.template get<std::uint64_t>(); n > 0 && in.good(); --n) {
      const auto begin = in.template get<std::int64_t>();
      began_.insert_or_assign(begin, in.template get<Began>());
    }
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 18;
  std::map<std::int64_t, Ended> ended_;  // later ends have later commits
  std::map<std::int64_t, Began> began_;  // later begins have later starts
};

}  // namespace isolde::timeline
