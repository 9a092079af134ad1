// Words, not a grammar: the three dialects agree on what matters here (names, types, keys) and differ in everything
// around it, which is passed over.
#include "audit/ddl/ddl.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "audit/ddl/ddl_words.h"
#include "audit/sql/to_postgres.h"

namespace isolde::audit {
namespace {

using WordKind = DdlWord::Kind;
using StatementWords = std::vector<DdlWord>;

constexpr std::size_t kMostBeforeView = 24;  // words of CREATE VIEW before VIEW

struct Reference {  // a foreign key whose parent may come later in the file
  TableId child;
  std::vector<ColumnId> columns;
  std::string parent;
  std::vector<std::string> parent_columns;
};

class DdlReader {
 public:
  DdlReader(std::string_view text, const std::string& file) : text_(text), file_(file), source_(text) {}

  Result<Schema> read() {
    while (source_.next(words_)) {
      at_ = 0;
      if (take("create")) {
        create();
      } else if (take("alter")) {
        if (take("table")) alter_table();
      }
      if (error_) return *std::move(error_);
    }
    if (schema_.tables() == 0)
      return Error{"expected CREATE TABLE statements, or lines table,column,type,default,key", file_, 1, 1};
    resolve();
    return std::move(schema_);
  }

 private:
  // Beyond the end: a symbol that nothing asks for.
  [[nodiscard]] const DdlWord& word(std::size_t ahead = 0) const {
    static const DdlWord kEnd = {WordKind::kSymbol, "", 0, false};
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : kEnd;
  }
  [[nodiscard]] bool done() const { return at_ >= words_.size(); }
  bool take(std::string_view text) {
    if (!word().is(text)) return false;
    ++at_;
    return true;
  }
  bool take(char symbol) {
    if (!word().is_symbol(symbol)) return false;
    ++at_;
    return true;
  }
  bool take_all(std::initializer_list<std::string_view> texts) {
    std::size_t ahead = 0;
    for (const std::string_view text : texts) {
      if (!word(ahead++).is(text)) return false;
    }
    at_ += ahead;
    return true;
  }
  bool take_any(std::initializer_list<std::string_view> texts) {
    return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return take(text); });
  }
  [[nodiscard]] static bool is_name(const DdlWord& w) { return w.kind == WordKind::kWord || w.kind == WordKind::kName; }

  void expected(std::string_view what) {
    if (error_) return;
    const std::size_t offset = done() ? (words_.empty() ? 0 : words_.back().offset) : word().offset;
    const std::string_view before = text_.substr(0, offset);
    const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    error_ =
        Error{fmt::format("expected {}", what), file_,
              static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1, offset - line_start + 1};
  }

  // A name, of which only the last part counts: database.schema.table. PostgreSQL folds what has no quotes.
  std::string name() {
    if (!is_name(word())) {
      expected("a name");
      return {};
    }
    while (is_name(word()) && word(1).is_symbol('.') && is_name(word(2))) at_ += 2;
    return words_[at_++].text;
  }

  // The group in parentheses that begins here, if one does.
  void skip_group() {
    if (!take('(')) return;
    for (std::size_t depth = 1; depth > 0; ++at_) {
      if (done()) return expected("a closing parenthesis");
      if (word().is_symbol('(')) ++depth;
      if (word().is_symbol(')')) --depth;
    }
  }

  void skip_item() {  // up to the comma or the parenthesis that ends it
    while (!done() && !error_ && !word().is_symbol(',') && !word().is_symbol(')')) {
      if (word().is_symbol('(')) {
        skip_group();
      } else {
        ++at_;
      }
    }
  }

  // "(a, b(10) desc)"; none if one of them is an expression.
  std::optional<std::vector<std::string>> column_names() {
    std::vector<std::string> out;
    bool plain = true;
    if (!take('(')) return expected("the columns in parentheses"), std::nullopt;
    while (!error_) {
      const bool named = is_name(word()) && (word(1).is_symbol(',') || word(1).is_symbol(')') || is_name(word(1)) ||
                                             (word(1).is_symbol('(') && word(2).kind == WordKind::kNumber));
      if (named) {
        out.push_back(word().text);
      } else {
        plain = false;
      }
      skip_item();
      if (take(',')) continue;
      if (!take(')')) expected("a comma or a closing parenthesis");
      break;
    }
    if (!plain || error_) return std::nullopt;
    return out;
  }

  std::vector<ColumnId> columns_named(TableId table, const std::vector<std::string>& names) {
    std::vector<ColumnId> out;
    for (const std::string& one : names) out.push_back(schema_.add_column(table, one));
    return out;
  }

  void set_primary(TableId table, std::vector<ColumnId> columns) {
    for (const ColumnId c : columns) schema_.column(c).nullable = false;
    schema_.table(table).primary_key = std::move(columns);
  }
  void add_unique(TableId table, std::vector<ColumnId> columns) {
    auto& keys = schema_.table(table).unique_keys;
    if (!columns.empty() && std::find(keys.begin(), keys.end(), columns) == keys.end())
      keys.push_back(std::move(columns));
  }

  void skip_to_group() {
    while (!done() && !word().is_symbol('(') && !word().is_symbol(',') && !word().is_symbol(')')) ++at_;
  }

  void reference(TableId child, std::vector<ColumnId> columns) {  // after REFERENCES
    Reference r{child, std::move(columns), name(), {}};
    if (word().is_symbol('(')) r.parent_columns = column_names().value_or(std::vector<std::string>{});
    references_.push_back(std::move(r));
  }

  // PRIMARY KEY (…), UNIQUE …, FOREIGN KEY …, KEY …, CHECK …; false if a column begins here instead.
  bool constraint(TableId table) {
    if (word().is("constraint")) {
      ++at_;
      if (!word().is("primary") && !word().is("unique") && !word().is("foreign") && !word().is("check")) ++at_;
    }
    if (take_all({"primary", "key"})) {
      skip_to_group();
      if (const auto names = column_names()) set_primary(table, columns_named(table, *names));
    } else if (word().is("unique") && !is_type_after_name()) {
      ++at_;
      skip_to_group();
      if (const auto names = column_names()) add_unique(table, columns_named(table, *names));
    } else if (take_all({"foreign", "key"})) {
      skip_to_group();
      auto names = column_names();
      if (names && take("references")) reference(table, columns_named(table, *names));
    } else if (!is_other_constraint()) {
      return false;
    }
    skip_item();
    return true;
  }

  // A column called like a keyword has a type after it; an index has a name or columns.
  [[nodiscard]] bool is_type_after_name() const {
    if (word(1).is_symbol('(')) return false;
    if (word(1).is("key") || word(1).is("index") || word(1).is("using") || word(1).is("nulls")) return false;
    if (!is_name(word(1))) return true;
    return !(word(2).is_symbol('(') && word(3).kind != WordKind::kNumber) && !word(2).is("using");
  }
  [[nodiscard]] bool is_other_constraint() const {
    if (word().is("check") || word().is("exclude") || word().is("period"))
      return !is_type_after_name() || word(1).is("for");
    if (word().is("fulltext") || word().is("spatial"))
      return word(1).is("key") || word(1).is("index") || !is_type_after_name();
    if (word().is("like")) return true;
    return (word().is("key") || word().is("index")) && !is_type_after_name();
  }

  // Where a column's type or default ends.
  [[nodiscard]] bool ends_here(bool in_type) const {
    if (done() || word().is_symbol(',') || word().is_symbol(')')) return true;
    for (const std::string_view stop : {"not",
                                        "null",
                                        "default",
                                        "primary",
                                        "unique",
                                        "references",
                                        "check",
                                        "constraint",
                                        "auto_increment",
                                        "autoincrement",
                                        "comment",
                                        "collate",
                                        "charset",
                                        "generated",
                                        "as",
                                        "on",
                                        "key",
                                        "stored",
                                        "virtual",
                                        "invisible",
                                        "visible",
                                        "storage",
                                        "encode",
                                        "deferrable",
                                        "initially",
                                        "column_format",
                                        "first",
                                        "after"}) {
      if (word().is(stop)) return true;
    }
    return in_type && word().is("character") && word(1).is("set");
  }

  std::string text_until_end(bool in_type) {
    std::string out;
    for (std::size_t depth = 0; !done() && (depth > 0 || !ends_here(in_type)); ++at_) {
      const DdlWord& w = word();
      if (w.is_symbol('(')) ++depth;
      if (w.is_symbol(')')) --depth;
      if (w.spaced && !out.empty() && depth == 0 && out.back() != '(') out += ' ';
      if (w.kind == WordKind::kName) {
        out += fmt::format("\"{}\"", w.text);
      } else {
        out += w.text;
      }
    }
    return out;
  }

  void column_definition(TableId table) {
    if (!is_name(word())) return expected("a column or a constraint");
    const ColumnId id = schema_.add_column(table, words_[at_++].text);
    std::string type = text_until_end(true);
    if (type.size() >= 2 && type.front() == '"' && type.back() == '"') type = type.substr(1, type.size() - 2);
    bool generated = false;
    for (const std::string_view serial : {"serial", "bigserial", "smallserial"}) {
      if (type.size() == serial.size() && DdlWord{WordKind::kWord, type, 0, false}.is(serial)) generated = true;
    }
    const bool integer = DdlWord{WordKind::kWord, type, 0, false}.is("integer");
    schema_.column(id).type = std::move(type);
    if (generated) {
      schema_.column(id).nullable = false;
      schema_.column(id).generated_id = true;
    }
    column_constraints(table, id, integer);
  }

  void column_constraints(TableId table, ColumnId id, bool integer) {
    while (!done() && !error_ && !word().is_symbol(',') && !word().is_symbol(')')) {
      if (take_all({"not", "null"})) {
        schema_.column(id).nullable = false;
      } else if (take("default")) {
        set_default(id, word().is("null") ? words_[at_++].text : text_until_end(false));
      } else if (take_all({"primary", "key"}) || take("key")) {
        set_primary(table, {id});
        // SQLite's rowid by another name.
        if (integer && !source_.mysql()) schema_.column(id).generated_id = true;
      } else if (take("unique")) {
        (void)take("key");
        add_unique(table, {id});
      } else if (take("references")) {
        reference(table, {id});
      } else if (take_any({"auto_increment", "autoincrement", "identity"})) {
        schema_.column(id).generated_id = true;
      } else if (word().is_symbol('(')) {
        skip_group();
      } else {
        ++at_;
      }
    }
  }

  void set_default(ColumnId id, std::string value) {
    Column& column = schema_.column(id);
    // Empty: DEFAULT is a word of something else (ON DELETE SET DEFAULT, GENERATED BY DEFAULT).
    if (value.empty() || DdlWord{WordKind::kWord, value, 0, false}.is("null")) return;
    if (value.starts_with("nextval(")) {
      column.generated_id = true;
      return;
    }
    column.default_value = std::move(value);
  }

  // [ALGORITHM = …] [DEFINER = …] [SQL SECURITY …] [TEMPORARY] [RECURSIVE] VIEW name [(columns)] AS SELECT …
  bool view() {
    std::size_t ahead = 0;
    while (ahead < kMostBeforeView && at_ + ahead < words_.size() && !word(ahead).is("view") &&
           !word(ahead).is("table") && !word(ahead).is("function") && !word(ahead).is_symbol('('))
      ++ahead;
    if (!word(ahead).is("view")) return false;
    at_ += ahead + 1;
    (void)take_all({"if", "not", "exists"});
    View made;
    made.name = name();
    if (word().is_symbol('(')) made.columns = column_names().value_or(std::vector<std::string>{});
    while (!done() && !word().is("as")) ++at_;  // WITH (security_barrier)
    if (!take("as") || done() || error_) return true;
    std::string_view query = text_.substr(word().offset);
    const std::size_t last = words_.back().offset - word().offset;
    query = query.substr(0, std::min(query.find(';', last), query.size()));
    const SqlDialect dialect = source_.mysql() ? SqlDialect::kMysql : SqlDialect::kPostgres;
    Lexer lexer(dialect);
    made.query = to_postgres_with_literals(lexer.tokens(query), dialect).sql;
    schema_.add_view(std::move(made));
    return true;
  }

  void create() {
    (void)take_all({"or", "replace"});
    const bool unique = take("unique");
    if (unique && take("index")) return create_unique_index();
    if (view()) return;
    while (take_any({"global", "local", "temporary", "temp", "unlogged", "foreign"})) {
    }
    if (!take("table")) return;
    (void)take_all({"if", "not", "exists"});
    const std::string table_name = name();
    if (error_) return;
    if (take("like")) return copy_table(table_name, name());
    if (!word().is_symbol('(')) return;  // AS SELECT, PARTITION OF, OF type
    if (word(1).is("like") && is_name(word(2))) {
      at_ += 2;
      return copy_table(table_name, name());
    }
    if (word(1).is("select") || word(1).is("with")) return;
    ++at_;
    const TableId table = schema_.add_table(table_name);
    definitions(table);
  }

  void definitions(TableId table) {
    while (!error_) {
      if (!constraint(table)) column_definition(table);
      if (error_ || take(')')) return;
      if (!take(',')) return expected("a comma or a closing parenthesis");
    }
  }

  void copy_table(const std::string& to_name, const std::string& from_name) {
    const auto from = schema_.find_table(from_name);
    if (!from || error_) return;
    const TableId to = schema_.add_table(to_name);
    if (to == *from) return;
    const Table original = schema_.table(*from);
    const auto copied = [&](const std::vector<ColumnId>& columns) {
      std::vector<ColumnId> out;
      for (const ColumnId c : columns) {
        const Column source = schema_.column(c);
        const ColumnId id = schema_.add_column(to, source.name);
        schema_.column(id) = source;
        schema_.column(id).table = to;
        out.push_back(id);
      }
      return out;
    };
    (void)copied(original.columns);
    schema_.table(to).primary_key = copied(original.primary_key);
    for (const auto& key : original.unique_keys) add_unique(to, copied(key));
  }

  void create_unique_index() {
    (void)take("concurrently");
    (void)take_all({"if", "not", "exists"});
    while (!done() && !word().is("on")) ++at_;
    if (!take("on")) return;
    (void)take("only");
    const std::string table_name = name();
    if (take("using")) ++at_;
    if (error_ || !word().is_symbol('(')) return;
    const auto names = column_names();
    const auto table = schema_.find_table(table_name);
    const bool partial = std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, words_.size())),
                                     words_.end(), [](const DdlWord& w) { return w.is("where"); });
    if (names && table && !partial) add_unique(*table, columns_named(*table, *names));
  }

  void alter_table() {
    (void)take_all({"if", "exists"});
    (void)take("only");
    const std::string table_name = name();
    const auto table = schema_.find_table(table_name);
    if (error_ || !table) return;
    do {
      alter_action(*table);
    } while (!error_ && take(','));
  }

  void alter_action(TableId table) {
    if (take("add")) {
      const bool column = take("column");
      (void)take_all({"if", "not", "exists"});
      if (!column && constraint(table)) return;
      if (!column && word().is("generated")) return skip_item();
      if (take('(')) return definitions(table);
      column_definition(table);
      return skip_item();
    }
    if (take("modify") || word().is("change")) {
      if (take("change")) {
        (void)take("column");
        ++at_;  // the old name, which stays in the schema
      } else {
        (void)take("column");
      }
      column_definition(table);
      return skip_item();
    }
    if (take_all({"alter", "column"}) && is_name(word())) {
      const auto column = schema_.find_column(table, words_[at_++].text);
      if (column && take_all({"set", "default"})) set_default(*column, text_until_end(false));
      if (column && take_all({"set", "not", "null"})) schema_.column(*column).nullable = false;
      if (column && take_all({"add", "generated"})) schema_.column(*column).generated_id = true;
    }
    skip_item();
  }

  void resolve() {
    for (Reference& r : references_) {
      const auto parent = schema_.find_table(r.parent);
      if (!parent || r.columns.empty()) continue;
      ForeignKey key{.columns = std::move(r.columns), .parent = *parent, .parent_columns = {}};
      for (const std::string& one : r.parent_columns) {
        if (const auto column = schema_.find_column(*parent, one)) key.parent_columns.push_back(*column);
      }
      if (r.parent_columns.empty()) key.parent_columns = schema_.table(*parent).primary_key;
      if (key.parent_columns.size() == key.columns.size())
        schema_.table(r.child).foreign_keys.push_back(std::move(key));
    }
  }

  std::string_view text_;
  const std::string& file_;
  DdlWords source_;
  StatementWords words_;
  std::size_t at_ = 0;
  Schema schema_;
  std::vector<Reference> references_;
  std::optional<Error> error_;
};

}  // namespace

Result<Schema> read_ddl_schema(std::string_view text, const std::string& file) { return DdlReader(text, file).read(); }

}  // namespace isolde::audit
