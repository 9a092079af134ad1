#include "cluster/nats_broker.h"

namespace isolde::cluster {

Result<std::unique_ptr<Broker>> connect_to_nats(const Address&, const std::string&, const std::function<bool()>&) {
  return Error{
      "this program was built without NATS: install libnats-dev (Debian, Ubuntu), remove the build folder and build "
      "again"};
}

}  // namespace isolde::cluster
