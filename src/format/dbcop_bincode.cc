#include "format/dbcop_bincode.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>

#include "history/history_builder.h"

namespace isolde {
namespace {

constexpr std::size_t kEventBytes = 1 + 8 + 8 + 1;
constexpr std::size_t kLeastTxnBytes = 8 + 1;
constexpr std::size_t kLeastSessionBytes = 8;

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  std::optional<std::uint64_t> word() {
    if (left() < 8) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at_, 8);
    at_ += 8;
    return value;
  }
  std::optional<unsigned char> byte() {
    if (left() < 1) return std::nullopt;
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  // A length whose items take at least `least` bytes each; where that is not possible, nothing is taken.
  std::optional<std::uint64_t> length(std::size_t least) {
    const std::size_t start = at_;
    const auto count = word();
    if (count && *count <= left() / least) return count;
    at_ = start;
    return std::nullopt;
  }
  std::string_view text(std::uint64_t length) {
    const std::string_view text = bytes_.substr(at_, length);
    at_ += length;
    return text;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

class BincodeReader {
 public:
  BincodeReader(const Source& source, const ReadOptions& options)
      : file_(source.files[0]), in_(file_.bytes), options_(options) {
    builder_.set_default_initial(builder_.values().integer(0));
  }

  Result<ReadResult> run() {
    std::optional<Error> error = header();
    if (!error) error = sessions();
    if (error) {
      // Whatever is read by now stands; only what the end of the file cut off is dropped.
      if (!options_.lenient || !cut_) return *std::move(error);
      builder_.abandon_txn();
      notes_.push_back(
          fmt::format("the file is cut off at byte {}: dropped the transaction there", file_.bytes.size()));
    } else if (in_.left() > 0) {
      return fault(fmt::format("expected the end of the file, {} bytes follow", in_.left()));
    }
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    if (failed_events_ > 0) notes_.push_back(fmt::format("left out {} events without success", failed_events_));
    return ReadResult{*std::move(history), std::move(notes_)};
  }

 private:
  [[nodiscard]] Error fault(std::string text) const { return Error{std::move(text), file_.name, 1, in_.offset() + 1}; }
  [[nodiscard]] Error cut(const char* what) {
    cut_ = true;
    return Error{fmt::format("expected {}, but the file ends", what), file_.name, 1, file_.bytes.size() + 1};
  }
  // The number of items that a length announces. In a file cut off more may be announced than is there.
  std::optional<Error> length(std::uint64_t& out, std::size_t least, const char* what) {
    const std::size_t start = in_.offset();
    if (in_.left() < 8) return cut(what);
    if (const auto count = in_.length(least)) {
      out = *count;
      return std::nullopt;
    }
    const std::uint64_t announced = *in_.word();
    // Each item read makes the rest shorter, so the end of the file comes before anything grows too far.
    if (options_.lenient) {
      out = announced;
      return std::nullopt;
    }
    return Error{fmt::format("expected {}: {} do not fit the {} bytes that are left", what, announced, in_.left()),
                 file_.name, 1, start + 1};
  }

  std::optional<Error> header() {
    for (int i = 0; i < 5; ++i) {
      if (!in_.word()) return cut("the header of five numbers");
    }
    for (const char* what : {"the text about the history", "the start time", "the end time"}) {
      std::uint64_t size = 0;
      if (auto error = length(size, 1, what)) return error;
      if (size > in_.left()) return cut(what);
      const std::size_t start = in_.offset();
      const std::string_view text = in_.text(size);
      if (!simdjson::validate_utf8(text.data(), text.size())) {
        return Error{fmt::format("expected {} in UTF-8", what), file_.name, 1, start + 1};
      }
      if (std::string_view(what) == "the text about the history") builder_.set_about(text);
    }
    return std::nullopt;
  }

  std::optional<Error> sessions() {
    std::uint64_t session_count = 0;
    if (auto error = length(session_count, kLeastSessionBytes, "the number of sessions")) return error;
    for (std::uint64_t s = 0; s < session_count; ++s) {
      std::uint64_t txn_count = 0;
      if (auto error = length(txn_count, kLeastTxnBytes, "the number of transactions")) return error;
      for (std::uint64_t t = 0; t < txn_count; ++t) {
        if (auto error = txn(s)) return error;
      }
    }
    return std::nullopt;
  }

  std::optional<Error> txn(std::uint64_t session) {
    // The session is named when the transaction is whole, so that a cut one leaves no session behind.
    builder_.begin_txn(SessionId{0});
    std::uint64_t event_count = 0;
    if (auto error = length(event_count, kEventBytes, "the number of events")) return error;
    for (std::uint64_t e = 0; e < event_count; ++e) {
      if (auto error = event()) return error;
    }
    bool success = false;
    if (auto error = boolean(success, "whether the transaction succeeded")) return error;
    if (!success) builder_.set_status(Status::kAborted);
    builder_.set_session(builder_.session(builder_.values().unsigned_integer(session)));
    builder_.end_txn();
    return std::nullopt;
  }

  std::optional<Error> event() {
    if (in_.left() < kEventBytes) return cut("an event");
    bool is_write = false;
    bool success = false;
    if (auto error = boolean(is_write, "whether the event is a write")) return error;
    const std::uint64_t variable = *in_.word();
    const std::uint64_t value = *in_.word();
    if (auto error = boolean(success, "whether the event succeeded")) return error;
    if (!success) {
      ++failed_events_;
      return std::nullopt;
    }
    const KeyId key = builder_.key(builder_.values().unsigned_integer(variable));
    const ValueId value_id = builder_.values().unsigned_integer(value);
    if (is_write) {
      builder_.write(key, value_id);
    } else {
      builder_.read(key, value_id);
    }
    return std::nullopt;
  }

  std::optional<Error> boolean(bool& out, const char* what) {
    const std::size_t start = in_.offset();
    const auto byte = in_.byte();
    if (!byte) return cut(what);
    if (*byte > 1) {
      return Error{fmt::format("expected {}: 0 or 1, found {}", what, *byte), file_.name, 1, start + 1};
    }
    out = *byte == 1;
    return std::nullopt;
  }

  const SourceFile& file_;
  Bytes in_;
  const ReadOptions& options_;
  HistoryBuilder builder_;
  std::vector<std::string> notes_;
  std::uint64_t failed_events_ = 0;
  bool cut_ = false;
};

Result<ReadResult> read_bincode(const Source& source, const ReadOptions& options) {
  return BincodeReader(source, options).run();
}

// A header whose five numbers are small and whose three texts lie in the file and are printable.
bool recognise_bincode(const Source& source) {
  Bytes in(source.files[0].bytes);
  for (int i = 0; i < 5; ++i) {
    const auto number = in.word();
    if (!number || *number >= std::uint64_t{1} << 40) return false;
  }
  for (int i = 0; i < 3; ++i) {
    const auto length = in.length(1);
    if (!length || *length > (1U << 16)) return false;
    for (const char c : in.text(*length)) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') return false;
    }
  }
  return in.word().has_value();
}

}  // namespace

constinit const FormatInfo kDbcopBincodeFormat{.name = "dbcop-bincode",
                                               .summary = "dbcop's binary histories of 2019 (history.bincode)",
                                               .extension = "",
                                               .is_folder = false,
                                               .recognise = recognise_bincode,
                                               .read = read_bincode,
                                               .write = nullptr};

}  // namespace isolde
