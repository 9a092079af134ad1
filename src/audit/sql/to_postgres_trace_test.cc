// Every statement of the recorded traces is parsed by libpg_query, once a shape.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pg_query.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "audit/sql/shape.h"
#include "audit/sql/to_postgres.h"

namespace isolde::audit {
namespace to_postgres_trace_test {

const std::filesystem::path kTraces = std::filesystem::path(ISOLDE_SOURCE_DIR) / "../shared/traces";

using Sink = std::function<void(std::string_view)>;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "161101 14:22:52<TAB>  205 Query<TAB>…" and "<TAB><TAB>  205 Query<TAB>…": the command, and where its argument
// begins.
bool begins_command(std::string_view line, std::string_view& command, std::string_view& argument) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || (tab != 0 && (tab < 13 || tab > 16 || !isdigit(line[0])))) return false;
  std::size_t i = tab;
  while (i < line.size() && (line[i] == '\t' || line[i] == ' ')) ++i;
  const std::size_t digits = i;
  while (i < line.size() && isdigit(line[i])) ++i;
  if (i == digits || i >= line.size() || line[i] != ' ') return false;
  const std::size_t end = line.find('\t', i);
  if (end == std::string_view::npos) return false;
  command = line.substr(i + 1, end - i - 1);
  argument = line.substr(end + 1);
  for (const std::string_view known : {"Query", "Execute", "Prepare", "Connect", "Quit", "Init DB", "Close stmt"}) {
    if (command == known) return true;
  }
  return false;
}

void read_mysql(std::string_view text, const Sink& sink) {
  std::string statement;
  bool open = false;
  const auto flush = [&] {
    if (open) sink(statement);
    open = false;
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::string_view command, argument;
    if (begins_command(line, command, argument)) {
      flush();
      open = command == "Query" || command == "Execute";
      statement = argument;
    } else if (open) {
      statement += '\n';
      statement += line;
    }
  }
  flush();
}

void read_csv(std::string_view text, const Sink& sink) {
  std::string field;
  bool quoted = false;
  const auto flush = [&] {
    constexpr std::string_view kHead = "statement: ";
    if (field.starts_with(kHead)) sink(std::string_view(field).substr(kHead.size()));
    field.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
        field += text[i++];
      } else {
        quoted = !quoted;
      }
    } else if (c == '\n' || (!quoted && c == ',')) {
      // No statement of these goes over a line, but one record was cut off in the middle.
      if (c == '\n') quoted = false;
      flush();
    } else {
      field += c;
    }
  }
  flush();
}

void read_statements(std::string_view text, const Sink& sink, SqlDialect dialect) {
  Lexer lexer(dialect);
  std::size_t begin = 0;
  const std::vector<Token> tokens = lexer.tokens(text);
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kSymbol || token.text != ";") continue;
    sink(text.substr(begin, token.offset - begin));
    begin = token.offset + 1;
  }
}

void expect_parsed(const std::filesystem::path& file, SqlDialect dialect) {
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared traces are not here";
  ShapeTable shapes(dialect);
  std::vector<LiteralId> literals;
  std::vector<std::uint64_t> counts;
  std::uint64_t all = 0;
  const Sink sink = [&](std::string_view sql) {
    ++all;
    const ShapeId shape = shapes.intern(sql, literals);
    if (raw(shape) == counts.size()) counts.push_back(0);
    ++counts[raw(shape)];
  };
  const std::string text = content(file);
  const std::string extension = file.extension().string();
  if (extension == ".log") read_mysql(text, sink);
  if (extension == ".csv") read_csv(text, sink);
  if (extension == ".sql") read_statements(text, sink, dialect);
  ASSERT_GT(all, 5U);
  Lexer lexer(dialect);
  std::uint64_t failed = 0, no_data = 0;
  for (std::uint32_t i = 0; i < shapes.size(); ++i) {
    const std::string_view sql = shapes.example(ShapeId{i});
    const std::vector<Token>& tokens = lexer.tokens(sql);
    if (touches_no_data(tokens, dialect)) {
      no_data += counts[i];
      continue;
    }
    for (const bool with_literals : {false, true}) {
      const PostgresText result =
          with_literals ? to_postgres_with_literals(tokens, dialect) : to_postgres(tokens, dialect);
      const PgQueryParseResult parsed = pg_query_parse(result.sql.c_str());
      if (parsed.error != nullptr) {
        failed += with_literals ? 0 : counts[i];
        ADD_FAILURE() << counts[i] << " times: " << parsed.error->message << "\n" << sql << "\n" << result.sql;
      }
      pg_query_free_parse_result(parsed);
    }
  }
  fmt::print("{}: {} statements, {} shapes, {} touch no data, {} not parsed\n", file.filename().string(), all,
             shapes.size(), no_data, failed);
}

struct Trace {
  const char* path;
  SqlDialect dialect;
};

class EveryStatement : public ::testing::TestWithParam<Trace> {};

TEST_P(EveryStatement, Parses) { expect_parsed(kTraces / GetParam().path, GetParam().dialect); }

constexpr Trace kAll[] = {
    {"acidrain/broadleaf.log", SqlDialect::kMysql},
    {"acidrain/lfs.log", SqlDialect::kMysql},
    {"acidrain/opencart.log", SqlDialect::kMysql},
    {"acidrain/prestashop.log", SqlDialect::kMysql},
    {"acidrain/shopizer.log", SqlDialect::kMysql},
    {"acidrain/shoppe.log", SqlDialect::kMysql},
    {"acidrain/woocommerce.log", SqlDialect::kMysql},
    {"frontaccounting/frontaccounting_mariadb_general.log", SqlDialect::kMysql},
    {"smallbank/smallbank_mariadb_general.log", SqlDialect::kMysql},
    {"smallbank/smallbank_postgres15_csvlog.csv", SqlDialect::kPostgres},
    {"smallbank/smallbank_sqlite_trace.sql", SqlDialect::kSqlite},
    {"smallbank/smallbank_benchbase_ddl_mysql.sql", SqlDialect::kMysql},
    {"smallbank/smallbank_benchbase_ddl_postgres.sql", SqlDialect::kPostgres},
    {"smallbank/smallbank_benchbase_statements.sql", SqlDialect::kMysql},
    {"tpcc/tpcc_benchbase_ddl_mysql.sql", SqlDialect::kMysql},
    {"tpcc/tpcc_benchbase_ddl_postgres.sql", SqlDialect::kPostgres},
    {"tpcc/tpcc_benchbase_mariadb_general.log", SqlDialect::kMysql},
    {"tpcc/tpcc_benchbase_statements.sql", SqlDialect::kMysql},
    {"tpcc/tpcc_mariadb_general.log", SqlDialect::kMysql},
    {"tpcc/tpcc_postgres15_csvlog.csv", SqlDialect::kPostgres},
    {"tpcc/tpcc_sqlite_trace.sql", SqlDialect::kSqlite},
};

INSTANTIATE_TEST_SUITE_P(Traces, EveryStatement, ::testing::ValuesIn(kAll), [](const auto& trace) {
  std::string name = std::filesystem::path(trace.param.path).stem().string();
  for (char& c : name) c = isalnum(c) ? c : '_';
  return name;
});

}  // namespace to_postgres_trace_test
}  // namespace isolde::audit
