#include "check/weak/contradictions.h"

#include <numeric>

#include "check/weak/past.h"

namespace isolde::weak {

using namespace graph;

namespace {

// Whether the order has the writer after that of the version that was read.
bool is_later(const Table& table, const Order& order, Number writer, const Table::Read& read) {
  return read.version == kInitialVersion || order.place[writer] > order.place[table.writer[read.version]];
}

}  // namespace

ContradictionFinder::ContradictionFinder(const SeenContext& known, const Table& table) : k_(known), table_(table) {
  if (known.row.seen == SeenRule::kPast) previous_.assign(table.key.size(), kInitialVersion);
}
ContradictionFinder::~ContradictionFinder() = default;

Contradictions ContradictionFinder::find(const Order& order, const Limits& limits) {
  Contradictions out;
  std::vector<StaleRead> stale = find_stale(order);
  if (stale.empty()) return out;
  const SeenRule rule = k_.row.seen;
  if (rule == SeenRule::kPast) {
    if (past_ == nullptr) past_ = std::make_unique<Past>(table_, k_.history.session_count());
    past_->look_back(std::move(stale), previous_, limits, out);
    return out;
  }
  const bool sessions = rule == SeenRule::kAny && k_.row.edges.has(Edge::kSession);
  if (sessions && own_writer_.empty()) find_own_writers();
  for (const StaleRead& s : stale) {
    look_at_reads(order, s, rule == SeenRule::kLater, out);
    const Number own = sessions ? own_writer_[s.read] : kNone32;
    if (own != kNone32 && is_later(table_, order, own, table_.reads[s.read]))
      add_contradiction(table_, s.reader, s.read, own, out);
  }
  return out;
}

// As if the transactions ran one by one.
std::vector<StaleRead> ContradictionFinder::find_stale(const Order& order) {
  std::vector<StaleRead> stale;
  std::vector<Version> latest(k_.history.key_count(), kInitialVersion);
  for (const Number i : order.turns) {
    for (std::uint32_t r = table_.read_begin[i]; r < table_.read_begin[i + 1]; ++r) {
      const Table::Read& read = table_.reads[r];
      const Version now = latest[raw(read.key)];
      if (read.version != now) stale.push_back({i, r, now});
    }
    for (Version v = table_.first_version[i]; v < table_.first_version[i + 1]; ++v) {
      Version& now = latest[raw(table_.key[v])];
      if (!previous_.empty()) previous_[v] = now;
      now = v;
    }
  }
  return stale;
}

// From whom else did the transaction read; `before_only`: before this read?
void ContradictionFinder::look_at_reads(const Order& order, const StaleRead& stale, bool before_only,
                                        Contradictions& out) const {
  const Table::Read& read = table_.reads[stale.read];
  const std::uint32_t end = before_only ? stale.read : table_.read_begin[stale.reader + 1];
  for (std::uint32_t r = table_.read_begin[stale.reader]; r < end; ++r) {
    if (r == stale.read || table_.reads[r].version == kInitialVersion) continue;
    const Number writer = table_.writer[table_.reads[r].version];
    if (is_later(table_, order, writer, read) && table_.writes(writer, read.key)) {
      add_contradiction(table_, stale.reader, stale.read, writer, out);
    }
  }
}

void ContradictionFinder::find_own_writers() {
  std::vector<std::uint32_t> begin(k_.history.session_count() + std::size_t{1}, 0);
  for (const std::uint32_t s : table_.session) ++begin[s + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Number> by_session(table_.size());
  for (Number i = 0; i < table_.size(); ++i) by_session[begin[table_.session[i]]++] = i;
  own_writer_.assign(table_.reads.size(), kNone32);
  std::vector<Number> writer(k_.history.key_count(), kNone32);
  for (const Number i : by_session) {
    for (std::uint32_t r = table_.read_begin[i]; r < table_.read_begin[i + 1]; ++r) {
      const Number before = writer[raw(table_.reads[r].key)];
      if (before != kNone32 && table_.session[before] == table_.session[i]) own_writer_[r] = before;
    }
    for (Version v = table_.first_version[i]; v < table_.first_version[i + 1]; ++v) writer[raw(table_.key[v])] = i;
  }
}

void add_contradiction(const Table& table, Number reader, std::uint32_t read, Number writer, Contradictions& out) {
  const auto& [version, key] = table.reads[read];
  if (version == kInitialVersion) {
    out.missed.push_back({writer, kNone32, reader, key});
  } else {
    out.pairs.push_back({writer, table.writer[version], reader, key});
  }
}

}  // namespace isolde::weak
