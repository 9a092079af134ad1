// cluster/memory_broker_testing.h: a broker in memory, for tests: it fails as often as a test wants, and its clock is
// the test's.
//
// Always:  behaves as cluster/broker.h says, and no better: an append that fails may have been stored; an answer comes
//          some calls of poll() later, or never, if its connection is destroyed before; equal ids are stored once only
//          most of the time; a reader may be told of a fault, and continues; one may begin behind where it was told to;
//          the last message under a subject may be one that was the last before.
//          At a question that a test chooses, every connection dies: that question may still be executed, and nothing
//          that is asked later has any effect, as if all processes had been killed. A stream can be made to forget its
//          last changes.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "cluster/broker.h"

namespace isolde::cluster {

// What all connections share.
struct MemoryServer {
  explicit MemoryServer(std::uint64_t seed = 1) : rng(seed) {}

  double fails = 0;       // share of questions that get no answer
  double skips = 0;       // share of readers that leave out some messages at their beginning
  double slow = 0;        // share of polls that bring no answer although one is due
  double stale = 0;       // share of questions for a last message that are answered with an earlier one
  std::int64_t time = 1;  // nanoseconds
  // Questions that change or read something, so far; the one at which all connections die (0: none); whether they have.
  std::uint64_t questions = 0, dies_at = 0;
  bool dead = false;

  struct Change {
    std::string subject;  // of the message that was added; empty: none
    std::vector<StoredMessage> removed;
  };
  struct Stream {
    StreamPlan plan;
    std::map<std::uint64_t, StoredMessage> messages;
    std::map<std::string, std::set<std::uint64_t>> numbers;  // by subject
    std::map<std::string, std::deque<StoredMessage>> shown;  // by subject: what was the last one, latest at the end
    std::vector<Change> changes;
    std::uint64_t last = 0, bytes = 0;
    std::set<std::string> ids;
  };
  std::map<std::string, Stream> streams;
  Rng rng;

  static bool matches(const std::string& pattern, const std::string& subject) {
    return pattern.ends_with(".>") ? subject.starts_with(pattern.substr(0, pattern.size() - 1)) : subject == pattern;
  }
  Stream* stream_of(const std::string& subject) {
    for (auto& [name, stream] : streams) {
      if (matches(stream.plan.subjects, subject)) return &stream;
    }
    return nullptr;
  }
  static std::uint64_t newest(const Stream& s, const std::string& subject) {
    const auto at = s.numbers.find(subject);
    return at == s.numbers.end() || at->second.empty() ? 0 : *at->second.rbegin();
  }
  static void note_shown(Stream& s, const std::string& subject) {
    constexpr std::size_t kMost = 4;
    const std::uint64_t number = newest(s, subject);
    auto& shown = s.shown[subject];
    shown.push_back(number == 0 ? StoredMessage{} : s.messages.at(number));
    if (shown.size() > kMost) shown.pop_front();
  }
  static void add(Stream& s, const StoredMessage& message) {
    s.bytes += message.data.size();
    s.numbers[message.subject].insert(message.sequence);
    s.messages[message.sequence] = message;
    note_shown(s, message.subject);
  }
  static StoredMessage erase(Stream& s, std::uint64_t number) {
    auto out = s.messages.extract(number).mapped();
    s.bytes -= out.data.size();
    s.numbers[out.subject].erase(number);
    note_shown(s, out.subject);
    return out;
  }
  // Undoes the last `count` changes, as a server that was restarted may.
  static void forget(Stream& s, std::size_t count) {
    for (; count > 0 && !s.changes.empty(); --count) {
      const Change change = std::move(s.changes.back());
      s.changes.pop_back();
      if (!change.subject.empty()) {
        if (s.messages.contains(s.last)) erase(s, s.last);
        --s.last;
      }
      for (const StoredMessage& message : change.removed) add(s, message);
    }
  }
  // As after a power cut.
  static void lose(Stream& s) {
    StreamPlan plan = std::move(s.plan);
    s = {};
    s.plan = std::move(plan);
  }
  void expire(Stream& s) const {
    const std::int64_t age = std::chrono::nanoseconds(s.plan.max_age).count();
    while (age > 0 && !s.messages.empty() && time - s.messages.begin()->second.time > age)
      s.changes.push_back({{}, {erase(s, s.messages.begin()->first)}});
  }
  enum class Fate : std::uint8_t { kAnswered, kExecuted, kNothing };
  // What becomes of the next question.
  Fate ask() {
    if (dead) return Fate::kNothing;
    dead = ++questions == dies_at;
    if (!dead && rng.unit() >= fails) return Fate::kAnswered;
    return rng.unit() < 0.5 ? Fate::kExecuted : Fate::kNothing;
  }
  Appended store(const OutgoingMessage& message, std::optional<std::uint64_t> last) {
    Stream* const s = stream_of(message.subject);
    if (s == nullptr) return {AppendOutcome::kForbidden, 0, "no such stream"};
    expire(*s);
    if (!message.id.empty() && s->ids.contains(message.id)) return {AppendOutcome::kStored, s->last, {}};
    const std::uint64_t known = newest(*s, message.subject);
    if (last && *last != known) return {AppendOutcome::kRefused, 0, "wrong last sequence"};
    if (s->plan.one_per_subject && s->plan.keep_first && known != 0)
      return {AppendOutcome::kRefused, 0, "there is one"};
    if (s->plan.max_bytes > 0 && s->bytes + message.data.size() > s->plan.max_bytes)
      return {AppendOutcome::kFull, 0, "maximum bytes exceeded"};
    Change change{message.subject, {}};
    if (s->plan.one_per_subject && known != 0) change.removed.push_back(erase(*s, known));
    add(*s, {++s->last, time, message.subject, message.data});
    s->changes.push_back(std::move(change));
    if (!message.id.empty() && rng.unit() < 0.9) s->ids.insert(message.id);  // a window ends at some time
    return {AppendOutcome::kStored, s->last, {}};
  }
};

// One connection.
class MemoryBroker final : public Broker {
 public:
  MemoryBroker() : server_(std::make_shared<MemoryServer>()) {}
  explicit MemoryBroker(std::shared_ptr<MemoryServer> server) : server_(std::move(server)) {}

  [[nodiscard]] MemoryServer& server() { return *server_; }

  [[nodiscard]] Result<void> make_stream(const StreamPlan& plan) override {
    server_->streams.try_emplace(plan.name).first->second.plan = plan;
    return {};
  }
  [[nodiscard]] Result<std::optional<StreamFacts>> facts(const std::string& stream) override {
    if (fails()) return Error{"no answer"};
    const auto at = server_->streams.find(stream);
    if (at == server_->streams.end()) return std::optional<StreamFacts>{};
    const MemoryServer::Stream& s = at->second;
    StreamFacts out{s.messages.empty() ? s.last + 1 : s.messages.begin()->first, s.last, s.messages.size(), s.bytes};
    return std::optional(out);
  }

  [[nodiscard]] AppendAnswer append(const OutgoingMessage& message, std::optional<std::uint64_t> last) override {
    const AppendAnswer answer = AppendAnswer::open();
    const MemoryServer::Fate fate = server_->ask();
    Appended stored{AppendOutcome::kUnavailable, 0, "no answer"};
    if (fate != MemoryServer::Fate::kNothing) {
      const Appended done = server_->store(message, last);
      if (fate == MemoryServer::Fate::kAnswered) stored = done;
    }
    later([answer, stored] { answer.give(stored); });
    return answer;
  }
  [[nodiscard]] LastAnswer last(const std::string& stream, const std::string& subject) override {
    const LastAnswer answer = LastAnswer::open();
    Result<StoredMessage> found = StoredMessage{};
    if (server_->ask() != MemoryServer::Fate::kAnswered) {
      found = Error{"no answer"};
    } else if (server_->rng.unit() >= server_->skips / 10) {  // else it knows nothing of it yet
      MemoryServer::Stream& s = server_->streams[stream];
      server_->expire(s);
      const auto& shown = s.shown[subject];
      const std::size_t back = server_->rng.unit() < server_->stale ? 1 + server_->rng.below(3) : 0;
      if (shown.size() > back) found = shown[shown.size() - 1 - back];
    }
    later([answer, found] { answer.give(found); });
    return answer;
  }
  void drop(const std::string& stream, const std::string& subject, std::uint64_t before) override {
    if (server_->ask() == MemoryServer::Fate::kNothing) return;
    MemoryServer::Stream& s = server_->streams[stream];
    MemoryServer::Change change;
    for (auto at = s.messages.begin(); at != s.messages.end() && at->first < before;) {
      const auto here = at++;
      if (MemoryServer::matches(subject, here->second.subject))
        change.removed.push_back(MemoryServer::erase(s, here->first));
    }
    if (!change.removed.empty()) s.changes.push_back(std::move(change));
  }
  void remove(const std::string& stream, std::uint64_t sequence) override {
    if (server_->ask() == MemoryServer::Fate::kNothing) return;
    MemoryServer::Stream& s = server_->streams[stream];
    if (s.messages.contains(sequence)) s.changes.push_back({{}, {MemoryServer::erase(s, sequence)}});
  }
  void poll(std::chrono::milliseconds wait) override {
    // Who waits gets at least one.
    bool first = wait.count() > 0;
    while (!answers_.empty() && (first || server_->rng.unit() >= server_->slow)) {
      answers_.front()();
      answers_.pop_front();
      first = false;
    }
  }
  [[nodiscard]] std::unique_ptr<MessageReader> reader(const std::string& stream, const std::string& subject,
                                                      std::uint64_t from) override {
    const std::uint64_t skipped = server_->rng.unit() < server_->skips ? server_->rng.below(50) : 0;
    return std::make_unique<Reader>(*this, stream, subject, from, skipped);
  }

 private:
  class Reader final : public MessageReader {
   public:
    Reader(MemoryBroker& broker, std::string stream, std::string subject, std::uint64_t from, std::uint64_t skipped)
        : broker_(broker), stream_(std::move(stream)), subject_(std::move(subject)), from_(from) {
      const auto& messages = broker_.server_->streams[stream_].messages;
      const auto first = messages.lower_bound(from);
      next_ = (first == messages.end() ? from : first->first) + skipped;
    }
    [[nodiscard]] Result<std::vector<StoredMessage>> fetch(std::size_t most) override {
      if (broker_.fails()) return Error{"no answer"};
      std::vector<StoredMessage> out;
      MemoryServer::Stream& s = broker_.server_->streams[stream_];
      broker_.server_->expire(s);
      for (auto at = s.messages.lower_bound(next_); at != s.messages.end() && out.size() < most; ++at) {
        if (MemoryServer::matches(subject_, at->second.subject)) out.push_back(at->second);
        next_ = at->first + 1;
      }
      // One that hears nothing begins anew.
      constexpr int kPatience = 20;
      silent_ = out.empty() ? silent_ + 1 : 0;
      if (!out.empty()) from_ = next_;
      if (silent_ > kPatience) next_ = from_;
      return out;
    }

   private:
    MemoryBroker& broker_;
    std::string stream_, subject_;
    std::uint64_t from_, next_ = 0;
    int silent_ = 0;
  };

  [[nodiscard]] bool fails() { return server_->dead || server_->rng.unit() < server_->fails; }
  void later(std::function<void()> answer) { answers_.push_back(std::move(answer)); }

  std::shared_ptr<MemoryServer> server_;
  std::deque<std::function<void()>> answers_;
};

}  // namespace isolde::cluster
