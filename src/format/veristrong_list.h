// format/veristrong_list.h: VeriStrong's own text form of list histories.
//
// In, out: a first line with the number of lines, then `session txn R key n a1 … an` or `session txn A key value` ->
//          History of lists.
// Always:  lists are empty at first; lines of several transactions may be mixed; transactions of a session stand in the
//          order of their first lines; lines beyond the number given are an error, and so is a number not reached.
// Cost:    one pass.  Source: VeriStrong (`--history-type elle-list-append`).
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kVeristrongListFormat;

}  // namespace isolde
