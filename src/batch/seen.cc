#include "batch/seen.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hash.h"

namespace isolde::batch {
namespace {

using graph::Edge;
using graph::SeenRule;

constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;  // places per rank

// One read: whom it is from, and where it stands in its transaction.
struct SeenWriter {
  std::uint64_t reader, writer, offset;
};

struct SessionKey {
  std::uint64_t session;
  KeyId key;
  bool operator==(const SessionKey&) const = default;
};
struct SessionKeyHash {
  std::size_t operator()(const SessionKey& k) const { return mix64(k.session ^ mix64(raw(k.key))); }
};

// What each rank has to know of the transactions whose reads it told.
std::vector<std::vector<SeenWriter>> answers_to(const std::vector<std::vector<SeenWriter>>& told) {
  struct Told {
    SeenWriter seen;
    std::uint32_t rank;
  };
  std::vector<Told> all;
  for (std::uint32_t r = 0; r < told.size(); ++r) {
    for (const SeenWriter& seen : told[r]) all.push_back({seen, r});
  }
  std::sort(all.begin(), all.end(), [](const Told& a, const Told& b) {
    return std::tie(a.seen.reader, a.seen.writer, a.seen.offset) <
           std::tie(b.seen.reader, b.seen.writer, b.seen.offset);
  });
  std::vector<std::vector<SeenWriter>> out(told.size());
  std::vector<std::uint64_t> asked_by(told.size(), kNoPlace);  // by rank: the reader it told of last
  for (std::size_t i = 0; i < all.size();) {
    const std::uint64_t reader = all[i].seen.reader;
    std::size_t end = i;
    for (; end < all.size() && all[end].seen.reader == reader; ++end) asked_by[all[end].rank] = reader;
    std::uint64_t last = kNoPlace;
    for (std::size_t k = i; k < end && end - i > 1; ++k) {
      const SeenWriter& seen = all[k].seen;
      if (seen.writer == kNoPlace || seen.writer == last) continue;  // the first read says the most
      last = seen.writer;
      for (std::size_t r = 0; r < out.size(); ++r) {
        if (asked_by[r] == reader) out[r].push_back(seen);
      }
    }
    i = end;
  }
  return out;
}

class SeenEdges {
 public:
  SeenEdges(Ranks& ranks, SeenRule rule, KeyEdges& found) : ranks_(ranks), rule_(rule), found_(found) {
    std::sort(found.reads.begin(), found.reads.end(), [](const KeyRead& a, const KeyRead& b) {
      return std::tie(a.reader, a.offset) < std::tie(b.reader, b.offset);
    });
    std::sort(found.writes.begin(), found.writes.end(), [](const KeyWrite& a, const KeyWrite& b) {
      return std::tie(a.key, a.writer) < std::tie(b.key, b.writer);
    });
  }

  // The readers in a window of places.
  void look_at(std::uint64_t end_place) {
    const std::size_t first = next_;
    std::vector<std::vector<SeenWriter>> out(ranks_.size());
    for (; next_ < found_.reads.size() && found_.reads[next_].reader < end_place; ++next_) {
      const KeyRead& read = found_.reads[next_];
      out[mix64(read.reader) % ranks_.size()].push_back({read.reader, read.writer, read.offset});
    }
    std::vector<std::vector<SeenWriter>> answers = answers_to(exchanged(ranks_, out));
    std::vector<SeenWriter> seen;
    for (const std::vector<SeenWriter>& some : exchanged(ranks_, answers))
      seen.insert(seen.end(), some.begin(), some.end());
    std::sort(seen.begin(), seen.end(), [](const SeenWriter& a, const SeenWriter& b) {
      return std::tie(a.reader, a.writer) < std::tie(b.reader, b.writer);
    });
    std::size_t at = 0;
    for (std::size_t i = first; i < next_; ++i) {
      const KeyRead& read = found_.reads[i];
      while (at < seen.size() && seen[at].reader < read.reader) ++at;
      for (std::size_t s = at; s < seen.size() && seen[s].reader == read.reader; ++s) relate(seen[s], read);
    }
  }

 private:
  void relate(const SeenWriter& seen, const KeyRead& read) {
    if (seen.writer == read.writer || (rule_ == SeenRule::kLater && seen.offset >= read.offset)) return;
    if (!writes(seen.writer, read.key)) return;
    if (read.writer == kNoPlace) {
      found_.missed.insert(found_.missed.end(), {seen.writer, read.reader});
    } else {
      found_.known.emplace_back(seen.writer, read.writer, Edge::kSeen);
    }
  }
  [[nodiscard]] bool writes(std::uint64_t writer, std::uint64_t key) const {
    const auto at = std::lower_bound(
        found_.writes.begin(), found_.writes.end(), KeyWrite{writer, key},
        [](const KeyWrite& a, const KeyWrite& b) { return std::tie(a.key, a.writer) < std::tie(b.key, b.writer); });
    return at != found_.writes.end() && at->writer == writer && at->key == key;
  }

  Ranks& ranks_;
  const SeenRule rule_;
  KeyEdges& found_;
  std::size_t next_ = 0;
};

}  // namespace

void add_seen_edges(Ranks& ranks, SeenRule rule, std::uint64_t transactions, KeyEdges& found) {
  SeenEdges edges(ranks, rule, found);
  const std::uint64_t window = kWindow * ranks.size();
  for (std::uint64_t end = window; end < transactions + window; end += window) edges.look_at(end);
}

void add_earlier_in_session(const KeyShare& share, const graph::Trace& trace, std::vector<PlacedEdge>& edges,
                            std::vector<std::uint64_t>& missed) {
  std::unordered_map<SessionKey, TxnId, SessionKeyHash> writer;
  const auto id = [&](TxnId t, KeyId key) { return SessionKey{share.session[raw(t)], key}; };
  for (std::uint32_t i = 0; i < share.history.txn_count(); ++i) {
    const TxnId t{i};
    if (!trace.is_counted(t)) continue;
    for (const graph::TracedRead& read : trace.reads_of(t)) {
      if (read.version == graph::kNoVersion) continue;
      const auto before = writer.find(id(t, read.key));
      if (before == writer.end()) continue;
      if (read.version == graph::kInitialVersion) {
        missed.insert(missed.end(), {share.place[raw(before->second)], share.place[i]});
      } else if (trace.versions[read.version].txn != before->second) {
        edges.emplace_back(share.place[raw(before->second)], share.place[raw(trace.versions[read.version].txn)],
                           Edge::kSeen);
      }
    }
    for (graph::Version v = trace.first_version[i]; v < trace.first_version[i + 1]; ++v)
      writer[id(t, trace.versions[v].key)] = t;
  }
}

}  // namespace isolde::batch
