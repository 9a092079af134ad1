#include <fmt/format.h>

#include <algorithm>

#include "db/product.h"
#include "probe/scenario.h"
#include "probe/sql_text.h"
#include "probe/words.h"

namespace isolde::probe {
namespace {

// Scenarios name databases by what their drivers are called.
bool connects(const db::Product& product) { return product.open != nullptr; }

class ScenarioParser {
 public:
  ScenarioParser(std::string_view text, const std::string& file) : lines_(lines_of(text)) { s_.file = file; }

  Result<Scenario> parse() {
    while (at_ < lines_.size()) {
      const Line& line = lines_[at_++];
      if (auto e = line.indented() ? error(line, 0, "expected " + keywords()) : section(line)) return *std::move(e);
    }
    if (auto e = complete()) return *std::move(e);
    return std::move(s_);
  }

 private:
  using Take = std::optional<Error> (ScenarioParser::*)(const Line& line, std::string_view rest);
  struct Section {
    std::string_view keyword;
    Take take;
    bool many = false;
  };
  static constexpr std::size_t kSections = 8;
  static const Section kTable[kSections];

  static std::string keywords() {
    std::string all;
    for (std::size_t i = 0; i < kSections; ++i)
      all += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == kSections ? " or " : ", ", kTable[i].keyword);
    return all;
  }

  Error error(const Line& line, std::size_t offset, std::string text) const {
    return Error{std::move(text), s_.file, line.number, line.column + offset};
  }
  // At a piece of a line's text.
  Error error(const Line& line, std::string_view piece, std::string text) const {
    return error(line, static_cast<std::size_t>(piece.data() - line.text.data()), std::move(text));
  }

  std::optional<Error> section(const Line& line) {
    for (std::size_t i = 0; i < kSections; ++i) {
      const Section& known = kTable[i];
      if (!line.text.starts_with(known.keyword)) continue;
      std::string_view rest = line.text.substr(known.keyword.size());
      if (!rest.empty() && !is_blank(rest.front())) continue;
      if (seen_[i] && !known.many) return error(line, 0, fmt::format("\"{}\" occurs twice here", known.keyword));
      seen_[i] = true;
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
      return (this->*known.take)(line, rest);
    }
    return error(line, 0, "expected " + keywords());
  }

  std::vector<Line> body() {
    std::vector<Line> lines;
    while (at_ < lines_.size() && lines_[at_].indented()) lines.push_back(lines_[at_++]);
    return lines;
  }

  // What a section says on its own line and on the indented ones after it.
  std::string paragraph(std::string_view rest) {
    std::string out(rest);
    for (const Line& line : body()) {
      if (!out.empty()) out += ' ';
      out += line.text;
    }
    return out;
  }

  std::optional<Error> take_name(const Line& line, std::string_view rest) {
    const bool fine = !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) {
      return is_letter(c) || is_digit(c) || c == '-' || c == '.';
    });
    if (!fine) return error(line, rest, "expected the scenario's name: letters, digits, -, _ and .");
    s_.name = std::string(rest);
    return std::nullopt;
  }
  std::optional<Error> take_title(const Line& line, std::string_view rest) {
    s_.title = paragraph(rest);
    return s_.title.empty() ? std::optional(error(line, rest, "expected a title")) : std::nullopt;
  }
  std::optional<Error> take_source(const Line& line, std::string_view rest) {
    s_.source = paragraph(rest);
    return s_.source.empty() ? std::optional(error(line, rest, "expected where it comes from")) : std::nullopt;
  }
  std::optional<Error> take_about(const Line& line, std::string_view rest) {
    s_.about = paragraph(rest);
    return s_.about.empty() ? std::optional(error(line, rest, "expected a paragraph that explains it")) : std::nullopt;
  }

  std::optional<Error> take_breaks(const Line& line, std::string_view rest) {
    if (rest.empty()) return error(line, rest, "expected the levels that rule it out, separated by commas");
    while (true) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view word = trimmed(rest.substr(0, comma));
      const auto level = level_named(word);
      if (!level) return error(line, word.empty() ? rest : word, fmt::format("expected a level, found \"{}\"", word));
      s_.breaks.push_back(*level);
      if (comma == rest.size()) return std::nullopt;
      rest.remove_prefix(comma + 1);
    }
  }

  std::optional<Error> take_table(const Line& line, std::string_view rest) {
    std::size_t size = 0;
    while (size < rest.size() && (is_letter(rest[size]) || is_digit(rest[size]))) ++size;
    const std::string_view name = rest.substr(0, size);
    if (name.empty() || is_digit(name[0])) return error(line, rest, "expected the table's name");
    std::string_view columns = rest.substr(size);
    columns.remove_prefix(std::min(columns.find_first_not_of(" \t"), columns.size()));
    if (!columns.starts_with('(') || !columns.ends_with(')'))
      return error(line, columns, "expected the columns in parentheses");
    ScenarioTable table = {std::string(name), std::string(columns), {}};
    if (std::find(names_.begin(), names_.end(), table.name) != names_.end())
      return error(line, name, fmt::format("there is already a table {}", table.name));
    for (const Line& row : body()) {
      if (auto e = check_row(row)) return e;
      table.rows.emplace_back(row.text);
    }
    names_.push_back(table.name);
    s_.tables.push_back(std::move(table));
    return std::nullopt;
  }

  std::optional<Error> check_row(const Line& row) const {
    std::string_view rest = row.text;
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      const std::size_t quoted = rest.starts_with('\'') ? quoted_size(rest) : 0;
      const std::size_t comma = std::min(rest.find(',', quoted), rest.size());
      const std::string_view word = trimmed(rest.substr(0, comma));
      const auto cell = cell_named(word);
      if (!cell || word.find('\\') != std::string_view::npos)
        return error(row, rest, "expected a number, a text in quotes (without \\) or null");
      if (comma == rest.size()) return std::nullopt;
      rest.remove_prefix(comma + 1);
    }
  }

  std::optional<Error> take_run(const Line& line, std::string_view rest) {
    if (!rest.empty()) return error(line, rest, "expected the steps on lines of their own, indented");
    for (const Line& step : body()) {
      if (auto e = take_step(step)) return e;
    }
    if (s_.script.empty()) return error(line, rest, "expected steps like \"T1: select * from test\"");
    return std::nullopt;
  }

  // [not] [sqlite mariadb] T1: sql
  std::optional<Error> take_step(const Line& line) {
    ScriptLine step;
    step.line = line.number;
    std::string_view rest = line.text;
    if (rest.starts_with('[')) {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos) return error(line, rest, "the [ that opens here has no ]");
      if (auto e = take_dialects(line, rest.substr(1, close - 1), step)) return e;
      rest.remove_prefix(close + 1);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    }
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const auto who = step_name(trimmed(rest.substr(0, colon)));
    if (!who || who->number != 0 || colon == rest.size())
      return error(line, rest, fmt::format("expected a step like \"T1: commit\" (T1 to T{})", kMostTransactions));
    step.step.transaction = who->transaction;
    rest.remove_prefix(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    step.column = line.column + static_cast<std::uint64_t>(rest.data() - line.text.data());
    while (!rest.empty() && (rest.back() == ';' || is_blank(rest.back()))) rest.remove_suffix(1);
    if (rest.empty()) return error(line, rest, "expected SQL, begin, commit or rollback");
    step.step.kind = kind_of(rest);
    if (step.step.kind == RequestKind::kStatement) step.step.sql = std::string(rest);
    s_.script.push_back(std::move(step));
    return std::nullopt;
  }

  std::optional<Error> take_dialects(const Line& line, std::string_view list, ScriptLine& step) const {
    while (true) {
      list.remove_prefix(std::min(list.find_first_not_of(" \t,"), list.size()));
      if (list.empty()) break;
      const std::string_view word = list.substr(0, list.find_first_of(" \t,"));
      if (word == "not" && step.dialects.empty() && !step.not_these) {
        step.not_these = true;
      } else if (const db::Product* const product = db::find_product(word); product != nullptr && connects(*product)) {
        step.dialects.emplace_back(word);
      } else {
        return error(line, word, "expected " + db::names_where(connects));
      }
      list.remove_prefix(word.size());
    }
    if (step.dialects.empty()) return error(line, list, "expected the dialects that have this step");
    return std::nullopt;
  }

  static RequestKind kind_of(std::string_view sql) {
    const std::string word = lower_case(sql);
    if (word == "begin") return RequestKind::kBegin;
    if (word == "commit") return RequestKind::kCommit;
    if (word == "rollback" || word == "abort") return RequestKind::kRollBack;
    return RequestKind::kStatement;
  }

  std::optional<Error> take_happened(const Line& line, std::string_view rest) {
    std::string text(rest);
    std::uint64_t number = line.number;
    // The lines between keep their places, so that an error has its own.
    for (const Line& more : body()) {
      text.append(more.number - number, '\n');
      text.append(more.column - 1, ' ');
      text += more.text;
      number = more.number;
    }
    auto condition = parse_condition(text, s_.file, line.number,
                                     line.column + static_cast<std::uint64_t>(rest.data() - line.text.data()));
    if (!condition) return std::move(condition).error();
    s_.happened = *std::move(condition);
    return std::nullopt;
  }

  std::optional<Error> complete() {
    const Line end = {{}, lines_.empty() ? 1 : lines_.back().number + 1, 1};
    for (std::size_t i = 0; i < kSections; ++i) {
      const bool optional = kTable[i].keyword == "source" || kTable[i].keyword == "about";
      if (!seen_[i] && !optional) return error(end, 0, fmt::format("expected \"{}\" somewhere", kTable[i].keyword));
    }
    for (const db::Product* const product : db::products()) {
      if (!connects(*product)) continue;
      if (auto e = check_for(product->name)) return e;
    }
    return std::nullopt;
  }

  // Whether the script makes sense in that dialect, and all that is asked about exists there.
  std::optional<Error> check_for(std::string_view dialect) {
    std::vector<bool> begun(kMostTransactions, false), ended(kMostTransactions, false);
    std::vector<std::size_t> statements(kMostTransactions, 0);
    const auto missing = [&](const Source& source) { return source.number > statements[source.transaction]; };
    for (const ScriptLine& line : s_.script) {
      if (!line.is_for(dialect)) continue;
      const std::size_t who = line.step.transaction;
      const auto wrong = [&](std::string text) { return Error{std::move(text), s_.file, line.line, line.column}; };
      if (ended[who]) return wrong(fmt::format("T{} has ended already", who + 1));
      if (line.step.kind == RequestKind::kBegin && begun[who])
        return wrong(fmt::format("T{} has begun already", who + 1));
      begun[who] = true;
      ended[who] = line.step.kind == RequestKind::kCommit || line.step.kind == RequestKind::kRollBack;
      if (line.step.kind != RequestKind::kStatement) continue;
      auto pieces = parse_sql(line.step.sql, names_, s_.file, line.line, line.column);
      if (!pieces) return std::move(pieces).error();
      for (const SqlPiece& piece : *pieces) {
        for (const SqlTerm& term : piece.terms) {
          if (missing(term.source))
            return wrong(fmt::format("no earlier step is T{}.{} (in {})", term.source.transaction + 1,
                                     term.source.number, dialect));
        }
      }
      ++statements[who];
    }
    for (const Test& test : s_.happened.tests) {
      for (const Source* source : {&test.subject, &test.other}) {
        const auto wrong = [&](std::string text) { return Error{std::move(text), s_.file, test.line, test.column}; };
        if (missing(*source))
          return wrong(
              fmt::format("the script has no T{}.{} (in {})", source->transaction + 1, source->number, dialect));
        if (!begun[test.subject.transaction] && test.subject.number == 0 &&
            (test.kind == Test::Kind::kCommitted || test.kind == Test::Kind::kRolledBack))
          return wrong(fmt::format("the script has no T{} (in {})", test.subject.transaction + 1, dialect));
        if (!source->table.empty() && std::find(names_.begin(), names_.end(), source->table) == names_.end())
          return wrong(fmt::format("there is no table {}", source->table));
      }
    }
    return std::nullopt;
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  bool seen_[kSections] = {};
  std::vector<std::string> names_;
  Scenario s_;
};

const ScenarioParser::Section ScenarioParser::kTable[] = {
    {"scenario", &ScenarioParser::take_name}, {"title", &ScenarioParser::take_title},
    {"source", &ScenarioParser::take_source}, {"about", &ScenarioParser::take_about},
    {"breaks", &ScenarioParser::take_breaks}, {"table", &ScenarioParser::take_table, true},
    {"run", &ScenarioParser::take_run},       {"happened if", &ScenarioParser::take_happened},
};

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, const std::string& file) {
  return ScenarioParser(text, file).parse();
}

}  // namespace isolde::probe
