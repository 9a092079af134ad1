#include "cluster/nats_broker.h"

#include <fmt/format.h>
#include <nats/nats.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace isolde::cluster {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kAnswerWait = 2000;  // milliseconds
constexpr std::int64_t kSecondInNs = 1'000'000'000;
// Of JetStream's error codes.
enum JetStreamCode : int {
  kNoMessage = 10037,
  kStreamNameInUse = 10058,
  kStreamNotFound = 10059,
  kSubjectsOverlap = 10065,
  kWrongLastSequence = 10071,
  kStoreFailed = 10077,  // the stream, or the subject, is full
};

template <typename T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* t) const { destroy(t); }
};
using ConnectionPtr = std::unique_ptr<natsConnection, Destroy<natsConnection, natsConnection_Destroy>>;
using OptionsPtr = std::unique_ptr<natsOptions, Destroy<natsOptions, natsOptions_Destroy>>;
using ContextPtr = std::unique_ptr<jsCtx, Destroy<jsCtx, jsCtx_Destroy>>;
using MessagePtr = std::unique_ptr<natsMsg, Destroy<natsMsg, natsMsg_Destroy>>;
using SubscriptionPtr = std::unique_ptr<natsSubscription, Destroy<natsSubscription, natsSubscription_Destroy>>;
using InfoPtr = std::unique_ptr<jsStreamInfo, Destroy<jsStreamInfo, jsStreamInfo_Destroy>>;
using AckPtr = std::unique_ptr<jsPubAck, Destroy<jsPubAck, jsPubAck_Destroy>>;

std::string text_of(natsStatus status) {
  const char* const more = nats_GetLastError(nullptr);
  const std::string plain = natsStatus_GetText(status);
  return more == nullptr || plain == more ? plain : fmt::format("{} ({})", plain, more);
}

StoredMessage stored(natsMsg* message, std::uint64_t sequence, std::int64_t time) {
  return {sequence, time, natsMsg_GetSubject(message),
          std::string(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message)))};
}

AppendOutcome outcome_of(natsStatus status, int code) {
  switch (code) {
    case kWrongLastSequence:
      return AppendOutcome::kRefused;
    case kStoreFailed:
      return AppendOutcome::kFull;
    default:
      break;
  }
  switch (status) {
    case NATS_OK:
      return AppendOutcome::kStored;
    case NATS_MAX_PAYLOAD:
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
    case NATS_NOT_PERMITTED:
      return AppendOutcome::kForbidden;
    default:
      return AppendOutcome::kUnavailable;
  }
}

// One window of publications: who is answered, and how.
class Window {
 public:
  explicit Window(std::size_t count) : outcomes_(count), left_(0) {}

  void expect(natsMsg* message, std::size_t index) {
    const std::lock_guard lock(mutex_);
    index_[message] = index;
    ++left_;
  }
  void forget(natsMsg* message, Appended outcome) {
    const std::lock_guard lock(mutex_);
    const auto at = index_.find(message);
    if (at == index_.end()) return;
    outcomes_[at->second] = std::move(outcome);
    index_.erase(at);
    if (--left_ == 0) done_.notify_all();
  }
  std::vector<Appended> wait() {
    std::unique_lock lock(mutex_);
    // Each publication has a time limit of its own; this is for one that the client forgot.
    done_.wait_for(lock, milliseconds(3 * kAnswerWait), [this] { return left_ == 0; });
    index_.clear();
    return std::move(outcomes_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::unordered_map<natsMsg*, std::size_t> index_;
  std::vector<Appended> outcomes_;
  std::size_t left_;
};

class NatsBroker;

class NatsReader final : public MessageReader {
 public:
  NatsReader(NatsBroker& broker, std::string stream, std::string subject, std::uint64_t from)
      : broker_(broker), stream_(std::move(stream)), subject_(std::move(subject)), next_(from) {}
  [[nodiscard]] Result<std::vector<StoredMessage>> fetch(std::size_t most, milliseconds wait) override;

 private:
  [[nodiscard]] Result<void> subscribe();

  NatsBroker& broker_;
  std::string stream_, subject_;
  std::uint64_t next_;
  SubscriptionPtr subscription_;
  std::chrono::steady_clock::time_point heard_;
};

class NatsBroker final : public Broker {
 public:
  [[nodiscard]] Result<void> connect(const Address& address, const std::string& name);

  [[nodiscard]] Result<void> make_stream(const StreamPlan& plan) override;
  [[nodiscard]] Result<std::optional<StreamFacts>> facts(const std::string& stream) override;
  [[nodiscard]] std::vector<Appended> append_all(std::span<const OutgoingMessage> messages) override;
  [[nodiscard]] Appended append(const OutgoingMessage& message, std::optional<std::uint64_t> last) override;
  [[nodiscard]] Result<std::optional<StoredMessage>> last(const std::string& stream,
                                                          const std::string& subject) override;
  [[nodiscard]] Result<std::unique_ptr<MessageReader>> reader(const std::string& stream, const std::string& subject,
                                                              std::uint64_t from) override {
    return std::unique_ptr<MessageReader>(std::make_unique<NatsReader>(*this, stream, subject, from));
  }
  [[nodiscard]] Result<void> drop(const std::string& stream, const std::string& subject, std::uint64_t before) override;

  [[nodiscard]] Result<void> make_bucket(const std::string& bucket, milliseconds lease) override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> create(const std::string& bucket, const std::string& key,
                                                            const std::string& value) override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> update(const std::string& bucket, const std::string& key,
                                                            const std::string& value, std::uint64_t revision) override;
  [[nodiscard]] Result<void> remove(const std::string& bucket, const std::string& key) override;
  [[nodiscard]] Result<std::vector<Key>> keys(const std::string& bucket, const std::string& prefix) override;

  [[nodiscard]] jsCtx* context() const { return context_.get(); }
  // It could not connect, and trying again would not help.
  [[nodiscard]] bool locked_out() const { return locked_out_; }
  // What happened, in words; with the reason that the server gave apart from its answer, if there is one.
  [[nodiscard]] Error failed(std::string_view what, natsStatus status);

 private:
  static void answered(jsCtx*, natsMsg* message, jsPubAck* ack, jsPubAckErr* wrong, void* self);
  static void complained(natsConnection* connection, natsSubscription*, natsStatus status, void* self);
  [[nodiscard]] static std::string subject_of(const std::string& bucket, const std::string& key) {
    return fmt::format("$KV.{}.{}", bucket, key);
  }

  std::mutex mutex_;
  std::string complaint_;
  Window* window_ = nullptr;
  std::uint32_t replicas_ = 1;
  bool locked_out_ = false;
  ConnectionPtr connection_;
  ContextPtr context_;
};

Error NatsBroker::failed(std::string_view what, natsStatus status) {
  std::string text = fmt::format("{}: {}", what, text_of(status));
  const std::lock_guard lock(mutex_);
  if (!complaint_.empty()) text += fmt::format("; the server says: {}", std::exchange(complaint_, {}));
  return Error{std::move(text)};
}

void NatsBroker::complained(natsConnection* connection, natsSubscription*, natsStatus, void* self) {
  auto& broker = *static_cast<NatsBroker*>(self);
  const char* text = nullptr;
  static_cast<void>(natsConnection_GetLastError(connection, &text));
  const std::lock_guard lock(broker.mutex_);
  if (text != nullptr) broker.complaint_ = text;
}

void NatsBroker::answered(jsCtx*, natsMsg* message, jsPubAck* ack, jsPubAckErr* wrong, void* self) {
  const MessagePtr owned(message);
  auto& broker = *static_cast<NatsBroker*>(self);
  Appended outcome;
  if (ack != nullptr) {
    outcome = {AppendOutcome::kStored, ack->Sequence, {}};
  } else if (wrong != nullptr) {
    outcome = {outcome_of(wrong->Err, wrong->ErrCode), 0, wrong->ErrText == nullptr ? "" : wrong->ErrText};
  }
  const std::lock_guard lock(broker.mutex_);
  if (broker.window_ != nullptr) broker.window_->forget(message, std::move(outcome));
}

Result<void> NatsBroker::connect(const Address& address, const std::string& name) {
  replicas_ = address.replicas;
  natsOptions* raw = nullptr;
  natsStatus s = natsOptions_Create(&raw);
  const OptionsPtr options(raw);
  std::vector<const char*> servers;
  for (const std::string& server : address.servers) servers.push_back(server.c_str());
  if (s == NATS_OK) s = natsOptions_SetServers(raw, servers.data(), static_cast<int>(servers.size()));
  if (s == NATS_OK) s = natsOptions_SetName(raw, name.c_str());
  if (s == NATS_OK) s = natsOptions_SetTimeout(raw, kAnswerWait);
  if (s == NATS_OK) s = natsOptions_SetMaxReconnect(raw, -1);
  if (s == NATS_OK) s = natsOptions_SetReconnectWait(raw, 100);
  if (s == NATS_OK) s = natsOptions_SetPingInterval(raw, 2000);
  if (s == NATS_OK) s = natsOptions_SetFailRequestsOnDisconnect(raw, true);
  if (s == NATS_OK) s = natsOptions_SetErrorHandler(raw, complained, this);
  if (s == NATS_OK && !address.user.empty())
    s = natsOptions_SetUserInfo(raw, address.user.c_str(), address.password.c_str());
  if (s == NATS_OK && !address.credentials.empty())
    s = natsOptions_SetUserCredentialsFromFiles(raw, address.credentials.c_str(), nullptr);
  if (s == NATS_OK && address.tls) s = natsOptions_SetSecure(raw, true);
  if (s == NATS_OK && !address.ca.empty()) s = natsOptions_LoadCATrustedCertificates(raw, address.ca.c_str());
  if (s == NATS_OK && !address.cert.empty())
    s = natsOptions_LoadCertificatesChain(raw, address.cert.c_str(), address.key.c_str());
  if (s == NATS_OK && !address.expected_host.empty())
    s = natsOptions_SetExpectedHostname(raw, address.expected_host.c_str());
  natsConnection* connection = nullptr;
  if (s == NATS_OK) s = natsConnection_Connect(&connection, raw);
  connection_.reset(connection);
  locked_out_ = s != NATS_OK && s != NATS_NO_SERVER && s != NATS_TIMEOUT && s != NATS_IO_ERROR &&
                s != NATS_CONNECTION_CLOSED && s != NATS_CONNECTION_DISCONNECTED;
  if (s != NATS_OK) return failed("cannot connect to " + address.shown(), s);
  jsOptions js;
  s = jsOptions_Init(&js);
  js.Wait = kAnswerWait;
  js.PublishAsync.AckHandler = answered;
  js.PublishAsync.AckHandlerClosure = this;
  jsCtx* context = nullptr;
  if (s == NATS_OK) s = natsConnection_JetStream(&context, connection, &js);
  context_.reset(context);
  if (s != NATS_OK) return failed("cannot use JetStream of " + address.shown(), s);
  return {};
}

Result<void> NatsBroker::make_stream(const StreamPlan& plan) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {plan.subjects.c_str()};
  config.Name = plan.name.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  config.Replicas = replicas_;
  config.Duplicates = 120 * kSecondInNs;
  if (plan.max_bytes > 0) config.MaxBytes = static_cast<std::int64_t>(plan.max_bytes);
  config.Discard = js_DiscardNew;
  if (plan.one_per_subject) {
    config.MaxMsgsPerSubject = 1;
    config.Discard = plan.keep_first ? js_DiscardNew : js_DiscardOld;
    config.DiscardNewPerSubject = plan.keep_first;
  }
  jsErrCode code{};
  jsStreamInfo* info = nullptr;
  const natsStatus s = js_AddStream(&info, context(), &config, nullptr, &code);
  const InfoPtr owned(info);
  if (s == NATS_OK || static_cast<int>(code) == kStreamNameInUse) return {};  // another has made it, with other limits
  if (static_cast<int>(code) == kSubjectsOverlap)
    return Error{fmt::format("another stream has subjects of {}: choose another name", plan.name)};
  return failed("cannot create the stream " + plan.name, s);
}

Result<std::optional<StreamFacts>> NatsBroker::facts(const std::string& stream) {
  jsErrCode code{};
  jsStreamInfo* info = nullptr;
  const natsStatus s = js_GetStreamInfo(&info, context(), stream.c_str(), nullptr, &code);
  const InfoPtr owned(info);
  if (s == NATS_NOT_FOUND || static_cast<int>(code) == kStreamNotFound) return std::optional<StreamFacts>{};
  if (s != NATS_OK) return failed("cannot ask for the stream " + stream, s);
  return std::optional(StreamFacts{info->State.FirstSeq, info->State.LastSeq, info->State.Msgs, info->State.Bytes});
}

std::vector<Appended> NatsBroker::append_all(std::span<const OutgoingMessage> messages) {
  Window window(messages.size());
  {
    const std::lock_guard lock(mutex_);
    window_ = &window;
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    natsMsg* message = nullptr;
    const OutgoingMessage& m = messages[i];
    natsStatus s = natsMsg_Create(&message, m.subject.c_str(), nullptr, m.data.data(), static_cast<int>(m.data.size()));
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = kAnswerWait;
    if (!m.id.empty()) options.MsgId = m.id.c_str();
    natsMsg* const known = message;
    window.expect(known, i);
    if (s == NATS_OK) s = js_PublishMsgAsync(context(), &message, &options);
    if (s == NATS_OK) continue;
    const MessagePtr owned(message);
    window.forget(known, {outcome_of(s, 0), 0, text_of(s)});
  }
  std::vector<Appended> outcomes = window.wait();
  const std::lock_guard lock(mutex_);
  window_ = nullptr;
  return outcomes;
}

Appended NatsBroker::append(const OutgoingMessage& message, std::optional<std::uint64_t> last) {
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MaxWait = kAnswerWait;
  if (!message.id.empty()) options.MsgId = message.id.c_str();
  if (last && *last == 0) options.ExpectNoMessage = true;
  if (last && *last > 0) options.ExpectLastSubjectSeq = *last;
  jsPubAck* ack = nullptr;
  jsErrCode code{};
  const natsStatus s = js_Publish(&ack, context(), message.subject.c_str(), message.data.data(),
                                  static_cast<int>(message.data.size()), &options, &code);
  const AckPtr owned(ack);
  if (s == NATS_OK) return {AppendOutcome::kStored, ack->Sequence, {}};
  // A stream that keeps the first message of a subject is full for the second.
  const AppendOutcome outcome = outcome_of(s, static_cast<int>(code));
  if (outcome == AppendOutcome::kFull && last && *last == 0) return {AppendOutcome::kRefused, 0, text_of(s)};
  return {outcome, 0, failed("cannot publish", s).text};
}

Result<std::optional<StoredMessage>> NatsBroker::last(const std::string& stream, const std::string& subject) {
  natsMsg* message = nullptr;
  jsErrCode code{};
  const natsStatus s = js_GetLastMsg(&message, context(), stream.c_str(), subject.c_str(), nullptr, &code);
  const MessagePtr owned(message);
  if (s == NATS_NOT_FOUND || static_cast<int>(code) == kNoMessage || static_cast<int>(code) == kStreamNotFound)
    return std::optional<StoredMessage>{};
  if (s != NATS_OK) return failed("cannot read " + subject, s);
  return std::optional(stored(message, natsMsg_GetSequence(message), natsMsg_GetTime(message)));
}

Result<void> NatsBroker::drop(const std::string& stream, const std::string& subject, std::uint64_t before) {
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = kAnswerWait;
  options.Stream.Purge.Subject = subject.c_str();
  options.Stream.Purge.Sequence = before;
  jsErrCode code{};
  const natsStatus s = js_PurgeStream(context(), stream.c_str(), &options, &code);
  if (s != NATS_OK) return failed("cannot drop what is checked", s);
  return {};
}

Result<void> NatsReader::subscribe() {
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream_.c_str();
  options.Config.AckPolicy = js_AckNone;
  options.Config.DeliverPolicy = js_DeliverByStartSequence;
  options.Config.OptStartSeq = next_;
  options.Config.InactiveThreshold = 60 * kSecondInNs;
  options.Config.Replicas = 1;
  options.Config.MemoryStorage = true;
  natsSubscription* made = nullptr;
  jsErrCode code{};
  const natsStatus s = js_PullSubscribe(&made, broker_.context(), subject_.c_str(), nullptr, nullptr, &options, &code);
  subscription_.reset(made);
  if (s != NATS_OK) return broker_.failed("cannot read " + subject_, s);
  return {};
}

Result<std::vector<StoredMessage>> NatsReader::fetch(std::size_t most, milliseconds wait) {
  // A consumer that is lost together with its server is silent: it is made again after a while without messages.
  constexpr std::chrono::seconds kSilence{5};
  const auto now = std::chrono::steady_clock::now();
  if (subscription_ && now - heard_ > kSilence) subscription_.reset();
  if (!subscription_) {
    if (auto made = subscribe(); !made) return std::move(made).error();
    heard_ = now;
  }
  natsMsgList list{};
  jsErrCode code{};
  const natsStatus s = natsSubscription_Fetch(&list, subscription_.get(), static_cast<int>(most),
                                              std::max<std::int64_t>(wait.count(), 1), &code);
  std::vector<StoredMessage> out;
  if (s == NATS_TIMEOUT) return out;
  if (s != NATS_OK) {
    subscription_.reset();
    return broker_.failed("cannot read " + subject_, s);
  }
  heard_ = now;
  bool broken = false;
  for (int i = 0; i < list.Count; ++i) {
    jsMsgMetaData* meta = nullptr;
    if (natsMsg_GetMetaData(&meta, list.Msgs[i]) != NATS_OK) {
      broken = true;
      break;
    }
    const std::uint64_t sequence = meta->Sequence.Stream;
    const std::int64_t time = meta->Timestamp;
    jsMsgMetaData_Destroy(meta);
    if (sequence < next_) {  // a consumer that tells the past again
      broken = true;
      break;
    }
    out.push_back(stored(list.Msgs[i], sequence, time));
    next_ = sequence + 1;
  }
  natsMsgList_Destroy(&list);
  if (broken) subscription_.reset();
  return out;
}

// ---- keys -----------------------------------------------------------------------------------------------------------
// A bucket is a stream KV_BUCKET with a subject per key, which keeps one message of each for the lease's length.
// Writing to it directly gives compare and set; reading its last message asks the leader.

Result<void> NatsBroker::make_bucket(const std::string& bucket, milliseconds lease) {
  kvConfig config;
  kvConfig_Init(&config);
  config.Bucket = bucket.c_str();
  config.History = 1;
  config.TTL = std::chrono::nanoseconds(lease).count();
  config.Replicas = static_cast<int>(replicas_);
  kvStore* store = nullptr;
  natsStatus s = js_CreateKeyValue(&store, context(), &config);
  if (s != NATS_OK) s = js_KeyValue(&store, context(), bucket.c_str());  // made by another, with another lease
  kvStore_Destroy(store);
  if (s != NATS_OK) return failed("cannot create the bucket " + bucket, s);
  return {};
}

Result<std::optional<std::uint64_t>> NatsBroker::create(const std::string& bucket, const std::string& key,
                                                        const std::string& value) {
  const std::string stream = "KV_" + bucket;
  auto known = last(stream, subject_of(bucket, key));
  if (!known) return std::move(known).error();
  // An empty value is a key that was removed.
  if (*known && !(*known)->data.empty()) return std::optional<std::uint64_t>{};
  return update(bucket, key, value, *known ? (*known)->sequence : 0);
}

Result<std::optional<std::uint64_t>> NatsBroker::update(const std::string& bucket, const std::string& key,
                                                        const std::string& value, std::uint64_t revision) {
  const Appended written = append({subject_of(bucket, key), value, {}}, revision);
  if (written.outcome == AppendOutcome::kStored) return std::optional(written.sequence);
  if (written.outcome == AppendOutcome::kRefused) return std::optional<std::uint64_t>{};
  return Error{written.why};
}

Result<void> NatsBroker::remove(const std::string& bucket, const std::string& key) {
  const Appended written = append({subject_of(bucket, key), {}, {}}, std::nullopt);
  if (written.outcome != AppendOutcome::kStored) return Error{written.why};
  return {};
}

Result<std::vector<Broker::Key>> NatsBroker::keys(const std::string& bucket, const std::string& prefix) {
  // "worker." stands for all keys below it; "worker.w1" is one key.
  const std::string pattern = subject_of(bucket, prefix) + (prefix.ends_with('.') ? ">" : "");
  NatsReader reader(*this, "KV_" + bucket, pattern, 1);
  std::vector<Key> out;
  constexpr std::size_t kAll = 2048;
  auto messages = reader.fetch(kAll, milliseconds(200));
  if (!messages) return std::move(messages).error();
  for (const StoredMessage& message : *messages) {
    if (message.data.empty()) continue;
    out.push_back({message.subject.substr(subject_of(bucket, "").size()), message.data, message.sequence});
  }
  std::sort(out.begin(), out.end(), [](const Key& a, const Key& b) { return a.name < b.name; });
  return out;
}

}  // namespace

Result<std::unique_ptr<Broker>> connect_to_nats(const Address& address, const std::string& name,
                                                const std::function<bool()>& give_up) {
  constexpr milliseconds kBetweenTries{200};
  while (true) {
    auto broker = std::make_unique<NatsBroker>();
    auto connected = broker->connect(address, name);
    if (connected) return std::unique_ptr<Broker>(std::move(broker));
    if (broker->locked_out() || give_up()) return std::move(connected).error();
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace isolde::cluster
