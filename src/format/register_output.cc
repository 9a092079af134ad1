#include "format/register_output.h"

#include <fmt/format.h>

#include "format/text_lines.h"

namespace isolde {
namespace {

struct Version {
  KeyId key;
  ValueId value;
  friend bool operator==(const Version&, const Version&) = default;
};
struct VersionHash {
  std::size_t operator()(const Version& v) const { return mix64((std::uint64_t{raw(v.key)} << 32) | raw(v.value)); }
};

bool any_time(std::span<const std::int64_t> column) {
  for (const std::int64_t time : column) {
    if (time != kNoTime) return true;
  }
  return false;
}

bool any_lock(const History& h) {
  for (const OpHead op : h.columns().op) {
    if (op.lock() != Lock::kNone) return true;
  }
  return false;
}

}  // namespace

std::optional<std::uint64_t> as_unsigned(const ValueTable& values, ValueId v) {
  if (is_inline_integer(v)) return raw(v);
  if (values.type(v) == ValueType::kInteger) {
    const std::int64_t number = values.integer(v);
    if (number >= 0) return static_cast<std::uint64_t>(number);
  } else if (values.type(v) == ValueType::kNumberText) {
    std::string_view text = values.string(v);
    const auto number = take_integer(text);
    if (number && !number->negative && text.empty()) return number->magnitude;
  }
  return std::nullopt;
}

std::optional<std::int64_t> as_signed(const ValueTable& values, ValueId v) {
  if (values.type(v) != ValueType::kInteger) return std::nullopt;
  return values.integer(v);
}

std::vector<bool> effective(const History& h) {
  std::vector<bool> counts(h.txn_count(), false);
  std::vector<TxnId> work;
  std::unordered_multimap<Version, TxnId, VersionHash> unknown_writes;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    if (h.status(txn) == Status::kCommitted) {
      counts[t] = true;
      work.push_back(txn);
    } else if (h.status(txn) == Status::kUnknown) {
      for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
        if (is_item_write(h.op(i).kind())) unknown_writes.emplace(Version{h.op(i).key(), h.op_value(i)}, txn);
      }
    }
  }
  const auto saw = [&](KeyId key, ValueId value) {
    const auto [first, last] = unknown_writes.equal_range({key, value});
    for (auto at = first; at != last; ++at) {
      if (counts[raw(at->second)]) continue;
      counts[raw(at->second)] = true;
      work.push_back(at->second);
    }
    // Each version is looked up once: a second reader finds nothing more.
    unknown_writes.erase(first, last);
  };
  while (!work.empty() && !unknown_writes.empty()) {
    const TxnId txn = work.back();
    work.pop_back();
    for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
      if (h.op(i).kind() != OpKind::kRead) continue;
      const KeyId key = h.op(i).key();
      saw(key, h.op_value(i));
      if (const auto elements = h.values().elements(h.op_value(i))) {
        for (const ValueId element : *elements) saw(key, element);
      }
    }
  }
  return counts;
}

void Numbering::add(ValueId v) {
  if (const auto number = as_unsigned(values_, v)) used_.insert(*number);
}

std::uint64_t Numbering::operator()(ValueId v) {
  if (const auto number = as_unsigned(values_, v); number && !(zero_is_reserved_ && *number == 0)) return *number;
  const auto [at, is_new] = given_.try_emplace(raw(v), 0);
  if (is_new) {
    while (used_.contains(next_)) ++next_;
    at->second = next_++;
    if (example_.empty()) example_ = fmt::format("{} as {}", values_.json(v), at->second);
  }
  return at->second;
}

void note_lost_evidence(const History& h, const Carries& carries, Lost& lost) {
  const HistoryColumns& c = h.columns();
  if (!carries.client_times && (any_time(c.begin) || any_time(c.end))) {
    lost.emplace_back("begin and end on the client's clock");
  }
  if (!carries.timestamps && (any_time(c.start_ts) || any_time(c.commit_ts))) {
    lost.emplace_back("the database's timestamps");
  }
  if (any_time(c.order)) lost.emplace_back("the expected serialization order");
  if (!c.op_before.empty()) lost.emplace_back("the client's intervals of operations");
  if (!c.snapshots.empty()) lost.emplace_back("snapshots");
  if (!c.version_orders.empty()) lost.emplace_back("version orders");
  if (any_lock(h)) lost.emplace_back("which reads took locks");
  if (h.has_flag(kSerialByCommitTs)) lost.emplace_back("that commit timestamps are the serialization order");
  if (!carries.about && !c.about.empty()) lost.emplace_back("the text about the history");
}

std::optional<Error> only_registers(const History& h, std::string_view format, bool with_appends) {
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    const OpKind kind = h.op(i).kind();
    if (kind == OpKind::kRead || kind == OpKind::kWrite || (kind == OpKind::kAppend && with_appends)) continue;
    const char* const what = kind == OpKind::kAppend      ? "an append"
                             : kind == OpKind::kIncrement ? "an increment"
                                                          : "a predicate operation";
    return Error{
        fmt::format("format {} has no place for {} (transaction {})", format, what, h.txn_text(h.txn_of(OpId{i})))};
  }
  return std::nullopt;
}

}  // namespace isolde
