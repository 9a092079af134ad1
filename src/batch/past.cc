#include "batch/past.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "batch/span_graph.h"

namespace isolde::batch {
namespace {

constexpr std::size_t kMostStale = std::size_t{1} << 26;  // of a rank: pairs of a reader and an overwriter
constexpr std::uint64_t kMostPastSteps = std::uint64_t{4'000'000'000};  // of a rank

// The reader did not see the overwriter.
struct StalePair {
  std::uint64_t reader, overwriter;
  auto operator<=>(const StalePair&) const = default;
};

// False: too many.
bool find_stale(KeyEdges& found, std::vector<StalePair>& out) {
  const auto before = [](const KeyWrite& a, const KeyWrite& b) {
    return std::tie(a.key, a.writer) < std::tie(b.key, b.writer);
  };
  std::sort(found.writes.begin(), found.writes.end(), before);
  for (const KeyRead& read : found.reads) {
    const KeyWrite from{read.writer == kNoPlace ? 0 : read.writer + 1, read.key};
    for (auto at = std::lower_bound(found.writes.begin(), found.writes.end(), from, before);
         at != found.writes.end() && at->key == read.key && at->writer < read.reader; ++at) {
      out.push_back({read.reader, at->writer});
    }
    if (out.size() > kMostStale) return false;
  }
  return true;
}

// Searches back from readers within stretches.
class PastOfReaders {
 public:
  explicit PastOfReaders(const SpanGraph& graph) : graph_(graph), reached_(graph.txns.size(), kNone32) {
    const std::size_t n = graph.txns.size();
    before_.assign(n, kNone32);
    begin_.assign(n + 1, 0);
    std::unordered_map<std::uint64_t, std::uint32_t> last;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto [at, fresh] = last.try_emplace(graph.txns[i].session, i);
      if (!fresh) before_[i] = std::exchange(at->second, i);
    }
    for (const PlacedEdge& edge : graph.edges) ++begin_[graph.at(edge.to()) + 1];
    for (std::size_t i = 0; i < n; ++i) begin_[i + 1] += begin_[i];
    from_.resize(begin_.back());
    std::vector<std::uint64_t> at(begin_.begin(), begin_.end() - 1);
    for (const PlacedEdge& edge : graph.edges) from_[at[graph.at(edge.to())]++] = graph.at(edge.from());
  }

  enum class Answer : std::uint8_t { kNone, kSome, kTooMuch };

  // `pairs`: by reader. Whether any of the overwriters is in its reader's past.
  Answer look(const std::vector<StalePair>& pairs) {
    for (std::size_t i = 0; i < pairs.size();) {
      const std::uint64_t reader = pairs[i].reader;
      const std::uint32_t here = graph_.at(reader);
      search(here, pairs[i].overwriter);  // the earliest of them
      if (steps_ > kMostPastSteps) return Answer::kTooMuch;
      for (; i < pairs.size() && pairs[i].reader == reader; ++i) {
        if (reached_[graph_.at(pairs[i].overwriter)] == here) return Answer::kSome;
      }
    }
    return Answer::kNone;
  }

 private:
  void search(std::uint32_t reader, std::uint64_t oldest) {
    queue_.assign(1, reader);
    const auto reach = [&](std::uint32_t i) {
      if (i == kNone32 || reached_[i] == reader || graph_.txns[i].place < oldest) return;
      reached_[i] = reader;
      queue_.push_back(i);
    };
    while (!queue_.empty()) {
      const std::uint32_t i = queue_.back();
      queue_.pop_back();
      reach(before_[i]);
      for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e) reach(from_[e]);
      steps_ += 1 + begin_[i + 1] - begin_[i];
    }
  }

  const SpanGraph& graph_;
  std::vector<std::uint32_t> before_;  // in the session
  std::vector<std::uint64_t> begin_;
  std::vector<std::uint32_t> from_, reached_, queue_;  // `reached_`: by whose search last
  std::uint64_t steps_ = 0;
};

}  // namespace

Result<std::string> contradicted_by_past(Ranks& ranks, Parts& parts, KeyEdges& found, std::uint64_t most) {
  std::vector<StalePair> stale;
  const bool few = find_stale(found, stale);
  found.reads = {};
  found.writes = {};
  if (ranks.any(!few)) return std::string("too many reads are of versions that had been overwritten");
  SpanCollector collector;
  for (const StalePair& pair : stale) collector.add({pair.overwriter, pair.reader});
  const std::vector<Span> spans = collector.gather(ranks);
  if (spans.empty()) return std::string();
  std::erase_if(found.known, [](const PlacedEdge& edge) { return edge.type() != graph::Edge::kWr; });
  const SpanJob job{false, true, most};
  auto graph = gather_spans(ranks, parts, spans, {&found.known}, job);
  if (!graph) return std::move(graph).error();
  if (!*graph) return std::string("too much lies between reads and what they may have missed");
  std::vector<std::vector<StalePair>> out(ranks.size());
  for (const StalePair& pair : stale) out[owner_of_span(span_of(spans, pair.reader), ranks.size())].push_back(pair);
  std::vector<StalePair> pairs;
  for (const std::vector<StalePair>& some : exchanged(ranks, out)) pairs.insert(pairs.end(), some.begin(), some.end());
  std::sort(pairs.begin(), pairs.end());
  const PastOfReaders::Answer answer = PastOfReaders(**graph).look(pairs);
  if (ranks.any(answer == PastOfReaders::Answer::kTooMuch))
    return std::string("too much lies between reads and what they may have missed");
  if (ranks.any(answer == PastOfReaders::Answer::kSome))
    return std::string("in the order of the file some reads miss what is in their past");
  return std::string();
}

}  // namespace isolde::batch
