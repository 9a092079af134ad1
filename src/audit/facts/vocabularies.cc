#include "audit/facts/vocabularies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "audit/facts/occurrences.h"
#include "audit/facts/same_rows.h"
#include "audit/schema/entries.h"

namespace isolde::audit {
namespace {

using NameSet = std::set<LiteralId>;

// The names of one row set of one shape.
struct ShapeNames {
  NameSet names;
  std::uint64_t times = 0;
  bool made_up = false;
};

class VocabularyFinder {
 public:
  VocabularyFinder(const TraceLog& log, const Forms& forms, Classes& classes)
      : log_(log), forms_(forms), classes_(classes), values_(log, classes.statements) {
    const std::vector<EntryColumns> entries = entry_columns(classes.schema);
    const RowFacts facts(classes);
    for (std::uint32_t table = 0; table < entries.size(); ++table) {
      const ColumnId name = entries[table].name;
      name_of_.push_back(name != kNoColumn && facts.stable(name) ? name : kNoColumn);
    }
  }

  void run() {
    if (std::ranges::all_of(name_of_, [](ColumnId column) { return column == kNoColumn; })) return;
    count();
    classes_.vocabulary_facts.assign(classes_.schema.columns(), kNone32);
    std::map<ColumnId, std::uint64_t> statements;
    std::map<ColumnId, NameSet> names;
    for (const auto& [place, of] : shapes_) {
      const ColumnId column = name_of_[raw(classes_.statements[place.first].row_sets[place.second].table)];
      statements[column] += of.times;
      names[column].insert(of.names.begin(), of.names.end());
    }
    for (const auto& [column, times] : statements) {
      classes_.vocabulary_facts[raw(column)] = static_cast<std::uint32_t>(classes_.facts.size());
      classes_.facts.push_back(
          {FactKind::kVocabulary, true, classes_.schema.column(column).table, times,
           fmt::format(
               "a statement takes no other {} than those that the trace has with it ({} names in {} statements)",
               classes_.schema.full_name(column), names[column].size(), times)});
    }
    for (std::size_t id = 0; id < classes_.classes.size(); ++id) look_at(classes_.classes[id], forms_.groups[id]);
  }

 private:
  void count() {
    for (std::uint32_t i = 0; i < log_.statements.size(); ++i) {
      const std::vector<RowSet>& all = values_.meaning(i).row_sets;
      for (std::uint32_t set = 0; set < all.size(); ++set) {
        const ColumnId column = name_of_[raw(all[set].table)];
        const LiteralId name = column == kNoColumn ? kNoLiteral : values_.value(i, all[set], column);
        if (name == kNoLiteral) continue;
        ShapeNames& of = shapes_[{raw(log_.statements[i].shape), set}];
        ++of.times;
        of.names.insert(name);
        const std::string_view text = log_.shapes.literal(name);
        if (std::ranges::none_of(text, [](char c) { return c >= '0' && c <= '9'; })) continue;
        of.made_up = true;
        made_up_[column].insert(name);
      }
    }
  }

  // What a row set of the class may be called: the names of all shapes that its statement has.
  void look_at(TransactionClass& one, const FormGroup& group) {
    const std::vector<RowsPlace> places = places_of_rows(one);
    struct NamePlace {
      RowsPlace place;
      std::uint32_t variable;
      NameSet names = {};
      bool any = false;
    };
    std::multimap<std::uint32_t, NamePlace> at;  // by position
    for (std::uint32_t rows = 0; rows < one.rows.size(); ++rows) {
      const ColumnId column = name_of_[raw(one.rows[rows].table)];
      const std::uint32_t variable = column == kNoColumn ? kNoVariable : variable_in(one.rows[rows], column);
      if (variable == kNoVariable || places[rows].statement == kNone32) continue;
      at.emplace(one.positions[places[rows].statement], NamePlace{places[rows], variable});
    }
    if (at.empty()) return;
    std::set<std::pair<std::uint32_t, ShapeId>> seen;
    for_each_transaction(log_, forms_, group, [&](std::uint32_t, std::span<const Occurrence> all) {
      for (const Occurrence& here : all) {
        const auto [first, last] = at.equal_range(here.position);
        const ShapeId shape = log_.statements[here.statement].shape;
        if (first == last || !seen.emplace(here.position, shape).second) continue;
        for (auto place = first; place != last; ++place) {
          const Statement& statement = values_.meaning(here.statement);
          const std::uint32_t set = statement.accesses[place->second.place.access].row_set;
          const auto known = shapes_.find({raw(shape), set});
          if (known == shapes_.end()) {
            place->second.any = true;
            continue;
          }
          place->second.names.insert(known->second.names.begin(), known->second.names.end());
          if (!known->second.made_up) continue;
          const NameSet& made_up = made_up_[name_of_[raw(statement.row_sets[set].table)]];
          place->second.names.insert(made_up.begin(), made_up.end());
        }
      }
    });
    one.vocabularies.resize(one.variables);
    for (const auto& [position, place] : at) {
      if (place.any || place.names.empty()) continue;
      std::vector<LiteralId> names(place.names.begin(), place.names.end());
      std::vector<LiteralId>& known = one.vocabularies[place.variable];
      const CommonNames common = names_in_common(known, names);
      if (!common.none) known = common.names;
    }
  }

  const TraceLog& log_;
  const Forms& forms_;
  Classes& classes_;
  TraceValues values_;
  std::vector<ColumnId> name_of_;                                         // by table
  std::map<std::pair<std::uint32_t, std::uint32_t>, ShapeNames> shapes_;  // by shape and row set
  std::map<ColumnId, NameSet> made_up_;                                   // names with a digit
};

}  // namespace

void find_vocabularies(const TraceLog& log, const Forms& forms, Classes& classes) {
  VocabularyFinder(log, forms, classes).run();
}

CommonNames names_in_common(std::span<const LiteralId> a, std::span<const LiteralId> b) {
  CommonNames out;
  if (a.empty() || b.empty()) {
    const std::span<const LiteralId> known = a.empty() ? b : a;
    out.names.assign(known.begin(), known.end());
    return out;
  }
  std::ranges::set_intersection(a, b, std::back_inserter(out.names));
  out.none = out.names.empty();
  return out;
}

std::span<const LiteralId> names_of(const TransactionClass& one, std::uint32_t variable) {
  if (variable < one.constants.size() && one.constants[variable] != kNoLiteral)
    return std::span(&one.constants[variable], 1);
  if (variable < one.vocabularies.size()) return one.vocabularies[variable];
  return {};
}

std::uint32_t fact_that_parts(const Classes& classes, ClassId a, const ClassRows& rows_a, ClassId b,
                              const ClassRows& rows_b) {
  for (const ClassRowKey& key : rows_a.keys) {
    const std::uint32_t fact = raw(key.column) < classes.vocabulary_facts.size()
                                   ? classes.vocabulary_facts[raw(key.column)]
                                   : std::uint32_t{kNone32};
    if (fact == kNone32) continue;
    const std::uint32_t other = variable_in(rows_b, key.column);
    if (key.variable == kNoVariable || other == kNoVariable) continue;
    const TransactionClass &one = classes.classes[raw(a)], &two = classes.classes[raw(b)];
    if (names_in_common(names_of(one, key.variable), names_of(two, other)).none) return fact;
  }
  return kNone32;
}

}  // namespace isolde::audit
