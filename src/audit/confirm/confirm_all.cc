// Stories are shared out one at a time: some take a hundred times as long as others. Each thread has a scratch schema
// and connections of its own, so stories do not wait for each other, and nothing of one is seen by another.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "audit/confirm/confirm.h"

namespace isolde::audit {
namespace {

struct SharedStories {
  std::mutex opening;
  std::mutex mutex;  // of all that follows
  std::condition_variable changed;
  std::size_t next = 0, done = 0, at_work = 0;
  std::optional<Error> error;
  std::vector<std::optional<Confirmation>> out;
};

void confirm_shared(std::span<const Anomaly> anomalies, const Classes& classes, const TraceLog& log,
                    db::Database& database, const ConfirmOptions& options, SharedStories& shared) {
  auto confirmer = [&] {
    const std::lock_guard one_by_one(shared.opening);  // a database learns about its server when it is asked
    return Confirmer::open(database, classes, log, options);
  }();
  std::unique_lock lock(shared.mutex);
  if (!confirmer && !shared.error) shared.error = std::move(confirmer).error();
  while (!shared.error && shared.next < anomalies.size()) {
    const std::size_t i = shared.next++;
    lock.unlock();
    auto result = (*confirmer)->confirm(anomalies[i]);
    lock.lock();
    if (result) {
      shared.out[i] = *std::move(result);
      ++shared.done;
    } else if (!shared.error) {
      shared.error = std::move(result).error();
    }
    shared.changed.notify_all();
  }
  lock.unlock();
  if (confirmer) confirmer->reset();  // its scratch schema is gone before it is said that all is done
  lock.lock();
  --shared.at_work;
  shared.changed.notify_all();
}

}  // namespace

Result<std::vector<Confirmation>> confirm_all(std::span<const Anomaly> anomalies, const Classes& classes,
                                              const TraceLog& log, db::Database& database,
                                              const ConfirmOptions& options) {
  SharedStories shared;
  shared.out.resize(anomalies.size());
  const std::size_t count = std::min<std::size_t>(std::max(1U, options.threads), anomalies.size());
  shared.at_work = count;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&] { confirm_shared(anomalies, classes, log, database, options, shared); });
  {
    std::unique_lock lock(shared.mutex);
    while (shared.at_work > 0) {
      const std::size_t done = shared.done;
      lock.unlock();
      if (options.progress != nullptr) options.progress->advance("confirming", done, anomalies.size());
      lock.lock();
      shared.changed.wait(lock, [&] { return shared.at_work == 0 || shared.done != done; });
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (shared.error) return *std::move(shared.error);
  std::vector<Confirmation> out;
  for (auto& one : shared.out) out.push_back(*std::move(one));
  return out;
}

}  // namespace isolde::audit
