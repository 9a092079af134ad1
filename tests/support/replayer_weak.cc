#include <fmt/format.h>

#include <algorithm>

#include "tests/support/replayer_run.h"

namespace isolde::replayer {

void weak_levels(const History& h, const std::vector<TxnId>& all, Broken& broken) {
  const std::vector<TxnId> txns = counted(h, all);
  const std::size_t init = txns.size();  // the writer of what is there at first
  const std::size_t n = init + 1;
  using Matrix = std::vector<std::vector<bool>>;
  const Matrix none(n, std::vector<bool>(n, false));
  const auto close = [n](Matrix m) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (m[i][k] && m[k][j]) m[i][j] = true;
        }
      }
    }
    return m;
  };
  // Last writer of each value, and what each transaction writes.
  std::map<std::pair<Key, std::uint32_t>, std::pair<std::size_t, bool>> writer;  // second: it is the final write
  std::vector<std::set<Key>> writes(n);
  std::set<Key> written;
  for (std::size_t t = 0; t < init; ++t) {
    std::map<Key, std::uint32_t> last;
    for (const Access& a : accesses(h, txns[t])) {
      if (a.is_read) continue;
      writer[{a.key, raw(a.value)}] = {t, false};
      last[a.key] = raw(a.value);
      writes[t].insert(a.key);
      written.insert(a.key);
    }
    for (const auto& [key, value] : last) writer[{key, value}].second = true;
  }
  struct Read {
    std::size_t reader, source;
    Key key;
  };
  std::vector<Read> reads;  // in program order within a reader
  Matrix flow = none;       // reads-from
  Matrix known = none;      // … and session order
  for (std::size_t a = 0; a < init; ++a) {
    known[init][a] = true;
    for (std::size_t b = a + 1; b < init; ++b) known[a][b] = h.session(txns[a]) == h.session(txns[b]);
  }
  for (std::size_t t = 0; t < init; ++t) {
    for (const Access& a : accesses(h, txns[t], written)) {
      if (!a.is_read) continue;
      const State state = state_of(h, a.value);
      if (state.empty()) {
        reads.push_back({t, init, a.key});
        continue;
      }
      const auto at = writer.find({a.key, state.back()});
      if (at == writer.end() || !at->second.second) {
        for (const Level level :
             {Level::kReadCommitted, Level::kStrongSessionMonotonicAtomicView, Level::kReadAtomic, Level::kCausal}) {
          broken.emplace(level, fmt::format("{} read what nobody committed", raw(txns[t])));
        }
        return;
      }
      if (at->second.first == t) continue;
      reads.push_back({t, at->second.first, a.key});
      flow[at->second.first][t] = known[at->second.first][t] = true;
    }
  }
  const Matrix past = close(known);
  const Matrix cycles = close(flow);
  for (std::size_t t = 0; t < n; ++t) {
    if (cycles[t][t]) broken.emplace(Level::kReadCommitted, "information flows in a cycle");
  }
  const auto judge = [&](Level level, const std::function<bool(std::size_t, std::size_t)>& must_see) {
    Matrix order = known;
    for (std::size_t r = 0; r < reads.size(); ++r) {
      for (std::size_t other = 0; other < n; ++other) {
        if (other != reads[r].source && other != reads[r].reader && writes[other].contains(reads[r].key) &&
            must_see(other, r)) {
          order[other][reads[r].source] = true;
        }
      }
    }
    order = close(order);
    for (std::size_t t = 0; t < n; ++t) {
      if (order[t][t]) broken.emplace(level, "a cycle in the commit order");
    }
  };
  judge(Level::kStrongSessionMonotonicAtomicView, [&](std::size_t other, std::size_t r) {
    return std::any_of(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(r), [&](const Read& earlier) {
      return earlier.reader == reads[r].reader && earlier.source == other;
    });
  });
  judge(Level::kReadAtomic, [&](std::size_t other, std::size_t r) { return known[other][reads[r].reader]; });
  judge(Level::kCausal, [&](std::size_t other, std::size_t r) { return past[other][reads[r].reader]; });
}

}  // namespace isolde::replayer
