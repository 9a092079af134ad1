// format/proxy_values.h: what `isolde proxy` writes while it records by values (a file *.wire): MariaDB and MySQL,
// whose rows do not name their versions.
//
// In, out: lines of JSON, the first one {"isolde-proxy-values":1,…} -> History.
//   {"row":["t","7"],"cells":{"c":5,"d":"x","e":null,"f":false}}
//     what a row held when the recording began: a number, a text, NULL, no row
//   {"s":3,"st":"committed","b":1,"c":[5,9],"ops":[["w","t","7","c",6,2,3], …]}
//     one per transaction when it is over: session, status, clocks; operations in program order: kind (r read, l read
//     FOR UPDATE, s read FOR SHARE, w written, u written with a value that nobody knows), table, primary key, column,
//     value, clocks around the statement. "sure":false: only what it may have written counts.
//   {"touched":["t","c"]}, {"touched":["t"]}   something wrote a column, or any, of rows that nobody can name
//   {"horizon":9}   all transactions that began earlier are in the file
//   {"over":1}      the recording was ended in order
// Keys are "table/key.column".
//
// Always:  nothing is guessed, given that all that writes these tables came through the proxy. A key is left out, with
//          all that was read and written of it, if something may have written it with a value that is not known: then
//          no value of it says who wrote it. So is a key of which a value was read that nobody wrote, and that it did
//          not hold at first. Reads of a key whose first value is not known are left out. What a key may have held is
//          then all in the history, and values that repeat are for the engines to tell apart. Without {"over":1} the
//          last transactions may be missing: only what ended before the last horizon counts.
// Cost:    linear, and a sort of each key's writers.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kProxyValuesFormat;

}  // namespace isolde
