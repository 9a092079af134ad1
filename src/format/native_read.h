// format/native_read.h: native JSON Lines -> History, the general way. See format/native.h.
#pragma once

#include "format/format.h"

namespace isolde {

[[nodiscard]] Result<ReadResult> read_native(const Source& source, const ReadOptions& options);

}  // namespace isolde
