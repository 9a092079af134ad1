// Built without cpp-httplib: --serve says what to install.
#include "cli/live_server.h"

namespace isolde::cli {

Result<std::unique_ptr<LiveServer>> LiveServer::start(const ServeAddress&, std::string) {
  return Error{"this isolde was built without a server: install libcpp-httplib-dev and libssl-dev, and build it again"};
}

}  // namespace isolde::cli
