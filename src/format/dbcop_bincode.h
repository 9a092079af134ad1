// format/dbcop_bincode.h: dbcop's binary histories of 2019 (`history.bincode`), also read by PolySI, AWDIT, VeriStrong.
//
// Layout:  bincode 1, little-endian: i64 id, nodes, variables, transactions, events; text info, start, end (u64 length,
//          bytes); u64 sessions { u64 transactions { u64 events { bool write; u64 variable; u64 value; bool success }
//          bool success } }.
// Always:  every key holds 0 at first; an event without success is left out; a transaction without success is aborted.
//          A length is checked against the bytes that are left before anything is made of it.
// Cost:    one pass.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kDbcopBincodeFormat;

}  // namespace isolde
