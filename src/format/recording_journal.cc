#include "format/recording_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "format/native_fast.h"

namespace isolde {
namespace {

constexpr std::string_view kForms =
    "expected a record: s, b, o, i, d, c, f, p or e and a blank (docs/recording.md has their form)";

// Members of a transaction's object that other records give, or that are no transaction's at all.
constexpr std::string_view kNotFacts[] = {
    "id",       "session",   "status", "begin",   "end",           "commit",
    "ops",      "isolde",    "about",  "initial", "initial_of",    "initial_guessed",
    "complete", "serial_by", "vset",   "at",      "version_order", "version_order_by_txn",
};

bool is_read(std::string_view operation) {
  return operation.starts_with(R"(["r",)") || operation.starts_with(R"(["scan",)") ||
         operation.starts_with(R"(["agg",)");
}

}  // namespace

std::string_view whole_records(std::string_view bytes) {
  const std::size_t zero = bytes.find('\0');
  bytes = bytes.substr(0, zero);
  const std::size_t last = bytes.rfind('\n');
  return last == std::string_view::npos ? std::string_view{} : bytes.substr(0, last + 1);
}

bool goes_on_after_zeros(std::string_view bytes) {
  const std::size_t zero = bytes.find('\0');
  return zero != std::string_view::npos && bytes.find('\n', zero) != std::string_view::npos;
}

std::uint32_t JournalReader::column() const { return static_cast<std::uint32_t>(line_.size() - left_.size()) + 1; }

Error JournalReader::error(std::string text) const { return Error{std::move(text), view_->name, number_, column()}; }

std::optional<Error> JournalReader::read(const JournalView& view) {
  view_ = &view;
  number_ = view.lines_before;
  session_ = view.session;
  open_ = false;
  std::size_t offset = 0;
  while (offset < view.records.size()) {
    const std::size_t stop = view.records.find('\n', offset);
    line_ = view.records.substr(offset, stop - offset);
    left_ = line_;
    ++number_;
    if (line_.size() < 2 || line_[1] != ' ') return error(std::string(kForms));
    left_.remove_prefix(2);
    const bool left_out = offset >= view.reads_until && line_[0] == 'o' && is_read(left_);
    if (!left_out) {
      if (auto wrong = record(line_[0])) return wrong;
    }
    offset = stop + 1;
  }
  if (!open_) return std::nullopt;
  // Nobody asked to commit it, so it never will be; unless its client is still at work.
  const bool unknown = commit_sent_ || view.going_on;
  ++(unknown ? findings_.cut_unknown : findings_.cut_aborted);
  return close(unknown ? Status::kUnknown : Status::kAborted, {});
}

std::optional<Error> JournalReader::record(char kind) {
  if (kind == 's') return session();
  if (kind == 'b') return begin();
  if (std::memchr("oidcfpe", kind, 7) == nullptr) {
    left_ = line_;
    return error(std::string(kForms));
  }
  if (!open_) {
    left_ = line_;
    return error(fmt::format("expected `b`: no transaction is open that this `{}` could belong to", kind));
  }
  if (commit_sent_ && (kind == 'o' || kind == 'i' || kind == 'd' || kind == 'c')) {
    left_ = line_;
    return error(fmt::format("expected `f`, `p` or `e` after `c`, found `{}`", kind));
  }
  switch (kind) {
    case 'o':
      return operation();
    case 'i':
      return announced();
    case 'd':
      return answered();
    case 'c':
      if (unanswered_ < operations_.size() && operations_[unanswered_].announced) {
        const Operation& waiting = operations_[unanswered_];
        return Error{"expected its `d` before `c`: this write was announced and never answered", view_->name,
                     waiting.line, 1};
      }
      commit_sent_ = true;
      return time(commit_, "the time before the commit");
    case 'f':
      return facts();
    case 'p':
      return place();
    default:
      return end();
  }
}

std::optional<Error> JournalReader::integer(Text& out, std::int64_t& value, std::string_view what) {
  const auto [stop, failed] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
  const auto length = static_cast<std::size_t>(stop - left_.data());
  const bool ends = length == left_.size() || left_[length] == ' ';
  // The text is taken over as it is, so it has to be an integer of JSON too: no leading zeros, no -0.
  const std::size_t digits = left_.starts_with('-') ? 1 : 0;
  const bool plain = length == digits + 1 ? (digits == 0 || value != 0) : length > digits && left_[digits] != '0';
  if (failed != std::errc{} || !ends || !plain || value == kNoTime) {
    return error(fmt::format("expected {}, an integer of 64 bits", what));
  }
  out = {left_.substr(0, length), number_, column()};
  left_.remove_prefix(length);
  return std::nullopt;
}

std::optional<Error> JournalReader::time(Text& out, std::string_view what) {
  std::int64_t value = 0;
  if (auto wrong = integer(out, value, what)) return wrong;
  return at_end();
}

std::optional<Error> JournalReader::at_end() {
  if (left_.empty()) return std::nullopt;
  return error("expected the end of the line");
}

std::optional<Error> JournalReader::session() {
  if (open_) {
    left_ = line_;
    return error("expected `e`: a transaction is open");
  }
  Text text;
  std::int64_t name = 0;
  if (auto wrong = integer(text, name, "the session's name")) return wrong;
  if (auto wrong = at_end()) return wrong;
  // The order of its transactions is that of the lines; between two journals there is none.
  const auto [at, is_new] = findings_.sessions.emplace(name, view_->file);
  if (!is_new && at->second != view_->file) {
    left_ = line_;
    return error(fmt::format("expected a session of this journal alone: another one has session {} too", name));
  }
  session_ = name;
  return std::nullopt;
}

std::optional<Error> JournalReader::begin() {
  if (open_ || !session_) {
    left_ = line_;
    return error(open_ ? "expected `e`: the transaction before this one has no end"
                       : "expected `s`: the session that the transaction belongs to");
  }
  if (findings_.over.contains(*session_)) {
    left_ = line_;
    return error(
        fmt::format("expected another session: session {} had an unknown transaction, and nobody knows when "
                    "that one ended",
                    *session_));
  }
  std::int64_t id = 0;
  if (auto wrong = integer(id_, id, "the transaction's id")) return wrong;
  if (!left_.starts_with(' ')) return error("expected a blank and the time of its begin");
  left_.remove_prefix(1);
  if (auto wrong = time(begin_, "the time of its begin")) return wrong;
  open_ = true;
  commit_sent_ = false;
  commit_ = {};
  facts_ = {};
  place_.reset();
  operations_.clear();
  unanswered_ = 0;
  return std::nullopt;
}

// One array and nothing after it: its first bracket is closed by its last one.
std::optional<Error> JournalReader::bracketed(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  bool good = text.starts_with('[');
  for (std::size_t i = 0; good && i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
      if (depth == 0 && i + 1 < text.size()) good = false;
    }
  }
  if (good && depth == 0 && !in_string) return std::nullopt;
  return error("expected one operation, an array as in the native format");
}

std::optional<Error> JournalReader::operation() {
  if (auto wrong = bracketed(left_)) return wrong;
  operations_.push_back({left_, {}, {}, number_, column(), false});
  return std::nullopt;
}

std::optional<Error> JournalReader::announced() {
  Text before;
  std::int64_t value = 0;
  if (auto wrong = integer(before, value, "the time before the write")) return wrong;
  if (!left_.starts_with(' ')) return error("expected a blank and an operation");
  left_.remove_prefix(1);
  if (auto wrong = bracketed(left_)) return wrong;
  if (is_read(left_)) return error("expected a write: a read is recorded when it was answered");
  if (unanswered_ == operations_.size() || !operations_[unanswered_].announced) unanswered_ = operations_.size();
  operations_.push_back({left_.substr(0, left_.size() - 1), before.text, {}, number_, column(), true});
  return std::nullopt;
}

std::optional<Error> JournalReader::answered() {
  Text after;
  if (auto wrong = time(after, "the time of the answer")) return wrong;
  for (std::size_t i = unanswered_; i < operations_.size(); ++i) {
    if (operations_[i].announced) operations_[i].after = after.text;
  }
  unanswered_ = operations_.size();
  return std::nullopt;
}

std::optional<Error> JournalReader::facts() {
  if (facts_.line != 0) {
    left_ = line_;
    return error("expected one `f` a transaction, this is the second");
  }
  // Names at the top of the object: strings that a colon follows.
  std::size_t depth = 0;
  bool good = !left_.empty();
  for (std::size_t i = 0; good && i < left_.size(); ++i) {
    const char c = left_[i];
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') {
      good = depth > 0;
      --depth;
    }
    if (c != '"') continue;
    const std::size_t from = i + 1;
    bool escaped = false;
    for (++i; i < left_.size() && left_[i] != '"'; ++i) {
      if (left_[i] == '\\') {
        escaped = true;
        ++i;
      }
    }
    if (i >= left_.size()) {
      good = false;
      break;
    }
    if (depth > 0) continue;
    const std::size_t next = left_.find_first_not_of(" \t\r", i + 1);
    if (next == std::string_view::npos || left_[next] != ':') continue;
    const std::string_view name = left_.substr(from, i - from);
    if (escaped || std::find(std::begin(kNotFacts), std::end(kNotFacts), name) != std::end(kNotFacts)) {
      left_.remove_prefix(from - 1);
      return error(fmt::format("expected a fact of the database, not \"{}\"", name));
    }
  }
  if (!good || depth != 0) return error("expected members of a JSON object, without its braces");
  facts_ = {left_, number_, column()};
  return std::nullopt;
}

std::optional<Error> JournalReader::place() {
  if (place_) {
    left_ = line_;
    return error("expected one `p` a transaction, this is the second");
  }
  Text text;
  std::int64_t value = 0;
  if (auto wrong = integer(text, value, "its place in the order of commits")) return wrong;
  if (auto wrong = at_end()) return wrong;
  place_ = value;
  place_line_ = number_;
  return std::nullopt;
}

std::optional<Error> JournalReader::end() {
  const std::string_view name = left_.substr(0, left_.find(' '));
  if (name == "unknown" && name == left_) return close(Status::kUnknown, {});
  if ((name != "committed" && name != "aborted") || name == left_) {
    return error("expected `committed` or `aborted` and a time, or `unknown` and none");
  }
  if (name == "committed" && !commit_sent_) {
    return error("expected `c` before it: a transaction is committed by a commit that was sent");
  }
  left_.remove_prefix(name.size() + 1);
  Text ended;
  if (auto wrong = time(ended, "the time of its end")) return wrong;
  return close(name == "committed" ? Status::kCommitted : Status::kAborted, ended.text);
}

void JournalReader::put(std::string_view text, std::uint32_t line, std::uint32_t column) {
  pieces_.push_back({text_.size(), text.size(), line, column});
  text_ += text;
}

// Puts the open transaction together as a line of the native format, and adds it.
std::optional<Error> JournalReader::close(Status status, std::string_view end_time) {
  open_ = false;
  text_.clear();
  pieces_.clear();
  text_ += "{\"id\":";
  put(id_.text, id_.line, id_.column);
  text_ += ",\"session\":";
  text_ += fmt::format_int(*session_).str();
  if (status != Status::kCommitted) {
    text_ += status == Status::kAborted ? R"(,"status":"aborted")" : R"(,"status":"unknown")";
  }
  text_ += ",\"begin\":";
  text_ += begin_.text;
  if (!end_time.empty()) {
    text_ += ",\"end\":";
    text_ += end_time;
  }
  if (commit_sent_) {
    text_ += ",\"commit\":[";
    put(commit_.text, commit_.line, commit_.column);
    text_ += ',';
    text_ += end_time.empty() ? std::string_view("null") : end_time;
    text_ += ']';
  }
  if (facts_.line != 0) {
    text_ += ',';
    put(facts_.text, facts_.line, facts_.column);
  }
  text_ += ",\"ops\":[";
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& op = operations_[i];
    if (i > 0) text_ += ',';
    put(op.text, op.line, op.column);
    if (!op.announced) continue;
    if (!op.after.empty()) {
      text_ += ",{\"at\":[";
      text_ += op.before;
      text_ += ',';
      text_ += op.after;
      text_ += "]}";
    }
    text_ += ']';
  }
  text_ += "]}\n";
  if (status == Status::kUnknown) findings_.over.insert(*session_);
  return add_line();
}

std::optional<Error> JournalReader::add_line() {
  const std::uint32_t txn = builder_.txn_count();
  const std::string_view line(text_.data(), text_.size() - 1);
  if (!add_plain_line(line, builder_)) {
    if (auto wrong = native_.add(line, false)) {
      // The last piece that begins before the fault; what stands between pieces is ours and cannot be wrong.
      const std::size_t at = wrong->column == 0 ? 0 : static_cast<std::size_t>(wrong->column - 1);
      auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                                    [](std::size_t place, const Piece& p) { return place < p.from; });
      if (piece != pieces_.begin()) --piece;
      wrong->file = view_->name;
      wrong->line = piece->line;
      wrong->column = piece->column + (at < piece->from ? 0 : std::min(at - piece->from, piece->length));
      return wrong;
    }
  }
  findings_.origins.push_back({view_->file, id_.line});
  if (place_) findings_.places.push_back({*place_, txn, place_line_});
  return std::nullopt;
}

}  // namespace isolde
