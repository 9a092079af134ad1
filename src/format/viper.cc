#include "format/viper.h"

#include <fmt/format.h>

#include <unordered_set>

#include "format/json_document.h"
#include "format/numbered_files.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

namespace od = simdjson::ondemand;
using Fault = std::optional<JsonFault>;

constexpr const char* kViperOperationForm =
    R"(expected an operation: ["r",key,value,dead], ["w",key,value,succ], ["i",…], ["d",…] or ["range",…])";

class ViperReader {
 public:
  ViperReader(const Source& source, const ReadOptions& options) : source_(source), options_(options) {
    builder_.set_default_initial(zero_);
    dead_name_ = builder_.values().string("dead");
  }

  Result<ReadResult> run() {
    const auto logs = numbered_logs(source_, 'J');
    if (logs.empty()) return Error{"expected files J<number>.log", source_.path};
    for (const NumberedFile& log : logs) {
      session_ = log.number;
      TextLines lines(*log.file);
      JsonDocument json(log.file->name, 1);
      json_ = &json;
      while (lines.next()) {
        if (auto error = line(lines)) {
          builder_.abandon_txn();
          if (!options_.lenient || !lines.may_be_cut()) return *std::move(error);
          notes_.push_back(fmt::format("{}: {}", log.file->name, dropped_line_note(lines)));
        }
      }
    }
    for (const Item& item : initial_) builder_.set_initial(item.key, item.value);
    if (!has_initial_state_ && !options_.initial) assume_load_phase();
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    if (failed_ > 0) notes_.push_back(fmt::format("left out {} operations without success", failed_));
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  std::optional<Error> line(TextLines& lines) {
    line_initial_.clear();
    if (auto error = json_->start(lines.line(), lines.number())) return error;
    bool is_initial = false;
    if (auto error = initial_flag(is_initial)) return error;
    // The session is named when the line is whole, so that a cut one leaves no session behind.
    if (!is_initial) builder_.begin_txn(SessionId{0});
    is_initial_ = is_initial;
    if (auto fault = transaction()) return json_->error(*fault);
    if (auto error = json_->expect_end()) return error;
    if (is_initial) {
      has_initial_state_ = true;
      initial_.insert(initial_.end(), line_initial_.begin(), line_initial_.end());
    } else {
      builder_.set_session(builder_.session(session_));
      builder_.end_txn();
    }
    return std::nullopt;
  }

  // "isInitial" may stand after the operations, whose meaning it changes, so it is looked for first.
  std::optional<Error> initial_flag(bool& out) {
    od::object object;
    if (const auto code = json_->doc().get_object().get(object)) {
      return json_->error(json_->root_fault(code, R"(expected a transaction: {"value":[…]})"));
    }
    od::value flag;
    const auto code = object.find_field_unordered("isInitial").get(flag);
    if (code == simdjson::NO_SUCH_FIELD) {
      json_->doc().rewind();
      return std::nullopt;
    }
    if (code) return json_->error(json_->fault(code));
    const auto wrong = fault_at("expected true or false", flag);
    if (flag.get_bool().get(out)) return json_->error(wrong);
    json_->doc().rewind();
    return std::nullopt;
  }

  Fault transaction() {
    od::object object;
    if (const auto code = json_->doc().get_object().get(object)) return json_->fault(code);
    bool has_value = false;
    for (auto field : object) {
      std::string_view name;
      od::value inner;
      if (const auto code = field.unescaped_key().get(name)) return json_->fault(code);
      const bool is_value = name == "value";
      if (const auto code = field.value().get(inner)) return json_->fault(code);
      if (!is_value) continue;
      if (has_value) return fault_at("expected the field \"value\" once", inner);
      has_value = true;
      const auto wrong = fault_at("expected an array of operations", inner);
      od::array array;
      if (inner.get_array().get(array)) return wrong;
      for (auto element : array) {
        od::value op;
        if (const auto code = element.get(op)) return json_->fault(code);
        if (auto fault = operation(op)) return fault;
      }
    }
    if (!has_value) return JsonFault{"expected the field \"value\", an array of operations", json_->at_offset(0)};
    return std::nullopt;
  }

  // The elements of one operation, as far as its kind has them.
  struct Operation {
    char kind = ' ';
    std::optional<ValueId> key, value, read;
    bool dead = false;
    bool success = true;
    std::optional<ValueId> low, high;
    std::vector<Item> live, dead_items;
    bool has_dead_items = false;
  };

  Fault operation(od::value value) {
    const auto wrong = fault_at(kViperOperationForm, value);
    od::array array;
    if (value.get_array().get(array)) return wrong;
    Operation op;
    int place = 0;
    for (auto element : array) {
      od::value inner;
      if (const auto code = element.get(inner)) return json_->fault(code);
      if (auto fault = argument(inner, place++, op, wrong)) return fault;
    }
    return add(op, wrong);
  }

  Fault argument(od::value value, int place, Operation& op, const JsonFault& wrong) {
    if (place == 0) {
      std::string_view kind;
      if (value.get_string().get(kind)) return wrong;
      if (kind != "r" && kind != "w" && kind != "i" && kind != "d" && kind != "range") return wrong;
      op.kind = kind == "range" ? 's' : kind[0];
      return std::nullopt;
    }
    if (op.kind == 's') {
      if (place == 1) return bound(value, op.low);
      if (place == 2) return bound(value, op.high);
      if (place == 3) return items(value, false, op.live);
      op.has_dead_items = op.has_dead_items || place == 4;
      return place == 4 ? items(value, true, op.dead_items) : Fault{};
    }
    if (place == 1) return plain(value, "the key", op.key);
    if (place == 2) return plain(value, "the value", op.value);
    const bool is_change = op.kind == 'i' || op.kind == 'd';
    if (place == 3 && op.kind == 'r') return boolean(value, op.dead);
    if (place == 3 && op.kind == 'w') return boolean(value, op.success);
    if (place == 3 && is_change) return plain(value, "the value read", op.read);
    if (place == 4 && is_change) return boolean(value, op.dead);
    if (place == 5 && is_change) return boolean(value, op.success);
    return std::nullopt;
  }

  Fault plain(od::value value, const char* what, std::optional<ValueId>& out) {
    ValueId id{};
    if (auto fault = json_integer_or_text(value, what, builder_.values(), id)) return fault;
    out = id;
    return std::nullopt;
  }

  static Fault boolean(od::value value, bool& out) {
    const auto wrong = fault_at("expected true or false", value);
    if (value.get_bool().get(out)) return wrong;
    return std::nullopt;
  }

  [[nodiscard]] bool is_nil(ValueId v) {
    const ValueTable table = builder_.values().table();
    return table.type(v) == ValueType::kString && table.string(v) == "nil";
  }

  Fault bound(od::value value, std::optional<ValueId>& out) {
    if (auto fault = plain(value, "a bound", out)) return fault;
    if (is_nil(*out)) out.reset();
    return std::nullopt;
  }

  Fault items(od::value value, bool dead, std::vector<Item>& out) {
    const auto wrong = fault_at(R"(expected an array of {"id":key,"val":value})", value);
    od::array array;
    if (value.get_array().get(array)) return wrong;
    for (auto element : array) {
      od::value inner;
      if (const auto code = element.get(inner)) return json_->fault(code);
      const auto no_item = fault_at(R"(expected {"id":key,"val":value})", inner);
      od::object object;
      if (inner.get_object().get(object)) return no_item;
      std::optional<ValueId> key;
      std::optional<ValueId> version_value;
      for (auto field : object) {
        std::string_view name;
        od::value part;
        if (const auto code = field.unescaped_key().get(name)) return json_->fault(code);
        const bool is_id = name == "id";
        const bool is_val = name == "val";
        if (const auto code = field.value().get(part)) return json_->fault(code);
        if (is_id || is_val) {
          if (auto fault = plain(part, is_id ? "the key" : "the value", is_id ? key : version_value)) return fault;
        }
      }
      if (!key || !version_value) return no_item;
      out.push_back({builder_.key(*key), version(*version_value, dead)});
    }
    return std::nullopt;
  }

  ValueId version(ValueId v, bool dead) {
    if (v == zero_ || is_nil(v)) return zero_;
    if (!dead) return v;
    const RowField field{dead_name_, v};
    return builder_.values().row({&field, 1});
  }

  Fault add(const Operation& op, const JsonFault& wrong) {
    if (op.kind == 's') return add_range(op);
    if (!op.key || !op.value || ((op.kind == 'i' || op.kind == 'd') && !op.read)) return wrong;
    if (!op.success) {
      ++failed_;
      return std::nullopt;
    }
    const KeyId key = builder_.key(*op.key);
    if (is_initial_) {
      if (op.kind == 'r') return JsonFault{"expected writes or a range in an initial state", wrong.at};
      line_initial_.push_back({key, version(*op.value, op.kind == 'd')});
      return std::nullopt;
    }
    if (op.kind == 'r') {
      builder_.read(key, version(*op.value, op.dead));
      return std::nullopt;
    }
    if (op.kind != 'w') builder_.read(key, version(*op.read, op.dead));
    builder_.write(key, version(*op.value, op.kind == 'd'));
    return std::nullopt;
  }

  Fault add_range(const Operation& op) {
    std::vector<Item> all = op.live;
    all.insert(all.end(), op.dead_items.begin(), op.dead_items.end());
    if (is_initial_) {
      line_initial_.insert(line_initial_.end(), all.begin(), all.end());
      return std::nullopt;
    }
    std::string where;
    if (op.low && op.high) {
      where = fmt::format("key BETWEEN {} AND {} AND ", sql(*op.low), sql(*op.high));
    } else if (op.low || op.high) {
      where = fmt::format("key {} {} AND ", op.low ? ">=" : "<=", sql(op.low ? *op.low : *op.high));
    }
    where += "dead IS NULL";
    builder_.scan(where, op.live);
    if (op.has_dead_items) builder_.vset(all);
    return std::nullopt;
  }

  // What was found of each key and nobody wrote is what the load phase left there.
  void assume_load_phase() {
    const OwnedColumns& c = builder_.columns();
    const auto version = [](KeyId key, ValueId value) { return std::uint64_t{raw(key)} << 32 | raw(value); };
    std::unordered_set<std::uint64_t> written;
    for (std::size_t i = 0; i < c.op.size(); ++i) {
      if (c.op[i].kind() == OpKind::kWrite) written.insert(version(c.op[i].key(), c.op_value[i]));
    }
    constexpr ValueId kNothing{kNone32};
    std::vector<ValueId> first(c.key_name.size(), kNothing);
    std::vector<bool> was_zero(c.key_name.size(), false);
    const auto found = [&](KeyId key, ValueId value) {
      if (value == zero_) was_zero[raw(key)] = true;
      if (value != zero_ && first[raw(key)] == kNothing && !written.contains(version(key, value))) {
        first[raw(key)] = value;
      }
    };
    for (std::size_t i = 0; i < c.op.size(); ++i) {
      if (c.op[i].kind() == OpKind::kRead) found(c.op[i].key(), c.op_value[i]);
    }
    for (const Item& item : c.items) found(item.key, item.value);
    std::uint64_t count = 0;
    for (std::uint32_t k = 0; k < first.size(); ++k) {
      if (first[k] == kNothing || was_zero[k]) continue;
      builder_.set_initial(KeyId{k}, first[k]);
      ++count;
    }
    if (count == 0) return;
    notes_.push_back(
        fmt::format("the load phase is not logged: for {} keys, a value that was read but never written is taken as "
                    "the initial value (--initial 0 turns this off)",
                    count));
  }

  std::string sql(ValueId v) {
    const ValueTable table = builder_.values().table();
    if (table.type(v) != ValueType::kString) return table.json(v);
    std::string text = "'";
    for (const char c : table.string(v)) {
      text += c;
      if (c == '\'') text += c;
    }
    return text + "'";
  }

  const Source& source_;
  const ReadOptions& options_;
  JsonDocument* json_ = nullptr;
  HistoryBuilder builder_;
  const ValueId zero_{0};
  ValueId dead_name_{};
  std::int64_t session_ = 0;
  bool is_initial_ = false, has_initial_state_ = false;
  std::vector<Item> initial_, line_initial_;
  std::vector<std::string> notes_;
  std::uint64_t failed_ = 0;
};

Result<ReadResult> read_viper(const Source& source, const ReadOptions& options) {
  return ViperReader(source, options).run();
}

bool recognise_viper(const Source& source) {
  const auto logs = numbered_logs(source, 'J');
  for (const NumberedFile& log : logs) {
    const std::string_view line = first_line_of(log.file->bytes.substr(0, 4096));
    if (!line.empty())
      return line.starts_with('{') && log.file->bytes.substr(0, 4096).find("\"value\"") != std::string_view::npos;
  }
  return !logs.empty();
}

}  // namespace

constinit const FormatInfo kViperFormat{.name = "viper",
                                        .summary = "Viper's folder of J<client>.log files, with ranges and deletes",
                                        .extension = "",
                                        .is_folder = true,
                                        .recognise = recognise_viper,
                                        .read = read_viper,
                                        .write = nullptr};

}  // namespace isolde
