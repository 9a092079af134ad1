#include "check/timeline/key_state.h"

#include <algorithm>

namespace isolde::timeline {
namespace {

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

void make_rich(const ValueTable& values, ValueId value, bool is_counter, Rich& out) {
  out = Rich{};
  out.is_counter = is_counter;
  if (is_counter) {
    out.is_number = value == kNullValue || values.type(value) == ValueType::kInteger;
    if (out.is_number && value != kNullValue) out.number = values.integer(value);
    return;
  }
  if (const auto elements = values.elements(value)) {
    out.elements.assign(elements->begin(), elements->end());
  } else {
    out.elements.assign(1, value);  // appending to a scalar: the scalar counts as the first element
  }
}

bool shows(const ValueTable& values, ValueId value, const Rich& content, const LocalRich* on_top) {
  if (content.is_counter) {
    if (!content.is_number || values.type(value) != ValueType::kInteger) return false;
    return values.integer(value) == wrapping_add(content.number, on_top == nullptr ? 0 : on_top->delta);
  }
  const auto read = values.elements(value);
  if (!read) return false;
  const std::size_t own = on_top == nullptr ? 0 : on_top->appended.size();
  if (read->size() != content.elements.size() + own) return false;
  if (!std::equal(content.elements.begin(), content.elements.end(), read->begin())) return false;
  return own == 0 ||
         std::equal(on_top->appended.begin(), on_top->appended.end(), read->end() - static_cast<std::ptrdiff_t>(own));
}

bool ends_with_own(const ValueTable& values, ValueId value, const LocalRich& own) {
  if (own.is_counter) return true;
  const auto read = values.elements(value);
  return read && read->size() >= own.appended.size() &&
         std::equal(own.appended.rbegin(), own.appended.rend(), read->rbegin());
}

std::string text_of(const ValueTable& values, const Rich& content, const LocalRich* on_top) {
  if (content.is_counter) {
    return content.is_number ? std::to_string(wrapping_add(content.number, on_top == nullptr ? 0 : on_top->delta))
                             : "\"not a number\"";
  }
  std::string out = "[";
  const auto add = [&](ValueId element) {
    if (out.size() > 1) out += ',';
    values.append_json(element, out);
  };
  for (const ValueId element : content.elements) add(element);
  if (on_top != nullptr) {
    for (const ValueId element : on_top->appended) add(element);
  }
  return out + "]";
}

}  // namespace isolde::timeline
