#include "hunt/session_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "hunt/case/dialects.h"
#include "hunt/run/sent.h"
#include "hunt/run/setup_sql.h"
#include "hunt/server_facts.h"
#include "hunt/trial/second_opinion.h"
#include "hunt/trial/serial.h"

namespace isolde::hunt {
namespace {

using db::ClientWords;

const ClientWords* client_of(std::string_view dialect) {
  const db::HuntRules* const rules = hunt_dialect(dialect);
  return rules == nullptr ? nullptr : rules->client;
}

std::string commented(std::string_view text) {
  std::string out;
  for (bool more = !text.empty(); more;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("#   {}\n", text.substr(0, end));
    more = end < text.size();
    if (more) text.remove_prefix(end + 1);
  }
  return out;
}

// The functions that every script has.
std::string preamble(const ClientWords& words, std::size_t sessions) {
  std::string close;
  for (std::size_t i = 1; i <= sessions; ++i) close += fmt::format("exec {}>&-; ", 100 + i);
  return fmt::format(
      R"SCRIPT(set -u
args=("$@")
dir=$(mktemp -d)
trap '{0}wait; rm -rf "$dir"' EXIT
trap '' PIPE
client() {{ {1}; }}
owed=()
open() {{ # a session of its own: what goes to file descriptor 100 + N is answered at 200 + N
  mkfifo "$dir/in$1" "$dir/out$1"
  client <"$dir/in$1" >"$dir/out$1" 2>&1 &
  eval "exec $((100 + $1))>'$dir/in$1' $((200 + $1))<'$dir/out$1'"
  owed[$1]=0
}}
hear() {{ # hear N SECONDS: prints what session N answers; 1: it gives no answer for so long, so it waits
  local line ended
  while [[ ${{owed[$1]}} -gt 0 ]]; do
    ended=0
    read -r -t "$2" line <&$((200 + $1)) || ended=$?
    if [[ $ended -gt 128 ]]; then return 1; fi
    if [[ $ended -gt 0 ]]; then echo "  $1: its client has ended"; owed[$1]=0; return 0; fi
    if [[ $line == --done-- ]]; then owed[$1]=$((owed[$1] - 1)); else echo "  $1: $line"; fi
  done
}}
say() {{ # say N: sends the SQL on standard input to session N
  local sql other
  sql=$(cat)
  printf 'session %s\n%s\n' "$1" "$sql"
  printf '%s\n%s\n' "$sql" '{2}' 2>/dev/null >&$((100 + $1))
  owed[$1]=$((owed[$1] + 1))
  hear "$1" 2 || echo "  $1: no answer within two seconds: it waits"
  for other in "${{!owed[@]}}"; do [[ $other == "$1" ]] || hear "$other" 0.2; done
}}
)SCRIPT",
      close, words.client, words.mark);
}

std::string heredoc(std::string_view command, std::string_view sql) {
  return fmt::format("{} <<'END_OF_SQL'\n{}\nEND_OF_SQL\n", command, sql);
}
std::string said(std::size_t session, std::string_view sql) { return heredoc(fmt::format("say {}", session), sql); }

std::string tables_sql(const Schema& schema, std::string_view dialect) {
  std::string sql;
  for (const std::string& drop : schema.drops) sql += drop + ";\n";
  for (const Table& table : schema.tables)
    for (const std::string& create : creation(table, dialect)) sql += create + ";\n";
  for (const std::string& more : schema.more) sql += more + ";\n";
  for (const View& view : schema.views) sql += view.create + ";\n";
  for (const Table& table : schema.tables) {
    std::string rows;
    for (const std::vector<std::string>& row : table.rows)
      rows += fmt::format("{}({})", rows.empty() ? "" : ", ", fmt::join(row, ", "));
    if (!rows.empty())
      sql += fmt::format("insert into {} ({}) values {};\n", table.name, fmt::join(table.inserted, ", "), rows);
  }
  return sql;
}

std::string contents_query(const std::vector<std::string>& tables) {
  std::string sql;
  for (const std::string& table : tables)
    sql += fmt::format("{}select * from {} order by pkey;", sql.empty() ? "" : "\n", table);
  return sql;
}

std::vector<std::string> all_tables(const Schema& schema) {
  std::vector<std::string> names;
  for (const Table& table : schema.tables) names.push_back(table.name);
  return names;
}

// One step, with the reads that stand around it when it is tested.
std::string step_sql(const Statement& statement, bool with_reads, std::string_view dialect) {
  std::string sql;
  const auto add = [&](const std::string& more) {
    if (!more.empty()) sql += (sql.empty() ? "" : "\n") + more;
  };
  if (with_reads) add(contents_query(statement.reads));
  if (with_reads && !statement.before.empty()) add(statement.before + ";");
  const SentSql sent = sent_sql(statement, dialect, Preparer::kSql);
  for (const std::string& part : sent.before) add(part + ";");
  add(sent.sql + ";");
  for (const std::string& part : sent.after) add(part + ";");
  if (with_reads) add(contents_query(statement.writes));
  return sql;
}

std::string sessions_part(const Finding& finding, const SessionStart& start) {
  const Case& test = finding.test;
  std::string out;
  const bool with_reads = finding.anomaly != kNoSerialOrder;
  for (std::size_t t = 1; t <= test.transactions.size(); ++t) {
    out += fmt::format("open {}\n", t);
    if (!start.settings.empty()) out += said(t, start.settings);
  }
  std::vector<std::size_t> turn(test.transactions.size(), 0);
  for (const std::uint32_t t : test.order) {
    const Transaction& transaction = test.transactions[t];
    const std::size_t s = turn[t]++;
    if (s == 0) out += said(t + 1, start.begin);
    if (s < transaction.statements.size()) {
      out += said(t + 1, step_sql(transaction.statements[s], with_reads, finding.dialect));
    } else {
      out += said(t + 1, transaction.commits ? "commit;" : "rollback;");
    }
  }
  for (std::size_t t = 1; t <= test.transactions.size(); ++t) out += fmt::format("hear {} 60\n", t);
  return out;
}

// The same statements alone once more, by the plan that answers otherwise.
std::string other_plan_part(const Finding& finding, const SessionStart& start, std::string_view quiet) {
  std::string sql = start.settings;
  Schema schema = finding.test.schema;
  for (const Plan plan : kPlans) {
    if (finding.anomaly != name(plan)) continue;
    for (const std::string& setting : plan_settings(finding.dialect, plan).on) sql += "\n" + setting + ";";
  }
  if (finding.anomaly == kWithoutIndexes) schema = without_indexes(schema);
  for (const Place place : finding.alone) sql += "\n" + at(finding.test, place).sql + ";";
  return "\n# The same by another plan.\n" +
         heredoc("client >/dev/null",
                 std::string(quiet) + start.settings + "\n" + tables_sql(schema, finding.dialect)) +
         fmt::format("echo 'The same statements {}:'\n", finding.anomaly) + heredoc("client", sql) +
         "echo 'At the end:'\n" + heredoc("client", contents_query(all_tables(schema)));
}

}  // namespace

SessionStart session_start(const Finding& finding) {
  const ClientWords* const words = client_of(finding.dialect);
  if (words == nullptr) return {};
  std::string isolation;
  for (const auto& [name, value] : isolation_settings(finding.dialect, finding.server))
    isolation += fmt::format(" set session {} = {};", name, value);
  const std::string_view level = finding.level;
  const auto with_level = [&](std::string_view text) {
    std::string out = filled_in(text, "level", level);
    out = filled_in(out, "first", level.substr(0, level.find(' ')));
    out = filled_in(out, "isolation_settings", isolation);
    return filled_in(out, "collation", hunt_dialect(finding.dialect)->collation);
  };
  const bool otherwise = !words->begin_at.empty() && level.ends_with(words->begin_at);
  SessionStart start;
  start.settings = with_level(words->settings);
  start.begin = with_level(otherwise ? words->begin_then : words->begin);
  return start;
}

std::string_view promise_of(const Finding& finding) {
  const db::HuntRules* const rules = hunt_dialect(finding.dialect);
  if (rules == nullptr) return {};
  for (const db::Promise& promise : rules->promises)
    if (promise.level.empty() || promise.level == finding.level) return promise.sentence;
  return {};
}

std::string session_script(const Finding& finding) {
  const ClientWords* const words = client_of(finding.dialect);
  if (words == nullptr || finding.level.starts_with("shared")) return {};
  const Schema& schema = finding.test.schema;
  const SessionStart start = session_start(finding);
  std::string out = fmt::format("#!/usr/bin/env bash\n# {}, {}: {}.\n# usage: bash reproduce.sh [{}]\n", finding.server,
                                finding.level, about(finding.wrong), words->usage);
  out += "# expected:\n" + commented(finding.expected) + "# actual:\n" + commented(finding.actual);
  out += preamble(*words, finding.test.transactions.size());
  const std::string set_up = heredoc(
      "client >/dev/null", std::string(words->quiet) + start.settings + "\n" + tables_sql(schema, finding.dialect));
  out += fmt::format(
      "\nclient <<'END_OF_SQL' || {{ echo 'The server cannot be reached.' >&2; exit 1; }}\n{}\nEND_OF_SQL\n",
      words->version);
  out += set_up;
  out += "\n# The transactions.\n" + sessions_part(finding, start);
  out += "echo 'At the end:'\n" + heredoc("client", contents_query(all_tables(schema)));
  if (!finding.alone.empty()) {
    out += "\n# The same statements alone, in an order in which each sees the same rows.\n";
    out += set_up;
    std::string sql = start.settings;
    for (const Place place : finding.alone) sql += "\n" + at(finding.test, place).sql + ";";
    out += "echo 'The same statements alone:'\n" + heredoc("client", sql);
    out += "echo 'At the end:'\n" + heredoc("client", contents_query(all_tables(schema)));
  }
  if (finding.wrong == Wrong::kPlan) out += other_plan_part(finding, start, words->quiet);
  std::string drops;
  for (const std::string& drop : schema.drops) drops += drop + ";\n";
  for (const std::string& drop : left_by_drops(schema, finding.dialect)) drops += drop + ";\n";
  if (!drops.empty()) out += heredoc("client >/dev/null 2>&1", drops);
  return out;
}

}  // namespace isolde::hunt
