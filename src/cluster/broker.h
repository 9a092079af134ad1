// cluster/broker.h: what the cluster asks of a message broker: streams of numbered messages, and keys with a lease.
//
// Everything else in src/cluster is written against this interface. src/cluster/nats_broker.cc implements it with NATS
// JetStream; the tests also have one in memory, which fails as often as a test wants.
//
// In, out: messages, appended under a subject -> the same messages, each with its number in its stream and the time at
//          which it was stored, read from any number on.
// Always:  one stream is one total order. An append that was acknowledged is in the stream, unless the machines lost
//          power (docs/cluster.md). One that was not acknowledged may be there or not. An append with the id of an
//          earlier one may be stored a second time: readers count for themselves (cluster/batch.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::cluster {

struct StoredMessage {
  std::uint64_t sequence = 0;
  std::int64_t time = 0;  // nanoseconds, by the broker's clock
  std::string subject, data;
};

struct OutgoingMessage {
  std::string subject, data;
  std::string id;  // equal ids within the broker's window are stored once
};

enum class AppendOutcome : std::uint8_t {
  kStored,       // or was there already, under the same id
  kRefused,      // the expectation does not hold: somebody else has appended under this subject
  kFull,         // the stream has reached its limit: readers have to catch up first
  kUnavailable,  // no answer, or nobody leads the stream: try again
  kForbidden,    // it will never be taken: too large, no permission, no such stream
};

struct Appended {
  AppendOutcome outcome = AppendOutcome::kUnavailable;
  std::uint64_t sequence = 0;  // kStored
  std::string why = {};        // otherwise
};

struct StreamFacts {
  std::uint64_t first = 0, last = 0;  // sequence numbers; first = last + 1 if it is empty
  std::uint64_t messages = 0, bytes = 0;
};

struct StreamPlan {
  std::string name;
  std::string subjects;         // a pattern: "shop.p.>"
  std::uint64_t max_bytes = 0;  // 0: no limit
  bool one_per_subject = false;
  bool keep_first = false;  // one_per_subject: the first message of a subject stays and later ones are refused; else
                            // the last one replaces it
};

// Reads the messages of one subject pattern in their order.
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // Waits for at most `wait`; nothing: none came. An error is temporary: the next call continues behind the last
  // message that was returned.
  [[nodiscard]] virtual Result<std::vector<StoredMessage>> fetch(std::size_t most, std::chrono::milliseconds wait) = 0;
};

class Broker {
 public:
  virtual ~Broker() = default;

  // Creates the stream, or leaves one as it is that fits.
  [[nodiscard]] virtual Result<void> make_stream(const StreamPlan& plan) = 0;
  // Nothing: there is no such stream.
  [[nodiscard]] virtual Result<std::optional<StreamFacts>> facts(const std::string& stream) = 0;

  // In this order, all at once; returns when each has its outcome.
  [[nodiscard]] virtual std::vector<Appended> append_all(std::span<const OutgoingMessage> messages) = 0;
  // `last`: the number of the last message under this subject must be this one; 0: there must be none.
  [[nodiscard]] virtual Appended append(const OutgoingMessage& message, std::optional<std::uint64_t> last) = 0;

  // The last message under exactly this subject.
  [[nodiscard]] virtual Result<std::optional<StoredMessage>> last(const std::string& stream,
                                                                  const std::string& subject) = 0;
  // `subject`: may be a pattern. `from`: the first number that is wanted.
  [[nodiscard]] virtual Result<std::unique_ptr<MessageReader>> reader(const std::string& stream,
                                                                      const std::string& subject,
                                                                      std::uint64_t from) = 0;
  // Removes messages with numbers below `before` under the subject (a pattern).
  [[nodiscard]] virtual Result<void> drop(const std::string& stream, const std::string& subject,
                                          std::uint64_t before) = 0;

  // ---- keys, each with a value and a revision; a key that is not written for its lease's length is gone
  [[nodiscard]] virtual Result<void> make_bucket(const std::string& bucket, std::chrono::milliseconds lease) = 0;
  struct Key {
    std::string name, value;
    std::uint64_t revision = 0;
  };
  // The new revision. Nothing: the key exists.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> create(const std::string& bucket, const std::string& key,
                                                                    const std::string& value) = 0;
  // Nothing: the key has another revision by now, or is gone.
  [[nodiscard]] virtual Result<std::optional<std::uint64_t>> update(const std::string& bucket, const std::string& key,
                                                                    const std::string& value,
                                                                    std::uint64_t revision) = 0;
  [[nodiscard]] virtual Result<void> remove(const std::string& bucket, const std::string& key) = 0;
  // Whose name begins with `prefix`, which ends with a dot, or is `prefix`; by name. It may be a little behind: decide
  // by create() and update() alone.
  [[nodiscard]] virtual Result<std::vector<Key>> keys(const std::string& bucket, const std::string& prefix) = 0;
};

}  // namespace isolde::cluster
