#include "check/solver/problem.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "check/accesses.h"
#include "check/cycles/views.h"

namespace isolde::solver {
namespace {

using graph::TracedRead;
using graph::Version;

class Maker {
 public:
  explicit Maker(const Source& source) : s_(source), h_(source.history), trace_(source.trace) {}

  Problem run(bool& left_out) {
    out_.form = s_.row.nodes;
    out_.txns = h_.txn_count();
    add_writers();
    find_candidates();
    add_reads();
    left_out = left_out_;
    if (out_.has_points()) {
      add_edges(graph::PointView{s_.graph, out_.form == graph::Nodes::kPrefixPoints});
    } else {
      add_edges(graph::TransactionView{s_.graph});
    }
    return std::move(out_);
  }

 private:
  void add_writers() {
    out_.keys_begin.assign(out_.txns + std::size_t{1}, 0);
    out_.writers_begin.assign(h_.key_count() + std::size_t{1}, 0);
    for (std::uint32_t t = 0; t < out_.txns; ++t) {
      if (trace_.is_counted(TxnId{t})) {
        for (Version v = trace_.first_version[t]; v < trace_.first_version[t + 1]; ++v) {
          out_.keys.push_back(trace_.versions[v].key);
          ++out_.writers_begin[raw(trace_.versions[v].key) + 1];
        }
      }
      out_.keys_begin[t + 1] = static_cast<std::uint32_t>(out_.keys.size());
    }
    std::partial_sum(out_.writers_begin.begin(), out_.writers_begin.end(), out_.writers_begin.begin());
    out_.writers.resize(out_.keys.size());
    std::vector<std::uint32_t> at(out_.writers_begin.begin(), out_.writers_begin.end() - 1);
    for (std::uint32_t t = 0; t < out_.txns; ++t) {
      for (const KeyId key : out_.keys_of(TxnId{t})) out_.writers[at[raw(key)]++] = TxnId{t};
    }
  }

  static std::uint64_t id(KeyId key, ValueId value) { return std::uint64_t{raw(key)} << 32 | raw(value); }

  // Who left the values that open reads returned.
  void find_candidates() {
    if (trace_.open.empty()) return;
    out_.value_left.assign(out_.keys.size(), kNone32);
    out_.value_first.assign(h_.key_count(), kNone32);
    std::vector<std::vector<TxnId>> writers;
    for (const graph::OpenRead& read : trace_.open) {
      const auto [at, fresh] = values_.emplace(id(read.key, read.value), Candidates{out_.values});
      if (!fresh) continue;
      ++out_.values;
      writers.emplace_back();
      if (read.value != h_.initial(read.key)) continue;
      writers.back().push_back(kNoTxn);
      out_.value_first[raw(read.key)] = at->second.value;
    }
    std::vector<ValueId> last(h_.key_count());
    for (std::uint32_t t = 0; t < out_.txns; ++t) {
      if (h_.status(TxnId{t}) == Status::kAborted) continue;
      for_each_access(h_, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kWrite) last[raw(a.key)] = a.value;
      });
      for (Version v = trace_.first_version[t]; v < trace_.first_version[t + 1]; ++v) {
        const KeyId key = trace_.versions[v].key;
        const auto at = values_.find(id(key, last[raw(key)]));
        if (at == values_.end()) continue;
        if (trace_.is_counted(TxnId{t})) {
          writers[at->second.value].push_back(TxnId{t});
          out_.value_left[out_.keys_begin[t] + (v - trace_.first_version[t])] = at->second.value;
        } else {
          left_out_ = true;
        }
      }
    }
    for (auto& [value, candidates] : values_) {
      const auto& all = writers[candidates.value];
      candidates.first = static_cast<std::uint32_t>(out_.candidates.size());
      candidates.count = static_cast<std::uint32_t>(all.size());
      out_.candidates.insert(out_.candidates.end(), all.begin(), all.end());
    }
  }

  void add_reads() {
    out_.reads_begin.push_back(0);
    last_reader_.assign(h_.key_count(), kNoTxn);
    std::vector<std::uint32_t> open_begin(out_.txns + std::size_t{1}, 0);
    for (const graph::OpenRead& read : trace_.open) ++open_begin[raw(read.txn) + 1];
    std::partial_sum(open_begin.begin(), open_begin.end(), open_begin.begin());
    std::vector<std::uint32_t> by_txn(trace_.open.size());
    std::vector<std::uint32_t> at(open_begin.begin(), open_begin.end() - 1);
    for (std::size_t open = 0; open < trace_.open.size(); ++open)
      by_txn[at[raw(trace_.open[open].txn)]++] = static_cast<std::uint32_t>(open);
    for (std::uint32_t t = 0; t < out_.txns; ++t) {
      if (trace_.is_counted(TxnId{t})) {
        for (const TracedRead& read : trace_.reads_of(TxnId{t})) {
          if (read.version == graph::kNoVersion) continue;
          const TxnId writer = read.version == graph::kInitialVersion ? kNoTxn : trace_.versions[read.version].txn;
          if (writer != read.txn) add_fixed({read.txn, read.op, read.key}, writer);
        }
        for (std::uint32_t i = open_begin[t]; i < open_begin[t + 1]; ++i) add_open(trace_.open[by_txn[i]]);
      }
      out_.reads_begin.push_back(static_cast<std::uint32_t>(out_.reads.size()));
    }
  }

  struct ReadOf {
    TxnId txn;
    OpId op;
    KeyId key;
  };
  void add_fixed(const ReadOf& read, TxnId writer) {
    // Of lists a transaction may read one version several times.
    if (last_reader_[raw(read.key)] == read.txn) return;
    last_reader_[raw(read.key)] = read.txn;
    out_.reads.push_back({read.txn, read.op, read.key, static_cast<std::uint32_t>(out_.candidates.size()), 1, kNone32});
    out_.candidates.push_back(writer);
  }

  void add_open(const graph::OpenRead& read) {
    const Candidates& candidates = values_.find(id(read.key, read.value))->second;
    std::vector<TxnId> few;  // that are left where the reader itself is one of few
    if (candidates.count <= 2) {
      for (std::uint32_t i = 0; i < candidates.count; ++i) few.push_back(out_.candidates[candidates.first + i]);
      std::erase(few, read.txn);
      if (few.size() == 1) return add_fixed({read.txn, read.op, read.key}, few[0]);
    }
    // One that nobody explains: those that could are of unknown outcome.
    const std::uint32_t count = candidates.count <= 2 && few.empty() ? 0 : candidates.count;
    out_.reads.push_back({read.txn, read.op, read.key, candidates.first, count, candidates.value});
  }

  template <typename View>
  void add_edges(const View& view) {
    std::vector<std::uint32_t> gate(h_.key_count(), kNone32);
    out_.first_gate = view.size();
    std::vector<std::pair<Node, Node>> more;
    for (const Read& read : out_.reads) {
      if (!read.is_fixed()) continue;
      const TxnId writer = out_.candidates[read.first];
      if (writer != kNoTxn) {
        // The trace did not know this one: its other possible writers are out of question.
        if (s_.trace.version_of(writer, read.key) != graph::kNoVersion && is_open(read))
          more.emplace_back(out_.write_node(writer), out_.read_node(read.txn));
        continue;
      }
      const bool updates = !out_.has_points() && writes(read.txn, read.key);
      std::uint32_t& node = gate[raw(read.key)];
      if (node == kNone32) {
        node = out_.first_gate + static_cast<std::uint32_t>(out_.gated_keys.size());
        out_.gated_keys.push_back(read.key);
        for (const TxnId w : out_.writers_of(read.key)) more.emplace_back(node, out_.write_node(w));
      }
      if (!updates) more.emplace_back(out_.read_node(read.txn), node);
      if (updates) {
        for (const TxnId w : out_.writers_of(read.key)) {
          if (w != read.txn) more.emplace_back(out_.write_node(read.txn), out_.write_node(w));
        }
      }
    }
    out_.nodes = out_.first_gate + static_cast<std::uint32_t>(out_.gated_keys.size());
    out_.begin.assign(out_.nodes + std::size_t{1}, 0);
    for (Node v = 0; v < view.size(); ++v) view.for_each_out(v, [&](std::uint32_t) { ++out_.begin[v + 1]; });
    for (const auto& [from, to] : more) ++out_.begin[from + 1];
    std::partial_sum(out_.begin.begin(), out_.begin.end(), out_.begin.begin());
    out_.to.resize(out_.begin.back());
    std::vector<std::uint32_t> at(out_.begin.begin(), out_.begin.end() - 1);
    for (Node v = 0; v < view.size(); ++v) {
      view.for_each_out(v, [&](std::uint32_t to) { out_.to[at[v]++] = to; });
    }
    for (const auto& [from, to] : more) out_.to[at[from]++] = to;
  }

  [[nodiscard]] bool is_open(const Read& read) const {
    const auto traced = trace_.reads_of(read.txn);
    return std::none_of(traced.begin(), traced.end(),
                        [&](const TracedRead& r) { return r.op == read.op && r.key == read.key; });
  }
  [[nodiscard]] bool writes(TxnId t, KeyId key) const {
    const auto keys = out_.keys_of(t);
    return std::binary_search(keys.begin(), keys.end(), key);
  }

  const Source& s_;
  const History& h_;
  const graph::Trace& trace_;
  struct Candidates {
    std::uint32_t value;
    std::uint32_t first = 0, count = 0;
  };
  std::unordered_map<std::uint64_t, Candidates> values_;  // of keys, that open reads returned
  std::vector<TxnId> last_reader_;                        // by key
  bool left_out_ = false;
  Problem out_;
};

}  // namespace

Problem make_problem(const Source& source, bool& left_out) { return Maker(source).run(left_out); }

}  // namespace isolde::solver
