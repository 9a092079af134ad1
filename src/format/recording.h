// format/recording.h: the folder that `isolde record` writes while it runs, readable at any moment, even after kill -9.
//
// In, out: the folder -> History, through the native reader's lines. docs/recording.md says what survives what.
//
// A folder with
//   header.jsonl          one line: the header of the native format (CONTRACT section 3), with "isolde-recording": 1
//   session-NNNN.journal  one a client, appended to as things happen; the grammar is below
//   faults.jsonl          optional: native fault lines, each written when the fault was over; for people only
//   evidence.jsonl        optional: native version_order lines, from the database's log, written when the run is over
//
// A journal is text, one record a line; what follows the last newline, and everything from the first zero byte on, was
// never finished and is dropped (a journal is a mapped file that grows by whole blocks, so a killed run leaves zeros).
//   s NAME         the lines from here on belong to the session of this name (an integer); it is in no other journal
//   b ID TIME      a transaction begins: its id (an integer, unique in the folder), the clock before its first request
//   o OP           an operation as in the native format with its details: ["r",7,1,{"at":[1,2]}]
//   i TIME OP      a write about to be sent, without "at"; TIME is the clock before it
//   d TIME         what was about to be sent (all `i` since the last statement) was answered at TIME
//   c TIME         the commit is about to be sent; every `i` has its `d` by then
//   f FIELDS       what the database said of the transaction: members of its native object, without braces:
//                  "snapshot":{…},"start_ts":5
//   p PLACE        it was the PLACE-th commit of all that wrote, by the database's own log or hook. The order of each
//                  key's versions follows from the places of its writers; it is complete if every writer of the key
//                  that is not aborted has one
//   e STATUS TIME  it ended: committed (after a `c`) or aborted, answered at TIME; or "e unknown": the answer was lost,
//                  and then the session is over, since nobody knows when its last request ended
//
// What a cut-off transaction is: with a `c` and no `e` unknown; without a `c` aborted, for nobody asked to commit it.
// Always:  a folder cut off anywhere by a kill gives the transactions that were recorded until then, and no others.
// Cost:    linear; one transaction's text is in memory beside the history.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kRecordingFormat;

}  // namespace isolde
