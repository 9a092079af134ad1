#include "cli/cluster_sending.h"

#include <chrono>
#include <utility>

#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "cluster/nats_broker.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::chrono::milliseconds kBeatEvery{1000};
constexpr std::chrono::milliseconds kTakeWait{100};
constexpr double kPatience = 15;  // seconds, for servers that are being started again

}  // namespace

Result<ClusterProducer> open_producer(const cluster::Address& address, const std::string& name,
                                      std::function<bool()> give_up) {
  ClusterProducer made;
  const Stopwatch watch;
  auto broker = cluster::connect_to_nats(address, "isolde producer " + name,
                                         [&] { return interrupted || watch.seconds() > kPatience; });
  if (!broker) return std::move(broker).error();
  made.broker = *std::move(broker);
  const cluster::Names names(address.stream);
  auto plan = cluster::find_plan(*made.broker, names);
  if (!plan) return std::move(plan).error();
  cluster::SenderOptions options;
  options.clock = [] { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); };
  options.interrupted = std::move(give_up);
  auto sender = cluster::TraceSender::open(*made.broker, names, *plan, name, options);
  if (!sender) return std::move(sender).error();
  made.sender = std::make_unique<cluster::TraceSender>(*std::move(sender));
  return made;
}

Result<void> send_lines(stream::Input& input, cluster::TraceSender& sender, bool lives,
                        const std::function<bool()>& stop) {
  auto beat = std::chrono::steady_clock::now();
  while (true) {
    if (stop()) input.stop();
    auto next = input.next(kTakeWait);
    if (!next) return std::move(next).error();
    if (next->piece) {
      if (auto sent = sender.send(*next->piece->chunk); !sent) return sent;
    }
    if (next->over) return {};
    if (auto sent = sender.rest(); !sent) return sent;
    if (!lives || std::chrono::steady_clock::now() - beat < kBeatEvery) continue;
    beat = std::chrono::steady_clock::now();
    if (auto sent = sender.flush(); !sent) return sent;
    if (auto sent = sender.beat(); !sent) return sent;
  }
}

Result<std::unique_ptr<RunSender>> RunSender::open(const cluster::Address& address, const std::string& name,
                                                   std::string folder) {
  std::unique_ptr<RunSender> made(new RunSender(std::move(folder)));
  // The first ctrl-C ends the run, which is then sent to its end.
  auto producer = open_producer(address, name, [sender = made.get()] { return sender->run_is_over_ && interrupted; });
  if (!producer) return std::move(producer).error();
  made->producer_ = *std::move(producer);
  return made;
}

void RunSender::start(const record::RunClock& clock) {
  thread_ = std::thread([this, clock] {
    auto input = stream::follow_recording(folder_, [clock] { return clock.now(); }, {});
    sent_ = input ? send_lines(**input, *producer_.sender, true, [] { return false; })
                  : Result<void>(std::move(input).error());
    if (sent_) sent_ = producer_.sender->finish();
  });
}

Result<cluster::SenderCounts> RunSender::finish() {
  wait();
  if (!sent_) return sent_.error();
  return producer_.sender->counts();
}

}  // namespace isolde::cli
