#include "audit/confirm/clues.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// Words that cannot be a table's other name.
constexpr std::string_view kNoAlias[] = {
    "where",   "set",   "on",        "inner",         "left",      "right",     "cross",  "join",  "natural", "group",
    "order",   "limit", "union",     "having",        "for",       "lock",      "values", "value", "select",  "using",
    "force",   "use",   "ignore",    "full",          "outer",     "except",    "offset", "fetch", "as",      "and",
    "default", "or",    "returning", "straight_join", "partition", "intersect", "window"};

class ClueReader {
 public:
  ClueReader(const std::vector<Token>& tokens, const Schema& schema) : tokens_(tokens), schema_(schema) {}

  Clues read() {
    find_scopes();
    find_tables();
    read_head();
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::kParameter && !tokens_[i].text.starts_with('@')) clues_.has_parameter = true;
      if (word(i, "for") && (word(i + 1, "update") || word(i + 1, "share") || word(i + 1, "no") || word(i + 1, "key")))
        clues_.locks = true;
      if (word(i, "lock") && word(i + 1, "in")) clues_.locks = true;
    }
    read_insert();
    read_assignments();
    read_comparisons();
    read_limit();
    return std::move(clues_);
  }

 private:
  struct ColumnAt {
    std::uint32_t named;
    ColumnId column;
    std::uint32_t end;
  };
  struct LiteralAt {
    std::uint32_t literal;
    std::uint32_t end;
  };

  [[nodiscard]] bool word(std::uint32_t i, std::string_view text) const {
    return i < tokens_.size() && is_word(tokens_[i], text);
  }
  [[nodiscard]] bool symbol(std::uint32_t i, std::string_view text) const {
    return i < tokens_.size() && is_symbol(tokens_[i], text);
  }
  [[nodiscard]] bool name_at(std::uint32_t i) const { return i < tokens_.size() && is_name(tokens_[i]); }

  // Which SELECT each token belongs to, and how deep in brackets it stands.
  void find_scopes() {
    scopes_.resize(tokens_.size(), 0);
    depths_.resize(tokens_.size(), 0);
    std::vector<std::uint32_t> outer;
    std::uint32_t now = 0, last = 0;
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      if (symbol(i, ")") && !outer.empty()) {
        now = outer.back();
        outer.pop_back();
      }
      if (word(i, "select")) now = i == 0 ? 0 : ++last;
      scopes_[i] = now;
      depths_[i] = static_cast<std::uint32_t>(outer.size());
      if (symbol(i, "(")) outer.push_back(now);
    }
  }

  void find_tables() {
    std::vector<bool> in_from;  // by depth
    bool expected = false;
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      const std::uint32_t depth = depths_[i];
      in_from.resize(std::max<std::size_t>(in_from.size(), depth + 1), false);
      const bool update =
          word(i, "update") && (i == 0 || !(word(i - 1, "for") || word(i - 1, "key") || word(i - 1, "do")));
      if (word(i, "from") || word(i, "join") || word(i, "straight_join") || word(i, "into") || update ||
          (i == 0 && (word(i, "insert") || word(i, "replace"))) || (word(i, "using") && !symbol(i + 1, "("))) {
        in_from[depth] = !word(i, "into") && !word(i, "insert") && !word(i, "replace");
        expected = true;
        continue;
      }
      for (const std::string_view end :
           {"where", "group", "order", "set", "having", "limit", "values", "select", "union"}) {
        if (word(i, end)) in_from[depth] = false;
      }
      if (symbol(i, ",") && in_from[depth]) {
        expected = true;
        continue;
      }
      if (symbol(i, "(")) {
        if (expected) {
          in_from.resize(std::max<std::size_t>(in_from.size(), depth + 2), false);
          in_from[depth + 1] = true;
        }
        continue;
      }
      if (!expected) continue;
      if (word(i, "low_priority") || word(i, "ignore") || word(i, "only") || word(i, "lateral") || word(i, "delayed"))
        continue;
      expected = false;
      if (!name_at(i)) continue;
      std::uint32_t last = i;
      while (symbol(last + 1, ".") && name_at(last + 2)) last += 2;
      if (schema_.find_table(tokens_[last].text)) i = last;
      const auto table = schema_.find_table(tokens_[i].text);
      if (!table) continue;
      NamedTable named = {*table, {}, scopes_[i], false};
      std::uint32_t next = i + 1;
      if (word(next, "as")) ++next;
      if (name_at(next) && (tokens_[next].kind == TokenKind::kQuotedName || !no_alias(tokens_[next].text)))
        named.alias = tokens_[next].text;
      clues_.tables.push_back(named);
    }
  }

  static bool no_alias(std::string_view text) {
    return std::any_of(std::begin(kNoAlias), std::end(kNoAlias),
                       [&](std::string_view w) { return same_ignoring_case(w, text); });
  }

  void read_head() {
    std::uint32_t start = 0;
    while (symbol(start, "(")) ++start;
    const bool replace = word(start, "replace");
    clues_.inserts = replace || word(start, "insert");
    if (!clues_.inserts) return;
    clues_.may_meet = replace;
    for (std::uint32_t i = start; i < tokens_.size() && depths_[i] == 0; ++i) {
      if (word(i, "ignore")) clues_.may_meet = true;
      if (word(i, "into") || word(i, "values")) break;
    }
    for (std::uint32_t i = start; i < tokens_.size(); ++i) {
      if (word(i, "on") && (word(i + 1, "duplicate") || word(i + 1, "conflict"))) clues_.may_meet = true;
    }
    if (!clues_.tables.empty()) clues_.tables.front().inserted_into = true;
  }

  // A column's name at i, with the table that it is of.
  [[nodiscard]] std::optional<ColumnAt> column_at(std::uint32_t i) const {
    if (!name_at(i) || (i > 0 && symbol(i - 1, "."))) return std::nullopt;
    std::uint32_t last = i;
    while (symbol(last + 1, ".") && name_at(last + 2)) last += 2;
    if (symbol(last + 1, "(") || symbol(last + 1, ".")) return std::nullopt;
    const std::string_view name = tokens_[last].text;
    if (last > i) {
      const std::string_view owner = tokens_[last - 2].text;
      for (const bool in_scope : {true, false}) {
        for (std::uint32_t t = 0; t < clues_.tables.size(); ++t) {
          const NamedTable& named = clues_.tables[t];
          const bool owns = named.alias.empty() ? same_ignoring_case(schema_.table(named.table).name, owner)
                                                : same_ignoring_case(named.alias, owner);
          if (!owns || (in_scope && named.scope != scopes_[i])) continue;
          if (const auto column = schema_.find_column(named.table, name)) return ColumnAt{t, *column, last + 1};
        }
      }
      return std::nullopt;
    }
    if (tokens_[i].kind == TokenKind::kWord && no_alias(name)) return std::nullopt;
    for (const bool in_scope : {true, false}) {
      for (std::uint32_t t = 0; t < clues_.tables.size(); ++t) {
        const NamedTable& named = clues_.tables[t];
        if (in_scope && named.scope != scopes_[i]) continue;
        if (const auto column = schema_.find_column(named.table, name)) return ColumnAt{t, *column, last + 1};
      }
    }
    return std::nullopt;
  }

  // A literal at i, with what may stand around it: BINARY, ::type. A sign is left to the text.
  [[nodiscard]] std::optional<LiteralAt> literal_at(std::uint32_t i) const {
    if (word(i, "binary") || word(i, "date") || word(i, "timestamp") || symbol(i, "-")) ++i;
    if (i >= tokens_.size() || tokens_[i].literal == kNone32) return std::nullopt;
    std::uint32_t end = i + 1;
    while (symbol(end, "::") && name_at(end + 1)) {
      end += 2;
      while (name_at(end) && (word(end, "varying") || word(end, "without") || word(end, "with") || word(end, "time") ||
                              word(end, "zone") || word(end, "precision")))
        ++end;
    }
    return LiteralAt{tokens_[i].literal, end};
  }

  [[nodiscard]] bool ends_value(std::uint32_t i) const {
    return i >= tokens_.size() || symbol(i, ",") || symbol(i, ")") || symbol(i, ";") || word(i, "where") ||
           word(i, "order") || word(i, "limit") || word(i, "returning") || word(i, "from") || word(i, "on");
  }

  void read_insert() {
    if (!clues_.inserts || clues_.tables.empty()) return;
    const Table& table = schema_.table(clues_.tables.front().table);
    std::uint32_t i = 0;
    while (i < tokens_.size() && !word(i, "into")) ++i;
    if (i == tokens_.size()) i = 0;
    while (i < tokens_.size() && !symbol(i, "(") && !word(i, "values") && !word(i, "value") && !word(i, "set") &&
           !word(i, "select"))
      ++i;
    std::vector<ColumnId> columns;
    if (symbol(i, "(") && !word(i + 1, "select")) {
      for (++i; i < tokens_.size() && !symbol(i, ")"); ++i) {
        if (!name_at(i) || symbol(i + 1, ".")) continue;
        columns.push_back(schema_.find_column(clues_.tables.front().table, tokens_[i].text).value_or(kNoColumn));
      }
      ++i;
    } else {
      columns = table.columns;
    }
    if (!word(i, "values") && !word(i, "value")) return;
    ++i;
    while (symbol(i, "(")) {
      std::vector<InsertedCell> row;
      const std::uint32_t depth = depths_[i];
      std::uint32_t cell = ++i;
      for (; i < tokens_.size(); ++i) {
        if (depths_[i] == depth && symbol(i, ")")) break;
        if (depths_[i] != depth + 1 || !symbol(i, ",")) continue;
        add_cell(row, columns, cell, i);
        cell = i + 1;
      }
      if (cell < i) add_cell(row, columns, cell, i);
      clues_.inserted.push_back(std::move(row));
      ++i;
      if (symbol(i, ",")) ++i;
    }
  }

  void add_cell(std::vector<InsertedCell>& row, const std::vector<ColumnId>& columns, std::uint32_t begin,
                std::uint32_t end) const {
    if (row.size() >= columns.size()) return;
    row.push_back(cell_of(columns[row.size()], begin, end));
  }

  [[nodiscard]] InsertedCell cell_of(ColumnId column, std::uint32_t begin, std::uint32_t end) const {
    InsertedCell cell = {column, InsertedAs::kOther, kNone32, begin};
    if (const auto literal = literal_at(begin); literal && literal->end == end) {
      cell.as = InsertedAs::kLiteral;
      cell.literal = literal->literal;
    }
    if (end == begin + 1 && word(begin, "null")) cell.as = InsertedAs::kNull;
    if (end == begin + 1 && word(begin, "default")) cell.as = InsertedAs::kDefault;
    return cell;
  }

  // SET a = 1, b = b + 1; also that of an upsert.
  void read_assignments() {
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      const bool set = word(i, "set") && i > 0;
      const bool upsert = word(i, "key") && word(i + 1, "update");
      if (!set && !upsert) continue;
      const std::uint32_t depth = depths_[i];
      const bool inserts = set && clues_.inserts && !upsert && !(i > 0 && word(i - 1, "update"));
      std::vector<InsertedCell> row;
      std::uint32_t at = upsert ? i + 2 : i + 1;
      while (at < tokens_.size()) {
        const auto column = column_at(at);
        if (!column || !symbol(column->end, "=")) break;
        std::uint32_t end = column->end + 1;
        while (end < tokens_.size() && !(depths_[end] == depth && ends_value(end))) ++end;
        const InsertedCell cell = cell_of(column->column, column->end + 1, end);
        if (inserts) row.push_back(cell);
        if (!inserts && cell.as == InsertedAs::kLiteral)
          clues_.written.push_back({column->named, column->column, cell.literal});
        const auto truth = end == column->end + 2 ? truth_at(column->end + 1) : std::nullopt;
        if (!inserts && truth) clues_.written_truths.push_back({column->column, *truth});
        if (!inserts && !truth && cell.as == InsertedAs::kOther) clues_.computed.push_back(column->column);
        assignments_.push_back(at);
        at = end;
        if (!symbol(at, ",")) break;
        ++at;
      }
      if (inserts) clues_.inserted.push_back(std::move(row));
      i = std::max(i, at - 1);
    }
  }

  static std::optional<Compares> compares(const Token& token) {
    if (is_symbol(token, "=") || is_symbol(token, "<=>") || is_symbol(token, "==")) return Compares::kEqual;
    if (is_symbol(token, "<>") || is_symbol(token, "!=")) return Compares::kUnequal;
    if (is_symbol(token, "<")) return Compares::kLess;
    if (is_symbol(token, "<=")) return Compares::kAtMost;
    if (is_symbol(token, ">")) return Compares::kMore;
    if (is_symbol(token, ">=")) return Compares::kAtLeast;
    if (is_word(token, "like") || is_word(token, "ilike")) return Compares::kLike;
    return std::nullopt;
  }

  static Compares turned_round(Compares how) {
    switch (how) {
      case Compares::kLess:
        return Compares::kMore;
      case Compares::kAtMost:
        return Compares::kAtLeast;
      case Compares::kMore:
        return Compares::kLess;
      case Compares::kAtLeast:
        return Compares::kAtMost;
      default:
        return how;
    }
  }

  // Part of a larger term: x + 1 = 5 says nothing about x alone.
  [[nodiscard]] bool in_a_term(std::uint32_t before, std::uint32_t after) const {
    for (const std::string_view s : {"+", "-", "*", "/", "%", "||"}) {
      if (symbol(after, s) || (before != kNone32 && symbol(before, s))) return true;
    }
    return false;
  }

  void read_comparisons() {
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      if (std::find(assignments_.begin(), assignments_.end(), i) != assignments_.end()) {
        ++i;  // the column that is set, not one that is compared
        while (i < tokens_.size() && !symbol(i, "=")) ++i;
        continue;
      }
      if (word(i, "using") && symbol(i + 1, "(")) read_using(i + 2);
      if (const auto literal = literal_at(i); literal && literal->end + 1 < tokens_.size()) {
        const auto how = compares(tokens_[literal->end]);
        const auto column = how ? column_at(literal->end + 1) : std::nullopt;
        if (column && !in_a_term(i == 0 ? kNone32 : i - 1, column->end))
          clues_.comparisons.push_back({column->named, column->column, turned_round(*how), literal->literal});
      }
      const auto column = column_at(i);
      if (!column) continue;
      if (!in_a_term(i == 0 ? kNone32 : i - 1, column->end)) compare(*column, i);
      i = column->end - 1;
    }
  }

  // LOWER(column), whose bracket ends after the column.
  [[nodiscard]] bool is_folded(std::uint32_t begin, std::uint32_t end) const {
    return begin >= 2 && symbol(begin - 1, "(") && (word(begin - 2, "lower") || word(begin - 2, "upper")) &&
           symbol(end, ")");
  }

  // TRUE and FALSE are no literals of the shape.
  [[nodiscard]] std::optional<bool> truth_at(std::uint32_t i) const {
    if (word(i, "true")) return true;
    if (word(i, "false")) return false;
    return std::nullopt;
  }

  void compare(const ColumnAt& column, std::uint32_t begin) {
    const bool folded = is_folded(begin, column.end);
    const std::uint32_t at = folded ? column.end + 1 : column.end;
    if (at >= tokens_.size()) return;
    const auto add = [&](Compares how, std::uint32_t literal) {
      clues_.comparisons.push_back({column.named, column.column, how, literal});
    };
    if (word(at, "is")) {
      if (word(at + 1, "null")) add(Compares::kNull, kNone32);
      const bool negated = word(at + 1, "not");
      if (negated && word(at + 2, "null")) add(Compares::kNotNull, kNone32);
      if (const auto truth = truth_at(negated ? at + 2 : at + 1))
        add(*truth != negated ? Compares::kTrue : Compares::kFalse, kNone32);
      return;
    }
    if (word(at, "between")) {
      if (const auto low = literal_at(at + 1)) add(Compares::kAtLeast, low->literal);
      return;
    }
    if (word(at, "in") && symbol(at + 1, "(")) return compare_in(column, at + 2);
    const auto how = compares(tokens_[at]);
    if (!how) return;
    const auto literal =
        literal_at(folded && symbol(at + 2, "(") && (word(at + 1, "lower") || word(at + 1, "upper")) ? at + 3 : at + 1);
    if (literal) {
      if (!in_a_term(kNone32, literal->end)) add(*how, literal->literal);
      return;
    }
    if (const auto truth = truth_at(at + 1); truth && (*how == Compares::kEqual || *how == Compares::kUnequal)) {
      add(*truth == (*how == Compares::kEqual) ? Compares::kTrue : Compares::kFalse, kNone32);
      return;
    }
    std::uint32_t next = at + 1;
    const bool selects = symbol(next, "(") && word(next + 1, "select");
    if (selects) next += word(next + 2, "distinct") ? 3 : 2;
    const auto other = column_at(next);
    if (*how != Compares::kEqual || !other || in_a_term(kNone32, other->end)) return;
    clues_.equal.push_back({column.named, other->named, column.column, other->column});
  }

  void compare_in(const ColumnAt& column, std::uint32_t at) {
    if (word(at, "select")) {
      const auto other = column_at(word(at + 1, "distinct") ? at + 2 : at + 1);
      if (other) clues_.equal.push_back({column.named, other->named, column.column, other->column});
      return;
    }
    if (const auto literal = literal_at(at))
      clues_.comparisons.push_back({column.named, column.column, Compares::kEqual, literal->literal});
  }

  [[nodiscard]] bool in_a_key(ColumnId column) const {
    const Table& table = schema_.table(schema_.column(column).table);
    const auto has = [&](const std::vector<ColumnId>& key) {
      return std::find(key.begin(), key.end(), column) != key.end();
    };
    return has(table.primary_key) || std::any_of(table.unique_keys.begin(), table.unique_keys.end(), has);
  }

  void read_limit() {
    bool limit = false, ordered = false;
    std::uint32_t order = kNone32;
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      limit |= word(i, "limit") || word(i, "fetch");
      if (word(i, "order") && word(i + 1, "by")) order = i + 2;
    }
    if (!limit) return;
    for (std::uint32_t i = order; i < tokens_.size(); ++i) {
      if (const auto column = column_at(i)) ordered |= in_a_key(column->column);
    }
    // A row that is asked for by its key is the only one.
    bool single = clues_.tables.size() == 1;
    if (single) {
      const Table& table = schema_.table(clues_.tables.front().table);
      const auto given = [&](const std::vector<ColumnId>& key) {
        return !key.empty() && std::all_of(key.begin(), key.end(), [&](ColumnId column) {
          return std::any_of(clues_.comparisons.begin(), clues_.comparisons.end(),
                             [&](const Comparison& c) { return c.column == column && c.how == Compares::kEqual; });
        });
      };
      single = given(table.primary_key) || std::any_of(table.unique_keys.begin(), table.unique_keys.end(), given);
    }
    clues_.picks = !ordered && !single;
  }

  void read_using(std::uint32_t at) {
    for (; at < tokens_.size() && !symbol(at, ")"); ++at) {
      if (!name_at(at)) continue;
      std::optional<std::uint32_t> first;
      for (std::uint32_t t = 0; t < clues_.tables.size(); ++t) {
        const auto column = schema_.find_column(clues_.tables[t].table, tokens_[at].text);
        if (!column || clues_.tables[t].scope != scopes_[at]) continue;
        if (first) {
          const auto other = schema_.find_column(clues_.tables[*first].table, tokens_[at].text);
          clues_.equal.push_back({*first, t, *other, *column});
        }
        first = t;
      }
    }
  }

  const std::vector<Token>& tokens_;
  const Schema& schema_;
  Clues clues_;
  std::vector<std::uint32_t> scopes_, depths_;
  std::vector<std::uint32_t> assignments_;  // tokens where a column that is set begins
};

}  // namespace

Clues read_clues(const std::vector<Token>& tokens, const Schema& schema) { return ClueReader(tokens, schema).read(); }

}  // namespace isolde::audit
