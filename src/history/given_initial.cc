#include "history/given_initial.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/column.h"

namespace isolde {
namespace {

// The scalar that the text stands for.
Result<ValueId> given_scalar(std::string_view text, ValueInterner& values) {
  const Error wrong{fmt::format("--initial takes one scalar, e.g. 0, null, true or \"text\", not \"{}\"", text)};
  if (text.empty() || text.starts_with('[') || text.starts_with('{')) return wrong;
  if (text == "null") return kNullValue;
  if (text == "true" || text == "false") return values.boolean(text == "true");
  const std::string copy(text);
  if (is_json_number(copy)) return values.number_text(copy);
  if (!text.starts_with('"')) return values.string(text);
  simdjson::dom::parser parser;
  std::string_view content;
  if (parser.parse(copy).get_string().get(content)) return wrong;
  return values.string(content);
}

bool same_scalar(const ValueTable& a, ValueId x, const ValueTable& b, ValueId y) {
  const ValueType type = a.type(x);
  if (b.type(y) != type) return false;
  switch (type) {
    case ValueType::kInteger:
      return a.integer(x) == b.integer(y);
    case ValueType::kString:
    case ValueType::kNumberText:
      return a.string(x) == b.string(y);
    case ValueType::kBoolean:
      return a.boolean(x) == b.boolean(y);
    case ValueType::kReal:
      return a.real(x) == b.real(y);
    case ValueType::kNull:
    case ValueType::kList:
    case ValueType::kRow:
      break;
  }
  return false;
}

// The columns that differ, and the history that the others belong to.
struct WithInitial {
  explicit WithInitial(const History& h) : base(h) {}
  History base;
  Column<std::uint64_t> begin;
  Column<std::uint8_t> type, bytes;
  Column<ValueId> key_initial, defaults;
};

// The value's id in the history's table, to which it is added if it is not there.
ValueId id_in(WithInitial& out, HistoryColumns& columns, ValueInterner& scalar, ValueId value) {
  if (!is_table_value(value)) return value;
  const ValueTable& table = out.base.values();
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const ValueId id{kFirstTableValue + i};
    if (same_scalar(table, id, scalar.table(), value)) return id;
  }
  out.begin.append(columns.value_begin);
  if (out.begin.empty()) out.begin.push_back(0);
  out.type.append(columns.value_type);
  out.bytes.append(columns.value_bytes);
  out.type.append(scalar.type_column().view());
  out.bytes.append(scalar.bytes_column().view());
  out.begin.push_back(out.bytes.size());
  columns.value_begin = out.begin.view();
  columns.value_type = out.type.view();
  columns.value_bytes = out.bytes.view();
  return ValueId{kFirstTableValue + static_cast<std::uint32_t>(table.size())};
}

}  // namespace

std::optional<Error> wrong_initial(std::string_view text) {
  ValueInterner values;
  auto scalar = given_scalar(text, values);
  if (scalar) return std::nullopt;
  return std::move(scalar).error();
}

Result<History> with_initial(const History& history, std::string_view text) {
  ValueInterner values;  // of this one value
  const auto scalar = given_scalar(text, values);
  if (!scalar) return scalar.error();
  const auto out = std::make_shared<WithInitial>(history);
  HistoryColumns columns = history.columns();
  const ValueId initial = id_in(*out, columns, values, *scalar);

  std::vector<bool> appended(history.key_count(), false);
  for (const OpHead op : columns.op) {
    if (op.kind() == OpKind::kAppend) appended[raw(op.key())] = true;
  }
  bool differs = false;
  for (std::uint32_t k = 0; k < history.key_count(); ++k) {
    const ValueId before = history.initial(KeyId{k});
    const bool keeps = appended[k] || before != history.default_initial();
    out->key_initial.push_back(keeps ? before : initial);
    differs = differs || out->key_initial.back() != initial;
  }
  columns.key_initial = differs ? out->key_initial.view() : std::span<const ValueId>{};
  out->defaults.push_back(initial);
  columns.defaults = out->defaults.view();
  return History(columns, out);
}

}  // namespace isolde
