#include <fmt/format.h>

#include "hunt/sql/bounds.h"
#include "hunt/sql/printer.h"

namespace isolde::hunt::sql {
namespace {

// PostgreSQL has neither min nor max of booleans.
std::string_view of_booleans(std::string_view name) {
  if (name == "min") return "bool_and";
  return name == "max" ? "bool_or" : name;
}

}  // namespace

// A sum of integers is a decimal to PostgreSQL and MariaDB.
Expression Printer::summed(Expression x, std::string_view name, std::string text) const {
  if (name != "sum") return with_text(x, std::move(text), true);
  x.most *= kMostRows;
  x.narrow = false;
  if (x.type == Type::kInteger && !grammar_.integer_sum.empty())
    text = fmt::format("cast({} as {})", text, grammar_.integer_sum);
  return with_text(x, std::move(text), true);
}

Expression Printer::aggregate(const Node& node) {
  Expression count = of_type(Type::kInteger);
  if (node.children.empty() || !node.children[0]) return with_text(count, "count(*)", true);
  Expression x = typed(bounded(expression(*node.children[0])), *node.children[0]);
  if (node.text == "count") return with_text(count, fmt::format("count({})", x.text), true);
  if (node.text == "count distinct") return with_text(count, fmt::format("count(distinct {})", x.text), true);
  if (node.text == "avg") {
    x = to_decimal(std::move(x));
    return with_text(x, fmt::format(fmt::runtime(grammar_.average), x.text), true);
  }
  std::string_view name = node.text;
  if (x.type == Type::kBoolean && !grammar_.orders_booleans) name = of_booleans(name);
  std::string text = fmt::format("{}({})", name, x.text);
  return summed(std::move(x), name, std::move(text));
}

Expression Printer::window(const Node& node) {
  const auto child = [&](std::size_t i) { return i < node.children.size() ? node.children[i].get() : nullptr; };
  Expression x = of_type(Type::kInteger);
  std::string arguments;
  if (child(0))
    for (const NodePtr& argument : child(0)->children) {
      const Expression one = typed(bounded(expression(*argument)), *argument);
      if (arguments.empty() && node.text != "count" && node.text != "ntile") x = one;
      arguments += (arguments.empty() ? "" : ", ") + one.text;
    }
  if (node.text == "count" && arguments.empty()) arguments.push_back('*');
  std::string_view name = node.text;
  if (x.type == Type::kBoolean && !grammar_.orders_booleans) name = of_booleans(name);
  std::string over;
  const auto add = [&](const std::string& part) { over += (over.empty() || part.empty() ? "" : " ") + part; };
  if (child(1)) add(list(*child(1), "partition by "));
  if (child(2)) add(list(*child(2), "order by "));
  if (child(3)) add(child(3)->text);
  std::string text = fmt::format("{}({}) over ({})", name, arguments, over);
  if (name == "row_number" || name == "rank" || name == "dense_rank" || name == "ntile") x.narrow = name == "ntile";
  if (name == "count") x.narrow = false;
  return summed(std::move(x), name, std::move(text));
}

}  // namespace isolde::hunt::sql
