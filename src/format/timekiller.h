// format/timekiller.h: TimeKiller's JSON (Chronos, Aion), registers and lists, with hybrid logical timestamps.
//
// In, out: [{"tid","sid","sts":{"p","l"},"cts":{"p","l"},"ops":[{"t","k","v"}]}] <-> History.
// Always:  a key is absent (null) at first; `t` is r, read, w, write, a or append, in any case; `v` left out is null;
// numbers may be
//          quoted, and a quoted key or value that spells an integer is that integer.
//          A timestamp becomes p * 2^18 + l (as in TiDB): one to one, and ordered like (p, l). Where p or l is too
//          large for that (p in microseconds or finer), it is p * 2^n + l with the least n that holds every l, and the
//          history's `about` says so; the writer takes p and l apart by the same number. What fits no n is an error.
//          sts or cts left out or null is not known. Aion's "rtts" is read past; any other field is an error
//          (unknown_fields.h). Where reads give 0, which nobody wrote, and none gives null, a note says that --initial
//          0 may be meant: TimeKiller has that option, and takes null without it, as is done here. Written:
//          transactions that count as committed. What a key held at first becomes null; values that are no integers are
//          numbered.
// Cost:    one pass.  Source: TimeKiller.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kTimekillerFormat;

}  // namespace isolde
