#include "cluster/nats_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>

namespace isolde::cluster {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kAhead = std::size_t{4} << 20;
constexpr std::size_t kMostAhead = 512, kLeastAhead = 8;  // messages
constexpr std::chrono::seconds kAskedFor{20};
// A consumer that is lost together with its server is silent: without messages it is made again after this long, the
// next time later.
constexpr milliseconds kPatience{5000}, kMostPatience{20'000};
constexpr milliseconds kBetweenTries{500}, kAfterFault{50};

struct Place {
  std::uint64_t of_stream, of_consumer;
  std::int64_t time;
};

// $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.CONSUMER_SEQUENCE.TIME.PENDING, or the same with DOMAIN.ACCOUNT before
// STREAM and something at its end.
std::optional<Place> place_of(std::string_view reply) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at <= reply.size();) {
    const std::size_t end = std::min(reply.find('.', at), reply.size());
    tokens.push_back(reply.substr(at, end - at));
    at = end + 1;
  }
  if (tokens.size() < 9 || tokens[0] != "$JS" || tokens[1] != "ACK") return std::nullopt;
  const std::size_t first = tokens.size() >= 11 ? 7 : 5;
  const auto number = [&](std::size_t i) {
    std::uint64_t value = 0;
    std::from_chars(tokens[i].data(), tokens[i].data() + tokens[i].size(), value);
    return value;
  };
  return Place{number(first), number(first + 1), static_cast<std::int64_t>(number(first + 2))};
}

}  // namespace

NatsReader::~NatsReader() { leave_consumer(); }

void NatsReader::leave_consumer() {
  if (!consumer_.empty())
    static_cast<void>(
        link_.request(fmt::format("$JS.API.CONSUMER.DELETE.{}.{}", stream_, consumer_), {}, {}, [](natsMsg*) {}));
  consumer_.clear();
  made_.reset();
  inflow_.reset();
  asked_.clear();
}

void NatsReader::make_consumer() {
  losses_ = link_.losses();
  made_ = std::make_shared<Made>();
  const std::string config = fmt::format(
      R"({{"stream_name": "{0}", "config": {{"deliver_policy": "by_start_sequence", "opt_start_seq": {1}, "ack_policy": "none", "filter_subject": "{2}", "replay_policy": "instant", "max_waiting": 64, "inactive_threshold": 60000000000, "num_replicas": 1, "mem_storage": true}}}})",
      stream_, next_, subject_);
  const natsStatus sent =
      link_.request("$JS.API.CONSUMER.CREATE." + stream_, config, {}, [made = made_](natsMsg* reply) {
        made->answered = true;
        if (reply == nullptr || natsMsg_IsNoResponders(reply)) {
          made->why = reply == nullptr ? "no answer" : "nobody leads JetStream";
          return;
        }
        simdjson::dom::parser parser;
        simdjson::dom::element root;
        std::string_view text;
        if (parser.parse(natsMsg_GetData(reply), static_cast<std::size_t>(natsMsg_GetDataLength(reply))).get(root) !=
            simdjson::SUCCESS) {
          made->why = "an answer that cannot be read";
        } else if (root["error"]["description"].get(text) == simdjson::SUCCESS) {
          made->why = text;
        } else if (root["name"].get(text) == simdjson::SUCCESS) {
          made->name = text;
        } else {
          made->why = "an answer without a name";
        }
      });
  if (sent != NATS_OK) {
    made_->answered = true;
    made_->why = nats_text(sent);
  }
}

std::size_t NatsReader::asked() const {
  std::size_t count = 0;
  for (const Asked& one : asked_) count += one.left;
  return count;
}

// Half of what may be on its way is asked for when the other half has come.
void NatsReader::ask_for_more() {
  const Clock::time_point now = Clock::now();
  while (!asked_.empty() && (asked_.front().left == 0 || asked_.front().until <= now)) asked_.pop_front();
  const std::size_t ahead =
      std::clamp(kAhead / std::max<std::size_t>(largest_, 1024), kLeastAhead, largest_ == 0 ? 32 : kMostAhead);
  const std::size_t known = asked();
  if (known > ahead / 2) return;
  const std::size_t more = ahead - known;
  const std::string request =
      fmt::format(R"({{"batch": {}, "expires": {}}})", more, std::chrono::nanoseconds(kAskedFor).count());
  const natsStatus sent =
      link_.ask(fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", stream_, consumer_), request, *inflow_);
  if (sent == NATS_OK) asked_.push_back({more, now + kAskedFor});
}

bool NatsReader::take(natsMsg* message, std::vector<StoredMessage>& out) {
  const char* const reply = natsMsg_GetReply(message);
  const auto size = static_cast<std::size_t>(natsMsg_GetDataLength(message));
  const std::optional<Place> place = reply == nullptr ? std::nullopt : place_of(reply);
  if (!place) {
    // A request ran out, which is its usual end (408), or something is wrong with the consumer.
    const char* status = nullptr;
    if (natsMsgHeader_Get(message, "Status", &status) != NATS_OK || status == nullptr) return true;
    const std::string_view code = status;
    return code == "100" || code == "404" || code == "408";
  }
  for (Asked& one : asked_) {
    if (one.left == 0) continue;
    --one.left;
    break;
  }
  // One is missing, or a consumer says again what is past.
  if (place->of_consumer != delivered_ + 1 || place->of_stream < next_) return false;
  delivered_ = place->of_consumer;
  next_ = place->of_stream + 1;
  largest_ = std::max(largest_, size);
  out.push_back(
      {place->of_stream, place->time, natsMsg_GetSubject(message), std::string(natsMsg_GetData(message), size)});
  return true;
}

Result<std::vector<StoredMessage>> NatsReader::fetch(std::size_t most) {
  std::vector<StoredMessage> out;
  const Clock::time_point now = Clock::now();
  if (now < try_again_) return out;
  if (made_ != nullptr && link_.losses() != losses_) leave_consumer();
  if (made_ == nullptr) make_consumer();
  if (!made_->answered) return out;
  if (consumer_.empty()) {
    if (made_->name.empty()) {
      const std::string why = std::exchange(made_, nullptr)->why;
      try_again_ = now + kBetweenTries;
      return link_.failed("cannot read " + subject_, why);
    }
    consumer_ = made_->name;
    inflow_ = link_.inflow();
    delivered_ = 0;
    heard_ = now;
    patience_ = std::clamp(patience_, kPatience, kMostPatience);
    if (inflow_ == nullptr) {
      leave_consumer();
      return link_.failed("cannot read " + subject_, "no inbox");
    }
  }
  const std::vector<NatsMessagePtr> came = inflow_->take(most);
  for (const NatsMessagePtr& message : came) {
    if (take(message.get(), out)) continue;
    leave_consumer();
    try_again_ = now + kAfterFault;
    return out;
  }
  if (!out.empty()) {
    heard_ = now;
    patience_ = kPatience;
  } else if (now - heard_ > patience_) {
    patience_ = std::min(patience_ * 2, kMostPatience);
    leave_consumer();
    return out;
  }
  ask_for_more();
  return out;
}

}  // namespace isolde::cluster
