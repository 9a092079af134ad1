// format/dbcop_json.h: dbcop's JSON histories (2026), in the command's wrapper or bare.
//
// In, out: {"params":…,"info":…,"data":[session…]} or [session…] -> History. A session is an array of
//          {"events":[event…],"committed":bool}; an event is {"Read":{"variable":V,"version":N|null}}, {"Write":…}, or
//          short ["r",V,N], ["w",V,N].
// Always:  every key holds 0 at first, and null reads as 0, as in dbcop; a write of 0 is a write; not committed is
// aborted.
//          A field of a transaction or an event that dbcop does not have is an error (unknown_fields.h); those of the
//          wrapper are open.
//          Sessions and transactions are numbered from 0 as they stand.
// Cost:    one pass.  Source: dbcop.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kDbcopJsonFormat;

}  // namespace isolde
