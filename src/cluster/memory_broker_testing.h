// cluster/memory_broker_testing.h: a broker in memory, for tests: it fails as often as a test wants, and its clock is
// the test's.
//
// Always:  behaves as cluster/broker.h says, and no better: an append that fails may have been stored; lists of keys
// may
//          be old; equal ids are stored once only while the last `window` messages remember them.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "cluster/broker.h"

namespace isolde::cluster {

class MemoryBroker final : public Broker {
 public:
  explicit MemoryBroker(std::uint64_t seed = 1) : rng_(seed) {}

  double fails = 0;        // share of calls that get no answer
  double stale_lists = 0;  // share of keys() that return the list before
  std::int64_t time = 1;   // nanoseconds

  [[nodiscard]] Result<void> make_stream(const StreamPlan& plan) override {
    streams_.try_emplace(plan.name).first->second.plan = plan;
    return {};
  }
  [[nodiscard]] Result<std::optional<StreamFacts>> facts(const std::string& stream) override {
    const auto at = streams_.find(stream);
    if (at == streams_.end()) return std::optional<StreamFacts>{};
    const Stream& s = at->second;
    StreamFacts out{s.messages.empty() ? s.last + 1 : s.messages.begin()->first, s.last, s.messages.size(), s.bytes};
    return std::optional(out);
  }

  [[nodiscard]] std::vector<Appended> append_all(std::span<const OutgoingMessage> messages) override {
    std::vector<Appended> out;
    for (const OutgoingMessage& message : messages) {
      const bool fail = rng_.unit() < fails;
      if (fail && rng_.unit() < 0.5) {
        out.push_back({AppendOutcome::kUnavailable, 0, "no answer"});
        continue;
      }
      Appended stored = store(message, std::nullopt);
      if (fail) stored = {AppendOutcome::kUnavailable, 0, "no answer"};
      out.push_back(std::move(stored));
    }
    return out;
  }
  [[nodiscard]] Appended append(const OutgoingMessage& message, std::optional<std::uint64_t> last) override {
    const bool fail = rng_.unit() < fails;
    if (fail && rng_.unit() < 0.5) return {AppendOutcome::kUnavailable, 0, "no answer"};
    Appended stored = store(message, last);
    if (fail) return {AppendOutcome::kUnavailable, 0, "no answer"};
    return stored;
  }

  [[nodiscard]] Result<std::optional<StoredMessage>> last(const std::string& stream,
                                                          const std::string& subject) override {
    if (rng_.unit() < fails) return Error{"no answer"};
    const Stream& s = streams_[stream];
    for (auto at = s.messages.rbegin(); at != s.messages.rend(); ++at) {
      if (at->second.subject == subject) return std::optional(at->second);
    }
    return std::optional<StoredMessage>{};
  }

  [[nodiscard]] Result<std::unique_ptr<MessageReader>> reader(const std::string& stream, const std::string& subject,
                                                              std::uint64_t from) override {
    if (rng_.unit() < fails) return Error{"no answer"};
    return std::unique_ptr<MessageReader>(std::make_unique<Reader>(*this, stream, subject, from));
  }

  [[nodiscard]] Result<void> drop(const std::string& stream, const std::string& subject,
                                  std::uint64_t before) override {
    if (rng_.unit() < fails) return Error{"no answer"};
    Stream& s = streams_[stream];
    for (auto at = s.messages.begin(); at != s.messages.end() && at->first < before;) {
      if (matches(subject, at->second.subject)) {
        s.bytes -= at->second.data.size();
        at = s.messages.erase(at);
      } else {
        ++at;
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> make_bucket(const std::string& bucket, std::chrono::milliseconds lease) override {
    buckets_[bucket].lease = std::chrono::nanoseconds(lease).count();
    return {};
  }
  [[nodiscard]] Result<std::optional<std::uint64_t>> create(const std::string& bucket, const std::string& key,
                                                            const std::string& value) override {
    return write(bucket, key, value, 0);
  }
  [[nodiscard]] Result<std::optional<std::uint64_t>> update(const std::string& bucket, const std::string& key,
                                                            const std::string& value, std::uint64_t revision) override {
    return write(bucket, key, value, revision);
  }
  [[nodiscard]] Result<void> remove(const std::string& bucket, const std::string& key) override {
    if (rng_.unit() < fails) return Error{"no answer"};
    buckets_[bucket].keys.erase(key);
    return {};
  }
  [[nodiscard]] Result<std::vector<Key>> keys(const std::string& bucket, const std::string& prefix) override {
    if (rng_.unit() < fails) return Error{"no answer"};
    Bucket& b = buckets_[bucket];
    expire(b);
    std::vector<Key> out;
    for (const auto& [name, key] : b.keys) {
      if (name.starts_with(prefix)) out.push_back({name, key.value, key.revision});
    }
    std::vector<Key>& before = lists_[bucket + prefix];
    if (rng_.unit() < stale_lists) return before;
    before = out;
    return out;
  }

 private:
  struct Stream {
    StreamPlan plan;
    std::map<std::uint64_t, StoredMessage> messages;
    std::uint64_t last = 0, bytes = 0;
    std::set<std::string> ids;
  };
  struct Bucket {
    std::int64_t lease = 0;
    struct Value {
      std::string value;
      std::uint64_t revision = 0;
      std::int64_t written = 0;
    };
    std::map<std::string, Value> keys;
  };

  class Reader final : public MessageReader {
   public:
    Reader(MemoryBroker& broker, std::string stream, std::string subject, std::uint64_t from)
        : broker_(broker), stream_(std::move(stream)), subject_(std::move(subject)), next_(from) {}
    [[nodiscard]] Result<std::vector<StoredMessage>> fetch(std::size_t most, std::chrono::milliseconds) override {
      if (broker_.rng_.unit() < broker_.fails) return Error{"no answer"};
      std::vector<StoredMessage> out;
      const Stream& s = broker_.streams_[stream_];
      for (auto at = s.messages.lower_bound(next_); at != s.messages.end() && out.size() < most; ++at) {
        if (matches(subject_, at->second.subject)) out.push_back(at->second);
        next_ = at->first + 1;
      }
      return out;
    }

   private:
    MemoryBroker& broker_;
    std::string stream_, subject_;
    std::uint64_t next_;
  };

  static bool matches(const std::string& pattern, const std::string& subject) {
    return pattern.ends_with(".>") ? subject.starts_with(pattern.substr(0, pattern.size() - 1)) : subject == pattern;
  }

  Stream* stream_of(const std::string& subject) {
    for (auto& [name, stream] : streams_) {
      if (matches(stream.plan.subjects, subject)) return &stream;
    }
    return nullptr;
  }

  Appended store(const OutgoingMessage& message, std::optional<std::uint64_t> last) {
    Stream* const s = stream_of(message.subject);
    if (s == nullptr) return {AppendOutcome::kForbidden, 0, "no such stream"};
    if (!message.id.empty() && s->ids.contains(message.id)) return {AppendOutcome::kStored, s->last, {}};
    std::uint64_t known = 0;
    if (last || s->plan.one_per_subject) {
      for (const auto& [number, stored] : s->messages) {
        if (stored.subject == message.subject) known = number;
      }
    }
    if (last && *last != known) return {AppendOutcome::kRefused, 0, "wrong last sequence"};
    if (s->plan.one_per_subject && s->plan.keep_first && known != 0)
      return {AppendOutcome::kRefused, 0, "there is one"};
    if (s->plan.max_bytes > 0 && s->bytes + message.data.size() > s->plan.max_bytes)
      return {AppendOutcome::kFull, 0, "maximum bytes exceeded"};
    if (s->plan.one_per_subject && known != 0) s->messages.erase(known);
    ++s->last;
    s->bytes += message.data.size();
    s->messages[s->last] = {s->last, time, message.subject, message.data};
    if (!message.id.empty() && rng_.unit() < 0.9) s->ids.insert(message.id);  // a window ends at some time
    return {AppendOutcome::kStored, s->last, {}};
  }

  void expire(Bucket& b) const {
    std::erase_if(b.keys, [&](const auto& one) { return time - one.second.written > b.lease; });
  }
  Result<std::optional<std::uint64_t>> write(const std::string& bucket, const std::string& key,
                                             const std::string& value, std::uint64_t revision) {
    const bool fail = rng_.unit() < fails;
    if (fail && rng_.unit() < 0.5) return Error{"no answer"};
    Bucket& b = buckets_[bucket];
    expire(b);
    const auto at = b.keys.find(key);
    const std::uint64_t known = at == b.keys.end() ? 0 : at->second.revision;
    if (known != revision)
      return fail ? Result<std::optional<std::uint64_t>>(Error{"no answer"}) : std::optional<std::uint64_t>{};
    b.keys[key] = {value, ++revision_, time};
    if (fail) return Error{"no answer"};
    return std::optional(revision_);
  }

  Rng rng_;
  std::map<std::string, Stream> streams_;
  std::map<std::string, Bucket> buckets_;
  std::map<std::string, std::vector<Key>> lists_;
  std::uint64_t revision_ = 0;
};

}  // namespace isolde::cluster
