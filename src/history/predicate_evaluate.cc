// Runs a PredicateProgram over one version: a loop over its steps and a stack of scalars.
#include <algorithm>
#include <cmath>
#include <limits>

#include "history/predicate.h"

namespace isolde {
namespace {

Truth holds(ExprKind kind, Order order) {
  bool result = false;
  switch (kind) {
    case ExprKind::kEqual:
      result = order == Order::kEqual;
      break;
    case ExprKind::kNotEqual:
      result = order != Order::kEqual;
      break;
    case ExprKind::kLess:
      result = order == Order::kLess;
      break;
    case ExprKind::kLessEqual:
      result = order != Order::kGreater;
      break;
    case ExprKind::kGreater:
      result = order == Order::kGreater;
      break;
    default:
      result = order != Order::kLess;
      break;
  }
  return result ? Truth::kTrue : Truth::kFalse;
}

Truth comparison(ExprKind kind, const Scalar& a, const Scalar& b, std::uint8_t& faults) {
  if (a.is_null() || b.is_null()) return Truth::kUnknown;
  const Order order = compare(a, b);
  if (order == Order::kNone) {
    faults |= kKindsFault;
    return Truth::kUnknown;
  }
  return holds(kind, order);
}

Truth conjunction(Truth a, Truth b) {
  if (a == Truth::kFalse || b == Truth::kFalse) return Truth::kFalse;
  return a == Truth::kTrue && b == Truth::kTrue ? Truth::kTrue : Truth::kUnknown;
}
Truth disjunction(Truth a, Truth b) {
  if (a == Truth::kTrue || b == Truth::kTrue) return Truth::kTrue;
  return a == Truth::kFalse && b == Truth::kFalse ? Truth::kFalse : Truth::kUnknown;
}
Truth negation(Truth a) { return a == Truth::kUnknown ? a : a == Truth::kTrue ? Truth::kFalse : Truth::kTrue; }

// Two unequal kinds are distinct; a NULL is distinct from all but NULL.
bool distinct(const Scalar& a, const Scalar& b) {
  if (a.is_null() || b.is_null()) return a.is_null() != b.is_null();
  return compare(a, b) != Order::kEqual;
}

bool is_whole(const Scalar& s) { return s.kind == ScalarKind::kBoolean || s.kind == ScalarKind::kInteger; }

Scalar finite(double value, std::uint8_t& faults) {
  if (std::isfinite(value)) return Scalar::of_real(value);
  faults |= kOverflowFault;
  return {};
}

Scalar arithmetic_on_integers(ExprKind kind, std::int64_t a, std::int64_t b, std::uint8_t& faults) {
  std::int64_t result = 0;
  bool overflow = false;
  if ((kind == ExprKind::kDivide || kind == ExprKind::kModulo) && b == 0) {
    faults |= kDivisionByZeroFault;
    return {};
  }
  switch (kind) {
    case ExprKind::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case ExprKind::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case ExprKind::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case ExprKind::kDivide:
      overflow = b == -1 && a == std::numeric_limits<std::int64_t>::min();
      if (!overflow) result = a / b;
      break;
    default:
      result = b == -1 ? 0 : a % b;
      break;
  }
  if (!overflow) return Scalar::of_integer(result);
  faults |= kOverflowFault;
  return {};
}

Scalar arithmetic(ExprKind kind, const Scalar& a, const Scalar& b, std::uint8_t& faults) {
  if (a.is_null() || b.is_null()) return {};
  if (!a.is_number() || !b.is_number()) {
    faults |= kKindsFault;
    return {};
  }
  if (is_whole(a) && is_whole(b)) return arithmetic_on_integers(kind, a.integer, b.integer, faults);
  if (a.kind == ScalarKind::kDecimal || b.kind == ScalarKind::kDecimal) faults |= kInexactFault;
  const double x = nearest_real(a);
  const double y = nearest_real(b);
  if ((kind == ExprKind::kDivide || kind == ExprKind::kModulo) && y == 0) {
    faults |= kDivisionByZeroFault;
    return {};
  }
  switch (kind) {
    case ExprKind::kAdd:
      return finite(x + y, faults);
    case ExprKind::kSubtract:
      return finite(x - y, faults);
    case ExprKind::kMultiply:
      return finite(x * y, faults);
    case ExprKind::kDivide:
      return finite(x / y, faults);
    default:
      return finite(std::fmod(x, y), faults);
  }
}

Scalar negated(const Scalar& s, std::uint8_t& faults) {
  if (s.kind == ScalarKind::kReal) return Scalar::of_real(-s.real);
  return arithmetic(ExprKind::kSubtract, Scalar::of_integer(0), s, faults);
}

Scalar absolute(const Scalar& s, std::uint8_t& faults) {
  if (s.kind == ScalarKind::kReal) return Scalar::of_real(std::fabs(s.real));
  if (is_whole(s) && s.integer >= 0) return Scalar::of_integer(s.integer);
  if (s.kind == ScalarKind::kDecimal) {
    faults |= kInexactFault;
    return finite(std::fabs(nearest_real(s)), faults);
  }
  return negated(s, faults);
}

Truth among_integers(const Scalar& x, std::span<const Scalar> sorted, std::uint8_t& faults) {
  if (x.is_null()) return Truth::kUnknown;
  if (!x.is_number()) {
    faults |= kKindsFault;
    return Truth::kUnknown;
  }
  return std::binary_search(sorted.begin(), sorted.end(), x, index_less) ? Truth::kTrue : Truth::kFalse;
}

Truth between(const Scalar& x, const Scalar& low, const Scalar& high, std::uint8_t& faults) {
  return conjunction(comparison(ExprKind::kGreaterEqual, x, low, faults),
                     comparison(ExprKind::kLessEqual, x, high, faults));
}

// The columns of one version.
class Columns {
 public:
  Columns(const PredicateProgram& program, const ValueTable& values, ValueId version)
      : program_(program), values_(values), version_(version) {
    is_row_ = is_table_value(version) && values.type(version) == ValueType::kRow;
    if (is_row_) row_ = values.row(version);
  }
  [[nodiscard]] Scalar column(std::uint16_t place) const {
    const ValueId name = program_.columns[place];
    for (const RowField& field : row_) {
      if (field.name == name) return scalar_of(values_, field.value);
    }
    return {};
  }
  [[nodiscard]] Scalar value(std::uint16_t place) const {
    return is_row_ ? column(place) : scalar_of(values_, version_);
  }

 private:
  const PredicateProgram& program_;
  const ValueTable& values_;
  ValueId version_;
  bool is_row_;
  std::span<const RowField> row_;
};

}  // namespace

Scalar run(const PredicateProgram& program, const ValueTable& values, ValueId key, ValueId version,
           std::uint8_t& faults) {
  const Columns columns(program, values, version);
  // Not initialised as a whole: a step writes a slot before any reads it.
  union Stack {
    Stack() {}
    Scalar slot[kMaxPredicateStack];
  } stack;
  Scalar* top = stack.slot - 1;
  const std::size_t count = program.steps.size();
  for (std::size_t at = 0; at < count; ++at) {
    const PredicateStep step = program.steps[at];
    const auto kind = static_cast<ExprKind>(step.detail);
    switch (step.op) {
      case PredicateOp::kColumn:
        *++top = columns.column(step.a);
        break;
      case PredicateOp::kKey:
        *++top = scalar_of(values, key);
        break;
      case PredicateOp::kValue:
        *++top = columns.value(step.a);
        break;
      case PredicateOp::kLiteral:
        *++top = program.literals[step.a];
        break;
      case PredicateOp::kCompareColumn:
        *++top = Scalar::of_truth(comparison(kind, columns.column(step.a), program.literals[step.b], faults));
        break;
      case PredicateOp::kCompare:
        --top;
        *top = Scalar::of_truth(comparison(kind, top[0], top[1], faults));
        break;
      case PredicateOp::kDistinct:
        --top;
        *top = Scalar::of_boolean(distinct(top[0], top[1]));
        break;
      case PredicateOp::kBetween:
        top -= 2;
        *top = Scalar::of_truth(between(top[0], top[1], top[2], faults));
        break;
      case PredicateOp::kInStep: {
        --top;
        const Truth found = truth_of(top[0], faults);
        if (found != Truth::kTrue) {
          *top = Scalar::of_truth(disjunction(found, comparison(ExprKind::kEqual, top[-1], top[1], faults)));
        }
        break;
      }
      case PredicateOp::kInEnd:
        --top;
        *top = top[1];
        break;
      case PredicateOp::kInIntegers:
        *top = Scalar::of_truth(among_integers(*top, std::span(program.literals).subspan(step.a, step.b), faults));
        break;
      case PredicateOp::kNot:
        *top = Scalar::of_truth(negation(truth_of(*top, faults)));
        break;
      case PredicateOp::kAnd:
        --top;
        *top = Scalar::of_truth(conjunction(truth_of(top[0], faults), truth_of(top[1], faults)));
        break;
      case PredicateOp::kOr:
        --top;
        *top = Scalar::of_truth(disjunction(truth_of(top[0], faults), truth_of(top[1], faults)));
        break;
      case PredicateOp::kSkipFalse:
      case PredicateOp::kSkipTrue: {
        const Truth stop = step.op == PredicateOp::kSkipTrue ? Truth::kTrue : Truth::kFalse;
        if (truth_of(*top, faults) != stop) break;
        *top = Scalar::of_truth(stop);  // the result is a boolean even where a number decided it
        at = step.b - 1;
        break;
      }
      case PredicateOp::kSkipNotNull:
        if (!top->is_null()) at = step.b - 1;
        break;
      case PredicateOp::kDrop:
        --top;
        break;
      case PredicateOp::kIsNull:
        *top = Scalar::of_boolean(top->is_null());
        break;
      case PredicateOp::kIsTrue:
        *top = Scalar::of_boolean(truth_of(*top, faults) == Truth::kTrue);
        break;
      case PredicateOp::kIsFalse:
        *top = Scalar::of_boolean(truth_of(*top, faults) == Truth::kFalse);
        break;
      case PredicateOp::kLike:
        --top;
        *top = Scalar::of_truth(like(top[0], top[1], static_cast<char>(step.a), step.detail != 0, faults));
        break;
      case PredicateOp::kArithmetic:
        --top;
        *top = arithmetic(kind, top[0], top[1], faults);
        break;
      case PredicateOp::kNegate:
        *top = negated(*top, faults);
        break;
      case PredicateOp::kAbs:
        *top = absolute(*top, faults);
        break;
      case PredicateOp::kFold:
      case PredicateOp::kLength:
        if (top->is_null()) break;
        if (top->kind != ScalarKind::kString) {
          faults |= kKindsFault;
          *top = {};
        } else if (step.op == PredicateOp::kLength) {
          *top = Scalar::of_integer(character_count(top->string()));
        } else {
          top->fold = static_cast<Fold>(step.detail);
        }
        break;
    }
  }
  return *top;
}

Evaluation CompiledPredicate::evaluate(const ValueTable& values, ValueId key, ValueId version) const {
  Evaluation result{.truth = Truth::kFalse};
  if (version == kNullValue) return result;
  result.truth = truth_of(run(program_, values, key, version, result.faults), result.faults);
  return result;
}

std::uint8_t CompiledPredicate::evaluate_all(const ValueTable& values, std::span<const ValueId> keys,
                                             std::span<const ValueId> versions, std::span<Truth> results) const {
  std::uint8_t faults = kNoFault;
  const bool all = is_true();
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (all || versions[i] == kNullValue) {
      results[i] = versions[i] == kNullValue ? Truth::kFalse : Truth::kTrue;
    } else {
      results[i] = truth_of(run(program_, values, keys[i], versions[i], faults), faults);
    }
  }
  return faults;
}

}  // namespace isolde
