#include "audit/story/numbers.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "audit/story/actors.h"
#include "audit/story/naming.h"

namespace isolde::audit {
namespace {

class StoryNumberer {
 public:
  StoryNumberer(const Classes& classes, TraceLog& log, SameRows& rows, const Cycle& cycle, WeakLevel level,
                StoryValues& values)
      : classes_(classes), log_(log), rows_(rows), cycle_(cycle), level_(level), values_(values) {
    rows_.reset(cycle.members);
    for (const CycleEdge& edge : cycle.edges)
      rows_.meet(edge.from, from_operation(classes, cycle, edge).access.row_set, edge.to,
                 to_operation(classes, cycle, edge).access.row_set);
    for (const ClassId id : cycle.members) {
      const TransactionClass& one = classes.classes[raw(id)];
      places_.push_back(has_statements(one) ? value_places(classes, one) : std::vector<ValuePlace>());
    }
  }

  void run(std::span<const Event> events) {
    for (const Event& event : events) {
      const TransactionClass& one = of(event.member);
      for (std::uint32_t i = 0; i < one.numberings.size(); ++i) {
        const Numbering& numbering = one.numberings[i];
        if (event.kind == Event::Kind::kStatement && event.statement == reads_at(one, numbering)) {
          take(event.member, i, numbering);
        } else if (event.kind == Event::Kind::kCommit) {
          leave(event.member, i, numbering);
        }
      }
    }
    for (std::uint32_t member = 0; member < cycle_.members.size(); ++member) {
      for (const Flow& flow : of(member).flows) follow(member, flow);
    }
  }

 private:
  using CounterRow = std::vector<std::uint32_t>;  // the counter and the values of the row's key

  [[nodiscard]] const TransactionClass& of(std::uint32_t member) const {
    return classes_.classes[raw(cycle_.members[member])];
  }

  // The statement that decides what the member sees.
  [[nodiscard]] std::uint32_t reads_at(const TransactionClass& one, const Numbering& numbering) const {
    const std::uint32_t read = one.operations[numbering.reads.front()].statement;
    return one.level_or(level_) == WeakLevel::kReadCommitted ? read : std::min(read, one.snapshot);
  }

  [[nodiscard]] std::optional<LiteralId> value_of(std::uint32_t member, std::uint32_t variable) const {
    for (const ValuePlace& place : places_[member]) {
      if (place.variable == variable) return values_.literals[member][place.statement][place.literal];
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> number_of(std::uint32_t member, std::uint32_t variable) const {
    const std::optional<LiteralId> value = value_of(member, variable);
    if (!value) return std::nullopt;
    const std::string_view text = log_.shapes.literal(*value);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  [[nodiscard]] CounterRow row_of(std::uint32_t member, const Numbering& numbering) const {
    CounterRow out{numbering.counter};
    const TransactionClass& one = of(member);
    for (const ClassRowKey& key : one.rows[one.operations[numbering.write].access.row_set].keys) {
      if (key.variable == kNoVariable) continue;
      out.push_back(raw(key.column));
      if (const std::optional<LiteralId> value = value_of(member, key.variable)) out.push_back(raw(*value));
    }
    return out;
  }

  void take(std::uint32_t member, std::uint32_t number, const Numbering& numbering) {
    const std::optional<std::int64_t> had = number_of(member, numbering.variable);
    if (!had) return;
    const std::int64_t read = counters_.try_emplace(row_of(member, numbering), *had - numbering.plus).first->second;
    read_[{member, number}] = read;
    if (read + numbering.plus != *had) set_variable(member, numbering.variable, read + numbering.plus);
  }

  void leave(std::uint32_t member, std::uint32_t number, const Numbering& numbering) {
    const auto read = read_.find({member, number});
    if (read != read_.end()) counters_[row_of(member, numbering)] = read->second + numbering.step;
  }

  // The variable, and all that the cycle makes equal to it.
  void set_variable(std::uint32_t member, std::uint32_t variable, std::int64_t number) {
    const LiteralId value = log_.shapes.intern_literal(std::to_string(number));
    const std::uint32_t root = rows_.value(member, variable);
    for (std::uint32_t other = 0; other < cycle_.members.size(); ++other) {
      for (const ValuePlace& place : places_[other]) {
        if (place.variable != kNoVariable && rows_.value(other, place.variable) == root)
          values_.set(other, place.statement, place.literal, value);
      }
    }
  }

  void follow(std::uint32_t member, const Flow& flow) {
    const std::optional<std::int64_t> number = number_of(member, flow.variable);
    if (!number) return;
    const Statement& statement = classes_.statements[raw(of(member).statements[flow.statement])];
    const auto set = std::ranges::find(statement.assigned, flow.column, &RowKey::column);
    if (set == statement.assigned.end()) return;
    const LiteralId value = log_.shapes.intern_literal(std::to_string(*number - flow.plus));
    values_.set(member, flow.statement, set->literal, value);
  }

  const Classes& classes_;
  TraceLog& log_;
  SameRows& rows_;
  const Cycle& cycle_;
  WeakLevel level_;
  StoryValues& values_;
  std::vector<std::vector<ValuePlace>> places_;                           // by member
  std::map<CounterRow, std::int64_t> counters_;                           // what is committed
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> read_;  // by member and numbering
};

}  // namespace

void number_story(const Classes& classes, TraceLog& log, SameRows& rows, const Cycle& cycle,
                  std::span<const Event> events, WeakLevel level, StoryValues& values) {
  const bool any =
      std::ranges::any_of(cycle.members, [&](ClassId id) { return !classes.classes[raw(id)].flows.empty(); });
  if (any) StoryNumberer(classes, log, rows, cycle, level, values).run(events);
}

}  // namespace isolde::audit
