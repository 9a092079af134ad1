#include "check/weak/choose_writers.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/hash.h"
#include "check/accesses.h"

namespace isolde::weak {

using namespace graph;

namespace {

struct Hash {
  std::size_t operator()(std::uint64_t id) const { return mix64(id); }
};
std::uint64_t id_of(KeyId key, ValueId value) { return (std::uint64_t{raw(key)} << 32) | raw(value); }

class Chooser {
 public:
  Chooser(const History& history, const Trace& trace, std::span<const std::uint32_t> place)
      : h_(history), trace_(trace), place_(place) {}

  std::optional<Trace> run() {
    for (const OpenRead& open : trace_.open) writers_.try_emplace(id_of(open.key, open.value));
    find_writers();
    Trace out = trace_;
    out.reads.clear();
    out.open.clear();
    out.untraceable.clear();
    out.only_open = false;
    std::vector<OpenRead> open = trace_.open;
    std::stable_sort(open.begin(), open.end(), [](const OpenRead& a, const OpenRead& b) { return a.txn < b.txn; });
    auto next = open.begin();
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      out.read_begin[t] = static_cast<std::uint32_t>(out.reads.size());
      const auto reads = trace_.reads_of(TxnId{t});
      auto read = reads.begin();
      for (; next != open.end() && raw(next->txn) == t; ++next) {
        for (; read != reads.end() && read->op < next->op; ++read) out.reads.push_back(*read);
        const std::optional<Version> version = version_for(*next);
        if (!version) return std::nullopt;
        out.reads.push_back({next->txn, next->op, next->key, *version});
      }
      out.reads.insert(out.reads.end(), read, reads.end());
      out.read_end[t] = static_cast<std::uint32_t>(out.reads.size());
    }
    return out;
  }

 private:
  // Who left the values that are open, in the order of their places.
  void find_writers() {
    std::vector<ValueId> left(trace_.versions.size(), kNullValue);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!trace_.is_counted(TxnId{t})) continue;
      for_each_access(h_, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kWrite) left[trace_.version_of(TxnId{t}, a.key)] = a.value;
      });
    }
    for (Version v = 0; v < trace_.versions.size(); ++v) {
      if (!trace_.is_counted(trace_.versions[v].txn)) continue;
      const auto at = writers_.find(id_of(trace_.versions[v].key, left[v]));
      if (at != writers_.end()) at->second.push_back(v);
    }
    for (auto& [id, versions] : writers_) {
      std::sort(versions.begin(), versions.end(), [&](Version a, Version b) { return place(a) < place(b); });
    }
  }

  [[nodiscard]] std::optional<Version> version_for(const OpenRead& open) const {
    const std::vector<Version>& versions = writers_.at(id_of(open.key, open.value));
    const auto after = std::lower_bound(versions.begin(), versions.end(), place_[raw(open.txn)],
                                        [&](Version v, std::uint32_t at) { return place(v) < at; });
    if (after != versions.begin()) return *(after - 1);
    if (open.value == h_.initial(open.key)) return kInitialVersion;
    for (auto v = after; v != versions.end(); ++v) {
      if (trace_.versions[*v].txn != open.txn) return *v;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint32_t place(Version v) const { return place_[raw(trace_.versions[v].txn)]; }

  const History& h_;
  const Trace& trace_;
  const std::span<const std::uint32_t> place_;
  std::unordered_map<std::uint64_t, std::vector<Version>, Hash> writers_;  // by key and value
};

}  // namespace

std::optional<Trace> choose_writers(const History& history, const Trace& trace, std::span<const std::uint32_t> place) {
  return Chooser(history, trace, place).run();
}

}  // namespace isolde::weak
