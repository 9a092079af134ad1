#include "audit/trace/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "audit/trace/recording_tables.h"

namespace isolde::audit {
namespace {

// What happens to a transaction at one time: it begins (step 0), its operations (1 …), it ends (the last step).
struct RecordedStep {
  std::int64_t time;
  std::uint32_t txn;
  std::uint32_t step;
};

std::vector<RecordedStep> steps_in_time(const History& history) {
  std::vector<RecordedStep> steps;
  steps.reserve(history.op_count() + 2 * std::size_t{history.txn_count()});
  std::vector<std::int64_t> session_time(history.session_count(), kNoTime);
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn{t};
    // A session's steps stay in its order, whatever the clocks say.
    std::int64_t& now = session_time[raw(history.session(txn))];
    now = std::max({now, history.begin(txn), history.start_ts(txn)});
    std::uint32_t step = 0;
    steps.push_back({now, t, step++});
    for (std::uint32_t op = history.first_op(txn); op < history.end_op(txn); ++op) {
      now = std::max(now, history.at(txn, OpId{op}).before);
      steps.push_back({now, t, step++});
    }
    now = std::max({now, history.end(txn), history.commit_ts(txn)});
    steps.push_back({now, t, step});
  }
  std::ranges::sort(steps, {}, [](const RecordedStep& s) { return std::tuple(s.time, s.txn, s.step); });
  return steps;
}

class Statements {
 public:
  Statements(const History& history, TraceSink& sink)
      : history_(history),
        values_(history.values()),
        tables_(history),
        sink_(sink),
        last_(history.key_count()),
        number_of_(history.session_count(), kNone32) {
    for (std::uint32_t k = 0; k < history.key_count(); ++k) last_[k] = history.initial(KeyId{k});
  }

  void tell() {
    if (!tables_.tables().empty()) {
      const std::uint32_t maker = next_number_++;
      for (const RecordedTable& table : tables_.tables())
        sink_.statement({maker, kNoTime, 1, tables_.create_text(table)});
      sink_.end_of_session(maker);
    }
    for (const RecordedStep& step : steps_in_time(history_)) tell(step);
  }

 private:
  void tell(const RecordedStep& step) {
    const TxnId txn{step.txn};
    txn_ = txn;
    const std::uint32_t ops = history_.end_op(txn) - history_.first_op(txn);
    if (step.step == 0) {
      say("BEGIN");
    } else if (step.step > ops) {
      say(history_.status(txn) == Status::kAborted ? "ROLLBACK" : "COMMIT");
    } else {
      operation(history_.first_op(txn) + step.step - 1);
    }
  }

  void say(std::string_view sql) {
    std::uint32_t& number = number_of_[raw(history_.session(txn_))];
    if (number == kNone32) number = next_number_++;
    sink_.statement({number, kNoTime, std::uint64_t{raw(txn_)} + 1, sql});
  }

  void operation(std::uint32_t op) {
    const OpHead head = history_.op(op);
    const ValueId value = history_.op_value(op);
    switch (head.kind()) {
      case OpKind::kRead:
        return read(head, value);
      case OpKind::kWrite:
        return write(head.key(), value);
      case OpKind::kAppend:
        return append(head.key(), value);
      case OpKind::kIncrement:
        return say(fmt::format("UPDATE {} SET value = value + {} WHERE {}", table(head.key()).name, literal(value),
                               tables_.where(head.key())));
      case OpKind::kScan:
      case OpKind::kAggregate:
      case OpKind::kUpdate:
        return predicate(head);
    }
  }

  void read(OpHead head, ValueId value) {
    const RecordedTable& from = table(head.key());
    saw(head.key(), value);
    say(fmt::format("SELECT {} FROM {} WHERE {}{}", columns(from, value), from.name, tables_.where(head.key()),
                    lock_words(head)));
  }

  void write(KeyId key, ValueId value) {
    const RecordedTable& to = table(key);
    const bool exists = last_[raw(key)] != kNullValue;
    wrote(key, value);
    if (value == kNullValue) return say(fmt::format("DELETE FROM {} WHERE {}", to.name, tables_.where(key)));
    if (exists) return say(fmt::format("UPDATE {} SET {} WHERE {}", to.name, assignments(value), tables_.where(key)));
    std::string names, literals;
    const std::vector<std::string> parts = tables_.key_literals(key);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      names += fmt::format("{}{}", i == 0 ? "" : ", ", to.keys[i].name);
      literals += fmt::format("{}{}", i == 0 ? "" : ", ", parts[i]);
    }
    if (values_.type(value) != ValueType::kRow) {
      names += ", value";
      literals += ", " + literal(value);
    } else {
      for (const RowField& field : values_.row(value)) {
        names += ", " + sql_name(values_.string(field.name));
        literals += ", " + literal(field.value);
      }
    }
    say(fmt::format("INSERT INTO {} ({}) VALUES ({})", to.name, names, literals));
  }

  void append(KeyId key, ValueId element) {
    const RecordedTable& to = table(key);
    const std::string item = fmt::format("',{}'", values_.json(element));
    if (last_[raw(key)] == kNullValue && to.keys.size() == 1) {
      say(fmt::format(
          "INSERT INTO {0} ({1}, value) VALUES ({2}, {3}) ON CONFLICT ({1}) DO UPDATE SET value = {0}.value || {3}",
          to.name, to.keys[0].name, tables_.key_literals(key)[0], item));
    } else {
      say(fmt::format("UPDATE {} SET value = value || {} WHERE {}", to.name, item, tables_.where(key)));
    }
    wrote(key, element);
  }

  void predicate(OpHead head) {
    const Predicate& p = history_.predicate(head.predicate());
    const std::uint32_t at = tables_.table_of(p);
    const std::string_view where = values_.string(p.where);
    if (at == kNone32) {
      sink_.not_read(std::uint64_t{raw(txn_)} + 1, where, "nothing says which table this condition is about");
      return;
    }
    const RecordedTable& from = tables_.tables()[at];
    if (head.kind() == OpKind::kAggregate)
      return say(
          fmt::format("SELECT {} FROM {} WHERE {}{}", values_.string(p.aggregate), from.name, where, lock_words(head)));
    const auto items = history_.items(p);
    const bool deletes =
        !items.empty() && std::ranges::all_of(items, [](const Item& i) { return i.value == kNullValue; });
    if (head.kind() == OpKind::kScan || items.empty()) {
      std::string names;
      for (const auto& key : from.keys) names += key.name + ", ";
      say(fmt::format("SELECT {}{} FROM {} WHERE {}{}", names, columns(from, kNullValue), from.name, where,
                      lock_words(head)));
    } else if (deletes) {
      say(fmt::format("DELETE FROM {} WHERE {}", from.name, where));
    } else {
      say(fmt::format("UPDATE {} SET {} WHERE {}", from.name, changes(items), where));
    }
    for (const Item& item : items) {
      if (head.kind() == OpKind::kScan) {
        saw(item.key, item.value);
      } else {
        wrote(item.key, item.value);
      }
    }
  }

  // The columns that an update changed, each with its value in the first row: the history does not tell the expression.
  std::string changes(std::span<const Item> items) const {
    const auto first = std::ranges::find_if(items, [](const Item& i) { return i.value != kNullValue; });
    if (values_.type(first->value) != ValueType::kRow) return assignments(first->value);
    std::string out;
    for (const RowField& field : values_.row(first->value)) {
      const bool changed = std::ranges::any_of(items, [&](const Item& item) {
        return field_of(last_[raw(item.key)], field.name) != field_of(item.value, field.name);
      });
      if (!changed) continue;
      out +=
          fmt::format("{}{} = {}", out.empty() ? "" : ", ", sql_name(values_.string(field.name)), literal(field.value));
    }
    return out.empty() ? assignments(first->value) : out;
  }
  ValueId field_of(ValueId row, ValueId name) const {
    if (values_.type(row) != ValueType::kRow) return kNullValue;
    for (const RowField& field : values_.row(row)) {
      if (field.name == name) return field.value;
    }
    return kNullValue;
  }

  std::string assignments(ValueId value) const {
    if (values_.type(value) != ValueType::kRow || values_.row(value).empty()) return "value = " + literal(value);
    std::string out;
    for (const RowField& field : values_.row(value))
      out +=
          fmt::format("{}{} = {}", out.empty() ? "" : ", ", sql_name(values_.string(field.name)), literal(field.value));
    return out;
  }

  // Those of the value that was read; of an absent row all that the table has.
  std::string columns(const RecordedTable& from, ValueId value) const {
    std::string out;
    if (values_.type(value) == ValueType::kRow) {
      for (const RowField& field : values_.row(value))
        out += fmt::format("{}{}", out.empty() ? "" : ", ", sql_name(values_.string(field.name)));
    } else if (value != kNullValue) {
      out = "value";
    }
    if (!out.empty()) return out;
    for (const auto& column : from.columns) out += fmt::format("{}{}", out.empty() ? "" : ", ", column.name);
    return out;
  }

  static std::string_view lock_words(OpHead head) {
    if (head.lock() == isolde::Lock::kNone) return "";
    return head.lock() == isolde::Lock::kUpdate ? " FOR UPDATE" : " FOR SHARE";
  }
  std::string literal(ValueId value) const { return sql_literal(values_, value); }
  const RecordedTable& table(KeyId key) const { return tables_.tables()[tables_.table_of(key)]; }

  void saw(KeyId key, ValueId value) {
    if (value != kNullValue) last_[raw(key)] = value;
  }
  void wrote(KeyId key, ValueId value) {
    if (history_.status(txn_) != Status::kAborted) last_[raw(key)] = value;
  }

  const History& history_;
  const ValueTable& values_;
  RecordedTables tables_;
  TraceSink& sink_;
  std::vector<ValueId> last_;             // by key: what was last seen of it
  std::vector<std::uint32_t> number_of_;  // by session; kNone32: it has not said anything yet
  std::uint32_t next_number_ = 0;
  TxnId txn_{0};
};

}  // namespace

const FormatInfo* recognised_recording(const Source& source) {
  for (const std::string_view name : {"isl", "native", "recording"}) {
    const FormatInfo* format = format_named(name);
    if (format != nullptr && format->is_folder == source.is_folder && format->recognise(source)) return format;
  }
  return nullptr;
}

Result<void> read_recording(const Source& source, const FormatInfo& format, Progress* progress, TraceSink& sink) {
  ReadOptions options;
  options.lenient = true;
  options.progress = progress;
  const auto loaded = format.read(source, options);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) sink.not_read(0, note, "a note of the recording's reader");
  Statements(loaded->history, sink).tell();
  return {};
}

}  // namespace isolde::audit
