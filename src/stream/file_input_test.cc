#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "stream/testing.h"

namespace isolde::stream {
namespace file_input_test {

using testing::expected_writes;
using testing::Heard;
using testing::line;
using testing::lines;
using testing::writes_of;

void append(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

std::unique_ptr<Input> open(const std::string& path, bool follow, InputOptions options = {}) {
  auto input = open_file(path, follow, std::move(options));
  EXPECT_TRUE(input) << input.error().message();
  return input ? *std::move(input) : nullptr;
}

TEST(FileInput, AFileIsReadInPiecesToItsEnd) {
  testing::Scratch folder;
  append(folder / "h", "{\"isolde\":1,\"initial\":0}\n" + lines(1, 1, 1000));
  Heard heard;
  InputOptions options;
  options.piece_bytes = 1000;
  const auto input = open(folder / "h", false, options);
  heard.listen(*input);
  EXPECT_EQ(heard.error, "");
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 1000));
  EXPECT_GT(heard.pieces.size(), 20U);
  EXPECT_TRUE(heard.pieces[0].chunk->has_header);
  EXPECT_FALSE(heard.pieces[1].chunk->has_header);
  EXPECT_EQ(input->counts().transactions, 1000U);
  EXPECT_EQ(input->counts().pieces, heard.pieces.size());
}

// "came/drained" of the next item, in milliseconds, behind how many were written in it.
std::string timed(Input& input) {
  const auto next = input.next(std::chrono::milliseconds(0));
  if (!next) return next.error().message();
  std::vector<std::string> writes;
  if (next->piece) testing::append_writes(*next->piece->chunk, writes);
  return fmt::format("{} {}/{}", writes.size(), next->came / std::chrono::milliseconds(1),
                     next->drained / std::chrono::milliseconds(1));
}

TEST(FileInput, AFollowedFilesTimeIsWhenItWasReadToWhereItEndedThen) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 11, 20));
  int now = 100;
  InputOptions options;
  options.piece_bytes = lines(1, 11, 15).size();
  options.clock = [&] { return std::chrono::steady_clock::time_point(std::chrono::milliseconds(now)); };
  const auto input = open(folder / "h", true, options);
  EXPECT_EQ(timed(*input), "5 0/0") << "the rest is still to be read";
  append(folder / "h", lines(1, 21, 22));
  now = 300;
  EXPECT_EQ(timed(*input), "5 200/0");
  now = 500;
  EXPECT_EQ(timed(*input), "2 400/0") << "what was there at first is read only by now";
  now = 600;
  EXPECT_EQ(timed(*input), "0 500/500");
}

TEST(FileInput, AFileThatIsNotFollowedHasNoTime) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 11, 20));
  InputOptions options;
  options.piece_bytes = lines(1, 11, 15).size();
  const auto input = open(folder / "h", false, options);
  EXPECT_EQ(timed(*input), "5 0/0");
  EXPECT_EQ(timed(*input), "5 0/0");
}

TEST(FileInput, ALastLineWithoutNewlineIsALine) {
  testing::Scratch folder;
  std::string text = lines(1, 1, 3);
  text.pop_back();
  append(folder / "h", text);
  Heard heard;
  heard.listen(*open(folder / "h", false));
  EXPECT_EQ(heard.error, "");
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 3));
}

TEST(FileInput, AnyPositionIsGoodForGoingOn) {
  testing::Scratch folder;
  append(folder / "h", "{\"isolde\":1}\n" + lines(1, 1, 200));
  InputOptions options;
  options.piece_bytes = 500;
  Heard whole;
  whole.listen(*open(folder / "h", false, options));
  for (std::size_t i = 0; i < whole.pieces.size(); ++i) {
    InputOptions rest = options;
    rest.resume = whole.pieces[i].position;
    Heard after;
    after.listen(*open(folder / "h", false, rest));
    ASSERT_EQ(after.error, "");
    const std::vector<Piece> first(whole.pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, whole.pieces.end());
    EXPECT_EQ(writes_of(after.pieces), writes_of(first));
    if (first.empty()) continue;
    EXPECT_EQ(after.pieces[0].chunk->first_line, first[0].chunk->first_line);
    EXPECT_EQ(after.pieces[0].chunk->id(TxnId{0}), first[0].chunk->id(TxnId{0}));
    EXPECT_EQ(after.pieces.back().position, whole.pieces.back().position);
  }
}

TEST(FileInput, AHalfLineWaitsForItsRest) {
  testing::Scratch folder;
  const std::string text = line(1, 1);
  append(folder / "h", lines(1, 1, 1) + text.substr(0, 10));
  const auto input = open(folder / "h", true);
  Heard heard;
  heard.until_writes(*input, 1);
  const auto nothing = input->next(std::chrono::milliseconds(0));
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->piece);
  EXPECT_FALSE(nothing->over);
  append(folder / "h", line(1, 2).substr(10));
  heard.until_writes(*input, 2);
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 2));
}

TEST(FileInput, AFileIsFollowedUntilItIsStopped) {
  testing::Scratch folder;
  append(folder / "h", "");
  const auto input = open(folder / "h", true);
  std::thread writer([&] {
    for (int i = 1; i <= 50; ++i) append(folder / "h", line(1, i));
  });
  Heard heard;
  heard.until_writes(*input, 50);
  writer.join();
  std::thread stopper([&] { input->stop(); });
  heard.listen(*input);
  stopper.join();
  EXPECT_TRUE(heard.over);
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 50));
}

TEST(FileInput, AFileThatShrinksIsAnError) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 1, 10));
  const auto input = open(folder / "h", true);
  Heard heard;
  heard.until_writes(*input, 10);
  std::filesystem::resize_file(folder / "h", 20);
  heard.listen(*input);
  EXPECT_NE(heard.error.find("has shrunk"), std::string::npos) << heard.error;
}

TEST(FileInput, AFileThatIsReplacedIsAnError) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 1, 10));
  const auto input = open(folder / "h", true);
  Heard heard;
  heard.until_writes(*input, 10);
  append(folder / "other", lines(1, 1, 20));
  std::filesystem::rename(folder / "other", folder / "h");
  heard.listen(*input);
  EXPECT_NE(heard.error.find("was replaced"), std::string::npos) << heard.error;
}

TEST(FileInput, AFileThatIsWrittenAnewIsAnError) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 1, 10));
  const auto input = open(folder / "h", true);
  Heard heard;
  heard.until_writes(*input, 10);
  std::ofstream(folder / "h", std::ios::binary) << lines(2, 51, 99);
  heard.listen(*input);
  EXPECT_NE(heard.error.find("is not the file that it was"), std::string::npos) << heard.error;
  InputOptions options;
  options.resume = heard.pieces.back().position;
  EXPECT_FALSE(open_file(folder / "h", false, options));
}

TEST(FileInput, LinesBeforeAWrongOneAreUsedHoweverThePiecesFall) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 1, 20) + "{\"session\":1}\n" + lines(1, 21, 30));
  for (const std::size_t bytes : {1, 10, 100, 10000}) {
    InputOptions options;
    options.piece_bytes = bytes;
    Heard heard;
    heard.listen(*open(folder / "h", false, options));
    EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 20));
    EXPECT_NE(heard.error.find(":21:"), std::string::npos) << heard.error;
  }
}

TEST(FileInput, AnOverlongLineIsAnError) {
  testing::Scratch folder;
  append(folder / "h", lines(1, 1, 2) + std::string(5000, ' ') + line(1, 3) + line(1, 4));
  for (const std::size_t bytes : {100, 100000}) {
    InputOptions options;
    options.max_line = 1000;
    options.piece_bytes = bytes;
    Heard heard;
    heard.listen(*open(folder / "h", false, options));
    EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 2));
    EXPECT_NE(heard.error.find("longer than 1000 bytes"), std::string::npos) << heard.error;
    EXPECT_NE(heard.error.find(":3:"), std::string::npos) << heard.error;
  }
}

TEST(FileInput, WhatIsNoPlainFileIsRefused) {
  testing::Scratch folder;
  EXPECT_FALSE(open_file(folder.path, false, {}));
  EXPECT_FALSE(open_file(folder / "absent", true, {}));
  EXPECT_FALSE(open_file("/dev/null", true, {}));
}

}  // namespace file_input_test
}  // namespace isolde::stream
