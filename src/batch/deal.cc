#include "batch/deal.h"

#include <deque>
#include <unordered_map>
#include <utility>

#include "batch/wire.h"
#include "history/fingerprint.h"

namespace isolde::batch {
namespace {

// What is sent to one rank is one stream of records, cut between records:
//   0                                      a part begins: keys are numbered anew
//   1 + distance from the last place, traits, times, number of operations, the operations
// An operation is its kind and the number of its key, then its value; a new number is followed by the key.
constexpr std::uint64_t kPartBegins = 0;

enum Trait : std::uint64_t { kStatusBits = 3, kTraitWrites = 4, kTraitStart = 8, kTraitCommit = 16 };

// The last numbers of a stream, from which the next are counted.
struct StreamState {
  std::uint64_t place = 0, start = 0, commit = 0;
};

class ShareSender {
 public:
  ShareSender(Parts& parts, const Dealing& dealing, unsigned pass, const TimeForm& form, DealtToo too)
      : parts_(parts),
        dealing_(dealing),
        pass_(pass),
        form_(form),
        too_(too),
        streams_(dealing.ranks),
        ops_(dealing.ranks) {}

  // Adds records until there are about kRoundBytes; false: there are no more.
  Result<bool> fill(std::vector<std::string>& out) {
    std::size_t bytes = 0;
    while (part_ < parts_.count()) {
      if (history_ == nullptr) {
        auto loaded = parts_.load(part_);
        if (!loaded) return std::move(loaded).error();
        begin_part(*std::move(loaded), out);
      }
      for (; txn_ < history_->txn_count() && bytes < kRoundBytes; ++txn_) bytes += send(TxnId{txn_}, out);
      if (txn_ < history_->txn_count()) return true;
      history_.reset();
      ++part_;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kElsewhere = kNone32;

  void begin_part(std::shared_ptr<const History> history, std::vector<std::string>& out) {
    history_ = std::move(history);
    txn_ = 0;
    owner_.assign(history_->key_count(), kElsewhere);
    for (std::uint32_t k = 0; k < history_->key_count(); ++k) {
      const std::uint64_t bucket = dealing_.bucket_of(history_->values(), history_->columns().key_name[k]);
      if (bucket / dealing_.ranks == pass_) owner_[k] = static_cast<std::uint32_t>(bucket % dealing_.ranks);
    }
    number_.assign(history_->key_count(), kNone32);
    keys_sent_.assign(dealing_.ranks, 0);
    for (std::string& bytes : out) WireWriter(bytes).put(kPartBegins);
  }

  std::size_t send(TxnId t, std::vector<std::string>& out) {
    const History& h = *history_;
    used_.clear();
    for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
      const OpHead op = h.op(i);
      const std::uint32_t to = owner_[raw(op.key())];
      if (to == kElsewhere) continue;
      Operations& ops = ops_[to];
      if (ops.count++ == 0) used_.push_back(to);
      WireWriter writer(ops.bytes);
      std::uint32_t& number = number_[raw(op.key())];
      const bool is_new = number == kNone32;
      if (is_new) number = keys_sent_[to]++;
      writer.put((std::uint64_t{number} << 2) | static_cast<std::uint64_t>(op.kind()));
      if (is_new) {
        writer.put_value(h.values(), h.columns().key_name[raw(op.key())]);
        writer.put_value(h.values(), h.initial(op.key()));
      }
      writer.put_value(h.values(), h.op_value(i));
      if (too_.offsets) writer.put(i - h.first_op(t));
    }
    std::size_t bytes = 0;
    for (const std::uint32_t to : used_) {
      const std::size_t before = out[to].size();
      put_head(t, streams_[to], ops_[to].count, out[to]);
      out[to].append(ops_[to].bytes);
      bytes += out[to].size() - before;
      ops_[to].bytes.clear();
      ops_[to].count = 0;
    }
    return bytes;
  }

  void put_head(TxnId t, StreamState& last, std::uint64_t count, std::string& out) const {
    const History& h = *history_;
    const std::uint64_t place = parts_.first_place(part_) + raw(t);
    const std::int64_t start = form_.is_serial() ? kNoTime : h.start_ts(t);
    const std::int64_t commit =
        form_.is_serial() ? timeline::serial_time(h, t, form_.clock) : timeline::commit_time(h, t);
    std::uint64_t traits = static_cast<std::uint64_t>(h.status(t));
    if (timeline::writes_anything(h, t)) traits |= kTraitWrites;
    if (start != kNoTime) traits |= kTraitStart;
    if (commit != kNoTime) traits |= kTraitCommit;
    WireWriter writer(out);
    writer.put(place - last.place + 1);
    last.place = place;
    writer.put(traits);
    const auto put_time = [&writer](std::int64_t time, std::uint64_t& before) {
      if (time == kNoTime) return;
      writer.put_signed(static_cast<std::uint64_t>(time) - before);
      before = static_cast<std::uint64_t>(time);
    };
    put_time(start, last.start);
    put_time(commit, last.commit);
    if (too_.sessions) {
      const ValueId session = h.columns().session_name[raw(h.session(t))];
      writer.put(raw64(fingerprint_of(h.values(), session)));
    }
    writer.put(count);
  }

  struct Operations {
    std::string bytes;
    std::uint64_t count = 0;
  };

  Parts& parts_;
  const Dealing dealing_;
  const unsigned pass_;
  const TimeForm form_;
  const DealtToo too_;
  std::size_t part_ = 0;
  std::uint32_t txn_ = 0;
  std::shared_ptr<const History> history_;
  std::vector<std::uint32_t> owner_, number_;  // by key of the part: who has it, and as which
  std::vector<std::uint32_t> keys_sent_;       // of the part, by rank
  std::vector<StreamState> streams_;
  std::vector<Operations> ops_;  // of the transaction at hand, by rank
  std::vector<std::uint32_t> used_;
};

class ShareBuilder {
 public:
  ShareBuilder(const TimeForm& form, DealtToo too) : form_(form), too_(too) { c_.first_op.push_back(0); }

  void begin_stream() {
    last_ = {};
    last_.place = 0;
  }

  Result<void> take(std::string_view bytes) {
    WireReader in(bytes);
    while (in.good() && !in.at_end()) {
      const std::uint64_t head = in.get();
      if (head == kPartBegins) {
        keys_of_part_.clear();
      } else {
        last_.place += head - 1;
        if (auto taken = take_transaction(in); !taken) return taken;
      }
    }
    if (!in.good()) return Error{"a share of another rank could not be read; please report this"};
    return {};
  }

  KeyShare finish() {
    c_.defaults.push_back(kNullValue);
    c_.flags.push_back(0);
    c_.session_name.push_back(kNullValue);
    c_.value_begin = std::move(values_.begin_column());
    c_.value_type = std::move(values_.type_column());
    c_.value_bytes = std::move(values_.bytes_column());
    const auto storage = std::make_shared<OwnedColumns>(std::move(c_));
    HistoryColumns columns;
    for_each_column([](int, const char*, auto& view, auto& owned) { view = owned.view(); }, columns, *storage);
    return {History(columns, storage), std::move(place_), std::move(writes_), std::move(session_), std::move(offset_)};
  }

 private:
  Result<void> take_transaction(WireReader& in) {
    const std::uint64_t traits = in.get();
    const auto get_time = [&in, traits](std::uint64_t trait, std::uint64_t& before) {
      if ((traits & trait) == 0) return kNoTime;
      before += in.get_signed();
      return static_cast<std::int64_t>(before);
    };
    const std::int64_t start = get_time(kTraitStart, last_.start);
    const std::int64_t commit = get_time(kTraitCommit, last_.commit);
    place_.push_back(last_.place);
    writes_.push_back((traits & kTraitWrites) != 0 ? 1 : 0);
    c_.session.push_back(SessionId{0});
    c_.id.push_back(kNullValue);
    c_.status.push_back(static_cast<Status>(traits & kStatusBits));
    if (!form_.is_serial()) c_.start_ts.push_back(start);
    c_.commit_ts.push_back(commit);
    if (too_.sessions) session_.push_back(in.get());
    for (std::uint64_t left = in.get(); left > 0 && in.good(); --left) take_operation(in);
    c_.first_op.push_back(static_cast<std::uint32_t>(c_.op.size()));
    if (c_.op.size() >= kNone32 - kMostInOne || c_.session.size() >= kNone32 / 2)
      return Error{"the share of a rank has more than 4 billion operations: use more passes (--memory) or more ranks"};
    if (values_.table().size() >= kNone32 - kFirstTableValue || c_.key_name.size() >= OpHead::kMaxSubjects)
      return Error{"the share of a rank has too many values or keys: use more passes (--memory) or more ranks"};
    return {};
  }

  void take_operation(WireReader& in) {
    const std::uint64_t code = in.get();
    const std::uint64_t number = code >> 2;
    if (number == keys_of_part_.size()) take_key(in);
    const ValueId value = in.get_value(values_);
    const std::uint64_t offset = too_.offsets ? in.get() : 0;
    if (!in.good() || number >= keys_of_part_.size()) return;
    c_.op.push_back(OpHead(static_cast<OpKind>(code & 3), Lock::kNone, keys_of_part_[number]));
    c_.op_value.push_back(value);
    if (too_.offsets) offset_.push_back(static_cast<std::uint32_t>(offset));
  }

  void take_key(WireReader& in) {
    const ValueId name = in.get_value(values_);
    const ValueId initial = in.get_value(values_);
    const auto [at, fresh] = keys_.try_emplace(raw(name), static_cast<std::uint32_t>(c_.key_name.size()));
    if (fresh) {
      c_.key_name.push_back(name);
      c_.key_initial.push_back(initial);
    }
    keys_of_part_.push_back(at->second);
  }

  static constexpr std::size_t kMostInOne = std::size_t{1} << 24;  // operations of one transaction

  const TimeForm form_;
  const DealtToo too_;
  OwnedColumns c_;
  ValueInterner values_;
  std::vector<std::uint64_t> place_;
  std::vector<std::uint8_t> writes_;
  std::vector<std::uint64_t> session_;
  std::vector<std::uint32_t> offset_;
  std::unordered_map<std::uint32_t, std::uint32_t> keys_;  // by name
  std::vector<std::uint32_t> keys_of_part_;                // by number in the stream
  StreamState last_;
};

}  // namespace

std::uint64_t Dealing::bucket_of(const ValueTable& values, ValueId key_name) const {
  return mix64(raw64(fingerprint_of(values, key_name))) % (std::uint64_t{ranks} * passes);
}

Result<KeyShare> deal(Ranks& ranks, Parts& parts, const Dealing& dealing, unsigned pass, const TimeForm& form,
                      DealtToo too) {
  ShareSender sender(parts, dealing, pass, form, too);
  std::vector<std::deque<std::string>> received(ranks.size());
  Result<void> good;
  for (bool more = true; more;) {
    std::vector<std::string> out(ranks.size());
    bool own_more = false;
    if (good) {
      auto filled = sender.fill(out);
      if (filled) {
        own_more = *filled;
      } else {
        good = std::move(filled).error();
      }
    }
    for (std::string& bytes : out) bytes.push_back(own_more ? '+' : '.');
    auto in = ranks.exchange(std::move(out));
    more = false;
    for (std::size_t r = 0; r < in.size(); ++r) {
      more = more || in[r].back() == '+';
      in[r].pop_back();
      if (!in[r].empty()) received[r].push_back(std::move(in[r]));
    }
  }
  ShareBuilder builder(form, too);
  for (std::deque<std::string>& stream : received) {
    builder.begin_stream();
    while (!stream.empty()) {
      if (good) good = builder.take(stream.front());
      stream.pop_front();
    }
  }
  if (auto agreed = ranks.agree(good); !agreed) return std::move(agreed).error();
  return builder.finish();
}

}  // namespace isolde::batch
