#include "format/jepsen_names.h"

#include <charconv>

namespace isolde {
namespace {

// The integer that the text spells, if it is just how that integer is written.
bool spells_integer(std::string_view text, std::int64_t& value) {
  if (text.empty() || text.size() > 20) return false;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || stop != text.data() + text.size()) return false;
  const std::string_view digits = text.substr(text[0] == '-' ? 1 : 0);
  return digits[0] != '0' || text.size() == 1;
}

bool more_than_one(std::uint16_t bits) { return (bits & (bits - 1)) != 0; }

// Notes that a form of that kind has the id `place`; false if forms of two kinds have it now.
bool note(std::vector<std::uint16_t>& kinds, std::size_t place, EdnKind kind) {
  if (place >= kinds.size()) kinds.resize(std::max(place + 1, kinds.size() * 2), 0);
  kinds[place] = static_cast<std::uint16_t>(kinds[place] | (1U << static_cast<unsigned>(kind)));
  return !more_than_one(kinds[place]);
}

}  // namespace

KeyId JepsenNames::noted(KeyId key, EdnKind kind) {
  if (!note(key_kinds_, raw(key), kind)) keys_collide_ = true;
  return key;
}

KeyId JepsenNames::key(EdnRef form) {
  if (form.is_integer()) return noted(builder_.key(form.integer()), EdnKind::kInteger);
  if (form.is_name() && (!style_.text_keys || style_.json)) {
    std::int64_t integer = 0;
    if (style_.json && !style_.text_keys && spells_integer(form.text(), integer)) {
      return noted(builder_.key(integer), EdnKind::kString);
    }
    return noted(builder_.key(form.text()), form.kind());
  }
  scratch_.clear();
  append_edn(form, scratch_);
  return noted(builder_.key(scratch_), form.kind());
}

KeyId JepsenNames::map_key(EdnRef form) {
  std::int64_t integer = 0;
  if (style_.json && form.is_name() && spells_integer(form.text(), integer)) return builder_.key(integer);
  return key(form);
}

ValueId JepsenNames::text_value(EdnRef form) {
  ValueInterner& values = builder_.values();
  ValueId id{};
  if (style_.text_values) {
    scratch_.clear();
    append_edn(form, scratch_);
    id = values.string(scratch_);
  } else {
    id = values.string(form.text());
  }
  if (!note(value_kinds_, raw(id) - kFirstTableValue, form.kind())) values_collide_ = true;
  return id;
}

ValueId JepsenNames::row(EdnRef form) {
  ValueInterner& values = builder_.values();
  std::vector<RowField> fields;
  EdnRef name;
  for (const EdnRef child : form.children()) {
    if (!name) {
      name = child;
      continue;
    }
    std::string text;
    if (name.is_name() && !style_.text_values) {
      text = name.text();
    } else {
      append_edn(name, text);
    }
    const ValueId name_id = values.string(text);
    fields.push_back({name_id, value(child)});
    name = EdnRef();
  }
  return values.row(fields);
}

ValueId JepsenNames::value(EdnRef form) {
  ValueInterner& values = builder_.values();
  switch (form.kind()) {
    case EdnKind::kNil:
      return kNullValue;
    case EdnKind::kBoolean:
      return values.boolean(form.integer() != 0);
    case EdnKind::kInteger:
      return values.integer(form.integer());
    case EdnKind::kNumber:
      return values.number_text(form.text());
    case EdnKind::kCharacter:
    case EdnKind::kString:
    case EdnKind::kKeyword:
    case EdnKind::kSymbol:
      return text_value(form);
    case EdnKind::kList:
    case EdnKind::kVector:
    case EdnKind::kSet: {
      const std::size_t from = list_.size();
      for (const EdnRef child : form.children()) list_.push_back(value(child));
      const ValueId id = values.list({list_.data() + from, list_.size() - from});
      list_.resize(from);
      return id;
    }
    case EdnKind::kMap:
      return row(form);
  }
  return kNullValue;
}

}  // namespace isolde
