#include "tests/support/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "format/native.h"

namespace isolde {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Draft run() {
    Draft out;
    while (!at_end()) {
      segment(out);
      skip_space();
      if (!at_end()) expect('|');
      skip_space();
    }
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    fmt::print(stderr, "hist(\"{}\"), at {}: {}\n", text_, at_, what);
    std::abort();
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(peek())) != 0) ++at_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("expected '{}'", c));
  }

  template <typename Accept>
  std::string word(Accept accept) {
    const std::size_t from = at_;
    while (!at_end() && accept(static_cast<unsigned char>(peek()))) ++at_;
    if (at_ == from) fail("expected a name");
    return std::string(text_.substr(from, at_ - from));
  }
  std::string name() {
    return word([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  }
  std::string key() {
    return word([](unsigned char c) { return std::isalpha(c) != 0; });
  }

  [[nodiscard]] bool at_number() const {
    return std::isdigit(static_cast<unsigned char>(peek())) != 0 || peek() == '-' || peek() == '+';
  }
  std::int64_t number() {
    take('+');
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed != std::errc{}) fail("expected a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  DraftValue value() {
    if (take('_')) return {};
    if (take('{')) {
      std::optional<std::int64_t> v;
      std::optional<std::int64_t> n;
      if (!take('_')) v = number();
      if (take(',')) n = number();
      expect('}');
      return DraftValue::of_row(v, n);
    }
    if (!take('[')) return DraftValue::of(number());
    std::vector<std::int64_t> elements;
    for (skip_space(); !take(']'); skip_space()) elements.push_back(number());
    return DraftValue::of_list(std::move(elements));
  }

  void range(std::optional<std::int64_t>& from, std::optional<std::int64_t>& to) {
    if (at_number()) from = number();
    expect('.');
    expect('.');
    if (at_number()) to = number();
  }

  void segment(Draft& out) {
    skip_space();
    DraftTxn txn;
    txn.name = name();
    if (txn.name == "init" || txn.name == "versions") return evidence(txn.name == "init", out);
    txn.session = txn.name;
    for (skip_space(); !take(':'); skip_space()) {
      if (take('@')) {
        txn.session = name();
      } else if (take('!')) {
        txn.status = Status::kAborted;
      } else if (take('?')) {
        txn.status = Status::kUnknown;
      } else if (take('#')) {
        txn.order = number();
      } else if (take('{')) {
        range(txn.begin, txn.end);
        expect('}');
      } else {
        range(txn.start_ts, txn.commit_ts);
      }
    }
    for (skip_space(); !at_end() && peek() != '|'; skip_space()) operation(txn);
    out.txns.push_back(std::move(txn));
  }

  void evidence(bool initial, Draft& out) {
    skip_space();
    expect(':');
    for (skip_space(); !at_end() && peek() != '|'; skip_space()) {
      const std::string k = key();
      if (initial) {
        out.initial.emplace_back(k, value());
        continue;
      }
      DraftVersions order{k, {}, {}};
      if (take('<')) {
        for (skip_space(); !take('>'); skip_space()) order.txns.push_back(name());
      } else {
        for (const std::int64_t element : value().list) order.values.push_back(DraftValue::of(element));
      }
      out.versions.push_back(std::move(order));
    }
  }

  void operation(DraftTxn& txn) {
    constexpr std::string_view kLetters = "rwaisug";
    constexpr OpKind kKinds[] = {OpKind::kRead, OpKind::kWrite,  OpKind::kAppend,   OpKind::kIncrement,
                                 OpKind::kScan, OpKind::kUpdate, OpKind::kAggregate};
    const std::size_t letter = kLetters.find(peek());
    if (letter == std::string_view::npos) fail("expected one of r w a i s u g");
    ++at_;
    DraftOp op{kKinds[letter], {}, {}};
    if (!is_predicate(op.kind)) {
      skip_space();
      op.key = key();
      op.value = value();
    } else {
      if (op.kind == OpKind::kAggregate) op.aggregate = quoted();
      if (peek() == '`') op.where = quoted();
      skip_space();
      if (op.kind == OpKind::kAggregate) op.value = value();
      op.items = rows();
      if (take('<')) {
        op.vset = rows();
        expect('>');
      }
    }
    txn.ops.push_back(std::move(op));
  }
  std::string quoted() {
    expect('`');
    const std::string text = word([](unsigned char c) { return c != '`'; });
    expect('`');
    return text;
  }
  // A row ends in '}', so an operation's letter is told from a key by what follows it.
  std::vector<std::pair<std::string, DraftValue>> rows() {
    std::vector<std::pair<std::string, DraftValue>> out;
    for (skip_space(); !at_end() && peek() != '|' && peek() != '<' && peek() != '>' && !at_operation(); skip_space()) {
      const std::string k = key();
      out.emplace_back(k, value());
    }
    return out;
  }
  [[nodiscard]] bool at_operation() const {
    return at_ + 1 >= text_.size() || text_[at_ + 1] == '`' ||
           std::isspace(static_cast<unsigned char>(text_[at_ + 1])) != 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class StringOutput final : public Output, public ByteSink {
 public:
  ByteSink& file(std::string_view) override { return *this; }
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

}  // namespace

Draft draft(std::string_view text) { return Reader(text).run(); }

History hist(std::string_view text) { return draft(text).build(); }

std::string native_text(const History& history) {
  StringOutput out;
  const Result<WriteResult> written = kNativeFormat.write(history, out);
  return written ? out.text : written.error().message();
}

}  // namespace isolde
