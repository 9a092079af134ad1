// tests/live/audit_schema_test.cc: schemas of real databases as their catalogues tell them, and scratch tables of every
// schema that is at hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "audit/schema/schema.h"
#include "db/server.h"

namespace isolde::audit {
namespace audit_schema_test {

class AuditSchema : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto server = db::start_server({.kind = GetParam(), .binaries = {}, .settings = {}});
    ASSERT_TRUE(server) << server.error().message();
    server_ = std::move(*server);
    auto database = db::open_database(*db::parse_url(server_->url()));
    ASSERT_TRUE(database) << database.error().message();
    database_ = std::move(*database);
    auto client = database_->connect(database_->levels().front());
    ASSERT_TRUE(client) << client.error().message();
    client_ = std::move(*client);
  }

  std::string why_not(const std::string& sql) {
    const auto reply = client_->run(sql);
    return !reply ? reply.error().message() : reply->done() ? "" : reply->failure.text;
  }

  std::unique_ptr<db::Server> server_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<db::Connection> client_;
};

TEST_P(AuditSchema, TheCatalogueTellsColumnsKeysAndDefaults) {
  const bool mariadb = GetParam() == "mariadb";
  ASSERT_EQ(
      why_not(mariadb ? "create table parent (id int auto_increment primary key, name varchar(40) not null unique)"
                      : "create table parent (id serial primary key, name varchar(40) not null unique)"),
      "");
  ASSERT_EQ(why_not("create table child (b int not null, a int not null, p int, n decimal(10,2) default 1.5, t text, "
                    "primary key (a, b), unique (p, b), foreign key (p) references parent (id))"),
            "");
  if (!mariadb) {
    ASSERT_EQ(why_not("create unique index part on child (t) where a > 5"), "");
    ASSERT_EQ(why_not("create unique index expression on child (lower(t))"), "");
  }
  const auto schema = schema_of_database(*database_, *client_);
  ASSERT_TRUE(schema) << schema.error().message();
  const Table& parent = schema->table(*schema->find_table("parent"));
  const Table& child = schema->table(*schema->find_table("child"));
  const auto column = [&](const Table& table, std::string_view name) {
    return *schema->find_column(*schema->find_table(table.name), name);
  };
  EXPECT_EQ(schema->tables(), 2u);
  EXPECT_TRUE(schema->column(column(parent, "id")).generated_id);
  EXPECT_FALSE(schema->column(column(parent, "name")).nullable);
  EXPECT_EQ(schema->column(column(parent, "name")).type, mariadb ? "varchar(40)" : "character varying(40)");
  EXPECT_EQ(child.primary_key, (std::vector{column(child, "a"), column(child, "b")}));
  ASSERT_EQ(child.unique_keys.size(), 1u);
  EXPECT_EQ(child.unique_keys[0], (std::vector{column(child, "p"), column(child, "b")}));
  ASSERT_EQ(child.foreign_keys.size(), 1u);
  EXPECT_EQ(child.foreign_keys[0].columns, std::vector{column(child, "p")});
  EXPECT_EQ(child.foreign_keys[0].parent_columns, std::vector{column(parent, "id")});
  EXPECT_TRUE(schema->column(column(child, "n")).default_value->starts_with("1.5"));
  EXPECT_FALSE(schema->column(column(child, "t")).default_value);
}

TEST_P(AuditSchema, ScratchTablesOfEverySharedSchemaAreAccepted) {
  const std::filesystem::path folder = ISOLDE_SOURCE_DIR "/../shared/traces";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces beside the source";
  std::size_t made = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("_db_info.csv") && name.find("_ddl_") == std::string::npos) continue;
    const auto schema = read_schema(entry.path().string());
    ASSERT_TRUE(schema) << schema.error().message();
    const bool mariadb = GetParam() == "mariadb";
    ASSERT_EQ(why_not(mariadb ? "create or replace database isolde_scratch" : "create schema scratch"), "");
    ASSERT_EQ(why_not(mariadb ? "use isolde_scratch" : "set search_path = scratch"), "");
    for (const std::string& sql : create_tables(*schema, {}, database_->dialect())) {
      EXPECT_EQ(why_not(sql), "") << sql;
      ++made;
    }
    // What was made says of itself what it was made from.
    const auto again = schema_of_database(*database_, *client_);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->columns(), schema->columns()) << name;
    for (std::uint32_t t = 0; t < schema->tables(); ++t) {
      const Table& table = schema->table(TableId(t));
      const auto twin = again->find_table(table.name);
      ASSERT_TRUE(twin) << table.name;
      EXPECT_EQ(again->table(*twin).primary_key.size(), table.primary_key.size()) << table.name;
      EXPECT_EQ(again->table(*twin).unique_keys.size(), table.unique_keys.size()) << table.name;
    }
    ASSERT_EQ(why_not(mariadb ? "drop database isolde_scratch" : "drop schema scratch cascade"), "");
  }
  EXPECT_GT(made, 300u);
}

INSTANTIATE_TEST_SUITE_P(Servers, AuditSchema, ::testing::Values("postgres", "mariadb"),
                         [](const auto& param) { return param.param; });

}  // namespace audit_schema_test
}  // namespace isolde::audit
