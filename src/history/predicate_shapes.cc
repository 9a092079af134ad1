#include "history/predicate_shapes.h"

#include <simdjson.h>

#include <charconv>

#include "base/ascii.h"

namespace isolde {
namespace {

constexpr std::size_t kMaxShapes = 4096;
constexpr std::size_t kMaxShapedText = 2048;  // short enough for every limit that the parser sets
constexpr std::size_t kMaxDigits = 18;        // such an integer has 64 bits whatever its sign
constexpr char kIntegerMark = '\x01';
constexpr char kStringMark = '\x02';

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '$'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

}  // namespace

bool PredicateCompiler::take_string(std::string_view where, std::size_t& at) {
  Literal literal{.offset = at, .minus = std::string_view::npos, .is_string = true};
  for (++at; at < where.size(); ++at) {
    if (is_control(where[at])) return false;
    if (where[at] == '\'') {
      const bool doubled = at + 1 < where.size() && where[at + 1] == '\'';
      if (!doubled) break;
      ++at;
    }
    literal.text += where[at];
  }
  if (at == where.size()) return false;
  ++at;
  literals_.push_back(std::move(literal));
  shape_ += kStringMark;
  return true;
}

bool PredicateCompiler::take_shape(std::string_view where) {
  shape_.clear();
  literals_.clear();
  if (where.size() > kMaxShapedText || !simdjson::validate_utf8(where.data(), where.size())) return false;
  std::size_t minus = std::string_view::npos;  // of the last character that is no space, if that is a '-'
  for (std::size_t at = 0; at < where.size();) {
    const char c = where[at];
    const char next = at + 1 < where.size() ? where[at + 1] : ' ';
    if (is_control(c) || c == '$' || c == '&' || c == '.') return false;
    if ((c == '-' && next == '-') || (c == '/' && next == '*')) return false;
    if (c == '\'') {
      if (!take_string(where, at)) return false;
    } else if (c == '"') {
      const std::size_t end = where.find('"', at + 1);
      if (end == std::string_view::npos) return false;
      shape_ += where.substr(at, end + 1 - at);
      at = end + 1;
    } else if (starts_name(c)) {
      std::size_t end = at;
      while (end < where.size() && continues_name(where[end])) ++end;
      if (end < where.size() && where[end] == '\'') return false;  // E'…' and its like have rules of their own
      shape_ += where.substr(at, end - at);
      at = end;
    } else if (is_digit(c)) {
      std::size_t end = at;
      while (end < where.size() && is_digit(where[end])) ++end;
      if (end - at > kMaxDigits || (end < where.size() && (continues_name(where[end]) || where[end] == '.'))) {
        return false;
      }
      Literal literal{.offset = at, .minus = minus};
      std::from_chars(where.data() + at, where.data() + end, literal.integer);
      literals_.push_back(std::move(literal));
      shape_ += kIntegerMark;
      at = end;
    } else {
      shape_ += c;
      ++at;
      if (c == ' ') continue;
      minus = c == '-' ? at - 1 : std::string_view::npos;
      continue;
    }
    minus = std::string_view::npos;
  }
  return true;
}

void PredicateCompiler::fill(Expr& e, const Literal& literal, bool negated) {
  e.name = literal.text;
  e.literal = literal.is_string ? Scalar::of_text(ScalarKind::kString, e.name)
                                : Scalar::of_integer(negated ? -literal.integer : literal.integer);
}

// Finds the node of each literal by its place, or that of its sign, and by its value.
PredicateCompiler::Template PredicateCompiler::template_of(ExprTree tree) const {
  Template made{.tree = std::move(tree), .slots = {}};
  std::unordered_map<std::size_t, std::uint32_t> node_at;
  for (std::uint32_t i = 0; i < made.tree.nodes.size(); ++i) {
    const Expr& e = made.tree.nodes[i];
    if (e.kind != ExprKind::kLiteral || e.literal.is_null() || e.literal.kind == ScalarKind::kBoolean) continue;
    if (!node_at.emplace(e.offset, i).second) return made;
  }
  if (node_at.size() != literals_.size()) return made;
  for (const Literal& literal : literals_) {
    auto found = node_at.find(literal.offset);
    const bool negated = found == node_at.end();
    if (negated) found = node_at.find(literal.minus);
    if (found == node_at.end()) return made;
    const Expr& e = made.tree.nodes[found->second];
    const bool same = literal.is_string ? e.literal.kind == ScalarKind::kString && e.name == literal.text
                                        : e.literal.kind == ScalarKind::kInteger &&
                                              e.literal.integer == (negated ? -literal.integer : literal.integer);
    if (!same) return made;
    made.slots.push_back({found->second, negated});
  }
  made.usable = true;
  return made;
}

Result<CompiledPredicate> PredicateCompiler::compile(std::string_view where) {
  const bool has_shape = take_shape(where);
  if (has_shape) {
    const auto known = templates_.find(shape_);
    if (known != templates_.end() && known->second.usable) {
      Template& t = known->second;
      for (std::size_t i = 0; i < literals_.size(); ++i) {
        fill(t.tree.nodes[t.slots[i].node], literals_[i], t.slots[i].negated);
      }
      return CompiledPredicate::compile(t.tree, columns_);
    }
  }
  auto tree = parse_predicate(where);
  if (!tree) return std::move(tree).error();
  auto predicate = CompiledPredicate::compile(*tree, columns_);
  if (has_shape && predicate && templates_.size() < kMaxShapes)
    templates_.emplace(shape_, template_of(std::move(*tree)));
  return predicate;
}

}  // namespace isolde
