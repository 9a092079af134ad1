// Orders all moments of all members. Besides what the dependencies demand, it wishes that a statement is sent only when
// it need not wait any more, or else when the other already has the lock; a wish that would make a cycle is dropped.
// Then members run as far as they can, one after the other; of all members to begin with, the one that makes the fewest
// changes between members is taken.
#include <algorithm>

#include "audit/cycles/bounds.h"
#include "audit/cycles/moments.h"

namespace isolde::audit {
namespace {

class Scheduler {
 public:
  Scheduler(const Classes& classes, std::span<const ClassId> members) {
    for (const ClassId member : members) {
      first_.push_back(nodes_);
      statements_.push_back(static_cast<std::uint32_t>(classes.classes[raw(member)].statements.size()));
      nodes_ += looks_at(statements_.back()) + 1;
    }
    before_.resize(nodes_);
  }

  [[nodiscard]] std::uint32_t node(std::uint32_t member, std::uint32_t moment) const { return first_[member] + moment; }
  [[nodiscard]] std::uint32_t commit(std::uint32_t member) const { return node(member, looks_at(statements_[member])); }
  void demand(std::uint32_t first, std::uint32_t second) { before_[second].push_back(first); }
  // Is it granted?
  bool wish(std::uint32_t first, std::uint32_t second) {
    demand(first, second);
    if (possible()) return true;
    before_[second].pop_back();
    return false;
  }
  [[nodiscard]] bool possible() const { return !run(0).events.empty(); }

  [[nodiscard]] std::vector<Event> best() const {
    Run best = run(0);
    for (std::uint32_t first = 1; first < first_.size(); ++first) {
      if (Run other = run(first); other.changes < best.changes) best = std::move(other);
    }
    return std::move(best.events);
  }

 private:
  struct Run {
    std::vector<Event> events;  // empty: there is no order
    std::uint32_t changes = 0;
  };

  [[nodiscard]] Run run(std::uint32_t member) const {
    const auto members = static_cast<std::uint32_t>(first_.size());
    std::vector<std::uint32_t> next(members);  // moments
    std::vector<bool> done(nodes_);
    const auto ready = [&](std::uint32_t who) {
      return next[who] <= looks_at(statements_[who]) &&
             std::ranges::all_of(before_[node(who, next[who])], [&](std::uint32_t other) { return done[other]; });
    };
    Run out;
    std::vector<std::size_t> sent(members);  // the event of the member's statement
    for (std::uint32_t left = nodes_; left > 0; --left) {
      if (!ready(member)) {
        std::uint32_t other = member;
        do {
          other = (other + 1) % members;
          if (other == member) return {};
        } while (!ready(other));
        member = other;
        ++out.changes;
      }
      emit(member, next[member], sent[member], out.events);
      done[node(member, next[member]++)] = true;
    }
    return out;
  }

  void emit(std::uint32_t member, std::uint32_t moment, std::size_t& sent, std::vector<Event>& events) const {
    const std::uint32_t statement = moment / 2;
    if (moment == 0) events.push_back({member, Event::Kind::kStart});
    if (statement == statements_[member]) {
      events.push_back({member, Event::Kind::kCommit});
    } else if (moment == looks_at(statement)) {
      sent = events.size();
      events.push_back({member, Event::Kind::kStatement, statement});
    } else if (sent + 1 != events.size()) {
      events[sent].waits = true;
      events.push_back({member, Event::Kind::kContinues, statement});
    }
  }

  std::vector<std::uint32_t> first_, statements_;  // by member
  std::uint32_t nodes_ = 0;
  std::vector<std::vector<std::uint32_t>> before_;  // by node, besides the member's own order
};

}  // namespace

std::optional<std::vector<Event>> schedule(const Classes& classes, std::span<const ClassId> members,
                                           std::span<const CycleEdge> edges, WeakLevel level) {
  if (members.empty()) return std::vector<Event>{};
  Scheduler scheduler(classes, members);
  std::vector<Bound> bounds;
  for (const CycleEdge& edge : edges) {
    const Bound& bound = bounds.emplace_back(bound_of(classes, members, edge, level));
    if (bound.after_commit) {
      scheduler.demand(scheduler.commit(bound.from), scheduler.node(bound.to, bound.moment));
    } else {
      scheduler.demand(scheduler.node(bound.from, bound.moment), scheduler.commit(bound.to));
    }
  }
  if (!scheduler.possible()) return std::nullopt;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Bound& bound = bounds[i];
    if (!bound.after_commit || bound.moment % 2 == 0) continue;
    const std::uint32_t sent = scheduler.node(bound.to, bound.moment - 1);
    if (scheduler.wish(scheduler.commit(bound.from), sent)) continue;
    const TransactionClass& from = classes.classes[raw(members[bound.from])];
    const std::uint32_t holder = from.operations[edges[i].conflict.from_op].statement;
    scheduler.wish(scheduler.node(bound.from, locks_at(holder)), sent);
  }
  return scheduler.best();
}

}  // namespace isolde::audit
