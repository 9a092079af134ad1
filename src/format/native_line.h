// format/native_line.h: one line of native JSON, the general way: a transaction, the header, or version orders.
//
// In, out: any line of CONTRACT section 3 that did not take the quick way (native_fast.h) -> the builder, or what is
//          wrong with it.
// Always:  a transaction is added whole or not at all. The column of a fault counts from 1.
// Cost:    one pass over the line, and one more for what may be the header.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/native_operations.h"

namespace isolde {

// Whether the line is empty or a comment.
[[nodiscard]] bool says_nothing(std::string_view line);

class NativeLine : NativeOperations {
 public:
  // In a stream the keys that are to come are not known when the header is read: `{"initial": {"7": 0}}` speaks of the
  // key "7" and of the key 7.
  enum class Keys { kAllKnownAtTheEnd, kStillToCome };
  explicit NativeLine(HistoryBuilder& builder, Keys keys = Keys::kAllKnownAtTheEnd)
      : NativeOperations(builder), keys_(keys) {}

  std::optional<Error> add(std::string_view line, bool may_be_header);
  // Whether a header said "columns": true, which only streams use (history/chunk.h).
  [[nodiscard]] bool columns() const { return columns_; }

 private:
  Error place(const JsonFault& fault, std::string_view line);
  Fault object();
  Fault header_field(Json value);
  void initial_by_name(std::string_view name, ValueId value);
  Fault version_order(Json value, bool by_txn);
  void open_txn();
  Fault txn_field(Json value, bool& has_session, bool& has_ops);
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
  bool complete_ = true;
  bool columns_ = false;
  Keys keys_;
  std::vector<PendingOrder> pending_orders_;
  std::vector<ValueId> order_entries_;
};

}  // namespace isolde
