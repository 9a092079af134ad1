#include "report/words.h"

#include <fmt/format.h>

#include "report/report.h"

namespace isolde::words {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

constexpr std::size_t kMostOfAList = 48;

// Whole elements of its two ends: a number that is cut would read as another number.
std::string shortened_list(const History& h, std::span<const ValueId> elements) {
  constexpr std::size_t kEnd = 18;
  std::string head, tail;
  std::size_t first = 0, last = elements.size();
  while (first < last && (first == 0 || head.size() < kEnd))
    head += shortened(h.value_text(elements[first++]), 24) + ",";
  while (last > first && (last == elements.size() || tail.size() < kEnd))
    tail = "," + shortened(h.value_text(elements[--last]), 24) + tail;
  if (first == last) return fmt::format("[{}{}]", head.substr(0, head.size() - 1), tail);
  return fmt::format("[{} … {} more … {}]", head, grouped(last - first), tail);
}

std::string predicate_did(const History& h, OpHead head, ValueId result) {
  const Predicate& p = h.predicate(head.predicate());
  const std::string where = shortened(std::string(h.values().string(p.where)));
  switch (head.kind()) {
    case OpKind::kAggregate:
      return fmt::format("computed {} where {} = {}", h.values().string(p.aggregate), where, value(h, result));
    case OpKind::kUpdate:
      return fmt::format("updated where {} ({})", where, counted(p.item_count, "row"));
    default:
      return fmt::format("scanned where {} ({})", where, counted(p.item_count, "row"));
  }
}

}  // namespace

std::string shortened(std::string text, std::size_t most) {
  constexpr std::string_view kGap = " … ";
  if (text.size() <= most || most < 16) return text;
  std::size_t head = (most - kGap.size()) / 2;
  std::size_t tail = text.size() - (most - kGap.size() - head);
  while (head > 0 && continues(text[head])) --head;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return text.substr(0, head).append(kGap).append(text, tail, std::string::npos);
}

std::string txn(const History& h, TxnId t) {
  if (t == kNoTxn) return "the initial state";
  const ValueId id = h.columns().id[raw(t)];
  const bool integer = h.values().type(id) == ValueType::kInteger;
  return integer ? "T" + h.txn_text(t) : shortened(h.txn_text(t), 48);
}

std::string txn_with_place(const History& h, TxnId t) {
  if (t == kNoTxn) return "the initial state";
  std::string text = fmt::format("{} (session {}", txn(h, t), shortened(h.session_text(h.session(t)), 48));
  if (h.sno(t) != kNoTime) text += fmt::format(", sno {}", h.sno(t));
  if (h.start_ts(t) != kNoTime) text += fmt::format(", start_ts {}", h.start_ts(t));
  if (h.commit_ts(t) != kNoTime) text += fmt::format(", commit_ts {}", h.commit_ts(t));
  if (h.status(t) == Status::kAborted) text += ", aborted";
  if (h.status(t) == Status::kUnknown) text += ", commit not answered";
  return text + ")";
}

std::string key(const History& h, KeyId k) {
  const bool number = h.values().type(h.columns().key_name[raw(k)]) == ValueType::kInteger;
  return number ? "key " + h.key_text(k) : shortened(h.key_text(k), 48);
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string value(const History& h, ValueId v) {
  if (v == kNullValue) return "absent";
  const std::string text = h.value_text(v);
  const bool is_list = h.values().type(v) == ValueType::kList;
  return is_list && text.size() > kMostOfAList ? shortened_list(h, h.values().list(v)) : shortened(text);
}

std::string holds(const History& h, KeyId key, ValueId v) {
  const std::string name = words::key(h, key);
  return v == kNullValue ? name + " is absent" : fmt::format("{} = {}", name, value(h, v));
}

std::string did(const History& h, OpId op) {
  const OpHead head = h.op(raw(op));
  const ValueId v = h.op_value(raw(op));
  if (is_predicate(head.kind())) return predicate_did(h, head, v);
  const std::string key = words::key(h, head.key());
  switch (head.kind()) {
    case OpKind::kRead:
      return v == kNullValue ? fmt::format("found {} absent", key) : fmt::format("read {} = {}", key, value(h, v));
    case OpKind::kWrite:
      return v == kNullValue ? "deleted " + key : fmt::format("wrote {} = {}", key, value(h, v));
    case OpKind::kAppend:
      return fmt::format("appended {} to {}", v == kNullValue ? "null" : value(h, v), key);
    default:
      return fmt::format("added {} to {}", value(h, v), key);
  }
}

std::string place_of(const History& h, OpId op) {
  if (op == kNoOp) return {};
  const TxnId t = h.txn_of(op);
  const std::uint32_t first = h.first_op(t);
  return fmt::format("operation {} of {}", raw(op) - first + 1, h.end_op(t) - first);
}

}  // namespace isolde::words
