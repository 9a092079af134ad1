// audit/trace/session_numbers.h: a server's names of connections -> sessions 0, 1, 2 … in the order of appearance.
//
// Always:  a name that comes back after its end is another session.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "audit/trace/read_trace.h"

namespace isolde::audit {

template <typename Name, typename Hash = std::hash<Name>, typename Equal = std::equal_to<Name>>
class SessionNumbers {
 public:
  explicit SessionNumbers(TraceSink& sink) : sink_(sink) {}

  template <typename Like>
  std::uint32_t of(const Like& name) {
    if (const auto it = live_.find(name); it != live_.end()) return it->second;
    live_.emplace(Name(name), next_);
    return next_++;
  }
  // Nothing: no such session is going on.
  template <typename Like>
  [[nodiscard]] std::optional<std::uint32_t> find(const Like& name) const {
    const auto it = live_.find(name);
    return it == live_.end() ? std::nullopt : std::optional(it->second);
  }
  template <typename Like>
  void end(const Like& name) {
    const auto it = live_.find(name);
    if (it == live_.end()) return;
    sink_.end_of_session(it->second);
    live_.erase(it);
  }
  // The server stopped.
  void end_all() {
    std::vector<std::uint32_t> all;
    for (const auto& entry : live_) all.push_back(entry.second);
    std::ranges::sort(all);
    for (const std::uint32_t session : all) sink_.end_of_session(session);
    live_.clear();
  }

 private:
  TraceSink& sink_;
  std::unordered_map<Name, std::uint32_t, Hash, Equal> live_;
  std::uint32_t next_ = 0;
};

}  // namespace isolde::audit
