#include "check/solver/snapshots.h"

#include <algorithm>

namespace isolde::solver {
namespace {

constexpr int kMostTries = 64;  // moments looked at for one transaction

class Snapshots {
 public:
  Snapshots(const Problem& problem, std::span<const std::uint32_t> commits) : p_(problem), commits_(commits) {
    order_versions();
    if (p_.values > 0) order_values();
  }

  std::vector<std::uint32_t> run() const {
    std::vector<std::uint32_t> out(p_.txns);
    for (std::uint32_t t = 0; t < p_.txns; ++t) out[t] = of(TxnId{t});
    return out;
  }

 private:
  // A version stands from right after its commit to the commit of the next.
  struct Stay {
    std::uint32_t from, to;
  };

  void order_versions() {
    written_.resize(p_.writers.size());
    const std::size_t keys = p_.writers_begin.size() - 1;
    for (std::size_t k = 0; k < keys; ++k) {
      for (std::uint32_t i = p_.writers_begin[k]; i < p_.writers_begin[k + 1]; ++i)
        written_[i] = commits_[raw(p_.writers[i])];
      std::sort(written_.begin() + p_.writers_begin[k], written_.begin() + p_.writers_begin[k + 1]);
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> written(KeyId key) const {
    return std::span(written_).subspan(p_.writers_begin[raw(key)],
                                       p_.writers_begin[raw(key) + 1] - p_.writers_begin[raw(key)]);
  }
  [[nodiscard]] Stay stay(KeyId key, TxnId writer) const {
    const auto all = written(key);
    if (writer == kNoTxn) return {0, all.empty() ? kNone32 : all.front()};
    const auto next = std::upper_bound(all.begin(), all.end(), commits_[raw(writer)]);
    return {commits_[raw(writer)] + 1, next == all.end() ? kNone32 : *next};
  }

  // Of each value that open reads returned: when it stood there.
  void order_values() {
    stays_.resize(p_.values);
    std::vector<bool> done(p_.values, false);
    for (const Read& read : p_.reads) {
      if (read.is_fixed() || done[read.value]) continue;
      done[read.value] = true;
      auto& all = stays_[read.value];
      for (const TxnId writer : p_.candidates_of(read)) all.push_back(stay(read.key, writer));
      std::sort(all.begin(), all.end(), [](const Stay& a, const Stay& b) { return a.from < b.from; });
    }
  }

  // The last moment up to `at` at which the read finds its value; kNone32: none.
  [[nodiscard]] std::uint32_t last_up_to(const Read& read, std::uint32_t at) const {
    if (read.is_fixed()) {
      const Stay one = stay(read.key, p_.candidates[read.first]);
      return one.from > at ? kNone32 : std::min(at, one.to);
    }
    const auto& all = stays_[read.value];
    const auto after =
        std::upper_bound(all.begin(), all.end(), at, [](std::uint32_t m, const Stay& s) { return m < s.from; });
    return after == all.begin() ? kNone32 : std::min(at, (after - 1)->to);
  }

  [[nodiscard]] std::uint32_t of(TxnId t) const {
    const std::uint32_t commit = commits_[raw(t)];
    std::uint32_t least = 0;
    if (p_.form == graph::Nodes::kPoints) {
      for (const KeyId key : p_.keys_of(t)) {
        const auto all = written(key);
        const auto own = std::lower_bound(all.begin(), all.end(), commit);
        if (own != all.begin()) least = std::max(least, *(own - 1) + 1);
      }
    }
    std::uint32_t at = commit;
    for (int tries = 0; tries < kMostTries; ++tries) {
      std::uint32_t next = at;
      for (const Read& read : p_.reads_of(t)) {
        next = last_up_to(read, next);
        if (next == kNone32 || next < least) return commit;
      }
      if (next == at) return at;
      at = next;
    }
    return commit;
  }

  const Problem& p_;
  const std::span<const std::uint32_t> commits_;
  std::vector<std::uint32_t> written_;    // by key, as Problem::writers: places of commits, ascending
  std::vector<std::vector<Stay>> stays_;  // by value of open reads
};

}  // namespace

std::vector<std::uint32_t> snapshot_places(const Problem& problem, std::span<const std::uint32_t> commits) {
  return Snapshots(problem, commits).run();
}

}  // namespace isolde::solver
