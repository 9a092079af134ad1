#include "format/native_fast.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "format/plain_json.h"

namespace isolde {
namespace {

// Every member function returns false where the text is not plain; the caller then gives up.
class PlainLine : PlainJson<Newlines::kEnd> {
 public:
  // The newline behind the line ends the scan.
  PlainLine(std::string_view line, HistoryBuilder& builder)
      : PlainJson(line.data(), line.data() + line.size()), builder_(builder) {}

  bool parse() {
    builder_.begin_txn(SessionId{0});
    unsigned seen = 0;
    if (!take('{')) return false;
    do {
      std::string_view name;
      if (!plain_string(name) || !take(':')) return false;
      const unsigned bit = field_bit(name);
      if (bit == 0 || (seen & bit) != 0) return false;
      seen |= bit;
      if (!field(bit)) return false;
    } while (take(','));
    if (!take('}')) return false;
    if (peek() != '\n' || (seen & (kSession | kOps)) != (kSession | kOps)) return false;
    builder_.end_txn();
    return true;
  }

 private:
  static constexpr unsigned kId = 1, kSession = 2, kStatus = 4, kBegin = 8, kEnd = 16, kStartTs = 32, kCommitTs = 64,
                            kOrder = 128, kOps = 256, kSnapshot = 512, kSno = 1024, kCommit = 2048;

  static unsigned field_bit(std::string_view name) {
    if (name.size() > 8) return name == "commit_ts" ? kCommitTs : 0;
    switch (packed_name(name)) {
      case packed_name("id"):
        return kId;
      case packed_name("ops"):
        return kOps;
      case packed_name("end"):
        return kEnd;
      case packed_name("sno"):
        return kSno;
      case packed_name("begin"):
        return kBegin;
      case packed_name("order"):
        return kOrder;
      case packed_name("status"):
        return kStatus;
      case packed_name("commit"):
        return kCommit;
      case packed_name("session"):
        return kSession;
      case packed_name("start_ts"):
        return kStartTs;
      case packed_name("snapshot"):
        return kSnapshot;
      default:
        return 0;
    }
  }

  bool field(unsigned bit) {
    if (bit == kOps) return operations();
    if (bit == kStatus) return status();
    if (bit == kSnapshot) return snapshot();
    if (bit == kCommit) return commit();
    if (bit == kId || bit == kSession) {
      ValueId value{};
      if (!integer_or_string(builder_.values(), value)) return false;
      if (bit == kId) {
        builder_.set_id(value);
      } else {
        builder_.set_session(builder_.session(value));
      }
      return true;
    }
    std::int64_t time = 0;
    skip_space();
    if (!integer(time)) return false;
    switch (bit) {
      case kBegin:
        builder_.set_begin(time);
        break;
      case kEnd:
        builder_.set_end(time);
        break;
      case kStartTs:
        builder_.set_start_ts(time);
        break;
      case kCommitTs:
        builder_.set_commit_ts(time);
        break;
      case kOrder:
        builder_.set_order(time);
        break;
      default:
        builder_.set_sno(time);
        break;
    }
    return true;
  }

  bool status() {
    std::string_view text;
    if (!plain_string(text)) return false;
    if (text == "committed") return true;
    if (text != "aborted" && text != "unknown") return false;
    builder_.set_status(text == "aborted" ? Status::kAborted : Status::kUnknown);
    return true;
  }

  bool commit() {
    std::int64_t before = kNoTime;
    std::int64_t after = kNoTime;
    if (!take('[') || !spaced_integer(before) || !take(',')) return false;
    if (!(peek() == 'n' ? null() : integer(after)) || !take(']')) return false;
    builder_.set_commit(before, after);
    return true;
  }

  bool snapshot() {
    std::int64_t numbers[3] = {kNoTime, kNoTime, kNoTime};  // xid, xmin, xmax
    bool has_active = false;
    active_.clear();
    if (!take('{')) return false;
    do {
      std::string_view name;
      if (!plain_string(name) || !take(':')) return false;
      if (name == "active" && !has_active) {
        has_active = true;
        if (!integers(active_)) return false;
        continue;
      }
      const int place = name == "xid" ? 0 : name == "xmin" ? 1 : name == "xmax" ? 2 : -1;
      if (place < 0 || numbers[place] != kNoTime || !spaced_integer(numbers[place])) return false;
    } while (take(','));
    if (!take('}') || numbers[1] == kNoTime || numbers[2] == kNoTime) return false;
    builder_.set_snapshot(numbers[0] == kNoTime ? std::nullopt : std::optional(numbers[0]), numbers[1], numbers[2],
                          active_);
    return true;
  }

  bool integers(std::vector<std::int64_t>& out) {
    return array([&] { return spaced_integer(out.emplace_back()); });
  }

  bool operations() {
    return array([this] { return operation(); });
  }

  bool operation() {
    OpKind kind{};
    if (!take('[') || !kind_of(kind) || !take(',')) return false;
    ValueId key{};
    ValueId value{};
    if (!integer_or_string(builder_.values(), key) || !take(',') || !plain_value(value)) return false;
    Lock lock = Lock::kNone;
    std::int64_t before = kNoTime;
    std::int64_t after = kNoTime;
    if (!take(']')) {
      if (!take(',') || !details(lock, before, after) || !take(']')) return false;
    }
    const KeyId id = builder_.key(key);
    switch (kind) {
      case OpKind::kRead:
        builder_.read(id, value, lock);
        break;
      case OpKind::kWrite:
        builder_.write(id, value);
        break;
      default:
        builder_.append(id, value);
        break;
    }
    if (kind != OpKind::kRead && lock != Lock::kNone) return false;
    if (before != kNoTime) builder_.at(before, after);
    return true;
  }

  bool kind_of(OpKind& kind) {
    char c = 0;
    if (letter(c)) {
      kind = c == 'r' ? OpKind::kRead : OpKind::kWrite;
      return c == 'r' || c == 'w';
    }
    std::string_view name;
    kind = OpKind::kAppend;
    return plain_string(name) && name == "append";
  }

  bool details(Lock& lock, std::int64_t& before, std::int64_t& after) {
    if (!take('{')) return false;
    do {
      std::string_view name;
      if (!plain_string(name) || !take(':')) return false;
      if (name == "at" && before == kNoTime) {
        if (!take('[') || !spaced_integer(before) || !take(',') || !spaced_integer(after) || !take(']')) return false;
      } else if (name == "lock" && lock == Lock::kNone) {
        std::string_view text;
        if (!plain_string(text) || (text != "update" && text != "share")) return false;
        lock = text == "update" ? Lock::kUpdate : Lock::kShare;
      } else {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  bool plain_value(ValueId& value) {
    const char next = peek();
    if (next == '[') return list(value);
    if (next == 'n') {
      value = kNullValue;
      return null();
    }
    return integer_or_string(builder_.values(), value);
  }

  bool list(ValueId& value) {
    elements_.clear();
    if (!array([this] { return integer_or_string(builder_.values(), elements_.emplace_back()); })) return false;
    value = builder_.values().list(elements_);
    return true;
  }

  HistoryBuilder& builder_;
  std::vector<ValueId> elements_;
  std::vector<std::int64_t> active_;
};

}  // namespace

bool add_plain_line(std::string_view line, HistoryBuilder& builder) {
  if (PlainLine(line, builder).parse()) return true;
  builder.abandon_txn();
  return false;
}

}  // namespace isolde
