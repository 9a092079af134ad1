#include "audit/story/conditions.h"

#include <algorithm>
#include <string_view>

#include "audit/story/actors.h"
#include "base/ascii.h"

namespace isolde::audit {

bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, in = 0, star = std::string_view::npos, from = 0;
  while (at < text.size()) {
    const bool escaped = in + 1 < pattern.size() && pattern[in] == '\\';
    const char wanted = in < pattern.size() ? pattern[escaped ? in + 1 : in] : '\0';
    if (in < pattern.size() && !escaped && wanted == '%') {
      star = in++;
      from = at;
    } else if (in < pattern.size() && ((!escaped && wanted == '_') || lower(wanted) == lower(text[at]))) {
      in += escaped ? 2 : 1;
      ++at;
    } else if (star != std::string_view::npos) {
      in = star + 1;
      at = ++from;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '%') ++in;
  return in == pattern.size();
}

RowConditions::RowConditions(const Classes& classes, const TraceLog& log, const RowFacts& facts, bool assumptions)
    : classes_(classes), log_(log), facts_(facts), assumptions_(assumptions) {}

LiteralId RowConditions::NamedRows::assigned(ColumnId column) const {
  const auto set = std::ranges::find(statement->assigned, column, &RowKey::column);
  return set == statement->assigned.end() ? kNoLiteral : literal(set->literal);
}

LiteralId RowConditions::NamedRows::value(ColumnId column) const {
  const auto key = std::ranges::lower_bound(rows->keys, column, {}, &RowKey::column);
  return key == rows->keys.end() || key->column != column ? kNoLiteral : literal(key->literal);
}

RowConditions::NamedRows RowConditions::named_rows(const Cycle& cycle, std::span<const Literals> members,
                                                   std::uint32_t member, std::uint32_t op) const {
  const TransactionClass& one = classes_.classes[raw(cycle.members[member])];
  // Classes written by hand for tests have no text.
  if (!has_statements(one)) return {};
  const std::uint32_t at = one.operations[op].statement;
  std::uint32_t first = op;
  while (first > 0 && one.operations[first - 1].statement == at) --first;
  const Statement& statement = classes_.statements[raw(one.statements[at])];
  if (op - first >= statement.accesses.size()) return {};
  return {&statement, &statement.row_sets[statement.accesses[op - first].row_set], &members[member][at]};
}

// The column is always written back as it was, and that may be relied on.
bool RowConditions::is_written_back(ColumnId column) const {
  return assumptions_ && raw(column) < classes_.unchanged_facts.size() &&
         classes_.unchanged_facts[raw(column)] != kNone32;
}

template <typename Known>
bool RowConditions::refuses(const NamedRows& one, Known&& known, bool equal_too) const {
  for (const RowKey& key : equal_too ? std::span<const RowKey>(one.rows->keys) : std::span<const RowKey>()) {
    const LiteralId value = known(key.column), asked = one.literal(key.literal);
    if (value != kNoLiteral && is_word(log_, asked) && value != asked) return true;
  }
  for (const RowChoices& choices : one.rows->among) {
    const LiteralId value = known(choices.column);
    if (value != kNoLiteral &&
        std::ranges::none_of(choices.literals, [&](std::uint32_t place) { return one.literal(place) == value; }))
      return true;
  }
  return std::ranges::any_of(one.rows->like, [&](const RowKey& pattern) {
    const LiteralId value = known(pattern.column), asked = one.literal(pattern.literal);
    return value != kNoLiteral && asked != kNoLiteral &&
           !is_like(log_.shapes.literal(value), log_.shapes.literal(asked));
  });
}

// What the column of the row that the operation inserts has when its transaction commits, if that is a literal and not
// the one of the INSERT. kNoLiteral: nobody knows; none: it stays as it was inserted.
std::optional<LiteralId> RowConditions::left_by(const Cycle& cycle, std::span<const Literals> members,
                                                std::uint32_t member, std::uint32_t op, ColumnId column) const {
  const TransactionClass& of = classes_.classes[raw(cycle.members[member])];
  const Operation& made = of.operations[op];
  const TableId table = of.rows[made.access.row_set].table;
  const bool only_one =
      of.rows[made.access.row_set].single && std::ranges::none_of(of.operations, [&](const Operation& other) {
        return other.access.inserts && other.access.row_set != made.access.row_set &&
               of.rows[other.access.row_set].table == table;
      });
  std::optional<LiteralId> left;
  for (std::uint32_t place = 0; place < of.operations.size(); ++place) {
    const Operation& later = of.operations[place];
    if (later.access.action != Action::kWrite || later.access.inserts || later.access.column != column) continue;
    if (later.statement == made.statement) {
      const NamedRows upsert = named_rows(cycle, members, member, place);
      if (upsert.statement == nullptr || !gives_again(*upsert.statement, column)) left = kNoLiteral;
      continue;
    }
    if (later.statement < made.statement) continue;
    const ClassRows& rows = of.rows[later.access.row_set];
    const NamedRows set = named_rows(cycle, members, member, place);
    left = only_one && rows.own && rows.single && !later.access.deletes && set.rows != nullptr ? set.assigned(column)
                                                                                               : kNoLiteral;
  }
  return left;
}

bool RowConditions::excludes(const NamedRows& one, bool asks, const Cycle& cycle, std::span<const Literals> members,
                             std::uint32_t member, std::uint32_t op) const {
  const TransactionClass& of = classes_.classes[raw(cycle.members[member])];
  const Operation& operation = of.operations[op];
  const NamedRows other = named_rows(cycle, members, member, op);
  const bool makes = operation.access.inserts;
  const bool updates = operation.access.action == Action::kWrite && !makes;
  for (const RowKey& key : one.rows->keys) {
    const LiteralId asked = one.literal(key.literal);
    if (asked == kNoLiteral) continue;
    if (updates && is_written_back(key.column)) {
      const LiteralId value = other.assigned(key.column);
      if (value != kNoLiteral && value != asked) return true;
    }
    if (!makes || !asks || !is_word(log_, asked)) continue;
    const std::optional<LiteralId> left = left_by(cycle, members, member, op, key.column);
    if (left && *left != kNoLiteral && *left != asked) return true;
  }
  return refuses(
      one,
      [&](ColumnId column) {
        if (updates && is_written_back(column) && other.assigned(column) != kNoLiteral) return other.assigned(column);
        if (makes) return left_by(cycle, members, member, op, column).value_or(other.value(column));
        return facts_.stable(column) ? other.value(column) : kNoLiteral;
      },
      false);
}

bool RowConditions::hold(const Cycle& cycle, std::span<const Literals> members) const {
  return std::ranges::none_of(cycle.edges, [&](const CycleEdge& edge) {
    const NamedRows from = named_rows(cycle, members, edge.from, edge.conflict.from_op),
                    to = named_rows(cycle, members, edge.to, edge.conflict.to_op);
    if (from.rows == nullptr || to.rows == nullptr) return false;
    const auto asks = [&](std::uint32_t member, std::uint32_t op) {
      return !classes_.classes[raw(cycle.members[member])].operations[op].access.inserts;
    };
    return excludes(from, asks(edge.from, edge.conflict.from_op), cycle, members, edge.to, edge.conflict.to_op) ||
           excludes(to, asks(edge.to, edge.conflict.to_op), cycle, members, edge.from, edge.conflict.from_op);
  });
}

// Neither before the UPDATE nor after it is the row one that the reader asks for; or the UPDATE left all that the
// reader looks at as it was.
bool RowConditions::makes_no_difference(const NamedRows& reader, const NamedRows& writer,
                                        const SeenUpdate& update) const {
  const auto writes = [&](ColumnId column) {
    return std::ranges::any_of(writer.statement->accesses, [&](const Access& access) {
      return access.action == Action::kWrite && access.column == column;
    });
  };
  const auto before = [&](ColumnId column) {
    const auto value = std::ranges::find(update.before, column, &std::pair<ColumnId, LiteralId>::first);
    return value == update.before.end() ? kNoLiteral : value->second;
  };
  const auto after = [&](ColumnId column) {
    const LiteralId set = writer.assigned(column);
    if (set != kNoLiteral) return is_word(log_, set) ? set : kNoLiteral;
    return writes(column) ? kNoLiteral : before(column);
  };
  if (refuses(reader, before, true) && refuses(reader, after, true)) return true;
  return std::ranges::none_of(reader.statement->accesses, [&](const Access& read) {
    const bool of_rows = read.action == Action::kRead && &reader.statement->row_sets[read.row_set] == reader.rows;
    return of_rows && writes(read.column) && !std::ranges::binary_search(update.unchanged, read.column);
  });
}

bool RowConditions::were_so(const Cycle& cycle, std::span<const Literals> members,
                            std::span<const std::uint32_t> transactions) const {
  return std::ranges::none_of(cycle.edges, [&](const CycleEdge& edge) {
    const auto never = [&](std::uint32_t reader, std::uint32_t read, std::uint32_t writer, std::uint32_t write) {
      const TransactionClass &reads = classes_.classes[raw(cycle.members[reader])],
                             &writes = classes_.classes[raw(cycle.members[writer])];
      const Operation& written = writes.operations[write];
      const Access &from = reads.operations[read].access, &to = written.access;
      if (from.action != Action::kRead || to.action != Action::kWrite || to.inserts || to.deletes) return false;
      const NamedRows looked = named_rows(cycle, members, reader, read),
                      set = named_rows(cycle, members, writer, write);
      if (looked.rows == nullptr || set.rows == nullptr || looked.rows->table != set.rows->table) return false;
      const std::uint32_t example = log_.transactions[writes.example].first_statement;
      const std::uint32_t at = writes.example_statements[written.statement] - example +
                               log_.transactions[transactions[writer]].first_statement;
      const auto seen = classes_.updates.find(at);
      return seen != classes_.updates.end() && makes_no_difference(looked, set, seen->second);
    };
    return never(edge.from, edge.conflict.from_op, edge.to, edge.conflict.to_op) ||
           never(edge.to, edge.conflict.to_op, edge.from, edge.conflict.from_op);
  });
}

}  // namespace isolde::audit
