#include "history/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "history/number.h"

namespace isolde {
namespace {

constexpr std::uint8_t kTypeMask = 0x0f;

ValueType type_of(std::uint8_t byte) { return static_cast<ValueType>(byte & kTypeMask); }
std::uint64_t padding_of(std::uint8_t byte) { return byte >> 4; }

// Whether an integer or a real may stand in the table: those that have a smaller form may not.
bool is_own_entry(ValueType type, const std::uint8_t* data) {
  if (type == ValueType::kInteger) {
    std::int64_t value = 0;
    std::memcpy(&value, data, sizeof value);
    return value < 0 || value >= 0x80000000LL;
  }
  double value = 0;
  std::memcpy(&value, data, sizeof value);
  if (value == 0) return !std::signbit(value);
  const auto number = std::isfinite(value) ? number_of(shortest(value)) : std::nullopt;
  return number && number->type == ValueType::kReal;
}

bool is_container(std::uint8_t byte) { return type_of(byte) == ValueType::kList || type_of(byte) == ValueType::kRow; }

// How deep each list or row is, and of how many elements when written out: values are shared, so that a short table may
// stand for a text without end. Tables in which nothing is nested cost nothing.
class Extents {
 public:
  Extents(std::span<const std::uint64_t> begin, std::span<const std::uint8_t> type) : begin_(begin), type_(type) {}

  // `entry` holds `inner`, an earlier list or row.
  void nest(std::size_t entry, std::size_t inner) {
    if (all_.empty()) {
      all_.resize(type_.size());
      for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = {1, own_elements(i)};
    }
    all_[entry].depth = std::max(all_[entry].depth, all_[inner].depth + 1);
    all_[entry].elements = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(kNone32, std::uint64_t{all_[entry].elements} + all_[inner].elements));
  }
  [[nodiscard]] int depth(std::size_t entry) const { return all_.empty() ? 1 : all_[entry].depth; }
  [[nodiscard]] std::uint64_t elements(std::size_t entry) const {
    return all_.empty() ? own_elements(entry) : all_[entry].elements;
  }

 private:
  struct Extent {
    int depth = 0;
    std::uint32_t elements = 0;
  };
  [[nodiscard]] std::uint32_t own_elements(std::size_t entry) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(kNone32, (begin_[entry + 1] - begin_[entry]) / sizeof(ValueId)));
  }
  std::span<const std::uint64_t> begin_;
  std::span<const std::uint8_t> type_;
  std::vector<Extent> all_;
};
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 24;

}  // namespace

ValueType ValueTable::type(ValueId v) const {
  if (is_inline_integer(v)) return ValueType::kInteger;
  if (v == kNullValue) return ValueType::kNull;
  return type_of(type_[raw(v) - kFirstTableValue]);
}

std::span<const std::uint8_t> ValueTable::payload(ValueId v) const {
  const std::uint32_t entry = raw(v) - kFirstTableValue;
  return bytes_.subspan(begin_[entry], begin_[entry + 1] - begin_[entry] - padding_of(type_[entry]));
}

std::int64_t ValueTable::integer(ValueId v) const {
  if (is_inline_integer(v)) return raw(v);
  std::int64_t value = 0;
  std::memcpy(&value, payload(v).data(), sizeof value);
  return value;
}

std::string_view ValueTable::string(ValueId v) const {
  const auto bytes = payload(v);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool ValueTable::boolean(ValueId v) const { return payload(v)[0] != 0; }

double ValueTable::real(ValueId v) const {
  double value = 0;
  std::memcpy(&value, payload(v).data(), sizeof value);
  return value;
}

std::span<const ValueId> ValueTable::list(ValueId v) const {
  const auto bytes = payload(v);
  return {reinterpret_cast<const ValueId*>(bytes.data()), bytes.size() / sizeof(ValueId)};
}

std::span<const RowField> ValueTable::row(ValueId v) const {
  const auto bytes = payload(v);
  return {reinterpret_cast<const RowField*>(bytes.data()), bytes.size() / sizeof(RowField)};
}

std::optional<std::span<const ValueId>> ValueTable::elements(ValueId v) const {
  if (v == kNullValue) return std::span<const ValueId>{};
  if (type(v) != ValueType::kList) return std::nullopt;
  return list(v);
}

void ValueTable::append_json(ValueId v, std::string& out) const {
  switch (type(v)) {
    case ValueType::kNull:
      out += "null";
      return;
    case ValueType::kInteger: {
      const fmt::format_int text(integer(v));
      out.append(text.data(), text.size());
      return;
    }
    case ValueType::kString:
      append_json_string(string(v), out);
      return;
    case ValueType::kBoolean:
      out += boolean(v) ? "true" : "false";
      return;
    case ValueType::kReal:
      out += shortest(real(v));
      return;
    case ValueType::kNumberText:
      out += string(v);
      return;
    case ValueType::kList: {
      out += '[';
      bool first = true;
      for (const ValueId element : list(v)) {
        if (!first) out += ',';
        first = false;
        append_json(element, out);
      }
      out += ']';
      return;
    }
    case ValueType::kRow: {
      out += '{';
      bool first = true;
      for (const RowField& field : row(v)) {
        if (!first) out += ',';
        first = false;
        append_json(field.name, out);
        out += ':';
        append_json(field.value, out);
      }
      out += '}';
      return;
    }
  }
}

std::string ValueTable::json(ValueId v) const {
  std::string out;
  append_json(v, out);
  return out;
}

std::string defect_of_values(std::span<const std::uint64_t> begin, std::span<const std::uint8_t> type,
                             std::span<const std::uint8_t> bytes) {
  if (begin.size() != type.size() + 1 || begin[0] != 0 || begin.back() != bytes.size()) {
    return "the offsets of the value table do not match its bytes";
  }
  if (type.size() > 0x7ffffffeULL) return "more values than ids";
  const ValueTable names(begin, type, bytes);
  Extents extents(begin, type);
  const auto fault = [](std::size_t entry, const char* what) { return fmt::format("value {}: {}", entry, what); };
  for (std::size_t entry = 0; entry < type.size(); ++entry) {
    const std::uint64_t from = begin[entry];
    const std::uint64_t to = begin[entry + 1];
    if (from > to || to > bytes.size() || from % 4 != 0) return fault(entry, "offset out of order");
    const std::uint64_t padding = padding_of(type[entry]);
    if (padding > 3 || padding > to - from) return fault(entry, "padding too large");
    const std::uint64_t size = to - from - padding;
    const std::uint8_t* const data = bytes.data() + from;
    switch (type_of(type[entry])) {
      case ValueType::kInteger:
      case ValueType::kReal:
        if (size != 8) return fault(entry, "a number that does not have 8 bytes");
        if (!is_own_entry(type_of(type[entry]), data))
          return fault(entry, "a number that is not in its canonical form");
        break;
      case ValueType::kBoolean:
        if (size != 1 || data[0] > 1) return fault(entry, "a boolean that is neither true nor false");
        break;
      case ValueType::kString:
        break;
      case ValueType::kNumberText: {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const auto number = number_of(text);
        if (!number || number->type != ValueType::kNumberText || number->text != text) {
          return fault(entry, "a number that is not in its canonical form");
        }
        break;
      }
      case ValueType::kList:
      case ValueType::kRow: {
        const bool is_row = type_of(type[entry]) == ValueType::kRow;
        if (size % (is_row ? sizeof(RowField) : sizeof(ValueId)) != 0) return fault(entry, "a truncated list or row");
        const auto* const ids = reinterpret_cast<const std::uint32_t*>(data);
        for (std::uint64_t i = 0; i < size / 4; ++i) {
          if (ids[i] < kFirstTableValue) {
            if (is_row && i % 2 == 0) return fault(entry, "a column name that is not a string");
            continue;
          }
          const std::uint32_t inner = ids[i] - kFirstTableValue;
          if (inner >= entry) return fault(entry, "refers to a later value");
          if (is_row && i % 2 == 0) {
            if (type_of(type[inner]) != ValueType::kString) return fault(entry, "a column name that is not a string");
            if (i > 0 && names.string(ValueId{ids[i - 2]}) >= names.string(ValueId{ids[i]})) {
              return fault(entry, "columns out of order");
            }
          }
          if (is_container(type[inner])) extents.nest(entry, inner);
        }
        if (extents.depth(entry) > kMaxValueDepth + 1) return fault(entry, "nested too deep");
        if (extents.elements(entry) > kMaxElements + size) return fault(entry, "too large when written out");
        break;
      }
      case ValueType::kNull:
      default:
        return fault(entry, "unknown type");
    }
  }
  return {};
}

std::optional<std::size_t> duplicate_in(std::span<const ValueId> ids) {
  // Most are small integers: a bitmap.
  std::vector<bool> seen(std::min<std::size_t>(ids.size() * 4 + 1024, std::size_t{1} << 31), false);
  std::vector<std::pair<ValueId, std::size_t>> others;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint32_t id = raw(ids[i]);
    if (id >= seen.size()) {
      others.emplace_back(ids[i], i);
      continue;
    }
    if (seen[id]) return i;
    seen[id] = true;
  }
  std::sort(others.begin(), others.end());
  const auto same =
      std::adjacent_find(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same == others.end()) return std::nullopt;
  return (same + 1)->second;
}

ValueId ValueInterner::unsigned_integer(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(INT64_MAX)) return integer(static_cast<std::int64_t>(value));
  return number_text(std::to_string(value));
}

ValueId ValueInterner::boolean(bool value) {
  const std::uint8_t byte = value ? 1 : 0;
  return intern(ValueType::kBoolean, &byte, 1);
}

ValueId ValueInterner::real(double value) {
  if (!std::isfinite(value)) return string(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  return number_text(shortest(value));
}

ValueId ValueInterner::number_text(std::string_view text) {
  const auto number = number_of(text);
  if (!number) return string(text);
  if (number->type == ValueType::kInteger) return integer(number->integer);
  if (number->type == ValueType::kReal) return intern(ValueType::kReal, &number->real, sizeof number->real);
  return intern(ValueType::kNumberText, number->text.data(), number->text.size());
}

ValueId ValueInterner::row(std::span<const RowField> fields) {
  std::vector<RowField> sorted(fields.begin(), fields.end());
  const ValueTable values = table();
  const auto by_name = [&](const RowField& a, const RowField& b) {
    return values.string(a.name) < values.string(b.name);
  };
  std::stable_sort(sorted.begin(), sorted.end(), by_name);
  std::vector<RowField> kept;
  for (const RowField& field : sorted) {
    if (!kept.empty() && kept.back().name == field.name) {
      kept.back() = field;
    } else {
      kept.push_back(field);
    }
  }
  return intern(ValueType::kRow, kept.data(), kept.size() * sizeof(RowField));
}

std::optional<ValueId> ValueInterner::find(ValueType type, const void* data, std::size_t size) const {
  const std::uint32_t entry = find(type, data, size, hash_bytes(data, size, static_cast<std::uint64_t>(type)));
  if (entry == IdIndex::kAbsent) return std::nullopt;
  return ValueId{kFirstTableValue + entry};
}

std::optional<ValueId> ValueInterner::find_string(std::string_view text) const {
  return find(ValueType::kString, text.data(), text.size());
}

std::optional<ValueId> ValueInterner::find_list(std::span<const ValueId> elements) const {
  return find(ValueType::kList, elements.data(), elements.size_bytes());
}

std::uint64_t ValueInterner::hash_of(std::uint32_t entry) const {
  const std::uint64_t size = begin_[entry + 1] - begin_[entry] - padding_of(type_[entry]);
  return hash_bytes(bytes_.data() + begin_[entry], size, static_cast<std::uint64_t>(type_of(type_[entry])));
}

std::uint32_t ValueInterner::find(ValueType type, const void* data, std::size_t size, std::uint64_t hash) const {
  return index_.find(hash, [&](std::uint32_t entry) {
    const std::uint64_t entry_size = begin_[entry + 1] - begin_[entry] - padding_of(type_[entry]);
    return type_of(type_[entry]) == type && entry_size == size &&
           (size == 0 || std::memcmp(bytes_.data() + begin_[entry], data, size) == 0);
  });
}

ValueId ValueInterner::intern(ValueType type, const void* data, std::size_t size) {
  const std::uint64_t hash = hash_bytes(data, size, static_cast<std::uint64_t>(type));
  if (const std::uint32_t entry = find(type, data, size, hash); entry != IdIndex::kAbsent) {
    return ValueId{kFirstTableValue + entry};
  }
  const auto entry = static_cast<std::uint32_t>(type_.size());
  const std::size_t padding = (4 - size % 4) % 4;
  bytes_.append(static_cast<const std::uint8_t*>(data), size);
  for (std::size_t i = 0; i < padding; ++i) bytes_.push_back(0);
  type_.push_back(static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) | (padding << 4)));
  begin_.push_back(bytes_.size());
  index_.insert(hash, entry, [this](std::uint32_t id) { return hash_of(id); });
  return ValueId{kFirstTableValue + entry};
}

}  // namespace isolde
