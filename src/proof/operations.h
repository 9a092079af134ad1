// proof/operations.h: what a transaction reads and writes, and what a key holds: written anew for the proof alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/history.h"

namespace isolde::proof {

struct Touch {
  OpKind kind;  // kRead, kWrite, kAppend or kIncrement
  KeyId key;
  ValueId value;
  OpId op;
};

// The item operations of a transaction in program order; rows of scans are reads, rows of predicate updates writes.
[[nodiscard]] std::vector<Touch> touches(const History& history, TxnId txn);

// The keys that they write, each once.
[[nodiscard]] std::vector<KeyId> keys_written(const std::vector<Touch>& all);
[[nodiscard]] bool writes(const History& history, TxnId txn, KeyId key);
// kNoOp: by any operation.
[[nodiscard]] bool reads(const History& history, TxnId txn, KeyId key, OpId op);

// The content of one key: a value, a list or a number.
class Content {
 public:
  Content() = default;
  explicit Content(ValueId value) : value_(value) {}

  void apply(const ValueTable& values, const Touch& write);
  [[nodiscard]] bool equals(const ValueTable& values, ValueId read) const;
  // Appends what tells it from other contents.
  void append_to_fingerprint(std::string& out) const;
  // Incremented though it is no number.
  [[nodiscard]] bool is_nothing() const { return form_ == Form::kNothing; }
  // Nothing for a list or number in the making.
  [[nodiscard]] std::optional<ValueId> plain() const {
    return form_ == Form::kValue ? std::optional(value_) : std::nullopt;
  }

 private:
  enum class Form : std::uint8_t { kValue, kList, kNumber, kNothing };
  Form form_ = Form::kValue;
  ValueId value_ = kNullValue;
  std::int64_t number_ = 0;
  std::vector<ValueId> elements_;
};

// A key and a value of it as one number.
[[nodiscard]] inline std::uint64_t pair_id(KeyId key, ValueId value) {
  return (std::uint64_t{raw(key)} << 32) | raw(value);
}

}  // namespace isolde::proof
