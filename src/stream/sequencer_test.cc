#include "stream/sequencer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/rng.h"
#include "format/native_chunks.h"
#include "tests/support/effort.h"

namespace isolde::stream {
namespace sequencer_test {

constexpr std::int64_t kSecond = 1'000'000'000;

std::string txn(int id, int session, std::int64_t begin) {
  return fmt::format("{{\"id\":{},\"session\":{},\"ops\":[[\"w\",\"x\",{}]],\"begin\":{},\"end\":{}}}\n", id, session,
                     id, begin, begin + 1);
}
std::string untimed(int id, int session) {
  return fmt::format("{{\"id\":{},\"session\":{},\"ops\":[[\"w\",\"x\",{}]]}}\n", id, session, id);
}
std::string beat(int session, std::int64_t time) {
  return fmt::format("{{\"session\":{},\"heartbeat\":{}}}\n", session, time);
}
Fingerprint print(std::int64_t session) { return *exact_fingerprint(session); }

std::shared_ptr<const Chunk> chunk(const std::string& lines) {
  ChunkReader reader("test");
  auto read = reader.read(lines);
  if (!read) ADD_FAILURE() << read.error().text;
  return *std::move(read);
}

// "7 late:8"
std::string dispatched(Sequencer& sequencer) {
  std::string text;
  sequencer.dispatch([&](const Arrival& arrival) {
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", arrival.late ? "late:" : "",
                        arrival.history().txn_text(arrival.txn));
  });
  return text;
}

TEST(Sequencer, TransactionsOfAllSessionsComeInOrderOfBegin) {
  Sequencer sequencer;
  sequencer.add(chunk(txn(1, 1, 10) + txn(2, 1, 30) + txn(3, 2, 20) + txn(4, 2, 40)), 0);
  EXPECT_EQ(dispatched(sequencer), "1 3 2");
  EXPECT_EQ(sequencer.held().transactions, 1);
  EXPECT_GT(sequencer.held().bytes, 0);
  const StreamTime time = sequencer.time(0);
  EXPECT_EQ(time.watermark, 30);
  EXPECT_TRUE(time.complete);
  sequencer.add(chunk(txn(5, 1, 50)), 1);
  EXPECT_EQ(dispatched(sequencer), "4");
  EXPECT_EQ(sequencer.oldest_needed(), 1);
  sequencer.close_all();
  EXPECT_EQ(dispatched(sequencer), "5");
  EXPECT_EQ(sequencer.oldest_needed(), 2);
  EXPECT_EQ(sequencer.held().bytes, 0);
  EXPECT_EQ(sequencer.counts().delivered, 5);
  EXPECT_EQ(sequencer.counts().late, 0);
}

TEST(Sequencer, AHeartbeatLetsTheOthersGoOn) {
  Sequencer sequencer;
  sequencer.add(chunk(beat(2, 5) + txn(1, 1, 10)), 0);
  EXPECT_EQ(dispatched(sequencer), "");  // session 2 was heard of
  sequencer.add(chunk(beat(2, 11)), 0);
  EXPECT_EQ(dispatched(sequencer), "1");
  EXPECT_EQ(sequencer.oldest_needed(), 2);
}

TEST(Sequencer, WhoIsGoneHoldsNobodyBack) {
  Sequencer sequencer;
  sequencer.add(chunk(txn(1, 1, 10) + txn(2, 2, 20) + txn(3, 1, 30)), 0);
  EXPECT_EQ(dispatched(sequencer), "1 2");
  sequencer.gone(print(2));
  sequencer.gone(print(77));  // never heard of
  EXPECT_EQ(dispatched(sequencer), "3");
  sequencer.add(chunk(txn(4, 2, 25) + txn(5, 2, 40)), 0);
  EXPECT_EQ(dispatched(sequencer), "late:4");  // a session of that name is back
  sequencer.add(chunk(txn(6, 1, 41)), 0);
  EXPECT_EQ(dispatched(sequencer), "5");
}

TEST(Sequencer, ASilentSessionIsNamedAndWhatItSendsLaterIsLate) {
  Sequencer sequencer({.silence = 10 * kSecond});
  sequencer.add(chunk(txn(1, 1, 10) + txn(2, 2, 9) + txn(3, 2, 30)), 0);
  EXPECT_EQ(dispatched(sequencer), "2 1");
  sequencer.advance(10 * kSecond);
  EXPECT_EQ(dispatched(sequencer), "3");
  EXPECT_EQ(sequencer.missing(), std::vector<std::string>{"1"});
  EXPECT_FALSE(sequencer.time(10 * kSecond).complete);
  EXPECT_EQ(sequencer.notices(),
            std::vector<std::string>{"session 1 sent nothing for 10 s: it is no longer waited for"});
  sequencer.add(chunk(txn(4, 1, 12)), 11 * kSecond);
  EXPECT_EQ(dispatched(sequencer), "late:4");
  sequencer.add(chunk(txn(5, 1, 50) + txn(6, 2, 51)), 12 * kSecond);
  EXPECT_EQ(dispatched(sequencer), "5");
  EXPECT_TRUE(sequencer.time(12 * kSecond).complete);
  EXPECT_EQ(sequencer.notices(), std::vector<std::string>{"session 1 is back in order"});
}

TEST(Sequencer, SessionsThatStandOneAfterAnotherInAFileAreInOrderIfAllIsHeld) {
  Sequencer sequencer({.hold = kEver});
  for (int s = 0; s < 5; ++s) {
    sequencer.add(chunk(txn(s, s, 10 - s) + txn(10 + s, s, 20 + s)), s * kSecond * 100);
    EXPECT_EQ(dispatched(sequencer), "");
  }
  sequencer.close_all();
  EXPECT_EQ(dispatched(sequencer), "4 3 2 1 0 10 11 12 13 14");
}

TEST(Sequencer, WhatIsHeldForEverGoesOutInOrderWhenThereIsTooMuch) {
  Sequencer sequencer({.hold = kEver, .max_bytes = 20'000});
  std::size_t most = 0, out = 0;
  std::int64_t last = 0;
  const auto take = [&](const Arrival& arrival) {
    EXPECT_FALSE(arrival.late);
    EXPECT_LE(last, arrival.history().begin(arrival.txn));
    last = arrival.history().begin(arrival.txn);
    ++out;
  };
  for (int i = 0; i < 500; ++i) {
    sequencer.add(chunk(txn(2 * i, 1, 10 * i) + txn(2 * i + 1, 2, 10 * i + 5)), i);
    sequencer.dispatch(take);
    most = std::max(most, sequencer.held().bytes);
  }
  EXPECT_LT(most, 21'000);
  EXPECT_GT(out, 900);
  sequencer.close_all();
  sequencer.dispatch(take);
  EXPECT_EQ(out, 1000);
}

TEST(Sequencer, TransactionsWithoutBeginComeInTheirSessionsOrderAndAreNotLate) {
  Sequencer sequencer;
  sequencer.add(chunk(txn(1, 1, 10) + txn(2, 1, 20) + untimed(3, 2) + untimed(4, 2) + txn(5, 3, 5) + untimed(6, 3)), 0);
  const std::string out = dispatched(sequencer);
  EXPECT_EQ(out, "3 4 5 6 1 2");
  EXPECT_EQ(sequencer.counts().late, 0);
  EXPECT_TRUE(sequencer.time(0).complete);
}

TEST(Sequencer, MemoryStaysNearItsLimitAndWhoHoldsItIsNamed) {
  Sequencer sequencer({.max_bytes = 100'000});
  sequencer.add(chunk(txn(0, 1, 1) + txn(1, 2, 2)), 0);
  std::size_t most = 0;
  int id = 2;
  for (int piece = 0; piece < 1000; ++piece) {
    std::string lines;
    for (int i = 0; i < 20; ++i, ++id) lines += txn(id, 2 + i % 2, 10 + id);
    const auto next = chunk(lines);
    sequencer.add(next, piece);
    dispatched(sequencer);
    most = std::max(most, sequencer.held().bytes);
  }
  EXPECT_LT(most, 110'000);
  EXPECT_EQ(sequencer.counts().for_room, 1);
  EXPECT_EQ(sequencer.counts().late, 0);
  EXPECT_EQ(sequencer.missing(), std::vector<std::string>{"1"});
  ASSERT_EQ(sequencer.notices().size(), 1);
}

TEST(Sequencer, ASessionWhoseClockIsAheadDoesNotFillTheMemory) {
  Sequencer sequencer({.max_bytes = 100'000});
  std::size_t most = 0, late_of_others = 0;
  int id = 0;
  for (int piece = 0; piece < 1000; ++piece) {
    std::string lines;
    for (int i = 0; i < 20; ++i, ++id) lines += txn(id, 1 + i % 3, 10 + id + (i % 3 == 2 ? 1'000'000 : 0));
    sequencer.add(chunk(lines), piece);
    sequencer.dispatch([&](const Arrival& arrival) {
      late_of_others += arrival.late && arrival.history().begin(arrival.txn) < 1'000'000 ? 1 : 0;
    });
    most = std::max(most, sequencer.held().bytes);
  }
  EXPECT_LT(most, 110'000);
  EXPECT_EQ(late_of_others, 0);
  EXPECT_TRUE(sequencer.missing().empty());
}

TEST(Sequencer, TooManySessionsAreForgottenAndTheStreamIsNeverCompleteAgain) {
  Sequencer sequencer({.max_sessions = 100});
  int delivered = 0;
  for (int s = 0; s < 1000; ++s) {
    sequencer.add(chunk(txn(s, s, 10 + s)), s);
    sequencer.dispatch([&](const Arrival& arrival) {
      EXPECT_FALSE(arrival.late);
      ++delivered;
    });
  }
  EXPECT_GT(sequencer.counts().forgotten, 890);
  EXPECT_FALSE(sequencer.time(1000).complete);
  sequencer.close_all();
  sequencer.dispatch([&](const Arrival&) { ++delivered; });
  EXPECT_EQ(delivered, 1000);
}

TEST(Sequencer, AStateThatIsNoneIsRefused) {
  StateReader empty{std::string()};
  EXPECT_FALSE(Sequencer().load(empty));
  Sequencer sequencer;
  sequencer.add(chunk(txn(1, 1, 10) + txn(2, 2, 20)), 0);
  StateWriter out;
  sequencer.save(out);
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    StateReader cut(out.bytes().substr(0, size));
    EXPECT_FALSE(Sequencer().load(cut)) << size;
  }
  StateReader whole(out.bytes());
  Sequencer other;
  EXPECT_TRUE(other.load(whole));
  EXPECT_TRUE(whole.at_end());
}

// A stream as a list of lines, with what each is. Sessions run at random speed, some leave, some send heartbeats.
struct Stream {
  std::vector<std::string> lines;
  std::vector<std::pair<std::size_t, Fingerprint>> gone;  // after so many lines
  std::vector<int> ids;                                   // of its transactions, ascending
};
Stream random_stream(Rng& rng) {
  Stream stream;
  const std::size_t sessions = 1 + rng.below(6);
  std::vector<std::int64_t> clock(sessions, 0);
  const std::size_t count = 20 + rng.below(80);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t s = rng.below(sessions);
    clock[s] = std::max(clock[s], static_cast<std::int64_t>(i) - 10) + rng.between(0, 6);
    const auto session = static_cast<int>(s);
    if (rng.chance(0.1)) {
      stream.lines.push_back(beat(session, clock[s]));
      continue;
    }
    stream.ids.push_back(static_cast<int>(i));
    if (rng.chance(0.05)) {
      stream.lines.push_back(untimed(static_cast<int>(i), session));
    } else {
      stream.lines.push_back(txn(static_cast<int>(i), session, clock[s] - (rng.chance(0.05) ? 5 : 0)));
    }
    if (rng.chance(0.02)) stream.gone.emplace_back(stream.lines.size(), print(session));
  }
  return stream;
}

// kill -9 at random moments, with silence, little room and newcomers: what was delivered before the checkpoint and
// after it is each transaction once, each session in its order, and what is said to be in order is.
TEST(SequencerProperty, ARestartFromACheckpointDeliversEachTransactionOnce) {
  struct Output {
    std::vector<int> ids;
    std::map<std::uint64_t, int> last;  // id, by session
    std::int64_t floor = kNoTime;
  };
  for (const std::uint64_t seed : effort::seeds(0, 1'500)) {
    Rng rng(seed);
    const Stream stream = random_stream(rng);
    SequencerOptions options{.silence = rng.chance(0.5) ? 0 : rng.between(1, 40),
                             .hold = rng.chance(0.8) ? 0 : rng.between(1, 20)};
    if (rng.chance(0.3)) options.max_bytes = 3000;
    Output output, saved_output;
    auto sequencer = std::make_unique<Sequencer>(options);
    const auto dispatch = [&] {
      sequencer->dispatch([&](const Arrival& arrival) {
        const int id = std::stoi(arrival.history().txn_text(arrival.txn));
        const std::int64_t begin = arrival.history().begin(arrival.txn);
        const auto [last, first] = output.last.emplace(raw64(arrival.chunk->session(arrival.txn)), id);
        if (!first) {
          ASSERT_LT(std::exchange(last->second, id), id) << "seed " << seed;
        }
        if (!arrival.late && begin != kNoTime) {
          ASSERT_LE(std::exchange(output.floor, begin), begin) << "seed " << seed;
        }
        output.ids.push_back(id);
      });
    };
    StateWriter saved;
    std::size_t saved_line = 0, saved_gone = 0;  // where the input goes on after a restart
    sequencer->save(saved);
    std::vector<std::size_t> after{0};  // piece i ends before line after[i + 1]
    std::size_t restarts = 0, told_gone = 0;
    std::int64_t now = 0;
    for (std::size_t line = 0; line < stream.lines.size();) {
      std::string piece;
      for (std::uint64_t n = 1 + rng.below(6); n > 0 && line < stream.lines.size(); --n) piece += stream.lines[line++];
      now += rng.between(0, 5);
      sequencer->add(chunk(piece), now);
      after.resize(sequencer->pieces());
      after.push_back(line);
      while (told_gone < stream.gone.size() && stream.gone[told_gone].first <= line) {
        sequencer->gone(stream.gone[told_gone++].second);
      }
      if (rng.chance(0.8)) dispatch();
      if (rng.chance(0.5)) {
        const StreamTime time = sequencer->time(now);
        ASSERT_EQ(time.complete, sequencer->missing().empty());
        ASSERT_GE(time.watermark, output.floor) << "seed " << seed;
        output.floor = time.watermark;
      }
      if (rng.chance(0.3)) {
        saved = StateWriter();
        sequencer->save(saved);
        saved_output = output;
        saved_line = after[sequencer->oldest_needed()];
        saved_gone = told_gone;
      }
      if (rng.chance(0.15) && ++restarts < 6) {  // killed: what was done since the checkpoint is lost
        sequencer = std::make_unique<Sequencer>(options);
        StateReader in(saved.bytes());
        ASSERT_TRUE(sequencer->load(in)) << "seed " << seed;
        ASSERT_TRUE(in.at_end());
        output = saved_output;
        line = saved_line;
        told_gone = saved_gone;
      }
    }
    sequencer->close_all();
    dispatch();
    ASSERT_EQ(sequencer->held().transactions, 0);
    ASSERT_EQ(sequencer->held().bytes, 0);
    ASSERT_EQ(sequencer->oldest_needed(), sequencer->pieces());
    std::sort(output.ids.begin(), output.ids.end());
    ASSERT_EQ(output.ids, stream.ids) << "seed " << seed;
    const SequencerCounts counts = sequencer->counts();
    ASSERT_EQ(counts.delivered, stream.ids.size()) << "seed " << seed;
  }
}

// The same, where nothing is late: then the order is the one of (begin, session), whatever happened.
TEST(SequencerProperty, HoweverAStreamIsCutAndRestartedTheOrderIsTheSame) {
  for (const std::uint64_t seed : effort::seeds(0, 1'000)) {
    Rng rng(seed);
    const int sessions = 1 + static_cast<int>(rng.below(6));
    std::vector<std::string> lines;
    std::vector<std::tuple<std::int64_t, std::uint64_t, int>> all;
    for (int s = 0; s < sessions; ++s) lines.push_back(beat(s, 0));  // nobody is new later
    std::vector<std::int64_t> clock(static_cast<std::size_t>(sessions), 0);
    for (int id = 0; id < 100; ++id) {
      const int s = static_cast<int>(rng.below(static_cast<std::uint64_t>(sessions)));
      std::int64_t& at = clock[static_cast<std::size_t>(s)];
      at += rng.between(0, 5);
      if (rng.chance(0.2)) lines.push_back(beat(s, at));
      lines.push_back(txn(id, s, at));
      all.emplace_back(at, raw64(print(s)), id);
    }
    std::sort(all.begin(), all.end());
    std::vector<int> output;
    auto sequencer = std::make_unique<Sequencer>();
    const auto dispatch = [&] {
      sequencer->dispatch([&](const Arrival& arrival) {
        ASSERT_FALSE(arrival.late) << "seed " << seed;
        output.push_back(std::stoi(arrival.history().txn_text(arrival.txn)));
      });
    };
    std::vector<std::size_t> after{0};  // line after piece i - 1; numbers of pieces go on after a restart
    for (std::size_t line = 0; line < lines.size();) {
      std::string piece;
      for (std::uint64_t n = 1 + rng.below(9); n > 0 && line < lines.size(); --n) piece += lines[line++];
      sequencer->add(chunk(piece), 0);
      after.resize(sequencer->pieces());
      after.push_back(line);
      dispatch();
      ASSERT_EQ(after.size(), sequencer->pieces() + 1);
      if (rng.chance(0.2)) {
        StateWriter saved;
        sequencer->save(saved);
        line = after[sequencer->oldest_needed()];
        sequencer = std::make_unique<Sequencer>();
        StateReader in(saved.bytes());
        ASSERT_TRUE(sequencer->load(in));
      }
    }
    sequencer->close_all();
    dispatch();
    ASSERT_EQ(output.size(), all.size()) << "seed " << seed;
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(output[i], std::get<2>(all[i])) << "seed " << seed;
  }
}

}  // namespace sequencer_test
}  // namespace isolde::stream
