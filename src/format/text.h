// format/text.h: `r(key,value,session,txn)` and `w(key,value,session,txn)`, one operation a line, in its three
// dialects.
//
// In, out: text -> History; a History of registers -> text.
// Always:  every key holds 0 at first. Lines of several transactions may be mixed; transactions of a session stand in
// the
//          order of their first lines. Transaction -1 is an aborted operation: such operations of a session that follow
//          each other form one aborted transaction, named -1, -2, … in the order of appearance.
//          `text` reads all dialects; `text-polysi` knows no -1 and no negative numbers; `text-plume` leaves out writes
//          of 0, which Plume takes for the initial state; `text-awdit` knows no negative numbers but -1.
// Cost:    one pass, 16 bytes an operation beside the history.
// Source:  PolySI, Plume, IsoVista, AWDIT.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kTextFormat;
extern const FormatInfo kTextPolysiFormat;
extern const FormatInfo kTextPlumeFormat;
extern const FormatInfo kTextAwditFormat;

}  // namespace isolde
