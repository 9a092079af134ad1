// format/viper.h: Viper's folder of `J<client>.log` files: JSON lines with point, insert, delete and range operations.
//
// In, out: {"value":[mop…]} a line, one transaction each -> History; each file is the session of that number.
//          ["r",k,v,dead]               read
//          ["w",k,v,succ]               write
//          ["i",k,v,read,dead,succ,…]   insert: reads the version before, writes v
//          ["d",k,v,read,dead,succ,…]   delete: reads the version before, writes the tombstone v
//          ["range",k1,k2,[live…],[dead…]]  items {"id","val"}, bounds inclusive, "nil" = open
// Always:  every key holds 0 at first (Viper writes 0 or "nil"). A tombstone is a version that can be told apart, so it
//          is the row {"dead": v}; a live version is the plain value. An operation with succ = false did not happen.
//          A range is a scan where `key BETWEEN k1 AND k2 AND dead IS NULL`: without the last part, the tombstones that
//          it met, which are in its version set and not in its result, would belong to the result. Lines with
//          "isInitial": true are no transactions: they say what keys held at first. Folders without such a line have a
//          load phase that nobody logged: a value that was read or found by a range and that nobody wrote is then what
//          its key held at first (the first such value of the key, unless the key was also read as 0), with a note.
//          ReadOptions::initial turns that off.
// Cost:    one pass.  Source: Viper.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kViperFormat;

}  // namespace isolde
