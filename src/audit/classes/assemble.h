// audit/classes/assemble.h: one class out of the transactions of a group: what holds in every one of them.
//
// In, out: FormGroup -> operations, rows and variables; the name is given later (names.h).
// Always:  operation i of statement s is access i of the example's statement, with what is true of every transaction of
//          the class: flags that allow to leave something out (counts_only, of_written_row) only if all have them, rows
//          told apart if any tells them apart, keys that all have, single if all are.
//          A variable stands for values that were equal in every transaction (a loop's first and last rounds; where a
//          loop went round once, that is both rounds). Places of different columns share one only if that is no chance
//          (equal_evidence.h), which is judged over all classes: so there are two steps.
// Cost:    the slots of the class for each of its transactions.
#pragma once

#include <memory>
#include <span>

#include "audit/classes/classes.h"
#include "audit/classes/equal_evidence.h"
#include "audit/classes/forms.h"
#include "audit/classes/made_ids.h"

namespace isolde::audit {

class ClassAssembler {
 public:
  // The first step. Requires: all of them outlive it. What was equal in this class is added to `evidence`.
  ClassAssembler(const TraceLog& log, const Schema& schema, std::span<const Statement> statements, const Forms& forms,
                 const FormGroup& group, const MadeIds& made_ids, EqualEvidence& evidence);
  ClassAssembler(ClassAssembler&&) noexcept;
  ~ClassAssembler();

  enum class DifferentColumns : std::uint8_t { kByEvidence, kNever, kAlways };
  // The second step, once: when all classes have made the first.
  [[nodiscard]] TransactionClass finish(const EqualEvidence& evidence, DifferentColumns different);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace isolde::audit
