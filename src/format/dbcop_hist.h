// format/dbcop_hist.h: dbcop's text histories (`.hist`, 2026): `[x:=1 y==2] [x==?]!`, sessions apart by `---`.
//
// In, out: text -> History. `x:=1` writes, `x==1` reads, `x==?` reads the initial state; `]!` is an aborted
// transaction;
//          `//` begins a comment.
// Always:  every key holds 0 at first, as in dbcop; a write of 0 is a write. Keys are strings, sessions and
// transactions
//          are numbered from 0 as they stand.
// Cost:    one pass.  Source: dbcop.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kDbcopHistFormat;

}  // namespace isolde
