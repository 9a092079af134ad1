#include "history/predicate_aggregate.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace isolde {
namespace {

constexpr double kRealTolerance = 1e-9;
constexpr double kAverageTolerance = 0.00005000001;  // half of MySQL's last decimal, and the rounding of this number

__extension__ using Wide = __int128;

bool fits_64_bits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

// The digits of a wide integer, right-aligned in `buffer`.
std::string_view decimal_text(Wide value, char (&buffer)[48]) {
  char* const end = buffer + sizeof buffer;
  char* at = end;
  const bool negative = value < 0;
  do {
    const auto digit = static_cast<int>(value % 10);
    *--at = static_cast<char>('0' + (negative ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) *--at = '-';
  return {at, static_cast<std::size_t>(end - at)};
}

}  // namespace

Result<CompiledAggregate> CompiledAggregate::compile(std::string_view expression, const ColumnNames& columns) {
  auto tree = parse_aggregate(expression);
  if (!tree) return std::move(tree).error();
  CompiledAggregate aggregate;
  aggregate.kind_ = tree->kind;
  if (tree->kind == AggregateKind::kCountAll) return aggregate;
  auto program = compile_expression(tree->argument, columns);
  if (!program) return std::move(program).error();
  aggregate.argument_ = std::move(*program);
  return aggregate;
}

void AggregateState::add(ValueId key, ValueId version) {
  if (version == kNullValue) return;
  const AggregateKind kind = aggregate_->kind_;
  if (kind == AggregateKind::kCountAll) {
    ++count_;
    return;
  }
  const Scalar value = run(aggregate_->argument_, *values_, key, version, faults_);
  if (value.is_null()) return;
  switch (kind) {
    case AggregateKind::kCount:
      ++count_;
      return;
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      if (class_of(value) == 3 || (count_ > 0 && class_of(value) != class_of(extreme_))) {
        faults_ |= kKindsFault;
        return;
      }
      if (count_++ == 0 || (kind == AggregateKind::kMin ? index_less(value, extreme_) : index_less(extreme_, value))) {
        extreme_ = value;
      }
      return;
    default:
      add_number(value);
      return;
  }
}

void AggregateState::add_number(const Scalar& value) {
  if (!value.is_number()) {
    faults_ |= kKindsFault;
    return;
  }
  ++count_;
  const double real = nearest_real(value);
  magnitude_ += std::fabs(real);
  if (!std::isfinite(magnitude_)) faults_ |= kOverflowFault;
  if (value.kind == ScalarKind::kBoolean || value.kind == ScalarKind::kInteger) {
    integers_ += value.integer;  // 2^64 of them would be needed to overflow
    return;
  }
  if (value.kind == ScalarKind::kDecimal) faults_ |= kInexactFault;
  has_reals_ = true;
  const double next = reals_ + real;
  lost_ += std::fabs(reals_) >= std::fabs(real) ? (reals_ - next) + real : (real - next) + reals_;
  reals_ = next;
}

double AggregateState::sum() const { return static_cast<double>(integers_) + (reals_ + lost_); }

Scalar AggregateState::result() const {
  switch (aggregate_->kind_) {
    case AggregateKind::kCountAll:
    case AggregateKind::kCount:
      return Scalar::of_integer(count_);
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      return extreme_;
    case AggregateKind::kSum:
      if (count_ == 0) return {};
      if (!has_reals_ && fits_64_bits(integers_)) return Scalar::of_integer(static_cast<std::int64_t>(integers_));
      return std::isfinite(sum()) ? Scalar::of_real(sum()) : Scalar{};
    case AggregateKind::kAvg:
      if (count_ == 0 || !std::isfinite(sum())) return {};
      return Scalar::of_real(sum() / static_cast<double>(count_));
  }
  return {};
}

bool AggregateState::sum_agrees(const Scalar& recorded) const {
  if (has_reals_) return std::fabs(sum() - nearest_real(recorded)) <= kRealTolerance * magnitude_;
  char buffer[48];
  return compare(Scalar::of_text(ScalarKind::kDecimal, decimal_text(integers_, buffer)), recorded) == Order::kEqual;
}

bool AggregateState::average_agrees(const Scalar& recorded) const {
  const auto count = static_cast<double>(count_);
  if (has_reals_) return std::fabs(sum() / count - nearest_real(recorded)) <= kRealTolerance * magnitude_ / count;
  // The whole part apart, so that a large average keeps its fraction.
  const Wide whole = integers_ / count_;
  const double fraction = static_cast<double>(integers_ % count_) / count;
  double difference = 0;
  if (recorded.kind == ScalarKind::kInteger) {
    difference = static_cast<double>(whole - recorded.integer) + fraction;
  } else {
    difference = (static_cast<double>(whole) - nearest_real(recorded)) + fraction;
  }
  const double average = std::fabs(static_cast<double>(whole));
  return std::fabs(difference) <= std::max(kAverageTolerance, kRealTolerance * average);
}

bool AggregateState::agrees(ValueId recorded) const {
  const Scalar value = scalar_of(*values_, recorded);
  const AggregateKind kind = aggregate_->kind_;
  const bool is_count = kind == AggregateKind::kCountAll || kind == AggregateKind::kCount;
  if (value.is_null() || (count_ == 0 && !is_count)) return value.is_null() && count_ == 0 && !is_count;
  if (class_of(value) == 3) return false;
  if (kind == AggregateKind::kSum || kind == AggregateKind::kAvg) {
    if (!value.is_number()) return false;
    return kind == AggregateKind::kSum ? sum_agrees(value) : average_agrees(value);
  }
  return compare(result(), value) == Order::kEqual;
}

}  // namespace isolde
