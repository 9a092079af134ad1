#include "cluster/nats_broker.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <thread>

#include "cluster/nats_link.h"
#include "cluster/nats_reader.h"

namespace isolde::cluster {
namespace {

using std::chrono::milliseconds;

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

using InfoPtr = std::unique_ptr<jsStreamInfo, DestroyNats<jsStreamInfo, jsStreamInfo_Destroy>>;

AppendOutcome outcome_of_code(std::int64_t code) {
  switch (code) {
    case kWrongLastSequence:
      return AppendOutcome::kRefused;
    case kStoreFailed:
      return AppendOutcome::kFull;
    default:
      return AppendOutcome::kUnavailable;
  }
}

bool is_for_good(natsStatus status) {
  return status == NATS_MAX_PAYLOAD || status == NATS_INVALID_ARG || status == NATS_INVALID_SUBJECT ||
         status == NATS_NOT_PERMITTED;
}

// A reply as JSON.
class ReplyText {
 public:
  explicit ReplyText(natsMsg* message) {
    if (message == nullptr) {
      why_ = "no answer";
    } else if (natsMsg_IsNoResponders(message)) {
      why_ = "nobody answers: there is no such stream, or no leader";
    } else if (parser_.parse(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message)))
                   .get(root_) != simdjson::SUCCESS) {
      why_ = "an answer that cannot be read";
    } else {
      simdjson::dom::element error;
      good_ = root_["error"].get(error) != simdjson::SUCCESS;
      if (good_) return;
      std::string_view text;
      if (error["description"].get(text) == simdjson::SUCCESS) why_ = text;
      if (error["err_code"].get(code_) != simdjson::SUCCESS) code_ = 0;
    }
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::int64_t code() const { return code_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] const simdjson::dom::element& root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  bool good_ = false;
  std::int64_t code_ = 0;
  std::string why_;
};

std::string from_base64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    std::uint32_t six = 0;
    if (c >= 'A' && c <= 'Z') {
      six = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      six = static_cast<std::uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      six = static_cast<std::uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      six = c == '+' ? 62 : 63;
    } else {
      break;  // '=': the end
    }
    bits = (bits << 6) | six;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xff);
  }
  return out;
}

class NatsBroker final : public Broker {
 public:
  [[nodiscard]] Result<void> connect(const Address& address, const std::string& name) {
    replicas_ = address.replicas;
    return link_.connect(address, name);
  }
  [[nodiscard]] bool locked_out() const { return link_.locked_out(); }

  [[nodiscard]] Result<void> make_stream(const StreamPlan& plan) override;
  [[nodiscard]] Result<std::optional<StreamFacts>> facts(const std::string& stream) override;
  [[nodiscard]] AppendAnswer append(const OutgoingMessage& message, std::optional<std::uint64_t> last) override;
  [[nodiscard]] LastAnswer last(const std::string& stream, const std::string& subject) override;
  void drop(const std::string& stream, const std::string& subject, std::uint64_t before) override;
  void remove(const std::string& stream, std::uint64_t sequence) override;
  void poll(milliseconds wait) override { link_.poll(wait); }
  [[nodiscard]] std::unique_ptr<MessageReader> reader(const std::string& stream, const std::string& subject,
                                                      std::uint64_t from) override {
    return std::make_unique<NatsReader>(link_, stream, subject, from);
  }

 private:
  NatsLink link_;
  std::uint32_t replicas_ = 1;
};

Result<void> NatsBroker::make_stream(const StreamPlan& plan) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  const char* subjects[] = {plan.subjects.c_str()};
  config.Name = plan.name.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  config.Replicas = replicas_;
  config.MaxAge = std::chrono::nanoseconds(plan.max_age).count();
  config.Duplicates = config.MaxAge == 0 ? 120 * kSecondInNs : std::min(120 * kSecondInNs, config.MaxAge);
  if (plan.max_bytes > 0) config.MaxBytes = static_cast<std::int64_t>(plan.max_bytes);
  config.Discard = js_DiscardNew;
  if (plan.one_per_subject) {
    config.MaxMsgsPerSubject = 1;
    config.Discard = plan.keep_first ? js_DiscardNew : js_DiscardOld;
    config.DiscardNewPerSubject = plan.keep_first;
  }
  jsErrCode code{};
  jsStreamInfo* info = nullptr;
  const natsStatus s = js_AddStream(&info, link_.context(), &config, nullptr, &code);
  const InfoPtr owned(info);
  if (s == NATS_OK || static_cast<int>(code) == kStreamNameInUse) return {};  // another has made it, with other limits
  if (static_cast<int>(code) == kSubjectsOverlap)
    return Error{fmt::format("another stream has subjects of {}: choose another name", plan.name)};
  return link_.failed("cannot create the stream " + plan.name, nats_text(s));
}

Result<std::optional<StreamFacts>> NatsBroker::facts(const std::string& stream) {
  jsErrCode code{};
  jsStreamInfo* info = nullptr;
  const natsStatus s = js_GetStreamInfo(&info, link_.context(), stream.c_str(), nullptr, &code);
  const InfoPtr owned(info);
  if (s == NATS_NOT_FOUND || static_cast<int>(code) == kStreamNotFound) return std::optional<StreamFacts>{};
  if (s != NATS_OK) return link_.failed("cannot ask for the stream " + stream, nats_text(s));
  return std::optional(StreamFacts{info->State.FirstSeq, info->State.LastSeq, info->State.Msgs, info->State.Bytes});
}

AppendAnswer NatsBroker::append(const OutgoingMessage& message, std::optional<std::uint64_t> last) {
  const AppendAnswer answer = AppendAnswer::open();
  std::vector<NatsLink::Header> headers;
  if (!message.id.empty()) headers.push_back({"Nats-Msg-Id", message.id});
  if (last) headers.push_back({"Nats-Expected-Last-Subject-Sequence", std::to_string(*last)});
  const natsStatus sent =
      link_.request(message.subject, message.data, headers, [this, answer, subject = message.subject](natsMsg* reply) {
        const ReplyText text(reply);
        std::uint64_t sequence = 0;
        if (reply == nullptr && link_.is_forbidden(subject)) {
          answer.give({AppendOutcome::kForbidden, 0, link_.failed("this user may not publish there", text.why()).text});
        } else if (!text.good()) {
          answer.give({outcome_of_code(text.code()), 0, link_.failed("not stored", text.why()).text});
        } else if (text.root()["seq"].get(sequence) != simdjson::SUCCESS) {
          answer.give({AppendOutcome::kForbidden, 0, "somebody who is not JetStream answered"});
        } else {
          answer.give({AppendOutcome::kStored, sequence, {}});
        }
      });
  if (sent != NATS_OK)
    answer.give({is_for_good(sent) ? AppendOutcome::kForbidden : AppendOutcome::kUnavailable, 0, nats_text(sent)});
  return answer;
}

LastAnswer NatsBroker::last(const std::string& stream, const std::string& subject) {
  const LastAnswer answer = LastAnswer::open();
  const auto reply_is_here = [this, answer, subject](natsMsg* reply) {
    const ReplyText text(reply);
    if (!text.good() && (text.code() == kNoMessage || text.code() == kStreamNotFound)) {
      answer.give(StoredMessage{});
      return;
    }
    std::string_view data;
    StoredMessage message;
    message.subject = subject;
    if (!text.good() || text.root()["message"]["seq"].get(message.sequence) != simdjson::SUCCESS) {
      answer.give(link_.failed("cannot read " + subject, text.good() ? "an answer without a message" : text.why()));
      return;
    }
    if (text.root()["message"]["data"].get(data) == simdjson::SUCCESS) message.data = from_base64(data);
    answer.give(std::move(message));
  };
  const natsStatus sent = link_.request("$JS.API.STREAM.MSG.GET." + stream,
                                        fmt::format(R"({{"last_by_subj": "{}"}})", subject), {}, reply_is_here);
  if (sent != NATS_OK) answer.give(link_.failed("cannot read " + subject, nats_text(sent)));
  return answer;
}

void NatsBroker::drop(const std::string& stream, const std::string& subject, std::uint64_t before) {
  const std::string what = before == ~std::uint64_t{0} ? std::string() : fmt::format(R"(, "seq": {})", before);
  static_cast<void>(link_.request("$JS.API.STREAM.PURGE." + stream,
                                  fmt::format(R"({{"filter": "{}"{}}})", subject, what), {}, [](natsMsg*) {}));
}

void NatsBroker::remove(const std::string& stream, std::uint64_t sequence) {
  static_cast<void>(link_.request("$JS.API.STREAM.MSG.DELETE." + stream,
                                  fmt::format(R"({{"seq": {}, "no_erase": true}})", sequence), {}, [](natsMsg*) {}));
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
