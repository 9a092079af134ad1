#include "audit/story/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "audit/cycles/correlation.h"
#include "audit/story/grouping.h"
#include "audit/story/naming.h"
#include "audit/story/numbers.h"
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

constexpr double kNeverSeen = 3;   // what the rank loses if no transaction of the trace has such values
constexpr double kReadBefore = 3;  // … if a likelier story is about the same SELECT: what fixes the one fixes both

class Teller {
 public:
  Teller(const Classes& classes, TraceLog& log, const DependencyGraph& graph, WeakLevel level)
      : classes_(classes),
        log_(log),
        level_(level),
        facts_(classes, level),
        correlation_(facts_, graph, {.level = level}),
        rows_(classes, facts_.rows()),
        values_(classes, log, facts_, correlation_, graph.options().assumptions) {}

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

  std::vector<Grouped> group(const std::vector<Cycle>& cycles) {
    return group_cycles(classes_, log_, rows_, facts_.rows(), cycles);
  }

  // None: no order of events shows it. Of the group's cycles the first whose values a transaction of the trace could
  // have, else the first that has any.
  std::optional<Anomaly> tell(const Grouped& group, const std::vector<Cycle>& cycles) {
    std::optional<Anomaly> any;
    for (const std::size_t candidate : group.candidates) {
      std::optional<Anomaly> told = tell(group, cycles[candidate]);
      if (told && told->as_seen) return told;
      if (told && !any) any = std::move(told);
    }
    return any;
  }

 private:
  // The order of events and the values that make it come to pass.
  struct Played {
    std::vector<Event> events;
    StoryValues values;
  };

  std::optional<Anomaly> tell(const Grouped& group, Cycle cycle) {
    // What comes to pass besides the cycle and is part of its story.
    Cycle more = cycle;
    std::optional<Played> played;
    if (group.name == AnomalyName::kLostUpdate) {
      if (const std::optional<CycleEdge> edge = lost_update(classes_, cycle)) {
        more.edges.push_back(*edge);
        played = play(more);
        if (!played) more.edges.pop_back();
      }
    }
    if (!played) played = play(cycle);
    if (!played || played->events.empty()) return std::nullopt;
    const std::uint32_t first = played->events.front().member;
    const auto n = static_cast<std::uint32_t>(cycle.members.size());
    rotate(cycle, first);
    rotate(more, first);
    for (Event& event : played->events) event.member = (event.member + n - first) % n;
    StoryValues& values = played->values;
    std::ranges::rotate(values.literals, values.literals.begin() + first);
    for (Binding& binding : values.bindings) binding.member = (binding.member + n - first) % n;
    std::ranges::stable_sort(values.bindings, {}, &Binding::member);
    Anomaly out;
    out.name = group.name;
    out.words = words_of(classes_, group.name, cycle);
    out.concurrent = group.concurrent;
    out.same_row = group.same_row;
    out.rank = group.rank - (values.as_seen ? 0 : kNeverSeen);
    out.cycles = group.cycles;
    out.cause = group.cause;
    out.lost = group.lost;
    out.as_seen = values.as_seen;
    if (!values.as_seen) out.words += " No transaction of the trace has values like these.";
    for (std::size_t i = 0; i < cycle.members.size(); ++i) {
      out.members.push_back(fmt::format("T{}: {}", i + 1, classes_.classes[raw(cycle.members[i])].name));
    }
    out.facts = facts_of(cycle);
    out.cycle = std::move(cycle);
    add_steps(*played, more, out);
    return out;
  }

  // Of the rows that the cycle's dependencies are about.
  [[nodiscard]] std::vector<std::uint32_t> facts_of(const Cycle& cycle) const {
    std::vector<std::uint32_t> out;
    const auto add = [&](const TransactionClass& one, std::uint32_t op) {
      const Operation& operation = one.operations[op];
      if (const std::uint32_t fact = one.rows[operation.access.row_set].found_by; fact != kNone32) out.push_back(fact);
      for (const Choice& choice : one.choices) {
        if (choice.statement == operation.statement && choice.found == operation.access.row_set)
          out.push_back(choice.fact);
      }
    };
    for (const CycleEdge& edge : cycle.edges) {
      add(classes_.classes[raw(cycle.members[edge.from])], edge.conflict.from_op);
      add(classes_.classes[raw(cycle.members[edge.to])], edge.conflict.to_op);
      for (const std::uint32_t member : {edge.from, edge.to}) {
        for (const Flow& flow : classes_.classes[raw(cycle.members[member])].flows) {
          if (flow.column == edge.conflict.column) out.push_back(flow.fact);
        }
      }
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  }

  std::optional<Played> play(const Cycle& cycle) {
    std::optional<StoryValues> values = values_.solve(cycle);
    if (!values) return std::nullopt;
    std::vector<CycleEdge> edges = cycle.edges;
    edges.insert(edges.end(), values->implied.begin(), values->implied.end());
    std::optional<std::vector<Event>> events = schedule(classes_, cycle.members, edges, level_);
    if (!events) return std::nullopt;
    number_story(classes_, log_, rows_, cycle, *events, level_, *values);
    return Played{*std::move(events), *std::move(values)};
  }

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

  void add_steps(const Played& played, const Cycle& more, Anomaly& out) {
    const std::vector<Event>& events = played.events;
    const StoryValues& values = played.values;
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
  TraceLog& log_;
  WeakLevel level_;
  CorrelationFacts facts_;
  Correlation correlation_;
  SameRows rows_;
  StoryValueSolver values_;
  std::map<EdgeKey, std::optional<Cycle>> lost_;
};

// Of stories in which the same statement reads what is out of date, the first keeps its rank.
void put_behind_the_first(std::vector<Anomaly>& all) {
  std::set<std::tuple<ShapeId, TableId, std::string>> read;
  for (Anomaly& anomaly : all) {
    const auto& [reads, writes, table, entry] = anomaly.cause;
    const bool first = read.emplace(reads, table, entry).second;
    if (!first && anomaly.lost == kNone32) anomaly.rank -= kReadBefore;
  }
  std::ranges::stable_sort(all, std::greater<>(), &Anomaly::rank);
}

}  // namespace

std::vector<Anomaly> tell(const Classes& classes, TraceLog& log, const DependencyGraph& graph,
                          const std::vector<Cycle>& cycles, const StoryOptions& options, std::vector<Cycle>* untold) {
  Teller teller(classes, log, graph, options.level);
  const std::vector<Cycle> simplest = teller.simplest(cycles);
  std::vector<Anomaly> out;
  for (const Grouped& group : teller.group(simplest)) {
    if (out.size() == options.most) break;
    if (std::optional<Anomaly> anomaly = teller.tell(group, simplest)) {
      out.push_back(*std::move(anomaly));
    } else if (untold != nullptr) {
      untold->push_back(simplest[group.candidates.front()]);
    }
  }
  std::ranges::stable_sort(out, std::greater<>(), &Anomaly::rank);
  put_behind_the_first(out);
  return out;
}

}  // namespace isolde::audit
