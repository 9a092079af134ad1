// cli/cluster_sending.h: what `isolde send` and `isolde record --to` share: a connection as a producer, and lines that
// are sent as they come.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "cluster/address.h"
#include "cluster/broker.h"
#include "cluster/trace_sender.h"
#include "record/session_client.h"
#include "stream/input.h"

namespace isolde::cli {

struct ClusterProducer {
  std::unique_ptr<cluster::Broker> broker;  // before the sender, which uses it
  std::unique_ptr<cluster::TraceSender> sender;
};
// Waits a while for servers that are being started. `interrupted`: the sender gives up what it cannot send.
[[nodiscard]] Result<ClusterProducer> open_producer(const cluster::Address& address, const std::string& name,
                                                    std::function<bool()> interrupted);

// Until the input is over. `lives`: what came so far is sent at least once a second, followed by a beat. `stop`: the
// input is to end.
[[nodiscard]] Result<void> send_lines(stream::Input& input, cluster::TraceSender& sender, bool lives,
                                      const std::function<bool()>& stop);

// Publishes a run of `isolde record` while it goes on: follows its own recording, in a thread. The run never waits for
// it; while the broker is away, what it has to send is in the recording.
class RunSender {
 public:
  // Connects; what is wrong with the address or the stream is known before the run begins.
  [[nodiscard]] static Result<std::unique_ptr<RunSender>> open(const cluster::Address& address, const std::string& name,
                                                               std::string folder);
  RunSender(const RunSender&) = delete;
  RunSender& operator=(const RunSender&) = delete;
  ~RunSender() { wait(); }

  // Requires: the run's journals are there, and its clients have not begun.
  void start(const record::RunClock& clock);
  // After the run: waits until everything is in the stream, and its end. If the broker is away, ctrl-C ends the wait.
  [[nodiscard]] Result<cluster::SenderCounts> finish();

 private:
  explicit RunSender(std::string folder) : folder_(std::move(folder)) {}
  void wait() {
    run_is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }

  const std::string folder_;
  ClusterProducer producer_;
  std::atomic<bool> run_is_over_ = false;
  Result<void> sent_;
  std::thread thread_;
};

}  // namespace isolde::cli
