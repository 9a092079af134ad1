// cluster/leases.h: who holds which partition, and which workers there are, by messages that expire.
//
//   NAME.l.part.PARTITION   the worker that holds it; its last message's number is the lease's revision
//   NAME.l.worker.ID        a worker that is there
//
// In, out: the stream of leases -> what it says now; this worker's own sign of life.
// Always:  a lease is a message that was appended by compare and set, and is written again before it expires. What this
//          says may be a little behind: only the compare and set decides.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cluster/broker.h"
#include "cluster/names.h"

namespace isolde::cluster {

class Leases {
 public:
  using Time = std::chrono::nanoseconds;
  Leases(Broker& broker, Names names, std::string me, Time lease);

  // Takes in what has come.
  void read(Time now);
  // Writes this worker's sign of life again.
  void announce(Time now);
  // Takes it away.
  void leave();

  // All was read that was there when this worker announced itself.
  [[nodiscard]] bool known() const { return announced_ != 0 && read_ >= announced_; }
  [[nodiscard]] std::size_t workers(Time now) const;
  struct Holder {
    std::string worker;  // empty: it was given up, or expired
    // The lease's revision, which the next one must know. 0: there is none.
    std::uint64_t revision = 0;
  };
  [[nodiscard]] Holder holder(std::uint32_t partition, Time now) const;
  // A compare and set failed that knew this revision: perhaps what counts as expired is still there, or the other way
  // round.
  void was_refused(std::uint32_t partition);

 private:
  struct Key {
    std::string value;
    std::uint64_t revision = 0;
    Time written{0};       // by the worker's clock
    bool doubted = false;  // expired or not: the last guess was wrong
  };
  [[nodiscard]] bool expired(const Key& key, Time now) const { return now - key.written > lease_; }

  Broker* broker_;
  Names names_;
  std::string me_;
  Time lease_;
  std::unique_ptr<MessageReader> reader_;
  std::map<std::string, Key> keys_;  // by subject
  std::uint64_t read_ = 0, announced_ = 0;
  AppendAnswer announcing_;
};

}  // namespace isolde::cluster
