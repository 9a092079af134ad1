#include "audit/scope/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "audit/scope/pairs.h"
#include "audit/scope/scope_story.h"
#include "audit/scope/users.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kFewColumns = 4;  // that a statement sets on purpose

struct SeenPair {
  ScopePair example;
  std::uint64_t times = 0;
  bool same_user = true;  // in every instance
  bool various = false;   // not always about the same values
};

class ScopeFinder {
 public:
  ScopeFinder(TraceLog& log, const Classes& classes, const Requests& requests)
      : log_(log),
        classes_(classes),
        stakes_(classes.schema),
        entries_(entry_columns(classes.schema)),
        search_(log, classes, stakes_, requests.evidence == RequestEvidence::kNone ? kMostBetween : 0,
                requests.evidence != RequestEvidence::kNone),
        known_(requests.evidence != RequestEvidence::kNone) {
    std::vector<const Request*> in_order;
    for (const Request& request : requests.all) {
      if (!request.transactions.empty()) in_order.push_back(&request);
    }
    std::ranges::stable_sort(in_order, {}, [&](const Request* request) { return first_line(*request); });
    for (const Request* request : in_order) search_.run(*request);
  }

  std::vector<ScopeFinding> run() {
    std::vector<ScopeFinding> out;
    count();
    std::map<std::tuple<ShapeId, ShapeId, ScopeKind, ColumnId, LiteralId, bool>, SeenPair> seen;
    for (const ScopePair& pair : search_.pairs()) {
      const auto [place, is_new] = seen.try_emplace(
          {shape(pair.read), shape(pair.write), pair.kind, pair.column, pair.entry, pair.earlier_request},
          SeenPair{pair});
      ++place->second.times;
      place->second.various |=
          !std::ranges::equal(place->second.example.keys, pair.keys, {}, &KeyValue::value, &KeyValue::value);
      place->second.same_user = place->second.same_user && std::ranges::any_of(pair.keys, [&](const KeyValue& key) {
                                  return is_of_one_user(classes_.schema, key.column);
                                });
    }
    for (const auto& [key, one] : seen) {
      const std::uint64_t writes = search_.writes(std::get<1>(key), std::get<4>(key));
      if (!known_ && !is_about_rows(one)) continue;
      if (one.times * 2 >= writes) out.push_back(finding(one, std::max(writes, one.times)));
    }
    keep_one_of_each_cause(out);
    for (ScopeFinding& one : out) tell_scope_story(log_, classes_, one, *keys_of(one));
    return out;
  }

 private:
  [[nodiscard]] ShapeId shape(const RequestStep& step) const { return log_.statements[step.statement].shape; }

  // Where nothing shows where requests begin, statements that have no more in common than a value of the program (state
  // = 'ready'), or a table, are most likely of two requests.
  [[nodiscard]] bool is_about_rows(const SeenPair& one) const {
    return one.various ||
           std::ranges::any_of(one.example.keys, [&](const KeyValue& key) { return !is_word(log_, key.value); });
  }

  [[nodiscard]] std::uint64_t first_line(const Request& request) const {
    return log_.statements[log_.transactions[request.transactions.front()].first_statement].line;
  }

  // How many different literals the trace has in each place of an UPDATE's SET.
  void count() {
    for (const TraceStatement& here : log_.statements) {
      const Statement& statement = classes_.statements[raw(here.shape)];
      for (const RowKey& set : statement.assigned)
        values_[{here.shape, set.column}].insert(log_.literals_of(here)[set.literal]);
    }
  }

  [[nodiscard]] ScopeFinding finding(const SeenPair& one, std::uint64_t writes) {
    const ScopePair& pair = one.example;
    ScopeFinding out{.kind = pair.kind,
                     .read = shape(pair.read),
                     .write = shape(pair.write),
                     .column = pair.column,
                     .entry = pair.entry,
                     .times = one.times,
                     .writes = writes,
                     .read_at = pair.read.statement,
                     .write_at = pair.write.statement,
                     .read_in = pair.read.transaction,
                     .write_in = pair.write.transaction,
                     .aggregates = is_aggregate(log_.shapes.example(shape(pair.read))),
                     .same_user = one.same_user,
                     .unchanged = written_back(pair),
                     .locked_by = pair.locked_by,
                     .adds_up = pair.adds_up,
                     .earlier_request = pair.earlier_request};
    out.rank = rank(out);
    return out;
  }

  // A row that is saved whole, with this column as it was. (A flag that is set twice is no such thing: that may be the
  // fault itself.)
  [[nodiscard]] bool written_back(const ScopePair& pair) const {
    const Statement& writing = classes_.statements[raw(shape(pair.write))];
    return pair.kind == ScopeKind::kOverwrites && raw(pair.column) < classes_.unchanged.size() &&
           classes_.unchanged[raw(pair.column)] && writing.assigned.size() + writing.nulls.size() > kFewColumns;
  }

  [[nodiscard]] const std::vector<KeyValue>* keys_of(const ScopeFinding& one) const {
    for (const ScopePair& pair : search_.pairs()) {
      if (pair.read.statement == one.read_at && pair.write.statement == one.write_at && pair.column == one.column)
        return &pair.keys;
    }
    return &none_;
  }

  // How much the write hangs on the read: 1 it surely does … 0 it need not.
  [[nodiscard]] double use_of_read(const ScopeFinding& one) const {
    const Statement& reading = classes_.statements[raw(one.read)];
    switch (one.kind) {
      case ScopeKind::kOverwrites: {
        const auto literals = values_.find({one.write, one.column});
        // A flag that is always set to the same is the same whoever sets it.
        const bool always = literals != values_.end() && literals->second.size() == 1 &&
                            (one.writes > 1 || !is_whole_number(*literals->second.begin()));
        if (always || one.adds_up) return 0.5;
        // A row that is saved whole says little about each of its columns.
        const Statement& writing = classes_.statements[raw(one.write)];
        const bool whole = writing.assigned.size() + writing.nulls.size() > kFewColumns;
        return whole && stakes_.of_column[raw(one.column)] < 0.8 ? 0.7 : 1;
      }
      case ScopeKind::kActs:
        return one.earlier_request ? 0.6 : 0.8;
      case ScopeKind::kCounts:
        return 0.4;
      case ScopeKind::kInserts: {
        if (one.aggregates) return 1.2;
        // Few columns, or a single row: whether there is one. Whole rows are rather shown.
        const auto told =
            std::ranges::count_if(reading.accesses, [](const Access& access) { return !access.in_where; });
        return told <= 2 || reading.limited ? 0.6 : 0.3;
      }
    }
    return 0;
  }
  [[nodiscard]] bool is_whole_number(LiteralId literal) const {
    const std::string_view text = log_.shapes.literal(literal);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  [[nodiscard]] double stake(const ScopeFinding& one) const {
    const TableId table = classes_.schema.column(one.column).table;
    const bool inserts = one.kind == ScopeKind::kInserts;
    double out = inserts ? stakes_.of_table[raw(table)] : stakes_.of_column[raw(one.column)];
    if (one.entry != kNoLiteral) out = Stakes::of_name(log_.shapes.literal(one.entry));
    if (!one.aggregates || !inserts) return out;
    // What is added up is at stake, too.
    const Statement& reading = classes_.statements[raw(one.read)];
    for (const Access& access : reading.accesses) {
      if (access.action == Action::kRead && !access.in_where && !access.counts_only)
        out = std::max(out, stakes_.of_column[raw(access.column)]);
    }
    const std::span<const LiteralId> literals = log_.literals_of(log_.statements[one.read_at]);
    for (const RowSet& rows : reading.row_sets) {
      const ColumnId name = entries_[raw(rows.table)].name;
      for (const RowKey& key : rows.keys) {
        if (key.column == name) out = std::max(out, Stakes::of_name(log_.shapes.literal(literals[key.literal])));
      }
    }
    return out;
  }

  [[nodiscard]] double rank(const ScopeFinding& one) const {
    return 3 * use_of_read(one) + 2 * stake(one) + std::min(1.0, 0.5 * std::log2(1 + static_cast<double>(one.times))) -
           (one.same_user ? 1.5 : 0) - (one.unchanged ? 3 : 0);
  }

  // Pairs that write the same column, or insert into the same table: the one that decides most is reported, and of
  // several the one that the trace has most often.
  void keep_one_of_each_cause(std::vector<ScopeFinding>& all) const {
    std::ranges::stable_sort(all, [](const ScopeFinding& a, const ScopeFinding& b) {
      return std::tuple(-a.rank, ~a.times, a.read_at) < std::tuple(-b.rank, ~b.times, b.read_at);
    });
    std::map<std::tuple<TableId, ColumnId, LiteralId>, std::size_t> place;
    std::vector<ScopeFinding> kept;
    for (ScopeFinding& one : all) {
      const TableId table = classes_.schema.column(one.column).table;
      const auto [at, is_new] =
          place.try_emplace({table, one.kind == ScopeKind::kInserts ? kNoColumn : one.column, one.entry}, kept.size());
      if (is_new) {
        kept.push_back(std::move(one));
      } else {
        ++kept[at->second].others;
      }
    }
    all = std::move(kept);
  }

  TraceLog& log_;
  const Classes& classes_;
  Stakes stakes_;
  std::vector<EntryColumns> entries_;
  PairSearch search_;
  bool known_;  // where requests begin and end
  std::map<std::pair<ShapeId, ColumnId>, std::set<LiteralId>> values_;
  std::vector<KeyValue> none_;
};

}  // namespace

std::string_view name(ScopeKind kind) {
  constexpr std::string_view kNames[] = {"overwrites", "acts", "inserts", "counts"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string scope_column(const ScopeFinding& finding, const Schema& schema, const TraceLog& log) {
  const Column& column = schema.column(finding.column);
  const std::string entry =
      finding.entry == kNoLiteral ? std::string() : fmt::format("[{}]", log.shapes.literal(finding.entry));
  return fmt::format("{}{}.{}", schema.table(column.table).name, entry, column.name);
}

std::vector<ScopeFinding> find_scope_errors(TraceLog& log, const Classes& classes, const Requests& requests) {
  return ScopeFinder(log, classes, requests).run();
}

}  // namespace isolde::audit
