#include "audit/schema/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "db/database.h"

namespace isolde::audit {
namespace schema_test {

Schema good(std::string_view text) {
  auto schema = read_schema_text(text, "s");
  EXPECT_TRUE(schema) << (schema ? "" : schema.error().message());
  return schema ? *std::move(schema) : Schema{};
}

std::string error_of(std::string_view text) {
  const auto schema = read_schema_text(text, "s");
  return schema ? "none" : schema.error().message();
}

std::string names(const Schema& schema, const std::vector<ColumnId>& columns) {
  std::string out;
  for (const ColumnId c : columns) out += (out.empty() ? "" : ",") + schema.column(c).name;
  return out;
}

// "t(a int, b text=1!) pk(a) u(b) fk(b->p.id)": ! not null, # numbers itself
std::string shown(const Schema& schema) {
  std::string out;
  for (std::uint32_t t = 0; t < schema.tables(); ++t) {
    const Table& table = schema.table(TableId(t));
    out += fmt::format("{}{}(", out.empty() ? "" : "; ", table.name);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& c = schema.column(table.columns[i]);
      out +=
          fmt::format("{}{} {}{}{}{}", i == 0 ? "" : ", ", c.name, c.type,
                      c.default_value ? "=" + *c.default_value : "", c.nullable ? "" : "!", c.generated_id ? "#" : "");
    }
    out += ")";
    if (!table.primary_key.empty()) out += " pk(" + names(schema, table.primary_key) + ")";
    for (const auto& key : table.unique_keys) out += " u(" + names(schema, key) + ")";
    for (const ForeignKey& key : table.foreign_keys)
      out += fmt::format(" fk({}->{}.{})", names(schema, key.columns), schema.table(key.parent).name,
                         names(schema, key.parent_columns));
  }
  return out;
}

TEST(Schema, NamesAreComparedWithoutCaseAndShownAsTheyCameFirst) {
  Schema schema;
  const TableId t = schema.add_table("Orders");
  EXPECT_EQ(schema.add_table("ORDERS"), t);
  const ColumnId c = schema.add_column(t, "O_ID");
  EXPECT_EQ(schema.find_column(t, "o_id"), c);
  EXPECT_EQ(schema.full_name(c), "Orders.O_ID");
  EXPECT_FALSE(schema.find_table("order"));
}

TEST(CsvSchema, SeveralPriAreOneKeyAndUniIsAKeyOfItsOwn) {
  EXPECT_EQ(shown(good("t,a,int(11),\\N,PRI\nt,b,decimal(10\\,2),NULL,PRI\nt,c,varchar(9),'x',UNI\nt,d,text,,MUL\n")),
            "t(a int(11)!, b decimal(10,2)!, c varchar(9)='x', d text) pk(a,b) u(c)");
}

TEST(CsvSchema, DoublyEscapedNullsQuotesAndWindowsLinesAreRead) {
  EXPECT_EQ(shown(good("t,a,int,\\\\N,PRI\r\n\"t\",\"b, c\",\"enum('x','y')\",\"say \"\"x\"\"\",\r\n")),
            "t(a int!#, b, c enum('x','y')=say \"x\") pk(a)");
}

TEST(CsvSchema, AHeaderGivesTheOrderOfTheFields) {
  EXPECT_EQ(shown(good("COLUMN_NAME,TABLE_NAME,IS_NULLABLE,COLUMN_TYPE,EXTRA,COLUMN_KEY\n"
                       "id,t,NO,int,auto_increment,PRI\nx,t,NO,int,,\n")),
            "t(id int!#, x int!) pk(id)");
  EXPECT_EQ(shown(good("table,column,type,default,key\nt,a,int,0,\n")), "t(a int=0)");
}

TEST(CsvSchema, AnErrorSaysWhereAndWhatWasExpected) {
  EXPECT_EQ(error_of("t,a,int,,\nt,,int,,\n"),
            "s:2:3: expected table,column,type,default,key: the name of the column is missing");
  EXPECT_EQ(error_of("hello\n"), "s:1:1: expected table,column,type,default,key: the name of the column is missing");
  EXPECT_EQ(error_of("t,a,int,0,KEY\n"), "s:1:11: expected PRI, UNI, MUL or nothing as the key, not \"KEY\"");
  EXPECT_EQ(error_of(""), "s:1:1: expected table,column,type,default,key, or CREATE TABLE statements");
}

TEST(DdlSchema, MysqldumpIsRead) {
  EXPECT_EQ(shown(good(R"(-- MariaDB dump 10.19  Distrib 10.11
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
DROP TABLE IF EXISTS `parent`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `parent` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(255) COLLATE utf8mb4_unicode_ci DEFAULT NULL COMMENT 'the primary key, (not)',
  `price` decimal(10,2) NOT NULL DEFAULT '0.00',
  `kind` enum('a','b') CHARACTER SET latin1 NOT NULL DEFAULT 'a',
  `at` timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(),
  PRIMARY KEY (`id`),
  UNIQUE KEY `by_name` (`name`(20)) USING BTREE,
  KEY `price` (`price`),
  FULLTEXT KEY `f` (`name`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;
INSERT INTO `parent` VALUES (1,'it''s; \' CREATE TABLE x (a int)',1.5);
CREATE TABLE `0_child` (
  `parent_id` int(10) unsigned NOT NULL,
  `key` int,
  CONSTRAINT `fk` FOREIGN KEY (`parent_id`) REFERENCES `parent` (`id`) ON DELETE CASCADE
);
/*!50001 CREATE VIEW v AS select 1 */;
DELIMITER ;;
CREATE TRIGGER tr BEFORE INSERT ON parent FOR EACH ROW SET NEW.name = 'x' ;;
)")),
            "parent(id int(10) unsigned!#, name varchar(255), price decimal(10,2)='0.00'!, kind enum('a','b')='a'!, "
            "at timestamp=current_timestamp()!) pk(id) u(name); "
            "0_child(parent_id int(10) unsigned!, key int) fk(parent_id->parent.id)");
}

TEST(DdlSchema, PgDumpIsRead) {
  EXPECT_EQ(shown(good(R"(--
-- PostgreSQL database dump
--
\restrict abc
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE no (a int); END; $$;
CREATE TABLE public.orders (
    id integer NOT NULL,
    "Total" numeric(12,2) DEFAULT 0 NOT NULL,
    state character varying(20) DEFAULT 'new'::character varying NOT NULL,
    at timestamp without time zone DEFAULT now(),
    tags text[],
    CONSTRAINT positive CHECK (("Total" >= (0)::numeric))
);
CREATE TABLE public.lines (
    order_id integer REFERENCES public.orders,
    n bigint GENERATED BY DEFAULT AS IDENTITY,
    code text
);
COPY public.orders (id, "Total", state, at, tags) FROM stdin;
1	2	it's	\N	{}
CREATE TABLE no (a int);
\.
ALTER TABLE ONLY public.orders ALTER COLUMN id SET DEFAULT nextval('public.orders_id_seq'::regclass);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lines ADD CONSTRAINT l UNIQUE (order_id, n);
CREATE UNIQUE INDEX a ON public.lines USING btree (code);
CREATE UNIQUE INDEX b ON public.lines USING btree (lower(code));
CREATE UNIQUE INDEX c ON public.lines USING btree (n) WHERE (code IS NULL);
)")),
            "orders(id integer!#, Total numeric(12,2)=0!, state character varying(20)='new'::character varying!, "
            "at timestamp without time zone=now(), tags text[]) pk(id); "
            "lines(order_id integer, n bigint#, code text) u(order_id,n) u(code) fk(order_id->orders.id)");
}

TEST(DdlSchema, SqliteSchemasAreRead) {
  EXPECT_EQ(
      shown(good("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"
                 "CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, [odd name], x DEFAULT (1+2));\n"
                 "CREATE TABLE IF NOT EXISTS b (a INT REFERENCES a(id) ON DELETE SET NULL, b, PRIMARY KEY (a, b)) "
                 "WITHOUT ROWID;\nCREATE UNIQUE INDEX u ON b(b DESC);\nCOMMIT;\n")),
      "a(id INTEGER!#, key TEXT, odd name , x =(1+2)) pk(id) u(key); b(a INT!, b !) pk(a,b) u(b) fk(a->a.id)");
}

TEST(DdlSchema, AlterTableAddsColumnsAndKeys) {
  EXPECT_EQ(
      shown(good("CREATE TABLE t (a int);\nALTER TABLE t ADD COLUMN b int NOT NULL, ADD c text, ADD PRIMARY KEY (a);\n"
                 "ALTER TABLE `t` MODIFY `a` int(11) NOT NULL AUTO_INCREMENT, ADD UNIQUE KEY `u` (`b`,`c`);\n"
                 "ALTER TABLE absent ADD x int;\nCREATE TABLE t2 LIKE t;\n")),
      "t(a int(11)!#, b int!, c text) pk(a) u(b,c); t2(a int(11)!#, b int!, c text) pk(a) u(b,c)");
}

TEST(DdlSchema, AnErrorSaysWhereAndWhatWasExpected) {
  EXPECT_EQ(error_of("CREATE TABLE t (a int,\n  b int"), "s:2:5: expected a comma or a closing parenthesis");
  EXPECT_EQ(error_of("CREATE TABLE t (a int,\n  5 int)"), "s:2:3: expected a column or a constraint");
  EXPECT_EQ(error_of("SELECT 1;"), "s:1:1: expected CREATE TABLE statements, or lines table,column,type,default,key");
}

TEST(SchemaOfDatabase, SqliteTellsColumnsAndKeys) {
  auto database = db::open_database(*db::parse_url("sqlite:"));
  ASSERT_TRUE(database);
  auto connection = (*database)->connect((*database)->levels().front());
  ASSERT_TRUE(connection);
  EXPECT_FALSE(schema_of_database(**database, **connection));
  for (const char* sql : {"create table p (id integer primary key, name text unique not null)",
                          "create table c (a int references p, b int default 5, d text, primary key (a, b))",
                          "create unique index u on c (d) where d > 'x'", "create unique index w on c (d, b)"}) {
    auto reply = (*connection)->run(sql);
    ASSERT_TRUE(reply && reply->done()) << sql;
  }
  const auto schema = schema_of_database(**database, **connection);
  ASSERT_TRUE(schema) << schema.error().message();
  EXPECT_EQ(shown(*schema),
            "c(a INT, b INT=5, d TEXT) pk(a,b) u(d,b) fk(a->p.id); p(id INTEGER#, name TEXT!) pk(id) u(name)");
}

TEST(CreateTables, TypesAreThoseOfTheDialectAndKeysAreKept) {
  const Schema schema = good(
      "CREATE TABLE `T` (`id` int(11) unsigned NOT NULL, n tinyint(1) DEFAULT '0', d decimal(10,2), "
      "w datetime DEFAULT '0000-00-00', k enum('a','b') DEFAULT 'a', l longtext, u varchar(40), "
      "PRIMARY KEY (id), UNIQUE KEY (u)) ENGINE=InnoDB");
  const auto sql = [&](const char* url) {
    auto database = db::open_database(*db::parse_url(url));
    return create_tables(schema, {}, (*database)->dialect()).at(0);
  };
  EXPECT_EQ(
      sql("postgres://localhost/x"),
      "create table \"t\" (\"id\" bigint generated by default as identity, \"n\" bigint default 0, \"d\" "
      "numeric(10,2), \"w\" timestamp, \"k\" text default 'a', \"l\" text, \"u\" text, primary key (\"id\"), unique "
      "(\"u\"))");
  EXPECT_EQ(
      sql("mariadb://localhost/x"),
      "create table `T` (`id` bigint not null auto_increment, `n` bigint default 0, `d` decimal(10,2), `w` "
      "datetime(6), `k` longtext, `l` longtext, `u` varchar(191), primary key (`id`), unique (`u`)) engine=InnoDB");
  EXPECT_EQ(
      sql("sqlite:"),
      "create table \"T\" (\"id\" integer, \"n\" integer default 0, \"d\" real, \"w\" text, \"k\" text default 'a', "
      "\"l\" text, \"u\" text, primary key (\"id\"), unique (\"u\"))");
}

TEST(SharedSchemas, EveryOneIsReadWhole) {
  const std::filesystem::path folder = ISOLDE_SOURCE_DIR "/../shared/traces";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces beside the source";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool csv = name.ends_with("_db_info.csv");
    if (!csv && name.find("_ddl_") == std::string::npos) continue;
    ++files;
    const auto schema = read_schema(entry.path().string());
    ASSERT_TRUE(schema) << schema.error().message();
    EXPECT_GT(schema->columns(), 5u) << name;
    if (name == "smallbank_benchbase_ddl_mysql.sql") {
      EXPECT_EQ(schema->table(*schema->find_table("savings")).foreign_keys.size(), 1u);
    }
  }
  EXPECT_GE(files, 15u);
}

}  // namespace schema_test
}  // namespace isolde::audit
