#include "format/cobra_polygraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "format/grouped_ops.h"
#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

// A node costs memory without a byte of the file, so a file may not name more of them than this, or than it has bytes.
constexpr std::uint64_t kMaxNodes = 10'000;
constexpr std::uint64_t kMaxSearchSteps = std::uint64_t{1} << 26;

struct Edge {
  std::uint32_t from, to;
};
struct Constraint {
  Edge first, second;
  std::uint64_t line;
};

// Whether one node precedes another by the known edges.
class Reachability {
 public:
  Reachability(std::uint32_t nodes, const std::vector<Edge>& edges) : first_(std::size_t{nodes} + 1, 0) {
    for (const Edge& e : edges) {
      direct_.insert(key(e));
      ++first_[e.from + 1];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    to_.resize(edges.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const Edge& e : edges) to_[next[e.from]++] = e.to;
    seen_from_.resize(nodes, kNone32);
  }

  [[nodiscard]] bool precedes(std::uint32_t from, std::uint32_t to) {
    if (direct_.contains(key({from, to}))) return true;
    if (searched_ != from) search(from);
    return seen_from_[to] == from;
  }
  [[nodiscard]] bool gave_up() const { return steps_ > kMaxSearchSteps; }

 private:
  static std::uint64_t key(Edge e) { return (std::uint64_t{e.from} << 32) | e.to; }
  void search(std::uint32_t from) {
    searched_ = from;
    std::vector<std::uint32_t> work{from};
    while (!work.empty() && !gave_up()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      for (std::size_t i = first_[node]; i < first_[node + 1]; ++i) {
        ++steps_;
        if (seen_from_[to_[i]] == from) continue;
        seen_from_[to_[i]] = from;
        work.push_back(to_[i]);
      }
    }
  }

  std::unordered_set<std::uint64_t> direct_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> to_;
  std::vector<std::uint32_t> seen_from_;  // per node: the last start of a search that reached it
  std::uint32_t searched_ = kNone32;
  std::uint64_t steps_ = 0;
};

class PolygraphReader {
 public:
  PolygraphReader(const Source& source, const ReadOptions& options)
      : file_(source.files[0]), lines_(file_), options_(options) {}

  Result<ReadResult> run() {
    if (auto error = nodes()) return *std::move(error);
    while (lines_.next()) {
      if (auto error = line()) {
        if (!options_.lenient || !lines_.may_be_cut()) return *std::move(error);
        notes_.push_back(dropped_line_note(lines_));
      }
    }
    for (std::uint32_t i = 0; i < nodes_; ++i) ops_.add_txn();
    for (const Edge& e : edges_) {
      const KeyId key = fresh_key();
      ops_.add(e.from, OpKind::kWrite, key, ValueId{1});
      ops_.add(e.to, OpKind::kRead, key, ValueId{1});
    }
    // Ordered by the writer d, so that one search serves all constraints that ask about it.
    std::sort(constraints_.begin(), constraints_.end(), [](const Constraint& a, const Constraint& b) {
      return std::pair(a.second.to, a.line) < std::pair(b.second.to, b.line);
    });
    Reachability known(nodes_, edges_);
    for (const Constraint& c : constraints_) {
      if (auto error = add(c, known)) return *std::move(error);
    }
    ops_.emit(builder_, [this](std::uint32_t t) { builder_.begin_txn(builder_.session(t)); });
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  KeyId fresh_key() { return builder_.key(next_key_++); }

  std::optional<Error> nodes() {
    if (!lines_.next() || !lines_.take('n') || !lines_.take(':')) {
      return lines_.error("expected `n:` and the number of nodes");
    }
    const Error here = lines_.error({});
    const auto count = lines_.integer();
    if (!count || count->negative) return lines_.error("expected the number of nodes");
    if (count->magnitude > std::max<std::uint64_t>(kMaxNodes, file_.bytes.size()) || count->magnitude >= kNone32) {
      return Error{fmt::format("expected at most {} nodes in a file of this size", kMaxNodes), here.file, here.line,
                   here.column};
    }
    if (!lines_.at_end()) return lines_.error("expected the end of the line after the number of nodes");
    nodes_ = static_cast<std::uint32_t>(count->magnitude);
    return std::nullopt;
  }

  std::optional<Error> line() {
    if (lines_.take('e')) {
      if (!lines_.take(':')) return lines_.error("expected ':' after e");
      Edge known{};
      if (auto error = edge(known)) return error;
      if (!lines_.at_end()) return lines_.error("expected the end of the line after the edge");
      edges_.push_back(known);
      return std::nullopt;
    }
    if (!lines_.take('c') || !lines_.take(':')) return lines_.error("expected e:a,b or c:a,b|b,d");
    Constraint c{.first = {}, .second = {}, .line = lines_.number()};
    if (auto error = edge(c.first)) return error;
    if (!lines_.take('|')) return lines_.error("expected '|' between the two edges");
    if (auto error = edge(c.second)) return error;
    if (!lines_.at_end()) return lines_.error("expected the end of the line after the constraint");
    if (c.first.to != c.second.from) std::swap(c.first, c.second);
    if (c.first.to != c.second.from) {
      return lines_.error_at_start("expected two edges that meet, c:a,b|b,d: others do not come from a history");
    }
    constraints_.push_back(c);
    return std::nullopt;
  }

  std::optional<Error> edge(Edge& out) {
    lines_.skip_blanks();
    const Error here = lines_.error({});
    if (auto error = node(out.from)) return error;
    if (!lines_.take(',')) return lines_.error("expected ',' between two nodes");
    if (auto error = node(out.to)) return error;
    if (out.from != out.to) return std::nullopt;
    return Error{"expected an edge between two nodes, found one from a node to itself", here.file, here.line,
                 here.column};
  }

  std::optional<Error> node(std::uint32_t& out) {
    lines_.skip_blanks();
    const Error here = lines_.error({});
    const auto number = lines_.integer();
    if (!number || number->negative || number->magnitude >= nodes_) {
      return Error{fmt::format("expected a node, 0 to {}", std::int64_t{nodes_} - 1), here.file, here.line,
                   here.column};
    }
    out = static_cast<std::uint32_t>(number->magnitude);
    return std::nullopt;
  }

  std::optional<Error> add(const Constraint& c, Reachability& known) {
    const std::uint32_t a = c.first.from;
    const std::uint32_t b = c.first.to;
    const std::uint32_t d = c.second.to;
    if (a == d) {
      const KeyId key = fresh_key();
      ops_.add(a, OpKind::kWrite, key, ValueId{1});
      ops_.add(b, OpKind::kWrite, key, ValueId{2});
      return std::nullopt;
    }
    if (!known.precedes(d, a)) {
      return Error{known.gave_up() ? fmt::format("too many edges to find out whether {} precedes {}", d, a)
                                   : fmt::format("expected that edges lead from {} to {}: without them the constraint "
                                                 "does not come from a history",
                                                 d, a),
                   file_.name, c.line, 1};
    }
    const KeyId key = fresh_key();
    ops_.add(d, OpKind::kWrite, key, ValueId{1});
    ops_.add(a, OpKind::kRead, key, ValueId{1});
    ops_.add(b, OpKind::kWrite, key, ValueId{2});
    return std::nullopt;
  }

  const SourceFile& file_;
  TextLines lines_;
  const ReadOptions& options_;
  HistoryBuilder builder_;
  GroupedOps ops_;
  std::vector<Edge> edges_;
  std::vector<Constraint> constraints_;
  std::vector<std::string> notes_;
  std::uint32_t nodes_ = 0;
  std::int64_t next_key_ = 0;
};

Result<ReadResult> read_polygraph(const Source& source, const ReadOptions& options) {
  return PolygraphReader(source, options).run();
}

bool recognise_polygraph(const Source& source) {
  std::string_view line = first_line_of(source.files[0].bytes.substr(0, 4096));
  if (!line.starts_with("n:")) return false;
  line.remove_prefix(2);
  return take_integer(line).has_value();
}

}  // namespace

constinit const FormatInfo kCobraPolygraphFormat{.name = "cobra-polygraph",
                                                 .summary = "Cobra's polygraph dump: n:, e:a,b, c:a,b|b,d",
                                                 .extension = "",
                                                 .is_folder = false,
                                                 .recognise = recognise_polygraph,
                                                 .read = read_polygraph,
                                                 .write = nullptr};

}  // namespace isolde
