// What is drawn, without a server: the same from the same seed, and as hunt/case/case.h promises.
#include "hunt/generate/generate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/hash.h"
#include "hunt/sql/sound.h"
#include "hunt/sql/tree.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace generate_test {

using sql::Kind;
using sql::Node;

constexpr std::string_view kDialects[] = {"postgres", "mariadb", "sqlite"};

GenerateOptions options_for(std::string_view dialect) {
  GenerateOptions options;
  options.dialect = dialect;
  options.server_version = dialect == "postgres" ? 150003 : 0;
  return options;
}

GenerateOptions with_everything(std::string_view dialect) {
  GenerateOptions options = options_for(dialect);
  options.foreign_keys = options.generated_columns = options.views = options.triggers = options.partitions = true;
  return options;
}

void walk(const Node& tree, const std::function<void(const Node&)>& visit) {
  std::vector<const Node*> left = {&tree};
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    visit(*node);
    for (const sql::NodePtr& child : node->children)
      if (child) left.push_back(child.get());
  }
}

std::string text_of(const Case& test) {
  std::string text = fmt::format("{}\n", test.seed);
  for (const Table& table : test.schema.tables) {
    text += table.create + "\n";
    for (const auto& row : table.rows) text += fmt::format("{}\n", fmt::join(row, ", "));
  }
  for (const Transaction& transaction : test.transactions)
    for (const Statement& statement : transaction.statements) text += statement.sql + "\n";
  return text + fmt::format("{}\n", fmt::join(test.order, " "));
}

// Of the trees, not of their text: printing may change.
std::uint64_t shape_of(const Case& test) {
  std::uint64_t hash = test.transactions.size();
  const auto add = [&](std::uint64_t value) { hash = mix64(hash ^ value); };
  const auto add_text = [&](const std::string& text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  };
  for (const Table& table : test.schema.tables) add(table.rows.size() * 100 + table.columns.size());
  for (const Transaction& transaction : test.transactions)
    for (const Statement& statement : transaction.statements)
      walk(*statement.tree, [&](const Node& node) {
        add(static_cast<std::uint64_t>(node.kind) * 16 + static_cast<std::uint64_t>(node.type));
        add_text(node.text);
        add_text(node.alias);
      });
  for (const std::uint32_t turn : test.order) add(turn);
  return hash;
}

void for_cases(const GenerateOptions& options, effort::Seeds seeds, const std::function<void(const Case&)>& visit) {
  const auto generator = make_generator(options);
  bool is_first = true;
  for (const std::uint64_t seed : seeds) {
    if (std::exchange(is_first, false) || seed % 20 == 0) (void)generator->schema(seed / 20);
    visit(generator->test(seed));
  }
}
void for_the_first_cases(const GenerateOptions& options, std::uint64_t count,
                         const std::function<void(const Case&)>& visit) {
  for_cases(options, {0, count}, visit);
}

TEST(HuntGenerate, TheSameSeedGivesTheSameText) {
  for (const std::string_view dialect : kDialects)
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto one = make_generator(with_everything(dialect)), other = make_generator(with_everything(dialect));
      (void)one->schema(seed);
      (void)other->schema(seed);
      (void)other->test(seed + 1);  // what was drawn before makes no difference
      EXPECT_EQ(text_of(one->test(seed)), text_of(other->test(seed)));
    }
}

// A change of these numbers says that old seeds draw other cases now: findings keep their statements, so that is
// allowed, but it must be meant.
TEST(HuntGenerate, SeedsDrawTheSameOnEveryMachine) {
  std::map<std::string_view, std::uint64_t> shapes;
  for (const std::string_view dialect : kDialects)
    for_the_first_cases(options_for(dialect), 40,
                        [&](const Case& test) { shapes[dialect] = mix64(shapes[dialect] ^ shape_of(test)); });
  EXPECT_EQ(shapes["postgres"], 17912663269084698062UL);
  EXPECT_EQ(shapes["mariadb"], 661887602613865337UL);
  EXPECT_EQ(shapes["sqlite"], 15066015525068349361UL);
}

TEST(HuntGenerate, DifferentSeedsGiveDifferentCases) {
  std::set<std::string> texts;
  for_the_first_cases(options_for("postgres"), 1000, [&](const Case& test) { texts.insert(text_of(test)); });
  EXPECT_EQ(texts.size(), 1000U);
}

const Node& child_of(const Node& node, std::size_t i) { return *node.children[i]; }

void expect_version_assigned(const Node& assignments, std::int64_t version, const std::string& sql) {
  bool assigned = false;
  for (const sql::NodePtr& assignment : assignments.children) {
    EXPECT_NE(assignment->text, "pkey") << sql;
    if (assignment->text != "vkey") continue;
    EXPECT_EQ(child_of(*assignment, 0).text, fmt::format("{}", version)) << sql;
    assigned = true;
  }
  EXPECT_TRUE(assigned) << sql;
}

// `columns` begin with pkey and vkey.
void expect_version_inserted(const Node& columns, const Node& row, std::int64_t version, const std::string& sql) {
  ASSERT_GE(columns.children.size(), 2U) << sql;
  EXPECT_EQ(child_of(columns, 0).text, "pkey") << sql;
  EXPECT_EQ(child_of(columns, 1).text, "vkey") << sql;
  ASSERT_EQ(columns.children.size(), row.children.size()) << sql;
  const Node& value = child_of(row, 1);
  EXPECT_EQ((value.kind == Kind::kItem ? child_of(value, 0) : value).text, fmt::format("{}", version)) << sql;
}

void expect_sets_its_version(const Statement& statement) {
  const Node& tree = *statement.tree;
  switch (tree.kind) {
    case Kind::kUpdate:
      expect_version_assigned(child_of(tree, 0), statement.version, statement.sql);
      break;
    case Kind::kInsertRows:
      for (const sql::NodePtr& row : child_of(tree, 1).children)
        expect_version_inserted(child_of(tree, 0), *row, statement.version, statement.sql);
      break;
    case Kind::kInsertQuery:
      expect_version_inserted(child_of(tree, 0), child_of(child_of(tree, 1), 0), statement.version, statement.sql);
      break;
    case Kind::kUpsert:
      expect_version_inserted(child_of(tree, 0), child_of(tree, 1), statement.version, statement.sql);
      expect_version_assigned(child_of(tree, 2), statement.version, statement.sql);
      break;
    case Kind::kReplace:
      expect_version_inserted(child_of(tree, 0), child_of(tree, 1), statement.version, statement.sql);
      break;
    case Kind::kMerge:
      if (tree.children[2]) expect_version_assigned(child_of(tree, 2), statement.version, statement.sql);
      if (tree.children[3])
        expect_version_inserted(child_of(tree, 4), child_of(tree, 3), statement.version, statement.sql);
      EXPECT_TRUE(tree.children[2] || tree.children[3]) << statement.sql;
      break;
    default:
      break;
  }
}

void expect_sound(const Statement& statement) {
  EXPECT_TRUE(sql::sound(*statement.tree, sql::common_names(*statement.tree))) << statement.sql;
  walk(*statement.tree, [&](const Node& node) {
    EXPECT_TRUE(node.kind != Kind::kSelect || !sql::depends_on_order(node) || sql::is_ordered_by_keys(node))
        << statement.sql;
  });
}

// LIMIT takes the first of an order in which only equal rows are equal.
void expect_total_limits(const Statement& statement) {
  walk(*statement.tree, [&](const Node& node) {
    if (node.kind != Kind::kSelect || !node.children[6]) return;
    ASSERT_TRUE(node.children[5]) << statement.sql;
    EXPECT_EQ(child_of(node, 5).children.size(), child_of(node, 0).children.size()) << statement.sql;
  });
}

void expect_order_is_well_formed(const Case& test) {
  std::vector<std::size_t> turns(test.transactions.size(), 0);
  for (const std::uint32_t transaction : test.order) {
    ASSERT_LT(transaction, test.transactions.size());
    ++turns[transaction];
  }
  for (std::size_t t = 0; t < turns.size(); ++t) EXPECT_EQ(turns[t], test.transactions[t].statements.size() + 1);
}

void expect_what_a_case_promises(const Case& test, std::string_view dialect) {
  expect_order_is_well_formed(test);
  std::set<std::string> versions;
  std::set<std::string> names;
  for (const Table& table : test.schema.tables) {
    names.insert(table.name);
    EXPECT_EQ(table.columns[0], "pkey");
    EXPECT_EQ(table.columns[1], "vkey");
    for (const auto& row : table.rows) {
      EXPECT_EQ(row.size(), table.inserted.size());
      EXPECT_TRUE(versions.insert(row[1]).second);
    }
  }
  for (const Transaction& transaction : test.transactions) {
    EXPECT_FALSE(transaction.statements.empty());
    EXPECT_LE(transaction.statements.size(), 5U);
    for (const Statement& statement : transaction.statements) {
      const bool writes = statement.kind != StatementKind::kSelect && statement.kind != StatementKind::kSelectForUpdate;
      EXPECT_EQ(writes, !statement.writes.empty());
      EXPECT_EQ(writes, statement.version != 0);
      if (writes) {
        EXPECT_TRUE(versions.insert(fmt::format("{}", statement.version)).second) << statement.sql;
        EXPECT_EQ(statement.writes[0], statement.tree->text);
      }
      EXPECT_FALSE(statement.reads.empty()) << statement.sql;
      for (const std::string& table : statement.reads) EXPECT_TRUE(names.contains(table)) << table;
      EXPECT_FALSE(dialect == "sqlite" && statement.kind == StatementKind::kSelectForUpdate);
      EXPECT_FALSE(dialect != "postgres" && statement.kind == StatementKind::kMerge);
      expect_sets_its_version(statement);
      expect_total_limits(statement);
      expect_sound(statement);
    }
  }
}

TEST(HuntGenerate, CasesKeepTheirPromises) {
  for (const std::string_view dialect : kDialects) {
    for_cases(options_for(dialect), effort::seeds(0, 2000),
              [&](const Case& test) { expect_what_a_case_promises(test, dialect); });
    for_cases(with_everything(dialect), effort::seeds(0, 500),
              [&](const Case& test) { expect_what_a_case_promises(test, dialect); });
  }
}

// SET row by row, and SQLite's WHERE: a subquery there must not see what the statement has changed already.
TEST(HuntGenerate, AStatementDoesNotLookAtItsTargetWhereItWouldSeeItsOwnChanges) {
  for (const std::string_view dialect : {"mariadb", "sqlite"})
    for_cases(options_for(dialect), effort::seeds(0, 2000), [&](const Case& test) {
      for (const Transaction& transaction : test.transactions)
        for (const Statement& statement : transaction.statements) {
          const Node& tree = *statement.tree;
          const auto expect_not_named = [&](const Node& part) {
            walk(part, [&](const Node& node) {
              EXPECT_FALSE(node.kind == Kind::kTable && node.text == tree.text) << statement.sql;
            });
          };
          if (tree.kind == Kind::kUpdate) expect_not_named(dialect == "sqlite" ? tree : child_of(tree, 0));
          if (tree.kind == Kind::kDelete && dialect == "sqlite") expect_not_named(tree);
        }
    });
}

// Servers check a unique index row by row: whether `c0 = c0 + 1` fails depends on where the rows lie.
TEST(HuntGenerate, AUniqueColumnIsAssignedConstantsOnly) {
  std::uint64_t assigned = 0;
  const effort::Seeds seeds = effort::seeds(0, 4000);
  for_cases(options_for("postgres"), seeds, [&](const Case& test) {
    std::set<std::string> unique;  // table.column
    for (const Table& table : test.schema.tables)
      for (const std::string& more : test.schema.more)
        for (const std::string& column : table.columns)
          if (more.starts_with("create unique index") && more.ends_with(fmt::format(" on {} ({})", table.name, column)))
            unique.insert(table.name + "." + column);
    for (const Transaction& transaction : test.transactions)
      for (const Statement& statement : transaction.statements)
        walk(*statement.tree, [&](const Node& node) {
          if (node.kind != Kind::kAssignment || !unique.contains(statement.tree->text + "." + node.text)) return;
          ++assigned;
          EXPECT_EQ(child_of(node, 0).kind, Kind::kLiteral) << statement.sql;
          EXPECT_FALSE(statement.tree->kind == Kind::kMerge && statement.tree->children[3]) << statement.sql;
        });
  });
  if (seeds.size() >= 4000) {
    EXPECT_GT(assigned, 10U);
  }
}

// Two statements that insert rows with the same pkey do so because the key is one of the few shared ones.
TEST(HuntGenerate, NewRowsHaveNewKeys) {
  for_cases(options_for("postgres"), effort::seeds(0, 2000), [&](const Case& test) {
    std::set<std::string> fresh, bases;
    for (const Transaction& transaction : test.transactions)
      for (const Statement& statement : transaction.statements) {
        const Node& tree = *statement.tree;
        if (tree.kind == Kind::kInsertRows) {
          for (const sql::NodePtr& row : child_of(tree, 1).children) {
            const std::string& key = child_of(*row, 0).text;
            EXPECT_TRUE(std::stoi(key) < 104 || fresh.insert(key).second) << statement.sql;
          }
        } else if (tree.kind == Kind::kInsertQuery) {
          const Node& key = child_of(child_of(child_of(child_of(tree, 1), 0), 0), 0);  // base + pkey
          EXPECT_TRUE(bases.insert(child_of(key, 0).text).second) << statement.sql;
        } else if (tree.kind == Kind::kMerge && tree.children[3]) {
          EXPECT_TRUE(bases.insert(child_of(child_of(child_of(tree, 3), 0), 0).text).second) << statement.sql;
        }
      }
  });
}

TEST(HuntGenerate, EveryKindOfNodeIsDrawn) {
  std::map<Kind, std::uint64_t> kinds;
  std::map<std::string, std::uint64_t> texts;
  std::map<StatementKind, std::uint64_t> statements;
  std::map<Sent, std::uint64_t> sents;
  std::uint64_t rolled_back = 0, transactions = 0, seconds = 0;
  for_the_first_cases(with_everything("postgres"), 2000, [&](const Case& test) {
    for (const Transaction& transaction : test.transactions) {
      ++transactions;
      rolled_back += transaction.commits ? 0 : 1;
      for (const Statement& statement : transaction.statements) {
        ++statements[statement.kind];
        ++sents[statement.sent];
        const bool second = (statement.tree->kind == Kind::kUpdate && statement.tree->children[2]) ||
                            (statement.tree->kind == Kind::kDelete && statement.tree->children[1]);
        seconds += second ? 1 : 0;
        walk(*statement.tree, [&](const Node& node) {
          ++kinds[node.kind];
          if (node.kind != Kind::kLiteral && node.kind != Kind::kColumn) ++texts[node.text];
          if (node.kind == Kind::kSelect && node.children[3]) ++texts["group by"];
          if (node.kind == Kind::kSelect && node.children[4]) ++texts["having"];
          if (node.kind == Kind::kSelect && node.children[6]) ++texts["limit"];
        });
      }
    }
  });
  for_the_first_cases(with_everything("mariadb"), 500, [&](const Case& test) {  // what PostgreSQL does not have
    for (const Transaction& transaction : test.transactions)
      for (const Statement& statement : transaction.statements)
        if (statement.tree->kind == Kind::kReplace) ++kinds[Kind::kReplace];
  });
  for (int kind = 0; kind <= static_cast<int>(Kind::kRow); ++kind)
    EXPECT_GT(kinds[static_cast<Kind>(kind)], 0U) << "kind " << kind;
  for (const Sent sent : {Sent::kPlain, Sent::kPrepared, Sent::kCursor}) EXPECT_GT(sents[sent], 0U) << name(sent);
  EXPECT_GT(seconds, 0U);
  for (const char* text :
       {"group by",      "having",         "limit",      "distinct",  "union",        "union all", "except",
        "intersect",     "left join",      "cross join", "count",     "sum",          "min",       "max",
        "avg",           "count distinct", "row_number", "rank",      "dense_rank",   "lag",       "lead",
        "coalesce",      "nullif",         "not",        "-",         "and",          "or",        "is distinct from",
        "hunt_v0",       "hunt_v1",        "right join", "full join", "natural join", "share",     "key share",
        "no key update", "matches",        "json_text",  "half",      "seconds",      "add_hours"})
    EXPECT_GT(texts[text], 0U) << text;
  std::uint64_t all = 0;
  for (const auto& [kind, count] : statements) all += count;
  for (int kind = 0; kind <= static_cast<int>(StatementKind::kMerge); ++kind)
    EXPECT_GT(statements[static_cast<StatementKind>(kind)] * 100, all) << name(static_cast<StatementKind>(kind));
  EXPECT_NEAR(static_cast<double>(rolled_back) / static_cast<double>(transactions), 0.15, 0.03);
}

TEST(HuntGenerate, TheShareOfWritesIsAsAskedFor) {
  for (const std::uint32_t writes : {0U, 50U, 100U}) {
    GenerateOptions options = options_for("postgres");
    options.writes = writes;
    std::uint64_t all = 0, writing = 0;
    for_the_first_cases(options, effort::size(1000), [&](const Case& test) {
      for (const Transaction& transaction : test.transactions)
        for (const Statement& statement : transaction.statements) {
          ++all;
          writing += statement.writes.empty() ? 0 : 1;
        }
    });
    EXPECT_NEAR(100.0 * static_cast<double>(writing) / static_cast<double>(all), writes, 8) << writes;
  }
}

TEST(HuntGenerate, MergeIsDrawnOnlyWhereTheServerHasIt) {
  for (const int version : {0, 140008}) {
    GenerateOptions options = options_for("postgres");
    options.server_version = version;
    for_cases(options, effort::seeds(0, 300), [&](const Case& test) {
      for (const Transaction& transaction : test.transactions)
        for (const Statement& statement : transaction.statements) EXPECT_NE(statement.kind, StatementKind::kMerge);
    });
  }
}

TEST(HuntGenerate, TheSmallestOptionsGiveCasesToo) {
  for (const std::string_view dialect : kDialects) {
    GenerateOptions options = with_everything(dialect);
    options.most_tables = options.most_rows = options.most_transactions = options.most_statements = 1;
    options.depth = 0;
    for_cases(options, effort::seeds(0, 300), [&](const Case& test) {
      EXPECT_EQ(test.schema.tables.size(), 1U);
      EXPECT_EQ(test.transactions.size(), 1U);
      EXPECT_EQ(test.order, (std::vector<std::uint32_t>{0, 0}));
    });
    options.most_tables = options.most_rows = options.most_transactions = options.most_statements = 0;
    for_cases(options, effort::seeds(0, 50), [&](const Case& test) { EXPECT_EQ(statements_of(test), 1U); });
  }
}

}  // namespace generate_test
}  // namespace isolde::hunt
