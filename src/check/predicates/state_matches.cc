#include "check/predicates/state_matches.h"

#include <algorithm>
#include <bit>

#include "check/accesses.h"

namespace isolde {
namespace {

constexpr std::uint64_t kKeysPerStep = 32, kStepsPerEvaluation = 4;

using Subject = PredicateRange::Subject;

// Below so many keys a pass over all of them takes no longer than keeping the index.
constexpr std::uint32_t kKeysForIndex = 2048;
// A walk of the index that finds more than one key in so many is given up for a pass over all.
constexpr std::size_t kShareWalked = 16;
// A history that asks more columns than this pays more to keep them than it gains.
constexpr std::size_t kMostColumns = 32;
// Comparisons that wait for the AND or OR of their other side.
constexpr std::size_t kMostBits = 16;

}  // namespace

StateMatches::StateMatches(const History& history, const PredicateSet& set)
    : h_(history), set_(set), plans_(set.size()) {
  make_columns();
  now_.reserve(h_.key_count());
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
    now_.push_back({h_.initial(KeyId{k}), kNoTxn, true});
    for (ColumnRanks& column : columns_) column.set(KeyId{k}, now_.back().value);
  }
}

void StateMatches::set(KeyId key, const Version& version) {
  Version& now = now_[raw(key)];
  unknown_ += static_cast<std::uint32_t>(!version.known) - static_cast<std::uint32_t>(!now.known);
  const ValueId before = now.known ? now.value : kNullValue;
  const ValueId after = version.known ? version.value : kNullValue;
  now = version;
  if (before == after) return;
  for (ColumnRanks& column : columns_) column.set(key, after);
}

// Every value that a key may have, each once: small integers first.
std::vector<ValueId> StateMatches::versions_of_history() const {
  std::vector<ValueId> integers, versions;
  std::vector<bool> seen(h_.values().size(), false);
  const auto add = [&](ValueId value) {
    if (is_inline_integer(value)) integers.push_back(value);
    if (!is_table_value(value) || seen[raw(value) - kFirstTableValue]) return;
    seen[raw(value) - kFirstTableValue] = true;
    versions.push_back(value);
  };
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) add(h_.initial(KeyId{k}));
  for (std::uint32_t i = 0; i < h_.op_count(); ++i) {
    const OpHead op = h_.op(i);
    if (op.kind() == OpKind::kWrite) add(h_.op_value(i));
    if (op.kind() != OpKind::kUpdate) continue;
    for (const Item& item : h_.items(h_.predicate(op.predicate()))) add(item.value);
  }
  std::sort(integers.begin(), integers.end());
  integers.erase(std::unique(integers.begin(), integers.end()), integers.end());
  integers.insert(integers.end(), versions.begin(), versions.end());
  return integers;
}

void StateMatches::make_columns() {
  struct Wanted {
    Subject subject;
    ValueId column;
  };
  std::vector<Wanted> wanted;
  const auto want = [&](Subject subject, ValueId column) {
    const auto same = [&](const Wanted& w) { return w.subject == subject && w.column == column; };
    if (wanted.size() < kMostColumns && std::none_of(wanted.begin(), wanted.end(), same)) {
      wanted.push_back({subject, column});
    }
  };
  for (std::uint32_t text = 0; text < set_.size(); ++text) {
    const CompiledPredicate& condition = set_.condition(text);
    for (const PredicateRange& range : condition.ranges()) want(range.subject, range.column);
    // The others tell whether the condition can have a fault.
    for (const ValueId column : condition.columns()) want(Subject::kColumn, column);
  }
  if (wanted.empty()) return;
  const std::vector<ValueId> versions = versions_of_history();
  for (const Wanted& w : wanted) {
    columns_.emplace_back(h_, w.subject, w.column, versions, h_.key_count() >= kKeysForIndex);
  }
}

const ColumnRanks* StateMatches::column(Subject subject, ValueId name) const {
  const auto at =
      std::find_if(columns_.begin(), columns_.end(), [&](const ColumnRanks& c) { return c.is(subject, name); });
  return at == columns_.end() ? nullptr : &*at;
}

// Whether no version of this history can make the condition fault. `only_ranges`: it is a conjunction of comparisons
// that its ranges say in full.
bool StateMatches::cannot_fault(const CompiledPredicate& condition, bool& only_ranges) const {
  const PredicateProgram& program = condition.program();
  const auto class_in = [&](ValueId name) {
    const ColumnRanks* const values = column(Subject::kColumn, name);
    return values == nullptr ? -1 : values->value_class();
  };
  only_ranges = true;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const PredicateStep& step = program.steps[i];
    switch (step.op) {
      case PredicateOp::kCompareColumn: {
        const int of_column = class_in(program.columns[step.a]);
        if (of_column != 0 && of_column != class_of(program.literals[step.b])) return false;
        if (static_cast<ExprKind>(step.detail) == ExprKind::kNotEqual) only_ranges = false;
        break;
      }
      case PredicateOp::kAnd:
      case PredicateOp::kSkipFalse:
        break;
      // Numbers among numbers compare, and are conditions.
      case PredicateOp::kColumn:
        if (const int of_column = class_in(program.columns[step.a]); of_column != 0 && of_column != 1) return false;
        only_ranges = false;
        break;
      case PredicateOp::kLiteral:
        if (class_of(program.literals[step.a]) > 1) return false;
        only_ranges = false;
        break;
      case PredicateOp::kCompare:
      case PredicateOp::kDistinct:
      case PredicateOp::kBetween:
      case PredicateOp::kInStep:
      case PredicateOp::kInEnd:
      case PredicateOp::kInIntegers:
      case PredicateOp::kNot:
      case PredicateOp::kOr:
      case PredicateOp::kSkipTrue:
      case PredicateOp::kDrop:
      case PredicateOp::kIsNull:
      case PredicateOp::kIsTrue:
      case PredicateOp::kIsFalse:
        only_ranges = false;
        break;
      default:
        return false;
    }
  }
  return true;
}

bool StateMatches::add_comparison(ValueId name, const PredicateRange& range, bool outside) {
  const ColumnRanks* const ranks = column(Subject::kColumn, name);
  if (ranks == nullptr) return false;
  steps_.push_back({outside ? BitStep::Is::kOutside : BitStep::Is::kIn,
                    static_cast<std::uint32_t>(ranks - columns_.data()), ranks->range_of(range)});
  return true;
}

// Requires: the condition cannot fault. Appends its steps, or tells that it is not made of comparisons alone.
bool StateMatches::make_bit_steps(const CompiledPredicate& condition) {
  const PredicateProgram& program = condition.program();
  std::size_t depth = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const PredicateStep& step = program.steps[i];
    PredicateRange range;
    switch (step.op) {
      case PredicateOp::kCompareColumn: {
        const auto kind = static_cast<ExprKind>(step.detail);
        const Scalar& literal = program.literals[step.b];
        if (kind != ExprKind::kLess && kind != ExprKind::kLessEqual) range.low = literal;
        if (kind != ExprKind::kGreater && kind != ExprKind::kGreaterEqual) range.high = literal;
        range.low_included = kind != ExprKind::kGreater;
        range.high_included = kind != ExprKind::kLess;
        if (!add_comparison(program.columns[step.a], range, kind == ExprKind::kNotEqual)) return false;
        ++depth;
        break;
      }
      case PredicateOp::kColumn: {  // only as the subject of BETWEEN
        if (i + 3 >= program.steps.size() || program.steps[i + 3].op != PredicateOp::kBetween) return false;
        for (const std::size_t at : {i + 1, i + 2}) {
          if (program.steps[at].op != PredicateOp::kLiteral || program.literals[program.steps[at].a].is_null()) {
            return false;
          }
        }
        range.low = program.literals[program.steps[i + 1].a];
        range.high = program.literals[program.steps[i + 2].a];
        if (!add_comparison(program.columns[step.a], range, false)) return false;
        ++depth;
        i += 3;
        break;
      }
      case PredicateOp::kNot:
        if (i == 0 || steps_.back().is > BitStep::Is::kOutside || program.steps[i - 1].op == PredicateOp::kNot) {
          return false;
        }
        steps_.back().is = steps_.back().is == BitStep::Is::kIn ? BitStep::Is::kOutside : BitStep::Is::kIn;
        break;
      case PredicateOp::kAnd:
      case PredicateOp::kOr:
        steps_.push_back({step.op == PredicateOp::kAnd ? BitStep::Is::kAnd : BitStep::Is::kOr});
        --depth;
        break;
      case PredicateOp::kSkipFalse:
      case PredicateOp::kSkipTrue:
        break;
      default:
        return false;
    }
    if (depth > kMostBits) return false;
  }
  return depth == 1;
}

void StateMatches::find_by_bits(const Plan& plan, std::vector<KeyId>& out) const {
  out.clear();
  std::uint64_t stack[kMostBits + 1];
  for (std::size_t block = 0; block * 64 < now_.size(); ++block) {
    std::size_t depth = 0;
    for (std::uint32_t i = plan.first; i < plan.first + plan.count; ++i) {
      const BitStep& step = steps_[i];
      switch (step.is) {
        case BitStep::Is::kIn:
          stack[depth++] = columns_[step.column].bits_in(step.range, block);
          break;
        case BitStep::Is::kOutside:
          stack[depth++] = columns_[step.column].bits_outside(step.range, block);
          break;
        case BitStep::Is::kAnd:
          --depth;
          stack[depth - 1] &= stack[depth];
          break;
        case BitStep::Is::kOr:
          --depth;
          stack[depth - 1] |= stack[depth];
          break;
      }
    }
    for (std::uint64_t bits = stack[0]; bits != 0; bits &= bits - 1) {
      out.push_back(KeyId{static_cast<std::uint32_t>(block * 64) + static_cast<std::uint32_t>(std::countr_zero(bits))});
    }
  }
}

StateMatches::Plan StateMatches::make_plan(const CompiledPredicate& condition) {
  Plan plan;
  plan.way = Plan::Way::kAskAll;
  bool only_ranges = false;
  const bool is_one_range = !condition.ranges().empty() && condition.ranges().front().is_whole;
  if (!is_one_range && (condition.ranges().empty() || h_.key_count() < kKeysForIndex)) {
    if (!cannot_fault(condition, only_ranges)) return plan;
    if (!only_ranges || condition.ranges().empty()) {
      plan.first = static_cast<std::uint32_t>(steps_.size());
      if (make_bit_steps(condition)) {
        plan.way = Plan::Way::kBits;
        plan.count = static_cast<std::uint32_t>(steps_.size()) - plan.first;
        return plan;
      }
      steps_.erase(steps_.begin() + plan.first, steps_.end());
    }
  }
  if (condition.ranges().empty()) return plan;
  const PredicateRange& narrowest = condition.ranges().front();
  if (narrowest.is_whole) {
    // It compares one column and nothing else: a fault can only come of values of another class.
    const ColumnRanks* const ranks = column(narrowest.subject, narrowest.column);
    const int bound = class_of(narrowest.low ? *narrowest.low : *narrowest.high);
    if (ranks == nullptr || (ranks->value_class() != 0 && ranks->value_class() != bound)) return plan;
    only_ranges = true;
  } else if (!cannot_fault(condition, only_ranges)) {
    return plan;
  }
  plan.first = static_cast<std::uint32_t>(ranges_.size());
  for (const PredicateRange& range : condition.ranges()) {
    const ColumnRanks* const ranks = column(range.subject, range.column);
    if (ranks == nullptr) {
      only_ranges = false;
      continue;
    }
    ranges_.push_back({static_cast<std::uint32_t>(ranks - columns_.data()), ranks->range_of(range)});
  }
  plan.count = static_cast<std::uint32_t>(ranges_.size()) - plan.first;
  if (plan.count > 0) plan.way = only_ranges ? Plan::Way::kRanges : Plan::Way::kAskSome;
  std::sort(ranges_.begin() + plan.first, ranges_.end(),
            [](const ColumnRange& a, const ColumnRange& b) { return a.range.size < b.range.size; });
  return plan;
}

void StateMatches::find_in_ranges(const Plan& plan, std::vector<KeyId>& out) const {
  const ColumnRange* const ranges = ranges_.data() + plan.first;
  out.clear();
  std::uint32_t done = 1;
  if (h_.key_count() < kKeysForIndex ||
      !columns_[ranges[0].column].walk(ranges[0].range, h_.key_count() / kShareWalked, out)) {
    // Without a branch on the answer, which is chance.
    out.resize(h_.key_count());
    std::size_t found = 0;
    const std::span<const std::uint32_t> ranks = columns_[ranges[0].column].ranks();
    const ColumnRanks::Range range = ranges[0].range;
    if (plan.count > 1) {
      const std::span<const std::uint32_t> others = columns_[ranges[1].column].ranks();
      const ColumnRanks::Range other = ranges[1].range;
      for (std::uint32_t k = 0; k < ranks.size(); ++k) {
        out[found] = KeyId{k};
        found += static_cast<unsigned>(range.has(ranks[k])) & static_cast<unsigned>(other.has(others[k]));
      }
      done = 2;
    } else {
      for (std::uint32_t k = 0; k < ranks.size(); ++k) {
        out[found] = KeyId{k};
        found += static_cast<unsigned>(range.has(ranks[k]));
      }
    }
    out.resize(found);
  }
  for (; done < plan.count; ++done) {
    const std::span<const std::uint32_t> ranks = columns_[ranges[done].column].ranks();
    std::erase_if(out, [&](KeyId key) { return !ranges[done].range.has(ranks[raw(key)]); });
  }
}

void StateMatches::ask(const CompiledPredicate& condition, KeyId key, Matches& out) const {
  const Version& version = now_[raw(key)];
  if (!version.known || version.value == kNullValue) return;
  const Evaluation answer = condition.evaluate(h_.values(), h_.columns().key_name[raw(key)], version.value);
  if (answer.faults != kNoFault) {
    out.faulty = true;
  } else if (answer.matches()) {
    out.keys.push_back(key);
  }
}

void StateMatches::find(std::uint32_t text, Matches& out) {
  out.faulty = false;
  const CompiledPredicate& condition = set_.condition(text);
  Plan& plan = plans_[text];
  if (plan.way == Plan::Way::kNotMade) plan = make_plan(condition);
  if (plan.way != Plan::Way::kAskAll) cost_ += now_.size() / kKeysPerStep * plan.count + 1;
  if (plan.way == Plan::Way::kRanges) return find_in_ranges(plan, out.keys);
  if (plan.way == Plan::Way::kBits) return find_by_bits(plan, out.keys);
  out.keys.clear();
  if (plan.way == Plan::Way::kAskSome) {
    find_in_ranges(plan, candidates_);
    cost_ += kStepsPerEvaluation * candidates_.size();
    for (const KeyId key : candidates_) ask(condition, key, out);
  } else {
    cost_ += kStepsPerEvaluation * now_.size();
    for (std::uint32_t k = 0; k < now_.size(); ++k) ask(condition, KeyId{k}, out);
  }
}

}  // namespace isolde
