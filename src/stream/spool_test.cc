#include "stream/spool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>

#include "base/rng.h"
#include "stream/testing.h"
#include "tests/support/effort.h"

namespace isolde::stream {
namespace spool_test {

namespace fs = std::filesystem;

SpoolRecord record_of(std::uint64_t number, std::size_t size = 50) {
  SpoolRecord record;
  record.first_line = number + 1;
  record.parts = {{0, 1}};
  record.first_txn = number;
  record.txns = 1;
  record.said_something = true;
  record.payload = fmt::format("{:06} ", number) + std::string(size, 'x');
  return record;
}

std::unique_ptr<Spool> open(const std::string& folder, std::uint64_t from = 0, std::size_t segment = 1000) {
  auto spool = Spool::open(folder, from, segment);
  EXPECT_TRUE(spool) << spool.error().message();
  return spool ? *std::move(spool) : nullptr;
}

std::vector<SpoolRecord> all_of(Spool& spool) {
  std::vector<SpoolRecord> all;
  for (;;) {
    auto record = spool.read_next();
    EXPECT_TRUE(record) << record.error().message();
    if (!record || !*record) return all;
    all.push_back(**record);
  }
}

std::size_t segments_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) count += entry.path().extension() == ".segment" ? 1 : 0;
  return count;
}

TEST(Spool, WhatWasAppendedIsReadBackFromAnyPlace) {
  testing::Scratch folder;
  std::vector<std::uint64_t> places;
  {
    const auto spool = open(folder.path);
    for (std::uint64_t i = 0; i < 100; ++i) places.push_back(*spool->append(record_of(i)));
    EXPECT_GT(segments_in(folder.path), 5U);
  }
  for (std::size_t from = 0; from < places.size(); from += 7) {
    const auto spool = open(folder.path, places[from]);
    const auto records = all_of(*spool);
    ASSERT_EQ(records.size(), 99 - from);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].payload, record_of(from + 1 + i).payload);
      EXPECT_EQ(records[i].end, places[from + 1 + i]);
    }
    EXPECT_EQ(spool->state().txns, 100U);
  }
}

TEST(Spool, WhatACheckpointCoversGoesAndTheStateStays) {
  testing::Scratch folder;
  std::uint64_t middle = 0;
  {
    const auto spool = open(folder.path);
    SpoolRecord name;
    name.kind = SpoolRecord::Kind::kSender;
    name.sender = 1;
    name.payload = "app";
    ASSERT_TRUE(spool->append(name));
    for (std::uint64_t i = 0; i < 100; ++i) {
      SpoolRecord record = record_of(i);
      record.parts = {{1, 1}, {0, 7}};
      const auto place = spool->append(record);
      if (i == 50) middle = *place;
    }
    const std::size_t before = segments_in(folder.path);
    spool->covered(middle);
    EXPECT_EQ(segments_in(folder.path), before) << "what was there at first was not read back yet";
    EXPECT_TRUE(all_of(*spool).empty());
    spool->covered(middle);
    EXPECT_LT(segments_in(folder.path), before);
  }
  EXPECT_FALSE(Spool::open(folder.path, 0, 1000)) << "its beginning is gone";
  const auto spool = open(folder.path, middle);
  EXPECT_EQ(all_of(*spool).size(), 49U);
  EXPECT_EQ(spool->state().senders.at("app").lines, 100U);
  EXPECT_EQ(spool->state().txns, 100U);
}

TEST(Spool, ARecordThatIsCutOffIsCutAway) {
  testing::Scratch folder;
  {
    const auto spool = open(folder.path, 0, 1 << 20);
    for (std::uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(spool->append(record_of(i)));
  }
  const fs::path segment = folder / "spool-00000000000000000000.segment";
  const auto whole = fs::file_size(segment);
  const auto record = text_of(record_of(0)).size();
  for (std::size_t cut = 1; cut <= 2 * record; cut += 3) {
    testing::Scratch copy;
    fs::copy(segment, copy / segment.filename().string());
    fs::resize_file(copy / segment.filename().string(), whole - cut);
    const auto spool = open(copy.path, 0, 1 << 20);
    const std::size_t left = (10 * record - cut) / record;
    EXPECT_EQ(all_of(*spool).size(), left);
    ASSERT_TRUE(spool->append(record_of(left)));
  }
}

TEST(Spool, DamageIsAnError) {
  testing::Scratch folder;
  {
    const auto spool = open(folder.path, 0, 1 << 20);
    for (std::uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(spool->append(record_of(i)));
  }
  const std::string path = folder / "spool-00000000000000000000.segment";
  for (std::size_t at = 0; at < fs::file_size(path); at += 41) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char was = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(was ^ 0x40));
    file.flush();
    EXPECT_FALSE(Spool::open(folder.path, 0, 1000)) << at;
    file.seekp(static_cast<std::streamoff>(at));
    file.put(was);
  }
  EXPECT_TRUE(Spool::open(folder.path, 0, 1000));
}

TEST(Spool, ASegmentThatIsMissingIsAnError) {
  testing::Scratch folder;
  {
    const auto spool = open(folder.path);
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(spool->append(record_of(i)));
  }
  std::vector<fs::path> segments;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    if (entry.path().extension() == ".segment") segments.push_back(entry.path());
  }
  std::sort(segments.begin(), segments.end());
  fs::remove(segments[2]);
  EXPECT_FALSE(Spool::open(folder.path, 0, 1000));
}

TEST(Spool, OneProgramAtATime) {
  testing::Scratch folder;
  const auto first = open(folder.path);
  const auto second = Spool::open(folder.path, 0, 1000);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message().find("another program"), std::string::npos);
}

TEST(Spool, ManyNamesAreRememberedAndThoseThatLeftGoFirst) {
  SpoolState state;
  const auto sender = [](std::uint32_t number, bool left) {
    SpoolRecord record;
    record.kind = SpoolRecord::Kind::kSender;
    record.sender = number;
    record.payload = "name " + std::to_string(number);
    record.lines = number;
    record.left = left;
    return record;
  };
  for (std::uint32_t i = 1; i <= SpoolState::kMostSenders; ++i) state.apply(sender(i, i == 7));
  EXPECT_TRUE(state.has_room_for("one more"));
  state.apply(sender(SpoolState::kMostSenders + 1, false));
  EXPECT_FALSE(state.senders.contains("name 7"));
  EXPECT_FALSE(state.has_room_for("one more"));
  EXPECT_TRUE(state.has_room_for("name 8"));
  SpoolState again;
  ASSERT_TRUE(again.parse(state.text()));
  EXPECT_EQ(again.senders.size(), state.senders.size());
  EXPECT_EQ(again.senders.at("name 9").lines, 9U);
  EXPECT_FALSE(again.parse(state.text().substr(1)));
}

// The child says after each record that it is kept, and is killed at some moment.
TEST(Spool, WhatWasKeptSurvivesKill) {
  testing::Scratch folder;
  const std::uint64_t rounds = effort::tries(25);
  Rng rng(effort::seed(7));
  std::uint64_t kept = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      auto spool = Spool::open(folder.path, 0, 20'000);
      if (!spool) ::_exit(3);
      std::uint64_t next = 0;
      for (;;) {
        auto record = (*spool)->read_next();
        if (!record) ::_exit(4);
        if (!*record) break;
        if ((*record)->payload.substr(0, 6) != fmt::format("{:06}", next)) ::_exit(5);
        ++next;
      }
      for (;; ++next) {
        if (!(*spool)->append(record_of(next, 50 + next % 5000))) ::_exit(6);
        const std::uint64_t now = next + 1;
        if (::write(pipe[1], &now, sizeof now) != sizeof now) ::_exit(7);
      }
    }
    ::close(pipe[1]);
    std::uint64_t told = 0;
    for (std::uint64_t wanted = 1 + rng.below(60); wanted > 0; --wanted) {
      if (::read(pipe[0], &told, sizeof told) != sizeof told) break;
      EXPECT_GE(told, kept);
      kept = told;
    }
    ::kill(child, SIGKILL);
    while (::read(pipe[0], &told, sizeof told) == sizeof told) kept = told;
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    ::close(pipe[0]);
  }
  const auto spool = open(folder.path, 0, 20'000);
  EXPECT_GE(all_of(*spool).size(), kept);
}

}  // namespace spool_test
}  // namespace isolde::stream
