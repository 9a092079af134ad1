// format/native_read.h: native JSON Lines -> History: line by line, the quick way (native_fast.h) or the general one
// (native_line.h). See format/native.h.
#pragma once

#include "format/format.h"

namespace isolde {

[[nodiscard]] Result<ReadResult> read_native(const Source& source, const ReadOptions& options);

}  // namespace isolde
