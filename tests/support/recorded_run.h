// tests/support/recorded_run.h: a workload run on a database, with what was recorded of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "check/choose/engines.h"
#include "db/database.h"
#include "format/format.h"
#include "proof/prove.h"
#include "record/run.h"
#include "record/workload/workload.h"

namespace isolde::record {

struct Place {
  std::unique_ptr<db::Database> database;
  db::Url url;
  const db::ServerLevel* level = nullptr;
};

inline Place place(std::string_view url, std::string_view level) {
  Place p;
  p.url = *db::parse_url(url);
  p.database = *db::open_database(p.url);
  const auto found = db::level_named(*p.database, level);
  EXPECT_TRUE(found) << (found ? "" : found.error().message());
  p.level = found ? *found : &p.database->levels()[0];
  return p;
}

struct Recorded {
  RunSummary summary;
  History history;
};

// Nothing, with a failure of the test, if the run could not be made.
inline std::optional<Recorded> record_on(const Place& p, std::string_view workload, const WorkloadOptions& settings,
                                         const RunOptions& options) {
  static int runs = 0;
  const std::string folder = fmt::format("{}/recorded-{}-{}", ::testing::TempDir(), getpid(), runs++);
  auto made = workload_named(workload)->make(settings, p.database->dialect());
  if (!made) {
    ADD_FAILURE() << made.error().message();
    return std::nullopt;
  }
  auto summary = run(*p.database, p.url, *p.level, **made, options, folder, {});
  auto loaded = load(folder, nullptr, {});
  std::filesystem::remove_all(folder);
  if (!summary || !loaded) {
    ADD_FAILURE() << workload << ": " << (summary ? loaded.error().message() : summary.error().message());
    return std::nullopt;
  }
  return Recorded{*std::move(summary), std::move(loaded->history)};
}

inline RunOptions transactions(std::uint64_t count, std::uint32_t clients, std::uint64_t seed = 1) {
  RunOptions options;
  options.clients = clients;
  options.transactions = count;
  options.seed = seed;
  return options;
}

// Asks every engine that can judge the level: none may contradict another, and one at least must tell. Each is proved.
inline Outcome judged(const History& h, Level level) {
  Outcome outcome = Outcome::kUndecided;
  for (const Engine& engine : engines()) {
    if (!engine.lacks(h, level).empty()) continue;
    Limits limits;
    limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const Verdict verdict = engine.check(h, level, limits);
    const auto proved = prove(h, verdict);
    EXPECT_TRUE(proved) << engine.name << (proved ? "" : proved.error().message());
    if (verdict.outcome == Outcome::kUndecided) continue;
    EXPECT_TRUE(outcome == Outcome::kUndecided || outcome == verdict.outcome) << engine.name << " says otherwise";
    outcome = verdict.outcome;
  }
  return outcome;
}

// The first column of the first row, or what went wrong, as text.
inline std::string answer(db::Connection& connection, std::string_view sql) {
  const auto reply = connection.run(sql);
  if (!reply) return reply.error().message();
  if (!reply->done()) return reply->failure.text;
  return reply->rows() == 0 ? "nothing" : json_text(reply->at(0, 0));
}

}  // namespace isolde::record
