#include "format/dbcop_hist.h"

#include <simdjson.h>

#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
}

// The characters of the file with the place of each, comments left out.
class Characters {
 public:
  explicit Characters(const SourceFile& file) : file_(file), text_(file.bytes) {}

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        ++at_;
        ++line_;
        line_start_ = at_;
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }
  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view name() {
    skip_space();
    const std::size_t from = at_;
    // A comment may follow a name without a blank, so "//" ends it.
    while (at_ < text_.size() && is_name(text_[at_]) && text_.substr(at_, 2) != "//") ++at_;
    return text_.substr(from, at_ - from);
  }
  std::optional<WideInteger> integer() {
    skip_space();
    std::string_view rest = text_.substr(at_);
    const auto number = take_integer(rest);
    if (number) at_ = text_.size() - rest.size();
    return number;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  [[nodiscard]] Error error(std::string text) const {
    return Error{std::move(text), file_.name, line_, at_ - line_start_ + 1};
  }

 private:
  const SourceFile& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint64_t line_ = 1;
};

class HistReader {
 public:
  HistReader(const Source& source, const ReadOptions& options) : in_(source.files[0]), options_(options) {
    builder_.set_default_initial(builder_.values().integer(0));
  }

  Result<ReadResult> run() {
    std::vector<std::string> notes;
    while (!in_.at_end()) {
      if (in_.take("---")) {
        while (in_.take("-")) {
        }
        ++session_;
        continue;
      }
      if (auto error = txn()) {
        if (!options_.lenient || !in_.at_end()) return *std::move(error);
        builder_.abandon_txn();
        notes.emplace_back("dropped the last transaction: it is cut off");
      }
    }
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    return ReadResult{*std::move(history), std::move(notes)};
  }

 private:
  std::optional<Error> txn() {
    if (!in_.take("[")) return in_.error("expected '[' (a transaction) or '---' (the next session)");
    // The session is named when the transaction is whole, so that a cut one leaves no session behind.
    builder_.begin_txn(SessionId{0});
    do {
      if (auto error = event()) return error;
    } while (!in_.take("]"));
    builder_.set_session(builder_.session(session_));
    if (in_.take("!")) builder_.set_status(Status::kAborted);
    builder_.end_txn();
    return std::nullopt;
  }

  std::optional<Error> event() {
    in_.skip_space();
    const Error no_text = in_.error("expected a variable in UTF-8");
    const std::string_view name = in_.name();
    if (!simdjson::validate_utf8(name.data(), name.size())) return no_text;
    if (name.empty()) return in_.error("expected an event: x:=1, x==1 or x==?");
    const bool is_write = in_.take(":=");
    if (!is_write && !in_.take("==")) return in_.error("expected ':=' or '==' after the variable");
    if (!is_write && in_.take("?")) {
      builder_.read(builder_.key(name), builder_.values().integer(0));
      return std::nullopt;
    }
    const auto version = in_.integer();
    if (!version) return in_.error("expected the version, a 64-bit integer");
    const KeyId key = builder_.key(name);
    const ValueId value = version->value(builder_.values());
    if (is_write) {
      builder_.write(key, value);
    } else {
      builder_.read(key, value);
    }
    return std::nullopt;
  }

  Characters in_;
  const ReadOptions& options_;
  HistoryBuilder builder_;
  std::int64_t session_ = 0;
};

Result<ReadResult> read_hist(const Source& source, const ReadOptions& options) {
  return HistReader(source, options).run();
}

bool recognise_hist(const Source& source) {
  const SourceFile head{{}, source.files[0].bytes.substr(0, 4096), nullptr};
  Characters in(head);
  while (in.take("-")) {
  }
  return in.take("[") && !in.name().empty() && (in.take(":=") || in.take("=="));
}

}  // namespace

constinit const FormatInfo kDbcopHistFormat{.name = "dbcop-hist",
                                            .summary = "dbcop's text histories: [x:=1 y==2] (.hist)",
                                            .extension = "",
                                            .is_folder = false,
                                            .recognise = recognise_hist,
                                            .read = read_hist,
                                            .write = nullptr};

}  // namespace isolde
