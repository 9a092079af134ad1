#include "check/solver/polygraph_prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace isolde::solver {

namespace {

constexpr std::uint32_t kHotShare = 64;  // a key is hot if more than one in so many nodes writes it

}  // namespace

Pruner::Pruner(const Problem& problem, const Limits& limits)
    : problem_(problem),
      limits_(limits),
      reach_(problem.nodes, problem.has_points() ? 2 * problem.txns : problem.txns),
      fixed_(problem.reads.size(), kNone32),
      first_reader_(problem.keys.size(), kNoRead),
      next_reader_(problem.reads.size(), kNoRead),
      reader_(problem.reads.size()),
      dead_begin_(problem.reads.size(), 0) {
  std::size_t candidates = 0;
  for (std::uint32_t i = 0; i < problem.reads.size(); ++i) {
    const Read& read = problem.reads[i];
    reader_[i] = read.txn;
    if (read.count != 1) {
      open_reads_.push_back(i);
      dead_begin_[i] = candidates;
      candidates += read.count;
      continue;
    }
    fixed_[i] = read.first;
    const TxnId writer = problem.candidates[read.first];
    if (writer == kNoTxn) continue;
    const std::uint32_t slot = slot_of(writer, read.key);
    next_reader_[i] = first_reader_[slot];
    first_reader_[slot] = i;
  }
  dead_.assign(candidates, false);
  for (const std::uint32_t i : open_reads_) {
    for (std::uint32_t c = 0; c < problem.reads[i].count; ++c) {  // the reader itself is none
      dead_[dead_begin_[i] + c] = problem.candidates[problem.reads[i].first + c] == problem.reads[i].txn;
    }
  }
}

std::uint32_t Pruner::slot_of(TxnId txn, KeyId key) const {
  const std::span<const KeyId> keys = problem_.keys_of(txn);
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  return problem_.keys_begin[raw(txn)] + static_cast<std::uint32_t>(at - keys.begin());
}

std::span<const WriterAt> Pruner::by_write(KeyId key) const {
  const std::uint32_t first = problem_.writers_begin[raw(key)];
  return std::span(by_write_).subspan(first, problem_.writers_begin[raw(key) + 1] - first);
}

std::span<const WriterAt> Pruner::by_overwrite(KeyId key) const {
  if (by_overwrite_.empty()) return by_write(key);
  const std::uint32_t first = problem_.writers_begin[raw(key)];
  return std::span(by_overwrite_).subspan(first, problem_.writers_begin[raw(key) + 1] - first);
}

void Pruner::index_writers() {
  const auto fill = [&](std::vector<WriterAt>& index, bool overwrite) {
    index.resize(problem_.writers.size());
    for (std::uint32_t k = 0; k + 1 < problem_.writers_begin.size(); ++k) {
      const std::uint32_t first = problem_.writers_begin[k], last = problem_.writers_begin[k + 1];
      for (std::uint32_t i = first; i < last; ++i) {
        const TxnId t = problem_.writers[i];
        const Node node = overwrite ? problem_.overwrite_node(t) : problem_.write_node(t);
        index[i] = {reach_.chain(node), reach_.place(node), t, slot_of(t, KeyId{k})};
      }
      std::sort(index.begin() + first, index.begin() + last, [](const WriterAt& a, const WriterAt& b) {
        return std::tie(a.chain, a.place) < std::tie(b.chain, b.place);
      });
    }
  };
  fill(by_write_, false);
  if (problem_.form == graph::Nodes::kPoints) fill(by_overwrite_, true);
  hot_.clear();
  hot_at_.assign(problem_.writers_begin.size(), kNone32);
  if (!reach_.clocks()) index_hot_keys();
  floor_.assign(reach_.chains(), kNone32);
  ceiling_.assign(reach_.chains(), 0);
  indexed_cover_ = reach_.cover();
}

void Pruner::index_hot_keys() {
  txn_at_.assign(reach_.chains(), kNoTxn);
  for (std::uint32_t t = 0; t < problem_.txns; ++t) {
    txn_at_[reach_.chain(problem_.write_node(TxnId{t}))] = TxnId{t};
    txn_at_[reach_.chain(problem_.overwrite_node(TxnId{t}))] = TxnId{t};
  }
  for (std::uint32_t k = 0; k + 1 < problem_.writers_begin.size(); ++k) {
    if (problem_.writers_of(KeyId{k}).size() <= problem_.nodes / kHotShare) continue;
    hot_at_[k] = static_cast<std::uint32_t>(hot_.size());
    HotKey& hot = hot_.emplace_back(HotKey{KeyId{k}, {}, {}});
    for (auto* mask : {&hot.write, &hot.overwrite}) {
      mask->assign(reach_.bits(0).size(), 0);
      for (const TxnId t : problem_.writers_of(KeyId{k})) {
        const std::uint32_t c = reach_.chain(mask == &hot.write ? problem_.write_node(t) : problem_.overwrite_node(t));
        (*mask)[c / 64] |= std::uint64_t{1} << (c % 64);
      }
    }
  }
}

// False: kKnownCycle or a limit.
bool Pruner::load() {
  std::vector<Reachability::Edge> edges;
  edges.reserve(problem_.to.size() + problem_.txns);
  for (Node v = 0; v < problem_.nodes; ++v) {
    for (const Node next : problem_.known(v)) edges.push_back({v, next});
  }
  if (problem_.has_points()) {
    for (std::uint32_t t = 0; t < problem_.txns; ++t) edges.push_back({2 * t, 2 * t + 1});
  }
  const Reachability::Outcome outcome = reach_.add_all(edges);
  if (outcome == Reachability::Outcome::kTooLarge) {
    limit_ = fmt::format("the reachability table of {} nodes would be too large", problem_.nodes);
  }
  return outcome == Reachability::Outcome::kDone;
}

// A read of the initial state comes before every writer of the key. Most of these edges are among the known ones.
void Pruner::add_initial_reads() {
  for (std::uint32_t i = 0; i < problem_.reads.size(); ++i) {
    if (fixed_[i] == kNone32 || problem_.candidates[fixed_[i]] != kNoTxn) continue;
    const Node reader = problem_.read_node(reader_[i]);
    for (const WriterAt& w : by_write(problem_.reads[i].key)) {
      const Node write = problem_.write_node(w.txn);
      if (w.txn == reader_[i] || reach_.reaches(reader, write)) continue;
      std::uint32_t none = kNone32;
      derive({Link::Kind::kAnti, reader, write, kNoTxn, w.txn, i}, nullptr, none);
      if (closing_) return;
    }
  }
}

Pruner::Outcome Pruner::run() {
  if (!load()) return limit_.empty() ? Outcome::kKnownCycle : Outcome::kLimit;
  index_writers();
  add_initial_reads();
  if (closing_) return Outcome::kCycle;
  pairs_at_start_ = open_pairs();
  std::uint64_t handled = 0;
  for (;;) {
    spend();
    while (reach_.any_changed()) {
      handle(reach_.take_changed());
      if (closing_) return Outcome::kCycle;
      if (pending_.size() > 4 * std::size_t{problem_.nodes} + 100'000 && !flush()) return Outcome::kCycle;
      spend();
      if ((++handled & 0x3ff) != 0) continue;
      if (limits_.progress != nullptr) limits_.progress->advance("pruning", handled, 0);
      if (limits_.exhausted()) return cut_short();
    }
    if (limits_.exhausted()) return cut_short();
    if (!pending_.empty()) {
      if (!flush()) return Outcome::kCycle;
      continue;
    }
    deferring_ = false;
    const std::size_t before = derived_.size();
    if (!check_reads()) return Outcome::kNoCandidate;
    if (closing_) return Outcome::kCycle;
    if (derived_.size() == before && !reach_.any_changed()) return Outcome::kFixpoint;
  }
}

Pruner::Outcome Pruner::cut_short() {
  limit_ = "while pruning, " + limits_.exhausted_by();
  if (indexed_cover_ != reach_.cover()) index_writers();
  return Outcome::kLimit;
}

void Pruner::spend() {
  const std::uint64_t now = steps_ + reach_.steps();
  limits_.spend(now - spent_);
  spent_ = now;
}

// Calls f for the last writer on each chain that newly comes before the node that is being handled; f answers whether
// that was one to stop at.
template <typename F>
void Pruner::last_fresh(std::span<const WriterAt> writers, F&& f) {
  steps_ += std::min(writers.size(), 8 * fresh_.size()) / 4;
  if (writers.size() <= 8 * fresh_.size()) {
    std::uint32_t done = kNone32;
    for (std::size_t i = writers.size(); i-- > 0;) {
      const WriterAt& w = writers[i];
      if (w.chain == done || floor_[w.chain] > w.place || w.place >= ceiling_[w.chain]) continue;
      if (f(w)) done = w.chain;
    }
    return;
  }
  for (const Fresh& part : fresh_) {
    auto at = std::lower_bound(writers.begin(), writers.end(), part, [](const WriterAt& w, const Fresh& p) {
      return w.chain != p.chain ? w.chain < p.chain : w.place < p.to;
    });
    while (at != writers.begin()) {
      --at;
      if (at->chain != part.chain || at->place < part.from || f(*at)) break;
    }
  }
}

// The same among many writers: of those that newly come before the latest is taken, and then of the rest those that do
// not come before it. f answers whether what comes before the one that it was given may be left out.
template <typename F>
void Pruner::last_fresh_bits(const HotKey& hot, const std::vector<std::uint64_t>& mask, F&& f) {
  wanted_bits_.resize(fresh_bits_.size());
  steps_ += fresh_bits_.size() / 8;
  for (std::size_t w = 0; w < fresh_bits_.size(); ++w) wanted_bits_[w] = fresh_bits_[w] & mask[w];
  for (std::size_t w = wanted_bits_.size(); w-- > 0;) {
    while (wanted_bits_[w] != 0) {
      const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(wanted_bits_[w]));
      wanted_bits_[w] &= ~(std::uint64_t{1} << bit);
      const TxnId txn = txn_at_[w * 64 + bit];
      if (!f(WriterAt{0, 0, txn, slot_of(txn, hot.key)})) continue;
      const std::span<const std::uint64_t> past = reach_.bits(problem_.write_node(txn));
      steps_ += w / 8 + 1;
      for (std::size_t i = 0; i <= w; ++i) wanted_bits_[i] &= ~past[i];
    }
  }
}

void Pruner::handle(Node node) {
  if (indexed_cover_ != reach_.cover()) index_writers();
  const std::uint32_t t = problem_.has_points() ? node / 2 : node;
  if (t >= problem_.txns) return;
  const TxnId txn{t};
  const bool writes = node == problem_.write_node(txn) && !problem_.keys_of(txn).empty();
  const bool reads = node == problem_.read_node(txn) && !problem_.reads_of(txn).empty();
  if (!writes && !reads) return;

  fresh_.clear();
  const auto add = [&](std::uint32_t chain, std::uint32_t from, std::uint32_t to) {
    fresh_.push_back({chain, from, to});
    floor_[chain] = from;
    ceiling_[chain] = to;
  };
  if (reach_.clocks()) {
    reach_.fresh(node, add);
  } else {
    reach_.take_fresh(node, fresh_bits_);
    for (std::uint32_t w = 0; w < fresh_bits_.size(); ++w) {
      for (std::uint64_t bits = fresh_bits_[w]; bits != 0; bits &= bits - 1) {
        add(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)), 0, 1);
      }
    }
  }
  steps_ += fresh_.size() / 2 + (reach_.clocks() ? reach_.chains() / 8 : fresh_bits_.size() / 4);
  if (writes) handle_writes(txn);
  for (std::uint32_t i = problem_.reads_begin[t]; i < problem_.reads_begin[t + 1] && reads; ++i) handle_read(i);
  for (const Fresh& part : fresh_) {
    floor_[part.chain] = kNone32;
    ceiling_[part.chain] = 0;
  }
}

void Pruner::handle_writes(TxnId txn) {
  const auto decide_one = [&](const WriterAt& w) {
    if (w.txn == txn) return false;
    if (!closing_) decide(w, txn, kNoRead);
    return true;
  };
  for (const KeyId key : problem_.keys_of(txn)) {
    if (hot_at_[raw(key)] == kNone32) {
      last_fresh(by_overwrite(key), decide_one);
    } else {
      last_fresh_bits(hot_[hot_at_[raw(key)]], hot_[hot_at_[raw(key)]].overwrite, decide_one);
    }
  }
}

void Pruner::handle_read(std::uint32_t read) {
  if (fixed_[read] == kNone32) return;
  const TxnId writer = problem_.candidates[fixed_[read]];
  if (writer == kNoTxn) return;
  const auto decide_one = [&](const WriterAt& w) {
    if (w.txn == reader_[read]) return false;
    if (w.txn != writer && !closing_) decide(w, writer, read);
    return true;
  };
  const std::uint32_t hot = hot_at_[raw(problem_.reads[read].key)];
  if (hot == kNone32) {
    last_fresh(by_write(problem_.reads[read].key), decide_one);
  } else {
    last_fresh_bits(hot_[hot], hot_[hot].write, decide_one);
  }
}

// `before` comes before `after`: `before` reaches `after`, or the reader of `after`.
void Pruner::decide(const WriterAt& before, TxnId after, std::uint32_t read) {
  const Decision why{before.txn, after, read, table_knows_};
  std::uint32_t decision = kNone32;
  const Node write = problem_.write_node(before.txn), overwrite = problem_.overwrite_node(after);
  if (!reach_.reaches(write, overwrite)) {
    derive({Link::Kind::kBefore, write, overwrite, before.txn, after, kNoRead}, &why, decision);
  }
  const Node target = problem_.write_node(after);
  for (std::uint32_t r = first_reader_[before.slot]; r != kNoRead && !closing_; r = next_reader_[r]) {
    ++steps_;
    const Node reader = problem_.read_node(reader_[r]);
    if (reader_[r] == after || reach_.reaches(reader, target)) continue;
    derive({Link::Kind::kAnti, reader, target, before.txn, after, r}, &why, decision);
  }
}

void Pruner::derive(Link link, const Decision* why, std::uint32_t& decision) {
  if (why != nullptr && decision == kNone32) {
    decision = static_cast<std::uint32_t>(decisions_.size());
    decisions_.push_back(*why);
  }
  derived_.push_back({link, decision});
  if (reach_.reaches(link.to, link.from)) {
    closing_ = true;
    return;
  }
  if (deferring_) {
    pending_.push_back({link.from, link.to});
    return;
  }
  reach_.add(link.from, link.to);
  table_knows_ = static_cast<std::uint32_t>(derived_.size());
  deferring_ = reach_.worn();
}

// Takes in the edges that wait. False: there is a cycle.
bool Pruner::flush() {
  if (reach_.add_all(pending_) != Reachability::Outcome::kDone) return false;
  pending_.clear();
  deferring_ = false;
  table_knows_ = static_cast<std::uint32_t>(derived_.size());
  return true;
}

bool Pruner::check_reads() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < open_reads_.size(); ++i) {
    const std::uint32_t read = open_reads_[i];
    if (!closing_ && !check_read(read)) {
      emptied_ = read;
      return false;
    }
    if (fixed_[read] == kNone32) open_reads_[kept++] = read;
  }
  open_reads_.resize(kept);
  return true;
}

// Rules out candidates. False: none is left.
bool Pruner::check_read(std::uint32_t index) {
  const Read& read = problem_.reads[index];
  const Node reader = problem_.read_node(read.txn);
  std::vector<TxnId> past;  // writers of the key that come before the reader: the last on each chain
  const std::span<const WriterAt> writers = by_write(read.key);
  for (std::size_t i = writers.size(), done = kNone32; i-- > 0;) {
    const WriterAt& w = writers[i];
    if (w.chain == done || w.txn == read.txn || reach_.before(reader, w.chain) <= w.place) continue;
    past.push_back(w.txn);
    done = w.chain;
  }
  steps_ += writers.size() + read.count * (past.size() + std::uint64_t{1});
  std::uint32_t left = 0, last = kNone32;
  for (std::uint32_t c = 0; c < read.count; ++c) {
    if (is_ruled_out(index, c)) continue;
    const TxnId writer = problem_.candidates[read.first + c];
    RuledOut out{index, writer, kNoTxn, kNone32, table_knows_};
    bool dead = writer != kNoTxn && reach_.reaches(reader, problem_.write_node(writer));
    if (!dead) {
      for (const TxnId over : past) {
        if (over == writer || (writer != kNoTxn && !is_before(writer, over))) continue;
        out.over = over;
        if (writer != kNoTxn) {
          out.decision = static_cast<std::uint32_t>(decisions_.size());
          decisions_.push_back({writer, over, kNoRead, table_knows_});
        }
        dead = true;
        break;
      }
    }
    if (dead) {
      dead_[dead_begin_[index] + c] = true;
      ruled_out_.push_back(out);
    } else {
      ++left;
      last = c;
    }
  }
  if (left == 1) fix(index, read.first + last);
  return left > 0;
}

void Pruner::fix(std::uint32_t index, std::uint32_t candidate) {
  const Read& read = problem_.reads[index];
  const TxnId writer = problem_.candidates[candidate];
  const Node reader = problem_.read_node(read.txn);
  fixed_[index] = candidate;
  if (writer != kNoTxn) {
    const std::uint32_t slot = slot_of(writer, read.key);
    next_reader_[index] = first_reader_[slot];
    first_reader_[slot] = index;
    const Node write = problem_.write_node(writer);
    std::uint32_t none = kNone32;
    if (!reach_.reaches(write, reader))
      derive({Link::Kind::kFrom, write, reader, writer, kNoTxn, index}, nullptr, none);
  }
  for (const WriterAt& w : by_write(read.key)) {
    if (closing_) return;
    if (w.txn == read.txn || w.txn == writer) continue;
    const Node write = problem_.write_node(w.txn);
    if (writer == kNoTxn || is_before(writer, w.txn)) {
      if (reach_.reaches(reader, write)) continue;
      const Decision why{writer, w.txn, kNoRead, table_knows_};
      std::uint32_t decision = kNone32;
      derive({Link::Kind::kAnti, reader, write, writer, w.txn, index}, writer == kNoTxn ? nullptr : &why, decision);
    } else if (reach_.reaches(write, reader)) {
      decide(w, writer, index);
    }
  }
}

std::uint64_t Pruner::open_pairs() const {
  std::uint64_t open = 0;
  for (std::uint32_t k = 0; k + 1 < problem_.writers_begin.size(); ++k) {
    const std::span<const WriterAt> writers = by_write(KeyId{k});
    const std::uint64_t n = writers.size();
    std::uint64_t ordered = 0;
    std::vector<std::uint32_t> groups;  // where a chain begins, and the end
    for (std::uint32_t i = 0; i < n && reach_.clocks(); ++i) {
      if (i == 0 || writers[i].chain != writers[i - 1].chain) groups.push_back(i);
    }
    std::vector<std::uint32_t> at = groups;
    groups.push_back(static_cast<std::uint32_t>(n));
    for (const WriterAt& a : writers) {
      const Node node = problem_.overwrite_node(a.txn);
      if (reach_.reaches(problem_.write_node(a.txn), node)) --ordered;  // itself, counted below
      if (hot_at_[k] != kNone32) {
        const std::vector<std::uint64_t>& mask = hot_[hot_at_[k]].write;
        const std::span<const std::uint64_t> past = reach_.bits(node);
        for (std::size_t i = 0; i < past.size(); ++i) {
          ordered += static_cast<std::uint64_t>(std::popcount(past[i] & mask[i]));
        }
        continue;
      }
      if (!reach_.clocks()) {
        for (const WriterAt& w : writers) ordered += reach_.before(node, w.chain);
        continue;
      }
      // From one writer to the next on its chain the counts hardly change.
      for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
        const std::uint32_t until = reach_.before(node, writers[groups[g]].chain);
        while (at[g] < groups[g + 1] && writers[at[g]].place < until) ++at[g];
        while (at[g] > groups[g] && writers[at[g] - 1].place >= until) --at[g];
        ordered += at[g] - groups[g];
      }
    }
    open += n * (n - 1) / 2 - ordered;
  }
  return open;
}

}  // namespace isolde::solver
