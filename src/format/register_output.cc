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

std::vector<Repeat> repeats_of(const History& h) {
  struct First {
    TxnId txn;
    std::uint64_t others;
  };
  std::unordered_map<Version, First, VersionHash> writes;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    if (h.status(txn) == Status::kAborted) continue;
    for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
      const OpKind kind = h.op(i).kind();
      if (kind != OpKind::kWrite && kind != OpKind::kAppend) continue;
      const KeyId key = h.op(i).key();
      const std::uint64_t held_at_first = kind == OpKind::kWrite && h.op_value(i) == h.initial(key) ? 1 : 0;
      const auto [at, is_new] = writes.try_emplace(Version{key, h.op_value(i)}, First{txn, held_at_first});
      if (!is_new && at->second.txn != txn) ++at->second.others;
    }
  }
  std::vector<Repeat> repeats;
  for (const auto& [version, first] : writes) {
    if (first.others > 0) repeats.push_back({version.key, version.value, first.others});
  }
  return repeats;
}

std::vector<bool> whole_list_writers(const History& h) {
  std::vector<bool> appended(h.key_count(), false), writers(h.txn_count(), false);
  for (const OpHead op : h.columns().op) {
    if (op.kind() == OpKind::kAppend) appended[raw(op.key())] = true;
  }
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() == OpKind::kWrite && appended[raw(h.op(i).key())]) writers[t] = true;
    }
  }
  return writers;
}

std::uint64_t aborted_and_read(const History& h) {
  std::unordered_multimap<Version, TxnId, VersionHash> aborted;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) != Status::kAborted) continue;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (!is_item_write(h.op(i).kind())) continue;
      const Version version{h.op(i).key(), h.op_value(i)};
      if (version.value != h.initial(version.key)) aborted.emplace(version, TxnId{t});
    }
  }
  if (aborted.empty()) return 0;
  std::unordered_set<std::uint32_t> seen;
  const std::vector<bool> whole = whole_list_writers(h);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kAborted && whole[t]) seen.insert(t);
  }
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kAborted) continue;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (is_item_write(h.op(i).kind())) aborted.erase(Version{h.op(i).key(), h.op_value(i)});
    }
  }
  const auto see = [&](KeyId key, ValueId value) {
    const auto [first, last] = aborted.equal_range(Version{key, value});
    for (auto at = first; at != last; ++at) seen.insert(raw(at->second));
  };
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kAborted) continue;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (h.op(i).kind() != OpKind::kRead) continue;
      see(h.op(i).key(), h.op_value(i));
      if (const auto elements = h.values().elements(h.op_value(i))) {
        for (const ValueId element : *elements) see(h.op(i).key(), element);
      }
    }
  }
  return seen.size();
}

std::uint64_t unknown_and_seen(const History& h) {
  const std::vector<bool> counts = effective(h);
  std::uint64_t seen = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    seen += counts[t] && h.status(TxnId{t}) == Status::kUnknown ? 1 : 0;
  }
  return seen;
}

}  // namespace isolde
