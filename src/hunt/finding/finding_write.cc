#include <fmt/format.h>

#include <algorithm>

#include "hunt/finding/file_words.h"
#include "hunt/finding/finding_file.h"

#ifndef ISOLDE_VERSION
#error "the build sets ISOLDE_VERSION"
#endif

namespace isolde::hunt {
namespace {

std::string names(const std::vector<std::string>& list, std::string_view between) {
  std::string out;
  for (const std::string& name : list) {
    if (!out.empty()) out += between;
    out += spelled_name(name);
  }
  return out;
}

void add_sql(std::string& out, std::string_view before, std::string_view sql) {
  out += before;
  out += spelled_sql(sql, before.size(), before.find_first_not_of(' ') + 4);
  out += '\n';
}

void write_schema(std::string& out, const Schema& schema) {
  for (const Table& table : schema.tables) {
    out += fmt::format("\ntable {} ({})\n", spelled_name(table.name), names(table.columns, ", "));
    add_sql(out, "  sql: ", table.create);
    for (const ForeignKey& key : table.foreign_keys)
      out += fmt::format("  foreign key: {} to {}{}\n", spelled_name(key.column), spelled_name(key.parent),
                         key.cascades ? ", cascading" : "");
    if (table.partitions > 0) out += fmt::format("  partitions: {}\n", table.partitions);
    if (table.trigger)
      out += fmt::format("  trigger: {} from {}\n", spelled_name(table.trigger->column),
                         spelled_name(table.trigger->from));
    if (table.inserted != table.columns) out += fmt::format("  inserts: {}\n", names(table.inserted, ", "));
    if (!table.rows.empty()) out += "  rows:\n";
    for (const std::vector<std::string>& row : table.rows) {
      out += "    ";
      for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ", ") + spelled_cell(row[i]);
      out += '\n';
    }
  }
  if (!schema.more.empty()) out += "\nmore\n";
  for (const std::string& sql : schema.more) add_sql(out, "  sql: ", sql);
  for (const View& view : schema.views) {
    out += fmt::format("\nview {} ({})", spelled_name(view.name), names(view.columns, ", "));
    out += view.reads.empty() ? "\n" : fmt::format(" of {}\n", names(view.reads, ", "));
    add_sql(out, "  sql: ", view.create);
  }
  if (!schema.drops.empty()) out += "\ndrops\n";
  for (const std::string& sql : schema.drops) add_sql(out, "  sql: ", sql);
}

// Those that would be read as something else than SQL.
bool is_end(std::string_view sql) {
  std::string word(sql);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word == "commit" || word == "rollback" || word == "begin";
}

void add_run(std::string& out, const Case& test) {
  out += "\nrun\n";
  std::vector<std::size_t> turn(test.transactions.size(), 0);
  for (const std::uint32_t t : test.order) {
    const Transaction& transaction = test.transactions[t];
    const std::size_t s = turn[t]++;
    const std::string who = fmt::format("  T{}: ", t + 1);
    if (s >= transaction.statements.size()) {
      out += fmt::format("{}{}\n", who, transaction.commits ? "commit" : "rollback");
    } else if (const std::string& sql = transaction.statements[s].sql; is_end(sql)) {
      out += fmt::format("{}{}\n", who, escaped(sql));
    } else {
      add_sql(out, who, sql);
    }
  }
}

void add_lines(std::string& out, std::string_view keyword, std::string_view text) {
  out += fmt::format("\n{}\n", keyword);
  for (bool more = !text.empty(); more;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = spelled_line(text.substr(0, end));
    out += line.empty() ? "  |\n" : fmt::format("  | {}\n", line);
    more = end < text.size();
    if (more) text.remove_prefix(end + 1);
  }
}

void add_statements(std::string& out, const Case& test) {
  if (statements_of(test) > 0) out += "\nstatements\n";
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
      const Statement& statement = test.transactions[t].statements[s];
      out += fmt::format("  {} {}", name(Place{t, s}), name(statement.kind));
      if (statement.sent != Sent::kPlain) out += fmt::format(", {}", name(statement.sent));
      if (statement.version != 0) out += fmt::format(", version {}", statement.version);
      if (!statement.reads.empty()) out += ", reads " + names(statement.reads, " ");
      if (!statement.writes.empty()) out += ", writes " + names(statement.writes, " ");
      out += '\n';
      if (!statement.before.empty()) add_sql(out, "    before: ", statement.before);
      if (!statement.undone.empty()) add_sql(out, "    undone: ", statement.undone);
    }
  }
}

bool is_there(const Case& test, Place place) {
  return place.transaction < test.transactions.size() &&
         place.statement < test.transactions[place.transaction].statements.size();
}

}  // namespace

std::string finding_text(const Finding& finding) {
  std::string out = fmt::format("# {}.\n", about(finding.wrong));
  out += "# isolde hunt --replay FILE runs it again";
  if (finding.anomaly != kNoSerialOrder) out += "; around each statement its transaction reads the tables as well";
  out += ".\n";
  out += fmt::format("finding {}\n", name(finding.wrong));
  out += fmt::format("isolde {}\n", spelled(finding.isolde.empty() ? ISOLDE_VERSION : finding.isolde));
  out += fmt::format("server {}\n", spelled(finding.server));
  out += fmt::format("dialect {}\n", spelled(finding.dialect));
  out += fmt::format("level {}\n", spelled(finding.level));
  out += fmt::format("seed {}\n", finding.test.seed);
  if (!finding.anomaly.empty()) out += fmt::format("anomaly {}\n", spelled(finding.anomaly));
  if (finding.rate.is_rare()) out += fmt::format("rate {} of {}\n", finding.rate.seen, finding.rate.runs);
  if (!finding.cause.empty()) out += fmt::format("cause {}\n", spelled(finding.cause));
  write_schema(out, finding.test.schema);
  add_run(out, finding.test);
  if (!finding.alone.empty()) {
    std::string places;
    for (const Place place : finding.alone) places += (places.empty() ? "" : ", ") + name(place);
    add_sql(out, "\nalone ", places);
  }
  if (is_there(finding.test, finding.where)) out += fmt::format("\nwhere {}\n", name(finding.where));
  add_lines(out, "expected", finding.expected);
  add_lines(out, "actual", finding.actual);
  add_statements(out, finding.test);
  return out;
}

}  // namespace isolde::hunt
