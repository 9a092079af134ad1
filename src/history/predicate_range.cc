// The ranges that a conjunction confines single columns to. Only comparisons of a column with literals count; what else
// the conjunction says stays with the predicate (is_whole is then false).
#include <algorithm>
#include <utility>

#include "history/predicate.h"

namespace isolde {
namespace {

using Subject = PredicateRange::Subject;

class RangeFinder {
 public:
  RangeFinder(const ExprTree& tree, const ColumnNames& columns, std::string_view text)
      : tree_(tree), columns_(columns), literals_(literals_of(tree, text)) {}

  std::vector<PredicateRange> find() {
    // NOT (a OR b) is NOT a AND NOT b, and NOT (c < 1) is c >= 1: also where c is NULL, which neither matches.
    std::vector<std::pair<std::uint32_t, bool>> pending{{tree_.root(), false}};
    while (!pending.empty()) {
      const auto [node, negated] = pending.back();
      const Expr& e = tree_.nodes[node];
      pending.pop_back();
      if (e.kind == ExprKind::kNot) {
        pending.emplace_back(tree_.child(e, 0), !negated);
      } else if (e.kind == (negated ? ExprKind::kOr : ExprKind::kAnd)) {
        for (std::uint32_t i = 0; i < e.child_count; ++i) pending.emplace_back(tree_.child(e, i), negated);
      } else if (!conjunct(e, negated ? opposite(e.kind) : e.kind)) {
        all_taken_ = false;
      }
    }
    if (all_taken_ && ranges_.size() == 1) ranges_[0].is_whole = true;
    for (PredicateRange& range : ranges_) range.all_whole = all_taken_;
    const auto narrowness = [](const PredicateRange& r) { return r.is_point() ? 0 : r.low && r.high ? 1 : 2; };
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [&](const PredicateRange& a, const PredicateRange& b) { return narrowness(a) < narrowness(b); });
    return std::move(ranges_);
  }

 private:
  [[nodiscard]] bool is_bound(std::uint32_t node) const {
    return tree_.nodes[node].kind == ExprKind::kLiteral && !literals_[node].is_null();
  }
  [[nodiscard]] bool is_subject(std::uint32_t node) const {
    const ExprKind kind = tree_.nodes[node].kind;
    return kind == ExprKind::kColumn || kind == ExprKind::kKey || kind == ExprKind::kValue;
  }

  // The comparison that holds where this one is false; kNot: there is none.
  static ExprKind opposite(ExprKind kind) {
    switch (kind) {
      case ExprKind::kLess:
        return ExprKind::kGreaterEqual;
      case ExprKind::kLessEqual:
        return ExprKind::kGreater;
      case ExprKind::kGreater:
        return ExprKind::kLessEqual;
      case ExprKind::kGreaterEqual:
        return ExprKind::kLess;
      case ExprKind::kNotEqual:
        return ExprKind::kEqual;
      default:
        return ExprKind::kNot;
    }
  }

  // Takes what `e`, as if it were of this kind, says of one column; false if that is not all that it says.
  bool conjunct(const Expr& e, ExprKind kind) {
    if (e.child_count < 2 || !is_subject(tree_.child(e, 0))) return e.child_count == 2 && mirrored(e, kind);
    const std::uint32_t subject = tree_.child(e, 0);
    for (std::uint32_t i = 1; i < e.child_count; ++i) {
      if (!is_bound(tree_.child(e, i))) return false;
    }
    const Scalar& first = literals_[tree_.child(e, 1)];
    switch (kind) {
      case ExprKind::kEqual:
        return confine(subject, first, true, first, true);
      case ExprKind::kLess:
      case ExprKind::kLessEqual:
        return confine(subject, std::nullopt, true, first, kind == ExprKind::kLessEqual);
      case ExprKind::kGreater:
      case ExprKind::kGreaterEqual:
        return confine(subject, first, kind == ExprKind::kGreaterEqual, std::nullopt, true);
      case ExprKind::kBetween:
        return confine(subject, first, true, literals_[tree_.child(e, 2)], true);
      case ExprKind::kIn:
        return list(subject, e);
      default:
        return false;
    }
  }

  // literal op column
  bool mirrored(const Expr& e, ExprKind kind) {
    const std::uint32_t bound = tree_.child(e, 0), subject = tree_.child(e, 1);
    if (!is_bound(bound) || !is_subject(subject)) return false;
    const Scalar& literal = literals_[bound];
    switch (kind) {
      case ExprKind::kEqual:
        return confine(subject, literal, true, literal, true);
      case ExprKind::kLess:
      case ExprKind::kLessEqual:
        return confine(subject, literal, kind == ExprKind::kLessEqual, std::nullopt, true);
      case ExprKind::kGreater:
      case ExprKind::kGreaterEqual:
        return confine(subject, std::nullopt, true, literal, kind == ExprKind::kGreaterEqual);
      default:
        return false;
    }
  }

  // From the least to the greatest of an IN list, where all are numbers or all are text.
  bool list(std::uint32_t subject, const Expr& e) {
    Scalar low = literals_[tree_.child(e, 1)];
    Scalar high = low;
    for (std::uint32_t i = 2; i < e.child_count; ++i) {
      const Scalar& item = literals_[tree_.child(e, i)];
      if (class_of(item) != class_of(low)) return false;
      if (index_less(item, low)) low = item;
      if (index_less(high, item)) high = item;
    }
    const bool is_one = !index_less(low, high);
    return confine(subject, low, true, high, true) && is_one;
  }

  bool confine(std::uint32_t node, std::optional<Scalar> low, bool low_included, std::optional<Scalar> high,
               bool high_included) {
    if (low && high && class_of(*low) != class_of(*high)) return false;
    const Expr& e = tree_.nodes[node];
    const Subject subject = e.kind == ExprKind::kKey     ? Subject::kKey
                            : e.kind == ExprKind::kValue ? Subject::kValue
                                                         : Subject::kColumn;
    const ValueId column = subject == Subject::kKey ? kNoColumn : column_of(e, columns_);
    const auto same = std::find_if(ranges_.begin(), ranges_.end(),
                                   [&](const PredicateRange& r) { return r.subject == subject && r.column == column; });
    if (same == ranges_.end()) {
      ranges_.push_back({.subject = subject,
                         .column = column,
                         .low = low,
                         .high = high,
                         .low_included = low_included,
                         .high_included = high_included});
      return true;
    }
    PredicateRange& r = *same;
    if (class_of(low ? *low : *high) != class_of(r.low ? *r.low : *r.high)) return false;
    if (low && (!r.low || index_less(*r.low, *low) || (!index_less(*low, *r.low) && !low_included))) {
      r.low = low;
      r.low_included = low_included;
    }
    if (high && (!r.high || index_less(*high, *r.high) || (!index_less(*r.high, *high) && !high_included))) {
      r.high = high;
      r.high_included = high_included;
    }
    return true;
  }

  const ExprTree& tree_;
  const ColumnNames& columns_;
  std::vector<Scalar> literals_;
  std::vector<PredicateRange> ranges_;
  bool all_taken_ = true;
};

}  // namespace

bool PredicateRange::is_before(const Scalar& s) const {
  if (!low) return class_of(s) < class_of(*high);
  return low_included ? index_less(s, *low) : !index_less(*low, s);
}

bool PredicateRange::is_after(const Scalar& s) const {
  if (!high) return class_of(s) > class_of(*low);
  return high_included ? index_less(*high, s) : !index_less(s, *high);
}

bool PredicateRange::is_point() const {
  return low && high && low_included && high_included && !index_less(*low, *high) && !index_less(*high, *low);
}

std::vector<PredicateRange> ranges_of(const ExprTree& tree, const ColumnNames& columns, std::string_view text) {
  return RangeFinder(tree, columns, text).find();
}

}  // namespace isolde
