#include "tests/support/sql_trees.h"

#include <fmt/format.h>

namespace isolde::hunt::sql::trees {
namespace {

NodePtr node(Kind kind, std::string_view words, std::vector<NodePtr> children, std::string_view alias = {}) {
  return make(kind, Type::kNone, std::string(words), std::move(children), std::string(alias));
}
NodePtr list_or_null(std::vector<NodePtr> elements) { return elements.empty() ? nullptr : list(std::move(elements)); }

}  // namespace

NodePtr column(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view word = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const std::string_view alias = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
  Type type = Type::kInteger;
  if (word == "d") type = Type::kDecimal;
  if (word == "s") type = Type::kText;
  if (word == "b") type = Type::kBoolean;
  if (word == "e") type = Type::kDate;
  return make(Kind::kColumn, type, std::string(word), {}, std::string(alias));
}
NodePtr integer(int value) { return make(Kind::kLiteral, Type::kInteger, std::to_string(value)); }
NodePtr decimal(std::string_view words) { return make(Kind::kLiteral, Type::kDecimal, std::string(words)); }
NodePtr text(std::string_view value) { return make(Kind::kLiteral, Type::kText, fmt::format("'{}'", value)); }
NodePtr boolean(bool value) { return make(Kind::kLiteral, Type::kBoolean, value ? "true" : "false"); }
NodePtr date(std::string_view day) { return make(Kind::kLiteral, Type::kDate, fmt::format("'{}'", day)); }
NodePtr null_of(Type type) { return make(Kind::kLiteral, type, "null"); }

NodePtr binary(NodePtr left, std::string_view op, NodePtr right) {
  const bool arithmetic = op.size() == 1 && std::string_view("+-*/%").find(op[0]) != std::string_view::npos;
  const Type type = arithmetic ? left->type : op == "||" ? Type::kText : Type::kBoolean;
  return make(Kind::kBinary, type, std::string(op), {std::move(left), std::move(right)});
}
NodePtr call(Type type, std::string_view name, std::vector<NodePtr> arguments) {
  return make(Kind::kCall, type, std::string(name), std::move(arguments));
}
NodePtr aggregate(std::string_view name, NodePtr x) {
  Type type = x && !name.starts_with("count") ? x->type : Type::kInteger;
  if (name == "avg") type = Type::kDecimal;
  return make(Kind::kAggregate, type, std::string(name), {std::move(x)});
}
NodePtr window(Type type, std::string_view name, std::vector<NodePtr> arguments, std::vector<NodePtr> partitions,
               std::vector<NodePtr> orders, std::string_view frame) {
  NodePtr last = frame.empty() ? nullptr : make(Kind::kLiteral, Type::kNone, std::string(frame));
  return make(Kind::kWindow, type, std::string(name),
              {list(std::move(arguments)), list_or_null(std::move(partitions)), list_or_null(std::move(orders)),
               std::move(last)});
}

NodePtr list(std::vector<NodePtr> elements) { return node(Kind::kList, "", std::move(elements)); }
NodePtr item(NodePtr x, std::string_view name) {
  const Type type = x->type;
  return make(Kind::kItem, type, "", {std::move(x)}, std::string(name));
}
NodePtr order(NodePtr x, std::string_view how) { return node(Kind::kOrder, how, {std::move(x)}); }
NodePtr table(std::string_view name, std::string_view alias) { return node(Kind::kTable, name, {}, alias); }
NodePtr join(std::string_view how, NodePtr left, NodePtr right, NodePtr on) {
  return node(Kind::kJoin, how, {std::move(left), std::move(right), std::move(on)});
}
NodePtr select(Select parts) {
  return node(Kind::kSelect, parts.distinct ? "distinct" : "",
              {list(std::move(parts.items)), std::move(parts.from), std::move(parts.where),
               list_or_null(std::move(parts.groups)), std::move(parts.having), list_or_null(std::move(parts.orders)),
               parts.limit == 0 ? nullptr : integer(parts.limit)});
}
NodePtr set_of(std::string_view how, NodePtr left, NodePtr right) {
  return node(Kind::kSetOf, how, {std::move(left), std::move(right)});
}
NodePtr with(std::string_view how, NodePtr query, std::vector<NodePtr> commons) {
  commons.insert(commons.begin(), std::move(query));
  return node(Kind::kWith, how, std::move(commons));
}
NodePtr common(std::string_view name, NodePtr query) { return node(Kind::kCommon, "", {std::move(query)}, name); }
NodePtr derived(std::string_view alias, NodePtr query) { return node(Kind::kDerived, "", {std::move(query)}, alias); }
NodePtr assignment(std::string_view name, NodePtr x) { return node(Kind::kAssignment, name, {std::move(x)}); }
NodePtr row(std::vector<NodePtr> cells) { return node(Kind::kRow, "", std::move(cells)); }
NodePtr columns(std::vector<std::string_view> names) {
  std::vector<NodePtr> all;
  for (const std::string_view name : names) all.push_back(column(name));
  return list(std::move(all));
}
NodePtr update(std::string_view name, std::string_view alias, std::vector<NodePtr> assignments, NodePtr where) {
  return node(Kind::kUpdate, name, {list(std::move(assignments)), std::move(where)}, alias);
}
NodePtr delete_from(std::string_view name, std::string_view alias, NodePtr where) {
  return node(Kind::kDelete, name, {std::move(where)}, alias);
}

Schema schema(std::string_view dialect) {
  const auto type = [&](Type of) { return column_type(of, dialect); };
  const auto cell = [&](const NodePtr& literal) { return print(*literal, dialect); };
  Schema made;
  Table t{
      .name = "t",
      .columns = {"pkey", "vkey", "a", "d", "s", "b", "e"},
      .create = fmt::format("create table t (pkey {0} primary key, vkey {0} not null, a {0}, d {1}, s {2}, b {3}, e "
                            "{4}){5}",
                            type(Type::kInteger), type(Type::kDecimal), type(Type::kText), type(Type::kBoolean),
                            type(Type::kDate), table_options(dialect)),
      .rows = {},
      .inserted = {"pkey", "vkey", "a", "d", "s", "b", "e"},
      .foreign_keys = {}};
  for (int i = 1; i <= 8; ++i) {
    const auto or_null = [&](bool is_null, const NodePtr& literal) {
      return is_null ? std::string("null") : cell(literal);
    };
    t.rows.push_back({std::to_string(i), std::to_string(i), or_null(i == 3, integer(i * 37 % 5 - 1)),
                      or_null(i == 4, decimal(fmt::format("{}.25", i % 3))),
                      or_null(i == 5, text(i % 2 == 0 ? "abc" : "b c")), or_null(i == 6, boolean(i % 2 == 0)),
                      or_null(i == 7, date(fmt::format("2024-02-{:02}", 20 + i)))});
  }
  Table u{.name = "u",
          .columns = {"pkey", "vkey", "n", "s", "t_pkey"},
          .create = fmt::format("create table u (pkey {0} primary key, vkey {0} not null, n {0}, s {1}, t_pkey {0}, "
                                "foreign key (t_pkey) references t (pkey) on delete cascade){2}",
                                type(Type::kInteger), type(Type::kText), table_options(dialect)),
          .rows = {},
          .inserted = {"pkey", "vkey", "n", "s", "t_pkey"},
          .foreign_keys = {{.column = "t_pkey", .parent = "t", .cascades = true}}};
  for (int i = 1; i <= 5; ++i)
    u.rows.push_back(
        {std::to_string(i), std::to_string(100 + i), std::to_string(i % 3), cell(text("xyz")), std::to_string(i)});
  made.tables = {std::move(t), std::move(u)};
  made.views = {{.name = "v",
                 .columns = {"pkey", "a", "s"},
                 .reads = {"t"},
                 .create = "create view v as select pkey, a, s from t where a > 0"}};
  made.drops = {"drop view v", "drop table u", "drop table t"};
  return made;
}

namespace {

std::vector<NodePtr> expressions() {
  const NodePtr a = column("x.a"), d = column("x.d"), s = column("x.s"), b = column("x.b"), e = column("x.e");
  const NodePtr count_u = select(
      {.items = {item(aggregate("count", nullptr))}, .from = table("u", "y"), .where = binary(column("y.n"), "=", a)});
  std::vector<NodePtr> all = {
      binary(binary(a, "*", column("x.pkey")), "*", binary(a, "-", integer(7))),
      binary(binary(integer(900000), "*", integer(900000)), "*", binary(integer(900000), "+", a)),
      binary(binary(a, "/", binary(a, "-", integer(1))), "%", integer(3)),
      binary(binary(d, "*", d), "/", binary(d, "-", decimal("1.25"))),
      binary(binary(d, "%", decimal("0.75")), "+", a),
      make(Kind::kUnary, Type::kInteger, "-", {binary(a, "+", integer(1))}),
      make(Kind::kUnary, Type::kBoolean, "not", {b}),
      binary(binary(s, "||", text("z")), "||", s),
      binary(a, "is distinct from", integer(2)),
      binary(s, "is not distinct from", null_of(Type::kText)),
      make(Kind::kCase, Type::kDecimal, "",
           {binary(a, ">", integer(1)), d, b, binary(d, "*", d), null_of(Type::kDecimal)}),
      make(Kind::kCase, Type::kInteger, "", {b, integer(1), a}),
      make(Kind::kBetween, Type::kBoolean, "not", {a, integer(1), binary(a, "+", integer(1))}),
      make(Kind::kBetween, Type::kBoolean, "", {e, date("2024-02-22"), date("2024-02-25")}),
      make(Kind::kIn, Type::kBoolean, "", {a, integer(1), null_of(Type::kInteger), integer(3)}),
      make(Kind::kIn, Type::kBoolean, "not",
           {row({a, s}), row({integer(1), text("abc")}), row({integer(2), text("b c")})}),
      make(Kind::kInQuery, Type::kBoolean, "not",
           {a, select({.items = {item(column("y.n"))}, .from = table("u", "y")})}),
      make(Kind::kInQuery, Type::kBoolean, "",
           {row({a, s}), select({.items = {item(column("y.n")), item(column("y.s"))}, .from = table("u", "y")})}),
      make(Kind::kLike, Type::kBoolean, "", {s, text("a%")}),
      make(Kind::kLike, Type::kBoolean, "not", {binary(s, "||", text("q")), text("%b_")}),
      make(Kind::kIsNull, Type::kBoolean, "not", {d}),
      make(Kind::kExists, Type::kBoolean, "not", {count_u}),
      make(Kind::kScalar, Type::kInteger, "", {count_u}),
      make(Kind::kScalar, Type::kText, "",
           {select({.items = {item(column("y.s"), "s1")},
                    .from = table("t", "y"),
                    .where = binary(column("y.a"), "=", a),
                    .orders = {order(column("y.pkey"), "desc")},
                    .limit = 1})}),
  };
  const auto cast = [&](Type to, NodePtr from) { return make(Kind::kCast, to, "", {std::move(from)}); };
  for (NodePtr x : {cast(Type::kDecimal, a), cast(Type::kText, a), cast(Type::kBoolean, a), cast(Type::kInteger, d),
                    cast(Type::kText, d), cast(Type::kInteger, b), cast(Type::kText, b), cast(Type::kText, e)})
    all.push_back(std::move(x));
  for (NodePtr x : {call(Type::kInteger, "abs", {binary(a, "-", integer(3))}),
                    call(Type::kInteger, "coalesce", {a, integer(9)}),
                    call(Type::kDecimal, "coalesce", {binary(d, "*", d), d, a}),
                    call(Type::kText, "nullif", {s, text("abc")}),
                    call(Type::kInteger, "greatest", {a, column("x.pkey")}),
                    call(Type::kText, "least", {s, text("abd")}),
                    call(Type::kInteger, "length", {s}),
                    call(Type::kText, "lower", {s}),
                    call(Type::kText, "upper", {s}),
                    call(Type::kText, "trim", {s}),
                    call(Type::kText, "substr", {s, integer(1), integer(2)}),
                    call(Type::kText, "substr", {s, a, binary(a, "-", integer(2))}),
                    call(Type::kText, "replace", {s, text("b"), text("yy")}),
                    call(Type::kInteger, "instr", {s, text("c")}),
                    call(Type::kDecimal, "round", {d}),
                    call(Type::kDate, "add_days", {e, integer(3)}),
                    call(Type::kDate, "add_days", {e, binary(a, "*", integer(1000))}),
                    call(Type::kInteger, "days_between", {e, date("2024-01-01")}),
                    call(Type::kInteger, "year", {e}),
                    call(Type::kInteger, "month", {e}),
                    call(Type::kInteger, "day", {call(Type::kDate, "add_days", {e, a})}),
                    binary(call(Type::kInteger, "length", {s}), "*", integer(1000000))})
    all.push_back(std::move(x));
  return all;
}

std::vector<NodePtr> queries(std::string_view dialect) {
  std::vector<NodePtr> all;
  const NodePtr t = table("t", "x"), u = table("u", "y");
  const NodePtr same = binary(column("y.t_pkey"), "=", column("x.pkey"));
  for (const NodePtr& x : expressions())
    all.push_back(select({.items = {item(column("x.pkey")), item(x, "c1")}, .from = t}));
  // The same expressions where their types and bounds matter to an outer query.
  for (const NodePtr& x : expressions()) {
    const NodePtr c = make(Kind::kColumn, x->type, "c1", {}, "z");
    all.push_back(
        select({.items = {item(aggregate("count distinct", c), "c2"), item(aggregate("min", c), "c3"),
                          item(aggregate("max", c), "c4")},
                .from = derived("z", select({.items = {item(column("x.pkey"), "c0"), item(x, "c1")}, .from = t}))}));
  }
  all.push_back(
      select({.items = {item(column("x.a"), "g"), item(column("x.b"), "h"), item(aggregate("sum", column("x.a")), "c1"),
                        item(aggregate("sum", column("x.d")), "c2"), item(aggregate("avg", column("x.d")), "c3"),
                        item(aggregate("max", column("x.b")), "c4"), item(aggregate("min", text("k")), "c5"),
                        item(binary(aggregate("sum", binary(column("x.a"), "*", column("x.a"))), "*",
                                    aggregate("count", nullptr)),
                             "c6")},
              .from = t,
              .groups = {column("x.a"), column("x.b")},
              .having = binary(aggregate("count", column("x.s")), ">", integer(0)),
              .orders = {order(column("g")), order(column("h"), "desc")},
              .limit = 3}));
  all.push_back(
      select({.items = {item(column("x.a"), "c0"), item(column("y.n"), "c1"), item(column("z.s"), "c2")},
              .from = join("left join", join("join", t, u, same), join("cross join", table("v", "z"), table("u", "z2")),
                           binary(column("z.a"), "=", column("x.a"))),
              .where = binary(binary(column("x.a"), ">", integer(0)), "and",
                              binary(column("x.b"), "or", binary(column("x.d"), "<", decimal("2.00")))),
              .distinct = true}));
  const auto window_item = [&](NodePtr x) {
    all.push_back(select({.items = {item(column("x.pkey")), item(std::move(x), "c1")}, .from = t}));
  };
  const std::vector<NodePtr> by_key = {order(column("x.a"), "desc"), order(column("x.pkey"))};
  for (const std::string_view name : {"row_number", "rank", "dense_rank"})
    window_item(window(Type::kInteger, name, {}, {column("x.b")}, by_key));
  window_item(window(Type::kInteger, "ntile", {integer(3)}, {}, by_key));
  for (const std::string_view name : {"lag", "lead", "first_value", "last_value"})
    window_item(window(Type::kText, name, {column("x.s")}, {}, by_key));
  window_item(window(Type::kInteger, "sum", {column("x.a")}, {column("x.b"), column("x.s")}, {}));
  window_item(window(Type::kDecimal, "sum", {column("x.d")}, {}, by_key, "rows between 1 preceding and current row"));
  window_item(window(Type::kBoolean, "max", {column("x.b")}, {}, by_key, "rows between 2 preceding and 1 following"));
  window_item(window(Type::kInteger, "count", {}, {column("x.s")}, {}));
  for (const std::string_view how : {"union", "union all", "except", "intersect"})
    all.push_back(set_of(how, select({.items = {item(column("x.a"), "c0"), item(column("x.d"), "c1")}, .from = t}),
                         select({.items = {item(integer(2), "c0"), item(decimal("1.25"), "c1")}, .from = u})));
  const NodePtr one = select({.items = {item(column("x.a"), "c0")}, .from = t});
  const NodePtr two = select({.items = {item(column("y.n"), "c0")}, .from = u});
  const NodePtr first =
      select({.items = {item(column("x.a"), "c0")}, .from = t, .orders = {order(column("c0"))}, .limit = 2});
  all.push_back(set_of("intersect", set_of("union", one, two), set_of("except", one, first)));
  all.push_back(set_of("union", set_of("union", one, two), two));
  all.push_back(with("",
                     select({.items = {item(column("w.c0"), "c0"), item(column("w2.c0"), "c1")},
                             .from = join("cross join", table("w0", "w"), table("w1", "w2"))}),
                     {common("w0", one),
                      common("w1", with("", select({.items = {item(column("q.c0"), "c0")}, .from = table("w2", "q")}),
                                        {common("w2", two)}))}));
  const NodePtr steps = set_of("union all", select({.items = {item(integer(1), "n")}}),
                               select({.items = {item(binary(column("q.n"), "+", integer(1)), "n")},
                                       .from = table("w0", "q"),
                                       .where = binary(column("q.n"), "<", integer(5))}));
  all.push_back(
      with("recursive",
           select({.items = {item(column("w.n"), "c0"), item(column("x.s"), "c1")},
                   .from = join("left join", table("w0", "w"), t, binary(column("x.a"), "=", column("w.n")))}),
           {common("w0", steps)}));
  if (dialect == "postgres") {
    const NodePtr inner =
        select({.items = {item(column("y.n"), "n")}, .from = u, .where = binary(column("y.n"), "=", column("x.a"))});
    all.push_back(select({.items = {item(column("x.pkey"), "c0"), item(column("l.n"), "c1")},
                          .from = join("left join lateral", t, derived("l", inner), boolean(true))}));
  }
  all.push_back(node(Kind::kForUpdate, "",
                     {select({.items = {item(column("x.pkey"), "c0")},
                              .from = join("left join", t, u, same),
                              .where = binary(column("x.a"), ">", integer(0))})}));
  all.push_back(node(Kind::kForUpdate, "",
                     {select({.items = {item(column("x.pkey"), "c0")}, .from = join("join", t, u, same)})}));
  return all;
}

std::vector<NodePtr> writers(std::string_view dialect) {
  std::vector<NodePtr> all;
  int version = 1001;
  const auto vkey = [&] { return assignment("vkey", integer(version++)); };
  const NodePtr sum_t = make(Kind::kScalar, Type::kInteger, "",
                             {select({.items = {item(aggregate("sum", column("y.a")), "c0")},
                                      .from = table("t", "y"),
                                      .where = binary(column("y.a"), "<=", column("x.a"))})});
  const NodePtr in_t = make(Kind::kInQuery, Type::kBoolean, "",
                            {column("x.a"), select({.items = {item(column("y.a"), "c0")}, .from = table("t", "y")})});
  all.push_back(update("t", "x",
                       {vkey(), assignment("a", binary(column("x.a"), "*", sum_t)),
                        assignment("s", binary(column("x.s"), "||", text("w"))),
                        assignment("d", binary(column("x.d"), "*", decimal("1.50"))),
                        assignment("b", binary(column("x.a"), ">", integer(1))),
                        assignment("e", call(Type::kDate, "add_days", {column("x.e"), column("x.a")}))},
                       binary(in_t, "or", make(Kind::kIsNull, Type::kBoolean, "", {column("x.s")}))));
  all.push_back(update("u", "x", {vkey(), assignment("n", binary(column("x.n"), "+", integer(1)))}, nullptr));
  all.push_back(update("u", "x", {vkey(), assignment("t_pkey", integer(1))}, binary(column("x.n"), "=", integer(2))));
  all.push_back(node(Kind::kInsertRows, "t",
                     {columns({"pkey", "vkey", "a", "s", "d"}),
                      list({row({integer(101), integer(version), integer(4), text("new"), decimal("0.50")}),
                            row({integer(102), integer(version), null_of(Type::kInteger), null_of(Type::kText),
                                 binary(decimal("1.50"), "*", decimal("2.50"))})})}));
  ++version;
  all.push_back(node(Kind::kInsertQuery, "t",
                     {columns({"pkey", "vkey", "a", "d"}),
                      select({.items = {item(binary(integer(1000), "+", column("y.pkey"))), item(integer(version++)),
                                        item(binary(column("y.n"), "*", column("y.pkey"))), item(decimal("1.00"))},
                              .from = table("u", "y"),
                              .where = binary(column("y.n"), ">", integer(0))})}));
  for (const int key : {2, 300})
    all.push_back(
        node(Kind::kUpsert, "t",
             {columns({"pkey", "vkey", "a", "s"}), row({integer(key), integer(version), integer(5), text("up")}),
              list({assignment("vkey", integer(version)),
                    assignment("a", binary(column("t.a"), "+", column("excluded.a")))})}));
  ++version;
  if (dialect == "postgres")
    all.push_back(
        node(Kind::kMerge, "t",
             {table("u", "y"), binary(column("x.pkey"), "=", column("y.pkey")),
              list({assignment("vkey", integer(version)), assignment("a", binary(column("x.a"), "-", column("y.n")))}),
              row({binary(integer(2000), "+", column("y.pkey")), integer(version), column("y.n")}),
              columns({"pkey", "vkey", "a"})},
             "x"));
  ++version;
  all.push_back(delete_from("u", "x",
                            make(Kind::kExists, Type::kBoolean, "not",
                                 {select({.items = {item(integer(1), "c0")},
                                          .from = table("u", "y"),
                                          .where = binary(column("y.n"), ">", column("x.n"))})})));
  all.push_back(delete_from("t", "x", binary(in_t, "and", binary(column("x.a"), "<", integer(2)))));
  all.push_back(delete_from("u", "x", nullptr));
  return all;
}

}  // namespace

std::vector<NodePtr> statements(std::string_view dialect) {
  std::vector<NodePtr> all = queries(dialect);
  for (NodePtr& one : writers(dialect)) all.push_back(std::move(one));
  return all;
}

}  // namespace isolde::hunt::sql::trees
