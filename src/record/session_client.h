// record/session_client.h: the clients that a run is made of: one that traces, and one that only runs the statements.
//
// Always:  the hot path of a client touches nothing that another client writes: its own connection, journal, counters
//          and numbers. What is shared is read only (the clock's zero, the stop flag).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "db/database.h"
#include "record/faults.h"
#include "record/journal.h"
#include "record/latency.h"
#include "record/recovery.h"
#include "record/workload/client.h"

namespace isolde::record {

// Nanoseconds on the one monotonic clock of the run.
class RunClock {
 public:
  [[nodiscard]] std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - zero_).count();
  }

 private:
  std::chrono::steady_clock::time_point zero_ = std::chrono::steady_clock::now();
};

// What all clients of a run share; written by the runner, or once by the client that meets a fault.
class RunShared {
 public:
  RunShared(db::Database& on, const db::ServerLevel& at, std::uint32_t count, bool facts)
      : database(on), level(at), clients(count), ask_facts(facts) {}

  db::Database& database;
  const db::ServerLevel& level;
  const RunClock clock;
  const std::uint32_t clients;
  const bool ask_facts;
  std::atomic<bool> stop = false;
  std::atomic<bool> restarting = false;  // the run itself has stopped the server, and is starting it again

  // The first fault stops the run.
  void fail(Error error);
  [[nodiscard]] std::optional<Error> fault();

 private:
  std::mutex guard_;
  std::optional<Error> fault_;
};

// On a cache line of its own: the runner reads it while the client counts.
struct alignas(64) ClientCounts {
  std::atomic<std::uint64_t> committed = 0, aborted = 0, unknown = 0;
};

// How many committed transactions the database said something of.
struct FactCounts {
  std::uint64_t snapshots = 0, timestamps = 0, places = 0, orders = 0;
};

class SessionClient : public Client {
 public:
  // `journal`: null for a client that only runs the statements.
  SessionClient(RunShared& shared, std::uint32_t place, std::unique_ptr<db::Connection> connection,
                std::optional<Journal> journal);

  bool begin() override;
  using Client::run;
  bool run(std::string_view sql, std::span<const db::Cell> parameters) override;
  bool commit() override;
  void roll_back() override;
  const db::Reply& reply() const override { return reply_; }
  const db::Dialect& dialect() const override { return shared_.database.dialect(); }
  void will_write(std::string_view key, std::string_view value) override;
  void will_append(std::string_view key, std::string_view element) override;
  void saw(std::string_view key, std::string_view value, Lock lock) override;
  void wrote(std::string_view key, std::string_view value) override;
  void scanned(std::string_view where, std::span<const RecordedItem> rows, Lock lock) override;
  void aggregated(std::string_view expression, std::string_view where, std::string_view value) override;
  void updated(std::string_view where, std::span<const RecordedItem> rows_after) override;
  void go_on() override { goes_on_ = true; }
  std::int64_t unique() override { return next_unique_ += shared_.clients; }

  // What the client does of its own before a transaction ends: a share of the commits become rollbacks, of which a
  // database must leave no trace; and it waits for a random time, `think` on average, while the transaction is open.
  void behave(double rollback_share, std::chrono::microseconds think, Rng rng) {
    rollback_share_ = rollback_share;
    think_ = think;
    rng_ = rng;
  }
  // A transaction that the workload left open is rolled back; to be called after each.
  void finish_transaction();
  // Called with the connection after each predicate read: gives the version set that it looked at, as a JSON object.
  using Shadow = std::function<Result<std::string>(db::Connection&)>;
  void set_shadow(Shadow shadow) { shadow_ = std::move(shadow); }

  [[nodiscard]] const ClientCounts& counts() const { return counts_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& failures() const { return failures_; }
  [[nodiscard]] const LatencyHistogram& latency() const { return latency_; }
  [[nodiscard]] const FactCounts& facts() const { return facts_; }
  // Of transactions without a snapshot, which would carry it into the recording.
  [[nodiscard]] const std::vector<KnownXid>& xids() const { return xids_; }
  [[nodiscard]] std::uint64_t statements() const { return statements_; }
  [[nodiscard]] std::uint64_t reconnects() const { return reconnects_; }
  [[nodiscard]] const Journal* journal() const { return journal_ ? &*journal_ : nullptr; }

  // From other threads: for faults.
  [[nodiscard]] Phase phase() const { return phase_.load(std::memory_order_relaxed); }
  void sever();
  [[nodiscard]] std::int64_t server_session();

 private:
  [[nodiscard]] std::int64_t now() const { return journal_ ? shared_.clock.now() : 0; }
  bool fail(Result<db::Reply> reply);
  void end(Status status, std::int64_t time);
  void reconnect();
  void think();
  void note(std::string_view op, Lock lock = Lock::kNone);
  void note_predicate(Lock lock);
  void write_facts(const db::TxnFacts& given);
  void note_lock_point(std::int64_t commit_asked);
  [[nodiscard]] db::TxnFacts at_one_time(db::TxnFacts facts) const;

  RunShared& shared_;
  std::unique_ptr<db::Connection> connection_;
  std::mutex connection_guard_;  // held to replace the connection, and by other threads that use it
  std::optional<Journal> journal_;
  Shadow shadow_;
  std::vector<KnownXid> xids_;
  db::Reply reply_;
  std::vector<std::string> intents_;  // of the next statement
  std::size_t intent_count_ = 0;
  std::string text_;  // of the operation being written, kept for its memory
  std::int64_t before_ = 0, after_ = 0, began_ = 0;
  bool open_ = false;
  bool read_plainly_ = false;                // in this transaction: what it read may change before it commits
  std::atomic<Phase> phase_ = Phase::kIdle;  // written by the client only
  bool goes_on_ = false;                     // the next statement belongs to the operation of the last one
  double rollback_share_ = 0;
  std::chrono::microseconds think_{0};
  Rng rng_{0};
  const std::int64_t place_;  // of the client among all
  std::int64_t next_id_, next_unique_, session_name_;
  ClientCounts counts_;
  std::map<std::string, std::uint64_t> failures_;
  LatencyHistogram latency_;
  FactCounts facts_;
  std::uint64_t statements_ = 0, reconnects_ = 0;
};

}  // namespace isolde::record
