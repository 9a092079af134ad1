// The constructs of docs/hunt-sql.md, each with its share: all of them are drawn, where the dialect has them.
// ISOLDE_HUNT_SHARES=1 prints the table that the page has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "hunt/case/dialects.h"
#include "hunt/generate/generate.h"
#include "hunt/sql/tree.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace shares_test {

using sql::Kind;
using sql::Node;

bool any_node(const Node& tree, const std::function<bool(const Node&)>& is) {
  if (is(tree)) return true;
  for (const sql::NodePtr& child : tree.children)
    if (child && any_node(*child, is)) return true;
  return false;
}

using Is = std::function<bool(const Statement&)>;
Is node_is(Kind kind, std::string text = {}) {
  return [=](const Statement& statement) {
    return any_node(*statement.tree,
                    [&](const Node& node) { return node.kind == kind && (text.empty() || node.text == text); });
  };
}
Is root_is(Kind kind, bool second_table = false) {
  return [=](const Statement& statement) {
    const Node& tree = *statement.tree;
    if (tree.kind != kind) return false;
    return !second_table || sql::child(tree, kind == Kind::kUpdate ? 2 : 1) != nullptr;
  };
}
Is lock_is(std::string text) {
  return [=](const Statement& statement) {
    return statement.tree->kind == Kind::kForUpdate && statement.tree->text == text;
  };
}
Is sent_is(Sent sent) {
  return [=](const Statement& statement) { return statement.sent == sent; };
}

constexpr unsigned kPostgres = 1, kMariadb = 2, kSqlite = 4, kAll = 7;

struct Construct {
  std::string name;
  unsigned in;  // the dialects that have it
  Is is;
};
const std::vector<Construct>& constructs() {
  static const std::vector<Construct> all = {
      {"UPDATE", kAll, root_is(Kind::kUpdate)},
      {"UPDATE with a second table", kAll, root_is(Kind::kUpdate, true)},
      {"DELETE", kAll, root_is(Kind::kDelete)},
      {"DELETE with a second table", kPostgres | kMariadb, root_is(Kind::kDelete, true)},
      {"INSERT … VALUES", kAll, root_is(Kind::kInsertRows)},
      {"INSERT … SELECT", kAll, root_is(Kind::kInsertQuery)},
      {"upsert", kAll, root_is(Kind::kUpsert)},
      {"REPLACE", kMariadb | kSqlite, root_is(Kind::kReplace)},
      {"MERGE", kPostgres, root_is(Kind::kMerge)},
      {"FOR UPDATE", kPostgres | kMariadb, lock_is("")},
      {"FOR SHARE, LOCK IN SHARE MODE", kPostgres | kMariadb, lock_is("share")},
      {"FOR KEY SHARE", kPostgres, lock_is("key share")},
      {"FOR NO KEY UPDATE", kPostgres, lock_is("no key update")},
      {"JOIN", kAll, node_is(Kind::kJoin, "join")},
      {"LEFT JOIN", kAll, node_is(Kind::kJoin, "left join")},
      {"RIGHT JOIN", kAll, node_is(Kind::kJoin, "right join")},
      {"FULL JOIN", kPostgres | kSqlite, node_is(Kind::kJoin, "full join")},
      {"NATURAL JOIN", kAll, node_is(Kind::kJoin, "natural join")},
      {"CROSS JOIN", kAll, node_is(Kind::kJoin, "cross join")},
      {"JOIN LATERAL", kPostgres, node_is(Kind::kJoin, "join lateral")},
      {"subquery as a row source", kAll, node_is(Kind::kDerived)},
      {"EXISTS", kAll, node_is(Kind::kExists)},
      {"IN (SELECT …)", kAll, node_is(Kind::kInQuery)},
      {"scalar subquery", kAll, node_is(Kind::kScalar)},
      {"aggregate", kAll, node_is(Kind::kAggregate)},
      {"window function", kAll, node_is(Kind::kWindow)},
      {"UNION, EXCEPT, INTERSECT", kAll, node_is(Kind::kSetOf)},
      {"WITH", kAll, node_is(Kind::kWith, "")},
      {"WITH RECURSIVE", kAll, node_is(Kind::kWith, "recursive")},
      {"CASE", kAll, node_is(Kind::kCase)},
      {"LIKE", kAll, node_is(Kind::kLike)},
      {"regular expression", kAll, node_is(Kind::kBinary, "matches")},
      {"floating point in an expression", kAll, node_is(Kind::kCall, "half")},
      {"JSON in an expression", kAll, node_is(Kind::kCall, "json_text")},
      {"time in an expression", kAll, node_is(Kind::kCall, "seconds")},
      {"column of floating point read", kAll, node_is(Kind::kCall, "float_out")},
      {"column of JSON read", kAll, node_is(Kind::kCall, "json_out")},
      {"column of date and time read", kAll, node_is(Kind::kCall, "moment_out")},
      {"column of floating point written", kAll, node_is(Kind::kCall, "float_in")},
      {"column of JSON written", kAll, node_is(Kind::kCall, "json_in")},
      {"column of date and time written", kAll, node_is(Kind::kCall, "moment_in")},
      {"sent as a prepared statement", kPostgres | kMariadb, sent_is(Sent::kPrepared)},
      {"read by a cursor", kPostgres, sent_is(Sent::kCursor)},
      {"between SAVEPOINT and RELEASE", kAll, sent_is(Sent::kSavepoint)},
      {"after another, undone by ROLLBACK TO SAVEPOINT", kAll,
       [](const Statement& statement) { return !statement.undone.empty(); }},
  };
  return all;
}

struct Shares {
  std::uint64_t statements = 0, schemas = 0;
  std::map<std::string, std::uint64_t> of_statements, of_schemas;
};

void look_at(const Schema& schema, Shares& shares) {
  ++shares.schemas;
  bool keys = false, cascades = false, trigger = false, parts = false, generated = false;
  for (const Table& table : schema.tables) {
    for (const ForeignKey& key : table.foreign_keys) (key.cascades ? cascades : keys) = true;
    trigger |= table.trigger.has_value();
    parts |= table.partitions > 0;
    generated |= table.create.find(" generated always as ") != std::string::npos;
  }
  shares.of_schemas["foreign keys without ON DELETE CASCADE"] += keys ? 1 : 0;
  shares.of_schemas["ON DELETE CASCADE"] += cascades ? 1 : 0;
  shares.of_schemas["triggers"] += trigger ? 1 : 0;
  shares.of_schemas["partitioned tables"] += parts ? 1 : 0;
  shares.of_schemas["generated columns"] += generated ? 1 : 0;
  shares.of_schemas["views"] += schema.views.empty() ? 0 : 1;
}

Shares drawn(std::string_view dialect, std::uint64_t schemas) {
  GenerateOptions options;
  options.dialect = dialect;
  options.server_version = dialect == "postgres" ? 150003 : dialect == "sqlite" ? 34001 : 101119;
  options.features = kUnaskedFeatures;
  const auto generator = make_generator(options);
  Shares shares;
  for (std::uint64_t i = 0; i < schemas; ++i) {
    look_at(generator->schema(i), shares);
    for (std::uint64_t c = 0; c < 10; ++c)
      for (const Transaction& transaction : generator->test(i * 100 + c).transactions)
        for (const Statement& statement : transaction.statements) {
          ++shares.statements;
          for (const Construct& construct : constructs())
            shares.of_statements[construct.name] += construct.is(statement) ? 1 : 0;
        }
  }
  return shares;
}

TEST(HuntShares, EveryConstructIsDrawnWhereTheDialectHasIt) {
  constexpr std::string_view kNames[] = {"postgres", "mariadb", "sqlite"};
  const bool prints = std::getenv("ISOLDE_HUNT_SHARES") != nullptr;
  std::vector<Shares> all;
  for (const std::string_view dialect : kNames) all.push_back(drawn(dialect, prints ? 2000 : 150));
  std::string table;
  const auto row = [&](const std::string& name, const std::function<double(const Shares&)>& share, unsigned in) {
    table += fmt::format("| {} |", name);
    for (unsigned d = 0; d < 3; ++d)
      table += (in & (1U << d)) != 0 ? fmt::format(" {:.1f} |", 100 * share(all[d])) : std::string(" – |");
    table += "\n";
  };
  for (const Construct& construct : constructs()) {
    for (unsigned d = 0; d < 3; ++d) {
      const bool has = (construct.in & (1U << d)) != 0;
      EXPECT_EQ(all[d].of_statements[construct.name] > 0, has) << construct.name << ", " << kNames[d];
    }
    row(
        construct.name,
        [&](const Shares& s) {
          return static_cast<double>(s.of_statements.at(construct.name)) / static_cast<double>(s.statements);
        },
        construct.in);
  }
  for (const auto& [name, count] : all[0].of_schemas) {
    const unsigned in = name == "partitioned tables" ? kPostgres | kMariadb : kAll;
    for (unsigned d = 0; d < 3; ++d)
      EXPECT_EQ(all[d].of_schemas[name] > 0, (in & (1U << d)) != 0) << name << ", " << kNames[d];
    row(
        name,
        [&, key = name](const Shares& s) {
          return static_cast<double>(s.of_schemas.at(key)) / static_cast<double>(s.schemas);
        },
        in);
  }
  if (prints) fmt::print("{} statements\n{}", all[0].statements, table);
}

}  // namespace shares_test
}  // namespace isolde::hunt
