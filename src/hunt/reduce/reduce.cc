#include "hunt/reduce/reduce.h"

#include "hunt/finding/cause.h"
#include "hunt/reduce/session.h"

namespace isolde::hunt {
namespace {

using Pass = bool (*)(Reduction&);

bool run_all(Reduction& reduction, std::initializer_list<Pass> passes) {
  bool any = false;
  for (const Pass pass : passes) any = (!reduction.over() && pass(reduction)) || any;
  return any;
}

}  // namespace

Result<Finding> reduce(const Finding& finding, const TryAgain& again, const ReduceOptions& options) {
  Reduction reduction(finding, again, options);
  for (bool smaller = true; smaller && !reduction.over();) {
    // What needs no new schema is quick, so it goes first and as far as it can.
    smaller = false;
    while (
        run_all(reduction, {drop_transactions, drop_statements, make_serial, send_plainly, shrink_trees, unite_tables}))
      smaller = true;
    smaller = run_all(reduction, {drop_objects, drop_rows, drop_columns, keep_one_row, simplify_cells}) || smaller;
  }
  run_all(reduction, {number_transactions, drop_drops});
  if (reduction.fault()) return *reduction.fault();
  reduction.confirm();
  Finding reduced = reduction.best();
  reduced.cause = cause_of(reduced);
  return reduced;
}

}  // namespace isolde::hunt
