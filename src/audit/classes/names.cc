#include "audit/classes/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "audit/classes/tell_apart.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostParts = 3;

std::string_view verb(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kInsert:
      return "INSERT";
    case StatementKind::kUpdate:
      return "UPDATE";
    case StatementKind::kDelete:
      return "DELETE";
    case StatementKind::kReplace:
      return "REPLACE";
    case StatementKind::kUpsert:
      return "UPSERT";
    default:
      return "WRITE";
  }
}

void add_once(std::vector<std::string>& parts, std::string part) {
  if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < std::min(parts.size(), kMostParts); ++i) out += (i == 0 ? "" : ", ") + parts[i];
  if (parts.size() > kMostParts) out += fmt::format(" and {} more", parts.size() - kMostParts);
  return out;
}

// What a transaction of one statement finds its rows by: columns that are given a value, one for each value; if there
// are none, those that are looked at.
std::vector<std::string> looked_for(const Schema& schema, const TransactionClass& one) {
  std::vector<std::string> given, looked_at;
  std::set<std::uint32_t> variables;
  for (const Operation& operation : one.operations) {
    if (!operation.access.in_where) continue;
    const std::string& name = schema.column(operation.access.column).name;
    add_once(looked_at, name);
    for (const ClassRowKey& key : one.rows[operation.access.row_set].keys) {
      if (key.column == operation.access.column && variables.insert(key.variable).second) add_once(given, name);
    }
  }
  return given.empty() ? looked_at : given;
}

// "UPDATE stock, INSERT order_line"; "read customer, orders"; of one statement: "read item by i_id".
std::string deeds(const Schema& schema, std::span<const Statement> statements, const TransactionClass& one) {
  std::vector<std::string> writes, reads;
  bool locks = false;
  for (const Operation& operation : one.operations) {
    const std::string& table = schema.table(schema.column(operation.access.column).table).name;
    locks |= operation.access.lock == Lock::kExclusive;
    if (operation.access.action == Action::kWrite) {
      const Statement& statement = statements[raw(one.statements[operation.statement])];
      add_once(writes, fmt::format("{} {}", verb(statement), table));
    } else if (!operation.access.foreign_key) {
      add_once(reads, table);
    }
  }
  std::string out = writes.empty() ? "read " + joined(reads) : joined(writes);
  if (one.statements.size() == 1) {
    if (const std::vector<std::string> keys = looked_for(schema, one); !keys.empty()) out += " by " + joined(keys);
  }
  if (writes.empty() && locks) out += " for update";
  return out;
}

bool is_tag_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The value after key= or key: in a comment; with or without quotes.
std::string value_of(std::string_view comment, std::string_view key) {
  for (std::size_t at = comment.find(key); at != std::string_view::npos; at = comment.find(key, at + 1)) {
    std::size_t begin = at + key.size();
    if ((at > 0 && is_tag_char(comment[at - 1])) || begin >= comment.size()) continue;
    if (comment[begin] != '=' && comment[begin] != ':') continue;
    ++begin;
    char end = ',';
    if (begin < comment.size() && comment[begin] == '\'') end = comment[begin++];
    std::string_view value = comment.substr(begin, comment.find(end, begin) - begin);
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    // A name and nothing else: what has other characters is some other text.
    if (!value.empty() && value.size() <= 60 && std::ranges::all_of(value, [](char c) {
          return is_tag_char(c) || c == '-' || c == '/' || c == '.' || c == '#';
        })) {
      return std::string(value);
    }
  }
  return {};
}

// The class's own shapes say who sends them; those that other classes have too may have come from anyone.
std::string tag_of_class(const ShapeTable& shapes, const TransactionClass& one,
                         const std::unordered_map<std::uint32_t, std::uint32_t>& classes_of_shape) {
  std::string tag;
  for (const ShapeId shape : one.statements) {
    if (classes_of_shape.at(raw(shape)) != 1) continue;
    std::string its = tag_of(shapes.example(shape));
    if (its.empty()) continue;
    if (!tag.empty() && tag != its) return {};
    tag = std::move(its);
  }
  return tag;
}

}  // namespace

std::string tag_of(std::string_view sql) {
  for (std::size_t begin = sql.find("/*"); begin != std::string_view::npos; begin = sql.find("/*", begin + 2)) {
    const std::string_view comment = sql.substr(begin + 2, sql.find("*/", begin + 2) - begin - 2);
    const std::string controller = value_of(comment, "controller");
    std::string action = value_of(comment, "action");
    if (action.empty()) action = value_of(comment, "route");
    if (action.empty()) action = value_of(comment, "job");
    if (action.empty() && controller.empty()) continue;
    if (controller.empty() || action.empty()) return controller + action;
    return controller + "#" + action;
  }
  return {};
}

void name_classes(const ShapeTable& shapes, const Schema& schema, std::span<const Statement> statements,
                  std::vector<TransactionClass>& classes) {
  std::unordered_map<std::uint32_t, std::uint32_t> classes_of_shape;
  for (const TransactionClass& one : classes) {
    const std::set<ShapeId> different(one.statements.begin(), one.statements.end());
    for (const ShapeId shape : different) ++classes_of_shape[raw(shape)];
  }
  std::map<std::string, std::vector<TransactionClass*>> alike;
  for (TransactionClass& one : classes) {
    one.name = deeds(schema, statements, one);
    if (const std::string tag = tag_of_class(shapes, one, classes_of_shape); !tag.empty()) {
      one.name = fmt::format("{}: {}", tag, one.name);
    }
    alike[one.name].push_back(&one);
  }
  for (const auto& [name, some] : alike) {
    const std::vector<std::string> words =
        tell_apart(schema, std::vector<const TransactionClass*>(some.begin(), some.end()));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!words[i].empty()) some[i]->name += fmt::format(" ({})", words[i]);
    }
  }
  std::unordered_map<std::string, std::uint32_t> used;
  std::unordered_set<std::string> taken;
  for (TransactionClass& one : classes) {
    const std::string name = one.name;
    std::uint32_t& times = used[name];
    if (++times > 1) one.name = fmt::format("{} ({})", name, times);
    while (!taken.insert(one.name).second) one.name = fmt::format("{} ({})", name, ++times);
  }
}

}  // namespace isolde::audit
