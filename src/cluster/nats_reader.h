// cluster/nats_reader.h: reads a subject of a JetStream stream, ahead of who takes the messages.
//
// In, out: a position in a stream -> its messages from there on, in their order.
// Always:  a pull consumer without acknowledgements, made anew behind the last message that was taken whenever the
//          connection was lost, a message is missing (the consumer numbers them), or nothing came for a while: what was
//          read is known by this program's own checkpoints, and a durable consumer would reorder after a restart.
//          Messages are asked for in such numbers that about kAhead bytes are here or on their way.
// Cost:    no round trip that anybody waits for, except before the first message.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cluster/broker.h"
#include "cluster/nats_link.h"

namespace isolde::cluster {

class NatsReader final : public MessageReader {
 public:
  NatsReader(NatsLink& link, std::string stream, std::string subject, std::uint64_t from)
      : link_(link), stream_(std::move(stream)), subject_(std::move(subject)), next_(from) {}
  ~NatsReader() override;
  [[nodiscard]] Result<std::vector<StoredMessage>> fetch(std::size_t most) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    std::size_t left;
    Clock::time_point until;
  };
  // What libnats' replies to a request for a consumer tell: shared, because the reader may be gone by then.
  struct Made {
    bool answered = false;
    std::string name;  // empty: it failed
    std::string why;
  };

  void make_consumer();
  void leave_consumer();
  void ask_for_more();
  // False: the consumer cannot be used any more.
  [[nodiscard]] bool take(natsMsg* message, std::vector<StoredMessage>& out);
  [[nodiscard]] std::size_t asked() const;

  NatsLink& link_;
  std::string stream_, subject_;
  std::uint64_t next_;  // of the stream
  std::unique_ptr<NatsLink::Inflow> inflow_;
  std::shared_ptr<Made> made_;
  std::string consumer_;         // empty: none yet
  std::uint64_t delivered_ = 0;  // by this consumer
  std::deque<Asked> asked_;      // oldest first
  std::size_t largest_ = 0;      // message
  Clock::time_point heard_, try_again_;
  std::chrono::milliseconds patience_{0};
  std::uint64_t losses_ = 0;
};

}  // namespace isolde::cluster
