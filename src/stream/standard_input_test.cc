#include "stream/standard_input.h"

#include <gtest/gtest.h>

#include <thread>

#include "stream/testing.h"

namespace isolde::stream {
namespace standard_input_test {

using testing::expected_writes;
using testing::Heard;
using testing::line;
using testing::lines;
using testing::writes_of;

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~Pipe() {
    ::close(ends[0]);
    close();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(ends[1], text.data(), text.size());
      ASSERT_GT(written, 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  int ends[2] = {-1, -1};
};

std::unique_ptr<Input> open(const Pipe& pipe, const InputOptions& options = {}) {
  auto input = open_pipe(pipe.ends[0], "standard input", options);
  EXPECT_TRUE(input) << input.error().message();
  return input ? *std::move(input) : nullptr;
}

// A pipe whose clock the test sets, in milliseconds.
struct TimedPipe {
  TimedPipe() {
    InputOptions options;
    options.clock = [this] { return std::chrono::steady_clock::time_point(std::chrono::milliseconds(now)); };
    input = open(pipe, options);
  }
  // "came/drained" of the next item, behind what was written in it.
  std::string next() {
    const auto next = input->next(std::chrono::milliseconds(0));
    if (!next) return next.error().message();
    std::vector<std::string> writes;
    if (next->piece) testing::append_writes(*next->piece->chunk, writes);
    return fmt::format("{} {}/{}", fmt::join(writes, " "), next->came / std::chrono::milliseconds(1),
                       next->drained / std::chrono::milliseconds(1));
  }
  Pipe pipe;
  int now = 0;
  std::unique_ptr<Input> input;
};

TEST(StandardInput, TimeCountsWhileThePipeIsEmptyAndNotWhileItIsUnread) {
  TimedPipe p;
  p.pipe.write(line(1, 1));
  EXPECT_EQ(p.next(), "1:1 0/0");
  p.now = 600;
  EXPECT_EQ(p.next(), " 600/600");
  p.pipe.write(line(1, 2));
  p.now = 3'100;  // it got no processor
  EXPECT_EQ(p.next(), "1:2 3100/600") << "it had come by then, and only now it is taken";
  p.now = 3'200;
  EXPECT_EQ(p.next(), " 3200/3200");
}

TEST(StandardInput, AFullPipeStopsTheTime) {
  TimedPipe p;
  EXPECT_EQ(p.next(), " 0/0");
  const std::string many = lines(1, 1, 1000);
  ASSERT_GT(many.size(), std::size_t{16} << 10);
  p.pipe.write(many);
  p.now = 5'000;
  EXPECT_NE(p.next().find("1:1000 0/0"), std::string::npos);
}

TEST(StandardInput, APipeIsReadToItsEndAndALastLineNeedsNoNewline) {
  Pipe pipe;
  const auto input = open(pipe);
  std::thread writer([&] {
    pipe.write("{\"isolde\":1}\n" + lines(1, 1, 5000));
    pipe.write(line(1, 5001).substr(0, line(1, 5001).size() - 1));
    pipe.close();
  });
  Heard heard;
  heard.listen(*input);
  writer.join();
  EXPECT_EQ(heard.error, "");
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 5001));
}

TEST(StandardInput, NothingIsReadBeforeItIsAskedFor) {
  Pipe pipe;
  const auto input = open(pipe);
  pipe.write(lines(1, 1, 10));
  EXPECT_EQ(input->counts().bytes, 0U);
  Heard heard;
  heard.until_writes(*input, 10);
}

TEST(StandardInput, AHalfLineWaitsAndAStopEndsIt) {
  Pipe pipe;
  const auto input = open(pipe);
  pipe.write(line(1, 1) + "{\"ses");
  Heard heard;
  heard.until_writes(*input, 1);
  std::thread stopper([&] { input->stop(); });
  heard.listen(*input);
  stopper.join();
  EXPECT_TRUE(heard.over);
  EXPECT_EQ(heard.error, "");
}

TEST(StandardInput, WhatIsNoHistoryIsAnErrorWithItsLine) {
  Pipe pipe;
  const auto input = open(pipe);
  pipe.write(lines(1, 1, 3) + "nonsense\n");
  Heard heard;
  heard.listen(*input);
  EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, 1, 3));
  EXPECT_TRUE(heard.error.starts_with("standard input:4:1: expected a JSON object")) << heard.error;
}

TEST(StandardInput, AfterARestartTheSpoolComesFirst) {
  testing::Scratch folder;
  InputOptions options;
  options.spool_folder = folder / "spool";
  std::vector<Piece> pieces;
  {
    Pipe pipe;
    const auto input = open(pipe, options);
    Heard heard;
    for (int i = 0; i < 5; ++i) {
      pipe.write(lines(1, i * 10 + 1, i * 10 + 10));
      heard.until_writes(*input, static_cast<std::size_t>(i + 1) * 10);
    }
    pieces = heard.pieces;
  }
  ASSERT_EQ(pieces.size(), 5U);
  for (std::size_t i = 0; i <= pieces.size(); ++i) {
    InputOptions again = options;
    again.resume = i == 0 ? "" : pieces[i - 1].position;
    Pipe pipe;
    const auto input = open(pipe, again);
    Heard heard;
    heard.until_writes(*input, 50 - i * 10);
    EXPECT_EQ(writes_of(heard.pieces), expected_writes(1, static_cast<int>(i) * 10 + 1, 50));
    for (std::size_t j = 0; j < heard.pieces.size(); ++j) {
      EXPECT_EQ(heard.pieces[j].position, pieces[i + j].position);
      EXPECT_EQ(heard.pieces[j].chunk->id(TxnId{0}), pieces[i + j].chunk->id(TxnId{0}));
    }
  }
  InputOptions again = options;
  again.resume = pieces[4].position;
  Pipe pipe;
  const auto input = open(pipe, again);
  pipe.write(line(1, 51));
  Heard heard;
  heard.until_writes(*input, 1);
  EXPECT_EQ(heard.pieces[0].chunk->id(TxnId{0}), *exact_fingerprint(50)) << "numbers go on";
  input->covered(heard.pieces[0].position);
}

TEST(StandardInput, WithoutASpoolARestartGoesOnWithWhatComes) {
  std::string position;
  {
    Pipe pipe;
    const auto input = open(pipe);
    pipe.write("{\"isolde\":1,\"initial\":3}\n" + lines(1, 1, 7));
    Heard heard;
    heard.until_writes(*input, 7);
    position = heard.pieces.back().position;
  }
  Pipe pipe;
  InputOptions options;
  options.resume = position;
  const auto input = open(pipe, options);
  pipe.write("{\"isolde\":1,\"initial\":3}\n" + line(1, 8));
  Heard heard;
  heard.until_writes(*input, 1);
  EXPECT_EQ(heard.pieces[0].chunk->id(TxnId{0}), *exact_fingerprint(7));
  EXPECT_FALSE(heard.pieces[0].chunk->has_header);
}

TEST(StandardInput, AForeignPositionIsRefused) {
  testing::Scratch folder;
  Pipe pipe;
  for (const char* const position : {"file 1 2 3 1 4 5", "spool", "spool x", "spool 99999", "live 1 2", "\xff"}) {
    InputOptions options;
    options.resume = position;
    EXPECT_FALSE(open_pipe(pipe.ends[0], "standard input", options)) << position;
    options.spool_folder = folder / "spool";
    EXPECT_FALSE(open_pipe(pipe.ends[0], "standard input", options)) << position;
  }
}

}  // namespace standard_input_test
}  // namespace isolde::stream
