#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/mapped_file.h"
#include "hunt/case/dialects.h"
#include "hunt/finding/file_words.h"
#include "hunt/finding/finding_file.h"
#include "probe/words.h"

namespace isolde::hunt {
namespace {

using probe::is_blank;
using probe::Line;
using probe::lines_of;

constexpr std::size_t kMostTransactionsInFile = 1000;
constexpr std::string_view kPlaceExpected = "expected a statement of the run, like T1.2";

// A line and those after it that are indented deeper.
struct Entry {
  Line first;
  std::vector<Line> more;
};

template <typename Number>
bool read_number(std::string_view word, Number& number) {
  const char* const end = word.data() + word.size();
  const auto [after, failed] = std::from_chars(word.data(), end, number);
  return failed == std::errc() && after == end;
}

// T1, or T1.2, from 0. No dot: `statement` stays UINT32_MAX.
std::optional<Place> place_named(std::string_view word) {
  if (!word.starts_with('T') && !word.starts_with('t')) return std::nullopt;
  word.remove_prefix(1);
  const std::size_t dot = word.find('.');
  Place place{0, UINT32_MAX};
  if (!read_number(word.substr(0, dot), place.transaction) || place.transaction == 0 ||
      place.transaction > kMostTransactionsInFile)
    return std::nullopt;
  --place.transaction;
  if (dot == std::string_view::npos) return place;
  if (!read_number(word.substr(dot + 1), place.statement) || place.statement == 0) return std::nullopt;
  --place.statement;
  return place;
}

std::optional<StatementKind> kind_named(std::string_view word) {
  using enum StatementKind;
  for (const StatementKind kind : {kSelect, kSelectForUpdate, kInsert, kUpsert, kUpdate, kDelete, kMerge})
    if (name(kind) == word) return kind;
  return std::nullopt;
}

constexpr Sent kOtherwiseSent[] = {Sent::kPrepared, Sent::kCursor, Sent::kSavepoint};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lines_(lines_of(text)), file_(file) {}

  Result<Finding> parse() {
    while (at_ < lines_.size()) {
      const Entry entry = next_entry();
      if (auto e = section(entry)) return *std::move(e);
    }
    if (auto e = complete()) return *std::move(e);
    return std::move(f_);
  }

 private:
  using Problem = std::optional<Error>;
  using Take = Problem (Parser::*)(const Entry& entry, std::string_view rest);
  struct Section {
    std::string_view keyword;
    Take take;
    bool needed = false, many = false;
  };
  static constexpr std::size_t kSections = 19;
  static const Section kTable[kSections];

  Error error(const Line& line, std::string text, std::size_t offset = 0) const {
    return Error{std::move(text), file_, line.number, line.column + offset};
  }
  // At a piece of a line's text.
  Error error(const Line& line, std::string_view piece, std::string text) const {
    return error(line, std::move(text), static_cast<std::size_t>(piece.data() - line.text.data()));
  }

  static std::string keywords() {
    std::string all;
    for (std::size_t i = 0; i < kSections; ++i)
      all += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == kSections ? " or " : ", ", kTable[i].keyword);
    return all;
  }

  Entry next_entry() {
    Entry entry{lines_[at_++], {}};
    while (at_ < lines_.size() && lines_[at_].column > entry.first.column) entry.more.push_back(lines_[at_++]);
    return entry;
  }
  static std::vector<Entry> entries(const std::vector<Line>& lines) {
    std::vector<Entry> all;
    for (const Line& line : lines) {
      if (all.empty() || line.column <= all.back().first.column) {
        all.push_back({line, {}});
      } else {
        all.back().more.push_back(line);
      }
    }
    return all;
  }

  Problem section(const Entry& entry) {
    const Line& line = entry.first;
    const std::string_view word = line.text.substr(0, line.text.find_first_of(" \t"));
    for (std::size_t i = 0; i < kSections; ++i) {
      const Section& known = kTable[i];
      if (line.column != 1 || word != known.keyword) continue;
      if (i > 0 && !seen_[0]) return error(line, "expected \"finding\" first, and what is wrong");
      if (seen_[i] && !known.many) return error(line, fmt::format("\"{}\" stands here twice", known.keyword));
      seen_[i] = true;
      return (this->*known.take)(entry, after(line.text, word.size()));
    }
    return error(line, "expected " + keywords());
  }

  static std::string_view after(std::string_view text, std::size_t offset) {
    text.remove_prefix(offset);
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    return text;
  }

  // What stands at `rest`, the end of the entry's first line, and in its further lines.
  Problem take_text(const Entry& entry, std::string_view rest, std::string& out, std::string_view expected) const {
    std::string all(rest);
    for (const Line& line : entry.more) {
      if (!all.empty()) all += ' ';
      all += line.text;
    }
    if (all.empty()) return error(entry.first, rest, fmt::format("expected {}", expected));
    auto text = unspelled(all);
    if (!text)
      return error(entry.first, rest,
                   R"(the " that opens here does not end the text, or an escape is none of \n \" \\ \xNN)");
    out = *std::move(text);
    return std::nullopt;
  }

  Problem take_wrong(const Entry& entry, std::string_view rest) {
    const auto wrong = wrong_named(rest);
    if (!wrong) {
      std::string all;
      for (int i = 0; i <= static_cast<int>(Wrong::kCrash); ++i)
        all += fmt::format("{}{}", i == 0 ? "" : ", ", name(static_cast<Wrong>(i)));
      return error(entry.first, rest, "expected what is wrong, one of: " + all);
    }
    f_.wrong = *wrong;
    return nothing_below(entry);
  }
  Problem nothing_below(const Entry& entry) const {
    if (entry.more.empty()) return std::nullopt;
    return error(entry.more[0], "expected no indented line here");
  }

  Problem take_isolde(const Entry& entry, std::string_view rest) {
    return take_text(entry, rest, f_.isolde, "Isolde's version");
  }
  Problem take_server(const Entry& entry, std::string_view rest) {
    return take_text(entry, rest, f_.server, "the server and its version");
  }
  Problem take_dialect(const Entry& entry, std::string_view rest) {
    const std::string names = db::names_where([](const db::Product& product) { return product.hunt != nullptr; });
    if (auto problem = take_text(entry, rest, f_.dialect, names)) return problem;
    if (hunt_dialect(f_.dialect) != nullptr) return std::nullopt;
    return error(entry.first, rest, fmt::format("expected {}", names));
  }
  Problem take_level(const Entry& entry, std::string_view rest) {
    return take_text(entry, rest, f_.level, "the level, as the server calls it");
  }
  Problem take_anomaly(const Entry& entry, std::string_view rest) {
    return take_text(entry, rest, f_.anomaly, "the anomaly's name");
  }
  Problem take_cause(const Entry& entry, std::string_view rest) {
    return take_text(entry, rest, f_.cause, "the cause");
  }
  Problem take_seed(const Entry& entry, std::string_view rest) {
    if (!read_number(rest, f_.test.seed)) return error(entry.first, rest, "expected a number");
    return nothing_below(entry);
  }

  Problem take_rate(const Entry& entry, std::string_view rest) {
    const std::size_t of = rest.find(" of ");
    constexpr std::size_t kOf = 4;
    if (of == std::string_view::npos || !read_number(rest.substr(0, of), f_.rate.seen) ||
        !read_number(rest.substr(of + kOf), f_.rate.runs) || f_.rate.seen > f_.rate.runs || f_.rate.runs == 0)
      return error(entry.first, rest, "expected how often it was seen, as in \"3 of 120\"");
    return nothing_below(entry);
  }

  // Words of a line, one after the other.
  struct Words {
    std::vector<Piece> pieces;
    std::size_t at = 0;
    bool done() const { return at == pieces.size(); }
    bool take(std::string_view word) {
      const bool here = !done() && !pieces[at].quoted && pieces[at].text == word;
      at += here ? 1 : 0;
      return here;
    }
    bool name_here() const {
      return !done() &&
             (pieces[at].quoted || (pieces[at].text != "," && pieces[at].text != "(" && pieces[at].text != ")"));
    }
    std::string name() { return pieces[at++].text; }
  };
  Error error(const Line& line, std::string_view rest, const Words& words, std::string text) const {
    const std::size_t offset = words.done() ? rest.size() : words.pieces[words.at].offset;
    return error(line, std::move(text), static_cast<std::size_t>(rest.data() - line.text.data()) + offset);
  }
  Problem words(const Line& line, std::string_view rest, Words& out) const {
    Pieces read = words_of(rest);
    if (read.problem)
      return error(line, R"(the " that opens here does not close, or an escape is none of \n \" \\ \xNN)",
                   static_cast<std::size_t>(rest.data() - line.text.data()) + *read.problem);
    out.pieces = std::move(read.pieces);
    return std::nullopt;
  }
  // a, b, c
  Problem take_names(const Line& line, std::string_view rest, Words& w, std::vector<std::string>& out) const {
    do {
      if (!w.name_here()) return error(line, rest, w, "expected a name");
      out.push_back(w.name());
    } while (w.take(","));
    return std::nullopt;
  }
  // t0 (pkey, vkey)
  Problem take_head(const Line& line, std::string_view rest, Words& w, std::string& name_out,
                    std::vector<std::string>& columns) const {
    if (!w.name_here()) return error(line, rest, w, "expected a name");
    name_out = w.name();
    if (!w.take("(")) return error(line, rest, w, "expected the columns in parentheses");
    if (w.take(")")) return std::nullopt;
    if (auto e = take_names(line, rest, w, columns)) return e;
    return w.take(")") ? std::nullopt : Problem(error(line, rest, w, "expected a comma or )"));
  }

  // "sql: …" -> the rest; none: it is another line.
  static std::optional<std::string_view> labelled(const Line& line, std::string_view label) {
    if (!line.text.starts_with(label) || line.text.substr(label.size()).find(':') != 0) return std::nullopt;
    return after(line.text, label.size() + 1);
  }

  Problem take_table(const Entry& entry, std::string_view rest) {
    Words w;
    Table table;
    if (auto e = words(entry.first, rest, w)) return e;
    if (auto e = take_head(entry.first, rest, w, table.name, table.columns)) return e;
    if (!w.done()) return error(entry.first, rest, w, "expected the end of the line");
    table.inserted = table.columns;
    bool made = false;
    for (const Entry& part : entries(entry.more)) {
      made = made || labelled(part.first, "sql");
      if (auto e = take_table_part(part, table)) return e;
    }
    if (!made) return error(entry.first, "expected a line \"sql: create table …\" below");
    f_.test.schema.tables.push_back(std::move(table));
    return std::nullopt;
  }
  Problem take_table_part(const Entry& part, Table& table) const {
    Words w;
    const Line& line = part.first;
    if (const auto sql = labelled(line, "sql")) return take_text(part, *sql, table.create, "SQL");
    if (const auto list = labelled(line, "inserts")) {
      table.inserted.clear();
      if (auto e = words(line, *list, w)) return e;
      if (w.done()) return std::nullopt;
      if (auto e = take_names(line, *list, w, table.inserted)) return e;
      return w.done() ? nothing_below(part) : Problem(error(line, *list, w, "expected a comma"));
    }
    if (const auto key = labelled(line, "foreign key")) {
      ForeignKey made;
      if (auto e = words(line, *key, w)) return e;
      if (!w.name_here()) return error(line, *key, w, "expected the column");
      made.column = w.name();
      if (!w.take("to") || !w.name_here()) return error(line, *key, w, "expected \"to\" and the parent table");
      made.parent = w.name();
      made.cascades = w.take(",");
      if (made.cascades && !w.take("cascading")) return error(line, *key, w, "expected \"cascading\"");
      if (!w.done()) return error(line, *key, w, "expected \", cascading\" or the end of the line");
      table.foreign_keys.push_back(std::move(made));
      return nothing_below(part);
    }
    if (const auto count = labelled(line, "partitions")) {
      constexpr std::uint32_t kMostPartitions = 64;
      if (!read_number(*count, table.partitions) || table.partitions == 0 || table.partitions > kMostPartitions)
        return error(line, *count, fmt::format("expected a number from 1 to {}", kMostPartitions));
      return nothing_below(part);
    }
    if (const auto trigger = labelled(line, "trigger")) {
      if (auto e = words(line, *trigger, w)) return e;
      table.trigger.emplace();
      if (!w.name_here()) return error(line, *trigger, w, "expected the column that the trigger sets");
      table.trigger->column = w.name();
      if (!w.take("from") || !w.name_here()) return error(line, *trigger, w, "expected \"from\" and a column");
      table.trigger->from = w.name();
      return w.done() ? nothing_below(part) : Problem(error(line, *trigger, w, "expected the end of the line"));
    }
    if (line.text == "rows:") {
      for (const Line& row : part.more) {
        if (auto e = take_row(row, table)) return e;
      }
      return std::nullopt;
    }
    return error(line, "expected \"sql:\", \"foreign key:\", \"partitions:\", \"trigger:\", \"inserts:\" or \"rows:\"");
  }
  Problem take_row(const Line& line, Table& table) const {
    Pieces read = cells_of(line.text);
    if (read.problem)
      return error(line, "expected a value as SQL writes it, or a text in double quotes", *read.problem);
    if (read.pieces.size() != table.inserted.size())
      return error(line, fmt::format("expected {} values, found {}", table.inserted.size(), read.pieces.size()));
    std::vector<std::string> row;
    for (Piece& piece : read.pieces) row.push_back(std::move(piece.text));
    table.rows.push_back(std::move(row));
    return std::nullopt;
  }

  Problem take_list(const Entry& entry, std::string_view rest, std::vector<std::string>& out) const {
    if (!rest.empty()) return error(entry.first, rest, "expected the statements on lines of their own, indented");
    for (const Entry& part : entries(entry.more)) {
      const auto sql = labelled(part.first, "sql");
      if (!sql) return error(part.first, "expected \"sql:\"");
      if (auto e = take_text(part, *sql, out.emplace_back(), "SQL")) return e;
    }
    return std::nullopt;
  }
  Problem take_more(const Entry& entry, std::string_view rest) { return take_list(entry, rest, f_.test.schema.more); }
  Problem take_drops(const Entry& entry, std::string_view rest) { return take_list(entry, rest, f_.test.schema.drops); }

  Problem take_view(const Entry& entry, std::string_view rest) {
    Words w;
    View view;
    if (auto e = words(entry.first, rest, w)) return e;
    if (auto e = take_head(entry.first, rest, w, view.name, view.columns)) return e;
    if (w.take("of")) {
      if (auto e = take_names(entry.first, rest, w, view.reads)) return e;
    }
    if (!w.done()) return error(entry.first, rest, w, "expected \"of\" and the tables that it reads");
    std::vector<std::string> sql;
    if (auto e = take_list(entry, {}, sql)) return e;
    if (sql.size() != 1) return error(entry.first, "expected one line \"sql: create view …\" below");
    view.create = std::move(sql[0]);
    f_.test.schema.views.push_back(std::move(view));
    return std::nullopt;
  }

  Problem take_run(const Entry& entry, std::string_view rest) {
    if (!rest.empty()) return error(entry.first, rest, "expected the steps on lines of their own, indented");
    for (const Entry& step : entries(entry.more)) {
      if (auto e = take_step(step)) return e;
    }
    return std::nullopt;
  }
  Problem take_step(const Entry& step) {
    const Line& line = step.first;
    const std::size_t colon = std::min(line.text.find(':'), line.text.size());
    const auto who = place_named(trimmed(line.text.substr(0, colon)));
    if (!who || who->statement != UINT32_MAX || colon == line.text.size())
      return error(line, "expected a step like \"T1: commit\"");
    const std::uint32_t t = who->transaction;
    std::vector<Transaction>& all = f_.test.transactions;
    if (t >= all.size()) {
      all.resize(t + 1);
      ended_.resize(t + 1, false);
    }
    if (ended_[t]) return error(line, fmt::format("T{} has ended already", t + 1));
    f_.test.order.push_back(t);
    const std::string_view rest = after(line.text, colon + 1);
    const std::string word = step.more.empty() ? lower_case(rest) : "";
    if (word == "begin") return error(line, rest, "a transaction begins by itself, right before its first statement");
    if (word == "commit" || word == "rollback") {
      ended_[t] = true;
      all[t].commits = word == "commit";
      return std::nullopt;
    }
    return take_text(step, rest, all[t].statements.emplace_back().sql, "SQL, commit or rollback");
  }

  bool is_there(const std::optional<Place>& place) const {
    return place && place->transaction < f_.test.transactions.size() &&
           place->statement < f_.test.transactions[place->transaction].statements.size();
  }
  Problem take_alone(const Entry& entry, std::string_view rest) {
    std::vector<Line> lines = entry.more;
    lines.insert(lines.begin(), entry.first);
    lines[0].text = rest;
    lines[0].column += static_cast<std::uint64_t>(rest.data() - entry.first.text.data());
    for (const Line& line : lines) {
      Words w;
      if (auto e = words(line, line.text, w)) return e;
      for (const Piece& piece : w.pieces) {
        if (piece.text == ",") continue;
        const auto place = place_named(piece.text);
        if (!is_there(place)) return error(line, std::string(kPlaceExpected), piece.offset);
        if (std::find(f_.alone.begin(), f_.alone.end(), *place) != f_.alone.end())
          return error(line, fmt::format("{} stands here twice", name(*place)), piece.offset);
        f_.alone.push_back(*place);
      }
    }
    return std::nullopt;
  }
  Problem take_where(const Entry& entry, std::string_view rest) {
    const auto place = place_named(rest);
    if (!is_there(place)) return error(entry.first, rest, std::string(kPlaceExpected));
    f_.where = *place;
    return nothing_below(entry);
  }

  Problem take_lines(const Entry& entry, std::string_view rest, std::string& out) const {
    if (!rest.empty()) return error(entry.first, rest, "expected lines that begin with |, indented");
    for (const Line& line : entry.more) {
      if (!line.text.starts_with('|')) return error(line, "expected a line that begins with |");
      auto text = unspelled_line(line.text.substr(line.text.starts_with("| ") ? 2 : 1));
      if (!text) return error(line, R"(expected \ only as \n, \", \\ or \xNN)");
      if (&line != entry.more.data()) out += '\n';
      out += *text;
    }
    return std::nullopt;
  }
  Problem take_expected(const Entry& entry, std::string_view rest) { return take_lines(entry, rest, f_.expected); }
  Problem take_actual(const Entry& entry, std::string_view rest) { return take_lines(entry, rest, f_.actual); }

  Problem take_statements(const Entry& entry, std::string_view rest) {
    if (!rest.empty()) return error(entry.first, rest, "expected the statements on lines of their own, indented");
    for (const Entry& part : entries(entry.more)) {
      if (auto e = take_statement(part)) return e;
    }
    return std::nullopt;
  }
  // T1.1 update, version 1001, reads t0 t1, writes t0
  Problem take_statement(const Entry& part) {
    const Line& line = part.first;
    Words w;
    if (auto e = words(line, line.text, w)) return e;
    const auto place = place_named(w.pieces[0].text);
    if (!is_there(place)) return error(line, std::string(kPlaceExpected));
    if (std::find(described_.begin(), described_.end(), *place) != described_.end())
      return error(line, fmt::format("{} stands here twice", name(*place)));
    described_.push_back(*place);
    Statement& statement = f_.test.transactions[place->transaction].statements[place->statement];
    w.at = 1;
    const auto kind = w.name_here() ? kind_named(w.pieces[w.at].text) : std::nullopt;
    if (!kind)
      return error(line, line.text, w, "expected select, select-for-update, insert, upsert, update, delete or merge");
    statement.kind = *kind;
    ++w.at;
    while (w.take(",")) {
      const auto* const sent = std::find_if(std::begin(kOtherwiseSent), std::end(kOtherwiseSent),
                                            [&](Sent one) { return w.take(name(one)); });
      if (sent != std::end(kOtherwiseSent)) {
        statement.sent = *sent;
      } else if (w.take("version")) {
        if (!w.name_here() || !read_number(w.pieces[w.at].text, statement.version))
          return error(line, line.text, w, "expected a number");
        ++w.at;
      } else if (const bool reads = w.take("reads"); reads || w.take("writes")) {
        if (!w.name_here()) return error(line, line.text, w, "expected the names of tables");
        while (w.name_here()) (reads ? statement.reads : statement.writes).push_back(w.name());
      } else {
        return error(line, line.text, w,
                     "expected \"version\", \"reads\", \"writes\", \"prepared\", \"cursor\" or \"savepoint\"");
      }
    }
    if (!w.done()) return error(line, line.text, w, "expected a comma");
    for (const Entry& detail : entries(part.more)) {
      const auto before = labelled(detail.first, "before"), undone = labelled(detail.first, "undone");
      if (!before && !undone) return error(detail.first, "expected \"before:\" or \"undone:\"");
      if (auto e = take_text(detail, before ? *before : *undone, before ? statement.before : statement.undone, "SQL"))
        return e;
    }
    return std::nullopt;
  }

  Problem complete() const {
    const Line end = {{}, lines_.empty() ? 1 : lines_.back().number + 1, 1};
    for (std::size_t i = 0; i < kSections; ++i)
      if (!seen_[i] && kTable[i].needed) return error(end, fmt::format("expected \"{}\" somewhere", kTable[i].keyword));
    for (std::size_t t = 0; t < ended_.size(); ++t)
      if (!ended_[t])
        return error(end, fmt::format("expected \"T{}: commit\" or \"T{}: rollback\" in the run", t + 1, t + 1));
    if (described_.size() == statements_of(f_.test)) return std::nullopt;
    for (std::uint32_t t = 0; t < f_.test.transactions.size(); ++t)
      for (std::uint32_t s = 0; s < f_.test.transactions[t].statements.size(); ++s)
        if (std::find(described_.begin(), described_.end(), Place{t, s}) == described_.end())
          return error(end, fmt::format("expected a line about {} in \"statements\"", name(Place{t, s})));
    return std::nullopt;
  }

  std::vector<Line> lines_;
  const std::string& file_;
  std::size_t at_ = 0;
  bool seen_[kSections] = {};
  std::vector<bool> ended_;
  std::vector<Place> described_;
  Finding f_;
};

const Parser::Section Parser::kTable[] = {
    {"finding", &Parser::take_wrong, true},
    {"isolde", &Parser::take_isolde},
    {"server", &Parser::take_server, true},
    {"dialect", &Parser::take_dialect, true},
    {"level", &Parser::take_level, true},
    {"seed", &Parser::take_seed},
    {"anomaly", &Parser::take_anomaly},
    {"rate", &Parser::take_rate},
    {"cause", &Parser::take_cause},
    {"table", &Parser::take_table, false, true},
    {"more", &Parser::take_more},
    {"view", &Parser::take_view, false, true},
    {"drops", &Parser::take_drops},
    {"run", &Parser::take_run, true},
    {"alone", &Parser::take_alone},
    {"where", &Parser::take_where},
    {"expected", &Parser::take_expected},
    {"actual", &Parser::take_actual},
    {"statements", &Parser::take_statements},
};

}  // namespace

Result<Finding> parse_finding(std::string_view text, const std::string& file) { return Parser(text, file).parse(); }

Result<Finding> read_finding(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  return parse_finding((*file)->text(), path);
}

}  // namespace isolde::hunt
