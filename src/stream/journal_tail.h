// stream/journal_tail.h: one journal of a recording (format/recording.h) that may still be growing, read bit by bit.
//
// In, out: the file from a place on -> its whole transactions since then, and what is known of the one that is open.
// Always:  reads up to the first zero byte, which is where the writer is; a place is right behind a whole transaction.
// Cost:    each byte is read and looked at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::stream {

class JournalTail {
 public:
  // What a restart goes on from.
  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t lines = 0;
    std::optional<std::int64_t> session;  // that what follows belongs to
  };

  [[nodiscard]] static Result<JournalTail> open(const std::string& path, const Place& place);
  JournalTail(JournalTail&& other) noexcept;
  JournalTail& operator=(JournalTail&&) = delete;
  ~JournalTail();

  // Reads up to `count` more bytes.
  [[nodiscard]] Result<void> read_on(std::size_t count);
  // Whether the last read_on() came to where the writer is.
  [[nodiscard]] bool at_end() const { return at_end_; }
  // Whether there is another line behind the first zero byte. Requires: at_end(), and nobody writes any more.
  [[nodiscard]] Result<bool> is_damaged() const;

  // Whole transactions (and what stands between them) from the place on.
  [[nodiscard]] std::string_view finished() const { return std::string_view(held_).substr(0, finished_); }
  // Everything that is whole records: the same, and the records of the transaction that is open.
  [[nodiscard]] std::string_view records() const { return std::string_view(held_).substr(0, scanned_); }
  // When the open transaction began; nothing if none is open.
  [[nodiscard]] std::optional<std::int64_t> open_since() const;
  // Whether a record is being written, or announced (Journal::about_to_begin).
  [[nodiscard]] bool is_being_written() const { return scanned_ < held_.size(); }

  // The first `count` bytes, whole lines, were used.
  void take(std::size_t count, std::optional<std::int64_t> session);
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t held() const { return held_.size(); }

 private:
  JournalTail() = default;

  std::string path_;
  int fd_ = -1;
  Place place_;
  std::string held_;          // from the place on
  std::size_t scanned_ = 0;   // of it: whole records
  std::size_t finished_ = 0;  // of it: up to the last `e` or `s`
  bool at_end_ = false;
};

}  // namespace isolde::stream
