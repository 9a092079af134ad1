// format/native_line.h: one line of native JSON, the general way: a transaction, the header, version orders, or a
// fault.
//
// In, out: any line of CONTRACT section 3 that did not take the quick way (native_fast.h) -> the builder, or what is
//          wrong with it.
// Always:  a transaction is added whole or not at all. The column of a fault counts from 1. A field that the format
// does
//          not have is a fault, or is ignored and counted (unknown_fields.h).
// Cost:    one pass over the line, and one more for what may be the header.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "format/json_document.h"
#include "format/native_operations.h"

namespace isolde {

// Whether the line is empty or a comment.
[[nodiscard]] bool says_nothing(std::string_view line);

class NativeLine : NativeOperations {
 public:
  // In a stream the keys that are to come are not known when the header is read: `{"initial": {"7": 0}}` speaks of the
  // key "7" and of the key 7.
  enum class Keys { kAllKnownAtTheEnd, kStillToCome };
  explicit NativeLine(HistoryBuilder& builder, Keys keys = Keys::kAllKnownAtTheEnd,
                      UnknownFields::Stance unknown = UnknownFields::Stance::kRefuse)
      : NativeOperations(builder, unknown), keys_(keys) {}

  std::optional<Error> add(std::string_view line, bool may_be_header);
  // Whether a header said "columns": true, which only streams use (history/chunk.h).
  [[nodiscard]] bool columns() const { return columns_; }
  // Whether the last line added was a header.
  [[nodiscard]] bool was_header() const { return is_header_; }
  // What was ignored of the lines so far.
  [[nodiscard]] const UnknownFields& unknown() const { return unknown_; }

 private:
  Error place(const JsonFault& fault, std::string_view line);
  static Error cut_error(const CutJson& cut, std::string_view line);
  Fault object();
  Fault any_field(Json value, bool& has_session, bool& has_ops);
  Fault header_field(Json value);
  Fault initial_values(Json value);
  void initial_by_name(std::string_view name, ValueId value);
  Fault version_order(Json value, bool by_txn);
  void open_txn();
  Fault txn_field(Json value, bool& has_session, bool& has_ops);
  Fault commit_interval(Json value);
  // A line {"fault": …}: native_faults.cc.
  Fault mark_field(Json value);
  Fault mark_time(Json value);
  Fault finish_mark();
  Fault snapshot(Json value);

  struct PendingOrder {
    std::optional<KeyId> key;
    std::string name;
    bool by_txn;
    std::size_t first, count;
  };

  simdjson::ondemand::parser parser_;
  std::string padded_;
  bool may_be_header_ = false;
  bool is_header_ = false;
  bool is_txn_ = false;
  bool is_order_ = false;
  // What the line says of a fault, wherever its fields stand.
  struct Mark {
    std::optional<ValueId> name;
    ValueId detail = kNullValue;
    std::int64_t begin = kNoTime, end = kNoTime;
    std::string misplaced = {};  // "at" or "detail", should the line be none
    const char* misplaced_at = nullptr;
  };
  Mark mark_;
  bool complete_ = true;
  Fault not_complete_;                 // what is wrong with "complete", if the line is a version order
  const char* complete_at_ = nullptr;  // where its name stands, if the line has it
  bool columns_ = false;
  Keys keys_;
  std::vector<PendingOrder> pending_orders_;
  std::vector<ValueId> order_entries_;
  std::unordered_set<std::string> has_initial_;  // keys of the header, by what names them
};

}  // namespace isolde
