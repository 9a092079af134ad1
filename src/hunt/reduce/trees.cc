// Statements made smaller by their clauses and expressions.
#include <algorithm>

#include "hunt/reduce/session.h"
#include "hunt/sql/tree.h"

namespace isolde::hunt {
namespace {

struct Sized {
  Place place;
  std::size_t size = 0;
};

std::vector<Sized> by_size(const Case& test) {
  std::vector<Sized> all;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
      const sql::NodePtr& tree = test.transactions[t].statements[s].tree;
      if (tree) all.push_back({{t, s}, sql::size(*tree)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Sized& a, const Sized& b) { return a.size > b.size; });
  return all;
}

bool shrink(Reduction& reduction, Place place) {
  bool any = false;
  for (bool better = true; better;) {
    better = false;
    // A step that was refused is not tried again before the end is reached: what follows it is smaller and, after a
    // step that was taken, most likely stands at the same place.
    for (std::size_t i = 0; !reduction.over();) {
      const std::vector<sql::NodePtr> candidates = sql::smaller(at(reduction.best().test, place).tree);
      if (i >= candidates.size()) break;
      bool taken = false;
      for (; i < candidates.size() && !taken && !reduction.over(); ++i) {
        Finding candidate = reduction.best();
        Statement& statement = candidate.test.transactions[place.transaction].statements[place.statement];
        statement = sql::with_tree(statement, candidates[i], candidate.test.schema, candidate.dialect);
        taken = reduction.attempt(candidate);
      }
      if (taken) {
        --i;
        better = any = true;
      }
    }
  }
  return any;
}

}  // namespace

bool send_plainly(Reduction& reduction) {
  bool any = false;
  for (std::uint32_t t = 0; t < reduction.best().test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < reduction.best().test.transactions[t].statements.size(); ++s) {
      if (!at(reduction.best().test, {t, s}).undone.empty()) {
        Finding candidate = reduction.best();
        candidate.test.transactions[t].statements[s].undone.clear();
        any = reduction.attempt(candidate) || any;
      }
      if (at(reduction.best().test, {t, s}).sent == Sent::kPlain) continue;
      Finding candidate = reduction.best();
      candidate.test.transactions[t].statements[s].sent = Sent::kPlain;
      any = reduction.attempt(candidate) || any;
    }
  }
  return any;
}

bool shrink_trees(Reduction& reduction) {
  bool any = false;
  for (const Sized& statement : by_size(reduction.best().test)) any = shrink(reduction, statement.place) || any;
  return any;
}

}  // namespace isolde::hunt
