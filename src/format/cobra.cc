#include "format/cobra.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "format/numbered_files.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

struct Record {
  char tag = ' ';
  std::int64_t field[4] = {};  // S, C: txn, time; W: write, key, value; R: writer, write, key, value
};

// How many numbers follow a tag, or -1.
int fields_of(char tag, bool timed) {
  switch (tag) {
    case 'S':
    case 'C':
      return timed ? 2 : 1;
    case 'W':
      return 3;
    case 'R':
      return 4;
    default:
      return -1;
  }
}

std::int64_t big_endian(const char* at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = (value << 8) | static_cast<unsigned char>(at[i]);
  return static_cast<std::int64_t>(value);
}

// The records of one file, with the order S, (R | W)*, C checked.
class Records {
 public:
  Records(const SourceFile& file, bool timed) : file_(file), timed_(timed) {}

  // The next record; false at the end of the file or at a fault.
  bool next(Record& out) {
    const std::string_view bytes = file_.bytes;
    if (at_ == bytes.size()) return false;
    const char tag = bytes[at_];
    const int fields = fields_of(tag, timed_);
    if (fields < 0)
      return fault(tag == 'A' ? "expected 'S', 'C', 'W' or 'R': Cobra never logs aborted transactions ('A')"
                              : fmt::format("expected 'S', 'C', 'W' or 'R', found byte {:#04x}",
                                            static_cast<unsigned char>(tag)));
    if ((tag == 'S') == open_) {
      return fault(open_ ? "expected 'C', 'W' or 'R': a transaction is open" : "expected 'S': no transaction is open");
    }
    if (bytes.size() - at_ - 1 < static_cast<std::size_t>(fields) * 8) {
      is_cut_ = true;
      return fault(fmt::format("expected {} bytes after '{}', but the file ends", fields * 8, tag));
    }
    out.tag = tag;
    for (int i = 0; i < fields; ++i) out.field[i] = big_endian(bytes.data() + at_ + 1 + i * 8);
    if (tag == 'S') txn_ = out.field[0];
    if (tag == 'C' && out.field[0] != txn_) {
      return fault(fmt::format("expected the commit of transaction {}, found that of {}", txn_, out.field[0]));
    }
    open_ = tag != 'C';
    start_ = at_;
    at_ += 1 + static_cast<std::size_t>(fields) * 8;
    return true;
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] bool is_open() const { return open_; }
  // An error at the record read last.
  [[nodiscard]] Error error_here(std::string text) const { return Error{std::move(text), file_.name, 1, start_ + 1}; }

 private:
  bool fault(std::string text) {
    error_ = Error{std::move(text), file_.name, 1, at_ + 1};
    return false;
  }

  const SourceFile& file_;
  bool timed_;
  std::size_t at_ = 0, start_ = 0;
  bool open_ = false;
  bool is_cut_ = false;
  std::int64_t txn_ = 0;
  std::optional<Error> error_;
};

struct LoggedWrite {
  std::int64_t key, write, value;
  friend bool operator==(const LoggedWrite&, const LoggedWrite&) = default;
};
struct LoggedWriteHash {
  std::size_t operator()(const LoggedWrite& v) const { return hash_bytes(&v, sizeof v); }
};

bool is_collection_mark(std::int64_t write) {
  return write == cobra::kCollectedTrue || write == cobra::kCollectedFalse;
}

// Write ids that say in which state a key was found, and no write.
bool is_state_mark(std::int64_t write) {
  return write == cobra::kInitial || write == cobra::kMissing || write == cobra::kDeleted || is_collection_mark(write);
}

class CobraReader {
 public:
  CobraReader(const Source& source, const ReadOptions& options)
      : source_(source), logs_(numbered_logs(source, 'T')), options_(options) {}

  Result<ReadResult> run() {
    if (logs_.empty()) return Error{"expected files T<number>.log", source_.path};
    if (auto error = find_form()) return *std::move(error);
    if (auto error = survey()) return *std::move(error);
    value_name_ = builder_.values().string("value");
    write_name_ = builder_.values().string("write");
    txn_name_ = builder_.values().string("txn");
    for (const NumberedFile& log : logs_) transactions(log);
    for (const auto& [key, value] : initial_) {
      builder_.set_initial(builder_.key(key), builder_.values().integer(value));
    }
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    add_notes();
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  // Finds out whether the logs have times. If both readings fail, the one that fails after more records is right.
  std::optional<Error> find_form() {
    std::optional<Error> first_error;
    std::size_t first_reached = 0;
    for (const bool timed : {false, true}) {
      std::size_t reached = 0;
      std::optional<Error> error;
      for (const NumberedFile& log : logs_) {
        Records records(*log.file, timed);
        Record record;
        while (records.next(record)) ++reached;
        if (records.error() && !(records.is_cut() && options_.lenient)) {
          error = records.error();
          break;
        }
      }
      if (!error) {
        timed_ = timed;
        return std::nullopt;
      }
      if (!timed) {
        first_error = error;
        first_reached = reached;
      } else if (reached > first_reached) {
        return error;
      }
    }
    return first_error;
  }

  // Notes who wrote which version first, what keys held at first, and which versions are read from any writer.
  std::optional<Error> survey() {
    std::unordered_set<std::int64_t> txns;
    for (const NumberedFile& log : logs_) {
      Records records(*log.file, timed_);
      Record r;
      std::int64_t txn = 0;
      while (records.next(r)) {
        if (r.tag == 'S') {
          txn = r.field[0];
          if (!txns.insert(txn).second) return records.error_here(fmt::format("transaction id {} occurs twice", txn));
        } else if (r.tag == 'W') {
          if (r.field[0] == cobra::kDeleted) {
            deleted_.insert(r.field[1]);
          } else {
            first_writer_.try_emplace({r.field[1], r.field[0], r.field[2]}, txn);
          }
        } else if (r.tag == 'R' && r.field[1] == cobra::kInitial) {
          const auto [at, is_new] = initial_.try_emplace(r.field[2], r.field[3]);
          if (!is_new && at->second != r.field[3]) ++other_initial_;
        } else if (r.tag == 'R' && (r.field[0] == cobra::kAny || r.field[1] == cobra::kAny) &&
                   !is_state_mark(r.field[1])) {
          from_any_.push_back(r);
        }
      }
    }
    for (const Record& r : from_any_) read_from_any(r);
    std::vector<Record>().swap(from_any_);
    return std::nullopt;
  }

  // A read that does not say whose write it saw. Called when all writes are known.
  void read_from_any(const Record& r) {
    const auto [writer, write, key, value] = r.field;
    const bool is_logged = first_writer_.contains({key, write, value});
    // Writes may be logged without ids of their own; a read that names their transaction says enough.
    if (writer != cobra::kAny && is_logged) return;
    if (write == cobra::kAny) {
      any_value_.insert({key, 0, value});
    } else {
      any_writer_.insert({key, write, value});
    }
    ++any_;
  }

  void transactions(const NumberedFile& log) {
    Records records(*log.file, timed_);
    Record r;
    std::int64_t txn = 0;
    while (records.next(r)) {
      switch (r.tag) {
        case 'S':
          txn = r.field[0];
          builder_.begin_txn(builder_.session(log.number));
          builder_.set_id(builder_.values().integer(txn));
          if (timed_) builder_.set_begin(r.field[1]);
          break;
        case 'C':
          if (timed_) builder_.set_end(r.field[1]);
          builder_.end_txn();
          break;
        case 'W':
          builder_.write(builder_.key(r.field[1]),
                         r.field[0] == cobra::kDeleted ? kNullValue : row({r.field[1], r.field[0], r.field[2]}, txn));
          break;
        default:
          read(r);
      }
    }
    if (records.is_cut()) notes_.push_back(fmt::format("{}: dropped the last record: it is cut off", log.file->name));
    if (!records.is_open()) return;
    builder_.set_status(Status::kUnknown);
    builder_.end_txn();
    ++open_;
  }

  void read(const Record& r) {
    const auto [writer, write, key, value] = r.field;
    if (is_collection_mark(write)) {
      ++collected_;
      return;
    }
    const KeyId key_id = builder_.key(key);
    const auto initial = initial_.find(key);
    const bool has_initial = initial != initial_.end();
    if (write == cobra::kMissing && has_initial && !deleted_.contains(key)) ++missing_initial_;
    if (write == cobra::kInitial || (write == cobra::kMissing && has_initial && !deleted_.contains(key))) {
      builder_.read(key_id, builder_.values().integer(initial->second));
    } else if (write == cobra::kMissing || write == cobra::kDeleted) {
      builder_.read(key_id, kNullValue);
    } else {
      builder_.read(key_id, row({key, write, value}, writer));
    }
  }

  ValueId row(const LoggedWrite& version, std::int64_t writer) {
    ValueInterner& values = builder_.values();
    if (any_ > 0 && any_value_.contains({version.key, 0, version.value})) return values.integer(version.value);
    const auto first = first_writer_.find(version);
    const bool is_first =
        (first != first_writer_.end() && first->second == writer) || (any_ > 0 && any_writer_.contains(version));
    const RowField fields[] = {{value_name_, values.integer(version.value)},
                               {write_name_, values.integer(version.write)},
                               {txn_name_, values.integer(writer)}};
    return values.row({fields, is_first ? std::size_t{2} : std::size_t{3}});
  }

  void add_notes() {
    if (open_ > 0) {
      notes_.push_back(fmt::format("{} transactions have no commit record: their status is unknown", open_));
    }
    if (other_initial_ > 0) {
      notes_.push_back(
          fmt::format("{} reads of an initial state have a different hash than the first read of that key; they are "
                      "taken as reads of the initial state",
                      other_initial_));
    }
    if (missing_initial_ > 0) {
      notes_.push_back(
          fmt::format("{} reads of a missing key that has an initial value are taken as reads of the initial "
                      "state, as in Cobra",
                      missing_initial_));
    }
    if (any_ > 0) {
      notes_.push_back(
          fmt::format("{} reads name any writer of their value ({:#x}, as VeriStrong does): writes of these values to "
                      "the same key are not distinguished",
                      any_, cobra::kAny));
    }
    if (collected_ > 0) notes_.push_back(fmt::format("left out {} reads of Cobra's collection marks", collected_));
  }

  const Source& source_;
  std::vector<NumberedFile> logs_;
  const ReadOptions& options_;
  bool timed_ = false;
  HistoryBuilder builder_;
  ValueId value_name_{}, write_name_{}, txn_name_{};
  std::unordered_map<LoggedWrite, std::int64_t, LoggedWriteHash> first_writer_;
  std::unordered_map<std::int64_t, std::int64_t> initial_;       // by key: the hash that it held at first
  std::unordered_set<std::int64_t> deleted_;                     // keys
  std::vector<Record> from_any_;                                 // reads that name no writer or no write
  std::unordered_set<LoggedWrite, LoggedWriteHash> any_writer_;  // versions that are read from any writer
  std::unordered_set<LoggedWrite, LoggedWriteHash> any_value_;   // … and values, where also the write may be any
  std::vector<std::string> notes_;
  std::uint64_t open_ = 0, collected_ = 0, other_initial_ = 0, missing_initial_ = 0, any_ = 0;
};

Result<ReadResult> read_cobra(const Source& source, const ReadOptions& options) {
  return CobraReader(source, options).run();
}

bool recognise_cobra(const Source& source) {
  const auto logs = numbered_logs(source, 'T');
  for (const NumberedFile& log : logs) {
    if (!log.file->bytes.empty()) return log.file->bytes.starts_with('S');
  }
  return !logs.empty();
}

}  // namespace

constinit const FormatInfo kCobraFormat{.name = "cobra",
                                        .summary = "Cobra's folder of T<client>.log files",
                                        .extension = "",
                                        .is_folder = true,
                                        .recognise = recognise_cobra,
                                        .read = read_cobra,
                                        .write = cobra::write,
                                        .writer = Writer::kCobra,
                                        .unfit = cobra::unfit};

}  // namespace isolde
