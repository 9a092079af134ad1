// tests/support/native_history.h: a History from native JSON Lines, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "format/native_read.h"

namespace isolde {

// What cannot be read stops the test program.
inline History native(std::string_view text) {
  Source source;
  source.path = "test";
  source.files.push_back({"test", text, nullptr});
  auto read = read_native(source, ReadOptions{});
  if (!read) {
    ADD_FAILURE() << read.error().message();
    std::abort();
  }
  return std::move(read->history);
}

}  // namespace isolde
