// tests/live/shared_server.h: one server for each kind and setting, for all tests of a program: starting one takes
// longer than most of them.
//
// Always:  it lives until the program ends. Who shares it leaves it running, with its settings as they were.
#pragma once

#include "db/server.h"

namespace isolde::test {

// Null, with a failure of the test, if it cannot be started.
[[nodiscard]] db::Server* shared_server(const db::ServerOptions& options);

}  // namespace isolde::test
