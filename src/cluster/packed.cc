#include "cluster/packed.h"

#include <utility>

#include "format/native_write.h"
#include "history/history_builder.h"

namespace isolde::cluster {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 60;  // times 8 it fits
enum Flag : std::uint8_t { kStatus = 3, kBegin = 4, kEnd = 8, kStart = 16, kCommit = 32 };
constexpr Flag kTimes[] = {kBegin, kEnd, kStart, kCommit};

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

bool can_be_packed(const ValueTable& values, ValueId v) {
  if (is_inline_integer(v) || v == kNullValue) return true;
  const ValueType type = values.type(v);
  if (type == ValueType::kInteger) return values.integer(v) > -kLargest && values.integer(v) < kLargest;
  return type == ValueType::kString;
}

void append_value(const ValueTable& values, ValueId v, std::string& out) {
  if (v == kNullValue) return append_varint(1, out);
  if (is_inline_integer(v)) return append_varint(zigzag(raw(v)) << 2, out);
  if (values.type(v) == ValueType::kInteger) return append_varint(zigzag(values.integer(v)) << 2, out);
  const std::string_view text = values.string(v);
  append_varint((std::uint64_t{text.size()} << 2) | 2, out);
  out += text;
}

std::array<std::int64_t, 4> times_of(const History& h, TxnId t) {
  return {h.begin(t), h.end(t), h.start_ts(t), h.commit_ts(t)};
}

// Reads what was packed; every function is false at bytes that were not.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

  [[nodiscard]] bool transaction(HistoryBuilder& to) {
    const auto flags = take_varint(bytes_);
    if (!flags || *flags >= 2 * std::uint64_t{kCommit} || (*flags & kStatus) > 2) return false;
    ValueId id{}, session{};
    if (!value(to, id) || !value(to, session) || id == kNullValue || session == kNullValue) return false;
    to.begin_txn(to.session(session));
    to.set_id(id);
    to.set_status(static_cast<Status>(*flags & kStatus));
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if ((*flags & kTimes[i]) == 0) continue;
      const auto step = take_varint(bytes_);
      if (!step) return false;
      times_[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(times_[i]) +
                                            static_cast<std::uint64_t>(unzigzag(*step)));
    }
    if ((*flags & kBegin) != 0) to.set_begin(times_[0]);
    if ((*flags & kEnd) != 0) to.set_end(times_[1]);
    if ((*flags & kStart) != 0) to.set_start_ts(times_[2]);
    if ((*flags & kCommit) != 0) to.set_commit_ts(times_[3]);
    while (true) {
      const auto kind = take_varint(bytes_);
      if (!kind || *kind > 4) return false;
      if (*kind == 0) break;
      if (!operation(to, static_cast<OpKind>(*kind - 1))) return false;
    }
    to.end_txn();
    return true;
  }

 private:
  bool operation(HistoryBuilder& to, OpKind kind) {
    ValueId key{}, v{};
    if (!value(to, key) || key == kNullValue || !value(to, v)) return false;
    const KeyId k = to.key(key);
    if (kind == OpKind::kRead) {
      to.read(k, v);
    } else if (kind == OpKind::kWrite) {
      to.write(k, v);
    } else if (kind == OpKind::kAppend) {
      to.append(k, v);
    } else {
      if (v == kNullValue || (!is_inline_integer(v) && to.values().table().type(v) != ValueType::kInteger))
        return false;
      to.increment(k, v);
    }
    return true;
  }
  bool value(HistoryBuilder& to, ValueId& out) {
    const auto head = take_varint(bytes_);
    if (!head) return false;
    if ((*head & 3) == 0) {
      out = to.values().integer(unzigzag(*head >> 2));
    } else if (*head == 1) {
      out = kNullValue;
    } else if ((*head & 3) == 2 && (*head >> 2) <= bytes_.size()) {
      out = to.values().string(bytes_.substr(0, *head >> 2));
      bytes_.remove_prefix(*head >> 2);
    } else {
      return false;
    }
    return true;
  }

  std::string_view bytes_;
  std::array<std::int64_t, 4> times_{};
};

}  // namespace

void append_varint(std::uint64_t value, std::string& out) {
  char bytes[10];
  std::size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = static_cast<char>(value | 0x80);
  bytes[count++] = static_cast<char>(value);
  out.append(bytes, count);
}

std::optional<std::uint64_t> take_long_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) != 0) continue;
    bytes.remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

bool can_be_packed(const History& h, TxnId t) {
  if (h.commit_interval(t).before != kNoTime || h.order(t) != kNoTime || h.sno(t) != kNoTime ||
      h.snapshot(t) != nullptr)
    return false;
  const ValueTable& values = h.values();
  if (!can_be_packed(values, h.columns().id[raw(t)]) ||
      !can_be_packed(values, h.columns().session_name[raw(h.session(t))]))
    return false;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    if (is_predicate(op.kind()) || op.lock() != Lock::kNone || h.at(t, OpId{i}).before != kNoTime) return false;
    if (!can_be_packed(values, h.columns().key_name[raw(op.key())]) || !can_be_packed(values, h.op_value(i)))
      return false;
  }
  return true;
}

void PackedSection::begin(const History& h, TxnId t) {
  const std::array<std::int64_t, 4> times = times_of(h, t);
  auto flags = static_cast<std::uint8_t>(h.status(t));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] != kNoTime) flags = static_cast<std::uint8_t>(flags | kTimes[i]);
  }
  bytes_ += static_cast<char>(flags);
  append_value(h.values(), h.columns().id[raw(t)], bytes_);
  append_value(h.values(), h.columns().session_name[raw(h.session(t))], bytes_);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] == kNoTime) continue;
    const std::uint64_t step = static_cast<std::uint64_t>(times[i]) - static_cast<std::uint64_t>(times_[i]);
    append_varint(zigzag(static_cast<std::int64_t>(step)), bytes_);
    times_[i] = times[i];
  }
}

void PackedSection::operation(const History& h, std::uint32_t i) {
  const OpHead op = h.op(i);
  bytes_ += static_cast<char>(1 + static_cast<int>(op.kind()));
  append_value(h.values(), h.columns().key_name[raw(op.key())], bytes_);
  append_value(h.values(), h.op_value(i), bytes_);
}

void PackedSection::write(std::string_view key) {
  bytes_ += static_cast<char>(1 + static_cast<int>(OpKind::kWrite));
  append_varint((std::uint64_t{key.size()} << 2) | 2, bytes_);
  bytes_ += key;
  append_varint(zigzag(1) << 2, bytes_);
}

void PackedSection::end() {
  bytes_ += '\0';
  ++count_;
}

std::string PackedSection::take() {
  times_ = {};
  count_ = 0;
  return std::exchange(bytes_, {});
}

std::optional<Result<History>> unpack(std::string_view bytes, std::uint64_t count) {
  Unpacker from(bytes);
  HistoryBuilder builder;
  for (; count > 0; --count) {
    if (!from.transaction(builder)) return std::nullopt;
  }
  if (!from.at_end()) return std::nullopt;
  return builder.finish();
}

std::optional<std::string> unpacked_lines(std::string_view bytes, std::uint64_t count) {
  Unpacker from(bytes);
  std::string lines;
  for (; count > 0; --count) {
    HistoryBuilder builder;
    if (!from.transaction(builder)) return std::nullopt;
    const auto history = builder.finish();
    if (!history) return std::nullopt;
    append_native_line(*history, TxnId{0}, lines);
    lines += '\n';
  }
  return lines;
}

}  // namespace isolde::cluster
