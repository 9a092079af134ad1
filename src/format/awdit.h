// format/awdit.h: AWDIT's test files: `w key value` and `r key value`, one operation a line.
//
// In, out: text -> History; '-----' ends a transaction, '=====' a session (any length of either).
// Always:  there is no initial state but absence, so a read without a writer is a read of nothing that was written;
//          sessions are numbered from 0 as they stand; two separators with nothing between hold no transaction.
// Cost:    one pass.  Source: AWDIT (`--format test`).
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kAwditFormat;

}  // namespace isolde
