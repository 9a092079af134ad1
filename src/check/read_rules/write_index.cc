#include "check/read_rules/write_index.h"

#include <algorithm>
#include <bit>

#include "check/accesses.h"

namespace isolde {
namespace {

struct Values {
  std::size_t writes = 0;
  std::uint32_t most = 0;  // of the integers
  bool ascend = true;      // mostly: each write's is more than the last one's
};
Values look_at_values(const History& h) {
  Values out;
  std::size_t up = 0;
  ValueId last{0};
  for (std::uint32_t i = 0; i < h.op_count(); ++i) {
    const ValueId value = h.op_value(i);
    if (is_inline_integer(value)) out.most = std::max(out.most, raw(value));
    if (!is_item_write(h.op(i).kind())) continue;
    ++out.writes;
    up += value > last ? 1 : 0;
    last = value;
  }
  out.ascend = up > out.writes - out.writes / 4;
  return out;
}

}  // namespace

WriteIndex::WriteIndex(const History& h) {
  const Values values = look_at_values(h);
  const std::size_t writes = values.writes + h.columns().items.size();
  const std::size_t tight = std::bit_ceil(writes + writes / 16 + 16);
  if (values.most < 4 * tight || values.ascend) {
    slots_.resize(tight);
    constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
    scale_ = std::clamp<std::uint64_t>((std::uint64_t{tight} << 32) / (std::uint64_t{values.most} + 1), 1, kOne);
    if (fill(h)) return;
  }
  scale_ = 0;
  repeated_ = 0;
  slots_.clear();
  slots_.resize(std::bit_ceil(writes + writes / 2 + 16));
  (void)fill(h);
}

bool WriteIndex::fill(const History& h) {
  struct Write {
    std::uint64_t id;
    TxnId txn;
    Kind kind;
  };
  // A write is added when its slot, which was asked for when it was found, has had time to come.
  constexpr std::size_t kAhead = 64;
  std::vector<Write> waiting;
  std::vector<std::uint32_t> last_txn(h.key_count(), kNone32);
  std::vector<Access> accesses;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    accesses.clear();
    for_each_access(h, TxnId{t}, [&](const Access& a) {
      if (a.kind != OpKind::kRead && a.kind != OpKind::kIncrement) accesses.push_back(a);
    });
    const bool aborted = h.status(TxnId{t}) == Status::kAborted;
    // A write is final if no later one of its transaction has its key: seen by walking backwards.
    for (std::size_t i = accesses.size(); i-- > 0;) {
      const Access& a = accesses[i];
      const bool final = last_txn[raw(a.key)] != t;
      last_txn[raw(a.key)] = t;
      prefetch(a.key, a.value);
      waiting.push_back({id(a.key, a.value), TxnId{t}, aborted ? kAborted : final ? kFinal : kIntermediate});
    }
    if (waiting.size() < kAhead && t + 1 < h.txn_count()) continue;
    for (const Write& write : waiting) {
      if (!add(write.id, write.txn, write.kind)) return false;
    }
    waiting.clear();
  }
  return true;
}

bool WriteIndex::add(std::uint64_t key, TxnId txn, Kind kind) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t i = home(key);
  for (std::uint64_t steps = 0; slots_[i].id != kFree && slots_[i].id != key; i = (i + 1) & mask) {
    if (++steps == kMostSteps && scale_ != 0) return false;
  }
  Entry& entry = slots_[i];
  const bool fresh = entry.id == kFree;
  const auto best = static_cast<std::uint8_t>(entry.kinds & (kFinal | kIntermediate | kAborted));
  if (!fresh && kind != kAborted && (best & (kFinal | kIntermediate)) != 0 && entry.txn != txn &&
      (entry.kinds & kSeveral) == 0) {
    entry.kinds |= kSeveral;
    ++repeated_;
  }
  // The smaller the bit, the better the kind.
  const auto lowest = static_cast<std::uint8_t>(best & -best);
  if (fresh || kind < lowest) entry.txn = txn;
  entry.id = key;
  entry.kinds |= kind;
  return true;
}

const WriteIndex::Entry* WriteIndex::find(KeyId key, ValueId value) const {
  const std::uint64_t wanted = id(key, value);
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t i = home(wanted);
  for (std::uint64_t steps = 0;; i = (i + 1) & mask) {
    if (slots_[i].id == wanted) return &slots_[i];
    if (slots_[i].id == kFree) return nullptr;
    // None that was added lies farther from its place.
    if (++steps == kMostSteps && scale_ != 0) return nullptr;
  }
}

}  // namespace isolde
