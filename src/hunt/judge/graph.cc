#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "hunt/judge/effects.h"
#include "hunt/judge/judge.h"

namespace isolde::hunt {
namespace {

// A committed write of one row. The chain of an item is its writes in the order in which they were carried out: its
// state number 0 is the initial one, number k is what write k - 1 left.
struct Write {
  Place by;
  State after;
};
struct Chain {
  State initial;
  std::vector<Write> writes;
  [[nodiscard]] State state(std::size_t number) const { return number == 0 ? initial : writes[number - 1].after; }
};

class Builder {
 public:
  Builder(const Case& test, const Execution& execution) : test_(test), execution_(execution) {}

  StatementGraph graph() {
    graph_.statements = counted_statements(test_, execution_);
    for (std::size_t i = 0; i < execution_.answered.size(); ++i) when_.emplace(execution_.answered[i], i);
    if (auto initial = initial_versions(test_.schema))
      for (const auto& [item, version] : *initial) chains_[item].initial = version;
    std::vector<Place> in_time = graph_.statements;
    std::stable_sort(in_time.begin(), in_time.end(), [&](Place a, Place b) { return when(a) < when(b); });
    for (const Place place : in_time) {
      Effects& effects = effects_[place];
      effects = effects_of(at(test_, place), at(execution_, place));
      for (const Change& change : effects.changes) chains_[change.item].writes.push_back({place, change.after});
    }
    for (const Place place : graph_.statements) add_dependencies(place);
    return std::move(graph_);
  }

 private:
  // What a statement does with a row that it sees.
  enum class Use : std::uint8_t { kItem, kPredicate, kWritten, kPredicateOfWrite, kValueOfWrite };

  [[nodiscard]] std::size_t when(Place place) const {
    const auto found = when_.find(place);
    return found == when_.end() ? SIZE_MAX : found->second;
  }

  void add_dependencies(Place place) {
    const Statement& statement = at(test_, place);
    const StatementRun& run = at(execution_, place);
    std::set<RowKey> written;
    for (const Change& change : effects_[place].changes) written.insert(change.item);
    const std::set<RowKey> returned = returned_items(statement, run);
    for (const auto& [table, contents] : run.seen) {
      const bool writes_table =
          std::find(statement.writes.begin(), statement.writes.end(), table) != statement.writes.end();
      const Use other = !writes(statement) ? Use::kPredicate
                        : writes_table     ? Use::kPredicateOfWrite
                                           : Use::kValueOfWrite;
      std::map<std::int64_t, std::int64_t> versions;
      for (const Version& version : contents) versions.emplace(version.pkey, version.vkey);
      // The rows that are not there count as much as those that are: a predicate could have found them.
      for (auto chain = chains_.lower_bound({table, INT64_MIN}); chain != chains_.end() && chain->first.first == table;
           ++chain) {
        const RowKey& item = chain->first;
        const auto version = versions.find(item.second);
        const State state = version == versions.end() ? State() : State(version->second);
        const Use use = written.contains(item) ? Use::kWritten : returned.contains(item) ? Use::kItem : other;
        add_dependencies(place, item, chain->second, state, use);
      }
    }
  }

  void add_dependencies(Place place, const RowKey& item, const Chain& chain, State state, Use use) {
    const std::optional<std::size_t> number = number_of(chain, state, place);
    if (!number) return;
    if (*number > 0) add(chain.writes[*number - 1].by, place, kinds(use).on_writer, item);
    if (*number < chain.writes.size()) add(place, chain.writes[*number].by, kinds(use).of_next, item);
  }

  // Which state of the chain is meant. Absence may be several: then the last one that the statement can have known.
  [[nodiscard]] std::optional<std::size_t> number_of(const Chain& chain, State state, Place reader) const {
    std::optional<std::size_t> found;
    for (std::size_t number = 0; number <= chain.writes.size(); ++number) {
      if (chain.state(number) != state) continue;
      if (!found || could_know(chain.writes[number - 1].by, reader)) found = number;
    }
    return found;
  }
  [[nodiscard]] bool could_know(Place writer, Place reader) const {
    if (writer.transaction == reader.transaction) return writer.statement < reader.statement;
    const auto end = static_cast<std::uint32_t>(test_.transactions[writer.transaction].statements.size());
    return when({writer.transaction, end}) < when(reader);
  }

  // By the use of a version: what its user has to do with who wrote it, and with who writes the next.
  struct Kinds {
    DependencyKind on_writer, of_next;
  };
  static Kinds kinds(Use use) {
    switch (use) {
      case Use::kItem:
        return {DependencyKind::kItemRead, DependencyKind::kItemAnti};
      case Use::kWritten:
        return {DependencyKind::kItemWrite, DependencyKind::kItemWrite};
      case Use::kPredicateOfWrite:
        return {DependencyKind::kPredicateWrite, DependencyKind::kPredicateWrite};
      case Use::kValueOfWrite:
        return {DependencyKind::kValueWrite, DependencyKind::kValueWrite};
      case Use::kPredicate:
        break;
    }
    return {DependencyKind::kPredicateRead, DependencyKind::kPredicateAnti};
  }

  // The rows that a SELECT returned as they are: it shows pkey and vkey, and there is one table that they can be of.
  static std::set<RowKey> returned_items(const Statement& statement, const StatementRun& run) {
    std::set<RowKey> items;
    if (writes(statement) || run.seen.size() != 1) return items;
    const auto column = [&](std::string_view name) {
      return static_cast<std::size_t>(std::find(run.reply.names.begin(), run.reply.names.end(), name) -
                                      run.reply.names.begin());
    };
    const std::size_t pkey = column("pkey"), vkey = column("vkey");
    if (std::max(pkey, vkey) >= std::min(run.reply.width, run.reply.names.size())) return items;
    const auto& [table, contents] = *run.seen.begin();
    for (std::size_t row = 0; row < run.reply.rows(); ++row) {
      const auto* const key = std::get_if<std::int64_t>(&run.reply.at(row, pkey));
      const auto* const version = std::get_if<std::int64_t>(&run.reply.at(row, vkey));
      if (key == nullptr || version == nullptr) continue;
      for (const Version& seen : contents)
        if (seen.pkey == *key && seen.vkey == *version) items.insert({table, *key});
    }
    return items;
  }

  void add(Place from, Place to, DependencyKind kind, const RowKey& item) {
    if (from == to || !known_.insert({from, to, kind}).second) return;
    graph_.dependencies.push_back({from, to, kind, std::string(item.first), item.second});
  }

  const Case& test_;
  const Execution& execution_;
  std::map<Place, std::size_t> when_;
  std::map<RowKey, Chain> chains_;
  std::map<Place, Effects> effects_;
  std::set<std::tuple<Place, Place, DependencyKind>> known_;
  StatementGraph graph_;
};

}  // namespace

std::string_view name(DependencyKind kind) {
  constexpr std::string_view kNames[] = {"item-read",       "item-write",     "item-anti",  "predicate-read",
                                         "predicate-write", "predicate-anti", "value-write"};
  return kNames[static_cast<std::size_t>(kind)];
}

StatementGraph statement_graph(const Case& test, const Execution& execution) {
  return Builder(test, execution).graph();
}

}  // namespace isolde::hunt
