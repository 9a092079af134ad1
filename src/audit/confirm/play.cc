#include "audit/confirm/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "audit/confirm/column_types.h"
#include "audit/confirm/play_locks.h"
#include "audit/confirm/play_values.h"

namespace isolde::audit {
namespace {

bool is_data(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
    case StatementKind::kInsert:
    case StatementKind::kUpdate:
    case StatementKind::kDelete:
    case StatementKind::kReplace:
    case StatementKind::kUpsert:
      return true;
    case StatementKind::kNoData:
    case StatementKind::kSchemaChange:
    case StatementKind::kNotUnderstood:
      return false;
  }
  return false;
}

Result<Line> read_line(const Classes& classes, const TraceLog& log, const TransactionClass& of,
                       std::uint32_t statement) {
  const TraceStatement& example = log.statements[of.example_statements[statement]];
  Line line;
  line.statement = statement;
  line.kind = classes.statements[raw(example.shape)].kind;
  line.keeps_old_row = classes.statements[raw(example.shape)].keeps_old_row;
  line.lexer = std::make_shared<Lexer>(log.shapes.dialect());
  line.tokens = &line.lexer->tokens(log.shapes.example(example.shape));
  line.clues = read_clues(*line.tokens, classes.schema);
  if (line.clues.has_parameter)
    return Error{fmt::format("the trace does not tell the values of: {}", log.shapes.example(example.shape))};
  for (const LiteralId literal : log.literals_of(example)) line.literals.emplace_back(log.shapes.literal(literal));
  line.variables.assign(line.literals.size(), kNoVariable);
  return line;
}

// Which literals are a variable of the class: those that its operations name their rows by.
void find_variables(const TransactionClass& of, const TraceLog& log, Line& line) {
  for (const Operation& operation : of.operations) {
    if (operation.statement != line.statement || operation.access.row_set >= of.rows.size()) continue;
    for (const ClassRowKey& key : of.rows[operation.access.row_set].keys) {
      for (const std::uint32_t literal : line.lock_key) {
        const LiteralId value = key.variable < of.example_values.size() ? of.example_values[key.variable] : kNoLiteral;
        if (literal < line.variables.size() && value != kNoLiteral &&
            log.shapes.literal(value) == line.literals[literal])
          line.variables[literal] = key.variable;
      }
      const auto tie = [&](ColumnId column, std::uint32_t literal) {
        if (column != key.column || literal >= line.variables.size() || line.variables[literal] != kNoVariable) return;
        // A table that is named twice has a variable for each: the value tells which.
        const LiteralId value = key.variable < of.example_values.size() ? of.example_values[key.variable] : kNoLiteral;
        if (value != kNoLiteral && log.shapes.literal(value) != line.literals[literal]) return;
        line.variables[literal] = key.variable;
      };
      for (const Comparison& c : line.clues.comparisons) {
        if (c.how == Compares::kEqual) tie(c.column, c.literal);
      }
      for (const auto& row : line.clues.inserted) {
        for (const InsertedCell& cell : row) {
          if (cell.as == InsertedAs::kLiteral) tie(cell.column, cell.literal);
        }
      }
    }
  }
}

std::string level_words(const TransactionClass& of) {
  if (of.serializable) return "serializable";
  if (!of.level) return {};
  return *of.level == WeakLevel::kReadCommitted ? "read committed" : "repeatable read";
}

constexpr std::uint64_t kSupportOfChoice = 20;  // times that the trace shows it

// The member inserts rows of the table and lets it number them: the key may be one of these.
bool inserts_rows(const Member& member, const ClassRowKey& key, const Schema& schema) {
  const TableId table = schema.column(key.column).table;
  return std::ranges::any_of(member.lines, [&](const Line& line) {
    if (!line.clues.inserts || line.clues.tables.empty() || line.clues.tables.front().table != table) return false;
    return std::ranges::any_of(line.clues.inserted, [&](const std::vector<InsertedCell>& row) {
      const auto cell = std::ranges::find(row, key.column, &InsertedCell::column);
      return cell == row.end() || cell->as != InsertedAs::kLiteral;
    });
  });
}

// SELECT … FOR UPDATE SKIP LOCKED asks which rows are free: what comes later is about one that it returned.
void add_free_rows(const Schema& schema, std::uint32_t number, const Member& member, std::vector<PlayChoice>& to) {
  for (std::uint32_t l = 0; l < member.lines.size(); ++l) {
    const Line& line = member.lines[l];
    const bool skips = std::ranges::any_of(*line.tokens, [](const Token& token) { return is_word(token, "skip"); });
    if (line.kind != StatementKind::kSelect || !line.clues.locks || !skips || line.clues.tables.empty()) continue;
    const TableId table = line.clues.tables.front().table;
    for (std::uint32_t later = l + 1; later < member.lines.size(); ++later) {
      const Line& other = member.lines[later];
      for (const Comparison& c : other.clues.comparisons) {
        const bool of_key = std::ranges::count(schema.table(table).primary_key, c.column) > 0;
        if (!of_key || c.how != Compares::kEqual || c.literal >= other.variables.size()) continue;
        const std::uint32_t variable = other.variables[c.literal];
        const bool known = std::ranges::any_of(to, [&](const PlayChoice& one) {
          return one.member == number && one.line == l && one.variable == variable;
        });
        if (variable != kNoVariable && !known) to.push_back({number, l, c.column, variable});
      }
    }
  }
}

std::uint32_t line_of(const Play& play, const Classes& classes, std::uint32_t member, std::uint32_t operation) {
  const TransactionClass& of = classes.classes[raw(play.members[member].id)];
  return operation < of.operations.size() ? play.members[member].line_of(of.operations[operation].statement) : kNone32;
}

std::optional<Touch> touch_of(const Play& play, const Classes& classes, std::uint32_t member, std::uint32_t operation) {
  const TransactionClass& of = classes.classes[raw(play.members[member].id)];
  if (operation >= of.operations.size()) return std::nullopt;
  const Operation& op = of.operations[operation];
  const std::uint32_t at = play.members[member].line_of(op.statement);
  if (at == kNone32) return std::nullopt;
  const TableId table = classes.schema.column(op.access.column).table;
  const std::vector<NamedTable>& tables = play.members[member].lines[at].clues.tables;
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    if (tables[i].table == table) return Touch{member, at, i};
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t Member::line_of(std::uint32_t statement) const {
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    if (lines[i].statement == statement) return i;
  }
  return kNone32;
}

std::vector<std::string> key_named(const Play& play, const Line& line, TableId table,
                                   const std::vector<ColumnId>& key) {
  std::vector<std::string> out;
  const auto compared = [&](ColumnId column) {
    for (const Comparison& c : line.clues.comparisons) {
      if (c.column == column && c.how == Compares::kEqual) return c.literal;
    }
    return kNone32;
  };
  for (const ColumnId column : key) {
    std::uint32_t literal = kNone32;
    const bool inserts = line.clues.inserts && !line.clues.tables.empty() && line.clues.tables.front().table == table;
    if (inserts && line.clues.inserted.size() == 1) {
      const auto& row = line.clues.inserted.front();
      const auto cell = std::ranges::find(row, column, &InsertedCell::column);
      const bool given = cell != row.end() && cell->as == InsertedAs::kLiteral;
      if (!given && play.schema.column(column).generated_id && !line.makes.empty()) {
        out.push_back(line.makes);
        continue;
      }
      if (given) literal = cell->literal;
    } else if (!inserts) {
      literal = compared(column);
      for (const EqualColumns& equal : line.clues.equal) {  // of a join
        if (literal == kNone32 && equal.first_column == column) literal = compared(equal.second_column);
        if (literal == kNone32 && equal.second_column == column) literal = compared(equal.first_column);
      }
    }
    if (literal >= line.literals.size()) return {};
    out.push_back(line.literals[literal]);
  }
  return out;
}

bool name_one_row(const Play& play, const Line& a, const Line& b, TableId table) {
  return std::ranges::any_of(play.keys_of(table), [&](const std::vector<ColumnId>& key) {
    const std::vector<std::string> values = key_named(play, a, table, key);
    return !values.empty() && values == key_named(play, b, table, key);
  });
}

std::vector<std::uint32_t> readers_of(const Play& play, const PlayEdge& edge) {
  std::vector<std::uint32_t> out;
  if (edge.from_line == kNone32) return out;
  const std::vector<Line>& lines = play.members[edge.from].lines;
  const TableId table = play.schema.column(edge.column).table;
  for (std::uint32_t l = 0; l < lines.size(); ++l) {
    const bool same = lines[l].kind == StatementKind::kSelect && lines[l].tables == lines[edge.from_line].tables &&
                      name_one_row(play, lines[l], lines[edge.from_line], table);
    if (l == edge.from_line || same) out.push_back(l);
  }
  return out;
}

std::string Play::value(std::uint32_t member, std::uint32_t variable) const {
  for (const Line& line : members[member].lines) {
    for (std::size_t i = 0; i < line.variables.size(); ++i) {
      if (line.variables[i] == variable) return line.literals[i];
    }
  }
  return {};
}

std::string Play::returned(const PlayChoice& choice) const {
  const std::string text = value(choice.member, choice.variable);
  if (choice.plus == 0) return text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return std::to_string(number - choice.plus);
}

std::vector<std::vector<ColumnId>> Play::keys_of(TableId table) const {
  std::vector<std::vector<ColumnId>> keys = schema.table(table).unique_keys;
  if (!schema.table(table).primary_key.empty()) keys.insert(keys.begin(), schema.table(table).primary_key);
  return keys;
}

std::set<TableId> contested_tables(const Play& play) {
  std::map<TableId, std::set<std::uint32_t>> users;
  std::set<TableId> written, of_cycle, out;
  for (std::uint32_t m = 0; m < play.members.size(); ++m) {
    for (const Line& line : play.members[m].lines) {
      for (const TableId lock : line.locks) {
        users[lock].insert(m);
        written.insert(lock);
        of_cycle.insert(lock);
      }
      for (const TableId table : line.tables) {
        users[table].insert(m);
        if (line.kind != StatementKind::kSelect) written.insert(table);
        if (line.in_cycle) of_cycle.insert(table);
      }
    }
  }
  for (const auto& [table, by] : users) {
    if (by.size() > 1 && written.contains(table) && of_cycle.contains(table)) out.insert(table);
  }
  return out;
}

Result<Play> make_play(const Anomaly& anomaly, const Classes& classes, const TraceLog& log) {
  Play play;
  play.dialect = log.shapes.dialect();
  std::set<TableId> tables;
  for (const ClassId id : anomaly.cycle.members) {
    const TransactionClass& of = classes.classes[raw(id)];
    Member member{id, {}, level_words(of)};
    for (std::uint32_t s = 0; s < of.example_statements.size(); ++s) {
      const Statement& statement = classes.statements[raw(of.statements[s])];
      if (!is_data(statement.kind)) continue;
      auto line = read_line(classes, log, of, s);
      if (!line) return std::move(line).error();
      if (auto found = find_locks(classes, of, *line); !found)
        return Error{fmt::format("T{}: {}", play.members.size() + 1, found.error().text)};
      find_variables(of, log, *line);
      std::set<TableId> named;
      for (const NamedTable& one : line->clues.tables) named.insert(one.table);
      for (const TableId lock : line->locks) {
        if (!classes.schema.table(lock).is_lock) named.insert(lock);
      }
      for (const TableId table : statement.tables) {
        const Table& one = classes.schema.table(table);
        if (!one.is_lock) named.insert(table);
        play.reads_wait |= one.is_lock && one.holds_off_reads;
      }
      line->tables.assign(named.begin(), named.end());
      tables.insert(named.begin(), named.end());
      member.lines.push_back(*std::move(line));
    }
    if (auto checked = check_other_statements(classes, log, of, member); !checked)
      return Error{fmt::format("T{}: {}", play.members.size() + 1, checked.error().text)};
    for (const Choice& choice : of.choices) {
      const std::uint32_t line = member.line_of(choice.statement);
      const auto key = std::ranges::find(choice.key, choice.result, &ClassRowKey::variable);
      const bool known = choice.fact < classes.facts.size() && classes.facts[choice.fact].support >= kSupportOfChoice;
      if (line == kNone32 || key == choice.key.end() || !known || inserts_rows(member, *key, classes.schema)) continue;
      play.choices.push_back({static_cast<std::uint32_t>(play.members.size()), line, key->column, choice.result});
    }
    add_free_rows(classes.schema, static_cast<std::uint32_t>(play.members.size()), member, play.choices);
    for (const Numbering& numbering : of.numberings) {
      const Operation& read = of.operations[numbering.reads.front()];
      const std::uint32_t line = member.line_of(read.statement);
      if (line == kNone32) continue;
      play.choices.push_back({static_cast<std::uint32_t>(play.members.size()), line, read.access.column,
                              numbering.variable, numbering.plus, numbering.step});
    }
    play.members.push_back(std::move(member));
  }
  play.tables.assign(tables.begin(), tables.end());
  for (const CycleEdge& edge : anomaly.cycle.edges) {
    const auto from = touch_of(play, classes, edge.from, edge.conflict.from_op);
    const auto to = touch_of(play, classes, edge.to, edge.conflict.to_op);
    for (const auto& touch : {from, to}) {
      if (touch) play.members[touch->member].lines[touch->line].in_cycle = true;
    }
    if (from && to) play.meet.emplace_back(*from, *to);
    play.edges.push_back({edge.from, edge.to, line_of(play, classes, edge.from, edge.conflict.from_op),
                          line_of(play, classes, edge.to, edge.conflict.to_op), edge.conflict.kind,
                          edge.conflict.column});
    std::string name = classes.schema.column(edge.conflict.column).name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    play.telling.insert(std::move(name));
  }
  play.schema = classes.schema;
  complete_types(play);
  choose_values(anomaly, classes, log, play);
  find_data(classes, log, play);
  return play;
}

}  // namespace isolde::audit
