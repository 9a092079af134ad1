#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include "base/rng.h"
#include "format/native.h"
#include "record/journal.h"
#include "stream/testing.h"
#include "tests/support/effort.h"
#include "tests/support/format_testing.h"

namespace isolde::stream {
namespace recording_input_test {

namespace fs = std::filesystem;
using record::Journal;
using testing::Heard;

constexpr std::string_view kHeader =
    R"({"isolde":1,"isolde-recording":1,"about":"t","columns":true,"initial":{"7":1}})";

void make_recording(const std::string& folder) {
  fs::create_directories(folder);
  std::ofstream(folder + "/header.jsonl") << kHeader << "\n";
}

// The transactions of a history as native lines, without the header.
std::vector<std::string> lines_of(const History& h) {
  isolde::testing::MemoryOutput out;
  EXPECT_TRUE(kNativeFormat.write(h, out));
  std::vector<std::string> lines;
  std::istringstream text(out.text());
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("{\"isolde\"") && !line.starts_with("{\"version_order")) lines.push_back(line);
  }
  return lines;
}
std::vector<std::string> lines_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> all;
  for (const Piece& piece : pieces) {
    const auto lines = lines_of(piece.chunk->history);
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}
std::vector<std::string> loaded_lines(const std::string& folder) {
  const auto loaded = load(folder, nullptr, {});
  EXPECT_TRUE(loaded) << loaded.error().message();
  return loaded ? lines_of(loaded->history) : std::vector<std::string>{};
}
std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Clients that record something at random, one step at a time, on one clock that ticks with every reading.
class Clients {
 public:
  Clients(const std::string& folder, int count, std::uint64_t seed) : rng_(seed) {
    make_recording(folder);
    for (int i = 0; i < count; ++i) {
      clients_.push_back({*Journal::create(fmt::format("{}/session-{:04}.journal", folder, i)), i, i});
      clients_.back().journal.session(i);
    }
  }
  std::int64_t now() { return ++time_; }

  void step() {
    Client& c = clients_[rng_.below(clients_.size())];
    Journal& j = c.journal;
    switch (c.phase) {
      case 0:
        j.about_to_begin();
        c.time = now();
        c.phase = 1;  // a follower may look right here
        return;
      case 1:
        j.begin(c.next_id, c.time);
        c.next_id += static_cast<std::int64_t>(clients_.size());
        c.phase = 2;
        return;
      case 2: {
        const std::uint64_t what = rng_.below(8);
        const std::string key = std::to_string(rng_.below(20));
        if (what < 3) {
          j.op(fmt::format("[\"r\",{},{}", key, rng_.below(100)), what == 0 ? Lock::kUpdate : Lock::kNone, now(),
               now());
        } else if (what < 5) {
          j.intent(fmt::format("[\"w\",{},{}", key, time_), now());
          c.phase = 3;
        } else if (what < 7) {
          j.commit(now());
          c.phase = 4;
        } else {
          j.end(Status::kAborted, now());
          c.phase = 0;
        }
        return;
      }
      case 3:
        j.done(now());
        c.phase = 2;
        return;
      default:
        if (rng_.below(10) == 0) {
          j.end(Status::kUnknown, 0);
          c.session += 1000;
          j.session(c.session);
        } else {
          if (rng_.below(2) == 0) j.facts("\"start_ts\":5");
          if (rng_.below(4) == 0) j.place(time_);
          j.end(Status::kCommitted, now());
        }
        c.phase = 0;
    }
  }
  void end() { clients_.clear(); }

 private:
  struct Client {
    Journal journal;
    std::int64_t session, next_id;
    int phase = 0;
    std::int64_t time = 0;
  };
  Rng rng_;
  std::vector<Client> clients_;
  std::int64_t time_ = 0;
};

// No transaction may come that begins before what a heartbeat of its session said earlier, and nothing at all of a
// session that is gone.
struct Promises {
  std::map<Fingerprint, std::int64_t> bound;
  std::set<Fingerprint> gone;
  std::int64_t held_at = kNoTime;  // the least bound of sessions that are not gone, as a watermark is made of

  void check(const Input::Next& next) {
    if (next.piece) {
      const Chunk& chunk = *next.piece->chunk;
      for (std::uint32_t t = 0; t < chunk.history.txn_count(); ++t) {
        const Fingerprint session = chunk.session(TxnId{t});
        ASSERT_FALSE(gone.contains(session));
        const auto at = bound.find(session);
        if (at != bound.end()) {
          ASSERT_GE(chunk.history.begin(TxnId{t}), at->second);
        }
        ASSERT_GE(chunk.history.begin(TxnId{t}), held_at) << "late: everybody's bound was past it";
      }
      for (const Heartbeat& beat : chunk.heartbeats) bound[beat.session] = beat.time;
    }
    for (const Fingerprint session : next.gone) {
      gone.insert(session);
      bound.erase(session);
    }
    if (bound.empty()) return;
    held_at = std::numeric_limits<std::int64_t>::max();
    for (const auto& [session, time] : bound) held_at = std::min(held_at, time);
  }
};

TEST(RecordingInput, WhateverThePollsAreTheTransactionsAreThoseOfTheRecording) {
  for (const std::uint64_t seed : effort::seeds(1, 40)) {
    testing::Scratch scratch;
    const std::string folder = scratch / "run";
    Clients clients(folder, 3, seed);
    Rng rng(seed + 1000);
    auto input = follow_recording(folder, [&] { return clients.now(); }, {});
    ASSERT_TRUE(input) << input.error().message();
    Promises promises;
    std::vector<Piece> pieces;
    bool over = false;
    const auto take = [&] {
      auto next = (*input)->next(std::chrono::milliseconds(0));
      ASSERT_TRUE(next) << next.error().message();
      promises.check(*next);
      over = next->over;
      if (next->piece) pieces.push_back(*std::move(next->piece));
    };
    for (int i = 0; i < 300; ++i) {
      clients.step();
      if (rng.below(1 + seed % 20) == 0) take();
      ASSERT_FALSE(over);
    }
    clients.end();
    while (!over && !HasFatalFailure()) take();
    EXPECT_EQ(sorted(lines_of(pieces)), sorted(loaded_lines(folder)));
    EXPECT_TRUE(pieces[0].chunk->has_header);
    EXPECT_TRUE(pieces[0].chunk->columns);
    if (HasFailure()) return;
  }
}

TEST(RecordingInput, ARunThatWasKilledGivesWhatTheFolderGives) {
  for (const std::uint64_t seed : effort::seeds(1, 30)) {
    testing::Scratch scratch;
    Clients clients(scratch / "run", 3, seed);
    for (std::uint64_t i = 0; i < 25 + seed % 30 * 5; ++i) clients.step();
    fs::copy(scratch / "run", scratch / "killed");  // with the zeros behind the last record, and without the locks
    auto input = follow_recording(scratch / "killed", {}, {});
    ASSERT_TRUE(input);
    Heard heard;
    heard.listen(**input);
    EXPECT_EQ(heard.error, "");
    EXPECT_TRUE(heard.over);
    EXPECT_EQ(sorted(lines_of(heard.pieces)), sorted(loaded_lines(scratch / "killed")));
  }
}

TEST(RecordingInput, ALongRecordingIsReadInPieces) {
  testing::Scratch scratch;
  Clients clients(scratch / "run", 4, 5);
  for (int i = 0; i < 30000; ++i) clients.step();
  clients.end();
  InputOptions options;
  options.piece_bytes = 1;  // as little as it can: a share of each journal
  auto input = follow_recording(scratch / "run", {}, options);
  ASSERT_TRUE(input);
  Promises promises;
  std::vector<Piece> pieces;
  for (bool over = false; !over;) {
    auto next = (*input)->next(std::chrono::milliseconds(0));
    ASSERT_TRUE(next);
    promises.check(*next);
    over = next->over;
    if (next->piece) pieces.push_back(*std::move(next->piece));
  }
  EXPECT_GT(pieces.size(), 5U);
  EXPECT_EQ(sorted(lines_of(pieces)), sorted(loaded_lines(scratch / "run")));
}

TEST(RecordingInput, ARestartRepeatsTheOrderFromAnyPosition) {
  for (const std::uint64_t seed : effort::seeds(1, 10)) {
    testing::Scratch scratch;
    const std::string folder = scratch / "run";
    Clients clients(folder, 3, seed);
    InputOptions options;
    options.spool_folder = scratch / "spool";
    std::vector<Piece> pieces;
    bool over = false;
    {
      auto input = follow_recording(folder, [&] { return clients.now(); }, options);
      ASSERT_TRUE(input);
      const auto take = [&] {
        auto next = (*input)->next(std::chrono::milliseconds(0));
        ASSERT_TRUE(next);
        over = next->over;
        if (next->piece) pieces.push_back(*std::move(next->piece));
      };
      for (int i = 0; i < 200; ++i) {
        clients.step();
        if (i % 7 == 0) take();
      }
      if (seed % 2 == 0) {  // half of the time the run is over before the restart
        clients.end();
        while (!over) take();
      }
    }
    const auto before = lines_of(pieces);
    clients.end();
    for (std::size_t i = 0; i < pieces.size(); i += 3) {
      InputOptions again = options;
      again.resume = pieces[i].position;
      if (seed % 2 == 1) {
        fs::remove_all(scratch / "spool2");
        fs::copy(scratch / "spool", scratch / "spool2");
        again.spool_folder = scratch / "spool2";
      }
      auto input = follow_recording(folder, {}, again);
      ASSERT_TRUE(input) << input.error().message();
      Heard heard;
      heard.listen(**input);
      EXPECT_EQ(heard.error, "");
      const auto after = lines_of(heard.pieces);
      const std::vector<Piece> first(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      auto all = lines_of(first);
      all.insert(all.end(), after.begin(), after.end());
      ASSERT_GE(all.size(), before.size());
      EXPECT_TRUE(std::equal(before.begin(), before.end(), all.begin())) << "in the same order";
      EXPECT_EQ(sorted(all), sorted(loaded_lines(folder)));
    }
  }
}

TEST(RecordingInput, FollowersOfClientsAtWorkAreNeverToldTooMuch) {
  testing::Scratch scratch;
  const std::string folder = scratch / "run";
  make_recording(folder);
  constexpr int kClients = 4;
  std::vector<std::optional<Journal>> journals;
  for (int i = 0; i < kClients; ++i) {
    journals.emplace_back(*Journal::create(fmt::format("{}/session-{}.journal", folder, i)));
    journals.back()->session(i);
  }
  const auto zero = std::chrono::steady_clock::now();
  const auto clock = [zero] { return std::int64_t{(std::chrono::steady_clock::now() - zero).count()}; };
  auto input = follow_recording(folder, clock, {});
  ASSERT_TRUE(input);
  std::vector<std::thread> threads;
  threads.reserve(kClients);
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      Journal& j = *journals[static_cast<std::size_t>(i)];
      for (int n = 0; n < 2000; ++n) {
        j.about_to_begin();
        j.begin(n * kClients + i, clock());
        j.intent(fmt::format("[\"w\",{},{}", n % 5, n), clock());
        j.done(clock());
        j.commit(clock());
        j.end(Status::kCommitted, clock());
        if (n % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      journals[static_cast<std::size_t>(i)].reset();
    });
  }
  Promises promises;
  std::uint64_t transactions = 0;
  for (bool over = false; !over && !HasFatalFailure();) {
    const auto next = (*input)->next(std::chrono::milliseconds(1));
    ASSERT_TRUE(next) << next.error().message();
    promises.check(*next);
    if (next->piece) transactions += next->piece->chunk->history.txn_count();
    over = next->over;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(transactions, std::uint64_t{kClients * 2000});
}

TEST(RecordingInput, WhatIsNoRecordingIsRefused) {
  testing::Scratch scratch;
  EXPECT_FALSE(follow_recording(scratch / "absent", {}, {}));
  EXPECT_FALSE(follow_recording(scratch.path, {}, {}));
  std::ofstream(scratch / "header.jsonl") << "{\"isolde\":1}\n";
  EXPECT_FALSE(follow_recording(scratch.path, {}, {}));
}

TEST(RecordingInput, AWrongRecordIsAnErrorWithItsPlace) {
  testing::Scratch scratch;
  make_recording(scratch / "run");
  std::ofstream(scratch / "run/session-1.journal") << "s 1\nb 1 10\nc 11\ne committed 12\nb 2 13\nx 1\ne aborted 14\n";
  auto input = follow_recording(scratch / "run", {}, {});
  ASSERT_TRUE(input);
  Heard heard;
  heard.listen(**input);
  EXPECT_NE(heard.error.find("session-1.journal:6:"), std::string::npos) << heard.error;
}

TEST(RecordingInput, RecordsAfterAGapAreAnError) {
  testing::Scratch scratch;
  make_recording(scratch / "run");
  std::ofstream(scratch / "run/session-1.journal", std::ios::binary) << "s 1\nb 1 10\nc 11\ne committed 12\n"
                                                                     << std::string(100, '\0') << "b 2 13\n";
  auto input = follow_recording(scratch / "run", {}, {});
  ASSERT_TRUE(input);
  Heard heard;
  heard.listen(**input);
  EXPECT_NE(heard.error.find("damaged"), std::string::npos) << heard.error;
}

}  // namespace recording_input_test
}  // namespace isolde::stream
