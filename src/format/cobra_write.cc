// format/cobra_write.cc: a History of registers as Cobra's logs; see cobra.h.

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "format/cobra.h"
#include "format/register_output.h"

namespace isolde::cobra {
namespace {

// What a log says of a version.
struct Identity {
  std::int64_t write, value;
  std::optional<std::int64_t> txn;  // as the row has it
};
struct Known {
  Identity identity;
  std::optional<std::int64_t> writer;  // the first transaction that wrote it
};

// Which transactions a log has, and whether it has times.
class Selection {
 public:
  explicit Selection(const History& h) : h_(h), last_(h.session_count(), kNone32), written_(h.txn_count()) {
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) last_[raw(h.session(TxnId{t}))] = t;
    const std::vector<bool> counts = effective(h);
    bool any_time = false;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      const TxnId txn{t};
      const bool open = is_open(txn);
      written_[t] = counts[t] || open;
      if (!written_[t]) ++(h.status(txn) == Status::kAborted ? aborted_ : unknown_);
      if (h.status(txn) == Status::kUnknown && !open && counts[t]) ++unknown_seen_;
      if (!written_[t]) continue;
      timed_ = timed_ && h.begin(txn) != kNoTime && (open || h.end(txn) != kNoTime);
      any_time = any_time || h.begin(txn) != kNoTime || h.end(txn) != kNoTime;
    }
    timed_ = timed_ && any_time;
  }

  // Only the last transaction of a session can be left open in a log.
  [[nodiscard]] bool is_open(TxnId txn) const {
    return h_.status(txn) == Status::kUnknown && last_[raw(h_.session(txn))] == raw(txn);
  }
  [[nodiscard]] bool has(TxnId txn) const { return written_[raw(txn)]; }
  [[nodiscard]] bool timed() const { return timed_; }
  [[nodiscard]] std::uint64_t aborted() const { return aborted_; }            // left out
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }            // left out
  [[nodiscard]] std::uint64_t unknown_seen() const { return unknown_seen_; }  // written as committed

 private:
  const History& h_;
  std::vector<std::uint32_t> last_;  // per session: its last transaction
  std::vector<bool> written_;
  bool timed_ = true;
  std::uint64_t aborted_ = 0, unknown_ = 0, unknown_seen_ = 0;
};

class CobraWriter {
 public:
  CobraWriter(const History& h, Output& output)
      : h_(h), output_(output), selection_(h), sessions_(h.values()), ids_(h.values()) {}

  WriteResult run() {
    prepare();
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (selection_.has(TxnId{t})) transaction(TxnId{t});
    }
    // A folder without a file is no log.
    if (bytes_.empty()) output_.file("T0.log");
    return WriteResult{lost(), transactions_, operations_};
  }

 private:
  static std::uint64_t key_of(KeyId key, ValueId value) { return (std::uint64_t{raw(key)} << 32) | raw(value); }

  void prepare() {
    const HistoryColumns& c = h_.columns();
    for (const ValueId name : c.session_name) sessions_.add(name);
    for (const ValueId id : c.id) ids_.add(id);
    for (const ValueId name : c.session_name) too_large_ = too_large_ || sessions_(name) > kLargestSession;
    for (const ValueId v : c.op_value) {
      if (const auto identity = from_row(v)) used_.insert(identity->write);
    }
    for (const std::int64_t special : {kInitial, kMissing, kDeleted, kAny, kCollectedTrue, kCollectedFalse})
      used_.insert(special);
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!selection_.has(TxnId{t})) continue;
      for (std::uint32_t i = h_.first_op(TxnId{t}); i < h_.end_op(TxnId{t}); ++i) {
        if (h_.op(i).kind() != OpKind::kWrite || h_.op_value(i) == kNullValue) continue;
        Known& known = version(h_.op(i).key(), h_.op_value(i));
        if (!known.writer) known.writer = id_of(TxnId{t});
      }
    }
  }

  [[nodiscard]] std::int64_t id_of(TxnId txn) {
    const ValueId id = h_.columns().id[raw(txn)];
    if (const auto number = as_signed(h_.values(), id)) return *number;
    return static_cast<std::int64_t>(ids_(id));
  }

  [[nodiscard]] std::optional<Identity> from_row(ValueId v) const {
    if (h_.values().type(v) != ValueType::kRow) return std::nullopt;
    std::optional<std::int64_t> value;
    std::optional<std::int64_t> write;
    std::optional<std::int64_t> txn;
    for (const RowField& field : h_.values().row(v)) {
      const std::string_view name = h_.values().string(field.name);
      const auto number = as_signed(h_.values(), field.value);
      if (!number) return std::nullopt;
      if (name == "value") {
        value = number;
      } else if (name == "write") {
        write = number;
      } else if (name == "txn") {
        txn = number;
      } else {
        return std::nullopt;
      }
    }
    if (!value || !write) return std::nullopt;
    // A row with an id that means something else in a log is a value like any other.
    if (*write == kInitial || *write == kMissing || *write == kDeleted || *write == kCollectedTrue ||
        *write == kCollectedFalse) {
      return std::nullopt;
    }
    return Identity{*write, *value, txn};
  }

  std::int64_t hash_of(ValueId v) {
    if (const auto number = as_signed(h_.values(), v)) return *number;
    hashed_ = true;
    const std::string text = h_.values().json(v);
    return static_cast<std::int64_t>(hash_bytes(text.data(), text.size()));
  }

  Known& version(KeyId key, ValueId v) {
    const auto [at, is_new] = versions_.try_emplace(key_of(key, v));
    if (!is_new) return at->second;
    if (const auto identity = from_row(v)) {
      at->second.identity = *identity;
      return at->second;
    }
    while (used_.contains(next_write_)) ++next_write_;
    at->second.identity = Identity{next_write_++, hash_of(v), std::nullopt};
    new_write_ids_ = true;
    return at->second;
  }

  void transaction(TxnId txn) {
    bytes_.clear();
    const std::int64_t id = id_of(txn);
    bytes_ += 'S';
    number(id);
    if (selection_.timed()) number(h_.begin(txn));
    ++transactions_;
    for (std::uint32_t i = h_.first_op(txn); i < h_.end_op(txn); ++i) {
      if (!h_.op(i).is_read_or_write()) continue;
      ++operations_;
      const KeyId key = h_.op(i).key();
      if (h_.op(i).kind() == OpKind::kRead) {
        read(key, h_.op_value(i));
      } else {
        write(key, h_.op_value(i));
      }
    }
    if (!selection_.is_open(txn)) {
      bytes_ += 'C';
      number(id);
      if (selection_.timed()) number(h_.end(txn));
    }
    output_.file(fmt::format("T{}.log", session_of(txn))).write(bytes_);
  }

  [[nodiscard]] std::uint64_t session_of(TxnId txn) {
    const ValueId name = h_.columns().session_name[raw(h_.session(txn))];
    return too_large_ ? raw(h_.session(txn)) : sessions_(name);
  }

  void write(KeyId key, ValueId v) {
    bytes_ += 'W';
    if (v == kNullValue) {
      number(kDeleted);
      number(key_hash(key));
      number(0);
      return;
    }
    const Identity identity = version(key, v).identity;
    number(identity.write);
    number(key_hash(key));
    number(identity.value);
  }

  void read(KeyId key, ValueId v) {
    bytes_ += 'R';
    if (v == kNullValue || v == h_.initial(key)) {
      number(v == kNullValue ? kMissing : kInitial);
      number(v == kNullValue ? kMissing : kInitial);
      number(key_hash(key));
      number(v == kNullValue ? 0 : hash_of(v));
      return;
    }
    const Known known = version(key, v);
    number(known.identity.txn ? *known.identity.txn : known.writer.value_or(kNoWriter));
    number(known.identity.write);
    number(key_hash(key));
    number(known.identity.value);
  }

  std::int64_t key_hash(KeyId key) { return hash_of(h_.columns().key_name[raw(key)]); }

  void number(std::int64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
    }
  }

  Lost lost() {
    Lost lost;
    if (hashed_) lost.emplace_back("keys and values that are not 64-bit integers: their hashes are written");
    if (new_write_ids_) lost.emplace_back("the original values: each got a write id");
    if (sessions_.given() > 0 || too_large_) lost.emplace_back("names of sessions: they were numbered");
    if (ids_.given() > 0) lost.emplace_back("transaction ids that are not integers: they were numbered");
    if (selection_.aborted() > 0) lost.push_back(fmt::format("{} aborted transactions", selection_.aborted()));
    if (selection_.unknown() > 0) {
      lost.push_back(
          fmt::format("{} transactions of unknown status that no other transaction saw", selection_.unknown()));
    }
    if (selection_.unknown_seen() > 0) {
      lost.push_back(fmt::format("that {} seen transactions have unknown status", selection_.unknown_seen()));
    }
    note_uncarried(h_, kCobraFormat, lost);
    return lost;
  }

  static constexpr std::int64_t kNoWriter = -1;
  // A session's number is part of a file's name, which is read back up to this.
  static constexpr std::uint64_t kLargestSession = 0x7fffffffU;

  const History& h_;
  Output& output_;
  const Selection selection_;
  Numbering sessions_, ids_;
  std::unordered_map<std::uint64_t, Known> versions_;  // by key and value
  std::unordered_set<std::int64_t> used_;              // write ids
  std::int64_t next_write_ = 1;
  std::string bytes_;
  std::uint64_t transactions_ = 0, operations_ = 0;
  bool hashed_ = false, new_write_ids_ = false;
  bool too_large_ = false;  // some session's number
};

// Values that are read and do not say which write they are from.
std::uint64_t repeats_that_were_read(const History& h) {
  std::unordered_map<std::uint64_t, std::uint64_t> unread;
  const auto key_of = [](KeyId key, ValueId value) { return (std::uint64_t{raw(key)} << 32) | raw(value); };
  for (const Repeat& repeat : repeats_of(h)) {
    if (repeat.value != kNullValue) unread.emplace(key_of(repeat.key, repeat.value), repeat.times);
  }
  std::uint64_t n = 0;
  for (std::uint32_t i = 0; i < h.op_count() && !unread.empty(); ++i) {
    if (h.op(i).kind() != OpKind::kRead) continue;
    const auto at = unread.find(key_of(h.op(i).key(), h.op_value(i)));
    if (at == unread.end()) continue;
    n += at->second;
    unread.erase(at);
  }
  return n;
}

// Initial values of keys that somebody found absent. In a log absence is the state before the first write, unless the
// key was deleted and its initial value was read.
std::uint64_t initial_values_found_absent(const History& h) {
  std::vector<bool> deleted(h.key_count(), false), absent(h.key_count(), false), initial(h.key_count(), false);
  const Selection selection(h);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (!selection.has(TxnId{t})) continue;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      if (!h.op(i).is_read_or_write()) continue;
      const KeyId key = h.op(i).key();
      if (h.op_value(i) == kNullValue) (h.op(i).is_read() ? absent : deleted)[raw(key)] = true;
      if (h.op(i).is_read() && h.op_value(i) == h.initial(key)) initial[raw(key)] = true;
    }
  }
  std::uint64_t n = 0;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const bool told = deleted[k] && initial[k];
    n += absent[k] && !told && h.initial(KeyId{k}) != kNullValue ? 1 : 0;
  }
  return n;
}

}  // namespace

Result<WriteResult> write(const History& history, Output& output) { return CobraWriter(history, output).run(); }

std::uint64_t unfit(const History& h, HistoryContent content) {
  switch (content) {
    case HistoryContent::kRepeatedValues:
      return repeats_that_were_read(h);
    case HistoryContent::kInitialValues:
      return initial_values_found_absent(h);
    case HistoryContent::kUnknown: {
      // Written as committed they would have an end; and who was seen is certain only if nobody else wrote the same.
      const Selection selection(h);
      return selection.timed() || !repeats_of(h).empty() ? selection.unknown_seen() : 0;
    }
    case HistoryContent::kClientTimes:
      return Selection(h).timed() ? 0 : count(h, HistoryContent::kClientTimes);
    default:
      return 0;
  }
}

}  // namespace isolde::cobra
