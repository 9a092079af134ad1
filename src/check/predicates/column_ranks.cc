#include "check/predicates/column_ranks.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace isolde {

RankBits::RankBits(std::uint32_t count) {
  std::size_t words = count;
  do {
    words = (words + 63) / 64;
    levels_.emplace_back(std::max<std::size_t>(words, 1), 0);
  } while (words > 1);
}

void RankBits::insert(std::uint32_t rank) {
  for (auto& level : levels_) {
    std::uint64_t& word = level[rank >> 6];
    const bool was_empty = word == 0;
    word |= std::uint64_t{1} << (rank & 63);
    if (!was_empty) return;
    rank >>= 6;
  }
}

void RankBits::erase(std::uint32_t rank) {
  for (auto& level : levels_) {
    std::uint64_t& word = level[rank >> 6];
    word &= ~(std::uint64_t{1} << (rank & 63));
    if (word != 0) return;
    rank >>= 6;
  }
}

std::uint32_t RankBits::next(std::uint32_t rank) const {
  // Up until a word has a bit at or after the place, then down to the first rank below that bit.
  std::size_t level = 0;
  std::uint64_t at = rank;
  for (;; ++level, at = (at >> 6) + 1) {
    if (level == levels_.size() || (at >> 6) >= levels_[level].size()) return kNone32;
    const std::uint64_t word = levels_[level][at >> 6] >> (at & 63);
    if (word == 0) continue;
    at += static_cast<std::uint64_t>(std::countr_zero(word));
    break;
  }
  for (; level > 0; --level) at = (at << 6) + static_cast<std::uint64_t>(std::countr_zero(levels_[level - 1][at]));
  return static_cast<std::uint32_t>(at);
}

ColumnRanks::ColumnRanks(const History& history, Subject subject, ValueId column, std::span<const ValueId> versions,
                         bool with_index)
    : values_(history.values()),
      subject_(subject),
      column_(column),
      key_count_(history.key_count()),
      with_index_(with_index) {
  std::vector<ValueId> fields;
  if (subject == Subject::kKey) {
    fields.assign(history.columns().key_name.begin(), history.columns().key_name.end());
  } else {
    for (const ValueId version : versions) {
      if (const ValueId field = field_of(version); field != kNullValue) fields.push_back(field);
    }
  }
  rank_fields(std::move(fields));
  if (subject == Subject::kKey) {
    for (const ValueId name : history.columns().key_name) of_key_.push_back(rank_of_field(name));
  } else {
    of_entry_.assign(values_.size(), kNone32);
    for (const ValueId version : versions) {
      if (is_table_value(version)) of_entry_[raw(version) - kFirstTableValue] = rank_of_field(field_of(version));
    }
  }
  now_.assign((key_count_ + std::size_t{63}) / 64 * 64, kNone32);
  if (!with_index_) return;
  used_ = RankBits(static_cast<std::uint32_t>(sorted_.size()));
  head_.assign(sorted_.size(), kNone32);
  next_.assign(history.key_count(), kNone32);
  before_.assign(history.key_count(), kNone32);
}

ValueId ColumnRanks::field_of(ValueId version) const {
  if (version == kNullValue) return kNullValue;
  if (is_inline_integer(version) || values_.type(version) != ValueType::kRow) {
    return subject_ == Subject::kValue ? version : kNullValue;
  }
  if (column_ == kNoColumn) return kNullValue;
  for (const RowField& field : values_.row(version)) {
    if (field.name == column_) return field.value;
  }
  return kNullValue;
}

void ColumnRanks::rank_fields(std::vector<ValueId> fields) {
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  std::vector<Scalar> scalars;
  scalars.reserve(fields.size());
  for (const ValueId field : fields) scalars.push_back(scalar_of(values_, field));
  std::vector<std::uint32_t> order(fields.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return index_less(scalars[a], scalars[b]); };
  // Small integers are in order by their ids.
  if (!std::is_sorted(order.begin(), order.end(), less)) std::sort(order.begin(), order.end(), less);
  rank_.resize(fields.size());
  sorted_.reserve(fields.size());
  field_.reserve(fields.size());
  for (const ValueId field : fields) field_.push_back(raw(field));
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    rank_[order[rank]] = rank;
    sorted_.push_back(scalars[order[rank]]);
  }
  if (sorted_.empty()) return;
  class_ = class_of(sorted_.front()) == class_of(sorted_.back()) ? class_of(sorted_.front()) : -1;
}

std::uint32_t ColumnRanks::rank_of_field(ValueId field) const {
  const auto at = std::lower_bound(field_.begin(), field_.end(), raw(field));
  return at == field_.end() || *at != raw(field) ? kNone32 : rank_[static_cast<std::size_t>(at - field_.begin())];
}

void ColumnRanks::set(KeyId key, ValueId version) {
  std::uint32_t rank = kNone32;
  if (version == kNullValue) {
  } else if (subject_ == Subject::kKey) {
    rank = of_key_[raw(key)];
  } else if (is_table_value(version)) {
    rank = of_entry_[raw(version) - kFirstTableValue];
  } else if (subject_ == Subject::kValue) {
    rank = rank_of_field(version);
  }
  std::uint32_t& now = now_[raw(key)];
  if (rank == now) return;
  if (with_index_) {
    if (now != kNone32) unlink(raw(key), now);
    if (rank != kNone32) link(raw(key), rank);
  }
  now = rank;
}

void ColumnRanks::link(std::uint32_t key, std::uint32_t rank) {
  if (head_[rank] == kNone32) {
    used_.insert(rank);
  } else {
    before_[head_[rank]] = key;
  }
  next_[key] = head_[rank];
  before_[key] = kNone32;
  head_[rank] = key;
}

void ColumnRanks::unlink(std::uint32_t key, std::uint32_t rank) {
  if (next_[key] != kNone32) before_[next_[key]] = before_[key];
  if (before_[key] != kNone32) {
    next_[before_[key]] = next_[key];
  } else {
    head_[rank] = next_[key];
    if (head_[rank] == kNone32) used_.erase(rank);
  }
}

ColumnRanks::Range ColumnRanks::range_of(const PredicateRange& range) const {
  const auto from =
      std::partition_point(sorted_.begin(), sorted_.end(), [&](const Scalar& s) { return range.is_before(s); });
  const auto to = std::partition_point(from, sorted_.end(), [&](const Scalar& s) { return !range.is_after(s); });
  return {static_cast<std::uint32_t>(from - sorted_.begin()), static_cast<std::uint32_t>(to - from)};
}

std::uint64_t ColumnRanks::bits_in(Range range, std::size_t block) const {
  const std::uint32_t* const ranks = now_.data() + block * 64;
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(range.has(ranks[i])) << i;
  return bits;
}

std::uint64_t ColumnRanks::bits_outside(Range range, std::size_t block) const {
  const std::uint32_t* const ranks = now_.data() + block * 64;
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(ranks[i] != kNone32) << i;
  return bits & ~bits_in(range, block);
}

bool ColumnRanks::walk(Range range, std::size_t most, std::vector<KeyId>& out) const {
  for (std::uint32_t rank = used_.next(range.from); rank != kNone32 && range.has(rank); rank = used_.next(rank + 1)) {
    for (std::uint32_t key = head_[rank]; key != kNone32; key = next_[key]) {
      if (out.size() == most) return false;
      out.push_back(KeyId{key});
    }
  }
  return true;
}

}  // namespace isolde
