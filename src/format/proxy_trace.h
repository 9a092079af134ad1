// format/proxy_trace.h: what `isolde proxy` writes while it runs (a file *.wire), readable at any moment, even after
// kill -9.
//
// In, out: lines of JSON, the first one {"isolde-proxy":1,"first_xid":N,…} -> History.
//   {"s":3,"st":"committed","b":1,"e":9,"c":[5,9],"ops":[["w","t","7",742,"0,1",2,3], …]}
//     one per transaction when it is over: session, status, clocks, rows in program order: kind (r read, l read FOR
//     UPDATE, s read FOR SHARE, w written, d deleted), table, primary key, xmin and ctid of the version, clocks around
//     the statement. A deletion names the version that it deleted.
//   {"moved":["t", …]}     at the end: tables whose rows may have been moved (VACUUM FULL): where one stands does not
//   tell
//     a transaction's versions of it apart
//   {"changed":["t", …]}   at the end: tables that were defined anew: what was seen of them is left out
//   {"over":1}             the recording was ended in order: the lines above are there if they are needed
// Keys are "table/key"; a version's value is its xmin, or "xmin.n" where one (sub)transaction wrote a row several
// times. What a row held is not in it.
//
// Always:  nothing is guessed. A version belongs to the transaction that was answered with it, by xmin and ctid. One
//          that is older than first_xid is what its key held at first. Reads of any other version (written by somebody
//          who did not come through the proxy, by a trigger, by a transaction that was left out) are left out and
//          counted. That is sound at every level: a history without a transaction, and without the reads of its
//          versions, violates nothing that the whole one does not violate.
//          The order of a key's versions is given only as far as the clocks force it: the second writer gets the row's
//          lock after the first has ended. So if a writer had its row before another one sent its commit, the other one
//          did not come first.
// Cost:    linear, and a sort of each key's writers.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kProxyTraceFormat;

}  // namespace isolde
