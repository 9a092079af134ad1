#include "cluster/nats_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace isolde::cluster {

// What libnats' threads and the caller's share.
struct NatsArrivals {
  std::mutex mutex;
  std::condition_variable some;
  bool news = false;
  std::string complaint;
  std::set<std::string> forbidden;  // subjects
  std::uint64_t losses = 0;
};

namespace {

constexpr std::int64_t kConnectWait = 2000;  // milliseconds
constexpr std::size_t kMostForbidden = 4096;

using OptionsPtr = std::unique_ptr<natsOptions, DestroyNats<natsOptions, natsOptions_Destroy>>;

}  // namespace

std::string nats_text(natsStatus status) {
  const char* const more = nats_GetLastError(nullptr);
  const std::string plain = natsStatus_GetText(status);
  return more == nullptr || *more == '\0' || plain == more ? plain : fmt::format("{} ({})", plain, more);
}

NatsLink::~NatsLink() {
  replies_.reset();
  jsCtx_Destroy(context_);
  natsConnection_Destroy(connection_);  // its handlers may still be called: the last one is closed()
}

Error NatsLink::failed(std::string_view what, std::string_view why) {
  if (connection_ != nullptr && natsConnection_Status(connection_) != NATS_CONN_STATUS_CONNECTED)
    return Error{"the connection to NATS is down"};
  std::string text = fmt::format("{}: {}", what, why);
  if (arrivals_ != nullptr) {
    const std::lock_guard lock(arrivals_->mutex);
    if (!arrivals_->complaint.empty())
      text += fmt::format("; the server says: {}", std::exchange(arrivals_->complaint, {}));
  }
  return Error{std::move(text)};
}

bool NatsLink::is_forbidden(const std::string& subject) const {
  const std::lock_guard lock(arrivals_->mutex);
  return arrivals_->forbidden.contains(subject);
}

void NatsLink::complained(natsConnection* connection, natsSubscription*, natsStatus status, void* self) {
  NatsArrivals& arrivals = **static_cast<std::shared_ptr<NatsArrivals>*>(self);
  const char* text = nullptr;
  static_cast<void>(natsConnection_GetLastError(connection, &text));
  const std::lock_guard lock(arrivals.mutex);
  if (text == nullptr || *text == '\0') return;
  arrivals.complaint = text;
  if (status != NATS_NOT_PERMITTED) return;
  // … Publish to "SUBJECT"
  const std::string_view said = text;
  const std::size_t begin = said.find('"'), end = said.rfind('"');
  if (begin != end && arrivals.forbidden.size() < kMostForbidden)
    arrivals.forbidden.emplace(said.substr(begin + 1, end - begin - 1));
}

void NatsLink::disconnected(natsConnection*, void* self) {
  NatsArrivals& arrivals = **static_cast<std::shared_ptr<NatsArrivals>*>(self);
  const std::lock_guard lock(arrivals.mutex);
  ++arrivals.losses;
  arrivals.news = true;
  arrivals.some.notify_one();
}

void NatsLink::closed(natsConnection*, void* self) { delete static_cast<std::shared_ptr<NatsArrivals>*>(self); }

std::uint64_t NatsLink::losses() const {
  const std::lock_guard lock(arrivals_->mutex);
  return arrivals_->losses;
}

Result<void> NatsLink::connect(const Address& address, const std::string& name) {
  arrivals_ = std::make_shared<NatsArrivals>();
  const std::int64_t wait = kAnswerWait.count();
  natsOptions* raw = nullptr;
  natsStatus s = natsOptions_Create(&raw);
  const OptionsPtr options(raw);
  std::vector<const char*> servers;
  for (const std::string& server : address.servers) servers.push_back(server.c_str());
  if (s == NATS_OK) s = natsOptions_SetServers(raw, servers.data(), static_cast<int>(servers.size()));
  if (s == NATS_OK) s = natsOptions_SetName(raw, name.c_str());
  if (s == NATS_OK) s = natsOptions_SetTimeout(raw, kConnectWait);
  if (s == NATS_OK) s = natsOptions_SetMaxReconnect(raw, -1);
  if (s == NATS_OK) s = natsOptions_SetReconnectWait(raw, 100);
  if (s == NATS_OK) s = natsOptions_SetPingInterval(raw, 2000);
  if (s == NATS_OK) s = natsOptions_SetFailRequestsOnDisconnect(raw, true);
  // What cannot be sent now fails: it would be stored when nobody expects it any more.
  if (s == NATS_OK) s = natsOptions_SetReconnectBufSize(raw, 0);
  if (s == NATS_OK) s = natsOptions_UseGlobalMessageDelivery(raw, true);
  // libnats calls handlers on its own time: what they use is theirs until closed().
  auto handlers_own = std::make_unique<std::shared_ptr<NatsArrivals>>(arrivals_);
  if (s == NATS_OK) s = natsOptions_SetErrorHandler(raw, complained, handlers_own.get());
  if (s == NATS_OK) s = natsOptions_SetDisconnectedCB(raw, disconnected, handlers_own.get());
  if (s == NATS_OK) s = natsOptions_SetClosedCB(raw, closed, handlers_own.get());
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
  if (s == NATS_OK) s = natsConnection_Connect(&connection_, raw);
  if (s == NATS_OK) static_cast<void>(handlers_own.release());
  locked_out_ = s != NATS_OK && s != NATS_NO_SERVER && s != NATS_TIMEOUT && s != NATS_IO_ERROR &&
                s != NATS_CONNECTION_CLOSED && s != NATS_CONNECTION_DISCONNECTED;
  if (s != NATS_OK) return failed("cannot connect to " + address.shown(), nats_text(s));
  jsOptions js;
  s = jsOptions_Init(&js);
  js.Wait = wait;
  if (s == NATS_OK) s = natsConnection_JetStream(&context_, connection_, &js);
  if (s != NATS_OK) return failed("cannot use JetStream of " + address.shown(), nats_text(s));
  replies_ = inflow();
  if (replies_ == nullptr) return failed("cannot use " + address.shown(), "no inbox");
  prefix_ = replies_->subject().substr(0, replies_->subject().size() - 1);  // without the star
  return {};
}

// ---- inboxes --------------------------------------------------------------------------------------------------------

void NatsLink::Inflow::arrived(natsConnection*, natsSubscription*, natsMsg* message, void* closure) {
  Queue& queue = **static_cast<std::shared_ptr<Queue>*>(closure);
  NatsArrivals& arrivals = *queue.arrivals;
  const std::lock_guard lock(arrivals.mutex);
  queue.messages.emplace_back(message);
  arrivals.news = true;
  arrivals.some.notify_one();
}

void NatsLink::Inflow::closed(void* closure) { delete static_cast<std::shared_ptr<Queue>*>(closure); }

NatsLink::Inflow::~Inflow() { natsSubscription_Destroy(subscription_); }

std::unique_ptr<NatsLink::Inflow> NatsLink::inflow() {
  natsInbox* inbox = nullptr;
  if (natsInbox_Create(&inbox) != NATS_OK) return nullptr;
  auto made = std::make_unique<Inflow>();
  made->subject_ = fmt::format("{}.*", inbox);
  natsInbox_Destroy(inbox);
  made->queue_ = std::make_shared<Inflow::Queue>();
  made->queue_->arrivals = arrivals_;
  auto* const closure = new std::shared_ptr<Inflow::Queue>(made->queue_);
  natsSubscription* subscription = nullptr;
  natsStatus s = natsConnection_Subscribe(&subscription, connection_, made->subject_.c_str(), Inflow::arrived, closure);
  if (s != NATS_OK) {
    delete closure;
    return nullptr;
  }
  made->subscription_ = subscription;
  // libnats says when the last callback is over.
  static_cast<void>(natsSubscription_SetOnCompleteCB(subscription, Inflow::closed, closure));
  static_cast<void>(natsSubscription_SetPendingLimits(subscription, -1, -1));  // who asks for messages limits them
  return made;
}

std::vector<NatsMessagePtr> NatsLink::Inflow::take(std::size_t most) {
  std::vector<NatsMessagePtr> out;
  const std::lock_guard lock(queue_->arrivals->mutex);
  auto& messages = queue_->messages;
  const std::size_t count = std::min(most, messages.size());
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(std::move(messages.front()));
    messages.pop_front();
  }
  return out;
}

natsStatus NatsLink::ask(const std::string& subject, std::string_view data, const Inflow& to) {
  const std::string reply = to.subject().substr(0, to.subject().size() - 1) + "0";
  return natsConnection_PublishRequest(connection_, subject.c_str(), reply.c_str(), data.data(),
                                       static_cast<int>(data.size()));
}

// ---- requests -------------------------------------------------------------------------------------------------------

natsStatus NatsLink::request(const std::string& subject, std::string_view data, const std::vector<Header>& headers,
                             Reply reply) {
  const std::uint64_t number = ++next_;
  natsMsg* raw = nullptr;
  natsStatus s = natsMsg_Create(&raw, subject.c_str(), fmt::format("{}{:x}", prefix_, number).c_str(), data.data(),
                                static_cast<int>(data.size()));
  const NatsMessagePtr message(raw);
  for (const Header& header : headers) {
    if (s == NATS_OK) s = natsMsgHeader_Set(raw, header.name, header.value.c_str());
  }
  if (s == NATS_OK) s = natsConnection_PublishMsg(connection_, raw);
  if (s == NATS_OK) pending_.emplace(number, Pending{std::move(reply), Clock::now() + kAnswerWait});
  return s;
}

void NatsLink::poll(std::chrono::milliseconds wait) {
  const Clock::time_point begin = Clock::now();
  // Requests have one time limit, so the oldest is due first.
  if (!pending_.empty()) {
    const auto due = std::chrono::duration_cast<std::chrono::milliseconds>(pending_.begin()->second.until - begin);
    wait = std::min(wait, std::max(due + std::chrono::milliseconds(1), std::chrono::milliseconds(0)));
  }
  {
    std::unique_lock lock(arrivals_->mutex);
    arrivals_->some.wait_for(lock, wait, [&] { return arrivals_->news; });
    arrivals_->news = false;
  }
  for (const NatsMessagePtr& message : replies_->take(std::numeric_limits<std::size_t>::max())) {
    const std::string_view subject = natsMsg_GetSubject(message.get());
    if (subject.size() <= prefix_.size()) continue;
    std::uint64_t number = 0;
    std::from_chars(subject.data() + prefix_.size(), subject.data() + subject.size(), number, 16);
    const auto at = pending_.find(number);
    if (at == pending_.end()) continue;  // it came too late
    const Reply reply = std::move(at->second.reply);
    pending_.erase(at);
    reply(message.get());
  }
  const Clock::time_point now = Clock::now();
  while (!pending_.empty() && pending_.begin()->second.until <= now) {
    const Reply reply = std::move(pending_.begin()->second.reply);
    pending_.erase(pending_.begin());
    reply(nullptr);
  }
}

}  // namespace isolde::cluster
