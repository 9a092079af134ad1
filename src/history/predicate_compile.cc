// ExprTree -> PredicateProgram. Steps are in postfix order; AND, OR and coalesce skip what cannot matter any more.
#include <fmt/format.h>

#include <algorithm>

#include "history/predicate.h"

namespace isolde {
namespace {

bool is_comparison(ExprKind kind) { return kind >= ExprKind::kEqual && kind <= ExprKind::kGreaterEqual; }

class Compiler {
 public:
  Compiler(const ExprTree& tree, const ColumnNames& columns) : tree_(tree), columns_(columns) {}

  Result<PredicateProgram> compile() {
    gather_text();
    expression(tree_.root());
    if (deepest_ > kMaxPredicateStack) {
      return Error{.text = fmt::format("the expression holds more than {} values at once", kMaxPredicateStack),
                   .line = 1,
                   .column = 1};
    }
    return std::move(program_);
  }

 private:
  // All text goes to one string first, so that literals can view it.
  void gather_text() {
    auto text = std::make_shared<std::string>();
    for (const Expr& e : tree_.nodes) {
      if (e.kind == ExprKind::kLiteral) *text += e.name;
    }
    literal_of_ = literals_of(tree_, *text);
    program_.text = std::move(text);
  }

  void emit(PredicateOp op, std::uint8_t detail = 0, std::uint16_t a = 0, std::uint32_t b = 0) {
    program_.steps.push_back({op, detail, a, b});
  }
  void push(int count) {
    depth_ += count;
    deepest_ = std::max(deepest_, depth_);
  }

  std::uint16_t column(const Expr& e) {
    const ValueId name = column_of(e, columns_);
    const auto found = std::find(program_.columns.begin(), program_.columns.end(), name);
    const auto place = static_cast<std::uint16_t>(found - program_.columns.begin());
    if (found == program_.columns.end()) program_.columns.push_back(name);
    return place;
  }
  std::uint16_t literal(std::uint32_t index) {
    program_.literals.push_back(literal_of_[index]);
    return static_cast<std::uint16_t>(program_.literals.size() - 1);
  }

  // Every expression leaves one value more than it found. Depth is bounded by the parser (kMaxPredicateDepth).
  void expression(std::uint32_t index) {
    const Expr& e = tree_.nodes[index];
    switch (e.kind) {
      case ExprKind::kLiteral:
        emit(PredicateOp::kLiteral, 0, literal(index));
        return push(1);
      case ExprKind::kColumn:
        emit(PredicateOp::kColumn, 0, column(e));
        return push(1);
      case ExprKind::kKey:
        emit(PredicateOp::kKey);
        return push(1);
      case ExprKind::kValue:
        emit(PredicateOp::kValue, 0, column(e));
        return push(1);
      case ExprKind::kAnd:
        return connective(e, PredicateOp::kAnd, PredicateOp::kSkipFalse);
      case ExprKind::kOr:
        return connective(e, PredicateOp::kOr, PredicateOp::kSkipTrue);
      case ExprKind::kCoalesce:
        return connective(e, PredicateOp::kDrop, PredicateOp::kSkipNotNull);
      case ExprKind::kIn:
        return in(e);
      default:
        break;
    }
    if (is_comparison(e.kind) && fused_comparison(e)) return;
    for (std::uint32_t i = 0; i < e.child_count; ++i) expression(tree_.child(e, i));
    operation(e);
    push(1 - static_cast<int>(e.child_count));
  }

  // a AND b AND c: a, skip if false, b, and, skip if false, c, and. coalesce: a, skip if not null, drop, b, …
  void connective(const Expr& e, PredicateOp combine, PredicateOp skip) {
    std::vector<std::size_t> skips;
    for (std::uint32_t i = 0; i < e.child_count; ++i) {
      if (i > 0) {
        skips.push_back(program_.steps.size());
        emit(skip);
        if (combine == PredicateOp::kDrop) {
          emit(combine);
          push(-1);
        }
      }
      expression(tree_.child(e, i));
      if (i > 0 && combine != PredicateOp::kDrop) {
        emit(combine);
        push(-1);
      }
    }
    for (const std::size_t place : skips) program_.steps[place].b = static_cast<std::uint32_t>(program_.steps.size());
  }

  // `column op literal` or `literal op column`, with neither NULL: one step.
  bool fused_comparison(const Expr& e) {
    std::uint32_t left = tree_.child(e, 0), right = tree_.child(e, 1);
    ExprKind kind = e.kind;
    if (tree_.nodes[left].kind == ExprKind::kLiteral) {
      std::swap(left, right);
      kind = mirrored(kind);
    }
    if (tree_.nodes[left].kind != ExprKind::kColumn || tree_.nodes[right].kind != ExprKind::kLiteral) return false;
    if (tree_.nodes[right].literal.is_null()) return false;
    const std::uint16_t place = column(tree_.nodes[left]);
    emit(PredicateOp::kCompareColumn, static_cast<std::uint8_t>(kind), place, literal(right));
    push(1);
    return true;
  }

  static ExprKind mirrored(ExprKind kind) {
    switch (kind) {
      case ExprKind::kLess:
        return ExprKind::kGreater;
      case ExprKind::kLessEqual:
        return ExprKind::kGreaterEqual;
      case ExprKind::kGreater:
        return ExprKind::kLess;
      case ExprKind::kGreaterEqual:
        return ExprKind::kLessEqual;
      default:
        return kind;
    }
  }

  void in(const Expr& e) {
    expression(tree_.child(e, 0));
    bool all_integers = e.child_count > 1;
    for (std::uint32_t i = 1; i < e.child_count; ++i) {
      const Expr& item = tree_.nodes[tree_.child(e, i)];
      all_integers &= item.kind == ExprKind::kLiteral && item.literal.kind == ScalarKind::kInteger;
    }
    if (all_integers) {
      const std::size_t first = program_.literals.size();
      for (std::uint32_t i = 1; i < e.child_count; ++i) literal(tree_.child(e, i));
      std::sort(program_.literals.begin() + static_cast<std::ptrdiff_t>(first), program_.literals.end(), index_less);
      return emit(PredicateOp::kInIntegers, 0, static_cast<std::uint16_t>(first), e.child_count - 1);
    }
    program_.literals.push_back(Scalar::of_boolean(false));
    emit(PredicateOp::kLiteral, 0, static_cast<std::uint16_t>(program_.literals.size() - 1));
    push(1);
    for (std::uint32_t i = 1; i < e.child_count; ++i) {
      expression(tree_.child(e, i));
      emit(PredicateOp::kInStep);
      push(-1);
    }
    emit(PredicateOp::kInEnd);
    push(-1);
  }

  void operation(const Expr& e) {
    const auto kind = static_cast<std::uint8_t>(e.kind);
    switch (e.kind) {
      case ExprKind::kNot:
        return emit(PredicateOp::kNot);
      case ExprKind::kEqual:
      case ExprKind::kNotEqual:
      case ExprKind::kLess:
      case ExprKind::kLessEqual:
      case ExprKind::kGreater:
      case ExprKind::kGreaterEqual:
        return emit(PredicateOp::kCompare, kind);
      case ExprKind::kDistinct:
        return emit(PredicateOp::kDistinct);
      case ExprKind::kBetween:
        return emit(PredicateOp::kBetween);
      case ExprKind::kIsNull:
        return emit(PredicateOp::kIsNull);
      case ExprKind::kIsTrue:
        return emit(PredicateOp::kIsTrue);
      case ExprKind::kIsFalse:
        return emit(PredicateOp::kIsFalse);
      case ExprKind::kLike:
        return emit(PredicateOp::kLike, e.ignore_case ? 1 : 0, static_cast<unsigned char>(e.escape));
      case ExprKind::kAdd:
      case ExprKind::kSubtract:
      case ExprKind::kMultiply:
      case ExprKind::kDivide:
      case ExprKind::kModulo:
        return emit(PredicateOp::kArithmetic, kind);
      case ExprKind::kNegate:
        return emit(PredicateOp::kNegate);
      case ExprKind::kAbs:
        return emit(PredicateOp::kAbs);
      case ExprKind::kLower:
        return emit(PredicateOp::kFold, static_cast<std::uint8_t>(Fold::kLower));
      case ExprKind::kUpper:
        return emit(PredicateOp::kFold, static_cast<std::uint8_t>(Fold::kUpper));
      case ExprKind::kLength:
        return emit(PredicateOp::kLength);
      default:
        return;
    }
  }

  const ExprTree& tree_;
  const ColumnNames& columns_;
  PredicateProgram program_;
  std::vector<Scalar> literal_of_;
  int depth_ = 0;
  int deepest_ = 0;
};

}  // namespace

ColumnNames::ColumnNames(const ValueTable& values) {
  std::vector<bool> seen(values.size(), false);
  for (std::size_t entry = 0; entry < values.size(); ++entry) {
    const ValueId row{kFirstTableValue + static_cast<std::uint32_t>(entry)};
    if (values.type(row) != ValueType::kRow) continue;
    for (const RowField& field : values.row(row)) {
      const std::uint32_t name = raw(field.name) - kFirstTableValue;
      if (seen[name]) continue;
      seen[name] = true;
      add(values.string(field.name), field.name);
    }
  }
}

std::optional<ValueId> ColumnNames::find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

// PostgreSQL's folded name counts; where no row has it, the name as it was written (other databases keep its case).
ValueId column_of(const Expr& e, const ColumnNames& columns) {
  if (const auto id = columns.find(e.name)) return *id;
  return e.written.empty() ? kNoColumn : columns.find(e.written).value_or(kNoColumn);
}

std::vector<Scalar> literals_of(const ExprTree& tree, std::string_view text) {
  std::vector<Scalar> literals(tree.nodes.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Expr& e = tree.nodes[i];
    if (e.kind != ExprKind::kLiteral) continue;
    const bool is_text = e.literal.kind == ScalarKind::kString || e.literal.kind == ScalarKind::kDecimal;
    literals[i] = is_text ? Scalar::of_text(e.literal.kind, text.substr(at, e.name.size())) : e.literal;
    at += e.name.size();
  }
  return literals;
}

Result<PredicateProgram> compile_expression(const ExprTree& tree, const ColumnNames& columns) {
  return Compiler(tree, columns).compile();
}

Result<CompiledPredicate> CompiledPredicate::compile(const ExprTree& tree, const ColumnNames& columns) {
  auto program = compile_expression(tree, columns);
  if (!program) return std::move(program).error();
  CompiledPredicate predicate;
  predicate.program_ = std::move(*program);
  predicate.ranges_ = ranges_of(tree, columns, *predicate.program_.text);
  for (const Expr& e : tree.nodes) {
    predicate.uses_key_ |= e.kind == ExprKind::kKey;
    predicate.uses_value_ |= e.kind == ExprKind::kValue;
  }
  return predicate;
}

Result<CompiledPredicate> CompiledPredicate::compile(std::string_view where, const ColumnNames& columns) {
  auto tree = parse_predicate(where);
  if (!tree) return std::move(tree).error();
  return compile(*tree, columns);
}

bool CompiledPredicate::is_true() const {
  return program_.steps.size() == 1 && program_.steps[0].op == PredicateOp::kLiteral &&
         program_.literals[0].kind == ScalarKind::kBoolean && program_.literals[0].integer != 0;
}

}  // namespace isolde
