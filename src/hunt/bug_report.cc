#include "hunt/bug_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/finding/file_words.h"
#include "hunt/run/sent.h"
#include "hunt/run/setup_sql.h"
#include "hunt/session_script.h"
#include "hunt/trial/serial.h"

namespace isolde::hunt {
namespace {

// A fence longer than any within, so that nothing in the text ends it.
std::string fenced(std::string_view language, std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.empty() || text.ends_with('\n') ? "" : "\n", fence);
}

// SQL over several lines, never in escapes: this is to be pasted.
std::string pasted(std::string_view sql) {
  const bool plain = std::none_of(sql.begin(), sql.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  std::string text = plain ? spelled_sql(sql, 0, 4) : std::string(sql);
  if (text.starts_with('"')) text = std::string(sql);
  return text + ";\n";
}

std::string insert_of(const Table& table) {
  std::string rows;
  for (const std::vector<std::string>& row : table.rows)
    rows += fmt::format("{}({})", rows.empty() ? "" : ", ", fmt::join(row, ", "));
  return fmt::format("insert into {} ({}) values {}", table.name, fmt::join(table.inserted, ", "), rows);
}

// How a session comes to have its level and begins.
std::string begin_of(const Finding& finding) {
  const SessionStart start = session_start(finding);
  return start.settings.empty() ? start.begin + "\n" : start.settings + "\n" + start.begin + "\n";
}

// The tester's own reads, which are part of what the server was asked for: they may take a snapshot, or be what shows
// that something is wrong.
void add_testers_reads(std::string& sql, const std::vector<std::string>& tables) {
  for (const std::string& table : tables) sql += fmt::format("select * from {};  -- to see what is there\n", table);
}

}  // namespace

std::string bug_report_text(const Finding& finding, const std::vector<SeenElsewhere>& elsewhere) {
  const Case& test = finding.test;
  std::string out = fmt::format("**{}**, {}: {}{}.\n\n", finding.server, finding.level, about(finding.wrong),
                                finding.anomaly.empty() ? "" : fmt::format(" ({})", finding.anomaly));
  std::string sql;
  for (const Table& table : test.schema.tables) {
    for (const std::string& create : creation(table, finding.dialect)) sql += pasted(create);
    if (!table.rows.empty()) sql += pasted(insert_of(table));
  }
  for (const std::string& more : test.schema.more) sql += pasted(more);
  for (const View& view : test.schema.views) sql += pasted(view.create);
  out += "Tables:\n\n" + fenced("sql", sql);
  out += "\nSessions, one a transaction, step by step in this order:\n\n";
  sql.clear();
  std::vector<std::size_t> turn(test.transactions.size(), 0);
  std::uint32_t last = UINT32_MAX;
  const bool with_reads = finding.anomaly != kNoSerialOrder;
  for (const std::uint32_t t : test.order) {
    const Transaction& transaction = test.transactions[t];
    const std::size_t s = turn[t]++;
    if (t != last) sql += fmt::format("-- session {}\n", t + 1);
    last = t;
    if (s == 0) sql += begin_of(finding);
    if (s >= transaction.statements.size()) {
      sql += transaction.commits ? "commit;\n" : "rollback;\n";
    } else {
      const Statement& statement = transaction.statements[s];
      if (with_reads) add_testers_reads(sql, statement.reads);
      if (with_reads && !statement.before.empty()) sql += pasted(statement.before);
      const SentSql sent = sent_sql(statement, finding.dialect, Preparer::kSql);
      for (const std::string& part : sent.before) sql += pasted(part);
      sql += pasted(sent.sql);
      for (const std::string& part : sent.after) sql += pasted(part);
      if (with_reads) add_testers_reads(sql, statement.writes);
    }
  }
  out += fenced("sql", sql);
  if (!finding.alone.empty()) {
    out +=
        "\nThe same statements, each on its own (no transactions), in an order in which each sees the same rows:\n\n";
    sql.clear();
    for (const Place place : finding.alone) sql += pasted(at(test, place).sql);
    out += fenced("sql", sql);
  }
  const bool there = finding.where.transaction < test.transactions.size() &&
                     finding.where.statement < test.transactions[finding.where.transaction].statements.size();
  const bool one = there && finding.wrong != Wrong::kContents && finding.wrong != Wrong::kIsolation;
  const std::string of =
      one ? fmt::format(" (statement {} of session {})", finding.where.statement + 1, finding.where.transaction + 1)
          : "";
  out += fmt::format("\nExpected{}:\n\n{}\nActual{}:\n\n{}", of, fenced("", finding.expected), of,
                     fenced("", finding.actual));
  if (finding.rate.is_rare())
    out += fmt::format("\nThis does not happen every time: it was seen in {} of {} runs.\n", finding.rate.seen,
                       finding.rate.runs);
  if (const std::string_view promise = promise_of(finding); !promise.empty())
    out += fmt::format("\nThe documentation says: {}.\n", promise);
  if (!elsewhere.empty()) {
    out += fmt::format("\n| server | this finding |\n| --- | --- |\n| {} | seen |\n", finding.server);
    for (const SeenElsewhere& other : elsewhere) out += fmt::format("| {} | {} |\n", other.server, other.outcome);
  }
  if (const std::string script = session_script(finding); !script.empty())
    out += "\nA script that plays these sessions with the database's own client and prints every answer:\n\n" +
           fenced("bash", script);
  out += fmt::format("\nFound by isolde hunt (seed {}).\n", test.seed);
  return out;
}

}  // namespace isolde::hunt
