#include "tests/support/small_trace.h"

#include <fmt/format.h>

#include <string>

#include "audit/facts/find_classes.h"
#include "tests/support/small_classes.h"

namespace isolde::audit::testing {
namespace {

// What the lexer makes one shape of: the words without variables, then the values in the order of the keys.
std::string sql_of(const Classes& classes, const TransactionClass& one, std::uint32_t statement,
                   const std::vector<std::string>& values) {
  TransactionClass alone;
  alone.statements.push_back(one.statements[statement]);
  alone.rows = one.rows;
  for (Operation operation : one.operations) {
    if (operation.statement != statement) continue;
    operation.statement = 0;
    alone.operations.push_back(operation);
  }
  const std::string words = text_of(classes, alone);
  std::string sql;
  bool in_variable = false;
  for (const char c : words) {
    in_variable = in_variable ? c != ' ' : c == '=';
    if (!in_variable) sql += c;
  }
  const Statement& meaning = classes.statements[raw(one.statements[statement])];
  const std::uint32_t first_rows = alone.operations[0].access.row_set - std::uint32_t{meaning.accesses[0].row_set};
  std::vector<std::string> in_order;
  for (std::size_t i = 0; i < meaning.row_sets.size(); ++i) {
    for (std::size_t k = 0; k < meaning.row_sets[i].keys.size(); ++k) {
      const std::size_t literal = meaning.row_sets[i].keys[k].literal;
      if (literal >= in_order.size()) in_order.resize(literal + 1);
      in_order[literal] = values[one.rows[first_rows + i].keys[k].variable];
    }
  }
  for (const std::string& value : in_order) sql += " " + value;
  return sql;
}

}  // namespace

SmallTrace small_trace(std::string_view text) {
  // "[2-9]" is taken off the lines: small_classes has another use for it.
  std::string plain;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
  std::uint64_t now = 1000;
  while (!text.empty()) {
    std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    const std::size_t open = line.find('['), close = line.find(']');
    if (line.find("table ") != first) {
      if (open != std::string::npos && close != std::string::npos) {
        const std::size_t dash = line.find('-', open);
        times.emplace_back(std::stoull(line.substr(open + 1)), std::stoull(line.substr(dash + 1)));
        line.erase(open, close - open + 1);
      } else {
        times.emplace_back(now, now + 5);
        now += 10;
      }
    }
    plain += line + "\n";
  }
  std::vector<std::vector<std::string>> values;
  Classes classes = small_classes(plain, &values);
  SmallTrace out;
  out.schema = classes.schema;
  for (std::size_t i = 0; i < classes.classes.size(); ++i) {
    const TransactionClass& one = classes.classes[i];
    TraceTransaction txn{.session = static_cast<std::uint32_t>(i),
                         .first_statement = static_cast<std::uint32_t>(out.log.statements.size()),
                         .statements = static_cast<std::uint32_t>(one.statements.size()),
                         .outcome = TxnOutcome::kCommitted,
                         .autocommit = one.statements.size() == 1,
                         .begun = times[i].first,
                         .ended = times[i].second};
    if (one.name[0] == '-') txn.outcome = TxnOutcome::kRolledBack;
    if (one.name[0] == '?') txn.outcome = TxnOutcome::kOpen;
    for (std::uint32_t s = 0; s < one.statements.size(); ++s) {
      const auto first_literal = static_cast<std::uint32_t>(out.log.literals.size());
      const ShapeId shape = out.log.shapes.intern(sql_of(classes, one, s, values[i]), out.log.literals);
      if (raw(shape) == out.statements.size()) out.statements.push_back(classes.statements[raw(one.statements[s])]);
      out.log.statements.push_back({shape, first_literal, static_cast<std::uint32_t>(i + 1)});
    }
    out.log.transactions.push_back(txn);
  }
  return out;
}

Classes classes_of(const SmallTrace& trace, const ClassOptions& options) {
  return find_classes(trace.log, trace.schema, trace.statements, options);
}

}  // namespace isolde::audit::testing
