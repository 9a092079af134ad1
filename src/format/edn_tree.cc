// format/edn_tree.cc: the flat tree that EDN and JSON are read into, and EDN text made of it.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "format/edn.h"

namespace isolde {

EdnRef EdnRef::find(std::string_view name) const {
  bool is_key = true;
  bool found = false;
  for (const EdnRef child : children()) {
    if (found) return child;
    found = is_key && child.is_named(name);
    is_key = !is_key;
  }
  return {};
}

void EdnTree::clear() {
  nodes_.clear();
  large_.clear();
  block_ = used_ = 0;
}

void EdnTree::add(EdnKind kind, std::uint64_t offset, std::string_view text) {
  EdnNode& node = nodes_.emplace_back();
  node.kind = kind;
  node.size = static_cast<std::uint32_t>(std::min<std::size_t>(text.size(), UINT32_MAX));
  node.span = 1;
  node.offset = offset;
  node.text = text.data();
}

void EdnTree::add_integer(EdnKind kind, std::uint64_t offset, std::int64_t integer) {
  EdnNode& node = nodes_.emplace_back();
  node.kind = kind;
  node.size = 0;
  node.span = 1;
  node.offset = offset;
  node.integer = integer;
}

std::uint32_t EdnTree::open(EdnKind kind, std::uint64_t offset) {
  const std::uint32_t at = size();
  add(kind, offset, {});
  return at;
}

void EdnTree::close(std::uint32_t at, std::uint32_t children) {
  nodes_[at].size = children;
  nodes_[at].span = size() - at;
}

std::string_view EdnTree::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > kBlock) {
    large_.push_back(std::make_unique<char[]>(text.size()));
    std::memcpy(large_.back().get(), text.data(), text.size());
    return {large_.back().get(), text.size()};
  }
  if (block_ == blocks_.size() || used_ + text.size() > kBlock) {
    if (block_ < blocks_.size()) ++block_;
    if (block_ == blocks_.size()) blocks_.push_back(std::make_unique<char[]>(kBlock));
    used_ = 0;
  }
  char* const at = blocks_[block_].get() + used_;
  std::memcpy(at, text.data(), text.size());
  used_ += text.size();
  return {at, text.size()};
}

bool add_number(EdnTree& tree, std::uint64_t offset, std::string_view token) {
  std::string_view text = token.starts_with('+') ? token.substr(1) : token;
  if (text.ends_with('N') || text.ends_with('M')) text.remove_suffix(1);
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, whole);
  if (failed == std::errc{} && stop == end && !token.ends_with('M')) {
    tree.add_integer(EdnKind::kInteger, offset, whole);
    return true;
  }
  // [-]digits[.digits][e[+-]digits]
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - from;
  };
  if (digits() == 0) return false;
  const std::size_t whole_end = i;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0 && i < text.size()) return false;  // `1.` is a number in EDN
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  if (i != text.size() || (token.ends_with('N') && whole_end != text.size())) return false;
  if (text.ends_with('.')) text.remove_suffix(1);
  // As JSON writes it: no leading zeros.
  const bool negative = text.starts_with('-');
  std::size_t zeros = negative ? 1 : 0;
  while (zeros + 1 < text.size() && text[zeros] == '0' && text[zeros + 1] >= '0' && text[zeros + 1] <= '9') ++zeros;
  if (zeros > (negative ? 1U : 0U)) {
    text = tree.keep((negative ? "-" : "") + std::string(text.substr(zeros)));
  }
  tree.add(EdnKind::kNumber, offset, text);
  return true;
}

void append_edn_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void append_edn(EdnRef form, std::string& out) {
  switch (form.kind()) {
    case EdnKind::kNil:
      out += "nil";
      return;
    case EdnKind::kBoolean:
      out += form.integer() != 0 ? "true" : "false";
      return;
    case EdnKind::kInteger:
      out += std::to_string(form.integer());
      return;
    case EdnKind::kString:
      append_edn_string(form.text(), out);
      return;
    case EdnKind::kCharacter:
      out += '\\';
      out += form.text();
      return;
    case EdnKind::kKeyword:
      out += ':';
      out += form.text();
      return;
    case EdnKind::kNumber:
    case EdnKind::kSymbol:
      out += form.text();
      return;
    case EdnKind::kList:
    case EdnKind::kVector:
    case EdnKind::kMap:
    case EdnKind::kSet: {
      const int which = static_cast<int>(form.kind()) - static_cast<int>(EdnKind::kList);
      static constexpr const char* kOpen[] = {"(", "[", "{", "#{"};
      out += kOpen[which];
      bool first = true;
      for (const EdnRef child : form.children()) {
        if (!first) out += ' ';
        first = false;
        append_edn(child, out);
      }
      out += ")]}}"[which];
      return;
    }
  }
}

bool is_simple_name(std::string_view text) {
  if (text.empty() || text == "nil" || text == "true" || text == "false") return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!is_letter(text[0]) && text[0] != '_') return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '?' || c == '!' ||
           c == '*' || c == '+';
  });
}

TextPlace place_of(std::string_view bytes, std::uint64_t offset) {
  TextPlace place;
  const std::string_view before = bytes.substr(0, offset);
  const char* line = before.data();
  const char* const end = before.data() + before.size();
  while (line < end) {
    const void* const newline = std::memchr(line, '\n', static_cast<std::size_t>(end - line));
    if (newline == nullptr) break;
    ++place.line;
    line = static_cast<const char*>(newline) + 1;
  }
  place.column = static_cast<std::uint64_t>(end - line) + 1;
  return place;
}

}  // namespace isolde
