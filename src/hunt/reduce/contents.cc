// What the schema has: tables, views, indexes, columns, constraints, rows and their cells. Every attempt makes a
// schema.
#include <algorithm>
#include <functional>
#include <utility>

#include "hunt/finding/schema_text.h"
#include "hunt/reduce/session.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt {
namespace {

bool kept_has(const std::vector<std::size_t>& kept, std::size_t i) {
  return std::binary_search(kept.begin(), kept.end(), i);
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The statements know which tables they read, and that may have become fewer.
void look_again(Finding& finding) {
  const Schema& schema = finding.test.schema;
  const auto is_gone = [&](const std::string& name) {
    return std::none_of(schema.tables.begin(), schema.tables.end(), [&](const Table& t) { return t.name == name; });
  };
  for (Transaction& transaction : finding.test.transactions) {
    for (Statement& statement : transaction.statements) {
      if (statement.tree) {
        statement = sql::with_tree(statement, statement.tree, schema, finding.dialect);
      } else {
        std::erase_if(statement.reads, is_gone);
        std::erase_if(statement.writes, is_gone);
      }
    }
  }
}

bool attempt_schema(Reduction& reduction, Schema schema) {
  Finding candidate = reduction.best();
  candidate.test.schema = std::move(schema);
  look_again(candidate);
  return reduction.attempt(candidate);
}

bool is_named(const Case& test, std::string_view name) {
  for (const Transaction& transaction : test.transactions)
    for (const Statement& statement : transaction.statements)
      if (has_word(statement.sql, name)) return true;
  return false;
}

// One thing that can be taken from a schema; false: not any more.
using Removal = std::function<bool(Schema&)>;

Table* table_named(Schema& schema, std::string_view name) {
  const auto table =
      std::find_if(schema.tables.begin(), schema.tables.end(), [&](const Table& t) { return t.name == name; });
  return table == schema.tables.end() ? nullptr : &*table;
}

std::vector<Removal> removals_from(const Table& table) {
  std::vector<Removal> all;
  const auto in_table = [&](auto remove, std::string what) {
    all.push_back([name = table.name, remove, what = std::move(what)](Schema& schema) {
      Table* const found = table_named(schema, name);
      return found != nullptr && remove(*found, what);
    });
  };
  const auto create = parse_create_table(table.create);
  if (table.partitions > 0)
    in_table([](Table& of, const std::string&) { return std::exchange(of.partitions, 0U) > 0; }, "");
  if (table.trigger)
    in_table([](Table& of, const std::string&) { return std::exchange(of.trigger, std::nullopt).has_value(); }, "");
  if (!create) return all;
  for (std::size_t i = 2; i < table.columns.size(); ++i) in_table(remove_column, table.columns[i]);
  // After the columns, because the last are tried first.
  for (std::size_t i = 2; i < table.columns.size(); ++i)
    if (Table copy = table; remove_not_null(copy, table.columns[i])) in_table(remove_not_null, table.columns[i]);
  for (const ForeignKey& key : table.foreign_keys) in_table(remove_reference, key.column);
  for (const std::string& part : create->parts) {
    const std::vector<std::string> words = words_in_sql(part);
    if (!words.empty() && !contains(table.columns, words[0]) && !has_word(part, "primary"))
      in_table(remove_constraint, part);
  }
  return all;
}

constexpr std::string_view kUnique = "create unique index ";

// Of an index: that it is unique, and its columns.
std::vector<Removal> removals_from_index(const std::string& sql) {
  std::vector<Removal> all;
  const auto index = parse_create_table(sql);
  if (!index) return all;
  // The index is told by what stands before its columns, which changes when it is unique no more.
  const auto is_same = [before = index->before](const CreateTable& other) {
    return other.before == before ||
           (before.starts_with(kUnique) && other.before == "create index " + before.substr(kUnique.size()));
  };
  const auto in_index = [is_same](Schema& schema, const auto& remove) {
    for (std::string& more : schema.more) {
      auto found = parse_create_table(more);
      if (!found || !is_same(*found) || !remove(*found)) continue;
      more = found->text();
      return true;
    }
    return false;
  };
  for (const std::string& column : index->parts) {
    all.push_back([in_index, column](Schema& schema) {
      return in_index(
          schema, [&](CreateTable& found) { return found.parts.size() > 1 && std::erase(found.parts, column) == 1; });
    });
  }
  if (index->before.starts_with(kUnique)) {
    all.push_back([in_index](Schema& schema) {
      return in_index(schema, [&](CreateTable& found) {
        if (!found.before.starts_with(kUnique)) return false;
        found.before = "create index " + found.before.substr(kUnique.size());
        return true;
      });
    });
  }
  return all;
}

// Simpler values than a cell's, the simplest first; empty: it is simple enough.
std::vector<std::string> simpler_cells(const std::string& cell) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (cell == "0" || cell == "1" || cell == "''" || cell.empty()) return {};
  if (is_digit(cell[0]) || cell[0] == '-' || (cell[0] == '(' && cell.size() > 1 && cell[1] == '-')) return {"0", "1"};
  const std::size_t quote = cell.find('\'');
  if (quote == std::string::npos) return {};
  const bool is_date = cell.size() > quote + 5 && is_digit(cell[quote + 1]) && cell[quote + 5] == '-';
  if (is_date) {
    std::string date = cell.substr(0, quote) + "'2024-01-01'";
    return date == cell ? std::vector<std::string>{} : std::vector<std::string>{std::move(date)};
  }
  if (cell == "'a'") return {"''"};
  return {"''", "'a'"};
}

}  // namespace

bool drop_objects(Reduction& reduction) {
  const Finding base = reduction.best();
  const Schema& all = base.test.schema;
  // Those that statements name stay. What depends on others comes after them, and the last are tried first.
  struct Part {
    std::size_t table = SIZE_MAX, view = SIZE_MAX, more = SIZE_MAX;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < all.tables.size(); ++i)
    if (!is_named(base.test, all.tables[i].name)) parts.push_back({.table = i});
  for (std::size_t i = 0; i < all.views.size(); ++i)
    if (!is_named(base.test, all.views[i].name)) parts.push_back({.view = i});
  for (std::size_t i = 0; i < all.more.size(); ++i) parts.push_back({.more = i});
  return drop_parts(parts.size(), 0, reduction, [&](const std::vector<std::size_t>& kept) {
    Schema schema = all;
    for (std::size_t i = parts.size(); i-- > 0;) {
      if (kept_has(kept, i)) continue;
      const auto erase = [](auto& list, std::size_t at) {
        if (at != SIZE_MAX) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      };
      erase(schema.tables, parts[i].table);
      erase(schema.views, parts[i].view);
      erase(schema.more, parts[i].more);
    }
    return attempt_schema(reduction, std::move(schema));
  });
}

bool drop_rows(Reduction& reduction) {
  const Schema all = reduction.best().test.schema;
  std::size_t count = 0;
  for (const Table& table : all.tables) count += table.rows.size();
  return drop_parts(count, 0, reduction, [&](const std::vector<std::size_t>& kept) {
    Schema schema = all;
    std::size_t i = 0;
    for (Table& table : schema.tables)
      std::erase_if(table.rows, [&](const std::vector<std::string>&) { return !kept_has(kept, i++); });
    return attempt_schema(reduction, std::move(schema));
  });
}

bool drop_columns(Reduction& reduction) {
  const Schema all = reduction.best().test.schema;
  std::vector<Removal> removals;
  for (const Table& table : all.tables)
    for (Removal& removal : removals_from(table)) removals.push_back(std::move(removal));
  for (const std::string& sql : all.more)
    for (Removal& removal : removals_from_index(sql)) removals.push_back(std::move(removal));
  return drop_parts(removals.size(), 0, reduction, [&](const std::vector<std::size_t>& kept) {
    Schema schema = all;
    bool any = false;
    // Constraints before the columns that they are about.
    for (std::size_t i = removals.size(); i-- > 0;)
      if (!kept_has(kept, i)) any = removals[i](schema) || any;
    return any && attempt_schema(reduction, std::move(schema));
  });
}

bool simplify_cells(Reduction& reduction) {
  bool any = false;
  const std::size_t tables = reduction.best().test.schema.tables.size();
  for (std::size_t t = 0; t < tables; ++t) {
    const std::size_t columns = reduction.best().test.schema.tables[t].inserted.size();
    for (std::size_t c = 0; c < columns && !reduction.over(); ++c) {
      const Table& table = reduction.best().test.schema.tables[t];
      const std::string& column = table.inserted[c];
      const bool is_key = column == "pkey" || column == "vkey" ||
                          std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                                      [&](const ForeignKey& key) { return key.column == column; });
      if (is_key) continue;
      // The whole column, else each of its cells.
      const std::size_t rows = table.rows.size();
      for (std::size_t choice = 0; choice < 2; ++choice) {
        Schema schema = reduction.best().test.schema;
        bool changed = false;
        for (std::vector<std::string>& row : schema.tables[t].rows) {
          const std::vector<std::string> simpler = simpler_cells(row[c]);
          if (choice >= simpler.size()) continue;
          row[c] = simpler[choice];
          changed = true;
        }
        if (changed && attempt_schema(reduction, std::move(schema))) any = true;
      }
      for (std::size_t r = 0; r < rows && rows > 1; ++r) {
        for (const std::string& simpler : simpler_cells(reduction.best().test.schema.tables[t].rows[r][c])) {
          Schema schema = reduction.best().test.schema;
          schema.tables[t].rows[r][c] = simpler;
          if (!attempt_schema(reduction, std::move(schema))) continue;
          any = true;
          break;
        }
      }
    }
  }
  return any;
}

bool drop_drops(Reduction& reduction) {
  Schema schema = reduction.best().test.schema;
  std::vector<std::string> known = {"drop", "table", "view", "index", "if", "exists", "cascade", "on"};
  const auto learn = [&](std::string_view sql) {
    for (std::string& word : words_in_sql(sql)) known.push_back(std::move(word));
  };
  for (const Table& table : schema.tables) learn(table.create);
  for (const std::string& sql : schema.more) learn(sql);
  for (const View& view : schema.views) learn(view.create);
  const std::size_t dropped = std::erase_if(schema.drops, [&](const std::string& sql) {
    const std::vector<std::string> words = words_in_sql(sql);
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return !contains(known, word); });
  });
  return dropped > 0 && attempt_schema(reduction, std::move(schema));
}

}  // namespace isolde::hunt
