// Statements made smaller by their clauses and expressions.
#include <algorithm>
#include <optional>

#include "hunt/reduce/session.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt {
namespace {

struct Sized {
  Place place;
  std::size_t size = 0;
};

std::vector<Sized> by_size(const Case& test) {
  std::vector<Sized> all;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
      const sql::NodePtr& tree = test.transactions[t].statements[s].tree;
      if (tree) all.push_back({{t, s}, sql::size(*tree)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Sized& a, const Sized& b) { return a.size > b.size; });
  return all;
}

bool shrink(Reduction& reduction, Place place) {
  bool any = false;
  for (bool better = true; better;) {
    better = false;
    // A step that was refused is not tried again before the end is reached: what follows it is smaller and, after a
    // step that was taken, most likely stands at the same place.
    for (std::size_t i = 0; !reduction.over();) {
      const std::int64_t version = at(reduction.best().test, place).version;
      const std::vector<sql::NodePtr> candidates = sql::smaller(at(reduction.best().test, place).tree);
      if (i >= candidates.size()) break;
      bool taken = false;
      for (; i < candidates.size() && !taken && !reduction.over(); ++i) {
        Finding candidate = reduction.best();
        Statement& statement = candidate.test.transactions[place.transaction].statements[place.statement];
        statement = sql::make_statement(candidates[i], version, candidate.test.schema, candidate.dialect);
        taken = reduction.attempt(candidate);
      }
      if (taken) {
        --i;
        better = any = true;
      }
    }
  }
  return any;
}

using Path = std::vector<std::size_t>;  // from child to child

// The simplest literal of a type; none: there is nothing simpler.
std::optional<std::string> simple_literal(const sql::Node& literal) {
  if (literal.text == "null" || literal.text == "0" || literal.text == "''") return std::nullopt;
  switch (literal.type) {
    case sql::Type::kInteger:
      return "1";
    case sql::Type::kDecimal:
      return "1.00";
    case sql::Type::kText:
      return "'a'";
    case sql::Type::kDate:
      return "'2024-01-01'";
    case sql::Type::kBoolean:
    case sql::Type::kNone:
      break;
  }
  return std::nullopt;
}

// Where literals stand that could be simpler. The statement's version is what tells its writes from others'.
std::vector<Path> literals_of(const Statement& statement) {
  std::vector<Path> paths;
  std::vector<std::pair<const sql::Node*, Path>> left = {{statement.tree.get(), {}}};
  const std::string version = std::to_string(statement.version);
  while (!left.empty()) {
    const auto [node, path] = std::move(left.back());
    left.pop_back();
    if (node->kind == sql::Kind::kLiteral) {
      const auto simple = simple_literal(*node);
      if (simple && *simple != node->text && node->text != version) paths.push_back(path);
    }
    for (std::size_t i = node->children.size(); i-- > 0;) {
      if (!node->children[i]) continue;
      Path below = path;
      below.push_back(i);
      left.emplace_back(node->children[i].get(), std::move(below));
    }
  }
  return paths;
}

sql::NodePtr with_simple_literal(const sql::NodePtr& tree, const Path& path) {
  std::vector<const sql::Node*> nodes = {tree.get()};
  for (const std::size_t i : path) nodes.push_back(nodes.back()->children[i].get());
  auto copy = std::make_shared<sql::Node>(*nodes.back());
  copy->text = *simple_literal(*copy);
  for (std::size_t depth = path.size(); depth-- > 0;) {
    auto parent = std::make_shared<sql::Node>(*nodes[depth]);
    parent->children[path[depth]] = std::move(copy);
    copy = std::move(parent);
  }
  return copy;
}

bool simplify(Reduction& reduction, Place place) {
  const Statement before = at(reduction.best().test, place);
  const std::vector<Path> paths = literals_of(before);
  // Those that stay as they are; all others are simple.
  return drop_parts(paths.size(), 0, reduction, [&](const std::vector<std::size_t>& kept) {
    sql::NodePtr tree = before.tree;
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (!std::binary_search(kept.begin(), kept.end(), i)) tree = with_simple_literal(tree, paths[i]);
    Finding candidate = reduction.best();
    candidate.test.transactions[place.transaction].statements[place.statement] =
        sql::make_statement(std::move(tree), before.version, candidate.test.schema, candidate.dialect);
    return reduction.attempt(candidate);
  });
}

}  // namespace

bool simplify_literals(Reduction& reduction) {
  bool any = false;
  for (const Sized& statement : by_size(reduction.best().test)) any = simplify(reduction, statement.place) || any;
  return any;
}

bool shrink_trees(Reduction& reduction) {
  bool any = false;
  for (const Sized& statement : by_size(reduction.best().test)) any = shrink(reduction, statement.place) || any;
  return any;
}

}  // namespace isolde::hunt
