#include "cluster/broker.h"

namespace isolde::cluster {
namespace {

constexpr std::chrono::milliseconds kAWhile{100};

}  // namespace

Appended append_now(Broker& broker, const OutgoingMessage& message, std::optional<std::uint64_t> last) {
  const AppendAnswer answer = broker.append(message, last);
  while (!answer.here()) broker.poll(kAWhile);
  return *answer;
}

Result<StoredMessage> last_now(Broker& broker, const std::string& stream, const std::string& subject) {
  const LastAnswer answer = broker.last(stream, subject);
  while (!answer.here()) broker.poll(kAWhile);
  return *answer;
}

}  // namespace isolde::cluster
