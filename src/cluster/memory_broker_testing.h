// cluster/memory_broker_testing.h: a broker in memory, for tests: it fails as often as a test wants, and its clock is
// the test's.
//
// Always:  behaves as cluster/broker.h says, and no better: an append that fails may have been stored; an answer comes
//          some calls of poll() later, or never, if its connection is destroyed before; equal ids are stored once only
//          most of the time; a reader may be told of a fault, and continues; one may begin behind where it was told to.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
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
  std::int64_t time = 1;  // nanoseconds

  struct Stream {
    StreamPlan plan;
    std::map<std::uint64_t, StoredMessage> messages;
    std::map<std::string, std::uint64_t> newest;  // by subject
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
  static void erase(Stream& s, std::map<std::uint64_t, StoredMessage>::iterator at) {
    s.bytes -= at->second.data.size();
    const auto newest = s.newest.find(at->second.subject);
    if (newest != s.newest.end() && newest->second == at->first) s.newest.erase(newest);
    s.messages.erase(at);
  }
  void expire(Stream& s) const {
    const std::int64_t age = std::chrono::nanoseconds(s.plan.max_age).count();
    while (age > 0 && !s.messages.empty() && time - s.messages.begin()->second.time > age) erase(s, s.messages.begin());
  }
  Appended store(const OutgoingMessage& message, std::optional<std::uint64_t> last) {
    Stream* const s = stream_of(message.subject);
    if (s == nullptr) return {AppendOutcome::kForbidden, 0, "no such stream"};
    expire(*s);
    if (!message.id.empty() && s->ids.contains(message.id)) return {AppendOutcome::kStored, s->last, {}};
    const auto newest = s->newest.find(message.subject);
    const std::uint64_t known = newest == s->newest.end() ? 0 : newest->second;
    if (last && *last != known) return {AppendOutcome::kRefused, 0, "wrong last sequence"};
    if (s->plan.one_per_subject && s->plan.keep_first && known != 0)
      return {AppendOutcome::kRefused, 0, "there is one"};
    if (s->plan.max_bytes > 0 && s->bytes + message.data.size() > s->plan.max_bytes)
      return {AppendOutcome::kFull, 0, "maximum bytes exceeded"};
    if (s->plan.one_per_subject && known != 0) erase(*s, s->messages.find(known));
    ++s->last;
    s->bytes += message.data.size();
    s->messages[s->last] = {s->last, time, message.subject, message.data};
    s->newest[message.subject] = s->last;
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
    const bool fail = fails();
    Appended stored{AppendOutcome::kUnavailable, 0, "no answer"};
    if (!fail || server_->rng.unit() < 0.5) {
      const Appended done = server_->store(message, last);
      if (!fail) stored = done;
    }
    later([answer, stored] { answer.give(stored); });
    return answer;
  }
  [[nodiscard]] LastAnswer last(const std::string& stream, const std::string& subject) override {
    const LastAnswer answer = LastAnswer::open();
    Result<StoredMessage> found = StoredMessage{};
    if (fails()) {
      found = Error{"no answer"};
    } else if (server_->rng.unit() >= server_->skips / 10) {  // else it knows nothing of it yet

      MemoryServer::Stream& s = server_->streams[stream];
      server_->expire(s);
      const auto newest = s.newest.find(subject);
      if (newest != s.newest.end()) found = s.messages.at(newest->second);
    }
    later([answer, found] { answer.give(found); });
    return answer;
  }
  void drop(const std::string& stream, const std::string& subject, std::uint64_t before) override {
    if (fails()) return;
    MemoryServer::Stream& s = server_->streams[stream];
    for (auto at = s.messages.begin(); at != s.messages.end() && at->first < before;) {
      const auto here = at++;
      if (MemoryServer::matches(subject, here->second.subject)) MemoryServer::erase(s, here);
    }
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

  [[nodiscard]] bool fails() { return server_->rng.unit() < server_->fails; }
  void later(std::function<void()> answer) { answers_.push_back(std::move(answer)); }

  std::shared_ptr<MemoryServer> server_;
  std::deque<std::function<void()>> answers_;
};

}  // namespace isolde::cluster
