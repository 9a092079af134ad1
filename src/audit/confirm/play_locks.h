// audit/confirm/play_locks.h: locks that are no rows, in a play: LOCK TABLE and advisory locks.
//
// LOCK TABLE is sent as it is. Advisory locks belong to the whole server: two stories that run at the same time would
// wait for each other, and so would the application that uses the server. So such a lock is taken as SELECT … FOR
// UPDATE of a row of the scratch place, named by the key that the call gives: whoever asks for the same row waits until
// the transaction that has it ends.
//
// In, out: a line of a class -> Line::locks, lock_key. The error says which lock cannot be followed: one that is given
//          back before the transaction ends, one that is only tried for, one whose key is computed, LOCK TABLE in a
//          mode that the audit does not follow. Without these the run would show what the application prevents.
#pragma once

#include "audit/classes/classes.h"
#include "audit/confirm/play.h"
#include "audit/trace/log.h"
#include "base/result.h"

namespace isolde::audit {

[[nodiscard]] Result<void> find_locks(const Classes& classes, const TransactionClass& of, Line& line);
// Statements of the class's example that the class does not have, because they touch no data or are not understood: the
// latter go to Member::unknown.
[[nodiscard]] Result<void> check_other_statements(const Classes& classes, const TraceLog& log,
                                                  const TransactionClass& of, Member& member);

}  // namespace isolde::audit
