// stream/intake.h: lines of one sender after another -> pieces of one stream.
//
// In, out: whole lines -> a piece, kept in the spool if there is one; after a restart first what the spool holds.
// Always:  transactions without an id are numbered over all senders. The stream has one header: the first sender's, or
//          none; a later sender may repeat it, and is refused if it says something else. A line counts as taken when it
//          is in the spool, or, without one, when its piece is returned.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/result.h"
#include "format/unknown_fields.h"
#include "stream/input.h"
#include "stream/spool.h"

namespace isolde::stream {

struct Sender {
  std::uint32_t number = 0;  // 0: without a name
  std::uint64_t lines = 0;   // taken
  bool past_header = false;
};

class Intake {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Intake>> open(const InputOptions& options);

  struct Again {
    std::optional<Piece> piece;
    std::vector<Fingerprint> gone;
    bool done = false;  // all that the spool held was given
  };
  // The next of what the spool held.
  [[nodiscard]] Result<Again> again();

  struct Taken {
    std::optional<Piece> piece;
    std::optional<Error> wrong;   // the sender is to be refused: nothing was used from error.line on
    std::optional<Error> broken;  // the spool cannot be written: the stream is over
  };
  // Requires: `lines` is empty or ends with a newline. `name` is the sender's, for errors.
  [[nodiscard]] Taken take(Sender& sender, std::string_view lines, const std::string& name);

  // Requires: no spool. So many transactions of the sender came in another form than lines; returns the position behind
  // them.
  [[nodiscard]] std::string note_taken(Sender& sender, std::uint64_t transactions);

  struct Part {
    Sender* sender;
    std::string_view lines;
    const std::string* name;
    // what became of it
    std::optional<Error> wrong = {};
    std::vector<Fingerprint> sessions = {};  // that it speaks of, some of them twice
  };
  struct TakenTogether {
    std::vector<Piece> pieces;
    std::optional<Error> broken;
  };
  // The same for the lines of several senders, which become one piece if nothing is wrong with them.
  [[nodiscard]] TakenTogether take_together(std::span<Part> parts);

  // A sender that has given its name. `first`: the first line that it can still send; those before are missing if they
  // were not taken, and then `missing` tells how many.
  struct Known {
    std::optional<Sender> sender;  // none: there are too many
    std::uint64_t missing = 0;
    std::optional<Error> broken;
  };
  // `connected`: the numbers of those that are. If there are too many names, the one that was heard of longest ago of
  // the others is forgotten.
  [[nodiscard]] Known sender_named(std::string_view name, std::uint64_t first,
                                   const std::unordered_set<std::uint32_t>& connected);
  // It will not come back, or there is nothing to remember of it.
  [[nodiscard]] std::optional<Error> farewell(std::string_view name);
  [[nodiscard]] std::optional<Error> gone(const std::vector<Fingerprint>& sessions);

  void covered(const std::string& position);
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }  // lines that stood in one piece twice

 private:
  Intake() = default;
  [[nodiscard]] const SpoolState& state() const { return spool_ ? spool_->state() : own_; }
  void take_apart(std::span<Part> parts, TakenTogether& out);
  [[nodiscard]] bool take_at_once(std::span<Part> parts, TakenTogether& out);
  [[nodiscard]] std::optional<Error> keep(const SpoolRecord& record);
  [[nodiscard]] std::optional<Error> forget_one(const std::unordered_set<std::uint32_t>& connected);
  void heard_of(std::uint32_t number) {
    if (number != 0) last_heard_[number] = ++heard_;
  }
  [[nodiscard]] std::string position() const;

  std::unique_ptr<Spool> spool_;
  SpoolState own_;           // without a spool
  std::uint64_t place_ = 0;  // in the spool
  // When each name was last heard of, in names and pieces; after a restart those before count as equally old.
  std::unordered_map<std::uint32_t, std::uint64_t> last_heard_;
  std::uint64_t heard_ = 0;
  std::uint64_t duplicates_ = 0;
  bool read_back_ = false;
  UnknownFields::Stance unknown_ = UnknownFields::Stance::kRefuse;
};

}  // namespace isolde::stream
