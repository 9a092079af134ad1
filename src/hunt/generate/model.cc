#include "hunt/generate/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hunt/case/dialects.h"
#include "hunt/generate/domain.h"

namespace isolde::hunt::generate {
namespace {

using sql::Kind;
using sql::make;
using sql::NodePtr;
using sql::Type;

NodePtr column(const Column& of, const std::string& alias = {}) {
  return sql::read_out(of.form, of.type, alias, of.name);
}

class SchemaDraw {
 public:
  SchemaDraw(Rng& rng, const GenerateOptions& options) : rng_(rng), options_(options) {}

  Model take() {
    const db::Grammar& grammar = options_.grammar();
    foreign_keys_ = has(options_.foreign_keys) && grammar.has_foreign_keys;
    generated_columns_ = has(options_.generated_columns) && grammar.has_generated_columns;
    triggers_ = has(options_.triggers) && grammar.triggers != db::Triggers::kNone;
    const db::Partitions parts = grammar.partitions;
    const bool can_part = parts == db::Partitions::kTables || (parts == db::Partitions::kClause && !foreign_keys_);
    partitions_ = has(options_.partitions) && can_part;
    const std::uint32_t most = std::max(options_.most_tables, 1U);
    const std::int64_t count = percent(rng_, 20) ? 1 : rng_.between(std::min(2U, most), most);
    for (std::int64_t t = 0; t < count; ++t) draw_table();
    if (has(options_.views)) draw_views();
    Schema& schema = model_.schema;
    for (auto view = schema.views.rbegin(); view != schema.views.rend(); ++view)
      schema.drops.push_back("drop view if exists " + view->name);
    for (auto table = schema.tables.rbegin(); table != schema.tables.rend(); ++table)
      schema.drops.push_back("drop table if exists " + table->name);
    return std::move(model_);
  }

 private:
  // Whether the schema has something that was asked for, or comes up now and then.
  bool has(bool asked) { return asked || (options_.features > 0 && percent(rng_, options_.features)); }

  void draw_table() {
    Table table;
    table.name = fmt::format("{}t{}", kPrefix, model_.tables.size());
    Relation relation{.name = table.name};
    relation.columns = {{.name = "pkey", .nullable = false}, {.name = "vkey", .nullable = false}};
    bool without_rowid = false;
    std::vector<std::string> parts = {pkey_definition(without_rowid),
                                      fmt::format("vkey {} not null", written_type(Type::kInteger))};
    draw_columns(relation, parts);
    relation.partitioned = partitions_ && percent(rng_, 60);
    if (relation.partitioned) table.partitions = static_cast<std::uint32_t>(rng_.between(2, 4));
    if (triggers_ && percent(rng_, 60)) {
      Column& of = add(relation, Type::kInteger);
      of.generated = true;
      parts.push_back(fmt::format("{} {}", of.name, written_type(of.type)));
      table.trigger = {of.name, relation.columns[2].name};
    }
    for (const Column& of : relation.columns) {
      table.columns.push_back(of.name);
      if (!of.generated) table.inserted.push_back(of.name);
      if (of.parent.empty()) continue;
      const bool cascades = percent(rng_, 50);
      table.foreign_keys.push_back({of.name, of.parent, cascades});
      parts.push_back(fmt::format("foreign key ({}) references {} (pkey){}", of.name, of.parent,
                                  cascades ? " on delete cascade" : ""));
    }
    table.create = fmt::format("create table {} ({}){}{}", table.name, fmt::join(parts, ", "),
                               sql::table_options(options_.dialect), without_rowid ? " without rowid" : "");
    draw_indexes(relation);
    draw_rows(relation, table);
    model_.schema.tables.push_back(std::move(table));
    model_.tables.push_back(std::move(relation));
  }

  [[nodiscard]] std::string_view written_type(Type type) const { return sql::column_type(type, options_.dialect); }

  // SQLite keeps a table by rowid, by rowid under the primary key's name, or by primary key.
  std::string pkey_definition(bool& without_rowid) {
    if (!options_.grammar().has_rowids)
      return fmt::format("pkey {} not null primary key", written_type(Type::kInteger));
    const std::uint64_t how = rng_.below(4);
    without_rowid = how == 0;
    return how == 1 ? "pkey bigint not null primary key" : "pkey integer not null primary key";
  }

  void draw_columns(Relation& relation, std::vector<std::string>& parts) {
    static constexpr std::array<Type, 10> kTypes = {Type::kInteger, Type::kInteger, Type::kInteger, Type::kInteger,
                                                    Type::kText,    Type::kText,    Type::kDecimal, Type::kDecimal,
                                                    Type::kBoolean, Type::kDate};
    const std::int64_t count = rng_.between(2, 6);
    for (std::int64_t c = 0; c < count; ++c) {
      Column& of = add(relation, c == 0 ? Type::kInteger : kTypes[rng_.below(kTypes.size())]);
      of.nullable = !percent(rng_, 15);
      if (c > 0 && percent(rng_, 20)) of.form = sql::form_for(of.type);
      const std::string_view type =
          of.form == sql::Form::kPlain ? written_type(of.type) : sql::column_type(of.form, options_.dialect);
      parts.push_back(fmt::format("{} {}{}", of.name, type, of.nullable ? "" : " not null"));
    }
    if (foreign_keys_ && !model_.tables.empty() && percent(rng_, 70)) {
      Column& of = add(relation, Type::kInteger);
      of.parent = model_.tables[rng_.below(model_.tables.size())].name;
      parts.push_back(fmt::format("{} {}", of.name, written_type(of.type)));
    }
    if (generated_columns_ && percent(rng_, 60)) {
      const NodePtr base = column(relation.columns[2]);
      const NodePtr value = percent(rng_, 50)
                                ? make(Kind::kCall, Type::kInteger, "coalesce", {base, integer(rng_.between(0, 8))})
                                : make(Kind::kBinary, Type::kInteger, "%", {base, integer(rng_.between(2, 5))});
      Column& of = add(relation, Type::kInteger);
      of.generated = true;
      const bool kept = !options_.grammar().has_virtual_columns || percent(rng_, 50);
      parts.push_back(fmt::format("{} {} generated always as ({}) {}", of.name, written_type(of.type),
                                  sql::print(*value, options_.dialect), kept ? "stored" : "virtual"));
    }
  }

  static Column& add(Relation& relation, Type type) {
    relation.columns.push_back({.name = fmt::format("c{}", relation.columns.size() - 2), .type = type});
    return relation.columns.back();
  }

  void draw_indexes(Relation& relation) {
    bool unique = false;
    const std::int64_t count = percent(rng_, 15) ? 0 : rng_.between(1, 3);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string name = fmt::format("{}i{}", kPrefix, indexes_++);
      Column& first = relation.columns[1 + rng_.below(relation.columns.size() - 1)];
      const bool plain = first.type == Type::kInteger && first.form == sql::Form::kPlain && first.name != "vkey" &&
                         !first.generated && first.parent.empty();
      if (plain && !unique && !relation.partitioned && percent(rng_, 8)) {
        unique = first.unique = true;
        model_.schema.more.push_back(fmt::format("create unique index {} on {} ({})", name, relation.name, first.name));
        continue;
      }
      if (!can_be_indexed(first)) continue;
      model_.schema.more.push_back(
          fmt::format("create index {} on {} {}", name, relation.name, index_columns(relation, first, plain)));
    }
  }

  // By its name: MariaDB's JSON is a text without a length.
  [[nodiscard]] bool can_be_indexed(const Column& of) const {
    return of.form != sql::Form::kJson || options_.grammar().indexes_json;
  }

  std::string index_columns(const Relation& relation, const Column& first, bool plain) {
    const bool rich = options_.grammar().indexes_expressions;
    const bool in_part = options_.grammar().indexes_parts;
    // As expressions see it; SQLite does not trust date() to be a function of the row.
    const bool by_value = first.form != sql::Form::kPlain && first.form != sql::Form::kMoment;
    if (rich && by_value && percent(rng_, 70))
      return fmt::format("(({}))", sql::print(*column(first), options_.dialect));
    if (rich && plain && percent(rng_, 20)) return fmt::format("(({} + 1))", first.name);
    if (options_.grammar().has_hash_indexes && percent(rng_, 10)) return fmt::format("using hash ({})", first.name);
    const bool descends = percent(rng_, 15) && options_.server_version >= options_.rules().first_descending;
    std::string columns = first.name + (descends ? " desc" : "");
    if (percent(rng_, 40)) {
      const Column& second = relation.columns[rng_.below(relation.columns.size())];
      if (second.name != first.name && can_be_indexed(second)) columns += ", " + second.name;
    }
    if (!in_part || !percent(rng_, 20)) return fmt::format("({})", columns);
    return fmt::format("({}) where {} > {}", columns, relation.columns[2].name, rng_.between(0, 4));
  }

  void draw_rows(Relation& relation, Table& table) {
    const std::int64_t most = std::max<std::int64_t>(options_.most_rows, 1);
    const std::int64_t count = rng_.between(std::min<std::int64_t>(5, most), most);
    for (std::int64_t pkey = 1; pkey <= count; ++pkey) {
      std::vector<NodePtr> cells;
      std::vector<std::string> row;
      for (const Column& of : relation.columns) {
        cells.push_back(of.generated ? nullptr : cell(of, pkey));
        if (!of.generated)
          row.push_back(cells.back()->text == "null"
                            ? "null"
                            : sql::literal_in(of.form, sql::print(*cells.back(), options_.dialect)));
      }
      relation.cells.push_back(std::move(cells));
      table.rows.push_back(std::move(row));
    }
  }

  NodePtr cell(const Column& of, std::int64_t pkey) {
    if (of.name == "pkey") return integer(pkey);
    if (of.name == "vkey") return integer(++last_vkey_);
    if (of.nullable && percent(rng_, 18)) return null_of(of.type);
    if (of.unique) return integer(pkey);
    if (!of.parent.empty()) {
      const auto parent = std::find_if(model_.tables.begin(), model_.tables.end(),
                                       [&](const Relation& table) { return table.name == of.parent; });
      return integer(rng_.between(1, parent->rows()));
    }
    return draw_literal(rng_, of.type);
  }

  // One over a part of a table, and one over groups or over two tables.
  void draw_views() {
    const Relation& table = model_.tables[rng_.below(model_.tables.size())];
    const Relation& other = model_.tables[rng_.below(model_.tables.size())];
    const NodePtr a = make(Kind::kTable, Type::kNone, table.name, {}, "a");
    const NodePtr b = make(Kind::kTable, Type::kNone, other.name, {}, "b");

    std::vector<Item> all;
    for (const Column& of : table.columns) all.push_back({of.name, column(of, "a")});
    const NodePtr part =
        make(Kind::kBinary, Type::kBoolean, ">", {column(table.columns[2], "a"), integer(rng_.between(0, 4))});
    add_view(all, true, {table.name}, a, part, nullptr);

    const NodePtr grouped = column(other.columns[2], "b");
    if (percent(rng_, 50)) {
      add_view({{"c0", grouped}, {"c1", make(Kind::kAggregate, Type::kInteger, "count", {nullptr})}}, false,
               {other.name}, b, nullptr, make(Kind::kList, Type::kNone, "", {grouped}));
      return;
    }
    std::vector<std::string> reads = {table.name};
    if (other.name != table.name) reads.push_back(other.name);
    const NodePtr on =
        make(Kind::kBinary, Type::kBoolean, "=", {column(table.columns[0], "a"), column(other.columns[0], "b")});
    add_view({{"pkey", column(table.columns[0], "a")},
              {"vkey", column(table.columns[1], "a")},
              {"c0", column(table.columns[2], "a")},
              {"c1", grouped}},
             true, reads, make(Kind::kJoin, Type::kNone, "left join", {a, b, on}), nullptr, nullptr);
  }

  struct Item {
    std::string name;
    NodePtr value;
  };
  void add_view(const std::vector<Item>& items, bool keyed, std::vector<std::string> reads, NodePtr from, NodePtr where,
                NodePtr groups) {
    View view;
    view.name = fmt::format("{}v{}", kPrefix, model_.views.size());
    view.reads = std::move(reads);
    Relation relation{.name = view.name, .keyed = keyed};
    std::vector<NodePtr> nodes;
    for (const Item& item : items) {
      view.columns.push_back(item.name);
      relation.columns.push_back({.name = item.name, .type = item.value->type});
      nodes.push_back(make(Kind::kItem, item.value->type, "", {item.value}, item.name));
    }
    const NodePtr query = make(Kind::kSelect, Type::kNone, "",
                               {make(Kind::kList, Type::kNone, "", std::move(nodes)), std::move(from), std::move(where),
                                std::move(groups), nullptr, nullptr, nullptr});
    view.create = fmt::format("create view {} as {}", view.name, sql::print(*query, options_.dialect));
    model_.views.push_back(std::move(relation));
    model_.schema.views.push_back(std::move(view));
  }

  Rng& rng_;
  const GenerateOptions& options_;
  Model model_;
  bool foreign_keys_ = false, generated_columns_ = false, triggers_ = false, partitions_ = false;  // of this schema
  std::uint32_t indexes_ = 0;
  std::int64_t last_vkey_ = 0;
};

}  // namespace

Model draw_model(Rng& rng, const GenerateOptions& options) { return SchemaDraw(rng, options).take(); }

}  // namespace isolde::hunt::generate
