#include "record/run_faults.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "db/product.h"

namespace isolde::record {
namespace {

constexpr int kTries = 40;
constexpr auto kBetweenTries = std::chrono::milliseconds(50);

}  // namespace

Result<void> check_faults(const FaultPlan& plan, const db::Url& url, const db::Server* server) {
  if (plan.restarts() > 0 && server == nullptr)
    return Error{"only a server that the run started itself can be restarted: this one was already running"};
  const db::Product* const product = db::find_product(url.scheme);
  if (plan.terminate > 0 && product != nullptr && product->in_process)
    return Error{
        fmt::format("{} has no server that could end a session: terminate-backends needs one", product->title)};
  return {};
}

RunFaults::RunFaults(const FaultPlan& plan, std::uint64_t seed, RunShared& shared,
                     std::span<const std::unique_ptr<SessionClient>> clients, db::Server* server,
                     std::function<double()> progress, const std::string& marks)
    : shared_(shared), clients_(clients), server_(server) {
  if (!marks.empty()) marks_.open(marks, std::ios::binary | std::ios::app);
  const auto count = static_cast<std::uint32_t>(clients.size());
  injector_.emplace(schedule_faults(plan, count, Rng(seed)), actions(std::move(progress)));
}

FaultActions RunFaults::actions(std::function<double()> progress) {
  return {.progress = std::move(progress),
          .phase = [this](std::uint32_t client) { return clients_[client]->phase(); },
          .sever = [this](std::uint32_t client) { clients_[client]->sever(); },
          .terminate = [this](std::uint32_t client) { return terminate(client); },
          .restart = [this](db::Stop how) { return restart(how); },
          .note = [this](const PlannedFault& done, std::int64_t from, std::int64_t to) { mark(done, from, to); },
          .now = [this] { return shared_.clock.now(); },
          .fail = [this](Error error) { shared_.fail(std::move(error)); }};
}

// The observer may have been cut off by a restart, and the session be one that another fault has just ended: the next
// try has new ones.
Result<void> RunFaults::terminate(std::uint32_t client) {
  Result<void> done = Error{"none was attempted"};
  for (int tries = 0; tries < kTries && !shared_.stop; ++tries) {
    if (observer_ == nullptr) {
      auto fresh = shared_.database.connect(shared_.level);
      if (fresh)
        observer_ = *std::move(fresh);
      else
        done = fresh.error();
    }
    if (observer_ != nullptr) {
      done = shared_.database.terminate(*observer_, clients_[client]->server_session());
      if (done) return done;
      observer_.reset();
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
  if (shared_.stop) return {};
  return Error{fmt::format("cannot end the session of client {}: {}", client, done.error().text)};
}

Result<void> RunFaults::restart(db::Stop how) {
  observer_.reset();
  shared_.restarting = true;
  auto done = server_->stop(how);
  if (done) done = server_->start();
  shared_.restarting = false;
  return done;
}

// A client's connection is cut at one moment; ending a session, or restarting the server, takes a while.
void RunFaults::mark(const PlannedFault& done, std::int64_t from, std::int64_t to) {
  if (!marks_.is_open()) return;
  const bool of_client = done.fault == Fault::kSever || done.fault == Fault::kTerminate;
  marks_ << fmt::format("{{\"fault\":\"{}\",\"at\":{}{}}}\n", name_of(done.fault),
                        done.fault == Fault::kSever ? std::to_string(from) : fmt::format("[{},{}]", from, to),
                        of_client ? fmt::format(",\"detail\":\"client {}\"", done.client) : std::string());
  marks_.flush();
}

}  // namespace isolde::record
