#include "audit/confirm/orders.h"

#include <algorithm>

namespace isolde::audit {
namespace {

bool commit_matters(const Effect& commit, const Effect& other) {
  if (other.commits) return false;
  return (other.takes_snapshot && !commit.shows.empty()) || share_a_row(commit.shows, other.looks) ||
         share_a_row(commit.holds, other.holds);
}

class OrderSearch {
 public:
  OrderSearch(const std::vector<std::vector<Effect>>& steps, const std::vector<std::pair<StepPlace, StepPlace>>& before,
              std::size_t most)
      : steps_(steps), most_(most), done_(steps.size(), 0) {
    for (const auto& member : steps) total_ += member.size();
    for (const auto& [first, second] : before) {
      if (first.member == second.member || !matters(effect(first), effect(second))) continue;
      before_.push_back({first, second});
    }
  }

  // A member sleeps if its next step does: one step a member can be sent at a time.
  Orders run() {
    struct Level {
      std::vector<bool> sleeps;
      std::uint32_t next = 0;  // member to try
    };
    // Its depth is the number of steps, so it is kept on the heap, not on the stack.
    std::vector<Level> levels(1, {std::vector<bool>(steps_.size(), false)});
    while (!levels.empty() && out_.count < Orders::kMostCounted) {
      if (order_.size() == total_) {
        ++out_.count;
        if (out_.listed.size() < most_) out_.listed.push_back(order_);
      }
      Level& level = levels.back();
      while (level.next < steps_.size() && (level.sleeps[level.next] || !may_go(level.next))) ++level.next;
      if (level.next == steps_.size()) {
        levels.pop_back();
        if (order_.empty()) break;
        const std::uint32_t back = order_.back();
        order_.pop_back();
        --done_[back];
        levels.back().sleeps[back] = true;  // tried: it sleeps for its later siblings
        continue;
      }
      const std::uint32_t member = level.next++;
      const Effect& sent = steps_[member][done_[member]];
      Level below{level.sleeps};
      below.sleeps[member] = false;
      for (std::uint32_t other = 0; other < steps_.size(); ++other) {
        if (other != member && below.sleeps[other] && matters(sent, steps_[other][done_[other]]))
          below.sleeps[other] = false;
      }
      order_.push_back(member);
      ++done_[member];
      levels.push_back(std::move(below));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Effect& effect(const StepPlace& place) const { return steps_[place.member][place.step]; }

  [[nodiscard]] bool may_go(std::uint32_t member) const {
    const std::uint32_t step = done_[member];
    if (step == steps_[member].size()) return false;
    return std::ranges::all_of(before_, [&](const auto& pair) {
      return pair.second != StepPlace{member, step} || done_[pair.first.member] > pair.first.step;
    });
  }

  const std::vector<std::vector<Effect>>& steps_;
  std::size_t most_;
  std::size_t total_ = 0;
  std::vector<std::pair<StepPlace, StepPlace>> before_;
  std::vector<std::uint32_t> done_;  // by member: steps that were sent
  std::vector<std::uint32_t> order_;
  Orders out_;
};

}  // namespace

bool share_a_row(const std::vector<RowPlace>& a, const std::vector<RowPlace>& b) {
  return std::ranges::any_of(a, [&](const RowPlace& x) {
    return std::ranges::any_of(
        b, [&](const RowPlace& y) { return x.table == y.table && (x.row.empty() || y.row.empty() || x.row == y.row); });
  });
}

bool matters(const Effect& a, const Effect& b) {
  if (a.commits) return commit_matters(a, b);
  if (b.commits) return commit_matters(b, a);
  return share_a_row(a.holds, b.holds);
}

Orders different_orders(const std::vector<std::vector<Effect>>& steps,
                        const std::vector<std::pair<StepPlace, StepPlace>>& before, std::size_t most) {
  return OrderSearch(steps, before, most).run();
}

}  // namespace isolde::audit
