// format/recording_journal.h: one journal of a recording (format/recording.h) -> its transactions, in a HistoryBuilder.
//
// In, out: the journal's whole records -> each transaction put together as a line of native JSON and added.
// Always:  what a journal says of a transaction is one operation a record and one field a fact: no record can end the
//          list of operations or give a field that another record gives. An error names the journal's line and column.
// Cost:    one pass; one transaction is in memory at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/native_line.h"
#include "history/history_builder.h"

namespace isolde {

// The records that were finished: what stands before the first zero byte, up to the last newline there.
[[nodiscard]] std::string_view whole_records(std::string_view bytes);
// Whether there is another line behind the first zero byte, which no writer leaves: the file is damaged.
[[nodiscard]] bool goes_on_after_zeros(std::string_view bytes);

// What the journals of one folder have found together.
struct JournalFindings {
  struct Origin {
    std::uint32_t file;
    std::uint32_t line;  // of its `b`
  };
  struct Place {
    std::int64_t place;
    std::uint32_t txn;
    std::uint32_t line;  // of its `p`
  };
  std::vector<Origin> origins;                     // of each transaction in the builder
  std::vector<Place> places;                       // of those that have one
  std::map<std::int64_t, std::uint32_t> sessions;  // the file that each is in
  std::set<std::int64_t> over;                     // sessions that ended with an unknown transaction
  std::uint64_t cut_unknown = 0, cut_aborted = 0;  // transactions without `e`, by what they count as
};

struct JournalView {
  std::string name;             // for errors
  std::string_view records;     // whole ones
  std::uint32_t file = 0;       // its number in the folder
  bool going_on = false;        // the run is not over: what has no end yet may still be committed
  std::size_t reads_until = 0;  // reads that are recorded from here on are left out (format/recording_live.h)
  // Where `records` are not the journal's first: the lines before them, and the session that they belong to.
  std::uint32_t lines_before = 0;
  std::optional<std::int64_t> session = {};
};

class JournalReader {
 public:
  JournalReader(HistoryBuilder& builder, JournalFindings& findings)
      : builder_(builder), native_(builder), findings_(findings) {}

  [[nodiscard]] std::optional<Error> read(const JournalView& view);
  // That what follows the last journal read would belong to.
  [[nodiscard]] std::optional<std::int64_t> last_session() const { return session_; }

 private:
  using Fault = std::optional<Error>;
  struct Operation {
    std::string_view text;  // without its last bracket if it is a write that was announced
    std::string_view before, after;
    std::uint32_t line;
    std::uint32_t column;
    bool announced;
  };
  struct Piece {  // where a part of the line that is put together came from
    std::size_t from;
    std::size_t length;
    std::uint32_t line;
    std::uint32_t column;
  };
  struct Text {
    std::string_view text;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  Fault record(char kind);
  Fault session();
  Fault begin();
  Fault operation();
  Fault announced();
  Fault answered();
  Fault facts();
  Fault place();
  Fault end();
  Fault close(Status status, std::string_view end_time);
  void put(std::string_view text, std::uint32_t line, std::uint32_t column);
  Fault add_line();

  [[nodiscard]] Error error(std::string text) const;  // at the place that the record is read at
  [[nodiscard]] std::uint32_t column() const;
  Fault integer(Text& out, std::int64_t& value, std::string_view what);
  Fault time(Text& out, std::string_view what);
  Fault bracketed(std::string_view text);
  Fault at_end();

  HistoryBuilder& builder_;
  NativeLine native_;
  JournalFindings& findings_;

  // the journal and the record
  const JournalView* view_ = nullptr;
  std::string_view line_, left_;
  std::uint32_t number_ = 0;
  std::optional<std::int64_t> session_;

  // the transaction that is open
  bool open_ = false;
  bool commit_sent_ = false;
  Text id_, begin_, commit_, facts_;
  std::optional<std::int64_t> place_;
  std::uint32_t place_line_ = 0;
  std::vector<Operation> operations_;
  std::size_t unanswered_ = 0;  // the first operation that may still wait for its `d`

  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace isolde
