// One choice of a transaction for each member of a story, and the values that it gives (values.h).
#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "audit/facts/occurrences.h"
#include "audit/facts/vocabularies.h"
#include "audit/schema/types.h"
#include "audit/story/naming.h"
#include "audit/story/values.h"

namespace isolde::audit {
namespace {

constexpr std::int64_t kMostNewValues = 1000;

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

bool unite_roots(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  a = find_root(parent, a), b = find_root(parent, b);
  parent[std::max(a, b)] = std::min(a, b);
  return a != b;
}

}  // namespace

// Values for one choice of a transaction for each member.
class StoryValueSolver::Attempt {
 public:
  Attempt(StoryValueSolver& solver, const Cycle& cycle, const std::vector<Actor>& actors, const Manner& manner)
      : solver_(solver), classes_(solver.classes_), cycle_(cycle), as_seen_(manner.as_seen), answers_(manner.answers) {
    for (const Actor& actor : actors) {
      literals_.push_back(actor.literals);
      transactions_.push_back(actor.transaction);
    }
    for (const CycleEdge& edge : cycle.edges) {
      if (manner.apart != Tables::kAll) together_.insert(from_rows(classes_, cycle, edge).table);
    }
    for (std::uint32_t member = 0; member < cycle.members.size(); ++member) {
      const TransactionClass& one = classes_.classes[raw(cycle.members[member])];
      first_variable_.push_back(static_cast<std::uint32_t>(variables_));
      variables_ += one.variables;
      places_.push_back(has_statements(one) ? value_places(classes_, one) : std::vector<ValuePlace>());
      first_place_.push_back(static_cast<std::uint32_t>(count_));
      count_ += places_.back().size();
    }
  }

  // None: these transactions have other values in common, or the rows that they have then forbid it.
  std::optional<StoryValues> solve() {
    unite();
    if (!made_ids_differ()) return std::nullopt;
    if (as_seen_ && !keeps_patterns()) return std::nullopt;
    if (solver_.assumptions_ && !find_names()) return std::nullopt;
    give_values();
    if (as_seen_ && !answers_alike()) return std::nullopt;
    if (!solver_.conditions_.hold(cycle_, literals_)) return std::nullopt;
    if (as_seen_ && !solver_.conditions_.were_so(cycle_, literals_, transactions_)) return std::nullopt;
    StoryValues out;
    const CorrelationResult result = solver_.correlation_.check(cycle_, same_rows());
    if (result.possible == Possible::kNo) return std::nullopt;
    out.implied = result.implied;
    out.literals = std::move(literals_);
    out.as_seen = as_seen_;
    return out;
  }

 private:
  using Node = std::uint32_t;  // variables of all members, then places

  [[nodiscard]] Node variable_node(std::uint32_t member, std::uint32_t variable) const {
    return first_variable_[member] + variable;
  }
  [[nodiscard]] Node place_node(std::uint32_t member, std::size_t place) const {
    return static_cast<Node>(variables_ + first_place_[member] + place);
  }
  [[nodiscard]] LiteralId& at(std::uint32_t member, const ValuePlace& place) {
    return literals_[member][place.statement][place.literal];
  }

  void unite() {
    parent_.resize(variables_ + count_);
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      // Places of one domain with one value, and those of one variable.
      std::map<std::pair<std::uint32_t, LiteralId>, Node> first;
      for (std::size_t i = 0; i < places_[member].size(); ++i) {
        const ValuePlace& place = places_[member][i];
        const Node node = place_node(member, i);
        if (place.variable != kNoVariable) unite_roots(parent_, variable_node(member, place.variable), node);
        if (!as_seen_) continue;
        const auto [same, is_new] = first.try_emplace({solver_.domains_.of(place.column), at(member, place)}, node);
        if (!is_new) unite_roots(parent_, same->second, node);
      }
    }
    for (std::uint32_t member = 0; as_seen_ && member < places_.size(); ++member) unite_made_ids(member);
    // What the cycle makes equal.
    SameRows& rows = solver_.rows_;
    rows.reset(cycle_.members);
    for (const CycleEdge& edge : cycle_.edges) {
      const ClassRows &a = from_rows(classes_, cycle_, edge), &b = to_rows(classes_, cycle_, edge);
      rows.meet(edge.from, from_operation(classes_, cycle_, edge).access.row_set, edge.to,
                to_operation(classes_, cycle_, edge).access.row_set);
      // Also by columns that are updated: so that the rows meet when the story begins.
      for (const ClassRowKey& key : a.keys) {
        const auto other = std::ranges::lower_bound(b.keys, key.column, {}, &ClassRowKey::column);
        if (other == b.keys.end() || other->column != key.column) continue;
        const std::optional<Node> from = column_node(edge.from, edge.conflict.from_op, key),
                                  to = column_node(edge.to, edge.conflict.to_op, *other);
        if (from && to) unite_roots(parent_, *from, *to);
      }
      if (answers_ == Answers::kDoNotCount) continue;
      for (const auto& [from, to] : solver_.answers_of(cycle_, edge, answers_))
        unite_roots(parent_, variable_node(edge.from, from), variable_node(edge.to, to));
    }
    std::map<std::uint32_t, Node> first;  // by value
    for (std::uint32_t member = 0; member < cycle_.members.size(); ++member) {
      for (std::uint32_t v = 0; v < classes_.classes[raw(cycle_.members[member])].variables; ++v) {
        const Node node = variable_node(member, v);
        const auto [same, is_new] = first.try_emplace(rows.value(member, v), node);
        if (!is_new) unite_roots(parent_, same->second, node);
      }
    }
    if (answers_ != Answers::kDoNotCount) unite_found_rows();
  }

  // What others find in the column of the operation's row: of a row that the member makes and changes later, what it
  // sets last. None: nobody knows.
  [[nodiscard]] std::optional<Node> column_node(std::uint32_t member, std::uint32_t op, const ClassRowKey& key) const {
    const TransactionClass& one = classes_.classes[raw(cycle_.members[member])];
    const Operation& operation = one.operations[op];
    std::optional<Node> node;
    if (key.variable != kNoVariable) node = variable_node(member, key.variable);
    if (!operation.access.inserts) return node;
    for (const Operation& later : one.operations) {
      const ClassRows& rows = one.rows[later.access.row_set];
      const bool changes = later.access.action == Action::kWrite && !later.access.inserts &&
                           later.statement > operation.statement && later.access.column == key.column;
      if (!changes || !rows.own || !rows.single) continue;
      node.reset();
      for (std::size_t i = 0; i < places_[member].size(); ++i) {
        const ValuePlace& place = places_[member][i];
        if (place.statement == later.statement && place.column == key.column && place.variable == kNoVariable)
          node = place_node(member, i);
      }
    }
    return node;
  }

  // Calls `visit` with each table and variable that is an id which the database made for a row of the member's own.
  template <typename Visit>
  void for_each_made_id(std::uint32_t member, Visit&& visit) const {
    for (const ClassRows& rows : classes_.classes[raw(cycle_.members[member])].rows) {
      const std::vector<ColumnId>& key = classes_.schema.table(rows.table).primary_key;
      if (!rows.own || key.size() != 1 || !classes_.schema.column(key[0]).generated_id) continue;
      if (const std::uint32_t id = variable_in(rows, key[0]); id != kNoVariable) visit(rows.table, id);
    }
  }

  // Where the transaction has such an id again, in a column of whole numbers, it means that row, whatever the column is
  // called.
  void unite_made_ids(std::uint32_t member) {
    for_each_made_id(member, [&](TableId, std::uint32_t id) {
      const auto named = std::ranges::find(places_[member], id, &ValuePlace::variable);
      if (named == places_[member].end()) return;
      const LiteralId value = at(member, *named);
      for (std::size_t i = 0; i < places_[member].size(); ++i) {
        const ValuePlace& place = places_[member][i];
        if (at(member, place) != value) continue;
        if (type_of(classes_.schema.column(place.column).type).kind == TypeKind::kInteger)
          unite_roots(parent_, variable_node(member, id), place_node(member, i));
      }
    });
  }

  // Rows with equal keys are one row: what it was found by is equal, too. (Customer 5 has one name.)
  void unite_found_rows() {
    for (bool changed = true; changed;) {
      changed = false;
      std::map<std::vector<std::uint32_t>, std::pair<std::uint32_t, const RowColumns::Found*>> first;  // by table, key
      for (std::uint32_t member = 0; member < cycle_.members.size(); ++member) {
        for (const RowColumns::Found& row : solver_.row_columns_.found(cycle_.members[member])) {
          std::vector<std::uint32_t> name = {raw(row.table)};
          for (const std::uint32_t part : row.key) name.push_back(find_root(parent_, variable_node(member, part)));
          const auto [same, is_new] = first.try_emplace(std::move(name), member, &row);
          if (!is_new) changed |= unite_columns(same->second.first, *same->second.second, member, row);
        }
      }
    }
  }
  bool unite_columns(std::uint32_t a, const RowColumns::Found& of_a, std::uint32_t b, const RowColumns::Found& of_b) {
    bool changed = false;
    for (const ClassRowKey& one : of_a.columns) {
      for (const ClassRowKey& other : of_b.columns) {
        if (one.column == other.column)
          changed |= unite_roots(parent_, variable_node(a, one.variable), variable_node(b, other.variable));
      }
    }
    return changed;
  }

  // The database makes another id for each row: those of two members are not the same.
  bool made_ids_differ() {
    std::map<std::pair<TableId, Node>, std::uint32_t> maker;
    for (std::uint32_t member = 0; member < cycle_.members.size(); ++member) {
      bool differ = true;
      for_each_made_id(member, [&](TableId table, std::uint32_t id) {
        const auto [at, is_new] = maker.try_emplace({table, find_root(parent_, variable_node(member, id))}, member);
        differ = differ && (is_new || at->second == member);
      });
      if (!differ) return false;
    }
    return true;
  }

  // A member's values that differ in the trace stay different, within a domain; and a text that tells something about
  // rows ('paid', 'trash') is most likely written in the program: it is never another.
  bool keeps_patterns() {
    std::map<Node, LiteralId> text_of;
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      std::map<std::pair<std::uint32_t, Node>, LiteralId> value_of;  // by domain and root
      for (std::size_t i = 0; i < places_[member].size(); ++i) {
        const ValuePlace& place = places_[member][i];
        const auto key = std::pair(solver_.domains_.of(place.column), find_root(parent_, place_node(member, i)));
        const auto [known, is_new] = value_of.try_emplace(key, at(member, place));
        if (!is_new && known->second != at(member, place)) return false;
        if (names_rows(place.column) || number_of(at(member, place))) continue;
        const auto [text, first] = text_of.try_emplace(key.second, at(member, place));
        if (!first && text->second != at(member, place)) return false;
      }
    }
    return true;
  }

  // It identifies rows, or a statement looks rows up by it.
  [[nodiscard]] bool names_rows(ColumnId column) const {
    return solver_.domains_.names_rows(column) ||
           std::ranges::find(classes_.looked_up_by, column) != classes_.looked_up_by.end();
  }

  // Of places that are tied to a value that is written in the program.
  std::map<Node, LiteralId> constant_values() {
    std::map<Node, LiteralId> out;
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      const std::vector<LiteralId>& constants = classes_.classes[raw(cycle_.members[member])].constants;
      for (std::uint32_t variable = 0; variable < constants.size(); ++variable) {
        if (constants[variable] != kNoLiteral)
          out.emplace(find_root(parent_, variable_node(member, variable)), constants[variable]);
      }
    }
    return out;
  }

  // The names that each value may have; false: one has none.
  bool find_names() {
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      const TransactionClass& one = classes_.classes[raw(cycle_.members[member])];
      for (std::uint32_t variable = 0; variable < one.variables; ++variable) {
        const std::span<const LiteralId> names = names_of(one, variable);
        if (names.empty()) continue;
        std::vector<LiteralId>& known = names_[find_root(parent_, variable_node(member, variable))];
        CommonNames common = names_in_common(known, names);
        if (common.none) return false;
        known = std::move(common.names);
      }
    }
    return true;
  }

  // The value, or one of the names of the root that is free, if it is none of them.
  template <typename Free>
  LiteralId among_names(Node root, LiteralId value, Free&& is_free) const {
    const auto names = names_.find(root);
    if (names == names_.end() || std::ranges::binary_search(names->second, value)) return value;
    const auto other = std::ranges::find_if(names->second, is_free);
    return other == names->second.end() ? names->second.front() : *other;
  }

  // The first member that has a value gives it to all that are tied to it; what another has by chance is changed.
  void give_values() {
    std::map<Node, LiteralId> value_of = constant_values();
    std::set<std::pair<std::uint32_t, LiteralId>> used;  // domains and values of earlier members
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      std::set<std::pair<std::uint32_t, LiteralId>> own;
      for (std::size_t i = 0; i < places_[member].size(); ++i) {
        const auto known = value_of.find(find_root(parent_, place_node(member, i)));
        if (known != value_of.end()) own.emplace(solver_.domains_.of(places_[member][i].column), known->second);
      }
      for (std::size_t i = 0; i < places_[member].size(); ++i) {
        const ValuePlace& place = places_[member][i];
        const Node root = find_root(parent_, place_node(member, i));
        const std::uint32_t domain = solver_.domains_.of(place.column);
        auto known = value_of.find(root);
        if (known == value_of.end()) {
          LiteralId value = at(member, place);
          const auto is_free = [&](LiteralId other) {
            return !used.contains({domain, other}) && !own.contains({domain, other});
          };
          // A row that a member finds by one key and changes by another is one row: where rows meet, what need not be
          // unlike stays as it is.
          const bool apart = !together_.contains(classes_.schema.column(place.column).table);
          const std::vector<LiteralId>& constants = classes_.classes[raw(cycle_.members[member])].constants;
          const bool is_constant = place.variable < constants.size() && constants[place.variable] != kNoLiteral;
          if (place.variable != kNoVariable && !is_constant && names_rows(place.column) &&
              ((apart && used.contains({domain, value})) || own.contains({domain, value})))
            value = another(member, place, value, is_free);
          value = among_names(root, value, is_free);
          known = value_of.emplace(root, value).first;
        }
        at(member, place) = known->second;
        own.emplace(domain, known->second);
      }
      used.insert(own.begin(), own.end());
    }
  }

  // A value that other transactions of the class have there; else, of a number, the next that is free.
  template <typename Free>
  LiteralId another(std::uint32_t member, const ValuePlace& place, LiteralId value, Free&& is_free) {
    const ClassId id = cycle_.members[member];
    const TransactionClass& one = classes_.classes[raw(id)];
    TraceLog& log = solver_.log_;
    const std::uint32_t offset =
        one.example_statements[place.statement] - log.transactions[one.example].first_statement;
    for (const std::uint32_t actor : solver_.actors_.of(id)) {
      const TraceStatement& statement = log.statements[log.transactions[actor].first_statement + offset];
      const LiteralId other = log.literals_of(statement)[place.literal];
      if (is_free(other)) return other;
    }
    const std::optional<std::int64_t> number = number_of(value);
    for (std::int64_t more = 1; number && more < kMostNewValues; ++more) {
      const LiteralId other = log.shapes.intern_literal(std::to_string(*number + more));
      if (is_free(other)) return other;
    }
    return value;
  }

  [[nodiscard]] std::optional<std::int64_t> number_of(LiteralId value) const {
    const std::string_view text = solver_.log_.shapes.literal(value);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  // Members that ask the same take the same row, where the trace has it so.
  bool answers_alike() {
    std::map<std::vector<std::uint32_t>, std::vector<LiteralId>> taken;  // by question, and what is asked for
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      std::map<std::uint32_t, LiteralId> value_of;  // by variable
      for (const ValuePlace& place : places_[member]) {
        if (place.variable != kNoVariable) value_of.emplace(place.variable, at(member, place));
      }
      for (const Choice& choice : classes_.classes[raw(cycle_.members[member])].choices) {
        if (choice.one_answer == kNone32) continue;
        std::vector<std::uint32_t> question = {choice.one_answer};
        std::vector<LiteralId> key;
        for (const ClassRowKey& asked : choice.arguments) {
          if (const auto value = value_of.find(asked.variable); value != value_of.end())
            question.push_back(raw(value->second));
        }
        for (const ClassRowKey& part : choice.key) {
          if (const auto value = value_of.find(part.variable); value != value_of.end()) key.push_back(value->second);
        }
        if (question.size() != choice.arguments.size() + 1 || key.size() != choice.key.size()) continue;
        const auto [first, is_new] = taken.try_emplace(std::move(question), key);
        if (!is_new && first->second != key) return false;
      }
    }
    return true;
  }

  // Rows of two members that these values make the same.
  std::vector<Correlation::SameRow> same_rows() {
    std::vector<std::map<std::uint32_t, LiteralId>> value_of(places_.size());  // by variable
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      for (const ValuePlace& place : places_[member]) {
        if (place.variable != kNoVariable) value_of[member].emplace(place.variable, at(member, place));
      }
    }
    struct Named {
      std::uint32_t member, rows;
    };
    std::map<std::vector<std::uint32_t>, std::vector<Named>> named;  // by key and values
    for (std::uint32_t member = 0; member < places_.size(); ++member) {
      const RowFacts::OfClass& of = solver_.facts_.rows().of(cycle_.members[member]);
      for (const RowFacts::WholeKey& key : of.keys) {
        std::vector<std::uint32_t> name = {key.key};
        for (std::uint32_t i = 0; i < key.size; ++i) {
          const auto value = value_of[member].find(of.variables[key.first + i]);
          if (value != value_of[member].end()) name.push_back(raw(value->second));
        }
        if (name.size() == key.size + 1) named[name].push_back({member, key.rows});
      }
    }
    std::vector<Correlation::SameRow> out;
    for (const auto& [name, all] : named) {
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].member != all[0].member) out.push_back({all[0].member, all[0].rows, all[i].member, all[i].rows});
      }
    }
    return out;
  }

  StoryValueSolver& solver_;
  const Classes& classes_;
  const Cycle& cycle_;
  std::vector<Literals> literals_;           // by member
  std::vector<std::uint32_t> transactions_;  // of the log, likewise
  bool as_seen_;
  Answers answers_;
  std::set<TableId> together_;                   // tables whose values are left as they are
  std::vector<std::vector<ValuePlace>> places_;  // by member
  std::vector<std::uint32_t> first_variable_, first_place_;
  std::size_t variables_ = 0, count_ = 0;
  std::vector<Node> parent_;
  std::map<Node, std::vector<LiteralId>> names_;  // by root: the only values that it may have
};

std::optional<StoryValues> StoryValueSolver::attempt(const Cycle& cycle, const std::vector<Actor>& actors,
                                                     const Manner& manner) {
  return Attempt(*this, cycle, actors, manner).solve();
}

}  // namespace isolde::audit
