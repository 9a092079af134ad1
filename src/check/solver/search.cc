#include "check/solver/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "check/solver/choices.h"
#include "check/solver/core.h"
#include "check/solver/hints.h"
#include "check/solver/schedule.h"
#include "check/solver/stuck.h"

namespace isolde::solver {
namespace {

constexpr std::uint64_t kStepsPerDeadEnd = 100, kStepsPerLink = 2, kStepsPerRank = 10;

class WitnessSearch {
 public:
  WitnessSearch(const History& history, const Problem& problem, const Limits& limits, SearchStats& stats,
                SearchOptions& options)
      : h_(history),
        p_(problem),
        limits_(limits),
        stats_(stats),
        options_(options),
        choices_(problem, [this](const Choice& choice) { return since(choice); }),
        finder_(problem) {}

  Found run() {
    Schedule::End end = guess();
    while (end == Schedule::End::kStuck) {
      farthest_ = std::max(farthest_, schedule_->order().size());
      if (conflicts_ >= options_.most_conflicts &&
          (options_.most_conflicts == 0 || conflicts_ - options_.most_conflicts > farthest_))
        return limit(fmt::format("the search met {} dead ends", stats_.conflicts));
      ++conflicts_;
      if (!learn()) return limit("the search found no reason for a dead end");
      switch (choices_.settle(limits_)) {
        case Choices::Answer::kImpossible:
          count();
          return {
              Found::Outcome::kNone, {}, minimal_core(p_, choices_.cycles(), limits_).value_or(choices_.cycles()), {}};
        case Choices::Answer::kLimit:
          return exhausted();
        case Choices::Answer::kChosen:
          break;
      }
      limits_.spend(kStepsPerDeadEnd + choices_.changed().size());
      if (limits_.exhausted()) return exhausted();
      hold();
      end = schedule_->run(limits_);
      if (limits_.progress != nullptr && stats_.conflicts % 64 == 0)
        limits_.progress->advance("search", schedule_->order().size(), p_.nodes);
    }
    return end == Schedule::End::kAll ? order() : exhausted();
  }

 private:
  // Takes the hint that leads farthest.
  Schedule::End guess() {
    const std::vector<Hint> hints = options_.hint ? std::vector{*options_.hint} : hints_for(h_);
    for (const Hint hint : hints) {
      limits_.spend(kStepsPerRank * p_.nodes + 2 * p_.to.size() + kStepsPerRank * p_.reads.size());
      auto attempt = std::make_unique<Schedule>(p_, ranks(h_, p_, hint));
      const Schedule::End end = attempt->run(limits_);
      if (end != Schedule::End::kStuck) {
        schedule_ = std::move(attempt);
        return end;
      }
      if (schedule_ != nullptr && attempt->order().size() <= schedule_->order().size()) continue;
      schedule_ = std::move(attempt);
      options_.hint = hint;
    }
    return Schedule::End::kStuck;
  }

  // False: nothing new.
  bool learn() {
    ++stats_.conflicts;
    bool news = false;
    const std::uint64_t before = finder_.looked_at();
    for (const Cycle& cycle : finder_.find(*schedule_)) news |= choices_.forbid(cycle);
    limits_.spend(kStepsPerLink * (finder_.looked_at() - before));
    if (news) return true;
    // Nobody waits in a cycle: what is missing are values that were there, or never come.
    auto reads = schedule_->reads_without_value();
    std::sort(reads.begin(), reads.end(),
              [&](std::uint32_t a, std::uint32_t b) { return read_rank(a) < read_rank(b); });
    for (const std::uint32_t read : reads) {
      if (!choices_.open(read, likely_writer(read))) continue;
      ++stats_.reads;
      return true;
    }
    return false;
  }

  [[nodiscard]] std::uint32_t read_rank(std::uint32_t read) const {
    return schedule_->rank(p_.read_node(p_.reads[read].txn));
  }

  // When the first of them ran: what ran last is taken back first.
  [[nodiscard]] std::uint32_t since(const Choice& choice) const {
    const Node node = p_.overwrite_node(choice.first);
    return schedule_->is_done(node) ? schedule_->place(node) + 1 : 0;
  }

  // The last that wrote the value before the reader, by the hint; else the first after it.
  [[nodiscard]] TxnId likely_writer(std::uint32_t read) const {
    const std::uint32_t at = read_rank(read);
    std::optional<std::pair<bool, std::int64_t>> best;
    TxnId out = kNoTxn;
    for (const TxnId writer : p_.candidates_of(p_.reads[read])) {
      if (writer == p_.reads[read].txn) continue;
      const std::int64_t rank = writer == kNoTxn ? -1 : std::int64_t{schedule_->rank(p_.write_node(writer))};
      const bool before = rank < std::int64_t{at};
      const std::pair<bool, std::int64_t> score{before, before ? rank : -rank};
      if (best && score <= *best) continue;
      best = score;
      out = writer;
    }
    return out;
  }

  // Takes back what the new choices contradict, and holds these.
  void hold() {
    std::uint32_t keep = static_cast<std::uint32_t>(schedule_->order().size());
    const auto before = [&](Node node) {
      if (schedule_->is_done(node)) keep = std::min(keep, schedule_->place(node));
    };
    std::vector<Choice> drop, take;
    for (const Choice& choice : choices_.changed()) {
      if (choice.is_order()) {
        const std::uint64_t id = pair_id(choice.first, choice.second);
        const auto at = held_.find(id);
        if (at != held_.end() && at->second == choice) continue;
        if (at != held_.end()) drop.push_back(at->second);
        take.push_back(choice);
        const Node a = p_.write_node(choice.first);
        const Node b = p_.overwrite_node(choice.second);
        if (schedule_->is_done(b) && (!schedule_->is_done(a) || schedule_->place(a) > schedule_->place(b))) before(b);
        held_[id] = choice;
      } else {
        const auto at = held_sources_.find(choice.read);
        if (at != held_sources_.end() && at->second == choice) continue;
        const Node reader = p_.read_node(p_.reads[choice.read].txn);
        if (at != held_sources_.end()) {
          drop.push_back(at->second);
          before(reader);
        }
        take.push_back(choice);
        before(reader);
        before_overwritten(choice, before);
        held_sources_[choice.read] = choice;
      }
    }
    schedule_->rewind(keep);
    for (const Choice& choice : drop) {
      choice.is_order() ? schedule_->drop_order(choice.first, choice.second) : schedule_->drop_source(choice.read);
    }
    for (const Choice& choice : take) {
      choice.is_order() ? schedule_->hold_order(choice.first, choice.second)
                        : schedule_->hold_source(choice.read, choice.first);
    }
  }

  // The version to be read must not be gone.
  template <typename F>
  void before_overwritten(const Choice& choice, F&& before) const {
    std::uint32_t from = 0;
    if (choice.first != kNoTxn) {
      const Node writer = p_.write_node(choice.first);
      if (!schedule_->is_done(writer)) return;
      from = schedule_->place(writer) + 1;
    }
    for (const TxnId other : p_.writers_of(p_.reads[choice.read].key)) {
      const Node node = p_.write_node(other);
      if (other != choice.first && schedule_->is_done(node) && schedule_->place(node) >= from) before(node);
    }
  }

  Found order() {
    count();
    Found out;
    out.outcome = Found::Outcome::kOrder;
    out.order.assign(schedule_->order().begin(), schedule_->order().end());
    return out;
  }
  // What a cycle left no choice of is pruned; of the other pairs that occur one way was chosen.
  void count() {
    stats_.pruned = choices_.fixed();
    stats_.searched = choices_.orders() - choices_.fixed();
  }
  Found limit(std::string why) {
    count();
    return {Found::Outcome::kLimit, {}, {}, std::move(why)};
  }
  Found exhausted() { return limit(fmt::format("after {} dead ends {}", stats_.conflicts, limits_.exhausted_by())); }

  const History& h_;
  const Problem& p_;
  const Limits& limits_;
  SearchStats& stats_;
  SearchOptions& options_;
  std::uint64_t conflicts_ = 0;
  std::size_t farthest_ = 0;  // that the schedule came
  Choices choices_;
  CycleFinder finder_;
  std::unique_ptr<Schedule> schedule_;
  std::unordered_map<std::uint64_t, Choice> held_;
  std::unordered_map<std::uint32_t, Choice> held_sources_;
};

}  // namespace

Found search(const History& history, const Problem& problem, const Limits& limits, SearchStats& stats,
             SearchOptions& options) {
  return WitnessSearch(history, problem, limits, stats, options).run();
}

}  // namespace isolde::solver
