#include "check/cycles/match.h"

#include <algorithm>
#include <limits>

namespace isolde::graph {
namespace {

bool is_integer(const std::optional<Scalar>& bound) { return !bound || bound->kind == ScalarKind::kInteger; }

// The column that the range is about; none: it has no index.
ValueId column_of(const PredicateRange& range) {
  if (range.subject == PredicateRange::Subject::kKey) return kKeyColumn;
  return range.subject == PredicateRange::Subject::kColumn ? range.column : kNoColumn;
}

// Whether the range is one of integers over a column.
bool is_plain(const PredicateRange& range) {
  return column_of(range) != kNoColumn && is_integer(range.low) && is_integer(range.high);
}

// Whether the condition compares integers with integers only, so that what its ranges rule out is ruled out.
bool never_faults(const CompiledPredicate& condition, Slots& slots) {
  if (condition.uses_value() || (condition.uses_key() && !slots.is_all_integers(kKeyColumn))) return false;
  const PredicateProgram& program = condition.program();
  const auto compares = [](const PredicateStep& step) {
    return step.op != PredicateOp::kLike && step.op != PredicateOp::kArithmetic && step.op != PredicateOp::kNegate &&
           step.op != PredicateOp::kAbs && step.op != PredicateOp::kFold && step.op != PredicateOp::kLength;
  };
  const auto is_number = [](const Scalar& s) { return s.kind == ScalarKind::kInteger || s.is_null(); };
  return std::all_of(program.steps.begin(), program.steps.end(), compares) &&
         std::all_of(program.literals.begin(), program.literals.end(), is_number) &&
         std::all_of(program.columns.begin(), program.columns.end(),
                     [&](ValueId name) { return name == kNoColumn || slots.is_all_integers(name); });
}

}  // namespace

Matcher::Matcher(const History& history, Slots& slots, const CompiledPredicate& condition)
    : h_(&history), slots_(&slots), condition_(&condition) {
  const auto& ranges = condition.ranges();
  if (ranges.empty()) return;
  is_whole_ = ranges[0].all_whole && ranges.size() <= kMostBounds;
  for (const PredicateRange& range : ranges) {
    if (count_ == kMostBounds) break;
    if (!is_plain(range)) {
      is_whole_ = false;
      continue;
    }
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    std::int64_t low = range.low ? range.low->integer : kLeast;
    std::int64_t high = range.high ? range.high->integer : kMost;
    // Above the greatest integer, and below the least, there is none.
    const bool none =
        (range.low && !range.low_included && low == kMost) || (range.high && !range.high_included && high == kLeast);
    if (!none && range.low && !range.low_included) ++low;
    if (!none && range.high && !range.high_included) --high;
    bounds_[count_++] = {&slots.column(column_of(range)), none ? kMost : low, none ? kLeast : high};
  }
  if (!is_whole_ && !never_faults(condition, slots)) count_ = 0;
}

Match Matcher::of_value(KeyId key, ValueId value) const {
  slots_->count_questions(kQuestionsPerValue);
  const Evaluation e = condition_->evaluate(h_->values(), h_->columns().key_name[raw(key)], value);
  if (e.faults != kNoFault) return Match::kFault;
  return match_of(e.matches());
}

std::optional<std::vector<Slot>> Matcher::matching() const {
  const auto& ranges = condition_->ranges();
  if (ranges.empty() || !is_plain(ranges[0])) return std::nullopt;
  const PredicateRange& range = ranges[0];
  if (!never_faults(*condition_, *slots_)) return std::nullopt;
  const std::vector<Scalar>& scalars = slots_->column(column_of(range));
  const std::vector<Slot>& order = slots_->by_column(column_of(range));
  const auto low =
      std::partition_point(order.begin(), order.end(), [&](Slot s) { return range.is_before(scalars[s]); });
  const auto high = std::partition_point(low, order.end(), [&](Slot s) { return !range.is_after(scalars[s]); });
  if (static_cast<std::size_t>(high - low) > order.size() / 4) return std::nullopt;
  std::vector<Slot> found;
  for (auto at = low; at != high; ++at) {
    const Match match = range.is_whole && !scalars[*at].is_null() ? Match::kYes : of(*at);
    if (match == Match::kFault) return std::nullopt;
    if (match == Match::kYes) found.push_back(*at);
  }
  slots_->count_questions(kQuestionsPerFound * found.size());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace isolde::graph
