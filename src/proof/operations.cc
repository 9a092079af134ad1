#include "proof/operations.h"

#include <algorithm>

namespace isolde::proof {

std::vector<Touch> touches(const History& h, TxnId txn) {
  std::vector<Touch> out;
  for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
    const OpHead op = h.op(i);
    switch (op.kind()) {
      case OpKind::kRead:
      case OpKind::kWrite:
      case OpKind::kAppend:
      case OpKind::kIncrement:
        out.push_back({op.kind(), op.key(), h.op_value(i), OpId{i}});
        break;
      case OpKind::kScan:
      case OpKind::kUpdate:
        for (const Item& item : h.items(h.predicate(op.predicate()))) {
          out.push_back({op.kind() == OpKind::kScan ? OpKind::kRead : OpKind::kWrite, item.key, item.value, OpId{i}});
        }
        break;
      case OpKind::kAggregate:
        break;
    }
  }
  return out;
}

std::vector<KeyId> keys_written(const std::vector<Touch>& all) {
  std::vector<KeyId> keys;
  for (const Touch& touch : all) {
    if (touch.kind != OpKind::kRead) keys.push_back(touch.key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

bool writes(const History& history, TxnId txn, KeyId key) {
  for (const Touch& touch : touches(history, txn)) {
    if (touch.kind != OpKind::kRead && touch.key == key) return true;
  }
  return false;
}

bool reads(const History& history, TxnId txn, KeyId key, OpId op) {
  for (const Touch& touch : touches(history, txn)) {
    if (touch.kind == OpKind::kRead && touch.key == key && (op == kNoOp || touch.op == op)) return true;
  }
  return false;
}

void Content::apply(const ValueTable& values, const Touch& write) {
  switch (write.kind) {
    case OpKind::kWrite:
      form_ = Form::kValue;
      value_ = write.value;
      elements_.clear();
      break;
    case OpKind::kAppend:
      if (form_ == Form::kValue) {
        form_ = Form::kList;
        elements_.clear();
        if (const auto base = values.elements(value_)) {
          elements_.assign(base->begin(), base->end());
        } else {
          elements_.push_back(value_);
        }
      }
      elements_.push_back(write.value);
      break;
    case OpKind::kIncrement:
      if (form_ == Form::kValue) {
        const bool is_number = value_ == kNullValue || values.type(value_) == ValueType::kInteger;
        form_ = is_number ? Form::kNumber : Form::kNothing;
        number_ = is_number && value_ != kNullValue ? values.integer(value_) : 0;
      }
      number_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(number_) +
                                          static_cast<std::uint64_t>(values.integer(write.value)));
      break;
    default:
      break;
  }
}

void Content::append_to_fingerprint(std::string& out) const {
  const auto add = [&out](const auto& value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  add(form_);
  if (form_ == Form::kValue) add(value_);
  if (form_ == Form::kNumber) add(number_);
  if (form_ != Form::kList) return;
  add(elements_.size());
  for (const ValueId element : elements_) add(element);
}

bool Content::equals(const ValueTable& values, ValueId read) const {
  switch (form_) {
    case Form::kValue:
      return read == value_;
    case Form::kNumber:
      return values.type(read) == ValueType::kInteger && values.integer(read) == number_;
    case Form::kList: {
      const auto seen = values.elements(read);
      return seen && std::equal(seen->begin(), seen->end(), elements_.begin(), elements_.end());
    }
    case Form::kNothing:
      return false;
  }
  return false;
}

}  // namespace isolde::proof
