#include "proxy/postgres/rows.h"

#include <charconv>

#include "proxy/postgres/numbers.h"

namespace isolde::proxy::postgres {
namespace {

constexpr std::size_t kFieldTail = 18;  // behind a column's name in a RowDescription
constexpr std::uint32_t kNullLength = 0xffffffffU;

template <typename T>
bool all_digits(std::string_view text, T& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

// "(12,3)"
bool read_ctid(std::string_view text, VersionName& to) {
  if (text.size() < 5 || text.front() != '(' || text.back() != ')') return false;
  text = text.substr(1, text.size() - 2);
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && all_digits(text.substr(0, comma), to.block) &&
         all_digits(text.substr(comma + 1), to.place);
}

}  // namespace

std::optional<std::string_view> take_text(std::string_view& body) {
  const std::size_t end = body.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = body.substr(0, end);
  body.remove_prefix(end + 1);
  return text;
}

std::optional<std::string> without_columns(std::string_view description, std::size_t added) {
  if (description.size() < 2) return std::nullopt;
  const std::size_t count = u16_at(description, 0);
  if (count < added) return std::nullopt;
  std::string_view rest = description.substr(2);
  for (std::size_t i = 0; i < count - added; ++i) {
    if (!take_text(rest) || rest.size() < kFieldTail) return std::nullopt;
    rest.remove_prefix(kFieldTail);
  }
  std::string out;
  put_u16(out, static_cast<std::uint16_t>(count - added));
  out += description.substr(2, description.size() - 2 - rest.size());
  return out;
}

std::optional<CutRow> cut_row(std::string_view row, std::size_t added) {
  if (row.size() < 2) return std::nullopt;
  const std::size_t count = u16_at(row, 0);
  if (count < added) return std::nullopt;
  CutRow out;
  out.columns = static_cast<std::uint16_t>(count - added);
  out.added.reserve(added);
  std::size_t at = 2;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == out.columns) out.kept = at;
    if (row.size() - at < 4) return std::nullopt;
    const std::uint32_t length = u32_at(row, at);
    at += 4;
    const bool null = length == kNullLength;
    if (!null && row.size() - at < length) return std::nullopt;
    if (i >= out.columns) out.added.push_back(null ? std::nullopt : std::optional(row.substr(at, length)));
    if (!null) at += length;
  }
  if (added == 0) out.kept = at;
  if (at != row.size()) return std::nullopt;
  return out;
}

std::optional<BindParts> bind_parts(std::string_view body, std::size_t added) {
  std::string_view rest = body;
  const auto portal = take_text(rest);
  if (!portal) return std::nullopt;
  const auto statement = take_text(rest);
  if (!statement || rest.size() < 2) return std::nullopt;
  const std::size_t formats = u16_at(rest, 0);
  rest.remove_prefix(2);
  if (rest.size() < 2 * formats + 2) return std::nullopt;
  rest.remove_prefix(2 * formats);
  const std::size_t parameters = u16_at(rest, 0);
  rest.remove_prefix(2);
  for (std::size_t i = 0; i < parameters; ++i) {
    if (rest.size() < 4) return std::nullopt;
    const std::uint32_t length = u32_at(rest, 0);
    rest.remove_prefix(4);
    if (length == kNullLength) continue;
    if (rest.size() < length) return std::nullopt;
    rest.remove_prefix(length);
  }
  if (rest.size() < 2) return std::nullopt;
  const std::size_t results = u16_at(rest, 0);
  if (rest.size() != 2 + 2 * results) return std::nullopt;
  BindParts out{.portal = *portal, .statement = *statement};
  // One format is for all columns, none means text; otherwise each has its own.
  out.binary = results == 1 && u16_at(rest, 2) == 1;
  if (results > 1 && added > 0) {
    out.body = body.substr(0, body.size() - rest.size());
    put_u16(out.body, static_cast<std::uint16_t>(results + added));
    out.body += rest.substr(2);
    out.body.append(2 * added, '\0');
  }
  return out;
}

std::string_view error_field(std::string_view body, char field) {
  while (!body.empty() && body[0] != '\0') {
    const char name = body[0];
    body.remove_prefix(1);
    const auto value = take_text(body);
    if (!value) return {};
    if (name == field) return *value;
  }
  return {};
}

std::string with_place_moved(std::string_view body, std::size_t from, std::size_t length) {
  const std::string_view field = error_field(body, 'P');
  std::size_t place = 0;
  if (!all_digits(field, place) || place <= from + length) return std::string(body);
  const auto at = static_cast<std::size_t>(field.data() - body.data());
  return std::string(body.substr(0, at)) + std::to_string(place - length) + std::string(body.substr(at + field.size()));
}

std::optional<VersionName> version_name(std::span<const std::optional<std::string_view>> columns, bool binary) {
  if (columns.size() < 3 || !columns[0] || !columns[1] || !columns[2]) return std::nullopt;
  VersionName out;
  if (binary) {
    if (columns[0]->size() != 4 || columns[1]->size() != 6 || columns[2]->size() != 4) return std::nullopt;
    out.table = u32_at(*columns[0], 0);
    out.block = u32_at(*columns[1], 0);
    out.place = u16_at(*columns[1], 4);
    out.xmin = u32_at(*columns[2], 0);
    return out;
  }
  if (!all_digits(*columns[0], out.table) || !read_ctid(*columns[1], out) || !all_digits(*columns[2], out.xmin))
    return std::nullopt;
  return out;
}

}  // namespace isolde::proxy::postgres
