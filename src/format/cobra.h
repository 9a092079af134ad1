// format/cobra.h: Cobra's folder of `T<client>.log` files, big-endian records, with or without timestamps.
//
// Layout:  'S' i64 txn [i64 time]   'C' i64 txn [i64 time]   'W' i64 write_id, key, value
//          'R' i64 writer_txn, write_id, key, value          (keys and values are 64-bit hashes)
//          Whether there are times is found by trying: every file must parse to its last byte, without them first.
// In, out: folder <-> History; each file is the session of its number, ordered by number; other files are ignored.
// Always:  keys are integers. A version is known by its write id, so a written value is the row {"value": hash,
//          "write": id}, and the writer is not named again: a read names it. Where a read names another writer than the
//          transaction that wrote this row to this key first (or none did), and where a second transaction writes the
//          same row, the row has {"txn": writer} as well, which keeps the two apart. So nothing of the log is lost.
//          0xbebeebee (initial): the key's initial value is the hash read, an integer; reads that give another hash for
//          the same key read the initial value all the same, with a note. 0xdeadbeef (missing): null, the initial value
//          of all other keys; on a key that has an initial value and was never deleted it reads that, as in Cobra, with
//          a note. 0xabcdefab (deleted): null. Reads of Cobra's own collection marks (0x23332333, 0x66666666) are left
//          out, with a note. 0xabddefee (VeriStrong) as the writer of a read is any writer of that version, and as its
//          write id any write of that value, so that writes of it to that key are not told apart: with the writer alone
//          they are one row without "txn", with the write id one integer, the hash; a note says so. 'S' without 'C' at
//          the end of a file is a transaction of unknown status. Times become begin and end. Written: a value that is
//          no such row gets the id of its (key, value), as a write id, and itself or its hash as the value;
//          transactions known to be aborted are left out. What was read must have one writer: values that were
//          written twice, and read, cannot be told apart, so such a history is refused.
// Cost:    two passes over the bytes, one hash table of the writes.  Source: Cobra; PolySI, AWDIT, VeriStrong read it,
// too.
#pragma once

#include <cstdint>

#include "format/format.h"

namespace isolde {

extern const FormatInfo kCobraFormat;

namespace cobra {

inline constexpr std::int64_t kInitial = 0xbebeebee;
inline constexpr std::int64_t kMissing = 0xdeadbeef;
inline constexpr std::int64_t kDeleted = 0xabcdefab;
inline constexpr std::int64_t kAny = 0xabddefee;  // VeriStrong: any writer of that value
inline constexpr std::int64_t kCollectedTrue = 0x23332333;
inline constexpr std::int64_t kCollectedFalse = 0x66666666;

[[nodiscard]] Result<WriteResult> write(const History& history, Output& output);
[[nodiscard]] std::uint64_t unfit(const History& history, HistoryContent content);

}  // namespace cobra
}  // namespace isolde
