#include "format/native_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde {
namespace {

constexpr std::string_view kHeaderFields[] = {"isolde",          "about",     "initial", "initial_of",
                                              "initial_guessed", "serial_by", "columns", "isolde-recording"};
constexpr std::string_view kOrderFields[] = {"version_order", "version_order_by_txn", "complete"};
constexpr std::string_view kMarkFields[] = {"fault", "at", "detail"};
constexpr std::string_view kTxnFields[] = {"id",       "session",   "status", "begin", "end",      "commit",
                                           "start_ts", "commit_ts", "order",  "sno",   "snapshot", "ops"};
// What a line may have whose kind is not known yet.
constexpr std::string_view kLineFields[] = {
    "id",       "session",  "status",    "begin",         "end",
    "commit",   "start_ts", "commit_ts", "order",         "sno",
    "snapshot", "ops",      "isolde",    "version_order", "version_order_by_txn",
    "fault"};
constexpr std::string_view kSnapshotFields[] = {"xid", "xmin", "xmax", "active"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

namespace od = simdjson::ondemand;

bool says_nothing(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  return start == std::string_view::npos || line[start] == '#';
}

std::optional<Error> NativeLine::add(std::string_view line, bool may_be_header) {
  padded_.assign(line);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  od::document doc;
  const auto parse = [&] { return parser_.iterate(padded_.data(), line.size(), padded_.size()).get(doc); };
  // Whether it is the header decides what its other fields mean, and "isolde" need not stand first.
  is_header_ = may_be_header && !parse() && !doc.find_field_unordered("isolde").error();
  if (const auto code = parse()) {
    if (const auto cut = cut_json(line)) return cut_error(*cut, line);
    // Structural faults (bad UTF-8) have no place of their own; they concern the line as a whole.
    return Error{fmt::format("expected a JSON object: {}", simdjson::error_message(code)), {}, 0, 1};
  }
  doc_ = &doc;
  may_be_header_ = may_be_header;
  if (auto wrong = object()) {
    builder_.abandon_txn();
    // What a parser finds wrong with a line that is cut off is not what is wrong with it.
    if (const auto cut = cut_json(line)) return cut_error(*cut, line);
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

Error NativeLine::cut_error(const CutJson& cut, std::string_view line) {
  if (cut.in_string) return Error{"expected the end of this string: it is never closed", {}, 0, cut.at + 1};
  const std::size_t end = line.find_last_not_of(" \t\r") + 1;
  return Error{"expected more: the line ends inside a JSON value", {}, 0, end + 1};
}

Error NativeLine::place(const JsonFault& fault, std::string_view line) {
  const char* at = fault.at;
  if (at == nullptr && doc_->current_location().get(at)) at = padded_.data() + line.size();
  const auto column = static_cast<std::uint64_t>(
      std::clamp<std::ptrdiff_t>(at - padded_.data(), 0, static_cast<std::ptrdiff_t>(line.size())));
  return Error{fault.text, {}, 0, column + 1};
}

NativeValues::Fault NativeLine::object() {
  is_txn_ = false;
  is_order_ = false;
  not_complete_.reset();
  complete_at_ = nullptr;
  bool has_session = false;
  bool has_ops = false;
  complete_ = true;
  mark_ = {};
  pending_orders_.clear();
  has_initial_.clear();
  od::object object;
  if (doc_->get_object().get(object)) return fault("expected a JSON object, one transaction per line");
  for (auto field : object) {
    od::value value;
    if (auto wrong = take_field(field, value)) return wrong;
    if (auto wrong = any_field(value, has_session, has_ops)) return wrong;
  }
  if (is_order_ && not_complete_) return not_complete_;
  if (!is_order_ && complete_at_ != nullptr) {
    field_ = "complete";
    field_at_ = complete_at_;
    if (auto wrong = misplaced_field("\"complete\" belongs to a version order")) return wrong;
  }
  if (auto wrong = finish_mark()) return wrong;
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
  if (is_header_ || is_order_ || mark_.name) {
    const int kinds = int{is_header_} + int{is_order_} + int{mark_.name.has_value()} + int{is_txn_};
    if (kinds > 1)
      return fault("expected a transaction, a header, a version order or a fault on one line, not two of them");
    return std::nullopt;
  }
  if (!has_session) return fault("expected a transaction with \"session\"");
  if (!has_ops) return fault("expected a transaction with \"ops\"");
  return std::nullopt;
}

NativeValues::Fault NativeLine::any_field(od::value value, bool& has_session, bool& has_ops) {
  if (field_ == "isolde" && !may_be_header_) return fault_at("the header may only be the first line", value);
  if (is_one_of(field_, kHeaderFields)) {
    if (is_header_) return header_field(value);
    return misplaced_field(fmt::format("\"{}\" belongs to the header, a first line that has \"isolde\": 1", field_));
  }
  if (field_ == "version_order" || field_ == "version_order_by_txn") {
    is_order_ = true;
    return version_order(value, field_ == "version_order_by_txn");
  }
  if (field_ == "complete") {
    complete_at_ = field_at_;
    if (value.get_bool().get(complete_)) not_complete_ = fault_at("expected \"complete\": true or false", value);
    return std::nullopt;
  }
  if (is_one_of(field_, kTxnFields)) return txn_field(value, has_session, has_ops);
  if (is_one_of(field_, kMarkFields)) return mark_field(value);
  if (field_ == "heartbeat") {
    return misplaced_field("a heartbeat is for a stream, on a line of its own: {\"session\": 3, \"heartbeat\": 1000}");
  }
  if (is_header_) return unknown_field("the header", kHeaderFields);
  if (is_order_) return unknown_field("a version order", kOrderFields);
  return unknown_field("a transaction", kLineFields);
}

NativeValues::Fault NativeLine::header_field(od::value value) {
  if (field_ == "isolde") {
    std::int64_t version = 0;
    if (value.get_int64().get(version) || version != 1)
      return fault_at("expected \"isolde\": 1, the version of this format", value);
    return std::nullopt;
  }
  if (field_ == "about") {
    std::string_view text;
    if (value.get_string().get(text)) return fault_at("expected \"about\" to be text", value);
    builder_.set_about(text);
    return std::nullopt;
  }
  if (field_ == "columns") {
    if (value.get_bool().get(columns_)) return fault_at("expected \"columns\": true or false", value);
    return std::nullopt;
  }
  if (field_ == "initial_guessed") {
    bool guessed = false;
    if (value.get_bool().get(guessed)) return fault_at("expected \"initial_guessed\": true or false", value);
    if (guessed) builder_.set_initial_guessed();
    return std::nullopt;
  }
  if (field_ == "serial_by") {
    std::string_view text;
    if (value.get_string().get(text) || text != "commit_ts")
      return fault_at("expected \"serial_by\": \"commit_ts\"", value);
    builder_.set_serial_by_commit_ts();
    return std::nullopt;
  }
  if (field_ == "isolde-recording") return std::nullopt;  // its folder's reader has looked at it
  od::json_type type{};
  if (value.type().get(type)) return fault("expected a value");
  const bool is_scalar = type != od::json_type::object && type != od::json_type::array;
  if (!is_scalar) return initial_values(value);
  if (field_ == "initial_of")
    return fault_at("expected \"initial_of\": {key: value} or pairs [[key, value], …]", value);
  ValueId id{};
  if (auto wrong = any(value, id)) return wrong;
  builder_.set_default_initial(id);
  return std::nullopt;
}

NativeValues::Fault NativeLine::initial_values(od::value value) {
  return each_by_key(value, [this](std::optional<KeyId> key, std::string_view name, od::value inner) -> Fault {
    const std::string kept(name);
    const Fault twice = fault_at("expected one initial value of each key, this is the second", inner);
    ValueId id{};
    if (auto wrong = any(inner, id)) return wrong;
    if (!has_initial_.insert(key ? fmt::format("[{}", raw(*key)) : "{" + kept).second) return twice;
    if (key) {
      builder_.set_initial(*key, id);
    } else {
      initial_by_name(kept, id);
    }
    return std::nullopt;
  });
}

void NativeLine::initial_by_name(std::string_view name, ValueId value) {
  if (keys_ == Keys::kAllKnownAtTheEnd) return builder_.set_initial_by_name(name, value);
  builder_.set_initial(builder_.key(name), value);
  const std::string text(name);
  if (is_json_number(text) && text.find_first_of(".eE") == std::string::npos && text != "-0") {
    builder_.set_initial(builder_.key(builder_.values().number_text(text)), value);
  }
}

NativeValues::Fault NativeLine::version_order(od::value value, bool by_txn) {
  return each_by_key(value, [this, by_txn](std::optional<KeyId> key, std::string_view name, od::value inner) -> Fault {
    PendingOrder order{key, std::string(name), by_txn, order_entries_.size(), 0};
    od::array array;
    if (inner.get_array().get(array)) return fault_at("expected the versions of a key as a list", inner);
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

void NativeLine::open_txn() {
  if (is_txn_) return;
  builder_.begin_txn(SessionId{0});
  is_txn_ = true;
}

NativeValues::Fault NativeLine::txn_field(od::value value, bool& has_session, bool& has_ops) {
  if (field_ == "ops") {
    if (has_ops) return fault_at("\"ops\" occurs twice", value);
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
      {"begin", &HistoryBuilder::set_begin},       {"end", &HistoryBuilder::set_end},
      {"start_ts", &HistoryBuilder::set_start_ts}, {"commit_ts", &HistoryBuilder::set_commit_ts},
      {"order", &HistoryBuilder::set_order},       {"sno", &HistoryBuilder::set_sno}};
  for (const auto& [name, set] : kTimes) {
    if (field_ != name) continue;
    open_txn();
    bool null = false;
    if (!value.is_null().get(null) && null) return std::nullopt;
    std::int64_t time = 0;
    if (auto wrong = NativeValues::time(value, time)) return wrong;
    (builder_.*set)(time);
    return std::nullopt;
  }
  return commit_interval(value);
}

// The client's clock around the commit itself; `[before, null]` where no answer came.
NativeValues::Fault NativeLine::commit_interval(od::value value) {
  const Fault wrong = fault_at("expected \"commit\": [before, after], or [before, null] if no answer came", value);
  open_txn();
  bool null = false;
  if (!value.is_null().get(null) && null) return std::nullopt;
  od::array array;
  if (value.get_array().get(array)) return wrong;
  std::int64_t times[2] = {kNoTime, kNoTime};
  std::size_t count = 0;
  for (auto element : array) {
    od::value entry;
    if (element.get(entry) || count == 2) return wrong;
    std::int64_t& time = times[count++];
    if (count == 2 && !entry.is_null().get(null) && null) continue;
    if (auto bad = NativeValues::time(entry, time)) return bad;
  }
  if (count != 2) return wrong;
  builder_.set_commit(times[0], times[1]);
  return std::nullopt;
}

NativeValues::Fault NativeLine::snapshot(od::value value) {
  od::object object;
  if (value.get_object().get(object))
    return fault_at("expected \"snapshot\": {\"xmin\":…,\"xmax\":…,\"active\":[…]}", value);
  std::optional<std::int64_t> xid;
  std::optional<std::int64_t> xmin;
  std::optional<std::int64_t> xmax;
  std::vector<std::int64_t> active;
  for (auto field : object) {
    od::value inner;
    if (auto wrong = take_field(field, inner)) return wrong;
    if (!is_one_of(field_, kSnapshotFields)) {
      if (auto wrong = unknown_field("a snapshot", kSnapshotFields)) return wrong;
      continue;
    }
    field_ = "snapshot." + field_;
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
                                                                          : &xmax;
    std::int64_t number = 0;
    if (auto wrong = integer(inner, number)) return wrong;
    *slot = number;
  }
  if (!xmin || !xmax) return fault("expected a snapshot with \"xmin\" and \"xmax\"");
  builder_.set_snapshot(xid, *xmin, *xmax, active);
  return std::nullopt;
}

}  // namespace isolde
