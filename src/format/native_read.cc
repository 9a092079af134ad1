#include "format/native_read.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "format/json_value.h"
#include "format/native_fast.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kForgetEvery = std::size_t{16} << 20;
constexpr std::string_view kOperationForm =
    "expected an operation: [\"r\",key,value], [\"w\",key,value], [\"append\",key,element], [\"inc\",key,number], "
    "[\"scan\",where,rows], [\"agg\",expression,where,value] or [\"update\",where,rows]";

// One line that did not take the quick way: any line of CONTRACT section 3, or what is wrong with it.
class GeneralLine {
 public:
  explicit GeneralLine(HistoryBuilder& builder) : builder_(builder) {}

  // Ensures: the line is in the builder, or nothing of it is and the fault says why; its column counts from 1.
  std::optional<Error> add(std::string_view line, bool may_be_header) {
    padded_.assign(line);
    padded_.append(simdjson::SIMDJSON_PADDING, ' ');
    od::document doc;
    const auto parse = [&] { return parser_.iterate(padded_.data(), line.size(), padded_.size()).get(doc); };
    // Whether it is the header decides what its other fields mean, and "isolde" need not stand first.
    is_header_ = may_be_header && !parse() && !doc.find_field_unordered("isolde").error();
    if (const auto code = parse()) {
      // Structural faults (an open string, bad UTF-8) have no place of their own; they concern the line as a whole.
      return Error{fmt::format("expected a JSON object: {}", simdjson::error_message(code)), {}, 0, 1};
    }
    doc_ = &doc;
    may_be_header_ = may_be_header;
    if (auto wrong = object()) {
      builder_.abandon_txn();
      return place(*wrong, line);
    }
    const char* rest = nullptr;
    if (!doc.current_location().get(rest) && rest < padded_.data() + line.size()) {
      builder_.abandon_txn();
      return Error{"expected the end of the line after the JSON object",
                   {},
                   0,
                   static_cast<std::uint64_t>(rest - padded_.data()) + 1};
    }
    if (is_txn_) builder_.end_txn();
    return std::nullopt;
  }

 private:
  using Fault = std::optional<JsonFault>;

  Error place(const JsonFault& fault, std::string_view line) {
    const char* at = fault.at;
    if (at == nullptr && doc_->current_location().get(at)) at = padded_.data() + line.size();
    const auto column = static_cast<std::uint64_t>(
        std::clamp<std::ptrdiff_t>(at - padded_.data(), 0, static_cast<std::ptrdiff_t>(line.size())));
    return Error{fault.text, {}, 0, column + 1};
  }

  [[nodiscard]] Fault fault(std::string_view text) {
    const char* at = nullptr;
    if (doc_->current_location().get(at)) at = nullptr;
    return JsonFault{std::string(text), at};
  }
  [[nodiscard]] static Fault fault_at(std::string_view text, od::value value) {
    return JsonFault{std::string(text), value.raw_json_token().data()};
  }

  Fault object() {
    is_txn_ = false;
    bool is_order = false;
    Fault not_complete;
    bool has_session = false;
    bool has_ops = false;
    complete_ = true;
    pending_orders_.clear();
    od::object object;
    if (doc_->get_object().get(object)) return fault("expected a JSON object, one transaction a line");
    for (auto field : object) {
      std::string_view name;
      od::value value;
      if (field.unescaped_key().get(name) || field.value().get(value)) return fault("expected \"field\": value");
      field_.assign(name);
      Fault wrong;
      if (field_ == "isolde" || field_ == "about" || field_ == "initial" || field_ == "initial_of" ||
          field_ == "serial_by") {
        if (field_ == "isolde") {
          if (!may_be_header_) return fault_at("the header may only be the first line", value);
        }
        wrong = header_field(value);
      } else if (field_ == "version_order" || field_ == "version_order_by_txn") {
        is_order = true;
        wrong = version_order(value, field_ == "version_order_by_txn");
      } else if (field_ == "complete") {
        if (value.get_bool().get(complete_)) not_complete = fault_at("expected \"complete\": true or false", value);
      } else {
        wrong = txn_field(value, has_session, has_ops);
      }
      if (wrong) return wrong;
    }
    if (is_order && not_complete) return not_complete;
    for (const PendingOrder& order : pending_orders_) {
      const std::span<const ValueId> entries(order_entries_.data() + order.first, order.count);
      if (!order.key) {
        builder_.version_order_by_name(order.name, entries, complete_, order.by_txn);
      } else if (order.by_txn) {
        builder_.version_order_by_txn(*order.key, entries, complete_);
      } else {
        builder_.version_order(*order.key, entries, complete_);
      }
    }
    order_entries_.clear();
    if (is_header_ || is_order) {
      if (is_txn_) return fault("expected a transaction, a header or a version order on one line, not two of them");
      return std::nullopt;
    }
    if (!has_session) return fault("expected a transaction with \"session\"");
    if (!has_ops) return fault("expected a transaction with \"ops\"");
    return std::nullopt;
  }

  Fault header_field(od::value value) {
    if (field_ == "isolde") {
      std::int64_t version = 0;
      if (value.get_int64().get(version) || version != 1)
        return fault_at("expected \"isolde\": 1, the version of this format", value);
      return std::nullopt;
    }
    if (!is_header_) return std::nullopt;  // an unknown field of a transaction
    if (field_ == "about") {
      std::string_view text;
      if (value.get_string().get(text)) return fault_at("expected \"about\" to be text", value);
      builder_.set_about(text);
      return std::nullopt;
    }
    if (field_ == "serial_by") {
      std::string_view text;
      if (value.get_string().get(text) || text != "commit_ts")
        return fault_at("expected \"serial_by\": \"commit_ts\"", value);
      builder_.set_serial_by_commit_ts();
      return std::nullopt;
    }
    od::json_type type{};
    if (value.type().get(type)) return fault("expected a value");
    const bool by_key = field_ == "initial_of" || type == od::json_type::object;
    if (!by_key) {
      ValueId id{};
      if (auto wrong = any(value, id)) return wrong;
      builder_.set_default_initial(id);
      return std::nullopt;
    }
    return each_by_key(value, [this](std::optional<KeyId> key, std::string_view name, od::value inner) -> Fault {
      const std::string kept(name);
      ValueId id{};
      if (auto wrong = any(inner, id)) return wrong;
      if (key) {
        builder_.set_initial(*key, id);
      } else {
        builder_.set_initial_by_name(kept, id);
      }
      return std::nullopt;
    });
  }

  // Calls `f(key or nothing, name, value)` for `{"x":…}` and for `[["x",…],[7,…]]`.
  template <typename F>
  Fault each_by_key(od::value value, F&& f) {
    od::json_type type{};
    if (value.type().get(type)) return fault("expected a value");
    if (type == od::json_type::object) {
      od::object object;
      if (value.get_object().get(object)) return fault("expected an object by key");
      for (auto field : object) {
        std::string_view name;
        od::value inner;
        if (field.unescaped_key().get(name) || field.value().get(inner)) return fault("expected \"key\": value");
        if (auto wrong = f(std::optional<KeyId>{}, name, inner)) return wrong;
      }
      return std::nullopt;
    }
    od::array array;
    if (value.get_array().get(array)) return fault("expected an object by key");
    for (auto element : array) {
      od::array pair;
      if (element.get_array().get(pair)) return fault("expected a pair [key, value]");
      std::optional<KeyId> id;
      int place = 0;
      for (auto part : pair) {
        od::value inner;
        if (part.get(inner)) return fault("expected a pair [key, value]");
        if (place == 0) {
          KeyId found{};
          if (auto wrong = key(inner, found)) return wrong;
          id = found;
        } else if (place == 1) {
          if (auto wrong = f(id, std::string_view{}, inner)) return wrong;
        }
        ++place;
      }
      if (place != 2) return fault("expected a pair [key, value]");
    }
    return std::nullopt;
  }

  Fault version_order(od::value value, bool by_txn) {
    return each_by_key(value,
                       [this, by_txn](std::optional<KeyId> key, std::string_view name, od::value inner) -> Fault {
                         PendingOrder order{key, std::string(name), by_txn, order_entries_.size(), 0};
                         od::array array;
                         if (inner.get_array().get(array))
                           return fault_at("expected the versions of a key as a list", inner);
                         for (auto element : array) {
                           od::value entry;
                           if (element.get(entry)) return fault("expected a version");
                           ValueId id{};
                           if (auto wrong = any(entry, id)) return wrong;
                           order_entries_.push_back(id);
                         }
                         order.count = order_entries_.size() - order.first;
                         pending_orders_.push_back(std::move(order));
                         return std::nullopt;
                       });
  }

  void open_txn() {
    if (is_txn_) return;
    builder_.begin_txn(SessionId{0});
    is_txn_ = true;
  }

  Fault txn_field(od::value value, bool& has_session, bool& has_ops) {
    if (field_ == "ops") {
      if (has_ops) return fault_at("\"ops\" stands twice", value);
      has_ops = true;
      open_txn();
      return operations(value);
    }
    if (field_ == "id" || field_ == "session") {
      open_txn();
      ValueId id{};
      if (auto wrong = name_value(value, id,
                                  field_ == "id" ? "expected \"id\" to be an integer or a string"
                                                 : "expected \"session\" to be an integer or a string")) {
        return wrong;
      }
      if (field_ == "id") {
        builder_.set_id(id);
      } else {
        has_session = true;
        builder_.set_session(builder_.session(id));
      }
      return std::nullopt;
    }
    if (field_ == "status") {
      open_txn();
      std::string_view text;
      if (value.get_string().get(text) || (text != "committed" && text != "aborted" && text != "unknown")) {
        return fault_at("expected \"status\" to be \"committed\", \"aborted\" or \"unknown\"", value);
      }
      builder_.set_status(text == "committed" ? Status::kCommitted
                          : text == "aborted" ? Status::kAborted
                                              : Status::kUnknown);
      return std::nullopt;
    }
    if (field_ == "snapshot") {
      open_txn();
      return snapshot(value);
    }
    static constexpr std::pair<std::string_view, void (HistoryBuilder::*)(std::int64_t)> kTimes[] = {
        {"begin", &HistoryBuilder::set_begin},
        {"end", &HistoryBuilder::set_end},
        {"start_ts", &HistoryBuilder::set_start_ts},
        {"commit_ts", &HistoryBuilder::set_commit_ts},
        {"order", &HistoryBuilder::set_order}};
    for (const auto& [name, set] : kTimes) {
      if (field_ != name) continue;
      open_txn();
      bool null = false;
      if (!value.is_null().get(null) && null) return std::nullopt;
      std::int64_t time = 0;
      if (auto wrong = integer(value, time)) return wrong;
      (builder_.*set)(time);
      return std::nullopt;
    }
    return std::nullopt;  // unknown fields are ignored
  }

  Fault integer(od::value value, std::int64_t& out) {
    if (value.get_int64().get(out) || out == kNoTime) {
      return fault_at(fmt::format("expected \"{}\" to be a 64-bit integer", field_), value);
    }
    return std::nullopt;
  }

  Fault snapshot(od::value value) {
    od::object object;
    if (value.get_object().get(object))
      return fault_at("expected \"snapshot\": {\"xmin\":…,\"xmax\":…,\"active\":[…]}", value);
    std::optional<std::int64_t> xid;
    std::optional<std::int64_t> xmin;
    std::optional<std::int64_t> xmax;
    std::vector<std::int64_t> active;
    for (auto field : object) {
      std::string_view name;
      od::value inner;
      if (field.unescaped_key().get(name) || field.value().get(inner)) return fault("expected \"field\": value");
      field_ = "snapshot." + std::string(name);
      if (field_ == "snapshot.active") {
        od::array array;
        if (inner.get_array().get(array)) return fault_at("expected \"active\" to be a list of integers", inner);
        for (auto element : array) {
          od::value entry;
          std::int64_t number = 0;
          if (element.get(entry)) return fault("expected an integer");
          if (auto wrong = integer(entry, number)) return wrong;
          active.push_back(number);
        }
        continue;
      }
      std::optional<std::int64_t>* const slot = field_ == "snapshot.xid"    ? &xid
                                                : field_ == "snapshot.xmin" ? &xmin
                                                : field_ == "snapshot.xmax" ? &xmax
                                                                            : nullptr;
      if (slot == nullptr) continue;
      std::int64_t number = 0;
      if (auto wrong = integer(inner, number)) return wrong;
      *slot = number;
    }
    if (!xmin || !xmax) return fault("expected a snapshot with \"xmin\" and \"xmax\"");
    builder_.set_snapshot(xid, *xmin, *xmax, active);
    return std::nullopt;
  }

  Fault operations(od::value value) {
    od::array array;
    if (value.get_array().get(array)) return fault_at("expected \"ops\" to be a list of operations", value);
    for (auto element : array) {
      od::value operation_json;
      if (element.get(operation_json)) return fault(kOperationForm);
      if (auto wrong = operation(operation_json)) return wrong;
    }
    return std::nullopt;
  }

  // The parts of one operation as they come; what they mean is settled when all are there.
  struct Parts {
    std::string name;
    int count = 0;  // parts before the details
    KeyId key{};
    ValueId value = kNullValue;
    std::string where, expression;
    std::vector<Item> rows;
    Lock lock = Lock::kNone;
    std::int64_t before = kNoTime, after = kNoTime;
    std::optional<std::vector<Item>> vset;
    std::vector<std::pair<std::size_t, std::string>> vset_names;  // of the entries that are named by text alone
  };

  Fault operation(od::value value) {
    const char* const at = value.raw_json_token().data();
    od::array array;
    if (value.get_array().get(array)) return JsonFault{std::string(kOperationForm), at};
    Parts parts;
    bool has_details = false;
    for (auto element : array) {
      od::value part;
      if (element.get(part)) return fault(kOperationForm);
      if (has_details) return JsonFault{"expected nothing behind the details of an operation", at};
      if (auto wrong = operation_part(part, parts, has_details)) return wrong;
    }
    const bool is_item = parts.name == "r" || parts.name == "w" || parts.name == "append" || parts.name == "inc";
    const int wanted = parts.name == "agg" ? 4 : 3;
    if (parts.count != wanted) return JsonFault{std::string(kOperationForm), at};
    if (parts.lock != Lock::kNone && parts.name != "r" && parts.name != "scan" && parts.name != "agg") {
      return JsonFault{"expected \"lock\" only on a read", at};
    }
    if (is_item && parts.vset) return JsonFault{"expected \"vset\" only on a predicate operation", at};
    if (parts.name == "r") builder_.read(parts.key, parts.value, parts.lock);
    if (parts.name == "w") builder_.write(parts.key, parts.value);
    if (parts.name == "append") builder_.append(parts.key, parts.value);
    if (parts.name == "inc") builder_.increment(parts.key, parts.value);
    if (parts.name == "scan") builder_.scan(parts.where, parts.rows, parts.lock);
    if (parts.name == "agg") builder_.aggregate(parts.expression, parts.where, parts.value, parts.lock);
    if (parts.name == "update") builder_.update(parts.where, parts.rows);
    if (parts.vset) builder_.vset(*parts.vset);
    for (const auto& [entry, name] : parts.vset_names) builder_.name_vset_key(entry, name);
    if (parts.before != kNoTime) builder_.at(parts.before, parts.after);
    return std::nullopt;
  }

  Fault operation_part(od::value part, Parts& parts, bool& has_details) {
    const int place = parts.count++;
    if (place == 0) {
      std::string_view name;
      if (part.get_string().get(name)) return fault_at(kOperationForm, part);
      static constexpr std::string_view kNames[] = {"r", "w", "append", "inc", "scan", "agg", "update"};
      if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
        return fault_at(kOperationForm, part);
      parts.name = name;
      return std::nullopt;
    }
    const bool is_aggregate = parts.name == "agg";
    if (place == (is_aggregate ? 4 : 3)) {
      --parts.count;
      has_details = true;
      return details(part, parts);
    }
    if (parts.name == "scan" || parts.name == "update") {
      return place == 1 ? text(part, parts.where, "expected a predicate as SQL text") : rows(part, parts.rows);
    }
    if (is_aggregate) {
      if (place == 1) return text(part, parts.expression, "expected an aggregate such as \"max(c1)\"");
      if (place == 2) return text(part, parts.where, "expected a predicate as SQL text");
      return any(part, parts.value);
    }
    if (place == 1) return key(part, parts.key);
    if (parts.name == "inc") {
      std::int64_t number = 0;
      if (part.get_int64().get(number)) return fault_at("expected an integer to add", part);
      parts.value = builder_.values().integer(number);
      return std::nullopt;
    }
    return any(part, parts.value);
  }

  Fault details(od::value value, Parts& parts) {
    od::object object;
    if (value.get_object().get(object)) {
      return fault_at("expected the details of an operation, e.g. {\"at\":[1,2]}", value);
    }
    for (auto field : object) {
      std::string_view name;
      od::value inner;
      if (field.unescaped_key().get(name) || field.value().get(inner)) return fault("expected \"field\": value");
      field_.assign(name);
      if (field_ == "at") {
        std::int64_t times[2] = {kNoTime, kNoTime};
        int count = 0;
        od::array array;
        if (inner.get_array().get(array)) return fault_at("expected \"at\": [before, after]", inner);
        for (auto element : array) {
          od::value entry;
          if (count == 2 || element.get(entry)) return fault("expected \"at\": [before, after]");
          if (auto wrong = integer(entry, times[count])) return wrong;
          ++count;
        }
        if (count != 2) return fault("expected \"at\": [before, after]");
        parts.before = times[0];
        parts.after = times[1];
      } else if (field_ == "lock") {
        std::string_view lock;
        if (inner.get_string().get(lock) || (lock != "update" && lock != "share")) {
          return fault_at("expected \"lock\" to be \"update\" or \"share\"", inner);
        }
        parts.lock = lock == "update" ? Lock::kUpdate : Lock::kShare;
      } else if (field_ == "vset") {
        parts.vset.emplace();
        parts.vset_names.clear();
        Fault wrong =
            each_by_key(inner, [&](std::optional<KeyId> id, std::string_view text_name, od::value row) -> Fault {
              if (!id) parts.vset_names.emplace_back(parts.vset->size(), text_name);
              ValueId row_id{};
              if (auto bad = any(row, row_id)) return bad;
              parts.vset->push_back({id.value_or(KeyId{0}), row_id});
              return std::nullopt;
            });
        if (wrong) return wrong;
      }
    }
    return std::nullopt;
  }

  Fault rows(od::value value, std::vector<Item>& out) {
    od::array array;
    if (value.get_array().get(array)) return fault_at("expected rows: [[key,row],…]", value);
    for (auto element : array) {
      od::array pair;
      if (element.get_array().get(pair)) return fault("expected rows: [[key,row],…]");
      Item item{};
      int place = 0;
      for (auto part : pair) {
        od::value inner;
        if (part.get(inner)) return fault("expected rows: [[key,row],…]");
        Fault wrong;
        if (place == 0) wrong = key(inner, item.key);
        if (place == 1) wrong = any(inner, item.value);
        if (wrong) return wrong;
        ++place;
      }
      if (place != 2) return fault("expected rows: [[key,row],…]");
      out.push_back(item);
    }
    return std::nullopt;
  }

  Fault text(od::value value, std::string& out, std::string_view expected) {
    std::string_view got;
    if (value.get_string().get(got)) return fault_at(expected, value);
    out = got;
    return std::nullopt;
  }

  Fault key(od::value value, KeyId& out) {
    ValueId id{};
    if (auto wrong = name_value(value, id, "expected a key: an integer or a string")) return wrong;
    out = builder_.key(id);
    return std::nullopt;
  }

  Fault name_value(od::value value, ValueId& out, std::string_view expected) {
    const char* const at = value.raw_json_token().data();
    od::json_type type{};
    if (value.type().get(type) || (type != od::json_type::string && type != od::json_type::number)) {
      return JsonFault{std::string(expected), at};
    }
    if (auto wrong = any(value, out)) return wrong;
    const ValueType kind = builder_.values().table().type(out);
    const bool is_name = kind == ValueType::kInteger || kind == ValueType::kString ||
                         (kind == ValueType::kNumberText &&
                          builder_.values().table().string(out).find_first_of(".e") == std::string_view::npos);
    if (!is_name) return JsonFault{std::string(expected), at};
    return std::nullopt;
  }

  Fault any(od::value value, ValueId& out) {
    const char* const at = value.raw_json_token().data();
    auto wrong = json_value(value, builder_.values(), out);
    if (wrong) wrong = JsonFault{"expected a JSON value: " + wrong->text, at};
    return wrong;
  }

  struct PendingOrder {
    std::optional<KeyId> key;
    std::string name;
    bool by_txn;
    std::size_t first, count;
  };

  HistoryBuilder& builder_;
  od::parser parser_;
  std::string padded_;
  od::document* doc_ = nullptr;
  std::string field_;
  bool may_be_header_ = false;
  bool is_header_ = false;
  bool is_txn_ = false;
  bool complete_ = true;
  std::vector<PendingOrder> pending_orders_;
  std::vector<ValueId> order_entries_;
};

bool says_nothing(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  return start == std::string_view::npos || line[start] == '#';
}

// Where reading stopped: at the end, or where `until` said so.
struct Stop {
  std::optional<Error> error;
  std::uint64_t line = 0;
};

// Adds each line to the builder. `until()` is asked after each; a true answer stops the reading there.
template <typename Until>
Stop read_lines(const SourceFile& file, const ReadOptions& options, HistoryBuilder& builder,
                std::vector<std::string>& notes, Until&& until) {
  const std::string_view whole = file.bytes;
  GeneralLine general(builder);
  std::size_t offset = whole.starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::size_t forgotten = 0;
  std::uint64_t line_number = 0;
  bool first = true;
  while (offset < whole.size()) {
    const char* const start = whole.data() + offset;
    const void* const stop = std::memchr(start, '\n', whole.size() - offset);
    const std::size_t length =
        stop == nullptr ? whole.size() - offset : static_cast<std::size_t>(static_cast<const char*>(stop) - start);
    const std::string_view line(start, length);
    ++line_number;
    if (stop == nullptr || !add_plain_line(line, builder)) {
      if (says_nothing(line)) {
        offset += length + 1;
        continue;
      }
      if (auto error = general.add(line, first)) {
        const bool cut = stop == nullptr;
        if (cut && options.lenient) {
          notes.push_back(fmt::format("the last line ({}) is cut off and was dropped", line_number));
          break;
        }
        if (cut) error->text += " (the last line may be cut off: --lenient drops it)";
        error->line = line_number;
        return {std::move(error), line_number};
      }
    }
    first = false;
    offset += length + 1;
    if (until()) break;
    if (offset - forgotten > kForgetEvery) {
      forgotten = offset;
      if (file.mapped) file.mapped->forget_before(offset);
      if (options.progress != nullptr) options.progress->advance("reading", offset, whole.size());
    }
  }
  return {std::nullopt, line_number};
}

// The line that brought what finish() refuses. Read again to find it, so that a good file pays nothing for line
// numbers.
std::uint64_t line_of_fault(const SourceFile& file, const ReadOptions& options, const HistoryBuilder& refused) {
  HistoryBuilder builder;
  std::vector<std::string> notes;
  const auto reached = [&] {
    if (const auto txn = refused.faulty_txn()) return builder.txn_count() > raw(*txn);
    return builder.version_order_count() > *refused.faulty_version_order();
  };
  return read_lines(file, {.lenient = options.lenient, .progress = nullptr}, builder, notes, reached).line;
}

}  // namespace

Result<ReadResult> read_native(const Source& source, const ReadOptions& options) {
  const SourceFile& file = source.files[0];
  std::vector<std::string> notes;
  HistoryBuilder builder;
  if (Stop stop = read_lines(file, options, builder, notes, [] { return false; }); stop.error) {
    stop.error->file = file.name;
    return *std::move(stop.error);
  }
  auto history = builder.finish();
  if (!history) {
    Error error = std::move(history).error();
    error.file = file.name;
    if (builder.faulty_txn() || builder.faulty_version_order()) {
      error.line = line_of_fault(file, options, builder);
      error.column = 1;
    }
    return error;
  }
  return ReadResult{*std::move(history), std::move(notes)};
}

}  // namespace isolde
