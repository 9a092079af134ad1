// stream/schedule_testing.h: an input whose senders, kernel buffers and reader run on a clock of their own, by chance.
//
// Lines are sent at given moments, each on its connection, into a buffer that holds so much; a sender whose buffer is
// full waits, and so do the lines behind it. The reader looks now and then: mostly soon, sometimes after a pause that
// is longer than any deadline (SIGSTOP, a machine without a free processor), and takes a part of what is there, or all
// of it. It tells the time as the real inputs do, by an ArrivalClock. Nothing waits for a real clock: a stream of
// minutes takes as long as its lines take to be parsed.
//
// In, out: lines with moments, chance -> pieces with `came` and `drained`, as stream/input.h has them.
// Always:  the lines of a connection come in its order; the same chance gives the same pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "format/native_chunks.h"
#include "stream/arrival_clock.h"
#include "stream/input.h"

namespace isolde::stream::testing {

struct SentLine {
  std::int64_t at;  // nanoseconds
  std::string text;
};

struct Schedule {
  std::string header;                              // read first; may be empty
  std::vector<std::vector<SentLine>> connections;  // of each, by moment
  std::size_t capacity = 4096;                     // bytes that a connection's buffer holds; a longer line fits alone
  std::int64_t pace = 1'000'000;                   // about how long the reader takes from one look to the next
  std::int64_t longest_pause = 0;                  // how long it may be stopped
  double pauses = 0;                               // how often it is
};

class ScheduledInput final : public Input {
 public:
  ScheduledInput(Schedule schedule, std::uint64_t seed) : schedule_(std::move(schedule)), rng_(seed) {
    for (const auto& lines : schedule_.connections) {
      Connection& c = connections_.emplace_back();
      c.unsent.assign(lines.begin(), lines.end());
      for (const SentLine& line : lines) last_ = std::max(last_, line.at);
    }
  }

  Result<Next> next(std::chrono::milliseconds) override {
    Next out;
    if (!schedule_.header.empty()) {
      if (auto fault = put(std::exchange(schedule_.header, {}), out)) return *std::move(fault);
      return timed(out);
    }
    pass_time();
    send();
    const bool is_empty =
        std::all_of(connections_.begin(), connections_.end(), [](const Connection& c) { return c.buffer.empty(); });
    if (is_empty) {
      clock_.found_nothing(time());
      out.over =
          std::all_of(connections_.begin(), connections_.end(), [](const Connection& c) { return c.unsent.empty(); });
      return timed(out);
    }
    // As a pipe's or socket's reader asks: whether so much lies there that its sender may have been held up.
    const bool much = std::any_of(connections_.begin(), connections_.end(),
                                  [&](const Connection& c) { return c.bytes >= schedule_.capacity / 4; });
    clock_.found_something(time(), much);
    std::string text;
    for (Connection& c : connections_) {
      const std::size_t most = rng_.chance(0.5) ? c.buffer.size() : rng_.below(c.buffer.size() + 1);
      for (std::size_t i = 0; i < most; ++i) {
        text += c.buffer.front();
        c.bytes -= c.buffer.front().size();
        c.buffer.pop_front();
      }
      if (rng_.chance(0.1)) pass_time();  // it may be stopped between two reads, too
      send();
    }
    clock_.has_read(time());
    if (auto fault = put(text, out)) return *std::move(fault);
    return timed(out);
  }
  void covered(const std::string&) override {}
  void stop() override {}
  [[nodiscard]] InputCounts counts() const override { return {.pieces = pieces_}; }

 private:
  struct Connection {
    std::deque<SentLine> unsent;
    std::deque<std::string> buffer;
    std::size_t bytes = 0;
  };

  [[nodiscard]] ArrivalClock::Time time() const { return ArrivalClock::Time(std::chrono::nanoseconds(now_)); }

  void pass_time() {
    now_ += 1 + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(schedule_.pace)));
    if (rng_.chance(schedule_.pauses)) {
      now_ += static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(schedule_.longest_pause) + 1));
    }
    // Nothing comes for long: the looks in between would find nothing.
    std::int64_t first = last_;
    for (const Connection& c : connections_) {
      if (!c.buffer.empty()) return;
      if (!c.unsent.empty()) first = std::min(first, c.unsent.front().at);
    }
    constexpr std::int64_t kManyLooks = 64;
    if (first - now_ > kManyLooks * schedule_.pace) now_ = first - kManyLooks / 2 * schedule_.pace;
  }

  // Whoever wants to send by now does so, as far as there is room.
  void send() {
    for (Connection& c : connections_) {
      while (!c.unsent.empty() && c.unsent.front().at <= now_) {
        const std::size_t size = c.unsent.front().text.size();
        if (!c.buffer.empty() && c.bytes + size > schedule_.capacity) break;
        c.buffer.push_back(std::move(c.unsent.front().text));
        c.bytes += size;
        c.unsent.pop_front();
      }
    }
  }

  // What is wrong with the lines, if anything is.
  std::optional<Error> put(const std::string& text, Next& out) {
    if (text.empty()) return std::nullopt;
    auto chunk = reader_.read(text);
    if (!chunk) return std::move(chunk).error();
    ++pieces_;
    out.piece = Piece{*std::move(chunk), std::to_string(pieces_)};
    return std::nullopt;
  }
  Next timed(Next& out) const {
    out.came = clock_.came();
    out.drained = clock_.drained();
    return std::move(out);
  }

  Schedule schedule_;
  Rng rng_;
  std::vector<Connection> connections_;
  ChunkReader reader_{"test"};
  ArrivalClock clock_;
  std::int64_t now_ = 0, last_ = 0;
  std::uint64_t pieces_ = 0;
};

}  // namespace isolde::stream::testing
