// audit/confirm/run_tree.h: which orders of steps would be a run that was made already.
//
// A transaction that waits for a lock goes on only when the lock is given up. So of the orders that place its later
// steps differently, all before that moment, each is the same run: what the orders say and what is sent are not the
// same. Which steps wait is known only by trying. So runs are kept as a tree of what was sent, with who could not go on
// after each step. Before an order is run, it is followed down that tree: at each step comes the first in the order
// whose transaction can go on, as the schedule (probe/schedule.h) does it. An order that arrives at an end of the tree
// would be a run that was made. Servers that are sent the same steps in the same order do the same, up to which of the
// transactions of a deadlock they turn away, and a run with a deadlock shows nothing anyway.
//
// In, out: runs as they were sent; orders -> known or not.
// Cost:    the length of the order times the number of members.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace isolde::audit {

// A step as it was sent, and who was waiting, or had been turned away, when everything under way had settled.
struct SentStep {
  std::uint32_t member;
  std::vector<bool> stands_still;  // by member
};

class RunTree {
 public:
  // All runs have the same steps of each member, in their order.
  void add(const std::vector<SentStep>& sent);
  // `order`: the member of each step.
  [[nodiscard]] bool has(const std::vector<std::uint32_t>& order) const;

 private:
  struct Node {
    std::vector<bool> stands_still;
    std::map<std::uint32_t, std::uint32_t> next;  // by member: in nodes_
    bool end = false;                             // a run ended here
  };
  std::vector<Node> nodes_ = {{}};
};

}  // namespace isolde::audit
