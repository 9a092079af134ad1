#include "audit/story/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "audit/cycles/correlation.h"
#include "audit/story/grouping.h"
#include "audit/story/naming.h"
#include "audit/story/values.h"
#include "audit/story/wording.h"

namespace isolde::audit {
namespace {

// The same with another member as the first. There may be edges behind those of the cycle.
void rotate(Cycle& cycle, std::uint32_t first) {
  const auto n = static_cast<std::uint32_t>(cycle.members.size());
  std::ranges::rotate(cycle.members, cycle.members.begin() + first);
  std::ranges::rotate(std::span(cycle.edges).first(n), std::span(cycle.edges).begin() + first);
  for (CycleEdge& edge : cycle.edges) {
    edge.from = (edge.from + n - first) % n;
    edge.to = (edge.to + n - first) % n;
  }
}

class Teller {
 public:
  Teller(const Classes& classes, const TraceLog& log, const DependencyGraph& graph, WeakLevel level)
      : classes_(classes),
        log_(log),
        level_(level),
        facts_(classes, level),
        correlation_(facts_, graph, {.level = level}),
        rows_(classes, facts_.rows()),
        actors_(classes, log) {}

  // The same cycles, but where one of the edges by itself makes for a lost update, that instead.
  std::vector<Cycle> simplest(const std::vector<Cycle>& cycles) {
    std::vector<Cycle> out;
    out.reserve(cycles.size());
    for (const Cycle& cycle : cycles) {
      const std::size_t n = cycle.edges.size(), main = main_edge(classes_, cycle);
      const Cycle* lost = nullptr;
      for (std::size_t i = 0; i < n && lost == nullptr; ++i) {
        const std::optional<Cycle>& made = lost_update_by(cycle, cycle.edges[(main + i) % n]);
        if (made) lost = &*made;
      }
      out.push_back(lost == nullptr ? cycle : *lost);
    }
    return out;
  }

  std::vector<Grouped> group(const std::vector<Cycle>& cycles) { return group_cycles(classes_, rows_, cycles); }

  // None: no order of events shows it.
  std::optional<Anomaly> tell(const Grouped& group, Cycle cycle) {
    // What comes to pass besides the cycle and is part of its story.
    Cycle more = cycle;
    std::optional<std::vector<Event>> events;
    if (group.name == AnomalyName::kLostUpdate) {
      if (const std::optional<CycleEdge> edge = lost_update(classes_, cycle)) {
        more.edges.push_back(*edge);
        events = order(more);
        if (!events) more.edges.pop_back();
      }
    }
    if (!events) events = order(cycle);
    if (!events || events->empty()) return std::nullopt;
    const std::uint32_t first = events->front().member;
    const auto n = static_cast<std::uint32_t>(cycle.members.size());
    rotate(cycle, first);
    rotate(more, first);
    for (Event& event : *events) event.member = (event.member + n - first) % n;
    Anomaly out;
    out.name = group.name;
    out.words = words_of(classes_, group.name, cycle);
    out.concurrent = group.concurrent;
    out.same_row = group.same_row;
    out.rank = group.rank;
    out.cycles = group.cycles;
    for (std::size_t i = 0; i < cycle.members.size(); ++i) {
      out.members.push_back(fmt::format("T{}: {}", i + 1, classes_.classes[raw(cycle.members[i])].name));
    }
    out.cycle = std::move(cycle);
    add_steps(*events, more, out);
    return out;
  }

 private:
  using EdgeKey = std::tuple<ClassId, ClassId, std::uint32_t, std::uint32_t>;

  // The reader overwrites what it missed, if it can: many cycles have the same edge.
  const std::optional<Cycle>& lost_update_by(const Cycle& cycle, const CycleEdge& edge) {
    const ClassId reader = cycle.members[edge.from], writer = cycle.members[edge.to];
    const auto [place, is_new] =
        lost_.try_emplace(EdgeKey(reader, writer, edge.conflict.from_op, edge.conflict.to_op), std::nullopt);
    if (!is_new) return place->second;
    const Access& write = to_operation(classes_, cycle, edge).access;
    if (!misses(edge) || write.inserts || write.deletes) return place->second;
    const TransactionClass& one = classes_.classes[raw(reader)];
    for (std::uint32_t op = edge.conflict.from_op + 1; op < one.operations.size(); ++op) {
      if (one.operations[op].access.action != Action::kWrite ||
          one.operations[op].access.column != edge.conflict.column) {
        continue;
      }
      Cycle made{{reader, writer}, {{0, 1, edge.conflict}, {1, 0, edge.conflict}}};
      made.edges[1].conflict = {edge.conflict.to_op, op, edge.conflict.column, EdgeKind::kWw, false};
      if (name_of(classes_, rows_, made) != AnomalyName::kLostUpdate || !order(made)) continue;
      if (!facts_.rows().same_in(reader, from_operation(classes_, made, made.edges[0]).access.row_set,
                                 to_operation(classes_, made, made.edges[1]).access.row_set)) {
        continue;
      }
      place->second = std::move(made);
      break;
    }
    return place->second;
  }

  std::optional<std::vector<Event>> order(const Cycle& cycle) {
    std::vector<CycleEdge> edges = cycle.edges;
    const CorrelationResult result = correlation_.check(cycle);
    if (result.possible == Possible::kNo) return std::nullopt;
    edges.insert(edges.end(), result.implied.begin(), result.implied.end());
    return schedule(classes_, cycle.members, edges, level_);
  }

  void add_steps(const std::vector<Event>& events, const Cycle& more, Anomaly& out) {
    const StoryValues values = choose_values(classes_, log_, actors_, rows_, out.cycle);
    const std::vector<std::string> remarks = remarks_of(classes_, more, events);
    const std::vector<bool> alone = statements_alone(events, out.cycle);
    out.bindings = values.bindings;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      StoryStep step{event.member, event.kind, event.statement, {}, remarks[i]};
      switch (event.kind) {
        case Event::Kind::kStart:
          step.sql = "BEGIN";
          break;
        case Event::Kind::kCommit:
          step.sql = "COMMIT";
          break;
        case Event::Kind::kStatement:
          step.sql = statement_text(classes_, log_, classes_.classes[raw(out.cycle.members[event.member])],
                                    event.statement, values.literals[event.member][event.statement]);
          break;
        case Event::Kind::kContinues:
          break;
      }
      const bool bracket = event.kind == Event::Kind::kStart || event.kind == Event::Kind::kCommit;
      if (!bracket || !alone[event.member]) out.steps.push_back(std::move(step));
    }
  }

  // Members in autocommit whose commit follows on their statement.
  [[nodiscard]] std::vector<bool> statements_alone(const std::vector<Event>& events, const Cycle& cycle) const {
    std::vector<bool> alone;
    for (const ClassId member : cycle.members) {
      const TransactionClass& one = classes_.classes[raw(member)];
      alone.push_back(one.autocommit && one.statements.size() == 1);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind != Event::Kind::kCommit) continue;
      if (i == 0 || events[i - 1].member != events[i].member) alone[events[i].member] = false;
    }
    return alone;
  }

  const Classes& classes_;
  const TraceLog& log_;
  WeakLevel level_;
  CorrelationFacts facts_;
  Correlation correlation_;
  SameRows rows_;
  Actors actors_;
  std::map<EdgeKey, std::optional<Cycle>> lost_;
};

}  // namespace

std::vector<Anomaly> tell(const Classes& classes, const TraceLog& log, const DependencyGraph& graph,
                          const std::vector<Cycle>& cycles, const StoryOptions& options) {
  Teller teller(classes, log, graph, options.level);
  const std::vector<Cycle> simplest = teller.simplest(cycles);
  std::vector<Anomaly> out;
  for (const Grouped& group : teller.group(simplest)) {
    if (out.size() == options.most) break;
    if (std::optional<Anomaly> anomaly = teller.tell(group, simplest[group.cycle])) out.push_back(*std::move(anomaly));
  }
  return out;
}

}  // namespace isolde::audit
