#include "tests/support/small_story.h"

#include <gtest/gtest.h>

#include <sstream>

namespace isolde::audit::testing {
namespace {

StatementKind kind_of(const std::string& sql) {
  switch (sql.empty() ? ' ' : sql[0] | 0x20) {
    case 's':
      return StatementKind::kSelect;
    case 'i':
      return StatementKind::kInsert;
    case 'u':
      return StatementKind::kUpdate;
    case 'd':
      return StatementKind::kDelete;
    case 'r':
      return StatementKind::kReplace;
    default:
      return StatementKind::kNoData;
  }
}

void add_class(const std::vector<std::string>& statements, SmallStory& story) {
  TransactionClass made;
  made.name = "class " + std::to_string(story.classes.classes.size() + 1);
  made.example = static_cast<std::uint32_t>(story.log.transactions.size());
  const auto first = static_cast<std::uint32_t>(story.log.statements.size());
  for (const std::string& sql : statements) {
    const auto literal = static_cast<std::uint32_t>(story.log.literals.size());
    const ShapeId shape = story.log.shapes.intern(sql, story.log.literals);
    story.classes.statements.resize(story.log.shapes.size());
    story.classes.statements[raw(shape)].kind = kind_of(sql);
    made.statements.push_back(shape);
    made.example_statements.push_back(static_cast<std::uint32_t>(story.log.statements.size()));
    story.log.statements.push_back({shape, literal, 0});
  }
  story.log.transactions.push_back(
      {0, first, static_cast<std::uint32_t>(statements.size()), TxnOutcome::kCommitted, statements.size() == 1, 0, 0});
  story.classes.classes.push_back(std::move(made));
}

// "T2.3" -> member 1, statement 2
std::pair<std::uint32_t, std::uint32_t> place(const std::string& word) {
  const std::size_t dot = word.find('.');
  if (word.empty() || word[0] != 'T' || dot == std::string::npos) {
    ADD_FAILURE() << word << " is no T1.1";
    return {0, 0};
  }
  return {static_cast<std::uint32_t>(std::stoul(word.substr(1)) - 1),
          static_cast<std::uint32_t>(std::stoul(word.substr(dot + 1)) - 1)};
}

std::uint32_t add_operation(SmallStory& story, std::uint32_t member, std::uint32_t statement, ColumnId column) {
  TransactionClass& of = story.classes.classes[raw(story.anomaly.cycle.members[member])];
  const StatementKind kind = story.classes.statements[raw(of.statements[statement])].kind;
  Operation operation = {};
  operation.access.action = kind == StatementKind::kSelect ? Action::kRead : Action::kWrite;
  operation.access.column = column;
  operation.statement = statement;
  of.operations.push_back(operation);
  return static_cast<std::uint32_t>(of.operations.size() - 1);
}

}  // namespace

SmallStory small_story(const StoryText& text) {
  SmallStory story;
  story.log.shapes = ShapeTable(text.dialect);
  story.log.facts.dialect = text.dialect;
  auto schema = read_schema_text(text.schema, "schema.sql");
  EXPECT_TRUE(schema) << schema.error().message();
  if (!schema) return story;
  story.classes.schema = *std::move(schema);
  for (const auto& statements : text.transactions) add_class(statements, story);
  for (const std::uint32_t member : text.members) {
    story.anomaly.cycle.members.push_back(ClassId{member});
    story.anomaly.members.push_back("T" + std::to_string(story.anomaly.members.size() + 1));
  }
  std::istringstream order(text.order);
  for (std::string word; order >> word;) {
    StoryStep step = {};
    if (word[0] == 'C') {
      step.member = static_cast<std::uint32_t>(std::stoul(word.substr(1)) - 1);
      step.kind = Event::Kind::kCommit;
    } else {
      std::tie(step.member, step.statement) = place(word);
      step.kind = Event::Kind::kStatement;
    }
    story.anomaly.steps.push_back(step);
  }
  for (const std::string& edge : text.edges) {
    std::istringstream words(edge);
    std::string from, to, name;
    words >> from >> to >> name;
    const std::size_t dot = name.find('.');
    const auto table = story.classes.schema.find_table(name.substr(0, dot));
    const auto column = table ? story.classes.schema.find_column(*table, name.substr(dot + 1)) : std::nullopt;
    EXPECT_TRUE(column) << name;
    if (!column) continue;
    const auto [a, first] = place(from);
    const auto [b, second] = place(to);
    Conflict conflict = {};
    conflict.from_op = add_operation(story, a, first, *column);
    conflict.to_op = add_operation(story, b, second, *column);
    conflict.column = *column;
    const auto reads = [&](std::uint32_t member, std::uint32_t operation) {
      const TransactionClass& of = story.classes.classes[raw(story.anomaly.cycle.members[member])];
      return of.operations[operation].access.action == Action::kRead;
    };
    conflict.kind = reads(a, conflict.from_op) ? EdgeKind::kRw
                    : reads(b, conflict.to_op) ? EdgeKind::kWr
                                               : EdgeKind::kWw;
    story.anomaly.cycle.edges.push_back({a, b, conflict});
  }
  return story;
}

}  // namespace isolde::audit::testing
