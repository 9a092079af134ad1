// Every table of the file is one of kTables; each of its words must be one that the table has.
#include "audit/hints/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/ascii.h"
#include "base/mapped_file.h"
#include "base/nearest.h"

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#undef TOML_ENABLE_FORMATTERS

namespace isolde::audit {
namespace {

constexpr std::array<std::string_view, 10> kTables = {"ignore", "once",      "unique",     "commutes", "existing",
                                                      "remove", "exclusive", "correlated", "keep",     "distrust"};
constexpr std::array<std::string_view, 2> kClassWords = {"class", "why"};
constexpr std::array<std::string_view, 2> kColumnWords = {"column", "why"};
constexpr std::array<std::string_view, 2> kTableWords = {"table", "why"};
constexpr std::array<std::string_view, 2> kFactWords = {"fact", "why"};
constexpr std::array<std::string_view, 5> kEdgeWords = {"from", "to", "column", "kind", "why"};
constexpr std::array<std::string_view, 3> kPairWords = {"first", "second", "why"};
constexpr std::array<std::string_view, 3> kDependencyKinds = {"ww", "wr", "rw"};

class HintReader {
 public:
  explicit HintReader(std::string file) : file_(std::move(file)) {}

  Result<Hints> read(const toml::table& top) {
    for (const auto& [key, node] : top) {
      if (!known(key, kTables, "hint")) break;
      const toml::array* list = node.as_array();
      if (list == nullptr) {
        fail(node.source(), fmt::format("expected [[{}]], as often as there are such hints", key.str()));
        break;
      }
      for (const toml::node& one : *list) {
        const toml::table* hint = one.as_table();
        if (hint == nullptr) {
          fail(one.source(), fmt::format("expected a table [[{}]]", key.str()));
        } else {
          take(key.str(), *hint);
        }
        if (error_) break;
      }
      if (error_) break;
    }
    if (error_) return *std::move(error_);
    hints_.file = file_;
    return std::move(hints_);
  }

 private:
  void fail(const toml::source_region& where, std::string text) {
    if (error_) return;
    error_ = Error{std::move(text), file_, std::max<std::uint64_t>(where.begin.line, 1),
                   std::max<std::uint64_t>(where.begin.column, 1)};
  }

  bool known(const toml::key& key, std::span<const std::string_view> words, std::string_view what) {
    for (const std::string_view word : words) {
      if (key.str() == word) return true;
    }
    std::string text = fmt::format("\"{}\" is no {} that is known{}", key.str(), what, did_you_mean(key.str(), words));
    if (nearest(key.str(), words).empty()) text += fmt::format("; expected one of: {}", fmt::join(words, ", "));
    fail(key.source(), std::move(text));
    return false;
  }

  bool only(const toml::table& table, std::span<const std::string_view> words) {
    for (const auto& [key, node] : table) {
      if (!known(key, words, "word")) return false;
    }
    return true;
  }

  // `otherwise` is for a word that may be left out.
  std::string text(const toml::table& table, std::string_view word, std::string_view otherwise, bool required) {
    const toml::node* node = table.get(word);
    if (node == nullptr) {
      if (required) fail(table.source(), fmt::format("expected {} = \"…\" here", word));
      return std::string(otherwise);
    }
    const auto* value = node->as_string();
    if (value == nullptr || value->get().empty()) {
      fail(node->source(), fmt::format("expected {} = \"…\", a text that is not empty", word));
      return {};
    }
    take_place(word, value->get(), node->source());
    return value->get();
  }

  void take_place(std::string_view word, const std::string& pattern, const toml::source_region& where) {
    using What = HintName::What;
    if (word == "why" || word == "kind" || word == "fact") return;
    const What what = word == "column" ? What::kColumn : word == "table" ? What::kTable : What::kClass;
    hints_.names.push_back(
        {what, pattern, std::max<std::uint64_t>(where.begin.line, 1), std::max<std::uint64_t>(where.begin.column, 1)});
  }

  void take_name(const toml::table& table, std::string_view word, std::span<const std::string_view> words,
                 std::vector<std::string>& to) {
    if (!only(table, words)) return;
    (void)text(table, "why", "", false);
    to.push_back(text(table, word, "", true));
  }

  // "table.column" or "*": a column without its table would match by chance.
  void check_column(const toml::table& table, const std::string& column) {
    if (error_ || column.find('.') != std::string::npos || column == "*") return;
    fail(table.get("column")->source(),
         fmt::format("expected column = \"table.column\" (* stands for anything), not \"{}\"", column));
  }

  EdgePattern edge(const toml::table& table) {
    EdgePattern out;
    if (!only(table, kEdgeWords)) return out;
    out.from = text(table, "from", "*", false);
    out.to = text(table, "to", "*", false);
    out.column = text(table, "column", "*", false);
    check_column(table, out.column);
    out.kind = text(table, "kind", "", false);
    (void)text(table, "why", "", false);
    if (!error_ && !out.kind.empty() &&
        std::find(kDependencyKinds.begin(), kDependencyKinds.end(), out.kind) == kDependencyKinds.end()) {
      fail(table.get("kind")->source(), fmt::format("expected kind = \"ww\", \"wr\" or \"rw\", not \"{}\"", out.kind));
    }
    if (!error_ && !table.contains("from") && !table.contains("to") && !table.contains("column"))
      fail(table.source(), "expected at least one of from, to and column: this would be every dependency");
    return out;
  }

  EdgePattern part(const toml::table& table, std::string_view word) {
    const toml::node* node = table.get(word);
    if (node == nullptr || node->as_table() == nullptr) {
      fail(node == nullptr ? table.source() : node->source(),
           fmt::format("expected {} = {{ from = \"…\", to = \"…\", column = \"…\", kind = \"…\" }}", word));
      return {};
    }
    return edge(*node->as_table());
  }

  PairHint pair(const toml::table& table) {
    PairHint out;
    if (!only(table, kPairWords)) return out;
    out.first = part(table, "first");
    out.second = part(table, "second");
    out.why = text(table, "why", "", false);
    return out;
  }

  void distrust(const toml::table& table) {
    if (!only(table, kFactWords)) return;
    (void)text(table, "why", "", false);
    const std::string fact = text(table, "fact", "", true);
    if (error_) return;
    if (const std::optional<FactKind> kind = fact_kind_named(fact)) return hints_.distrusted.turn_off(*kind);
    const auto names = fact_kind_names();
    fail(table.get("fact")->source(), fmt::format("expected fact = one of {}, not \"{}\"{}", fmt::join(names, ", "),
                                                  fact, did_you_mean(fact, names)));
  }

  void take(std::string_view kind, const toml::table& table) {
    if (kind == "distrust") return distrust(table);
    if (kind == "ignore") return take_name(table, "class", kClassWords, hints_.ignored_classes);
    if (kind == "once") return take_name(table, "class", kClassWords, hints_.single_classes);
    if (kind == "existing") return take_name(table, "table", kTableWords, hints_.existing_tables);
    if (kind == "remove") return hints_.removed.push_back(edge(table));
    if (kind == "exclusive") return hints_.exclusive.push_back(pair(table));
    if (kind == "correlated") return hints_.correlated.push_back(pair(table));
    auto& columns = kind == "unique"     ? hints_.unique_columns
                    : kind == "commutes" ? hints_.commuting_columns
                                         : hints_.kept_columns;
    take_name(table, "column", kColumnWords, columns);
    if (!error_) check_column(table, columns.back());
  }

  std::string file_;
  Hints hints_;
  std::optional<Error> error_;
};

}  // namespace

Result<Hints> read_hints_text(std::string_view text, const std::string& file) {
  // Its parser without exceptions (3.3.0) runs into its own assertions on text like "[[[a]]".
  try {
    return HintReader(file).read(toml::parse(text, file));
  } catch (const toml::parse_error& e) {
    return Error{std::string(e.description()), file, std::max<std::uint64_t>(e.source().begin.line, 1),
                 std::max<std::uint64_t>(e.source().begin.column, 1)};
  }
}

Result<Hints> read_hints(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  return read_hints_text((*file)->text(), path);
}

Result<void> check_names(const Hints& hints, std::span<const std::string_view> classes, const Schema& schema) {
  using What = HintName::What;
  std::vector<std::string> columns, tables;
  for (std::uint32_t c = 0; c < schema.columns(); ++c) columns.push_back(schema.full_name(ColumnId(c)));
  for (std::uint32_t t = 0; t < schema.tables(); ++t) tables.push_back(schema.table(TableId(t)).name);
  for (const HintName& name : hints.names) {
    std::vector<std::string_view> all(classes.begin(), classes.end());
    if (name.what == What::kColumn) all.assign(columns.begin(), columns.end());
    if (name.what == What::kTable) all.assign(tables.begin(), tables.end());
    if (name.pattern == "*" ||
        std::any_of(all.begin(), all.end(), [&](auto one) { return matches(name.pattern, one); }))
      continue;
    const std::string_view what = name.what == What::kClass ? "class" : name.what == What::kTable ? "table" : "column";
    return Error{fmt::format("no {} is called \"{}\"{}", what, name.pattern, did_you_mean(name.pattern, all)),
                 hints.file, name.line, name.column};
  }
  return {};
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, resume = 0;  // the last * and where its run ends so far
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && lower(pattern[p]) == lower(name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace isolde::audit
