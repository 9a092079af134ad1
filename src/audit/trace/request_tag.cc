#include "audit/trace/request_tag.h"

#include <algorithm>
#include <optional>

#include "audit/trace/sql_scan.h"

namespace isolde::audit {
namespace {

constexpr std::size_t kLongestComment = 2000;  // longer ones are no tags

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_no_comment(std::string_view inside) { return inside.starts_with('!') || inside.starts_with('+'); }

// The comment at the end; empty: none.
std::string_view comment_behind(std::string_view sql) {
  if (!sql.ends_with("*/") || sql.size() < 4) return {};
  const std::size_t begin = sql.rfind("/*", sql.size() - 3);
  if (begin == std::string_view::npos || begin + 4 > sql.size()) return {};
  const std::string_view inside = sql.substr(begin + 2, sql.size() - begin - 4);
  return inside.size() > kLongestComment || is_no_comment(inside) ? std::string_view() : inside;
}

std::string_view comment_before(std::string_view sql) {
  if (!sql.starts_with("/*")) return {};
  const std::size_t end = sql.find("*/", 2);
  if (end == std::string_view::npos) return {};
  const std::string_view inside = sql.substr(2, end - 2);
  return inside.size() > kLongestComment || is_no_comment(inside) ? std::string_view() : inside;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// %2F and, inside of quotes, \' are undone.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    }
  }
  return out;
}

struct TagPair {
  std::string_view key;
  std::string value;
};

// The next key='value' or key:value; none: no pair is left, or this is no tag.
std::optional<TagPair> take_pair(std::string_view& rest) {
  rest = without_blanks(rest);
  std::size_t name = 0;
  while (name < rest.size() && (is_word_char(rest[name]) || rest[name] == '-' || rest[name] == '.')) ++name;
  if (name == 0 || name == rest.size()) return std::nullopt;
  TagPair out{rest.substr(0, name), {}};
  rest = without_blanks(rest.substr(name));
  if (rest.empty() || (rest.front() != '=' && rest.front() != ':')) return std::nullopt;
  rest = without_blanks(rest.substr(1));
  std::size_t end = 0;
  if (rest.starts_with('\'')) {
    end = 1;
    while (end < rest.size() && rest[end] != '\'') end += rest[end] == '\\' ? 2 : 1;
    end = std::min(end, rest.size());
    out.value = decoded(rest.substr(1, end - 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    end = std::min(rest.find(','), rest.size());
  } else {
    end = std::min(rest.find(','), rest.size());
    out.value = decoded(without_blanks(rest.substr(0, end)));
  }
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return out;
}

// 00-<trace id>-<span>-<flags>: the trace is the request, a span one of its parts.
std::string trace_id(const std::string& traceparent) {
  const std::size_t first = traceparent.find('-');
  const std::size_t second = first == std::string::npos ? first : traceparent.find('-', first + 1);
  return second == std::string::npos ? std::string() : traceparent.substr(first + 1, second - first - 1);
}

RequestTag tag_of(std::string_view comment) {
  RequestTag out;
  std::string controller, action, route;
  while (const auto pair = take_pair(comment)) {
    if (is_any(pair->key, {"traceparent"})) {
      if (std::string id = trace_id(pair->value); !id.empty()) out.id = std::move(id);
    } else if (is_any(pair->key, {"request_id", "request-id", "x-request-id", "requestid", "trace_id", "traceid"})) {
      if (out.id.empty()) out.id = pair->value;
    } else if (is_any(pair->key, {"controller", "controller_with_namespace"})) {
      controller = pair->value;
    } else if (is_any(pair->key, {"action"})) {
      action = pair->value;
    } else if (is_any(pair->key, {"route", "view", "job"})) {
      route = pair->value;
    }
  }
  out.kind = controller.empty() ? (route.empty() ? action : route)
             : action.empty()   ? controller
                                : controller + "#" + action;
  return out;
}

}  // namespace

RequestTag request_tag(std::string_view sql) {
  sql = without_blanks(sql);
  for (const std::string_view comment : {comment_behind(sql), comment_before(sql)}) {
    if (comment.empty()) continue;
    if (RequestTag tag = tag_of(comment); !tag.empty()) return tag;
  }
  return {};
}

}  // namespace isolde::audit
