#include "audit/scope/scope_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "audit/classes/column_domains.h"
#include "report/words.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kMostKeys = 3, kLongestValue = 40;  // that are shown

class ScopeTeller {
 public:
  ScopeTeller(TraceLog& log, const Classes& classes, ScopeFinding& finding, std::span<const KeyValue> keys)
      : log_(log), classes_(classes), finding_(finding), keys_(keys) {}

  void tell() {
    const std::string column = scope_column(finding_, classes_.schema, log_);
    const bool inserts = finding_.kind == ScopeKind::kInserts;
    const std::string rows = rows_text();
    const std::string read = finding_.kind == ScopeKind::kCounts
                                 ? fmt::format("counts or adds up what {} is to say", column)
                             : !inserts            ? fmt::format("reads {}", column)
                             : finding_.aggregates ? fmt::format("counts or adds up rows of {}", table_name())
                                                   : fmt::format("looks for rows of {}", table_name());
    const std::string act = inserts                             ? fmt::format("inserts a row of {}", table_name())
                            : finding_.kind == ScopeKind::kActs ? fmt::format("changes {}", column)
                                                                : fmt::format("overwrites {}", column);
    run(0, finding_.read_in, finding_.read_at, read);
    run(1, finding_.read_in, finding_.read_at, "reads the same");
    run(1, finding_.write_in, finding_.write_at, act);
    run(0, finding_.write_in, finding_.write_at, act + (inserts ? ", too, not knowing of R2's" : after_other()));
    finding_.words = words(column, rows);
  }

 private:
  [[nodiscard]] std::string after_other() const {
    if (finding_.kind == ScopeKind::kCounts) return ": without what R2 has added";
    return finding_.kind == ScopeKind::kActs ? ", on the strength of what was there before R2"
                                             : ": what R2 wrote is lost";
  }

  // "rows of oc_voucher_history with voucher_id = 15"
  [[nodiscard]] std::string rows_text() const {
    std::string text = fmt::format("rows of {}", table_name());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (i == kMostKeys) return text + " …";
      text += fmt::format("{}{} = {}", i == 0 ? " with " : " and ", classes_.schema.column(keys_[i].column).name,
                          words::shortened(std::string(log_.shapes.literal(keys_[i].value)), kLongestValue));
    }
    return text;
  }
  [[nodiscard]] const std::string& table_name() const {
    return classes_.schema.table(classes_.schema.column(finding_.column).table).name;
  }

  [[nodiscard]] std::string words(const std::string& column, const std::string& rows) const {
    std::string text;
    switch (finding_.kind) {
      case ScopeKind::kOverwrites:
        text = fmt::format(
            "A request reads {0} in one transaction and sets it in a later one. If two do so at the same time, both "
            "start from the same value, and what the first has written is lost.",
            column);
        break;
      case ScopeKind::kActs:
        text = finding_.earlier_request
                   ? fmt::format(
                         "A request reads {0}, and a later request of the same user takes from it without "
                         "looking again. If two users do so at the same time, both decide by the same value, "
                         "and both changes are made: the limit that was checked may be broken. Let the UPDATE "
                         "ask whether enough is left.",
                         column)
                   : fmt::format(
                         "A request reads {0} in one transaction and changes it in a later one. If two do so at the "
                         "same time, both decide by the same value, and both changes are made: a limit that was "
                         "checked may be broken. (If the value decides nothing, nothing is wrong.)",
                         column);
        break;
      case ScopeKind::kCounts:
        text = fmt::format(
            "A request changes rows, counts or adds them up in one transaction, and sets {0} to the result in a later "
            "one. If two do so at the same time, the one that counted first may write last: {0} then misses what the "
            "other has added.",
            column);
        break;
      case ScopeKind::kInserts:
        text = fmt::format(
            "A request {1} {0} in one transaction and inserts one in a later one. If two do so at the same time, "
            "neither sees the other's, and both insert: what was checked does not hold afterwards.",
            rows, finding_.aggregates ? "counts or adds up" : "looks for");
        break;
    }
    if (finding_.same_user) text += " It takes two requests of the same user or session at the same time.";
    if (finding_.locked_by != kNone32)
      text += fmt::format(" Both statements are under the lock that line {} takes, but it is not about these rows.",
                          log_.statements[finding_.locked_by].line);
    if (finding_.unchanged) text += " In this trace the column is always written back as it was.";
    return text;
  }

  // The statement with BEGIN and COMMIT where its transaction has them.
  void run(std::uint32_t member, std::uint32_t transaction, std::uint32_t statement, std::string remark) {
    const bool alone = log_.transactions[transaction].autocommit;
    const auto add = [&](Event::Kind kind, std::string sql, std::string note) {
      finding_.steps.push_back({member, kind, 0, std::move(sql), std::move(note)});
    };
    if (!alone) add(Event::Kind::kStart, "BEGIN", "");
    add(Event::Kind::kStatement, member == 0 ? text(statement) : text_of_other(statement), std::move(remark));
    if (!alone) add(Event::Kind::kCommit, "COMMIT", "");
  }
  [[nodiscard]] std::string text(std::uint32_t statement) const { return log_.text_of(log_.statements[statement]); }

  // The same with other ids, where rows of the request have their own.
  [[nodiscard]] std::string text_of_other(std::uint32_t at) {
    const TraceStatement& statement = log_.statements[at];
    const Statement& meaning = classes_.statements[raw(statement.shape)];
    if (meaning.kind != StatementKind::kInsert) return text(at);
    const auto original = log_.literals_of(statement);
    std::vector<LiteralId> literals(original.begin(), original.end());
    const ColumnDomains domains(classes_.schema);
    for (const RowSet& rows : meaning.row_sets) {
      for (const RowKey& key : rows.keys) {
        const LiteralId value = literals[key.literal];
        const bool shared = std::ranges::any_of(keys_, [&](const KeyValue& one) { return one.value == value; });
        if (!shared && domains.names_rows(key.column)) literals[key.literal] = next_number(value);
      }
    }
    return log_.shapes.text(statement.shape, literals.data());
  }
  [[nodiscard]] LiteralId next_number(LiteralId id) {
    const std::string text(log_.shapes.literal(id));
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 2) return id;
    return log_.shapes.intern_literal(std::to_string(number + 1));
  }

  TraceLog& log_;
  const Classes& classes_;
  ScopeFinding& finding_;
  std::span<const KeyValue> keys_;
};

}  // namespace

void tell_scope_story(TraceLog& log, const Classes& classes, ScopeFinding& finding, std::span<const KeyValue> keys) {
  ScopeTeller(log, classes, finding, keys).tell();
}

}  // namespace isolde::audit
