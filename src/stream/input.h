// stream/input.h: where a stream comes from: a growing file, standard input, a socket, a recording under way.
//
// In, out: bytes as they arrive -> chunks, in an order that a restart repeats from any position.
// Always:  never holds more than its limit: who sends faster than chunks are taken has to wait (a pipe and a socket are
//          not read, a file is read later). A sender of what is no history is refused with one message and closed;
//          others are served on. A position that was given with a chunk is good for resuming after kill -9.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "history/chunk.h"

namespace isolde::stream {

struct Piece {
  std::shared_ptr<const Chunk> chunk;
  std::string position;  // right after this piece: what `resume` takes; opaque
};

// Why a connection was refused.
enum class Refusal : std::uint8_t {
  kToken,     // its first line was not the token
  kSilent,    // it said nothing, or did not finish a line, in time
  kFull,      // there were too many connections, or names
  kLine,      // what it sent is no trace, or too long
  kReplaced,  // another connection goes on under its name
};
inline constexpr std::size_t kRefusals = 5;
[[nodiscard]] std::string_view name(Refusal refusal);     // "token", as JSON names it
[[nodiscard]] std::string_view meaning(Refusal refusal);  // "without the token"

struct InputCounts {
  std::uint64_t bytes = 0, pieces = 0, transactions = 0;
  std::uint64_t connections = 0, open_connections = 0, refused = 0;  // of a socket
  std::array<std::uint64_t, kRefusals> refused_as = {};              // the same, by why
  std::uint64_t held_bytes = 0;                                      // waiting to be taken
  std::uint64_t ignored_fields = 0;                                  // that the format does not have
  std::uint64_t duplicates = 0;  // lines that stood in one piece twice, and were left out
};

class Input {
 public:
  virtual ~Input() = default;

  struct Next {
    std::optional<Piece> piece;        // none: nothing came in time
    std::vector<std::string> notices;  // what a person should know: "10.0.0.5:4711 refused: line 3: …", once for each
                                       // Refusal; all are counted
    std::vector<Fingerprint> gone;     // sessions whose sender has left for good, after this piece
    bool over = false;                 // nothing more will come
    // The time of watching (stream/arrival_clock.h), from 0 on: the piece had arrived by `came`, and everything that
    // had arrived by `drained` was given before, or is in this piece. Where it is not known how far it is, it stands
    // still.
    std::chrono::nanoseconds came{0}, drained{0};
  };
  // The next piece; waits for at most `wait`. An error ends the stream (a file that cannot be read, or is no history).
  [[nodiscard]] virtual Result<Next> next(std::chrono::milliseconds wait) = 0;

  // A checkpoint covers everything up to `position`: what was kept to repeat it may go. Called by the thread that calls
  // next().
  virtual void covered(const std::string& position) = 0;
  // May be called from another thread: next() returns soon, and `over` when what had arrived is taken.
  virtual void stop() = 0;

  [[nodiscard]] virtual InputCounts counts() const = 0;
};

struct InputOptions {
  std::size_t max_line = std::size_t{16} << 20;    // a longer line is refused
  std::size_t max_held = std::size_t{64} << 20;    // bytes of input that wait to be taken
  std::size_t piece_bytes = std::size_t{1} << 20;  // a chunk is made of about so many, or of what is there
  // Where what cannot be read again (standard input, sockets) is kept until a checkpoint covers it; empty: nothing is
  // kept, and a restart goes on with what comes then.
  std::string spool_folder;
  std::string resume;    // a position; empty: from the start
  bool lenient = false;  // fields that the format does not have are ignored and counted; else they are an error
  // What the time of watching is measured by; tests give their own.
  std::function<std::chrono::steady_clock::time_point()> clock = std::chrono::steady_clock::now;
};

// A file, also one that is still being written. `follow`: wait for more at its end, until stop().
[[nodiscard]] Result<std::unique_ptr<Input>> open_file(const std::string& path, bool follow, InputOptions options);
[[nodiscard]] Result<std::unique_ptr<Input>> open_standard_input(InputOptions options);

struct ListenOptions {
  std::string address;     // "unix:PATH", "tcp:PORT", "tcp:HOST:PORT"; a TCP port needs a token
  std::string token = {};  // the first line of every connection must be {"token": "…"} if this is not empty
  std::size_t max_connections = 256;
  // How long a connection may take for the token, and for its first line after that or a line that it has begun. Time
  // in which nobody calls next() does not count. If there are too many, the one that has been silent longest of those
  // that never sent a line has to go before anybody is refused.
  std::chrono::milliseconds greeting_limit{10'000}, line_limit{60'000};
  std::function<std::chrono::steady_clock::time_point()> clock = std::chrono::steady_clock::now;
};
// The first notice tells where it listens: "listening on tcp:127.0.0.1:4711". docs/online.md has the protocol.
[[nodiscard]] Result<std::unique_ptr<Input>> listen_on(const ListenOptions& listen, InputOptions options);

// A recording folder (format/recording.h) that may still be growing. `clock`, if given, reads the clients' clock: who
// has announced no begin by then (Journal::about_to_begin) begins none before it. Every session has a heartbeat in
// every piece. Over when the run is (nobody holds the journals). The spool keeps how the journals were cut into pieces,
// without which a restart would give the same transactions in another order between sessions.
[[nodiscard]] Result<std::unique_ptr<Input>> follow_recording(const std::string& folder,
                                                              std::function<std::int64_t()> clock,
                                                              InputOptions options);

}  // namespace isolde::stream
