#include "format/edn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/ascii.h"

namespace isolde {
namespace {

enum CharClass : std::uint8_t { kToken = 0, kSpace = 1, kDelimiter = 2 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c <= 0x20; ++c) classes[static_cast<std::size_t>(c)] = kSpace;
  classes[','] = kSpace;
  for (const char c : {'(', ')', '[', ']', '{', '}', '"', ';'}) classes[static_cast<unsigned char>(c)] = kDelimiter;
  return classes;
}();

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// A character for a message: itself where it can be shown.
std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("byte 0x{:02x}", byte);
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// The code of exactly `digits` digits at the start of `text`, or -1.
int code_of(std::string_view text, std::size_t digits, int base) {
  int code = 0;
  if (text.size() < digits) return -1;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + digits, code, base);
  return failed == std::errc{} && stop == text.data() + digits && code >= 0 ? code : -1;
}

bool is_high_surrogate(int code) { return code >= 0xd800 && code < 0xdc00; }
bool is_low_surrogate(int code) { return code >= 0xdc00 && code < 0xe000; }

}  // namespace

EdnReader::Step EdnReader::fail(std::uint64_t offset, std::string text) {
  fault_ = {std::move(text), offset, false};
  ended_ = true;
  return Step::kFault;
}

EdnReader::Step EdnReader::fail_at_end(std::string text) {
  fault_ = {std::move(text), bytes_.size(), true};
  ended_ = true;
  return Step::kFault;
}

// Goes to the next byte that is neither space nor comment. False: there is none.
bool EdnReader::skip_space() {
  while (at_ < bytes_.size()) {
    const char c = bytes_[at_];
    if (class_of(c) == kSpace) {
      ++at_;
    } else if (c == ';') {
      const void* const newline = std::memchr(bytes_.data() + at_, '\n', bytes_.size() - at_);
      at_ = newline == nullptr ? bytes_.size()
                               : static_cast<std::uint64_t>(static_cast<const char*>(newline) - bytes_.data()) + 1;
    } else {
      return true;
    }
  }
  return false;
}

// If the file is one vector or list, maybe tagged, goes behind its opening. False: it is not.
bool EdnReader::step_into_sequence() {
  if (bytes_.starts_with("\xef\xbb\xbf")) at_ = 3;
  if (!skip_space()) return false;
  const std::uint64_t start = at_;
  if (bytes_[at_] == '#' && at_ + 1 < bytes_.size() && class_of(bytes_[at_ + 1]) == kToken && bytes_[at_ + 1] != '_' &&
      bytes_[at_ + 1] != '#') {
    ++at_;
    token();
    skip_space();
  }
  if (at_ < bytes_.size() && (bytes_[at_] == '[' || bytes_[at_] == '(')) {
    sequence_closer_ = bytes_[at_] == '[' ? ']' : ')';
    sequence_offset_ = at_++;
    return true;
  }
  at_ = start;
  return false;
}

EdnReader::Got EdnReader::next(EdnTree& tree) {
  tree.clear();
  if (ended_) return fault_.text.empty() ? Got::kEnd : Got::kFault;
  if (!begun_) {
    begun_ = true;
    step_into_sequence();
  }
  return read_form(tree);
}

EdnReader::Got EdnReader::read_form(EdnTree& tree) {
  depth_ = 0;
  for (;;) {
    switch (step(tree)) {
      case Step::kMore:
        break;
      case Step::kForm:
        return Got::kForm;
      case Step::kEnd:
        ended_ = true;
        return Got::kEnd;
      case Step::kFault:
        return Got::kFault;
    }
  }
}

EdnReader::Step EdnReader::at_end() {
  if (depth_ > 0) {
    const Frame& frame = frames_[depth_ - 1];
    const TextPlace place = place_of(bytes_, frame.offset);
    if (frame.kind == FrameKind::kCollection) {
      return fail_at_end(fmt::format("expected `{}` for the `{}` at {}:{}, but the file ends", frame.closer,
                                     bytes_[frame.offset], place.line, place.column));
    }
    return fail_at_end(
        fmt::format("expected a form after the `#` at {}:{}, but the file ends", place.line, place.column));
  }
  if (sequence_closer_ != 0) {
    const TextPlace place = place_of(bytes_, sequence_offset_);
    return fail_at_end(fmt::format("expected `{}` for the `{}` at {}:{}, but the file ends", sequence_closer_,
                                   bytes_[sequence_offset_], place.line, place.column));
  }
  return Step::kEnd;
}

// One token, or the opening or closing of a collection.
EdnReader::Step EdnReader::step(EdnTree& tree) {
  if (!skip_space()) return at_end();
  switch (bytes_[at_]) {
    case '[':
      return open(tree, EdnKind::kVector, ']', 1);
    case '{':
      return open(tree, EdnKind::kMap, '}', 1);
    case '(':
      return open(tree, EdnKind::kList, ')', 1);
    case ']':
    case '}':
    case ')':
      return close(tree, bytes_[at_]);
    case '"':
      return string(tree);
    case '\\':
      return character(tree);
    case '#':
      return hash(tree);
    default:
      return scalar(tree);
  }
}

EdnReader::Step EdnReader::push(FrameKind kind, char closer, std::uint32_t node, std::uint64_t offset) {
  if (depth_ == kMaxEdnDepth) return fail(offset, fmt::format("expected at most {} levels of nesting", kMaxEdnDepth));
  frames_[depth_++] = {kind, closer, node, 0, offset};
  return Step::kMore;
}

EdnReader::Step EdnReader::open(EdnTree& tree, EdnKind kind, char closer, std::size_t skip) {
  const std::uint64_t offset = at_ + skip - 1;
  at_ += skip;
  const Step pushed = push(FrameKind::kCollection, closer, tree.open(kind, offset), offset);
  if (kind == EdnKind::kVector && pushed == Step::kMore) integers(tree);
  return pushed;
}

EdnReader::Step EdnReader::close(EdnTree& tree, char closer) {
  const std::uint64_t offset = at_;
  if (depth_ == 0) {
    if (closer != sequence_closer_) return fail(offset, fmt::format("`{}` closes nothing", closer));
    ++at_;
    if (skip_space()) return fail(at_, "expected the end of the file after the history's last bracket");
    return Step::kEnd;
  }
  const Frame frame = frames_[depth_ - 1];
  if (frame.kind != FrameKind::kCollection) return fail(offset, fmt::format("expected a form, found `{}`", closer));
  if (frame.closer != closer) {
    const TextPlace place = place_of(bytes_, frame.offset);
    return fail(offset, fmt::format("expected `{}` for the `{}` at {}:{}, found `{}`", frame.closer,
                                    bytes_[frame.offset], place.line, place.column, closer));
  }
  tree.close(frame.node, frame.children);
  if (tree.kind_at(frame.node) == EdnKind::kMap && frame.children % 2 != 0) {
    return fail(offset, "expected a value for the last key of the map, found `}`");
  }
  ++at_;
  --depth_;
  return completed(tree);
}

// What follows a `#`: a set, a discarded form, a symbolic value, or a tag.
EdnReader::Step EdnReader::hash(EdnTree& tree) {
  const std::uint64_t offset = at_;
  if (at_ + 1 == bytes_.size()) return fail_at_end("expected a tag, a set or `_` after `#`, but the file ends");
  const char c = bytes_[at_ + 1];
  if (c == '{') return open(tree, EdnKind::kSet, '}', 2);
  if (c == '_') {
    at_ += 2;
    return push(FrameKind::kDiscard, 0, tree.size(), offset);
  }
  if (c == '#') {
    at_ += 2;
    token();
    tree.add(EdnKind::kSymbol, offset, bytes_.substr(offset, at_ - offset));
    return completed(tree);
  }
  if (class_of(c) != kToken) {
    return fail(offset + 1, fmt::format("expected a tag, a set or `_` after `#`, found {}", shown(c)));
  }
  ++at_;
  token();
  return push(FrameKind::kTag, 0, tree.size(), offset);
}

// A form is complete: tells whom it belongs to, up to the first collection that waits for more.
EdnReader::Step EdnReader::completed(EdnTree& tree) {
  while (depth_ > 0) {
    Frame& frame = frames_[depth_ - 1];
    switch (frame.kind) {
      case FrameKind::kCollection:
        ++frame.children;
        return Step::kMore;
      case FrameKind::kDiscard:
        tree.truncate(frame.node);
        --depth_;
        return Step::kMore;
      case FrameKind::kTag:
        --depth_;
        break;
    }
  }
  return Step::kForm;
}

std::string_view EdnReader::token() {
  const std::uint64_t from = at_;
  while (at_ < bytes_.size() && class_of(bytes_[at_]) == kToken) ++at_;
  return bytes_.substr(from, at_ - from);
}

EdnReader::Step EdnReader::scalar(EdnTree& tree) {
  const std::uint64_t from = at_;
  const std::string_view text = token();
  const char c = text[0];
  if (is_digit(c) || ((c == '-' || c == '+') && text.size() > 1 && is_digit(text[1]))) return number(tree, from, text);
  if (c == ':') {
    if (text.size() == 1 && at_ == bytes_.size()) return fail_at_end("expected a keyword after `:`, but the file ends");
    if (text.size() == 1) return fail(at_, fmt::format("expected a keyword after `:`, found {}", shown(bytes_[at_])));
    tree.add(EdnKind::kKeyword, from, text.substr(1));
  } else if (text == "nil") {
    tree.add(EdnKind::kNil, from, {});
  } else if (text == "true" || text == "false") {
    tree.add_integer(EdnKind::kBoolean, from, text == "true" ? 1 : 0);
  } else if (c == '\'' || c == '`' || c == '~' || c == '@' || c == '^') {
    return fail(from, fmt::format("expected a form, found {}", shown(c)));
  } else {
    tree.add(EdnKind::kSymbol, from, text);
  }
  return completed(tree);
}

// The run of short integers that may follow in a collection, without a step for each: most tokens of a history of lists
// are the elements of a list that was read. Whatever else comes is left to the steps.
void EdnReader::integers(EdnTree& tree) {
  Frame& frame = frames_[depth_ - 1];
  const char* const end = bytes_.data() + bytes_.size();
  for (const char* at = bytes_.data() + at_;;) {
    while (at < end && *at == ' ') ++at;
    const char* digit = at;
    std::int64_t value = 0;
    for (; digit < end && is_digit(*digit); ++digit) {
      if (digit - at == 18) return;
      value = value * 10 + (*digit - '0');
    }
    if (digit == at || digit == end || class_of(*digit) == kToken) return;
    tree.add_integer(EdnKind::kInteger, static_cast<std::uint64_t>(at - bytes_.data()), value);
    ++frame.children;
    at = digit;
    at_ = static_cast<std::uint64_t>(at - bytes_.data());
  }
}

EdnReader::Step EdnReader::number(EdnTree& tree, std::uint64_t from, std::string_view text) {
  // Most numbers are short integers: no general parsing for them.
  if (text.size() <= 18 && text[0] != '+') {
    std::int64_t value = 0;
    std::size_t i = text[0] == '-' ? 1 : 0;
    for (; i < text.size() && is_digit(text[i]); ++i) value = value * 10 + (text[i] - '0');
    if (i == text.size()) {
      tree.add_integer(EdnKind::kInteger, from, text[0] == '-' ? -value : value);
      return completed(tree);
    }
  }
  if (add_number(tree, from, text)) return completed(tree);
  const std::string_view digits = text.substr(text[0] == '-' || text[0] == '+' ? 1 : 0);
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    std::int64_t value = 0;
    const auto [stop, failed] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), value, 16);
    if (failed == std::errc{} && stop == digits.data() + digits.size() && value >= 0) {
      tree.add_integer(EdnKind::kInteger, from, text[0] == '-' ? -value : value);
      return completed(tree);
    }
    if (digits.substr(2).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos && digits.size() > 2) {
      tree.add(EdnKind::kSymbol, from, text);  // an address in #object[…]
      return completed(tree);
    }
  }
  const std::size_t slash = digits.find('/');
  if (slash != std::string_view::npos && slash + 1 < digits.size() && digits.find_first_not_of("0123456789") == slash &&
      digits.find_first_not_of("0123456789", slash + 1) == std::string_view::npos) {
    tree.add(EdnKind::kSymbol, from, text);
    return completed(tree);
  }
  return fail(from, fmt::format("expected a number, found `{}`", text.substr(0, 40)));
}

EdnReader::Step EdnReader::string(EdnTree& tree) {
  const std::uint64_t from = at_++;
  const char* const start = bytes_.data() + at_;
  const void* const quote = std::memchr(start, '"', bytes_.size() - at_);
  if (quote == nullptr) {
    const TextPlace place = place_of(bytes_, from);
    return fail_at_end(
        fmt::format("expected `\"` for the string at {}:{}, but the file ends", place.line, place.column));
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(quote) - start);
  if (std::memchr(start, '\\', length) != nullptr) return escaped_string(tree, from);
  if (length > UINT32_MAX) return fail(from, "expected a string of less than 4 GiB");
  tree.add(EdnKind::kString, from, {start, length});
  at_ += length + 1;
  return completed(tree);
}

EdnReader::Step EdnReader::escaped_string(EdnTree& tree, std::uint64_t from) {
  scratch_.clear();
  const auto cut = [&] {
    const TextPlace place = place_of(bytes_, from);
    return fail_at_end(
        fmt::format("expected `\"` for the string at {}:{}, but the file ends", place.line, place.column));
  };
  while (at_ < bytes_.size() && bytes_[at_] != '"') {
    if (bytes_[at_] != '\\') {
      scratch_ += bytes_[at_++];
      continue;
    }
    const std::uint64_t escape = at_++;
    if (at_ == bytes_.size()) return cut();
    const char c = bytes_[at_++];
    static constexpr std::string_view kFrom = "ntrbf\\\"'";
    static constexpr std::string_view kTo = "\n\t\r\b\f\\\"'";
    if (const std::size_t i = kFrom.find(c); i != std::string_view::npos) {
      scratch_ += kTo[i];
    } else if (c == 'u') {
      int code = code_of(bytes_.substr(at_), 4, 16);
      if (code < 0 && bytes_.size() - at_ < 4) return cut();
      if (code < 0) return fail(escape, "expected four hexadecimal digits after `\\u`");
      at_ += 4;
      if (is_high_surrogate(code) && bytes_.substr(at_).starts_with("\\u")) {
        const int low = code_of(bytes_.substr(at_ + 2), 4, 16);
        if (is_low_surrogate(low)) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          at_ += 6;
        }
      }
      if (is_high_surrogate(code) || is_low_surrogate(code)) code = 0xfffd;
      append_utf8(static_cast<std::uint32_t>(code), scratch_);
    } else if (c >= '0' && c <= '7') {
      std::uint32_t code = 0;
      --at_;
      for (int digit = 0; digit < 3 && at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '7'; ++digit) {
        code = code * 8 + static_cast<std::uint32_t>(bytes_[at_++] - '0');
      }
      append_utf8(code, scratch_);
    } else {
      return fail(escape, fmt::format("expected an escape such as \\n or \\u0041, found \\ and {}", shown(c)));
    }
  }
  if (at_ == bytes_.size()) return cut();
  ++at_;
  tree.add(EdnKind::kString, from, tree.keep(scratch_));
  return completed(tree);
}

EdnReader::Step EdnReader::character(EdnTree& tree) {
  const std::uint64_t from = at_++;
  if (at_ == bytes_.size()) return fail_at_end("expected a character after `\\`, but the file ends");
  if (static_cast<unsigned char>(bytes_[at_]) <= 0x20) return fail(from, "expected a character after `\\`");
  const std::uint64_t start = at_++;
  token();
  const std::string_view name = bytes_.substr(start, at_ - start);
  struct Named {
    std::string_view name, text;
  };
  static constexpr Named kNamed[] = {{"newline", "\n"}, {"space", " "},     {"tab", "\t"},
                                     {"return", "\r"},  {"formfeed", "\f"}, {"backspace", "\b"}};
  const auto known = std::find_if(std::begin(kNamed), std::end(kNamed), [&](const Named& n) { return n.name == name; });
  const auto lead = static_cast<unsigned char>(name[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (known != std::end(kNamed)) {
    tree.add(EdnKind::kCharacter, from, known->text);
  } else if (name.size() == length) {
    tree.add(EdnKind::kCharacter, from, name);
  } else if (const int code = name[0] == 'u' && name.size() == 5 ? code_of(name.substr(1), 4, 16) : -1; code >= 0) {
    scratch_.clear();
    const bool lone = is_high_surrogate(code) || is_low_surrogate(code);
    append_utf8(lone ? 0xfffd : static_cast<std::uint32_t>(code), scratch_);
    tree.add(EdnKind::kCharacter, from, tree.keep(scratch_));
  } else {
    return fail(from, fmt::format("expected a character, found `\\{}`", name.substr(0, 40)));
  }
  return completed(tree);
}

}  // namespace isolde
