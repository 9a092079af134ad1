#include "record/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "db/product.h"
#include "format/format.h"
#include "record/run_faults.h"
#include "record/session_client.h"
#include "record/set_up.h"
#include "record/shadow.h"
#include "record/tree_cpu.h"
#include "record/workload/traced_table.h"

namespace isolde::record {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

std::optional<Error> write_text(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return Error{"cannot be written", path.string()};
  return std::nullopt;
}

std::optional<Error> write_header(const fs::path& folder, std::string_view about, const Workload& workload,
                                  const db::ServerLevel& level) {
  // Under another name until its header is whole: what has the folder's name is a recording at any moment.
  const fs::path unfinished = folder.string() + ".new";
  std::error_code error;
  if (fs::exists(folder, error)) return Error{"already exists", folder.string()};
  fs::remove_all(unfinished, error);
  if (!fs::create_directory(unfinished, error)) return Error{error.message(), folder.string()};
  if (auto e = write_text(
          unfinished / "header.jsonl",
          fmt::format(R"({{"isolde":1,"isolde-recording":1,"about":{}{},"initial":{}}})"
                      "\n",
                      json_text(std::string(about)),
                      level.serial == db::SerialOrder::kCommitTimestamps ? R"(,"serial_by":"commit_ts")" : "",
                      workload.initial()))) {
    return e;
  }
  fs::rename(unfinished, folder, error);
  if (error) return Error{error.message(), folder.string()};
  return std::nullopt;
}

// What one client does until the run is over.
class ClientLoop {
 public:
  ClientLoop(SessionClient& client, std::unique_ptr<WorkloadSession> session, RunShared& shared,
             const RunOptions& options, std::uint32_t place)
      : client_(client), session_(std::move(session)), shared_(shared) {
    if (options.transactions) left_ = share_of(*options.transactions, options.clients, place);
    if (options.rate) {
      between_ = std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * options.clients / *options.rate));
      due_ = steady_clock::now() + between_ * place / options.clients;
    }
  }

  void operator()() {
    while (!shared_.stop && left_ != 0) {
      if (between_.count() > 0) wait_until_due();
      const std::uint64_t committed = client_.counts().committed.load(std::memory_order_relaxed);
      session_->transaction(client_);
      client_.finish_transaction();
      if (left_ > 0) --left_;
      in_vain_ = client_.counts().committed.load(std::memory_order_relaxed) > committed ? 0 : in_vain_ + 1;
      if (in_vain_ > 1) back_off();
    }
  }

 private:
  static std::int64_t share_of(std::uint64_t all, std::uint32_t clients, std::uint32_t place) {
    return static_cast<std::int64_t>(all / clients + (place < all % clients ? 1 : 0));
  }
  void wait_until_due() {
    constexpr auto kLongest = std::chrono::milliseconds(100);  // so that a stop is soon seen
    for (auto now = steady_clock::now(); now < due_ && !shared_.stop; now = steady_clock::now())
      std::this_thread::sleep_until(std::min(due_, now + kLongest));
    due_ += between_;
  }

  // Databases that do not let a transaction wait would otherwise be asked for nothing but refusals.
  void back_off() const {
    constexpr std::uint64_t kMostSteps = 20;
    std::this_thread::sleep_for(std::chrono::microseconds(50) * std::min(in_vain_, kMostSteps));
  }

  SessionClient& client_;
  std::unique_ptr<WorkloadSession> session_;
  RunShared& shared_;
  std::uint64_t in_vain_ = 0;  // transactions since the last that committed
  std::int64_t left_ = -1;     // below 0: until the time is over
  std::chrono::nanoseconds between_ = {};
  steady_clock::time_point due_;
};

RunProgress progress_of(const std::vector<std::unique_ptr<SessionClient>>& clients) {
  RunProgress p;
  for (const auto& client : clients) {
    p.committed += client->counts().committed.load(std::memory_order_relaxed);
    p.aborted += client->counts().aborted.load(std::memory_order_relaxed);
    p.unknown += client->counts().unknown.load(std::memory_order_relaxed);
  }
  return p;
}

void summarise(const std::vector<std::unique_ptr<SessionClient>>& clients, RunSummary& summary) {
  const RunProgress p = progress_of(clients);
  summary.committed = p.committed;
  summary.aborted = p.aborted;
  summary.unknown = p.unknown;
  for (const auto& client : clients) {
    summary.statements += client->statements();
    summary.reconnects += client->reconnects();
    summary.latency.add(client->latency());
    summary.facts.snapshots += client->facts().snapshots;
    summary.facts.timestamps += client->facts().timestamps;
    summary.facts.places += client->facts().places;
    summary.facts.orders += client->facts().orders;
    for (const auto& [code, count] : client->failures()) summary.failures[code] += count;
    if (client->journal() != nullptr) summary.journal_bytes += client->journal()->bytes();
  }
}

Result<std::vector<std::unique_ptr<SessionClient>>> make_clients(RunShared& shared, const RunOptions& options,
                                                                 const fs::path& folder) {
  std::vector<std::unique_ptr<SessionClient>> clients;
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    auto connection = shared.database.connect(shared.level);
    if (!connection) return std::move(connection).error();
    std::optional<Journal> journal;
    if (options.trace) {
      auto created = Journal::create((folder / fmt::format("session-{:04}.journal", i)).string());
      if (!created) return std::move(created).error();
      journal = *std::move(created);
    }
    clients.push_back(std::make_unique<SessionClient>(shared, i, *std::move(connection), std::move(journal)));
  }
  return clients;
}

// Runs all clients until they are done or the time is over. Returns the faults that were done.
FaultPlan drive(std::vector<std::unique_ptr<SessionClient>>& clients, Workload& workload, RunShared& shared,
                const RunOptions& options, const RunHooks& hooks, const std::string& folder) {
  std::atomic<std::uint32_t> running = options.clients;
  std::vector<std::thread> threads;
  Rng seeds(options.seed);
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    const Rng rng(seeds.next());
    clients[i]->behave(options.rollbacks, options.think, Rng(seeds.next()));
    threads.emplace_back([&, i, rng] {
      ClientLoop(*clients[i], workload.session(i, rng), shared, options, i)();
      --running;
    });
  }
  const auto start = steady_clock::now();
  std::optional<RunFaults> faults;
  if (options.faults.all() > 0) {
    faults.emplace(
        options.faults, seeds.next(), shared, clients, hooks.server,
        [&, start] {
          if (!options.transactions) return seconds_since(start) / options.seconds;
          const RunProgress p = progress_of(clients);
          return static_cast<double>(p.committed + p.aborted + p.unknown) / static_cast<double>(*options.transactions);
        },
        options.trace ? (fs::path(folder) / "faults.jsonl").string() : std::string());
  }
  for (auto shown = start; running > 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool over =
        !options.transactions && seconds_since(start) >= options.seconds && (!faults || faults->all_done());
    if (over || (hooks.interrupted != nullptr && *hooks.interrupted)) shared.stop = true;
    if (hooks.progress && seconds_since(shown) >= 0.25) {
      shown = steady_clock::now();
      RunProgress p = progress_of(clients);
      p.seconds = seconds_since(start);
      hooks.progress(p);
    }
  }
  for (std::thread& thread : threads) thread.join();
  return faults ? faults->finish() : FaultPlan();
}

std::optional<Error> write_certificate(Recovery& recovery, std::span<const KnownXid> xids, const fs::path& folder,
                                       RunSummary& summary) {
  const auto start = steady_clock::now();
  auto versions = recovery.recover();
  if (!versions) return std::move(versions).error();
  summary.versions = versions->size();
  const auto recorded = load(folder.string(), nullptr, {});
  if (!recorded) return recorded.error();
  if (auto e = write_text(folder / "evidence.jsonl", version_order_lines(recorded->history, *versions, xids))) return e;
  summary.evidence_source = recovery.source();
  summary.recovery_seconds = seconds_since(start);
  return std::nullopt;
}

}  // namespace

Result<RunSummary> run(db::Database& database, const db::Url& url, const db::ServerLevel& level, Workload& workload,
                       const RunOptions& options, const std::string& folder, const RunHooks& hooks) {
  RunSummary summary;
  const auto start = steady_clock::now();
  const db::Product* const product = db::find_product(url.scheme);
  if (options.shadow && (product == nullptr || !product->shares_snapshots))
    return Error{fmt::format("only {} lets a shadow transaction share a snapshot",
                             db::titles_where([](const db::Product& one) { return one.shares_snapshots; }))};
  if (auto possible = check_faults(options.faults, url, hooks.server); !possible) return possible.error();
  auto administrator = database.connect(level);
  if (!administrator) return std::move(administrator).error();
  auto described = database.describe(**administrator);
  if (!described) return std::move(described).error();
  summary.database = *described;
  if (auto ready = set_up(**administrator, database.dialect(), workload); !ready) return ready.error();

  std::unique_ptr<Recovery> recovery;
  if (options.trace) {
    const std::string faults = to_text(options.faults);
    const std::string about =
        fmt::format("{} on {}, {}, {} clients, seed {}{}{}", options.about, summary.database, level.name,
                    options.clients, options.seed, faults.empty() ? "" : ", faults ", faults);
    if (auto e = write_header(folder, about, workload, level)) return *std::move(e);
    if (options.evidence) {
      auto made =
          make_recovery({database, url, workload.tables(), options.faults.restarts() > 0}, summary.no_evidence_because);
      if (!made) return std::move(made).error();
      recovery = *std::move(made);
      if (recovery) {
        if (auto prepared = recovery->prepare(); !prepared) return prepared.error();
      }
    }
  }

  RunShared shared(database, level, options.clients, options.evidence);
  auto clients = make_clients(shared, options, folder);
  if (!clients) return std::move(clients).error();
  std::vector<std::unique_ptr<ShadowReader>> shadows;
  if (options.trace && options.shadow) {
    for (auto& client : *clients) {
      shadows.push_back(std::make_unique<ShadowReader>(database, workload.tables()));
      client->set_shadow([reader = shadows.back().get()](db::Connection& c) { return reader->version_set(c); });
    }
  }
  summary.setup_seconds = seconds_since(start);
  const double cpu_before = tree_cpu_seconds();
  const auto first = steady_clock::now();
  if (hooks.started) hooks.started(shared.clock);
  summary.faults = drive(*clients, workload, shared, options, hooks, folder);
  summary.seconds = seconds_since(first);
  summary.cpu_seconds = tree_cpu_seconds() - cpu_before;
  summarise(*clients, summary);
  std::vector<KnownXid> xids;
  for (const auto& client : *clients) xids.insert(xids.end(), client->xids().begin(), client->xids().end());
  clients->clear();  // cuts the journals to their length
  if (auto fault = shared.fault()) return *std::move(fault);
  if (recovery) {
    if (auto e = write_certificate(*recovery, xids, folder, summary)) return *std::move(e);
  }
  return summary;
}

}  // namespace isolde::record
