#include "audit/confirm/evidence.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::audit {
namespace {

bool is_ahead_of(const SerialOrder& order, std::uint32_t a, std::uint32_t b) {
  const auto first = std::ranges::find(order, a), second = std::ranges::find(order, b);
  return first != order.end() && second != order.end() && first < second;
}

// All conditions hold together.
bool is_plain_condition(const Line& line) {
  constexpr std::string_view kOthers[] = {"or", "not", "case", "union", "having", "xor", "except", "intersect"};
  return std::ranges::none_of(*line.tokens, [&](const Token& token) {
    return std::ranges::any_of(kOthers, [&](std::string_view word) { return is_word(token, word); });
  });
}

// A row more among those that it finds changes its answer, whatever is in the row.
bool shows_every_row(const Line& line) {
  constexpr std::string_view kOthers[] = {"sum",   "max",    "min",    "avg",   "distinct",  "group",
                                          "limit", "having", "exists", "union", "intersect", "except"};
  return std::ranges::none_of(*line.tokens, [&](const Token& token) {
    return std::ranges::any_of(kOthers, [&](std::string_view word) { return is_word(token, word); });
  });
}

// Nothing in the condition but comparisons whose values the patterns of rows vary: no function of a column, and < and >
// only where both ends are data.
bool asks_plainly(const Play& play, const Line& line) {
  constexpr std::string_view kNoFunctions[] = {"count", "coalesce", "lower", "upper", "in",   "and", "or",
                                               "where", "select",   "from",  "on",    "join", "not", "exists"};
  const std::vector<Token>& tokens = *line.tokens;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!is_symbol(tokens[i], "(") || !is_name(tokens[i - 1])) continue;
    if (std::ranges::none_of(kNoFunctions, [&](std::string_view word) { return is_word(tokens[i - 1], word); }))
      return false;
  }
  return std::ranges::none_of(line.clues.comparisons,
                              [&](const Comparison& c) { return is_range(c.how) && !play.ranges.contains(c.column); });
}

// SQL's LIKE, letters of either case alike, as some servers have it.
bool like_matches(std::string_view pattern, std::string_view text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p < pattern.size() && !escaped && pattern[p] == '%') {
      star = p++;
      from = t;
    } else if (p < pattern.size() &&
               ((!escaped && pattern[p] == '_') || lower(pattern[escaped ? p + 1 : p]) == lower(text[t]))) {
      p += escaped ? 2 : 1;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

template <typename T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

}  // namespace

bool Evidence::is_plain_read(std::uint32_t member, std::uint32_t line) const {
  return play_.members[member].lines[line].reads_plainly();
}

// Rows, or for a write how many; a failure is an answer, too.
Evidence::Grid Evidence::answer(const Observed& observed, std::uint32_t member, std::uint32_t line) const {
  const LineAnswer& one = observed.answers[member][line];
  if (!one.done) return {{"failed", one.code}};
  if (!one.gives_rows) return {{std::to_string(one.changed)}};
  return blind_.seen_answer(member, line, one.rows);
}

Evidence::Sides Evidence::answers(const PlayEdge& edge, std::uint32_t member, std::uint32_t line) const {
  Sides sides;
  for (const auto& [order, observed] : serial_) {
    if (order.size() != play_.members.size()) continue;
    Grid one = answer(observed, member, line);
    (is_ahead_of(order, edge.from, edge.to) ? sides.first : sides.second).push_back(std::move(one));
  }
  return sides;
}

// Of two neighbours in some serial order it makes a difference who comes first.
template <typename What>
bool Evidence::swap_matters(const PlayEdge& edge, Neighbours where, What&& what) const {
  for (const auto& [order, observed] : serial_) {
    if (where == Neighbours::kFirst && order.front() != edge.from) continue;
    const auto first = std::ranges::find(order, edge.from);
    if (first == order.end() || first + 1 == order.end() || *(first + 1) != edge.to) continue;
    SerialOrder swapped = order;
    std::swap(swapped[static_cast<std::size_t>(first - order.begin())],
              swapped[static_cast<std::size_t>(first - order.begin()) + 1]);
    const auto other = serial_.find(swapped);
    if (other != serial_.end() && what(observed) != what(other->second)) return true;
  }
  return false;
}

bool Evidence::left_differs(const PlayEdge& edge, Neighbours where) const {
  for (std::uint32_t t = 0; t < play_.tables.size(); ++t) {
    if (blind_.table(t)) continue;
    if (swap_matters(edge, where, [&](const Observed& observed) { return blind_.seen_left(t, observed.left[t]); }))
      return true;
  }
  return false;
}

// Where both write the same value, what is left does not show who came first.
bool Evidence::write_one_row(const PlayEdge& edge) const {
  return name_one_row(play_, play_.members[edge.from].lines[edge.from_line], play_.members[edge.to].lines[edge.to_line],
                      play_.schema.column(edge.column).table);
}

// What the statements themselves say: no row can be what both are about, whatever rows there are. Empty: one may be.
std::string Evidence::contradiction(const PlayEdge& edge) const {
  const TableId table = play_.schema.column(edge.column).table;
  const Line& from = play_.members[edge.from].lines[edge.from_line];
  const Line& to = play_.members[edge.to].lines[edge.to_line];
  // A row that is inserted is all there in the INSERT, and a read of this table alone finds it or does not.
  const bool rw = is_rw(edge.kind);
  const Line& reader = rw ? from : to;
  const Line& writer = rw ? to : from;
  const bool done = std::ranges::all_of(serial_, [&](const auto& order) {
    return order.second.answers[rw ? edge.to : edge.from][rw ? edge.to_line : edge.from_line].done;
  });
  if (edge.kind != EdgeKind::kWw && writer.clues.inserts && !writer.clues.may_meet && done &&
      reader.tables.size() == 1 && reader.clues.tables.size() == 1 && !reader.clues.picks && !reader.clues.inserts &&
      shows_every_row(reader) && asks_plainly(play_, reader))
    return fmt::format("the row that T{} inserts into {} is none that T{} looks for", (rw ? edge.to : edge.from) + 1,
                       play_.schema.table(table).name, (rw ? edge.from : edge.to) + 1);
  // UPDATE … SET id = 60 WHERE id = 60
  if (edge.kind != EdgeKind::kWw && is_plain_condition(writer)) {
    for (const WrittenLiteral& w : writer.clues.written) {
      if (w.column != edge.column) continue;
      const bool same = std::ranges::any_of(writer.clues.comparisons, [&](const Comparison& c) {
        return c.column == w.column && c.how == Compares::kEqual &&
               writer.literals[c.literal] == writer.literals[w.literal];
      });
      if (same)
        return fmt::format("T{} writes to {} what is there already: it finds the row by that value",
                           (rw ? edge.to : edge.from) + 1, play_.schema.full_name(edge.column));
    }
  }
  for (const auto& [a, b] : {std::pair(&from, &to), std::pair(&to, &from)}) {
    for (const Comparison& equal : a->clues.comparisons) {
      if (equal.how != Compares::kEqual || play_.schema.column(equal.column).table != table) continue;
      if (is_written(equal.column) || !is_plain_condition(*a) || !is_plain_condition(*b)) continue;
      for (const Comparison& like : b->clues.comparisons) {
        if (like.how != Compares::kLike || like.column != equal.column) continue;
        if (like_matches(b->literals[like.literal], a->literals[equal.literal])) continue;
        return fmt::format("no row has {} = '{}' and is like '{}'", play_.schema.full_name(equal.column),
                           a->literals[equal.literal], b->literals[like.literal]);
      }
    }
  }
  return {};
}

// Both are about one row by its key, and a third member inserts it: it cannot be there before.
bool Evidence::made_by_a_third(const PlayEdge& edge) const {
  const TableId table = play_.schema.column(edge.column).table;
  const Line& from = play_.members[edge.from].lines[edge.from_line];
  const Line& to = play_.members[edge.to].lines[edge.to_line];
  if (!name_one_row(play_, from, to, table)) return false;
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    if (m == edge.from || m == edge.to) continue;
    for (const Line& line : play_.members[m].lines) {
      if (line.clues.inserts && !line.clues.may_meet && name_one_row(play_, line, from, table)) return true;
    }
  }
  return false;
}

bool Evidence::is_written(ColumnId column) const {
  for (const Member& member : play_.members) {
    for (const Line& line : member.lines) {
      if (std::ranges::find(line.clues.computed, column) != line.clues.computed.end()) return true;
      if (std::ranges::find(line.clues.written, column, &WrittenLiteral::column) != line.clues.written.end())
        return true;
    }
  }
  return false;
}

bool Evidence::material(const PlayEdge& edge, Neighbours where) const {
  if (edge.from_line == kNone32 || edge.to_line == kNone32) return false;
  if (edge.kind == EdgeKind::kWw) {
    // Where both write the same value, how many rows each finds may still show that one finds the other's.
    const auto counts = [&](const Observed& observed) {
      return std::pair(answer(observed, edge.from, edge.from_line), answer(observed, edge.to, edge.to_line));
    };
    return left_differs(edge, where) || write_one_row(edge) || swap_matters(edge, where, counts);
  }
  const bool rw = is_rw(edge.kind);
  if (rw) {
    const std::vector<std::uint32_t> readers = readers_of(play_, edge);
    return std::ranges::any_of(readers, [&](std::uint32_t line) { return reader_matters(edge, line, where); });
  }
  return reader_matters(edge, edge.to_line, where);
}

bool Evidence::reader_matters(const PlayEdge& edge, std::uint32_t line, Neighbours where) const {
  const std::uint32_t reader = is_rw(edge.kind) ? edge.from : edge.to;
  const auto answered = [&](const Observed& observed) { return answer(observed, reader, line); };
  if (!blind_.answer(reader, line) && swap_matters(edge, where, answered)) return true;
  return play_.members[reader].lines[line].kind != StatementKind::kSelect && left_differs(edge, where);
}

bool Evidence::shows_read(const PlayEdge& edge, const Observed& run) const {
  if (!is_rw(edge.kind)) return shows_read(edge, edge.to_line, run);
  return std::ranges::any_of(readers_of(play_, edge), [&](std::uint32_t line) {
    return reader_matters(edge, line, Neighbours::kAnywhere) && shows_read(edge, line, run);
  });
}

bool Evidence::shows_read(const PlayEdge& edge, std::uint32_t line, const Observed& run) const {
  const bool rw = is_rw(edge.kind);
  const std::uint32_t reader = rw ? edge.from : edge.to;
  const std::uint32_t writer = rw ? edge.to : edge.from, write_line = rw ? edge.to_line : edge.from_line;
  if (!blind_.answer(reader, line)) {
    // From before to: rw means that the writer was not seen, wr that it was.
    const Sides sides = answers(edge, reader, line);
    const Grid seen = answer(run, reader, line);
    const bool as_first = contains(sides.first, seen), as_second = contains(sides.second, seen);
    if (as_first != as_second) return as_first;
  }
  const std::uint32_t wrote = run.ended[writer][write_line], read = run.ended[reader][line];
  if (wrote == kNone32 || read == kNone32) return false;
  if (!is_plain_read(reader, line)) return rw ? read < wrote : wrote < read;
  // A snapshot is taken when the statement begins, even if it then has to wait.
  const std::uint32_t looked = snapshots_[reader] == kNone32 ? read : run.began[reader][snapshots_[reader]];
  return rw ? looked < run.committed_at[writer] : run.committed_at[writer] < looked;
}

bool Evidence::shows_overwrite(const PlayEdge& edge, const Observed& run) const {
  const LineAnswer& first = run.answers[edge.from][edge.from_line];
  const LineAnswer& second = run.answers[edge.to][edge.to_line];
  if (!first.done || !second.done) return false;
  if (!first.gives_rows && first.changed == 0) return false;
  if (!second.gives_rows && second.changed == 0) return false;
  return run.ended[edge.from][edge.from_line] < run.ended[edge.to][edge.to_line];
}

bool Evidence::shows(const PlayEdge& edge, const Observed& run) const {
  if (!material(edge)) return false;
  return edge.kind == EdgeKind::kWw ? shows_overwrite(edge, run) : shows_read(edge, run);
}

std::string Evidence::words(const PlayEdge& edge) const {
  const std::string column = play_.schema.full_name(edge.column);
  if (edge.kind == EdgeKind::kWw)
    return fmt::format("T{} overwrites what T{} wrote to {}", edge.to + 1, edge.from + 1, column);
  if (edge.kind == EdgeKind::kWr)
    return fmt::format("T{} reads what T{} wrote to {}", edge.to + 1, edge.from + 1, column);
  return fmt::format("T{} reads {} as it was before T{} changed it", edge.from + 1, column, edge.to + 1);
}

Immaterial Evidence::immaterial() const {
  Immaterial out;
  for (const PlayEdge& edge : play_.edges) {
    if (edge.from_line == kNone32 || edge.to_line == kNone32) return {"a statement of the cycle is not run", false, {}};
    if (material(edge)) {
      if (out.only_with_others.empty() && !material(edge, Neighbours::kFirst) && !made_by_a_third(edge))
        out.only_with_others =
            fmt::format("on no rows that were made does it by itself make a difference whether {}", words(edge));
      continue;
    }
    if (std::string why = contradiction(edge); !why.empty()) return {std::move(why), true, {}};
    if (out.why.empty())
      out.why = fmt::format("on these rows it makes no difference whether {}: they do not meet", words(edge));
  }
  return out;
}

std::string Evidence::missing(const Observed& run) const {
  for (const PlayEdge& edge : play_.edges) {
    if (!shows(edge, run)) return fmt::format("it was not so that {}", words(edge));
  }
  return {};
}

}  // namespace isolde::audit
