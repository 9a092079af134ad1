// stream/standard_input.h: a stream from a pipe, or whatever else standard input is. See stream/input.h.
#pragma once

#include "stream/input.h"

namespace isolde::stream {

// The caller keeps `fd` open as long as the input is used.
[[nodiscard]] Result<std::unique_ptr<Input>> open_pipe(int fd, const std::string& name, InputOptions options);

}  // namespace isolde::stream
