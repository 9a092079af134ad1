// stream/spool.h: what cannot be read again (standard input, sockets), kept on disk until a checkpoint covers it.
//
// In, out: pieces in the order in which they are handed out -> the same pieces after a restart.
//
// A folder with segments, spool-OFFSET.segment: OFFSET is the place of the segment's first byte in all that was ever
// written. A segment is records, each a head with a checksum and a payload; its first is the state at its beginning, so
// that earlier segments can go. A lock keeps a second program out.
// Always:  a record is in the file when append() returns, and so survives kill -9: the page cache is the system's.
//          (Nothing is synced: after a crash of the machine the last records may be missing, acknowledged or not.)
//          A record that a kill cut off is cut away by open(); it was never acknowledged. Any other damage is an error.
// Cost:    one write a record; open() reads the last segment, resuming reads from the position on.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "history/fingerprint.h"

namespace isolde::stream {

struct SpoolPart {
  std::uint32_t sender = 0;  // the number of a sender with a name; 0: it has none
  std::uint64_t lines = 0;
};

struct SpoolRecord {
  enum class Kind : std::uint8_t {
    kState = 1,  // the state, at the beginning of a segment
    kLines,      // lines of one sender or several, one after the other
    kSender,     // a sender's name, the payload, and how many of its lines were taken or will never come
    kGone,       // sessions whose sender has left: the payload is their fingerprints
    kCut,        // a piece of a recording: how far each journal went (stream/recording_input.cc)
  };
  Kind kind = Kind::kLines;
  bool past_header = false;           // kLines: the first of them cannot be the header
  bool streams_header = false;        // kLines: their header is the stream's
  bool said_something = false;        // kLines: not only empty lines, so that no header can come after them
  bool left = false;                  // kSender: it said that it will not come back; kCut: the last one
  std::uint32_t sender = 0;           // kSender: its number
  std::uint64_t lines = 0;            // kSender
  std::vector<SpoolPart> parts = {};  // kLines: whose they are
  std::uint64_t first_line = 1;       // kLines of one sender: the number of the first
  std::uint64_t first_txn = 0;
  std::uint64_t txns = 0;
  std::uint64_t header = 0;  // kLines with streams_header: its fingerprint
  std::string payload;
  std::uint64_t end = 0;  // read back: the place behind it
};

// What must be known of everything that was ever spooled.
struct SpoolState {
  struct Sender {
    std::uint32_t number = 0;
    std::uint64_t lines = 0;
    bool past_header = false;
    bool left = false;
  };
  // Names that said good-bye, or of which there is nothing to remember, are forgotten when there are so many, the
  // oldest first; of others it is remembered which of their lines were taken, as long as there is room
  // (stream/intake.h).
  static constexpr std::size_t kMostSenders = 65536;

  std::uint64_t txns = 0;
  bool started = false;      // something was said
  std::uint64_t header = 0;  // the fingerprint of the stream's header
  std::uint32_t last_number = 0;
  std::map<std::string, Sender, std::less<>> senders;

  [[nodiscard]] bool has_room_for(std::string_view name) const;
  void apply(const SpoolRecord& record);
  // Of a name under which no line came there is nothing to remember.
  void nobody_is_connected();
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool parse(const std::string& text);

 private:
  void apply_sender(const SpoolRecord& record);
  std::map<std::uint32_t, std::map<std::string, Sender, std::less<>>::iterator> by_number_;
  std::set<std::uint32_t> left_;  // numbers of those that have left
};

// The record at the start of `bytes`, which is shortened by it. kCut: it goes on behind the end.
enum class RecordFound { kWhole, kCut, kDamaged };
[[nodiscard]] RecordFound take_record(std::string_view& bytes, SpoolRecord& record);
[[nodiscard]] std::string text_of(const SpoolRecord& record);

class Spool {
 public:
  static constexpr std::size_t kSegmentBytes = std::size_t{16} << 20;

  // `from`: what read_next() begins with. Makes the folder if it is not there.
  [[nodiscard]] static Result<std::unique_ptr<Spool>> open(const std::string& folder, std::uint64_t from,
                                                           std::size_t segment_bytes = kSegmentBytes);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // The next record of those that were there when it was opened; nothing when all are read.
  [[nodiscard]] Result<std::optional<SpoolRecord>> read_next();

  [[nodiscard]] const SpoolState& state() const { return state_; }
  // Returns the place behind it. After an error nothing more can be appended.
  [[nodiscard]] Result<std::uint64_t> append(const SpoolRecord& record);
  // Segments that end at or before the place are removed.
  void covered(std::uint64_t place);

 private:
  struct Segment {
    std::uint64_t begin, end;
  };
  explicit Spool(std::string folder, std::size_t segment_bytes)
      : folder_(std::move(folder)), segment_bytes_(segment_bytes) {}
  [[nodiscard]] std::string path_of(std::uint64_t begin) const;
  [[nodiscard]] Result<void> find_segments();
  [[nodiscard]] Result<void> read_last();
  [[nodiscard]] Result<void> start_segment();
  [[nodiscard]] Error damaged(std::uint64_t place) const;

  std::string folder_;
  std::size_t segment_bytes_;
  int lock_ = -1;
  int fd_ = -1;  // of the last segment
  std::deque<Segment> segments_;
  SpoolState state_;
  // reading back
  std::uint64_t read_at_ = 0, read_end_ = 0;
  std::uint64_t content_begin_ = 0;
  std::string content_;  // of one segment
};

}  // namespace isolde::stream
