// batch/ranks.h: several processes (or threads) that check one history together; all that the algorithms know of them.
//
// In, out: what this rank has for each of the others -> what each of them has for this one.
// Always:  every rank calls the same functions in the same order; each call returns when all have called. Nothing else
//          is shared. One implementation is for MPI (src/mpi), the other runs ranks as threads (local_ranks.h).
// Cost:    an exchange copies what goes to other ranks; an implementation may need several rounds for much data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"

namespace isolde::batch {

// What this rank sent to others, and how often all of them met.
struct Traffic {
  std::uint64_t bytes = 0, rounds = 0;
};

class Ranks {
 public:
  virtual ~Ranks() = default;
  [[nodiscard]] virtual unsigned size() const = 0;
  [[nodiscard]] virtual unsigned rank() const = 0;
  [[nodiscard]] bool is_first() const { return rank() == 0; }

  // Requires: out.size() == size().
  [[nodiscard]] std::vector<std::string> exchange(std::vector<std::string> out);
  // The same from every rank to all; in the order of ranks.
  [[nodiscard]] std::vector<std::string> to_all(const std::string& own);
  // From every rank to the first; the others get nothing.
  [[nodiscard]] std::vector<std::string> to_first(std::string own);

  [[nodiscard]] std::uint64_t sum(std::uint64_t own);
  [[nodiscard]] bool any(bool own) { return sum(own ? 1 : 0) > 0; }
  // An error of any rank is one of all: that of the lowest.
  [[nodiscard]] Result<void> agree(const Result<void>& own);

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 protected:
  // Adds the rounds that it took.
  virtual std::vector<std::string> exchange_bytes(std::vector<std::string> out, std::uint64_t& rounds) = 0;

 private:
  Traffic traffic_;
};

// Plain data as bytes and back.
template <typename T>
  requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::string bytes_of(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}
template <typename T>
  requires std::is_trivially_copyable_v<T>
void append_items(const std::string& bytes, std::vector<T>& to) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(T));
  if (!bytes.empty()) std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(to.data() + before));
}
// Of all ranks, one after the other.
template <typename T>
[[nodiscard]] std::vector<T> gathered(Ranks& ranks, const std::vector<T>& own) {
  std::vector<T> all;
  for (const std::string& bytes : ranks.to_all(bytes_of(own))) append_items(bytes, all);
  return all;
}
// What each rank has for this one, in the order of ranks.
template <typename T>
[[nodiscard]] std::vector<std::vector<T>> exchanged(Ranks& ranks, std::vector<std::vector<T>>& out) {
  std::vector<std::string> bytes;
  for (std::vector<T>& items : out) {
    bytes.push_back(bytes_of(items));
    items = {};
  }
  std::vector<std::vector<T>> in(ranks.size());
  bytes = ranks.exchange(std::move(bytes));
  for (std::size_t r = 0; r < in.size(); ++r) {
    append_items(bytes[r], in[r]);
    bytes[r] = {};
  }
  return in;
}

}  // namespace isolde::batch
