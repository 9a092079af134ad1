#include "probe/condition.h"

#include <charconv>

namespace isolde::probe {
namespace {

std::optional<double> number_in_cell(const db::Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* text = std::get_if<std::string>(&cell)) {
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc() && end == text->data() + text->size()) return value;
  }
  return std::nullopt;
}

// Sums and averages come as text from some servers: a number equals its text.
bool same_cell(const db::Cell& a, const db::Cell& b) {
  if (a == b) return true;
  if (a.index() == b.index() || a.index() == 0 || b.index() == 0) return false;
  const auto x = number_in_cell(a), y = number_in_cell(b);
  return x && y && *x == *y;
}

bool fits(const RowPattern& pattern, const db::Reply& reply, std::size_t row) {
  if (pattern.size() != reply.width) return false;
  for (std::size_t c = 0; c < reply.width; ++c) {
    const auto* const cell = std::get_if<db::Cell>(&pattern[c]);
    if (cell != nullptr && !same_cell(*cell, reply.at(row, c))) return false;
  }
  return true;
}

RowPattern pattern_of(const db::Reply& reply, std::size_t row) {
  RowPattern pattern;
  for (std::size_t c = 0; c < reply.width; ++c) pattern.emplace_back(reply.at(row, c));
  return pattern;
}

// Whether the rows can be paired with the patterns one to one, taking the first that fits; patterns with * come last in
// that choice, so that they do not take what a plainer one needs.
bool same_rows(const std::vector<RowPattern>& patterns, const db::Reply& reply) {
  if (patterns.size() != reply.rows()) return false;
  std::vector<bool> taken(reply.rows(), false);
  for (const bool open : {false, true}) {
    for (const RowPattern& pattern : patterns) {
      bool has_any = false;
      for (const CellPattern& cell : pattern) has_any = has_any || std::holds_alternative<AnyCell>(cell);
      if (has_any != open) continue;
      bool found = false;
      for (std::size_t r = 0; r < reply.rows() && !found; ++r) {
        if (taken[r] || !fits(pattern, reply, r)) continue;
        taken[r] = true;
        found = true;
      }
      if (!found) return false;
    }
  }
  return true;
}

bool within(Bound bound, std::uint64_t limit, std::uint64_t value) {
  switch (bound) {
    case Bound::kExactly:
      return value == limit;
    case Bound::kAtLeast:
      return value >= limit;
    case Bound::kAtMost:
      return value <= limit;
  }
  return false;
}

// The rows that a source has; null: it was never answered, or failed.
const db::Reply* reply_of(const Source& source, const Observed& o) {
  if (source.number == 0) {
    const auto at = o.tables.find(source.table.empty() ? o.first_table : source.table);
    return at == o.tables.end() ? nullptr : &at->second;
  }
  const std::size_t step = statement_at(o.steps, source.transaction, source.number);
  return step == kNoStep || !o.transcript.steps[step].done() ? nullptr : &o.transcript.steps[step].reply;
}

std::optional<bool> about_end(const Test& test, const Observed& o) {
  if (test.subject.transaction >= o.transcript.ends.size()) return std::nullopt;
  const End end = o.transcript.ends[test.subject.transaction].end;
  if (end == End::kUnknown) return std::nullopt;
  if (test.kind == Test::Kind::kCommitted) return end == End::kCommitted;
  return end == End::kRolledBack || end == End::kAborted || end == End::kGivenUp;
}

std::optional<bool> plain(const Test& test, const Observed& o) {
  using Kind = Test::Kind;
  if (test.kind == Kind::kCommitted || test.kind == Kind::kRolledBack) return about_end(test, o);
  if (test.kind == Kind::kFailed || test.kind == Kind::kWaited) {
    const std::size_t step = statement_at(o.steps, test.subject.transaction, test.subject.number);
    if (step == kNoStep) return std::nullopt;
    const StepRecord& record = o.transcript.steps[step];
    if (test.kind == Kind::kFailed) return record.state == StepRecord::State::kFailed;
    return record.wait != Wait::kNone;
  }
  const db::Reply* const reply = reply_of(test.subject, o);
  if (reply == nullptr) return std::nullopt;
  switch (test.kind) {
    case Kind::kIs:
      return same_rows(test.rows, *reply);
    case Kind::kIsSource: {
      const db::Reply* const other = reply_of(test.other, o);
      if (other == nullptr) return std::nullopt;
      std::vector<RowPattern> rows;
      rows.reserve(other->rows());
      for (std::size_t r = 0; r < other->rows(); ++r) rows.push_back(pattern_of(*other, r));
      return same_rows(rows, *reply);
    }
    case Kind::kHas:
      for (std::size_t r = 0; r < reply->rows(); ++r) {
        if (fits(test.rows.front(), *reply, r)) return true;
      }
      return false;
    case Kind::kRows:
      return within(test.bound, test.count, reply->rows());
    default:
      return within(test.bound, test.count, reply->changed);
  }
}

std::optional<bool> negated(std::optional<bool> x) { return x ? std::optional(!*x) : x; }

}  // namespace

std::size_t statement_at(const std::vector<Step>& steps, std::size_t transaction, std::size_t number) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].transaction != transaction || steps[i].kind != RequestKind::kStatement) continue;
    if (--number == 0) return i;
  }
  return kNoStep;
}

std::optional<bool> holds(const Condition& condition, const Observed& observed) {
  std::vector<std::optional<bool>> stack;
  for (const Condition::Part& part : condition.postfix) {
    if (part.op == Condition::Op::kTest) {
      const Test& test = condition.tests[part.test];
      const auto value = plain(test, observed);
      stack.push_back(test.negated ? negated(value) : value);
      continue;
    }
    if (stack.empty()) return std::nullopt;
    if (part.op == Condition::Op::kNot) {
      stack.back() = negated(stack.back());
      continue;
    }
    const auto right = stack.back();
    stack.pop_back();
    if (stack.empty()) return std::nullopt;
    auto& left = stack.back();
    const bool deciding = part.op == Condition::Op::kOr;  // true decides an or, false an and
    if (left == deciding || right == deciding) {
      left = deciding;
    } else if (!left || !right) {
      left = std::nullopt;
    }
  }
  return stack.empty() ? std::nullopt : stack.back();
}

}  // namespace isolde::probe
