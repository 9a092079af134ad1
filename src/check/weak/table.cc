#include "check/weak/table.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "base/prefetch.h"

namespace isolde::weak {

using namespace graph;

Table::Table(const SeenContext& known, std::span<const TxnId> order) : txn(order.begin(), order.end()), known_(known) {
  const Trace& trace = known.trace;
  const std::uint32_t n = size();
  std::vector<Version> renamed(trace.versions.size(), kNoVersion);
  session.reserve(n);
  first_version.reserve(n + std::size_t{1});
  key.reserve(trace.versions.size());
  writer.reserve(trace.versions.size());
  // Transactions lie in the trace as in the file, which may be far from this order.
  const auto later = [&](Number i, Number ahead) { return raw(txn[i + ahead < n ? i + ahead : i]); };
  for (Number i = 0; i < n; ++i) {
    const std::uint32_t t = raw(txn[i]);
    isolde::prefetch(&trace.first_version[later(i, 16)]);
    isolde::prefetch(trace.versions.data() + trace.first_version[later(i, 8)]);
    session.push_back(raw(known.history.session(txn[i])));
    first_version.push_back(static_cast<Version>(key.size()));
    for (Version v = trace.first_version[t]; v < trace.first_version[t + 1]; ++v) {
      renamed[v] = static_cast<Version>(key.size());
      key.push_back(trace.versions[v].key);
      writer.push_back(i);
    }
  }
  first_version.push_back(static_cast<Version>(key.size()));
  read_begin.reserve(n + std::size_t{1});
  reads.reserve(trace.reads.size());
  for (Number i = 0; i < n; ++i) {
    isolde::prefetch(&trace.read_begin[later(i, 24)]);
    isolde::prefetch(trace.reads.data() + trace.read_begin[later(i, 16)]);
    for (const TracedRead& read : trace.reads_of(TxnId{later(i, 8)})) {
      if (read.version < renamed.size()) isolde::prefetch(&renamed[read.version]);
    }
    read_begin.push_back(static_cast<std::uint32_t>(reads.size()));
    for (const TracedRead& read : trace.reads_of(txn[i])) {
      if (read.version == kNoVersion) continue;
      reads.push_back({read.version == kInitialVersion ? kInitialVersion : renamed[read.version], read.key});
    }
  }
  read_begin.push_back(static_cast<std::uint32_t>(reads.size()));
}

void Table::link() {
  std::vector<Number> number(known_.history.txn_count(), kNone32);
  for (Number i = 0; i < size(); ++i) number[raw(txn[i])] = i;
  const auto for_each = [&](auto&& f) {
    for (Number i = 0; i < size(); ++i) {
      for (std::uint32_t r = read_begin[i]; r < read_begin[i + 1]; ++r) {
        if (reads[r].version != kInitialVersion && writer[reads[r].version] != i) f(writer[reads[r].version], i);
      }
    }
    if (known_.row.edges.has(Edge::kSession)) {
      std::vector<Number> last(known_.history.session_count(), kNone32);
      for (Number i = 0; i < size(); ++i) {
        if (last[session[i]] != kNone32) f(last[session[i]], i);
        last[session[i]] = i;
      }
    }
    const auto txns = [&](TxnId before, TxnId after) {
      if (before != after && number[raw(before)] != kNone32 && number[raw(after)] != kNone32)
        f(number[raw(before)], number[raw(after)]);
    };
    const auto versions = [&](Version before, Version after) {
      txns(known_.trace.versions[before].txn, known_.trace.versions[after].txn);
    };
    for (Version v = 0; v < known_.orders.next.size(); ++v) {
      if (known_.orders.next[v] != kNoVersion) versions(v, known_.orders.next[v]);
    }
    for (const VersionOrders::Pair& pair : known_.orders.known) versions(pair.before, pair.after);
    for (const PredicateEdge& e : known_.predicates) {
      if (!e.anti) txns(e.other, e.reader);
    }
  };
  begin_.assign(size() + std::size_t{1}, 0);
  for_each([&](Number before, Number) { ++begin_[before + 1]; });
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  after_.resize(begin_.back());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for_each([&](Number before, Number after) { after_[at[before]++] = after; });
}

bool Table::writes(Number n, KeyId wanted) const {
  const auto begin = key.begin() + first_version[n];
  const auto end = key.begin() + first_version[n + 1];
  if (end - begin <= 16) return std::find(begin, end, wanted) != end;
  return std::binary_search(begin, end, wanted);
}

Order Table::first() const {
  Order out;
  out.turns.resize(size());
  std::iota(out.turns.begin(), out.turns.end(), Number{0});
  out.place = out.turns;
  return out;
}

std::optional<Order> Table::order_with(std::span<const Pair> pairs, const Order& near) {
  if (begin_.empty()) link();
  std::vector<std::uint32_t> waits(size(), 0), pair_begin(size() + std::size_t{1}, 0);
  for (const Number after : after_) ++waits[after];
  for (const Pair& pair : pairs) {
    ++waits[pair.after];
    ++pair_begin[pair.before + 1];
  }
  std::partial_sum(pair_begin.begin(), pair_begin.end(), pair_begin.begin());
  std::vector<Number> pair_after(pairs.size());
  std::vector<std::uint32_t> at(pair_begin.begin(), pair_begin.end() - 1);
  for (const Pair& pair : pairs) pair_after[at[pair.before]++] = pair.after;

  Order out;
  out.turns.reserve(size());
  out.place.resize(size());
  // Of those that are ready, always the one that came first so far.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (Number i = 0; i < size(); ++i) {
    if (waits[i] == 0) ready.push(near.place[i]);
  }
  while (!ready.empty()) {
    const Number i = near.turns[ready.top()];
    ready.pop();
    out.place[i] = static_cast<std::uint32_t>(out.turns.size());
    out.turns.push_back(i);
    const auto done = [&](Number after) {
      if (--waits[after] == 0) ready.push(near.place[after]);
    };
    for (std::uint32_t a = begin_[i]; a < begin_[i + 1]; ++a) done(after_[a]);
    for (std::uint32_t a = pair_begin[i]; a < pair_begin[i + 1]; ++a) done(pair_after[a]);
  }
  if (out.turns.size() != size()) return std::nullopt;
  return out;
}

}  // namespace isolde::weak
