#include "record/pgoutput.h"

#include <fmt/format.h>

namespace isolde::record::pgoutput {
namespace {

// Takes bytes off the front. Once something is missing everything is: `fault()` says what came first.
class Bytes {
 public:
  explicit Bytes(std::string_view all) : all_(all) {}

  std::string_view take(std::size_t count, const char* what) {
    if (!fault_.empty() || all_.size() - at_ < count) {
      if (fault_.empty()) fault_ = fmt::format("byte {}: expected {}", at_, what);
      return {};
    }
    at_ += count;
    return all_.substr(at_ - count, count);
  }
  template <typename T>
  T number(const char* what) {
    T value = 0;
    for (const char c : take(sizeof(T), what))
      value = static_cast<T>(static_cast<T>(value << 8) | static_cast<unsigned char>(c));
    return value;
  }
  std::string_view text(const char* what) {
    const std::size_t end = fault_.empty() ? all_.find('\0', at_) : std::string_view::npos;
    if (end == std::string_view::npos) return take(all_.size() + 1, what);
    const std::string_view found = all_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  char letter(const char* what) {
    const std::string_view one = take(1, what);
    return one.empty() ? '\0' : one[0];
  }
  // Requires: what was read is not what was meant.
  void refuse(const char* what) {
    if (fault_.empty()) fault_ = fmt::format("byte {}: expected {}", at_ - 1, what);
  }
  void skip() { at_ = all_.size(); }
  [[nodiscard]] bool faulty() const { return !fault_.empty(); }
  [[nodiscard]] bool at_end() const { return at_ == all_.size(); }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  std::string_view all_;
  std::size_t at_ = 0;
  std::string fault_;
};

Relation relation(Bytes& bytes) {
  Relation out{};
  out.id = bytes.number<std::uint32_t>("a table's oid");
  out.schema = bytes.text("a schema's name");
  out.name = bytes.text("a table's name");
  bytes.number<std::uint8_t>("the replica identity");
  const auto count = bytes.number<std::uint16_t>("how many columns");
  for (std::uint16_t i = 0; i < count && !bytes.faulty(); ++i) {
    Column column{};
    column.in_key = (bytes.number<std::uint8_t>("a column's flags") & 1U) != 0;
    column.name = bytes.text("a column's name");
    column.type = bytes.number<std::uint32_t>("a column's type");
    bytes.number<std::uint32_t>("a type's modifier");
    out.columns.push_back(column);
  }
  return out;
}

Row row(Bytes& bytes) {
  Row out;
  const auto count = bytes.number<std::uint16_t>("how many columns");
  for (std::uint16_t i = 0; i < count && !bytes.faulty(); ++i) {
    switch (bytes.letter("a column")) {
      case 'n':
        out.push_back({FieldKind::kNull, {}});
        break;
      case 'u':
        out.push_back({FieldKind::kUnchanged, {}});
        break;
      case 't': {
        const auto size = bytes.number<std::uint32_t>("a column's length");
        out.push_back({FieldKind::kText, bytes.take(size, "a column's text")});
        break;
      }
      default:
        bytes.refuse("a column: n, u or t");
    }
  }
  return out;
}

Change inserted(Bytes& bytes) {
  Change out{};
  out.relation = bytes.number<std::uint32_t>("a table's oid");
  if (bytes.letter("N, a new row") != 'N') bytes.refuse("N, a new row");
  out.after = row(bytes);
  return out;
}

Change updated(Bytes& bytes) {
  Change out{};
  out.relation = bytes.number<std::uint32_t>("a table's oid");
  char kind = bytes.letter("K, O or N, a row");
  if (kind == 'K' || kind == 'O') {
    out.before = row(bytes);
    kind = bytes.letter("N, a new row");
  }
  if (kind != 'N') bytes.refuse("N, a new row");
  out.after = row(bytes);
  return out;
}

Change deleted(Bytes& bytes) {
  Change out{};
  out.relation = bytes.number<std::uint32_t>("a table's oid");
  if (const char kind = bytes.letter("K or O, an old row"); kind != 'K' && kind != 'O')
    bytes.refuse("K or O, an old row");
  out.before = row(bytes);
  return out;
}

std::vector<std::uint32_t> truncated(Bytes& bytes) {
  std::vector<std::uint32_t> out;
  const auto count = bytes.number<std::uint32_t>("how many tables");
  bytes.number<std::uint8_t>("options");
  for (std::uint32_t i = 0; i < count && !bytes.faulty(); ++i)
    out.push_back(bytes.number<std::uint32_t>("a table's oid"));
  return out;
}

std::uint32_t begun(Bytes& bytes) {
  bytes.number<std::uint64_t>("a place in the log");
  bytes.number<std::uint64_t>("a time");
  return bytes.number<std::uint32_t>("an xid");
}

void committed(Bytes& bytes) {
  bytes.number<std::uint8_t>("flags");
  bytes.number<std::uint64_t>("a place in the log");
  bytes.number<std::uint64_t>("a place in the log");
  bytes.number<std::uint64_t>("a time");
}

void read(char kind, Bytes& bytes, Message& out) {
  using Kind = Message::Kind;
  switch (kind) {
    case 'B':
      out.kind = Kind::kBegin;
      out.xid = begun(bytes);
      break;
    case 'C':
      out.kind = Kind::kCommit;
      committed(bytes);
      break;
    case 'R':
      out.kind = Kind::kRelation;
      out.relation = relation(bytes);
      break;
    case 'I':
    case 'U':
    case 'D':
      out.kind = Kind::kChange;
      out.change = kind == 'I' ? inserted(bytes) : kind == 'U' ? updated(bytes) : deleted(bytes);
      break;
    case 'T':
      out.kind = Kind::kTruncate;
      out.truncated = truncated(bytes);
      break;
    case 'O':
    case 'Y':
    case 'M':
      bytes.skip();
      break;
    default:
      bytes.refuse("a message of pgoutput");
  }
}

}  // namespace

Result<Message> decode(std::string_view bytes) {
  Bytes rest(bytes);
  Message out;
  const char kind = rest.letter("a message of pgoutput");
  if (!rest.faulty()) read(kind, rest, out);
  if (!rest.faulty() && !rest.at_end()) {
    rest.take(1, "");
    rest.refuse("the message's end");
  }
  if (rest.faulty()) return Error{fmt::format("a message of pgoutput, {}", rest.fault())};
  return out;
}

}  // namespace isolde::record::pgoutput
