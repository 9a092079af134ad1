// format/jepsen_read.h: a Jepsen history, from EDN or JSON, as a History.
//
// In, out: operations in file order; an invocation and the next completion of its process are one transaction.
//          :ok is committed, :fail aborted; :info, or no completion, unknown.
// Always:  transactions stand in the order of their completions, those without one at the end; `begin` and `end` are
// the
//          places of invocation and completion among the operations of clients: file order is real time, as in Elle.
//          Neither :info nor a missing completion is an end. The id is the :index of the completion (without one, of
//          the invocation) if all have one and no two the same; else the transaction's place.
//          Operations of the nemesis are faults (history.h), at the place of the client's operation that comes next: of
//          two in a row with the same :f the first begins it and the second ends it, as a nemesis logs them.
// Cost:    one pass that holds the open invocations only; a second one if names collide or indexes cannot be ids.
#pragma once

#include "format/format.h"
#include "format/jepsen_op.h"

namespace isolde {

[[nodiscard]] Result<ReadResult> read_jepsen(const Source& source, JepsenSyntax syntax, const ReadOptions& options);

}  // namespace isolde
