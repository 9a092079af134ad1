// cli/watch_cluster.h: `isolde watch nats://…`: the stream's verdict, put together from its partitions; or, with
// --worker, one of those who check them.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace isolde::cli {

// Requires: the first positional argument is a cluster's address.
Exit run_watch_cluster(const Arguments& args);

}  // namespace isolde::cli
