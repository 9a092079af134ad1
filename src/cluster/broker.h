// cluster/broker.h: what the cluster asks of a message broker: streams of numbered messages.
//
// Everything else in src/cluster is written against this interface. src/cluster/nats_broker.cc implements it with NATS
// JetStream; the tests also have one in memory, which fails as often as a test wants.
//
// In, out: messages, appended under a subject -> the same messages, each with its number in its stream and the time at
//          which it was stored, read from any number on.
// Always:  one stream is one total order. An append that was acknowledged is in the stream, unless the machines lost
//          power (docs/cluster.md). One that was not acknowledged may be there or not. An append with the id of an
//          earlier one may be stored a second time: readers count for themselves (cluster/batch.h).
//          Nobody waits for a round trip: a question returns an Answer at once, which is filled in by poll(), and a
//          reader asks for the next messages before the last ones are taken. So any number of questions are on their
//          way together. Each is answered, after some seconds with "no answer".
//          A Broker is a connection, used by one thread. Appends through one connection are stored in their order,
//          except those that fail.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  std::uint64_t sequence = 0;  // kStored; 0: the broker stored it earlier, and does not say where
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
  std::chrono::milliseconds max_age{0};  // older messages are removed; 0: never
};

// What a question will have been answered. Copies are the same answer.
template <typename T>
class Answer {
 public:
  Answer() = default;  // nothing was asked
  [[nodiscard]] static Answer open() {
    Answer answer;
    answer.value_ = std::make_shared<std::optional<T>>();
    return answer;
  }
  [[nodiscard]] bool asked() const { return value_ != nullptr; }
  [[nodiscard]] bool here() const { return value_ != nullptr && value_->has_value(); }
  [[nodiscard]] bool pending() const { return asked() && !here(); }
  // Requires: here().
  [[nodiscard]] const T& operator*() const { return **value_; }
  [[nodiscard]] const T* operator->() const { return &**value_; }
  // By the broker.
  void give(T value) const { value_->emplace(std::move(value)); }

 private:
  std::shared_ptr<std::optional<T>> value_;
};
using AppendAnswer = Answer<Appended>;
using LastAnswer = Answer<Result<StoredMessage>>;  // its number is 0: there is none

// Reads the messages of one subject pattern in their order.
class MessageReader {
 public:
  virtual ~MessageReader() = default;
  // Those that have come, at most `most`, and asks for more. Does not wait. An error is temporary: the next call
  // continues behind the last message that was returned.
  [[nodiscard]] virtual Result<std::vector<StoredMessage>> fetch(std::size_t most) = 0;
};

class Broker {
 public:
  virtual ~Broker() = default;

  // ---- for starting: these wait
  // Creates the stream, or leaves one as it is that fits.
  [[nodiscard]] virtual Result<void> make_stream(const StreamPlan& plan) = 0;
  // Nothing: there is no such stream.
  [[nodiscard]] virtual Result<std::optional<StreamFacts>> facts(const std::string& stream) = 0;

  // ---- questions
  // `last`: the number of the last message under this subject must be this one; 0: there must be none.
  [[nodiscard]] virtual AppendAnswer append(const OutgoingMessage& message, std::optional<std::uint64_t> last) = 0;
  // The last message under exactly this subject; by a server that was just started, perhaps one that was the last
  // before.
  [[nodiscard]] virtual LastAnswer last(const std::string& stream, const std::string& subject) = 0;
  // Asks that messages with numbers below `before` under the subject (a pattern) be removed; perhaps they are.
  virtual void drop(const std::string& stream, const std::string& subject, std::uint64_t before) = 0;
  // Asks that this one message be removed; perhaps it is.
  virtual void remove(const std::string& stream, std::uint64_t sequence) = 0;
  // Fills in the answers that have come. If there is neither an answer nor a message for a reader, waits for one, at
  // most this long.
  virtual void poll(std::chrono::milliseconds wait) = 0;

  // `subject`: may be a pattern. `from`: the first number that is wanted. Requires: it does not outlive the broker.
  [[nodiscard]] virtual std::unique_ptr<MessageReader> reader(const std::string& stream, const std::string& subject,
                                                              std::uint64_t from) = 0;
};

// ---- the same for those who have nothing else to do
[[nodiscard]] Appended append_now(Broker& broker, const OutgoingMessage& message, std::optional<std::uint64_t> last);
[[nodiscard]] Result<StoredMessage> last_now(Broker& broker, const std::string& stream, const std::string& subject);

}  // namespace isolde::cluster
