// record/journal.h: what one client records, written as it happens into a file that a kill -9 leaves readable.
//
// In, out: calls in program order -> a journal (format/recording.h has the grammar).
// Always:  a record is in the file when the call returns: the file is mapped, so it survives the process (but not a
//          crash of the machine); one journal belongs to one thread, so nothing is locked and no system call is made a
//          record, except when the file grows by another block. After a fault nothing more is written, so a journal has
//          no gaps. Who writes looks at fault() before a statement or commit is sent: what is not in the journal must
//          not happen.
// Cost:    formatting and copying: 60 to 80 ns a record (bench/recording_bench.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "history/history.h"

namespace isolde::record {

class Journal {
 public:
  // Requires: nothing is at `path` yet.
  [[nodiscard]] static Result<Journal> create(const std::string& path);
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;
  ~Journal();  // cuts the file to what was written

  void session(std::int64_t name);
  // Before the time of a begin is read: whoever looks at the journal from now on sees that one is to come, and who sees
  // no sign of it has read an earlier clock. So a follower knows up to when nobody has begun (stream/input.h).
  void about_to_begin();
  void begin(std::int64_t id, std::int64_t time);
  // An operation that was answered; `op` is its native array up to the details, without the closing bracket:
  // `["r",7,1`. The lock, the interval and `details` ("vset":{…}) are added.
  void op(std::string_view op, Lock lock, std::int64_t before, std::int64_t after, std::string_view details = {});
  // A write about to be sent: `["w",7,2`.
  void intent(std::string_view op, std::int64_t before);
  void done(std::int64_t after);
  void commit(std::int64_t before);
  void facts(std::string_view fields);
  void place(std::int64_t place);
  void end(Status status, std::int64_t time);  // the time of kUnknown is not written

  [[nodiscard]] std::uint64_t bytes() const;
  // The disk is full, or the file cannot grow: everything after the last whole record is lost, and this says why.
  [[nodiscard]] const std::string& fault() const;

 private:
  struct File;
  explicit Journal(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace isolde::record
