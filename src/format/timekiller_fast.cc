#include "format/timekiller_fast.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/plain_json.h"
#include "format/text_lines.h"

namespace isolde {
namespace {

// Every member function returns false where the text is not plain; the caller then gives up.
class PlainTimekiller : PlainJson<Newlines::kAreBlanks> {
 public:
  // Requires: `text` ends with ']'.
  PlainTimekiller(std::string_view text, int shift, HistoryBuilder& builder)
      : PlainJson(text.data(), text.data() + text.size() - 1),
        end_(text.data() + text.size()),
        shift_(shift),
        builder_(builder) {}

  bool parse(const std::function<void(std::size_t)>& reached) {
    const char* const begin = at();
    const char* told = begin;
    if (!take('[')) return false;
    if (!take(']')) {
      do {
        if (!transaction()) return false;
        if (at() - told > kReachedEvery) {
          told = at();
          reached(static_cast<std::size_t>(told - begin));
        }
      } while (take(','));
      if (!take(']')) return false;
    }
    return at() == end_;
  }

 private:
  static constexpr std::ptrdiff_t kReachedEvery = std::ptrdiff_t{16} << 20;
  static constexpr unsigned kTid = 1, kSid = 2, kSno = 4, kSts = 8, kCts = 16, kOps = 32, kRtts = 64;

  static unsigned field_bit(std::string_view name) {
    if (name.size() > 8) return 0;
    switch (packed_name(name)) {
      case packed_name("tid"):
        return kTid;
      case packed_name("sid"):
        return kSid;
      case packed_name("sno"):
        return kSno;
      case packed_name("sts"):
        return kSts;
      case packed_name("cts"):
        return kCts;
      case packed_name("ops"):
        return kOps;
      case packed_name("rtts"):
        return kRtts;
      default:
        return 0;
    }
  }

  bool transaction() {
    builder_.begin_txn(SessionId{0});
    if (!take('{')) return false;
    unsigned seen = 0;
    SessionId session{0};
    std::int64_t sno = kNoTime;
    do {
      std::string_view name;
      if (!plain_string(name) || !take(':')) return false;
      const unsigned bit = field_bit(name);
      if (bit == 0 || (seen & bit) != 0) return false;
      seen |= bit;
      ValueId label{};
      std::int64_t time = 0;
      switch (bit) {
        case kTid:
          if (!integer_or_string(builder_.values(), label)) return false;
          builder_.set_id(label);
          break;
        case kSid:
          if (!integer_or_string(builder_.values(), label)) return false;
          session = builder_.session(label);
          builder_.set_session(session);
          break;
        case kSno:
          if (!number(sno) || sno < 0) return false;
          builder_.set_sno(sno);
          break;
        case kSts:
          if (!timestamp(time)) return false;
          builder_.set_start_ts(time);
          break;
        case kCts:
          if (!timestamp(time)) return false;
          builder_.set_commit_ts(time);
          break;
        case kOps:
          if (!operations()) return false;
          break;
        default:  // a time that nobody needs
          if (!number(time)) return false;
          break;
      }
    } while (take(','));
    if (!take('}') || (seen & (kTid | kSid | kOps)) != (kTid | kSid | kOps)) return false;
    builder_.end_txn();
    return sno == kNoTime || in_order(session, sno);
  }

  // The general way sorts the transactions of a session by their numbers: not needed where they are in order already.
  bool in_order(SessionId session, std::int64_t sno) {
    if (raw(session) >= last_sno_.size()) last_sno_.resize(raw(session) + 1, -1);
    std::int64_t& last = last_sno_[raw(session)];
    if (sno < last) return false;
    last = sno;
    return true;
  }

  bool timestamp(std::int64_t& packed) {
    std::int64_t p = -1;
    std::int64_t l = 0;
    bool has_l = false;
    if (!take('{')) return false;
    do {
      char name = ' ';
      std::int64_t part = 0;
      if (!letter(name) || !take(':') || !number(part) || part < 0) return false;
      if (name == 'p' && p < 0) {
        p = part;
      } else if (name == 'l' && !has_l) {
        l = part;
        has_l = true;
      } else {
        return false;
      }
    } while (take(','));
    if (!take('}') || p < 0 || l >> shift_ != 0 || p >> (63 - shift_) != 0) return false;
    packed = p << shift_ | l;
    return true;
  }

  // It may be quoted.
  bool number(std::int64_t& value) {
    if (peek() != '"') return integer(value);
    take('"');
    return integer(value) && *at() == '"' && take('"');
  }

  bool operations() {
    return array([this] { return operation(); });
  }

  bool operation() {
    std::optional<OpKind> kind;
    std::optional<ValueId> key;
    ValueId operand = kNullValue;
    bool has_operand = false;
    if (!take('{')) return false;
    do {
      char name = ' ';
      if (!letter(name) || !take(':')) return false;
      if (name == 't' && !kind) {
        if (!kind_of(kind)) return false;
      } else if (name == 'k' && !key) {
        ValueId id{};
        if (!integer_or_text(id)) return false;
        key = id;
      } else if (name == 'v' && !has_operand) {
        has_operand = true;
        if (!operand_of(operand)) return false;
      } else {
        return false;
      }
    } while (take(','));
    if (!take('}') || !kind || !key) return false;
    const KeyId id = builder_.key(*key);
    if (*kind == OpKind::kRead) {
      builder_.read(id, operand);
    } else if (*kind == OpKind::kWrite) {
      builder_.write(id, operand);
    } else if (operand != kNullValue) {
      builder_.append(id, operand);
    } else {
      return false;
    }
    return true;
  }

  bool kind_of(std::optional<OpKind>& kind) {
    char c = ' ';
    std::string_view word;
    if (!letter(c) && !plain_string(word)) return false;
    if (c == 'r' || word == "read") {
      kind = OpKind::kRead;
    } else if (c == 'w' || word == "write") {
      kind = OpKind::kWrite;
    } else if (c == 'a' || word == "append") {
      kind = OpKind::kAppend;
    } else {
      return false;
    }
    return true;
  }

  bool operand_of(ValueId& value) {
    const char next = peek();
    if (next == 'n') return null();  // it is null already
    if (next != '[') return integer_or_text(value);
    elements_.clear();
    if (!array([this] { return integer_or_text(elements_.emplace_back()); })) return false;
    value = builder_.values().list(elements_);
    return true;
  }

  // A text that spells an integer is that integer.
  bool integer_or_text(ValueId& value) {
    if (peek() != '"') return integer_or_string(builder_.values(), value);
    std::string_view text;
    if (!plain_string(text)) return false;
    std::string_view rest = text;
    const auto number = take_integer(rest);
    value = number && rest.empty() ? number->value(builder_.values()) : builder_.values().string(text);
    return true;
  }

  const char* end_;
  int shift_;
  HistoryBuilder& builder_;
  std::vector<std::int64_t> last_sno_;  // per session
  std::vector<ValueId> elements_;
};

}  // namespace

bool add_plain_timekiller(std::string_view text, int shift, HistoryBuilder& builder,
                          const std::function<void(std::size_t)>& reached) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || text[last] != ']') return false;
  return PlainTimekiller(text.substr(0, last + 1), shift, builder).parse(reached);
}

}  // namespace isolde
