// format/jepsen.h: the histories of Jepsen and Elle: EDN (read and written) and the same operations as JSON (read).
//
// Reading order: edn.h (the notation) -> jepsen_op.h, jepsen_json.h (one operation) -> jepsen_read.h (pairing) ->
//                jepsen_workload.h, jepsen_names.h (what operations mean); jepsen_write.h, jepsen_schedule.h (writing).
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kJepsenEdnFormat;
extern const FormatInfo kJepsenJsonFormat;

}  // namespace isolde
