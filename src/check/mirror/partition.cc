#include "check/mirror/partition.h"

#include <algorithm>

#include "check/mirror/core.h"
#include "check/mirror/number_index.h"

namespace isolde::mirror {
namespace {

constexpr std::uint64_t kPartitionMagic = 0x69736f6c'70617231ULL;

}  // namespace

KeyOwners::KeyOwners(const Chunk& chunk, std::uint32_t count) : count_(count) {
  of_.reserve(chunk.key_fingerprint.size());
  for (const Fingerprint key : chunk.key_fingerprint)
    of_.push_back(static_cast<std::uint8_t>(KeyShare::owner(key, count)));
}

KeyOwners::Users KeyOwners::users(const Chunk& chunk, TxnId txn, std::uint32_t number) const {
  const History& h = chunk.history;
  Users users{0, number % count_};
  for (std::uint32_t op = h.first_op(txn); op < h.end_op(txn); ++op) {
    const OpHead head = h.op(op);
    if (!is_predicate(head.kind())) {
      if (users.partitions == 0) users.home = of(head.key());
      users.partitions |= std::uint64_t{1} << of(head.key());
    } else if (head.kind() == OpKind::kScan) {
      users.partitions |= ~std::uint64_t{0} >> (64 - count_);  // what it did not return may be anywhere
    } else {
      for (const Item& item : h.items(h.predicate(head.predicate()))) {
        users.partitions |= std::uint64_t{1} << of(item.key);
      }
    }
  }
  users.partitions |= std::uint64_t{1} << users.home;
  return users;
}

Partition::Partition(const MirrorOptions& options, KeyShare share) : core_(std::make_unique<Core>(options, findings_)) {
  core_->share = share;
  core_->summary = &summary_;
  core_->summary_number = 1;
  core_->searchers = share.count + 1;
}

Partition::~Partition() = default;

void Partition::begin(const Chunk& head) { begin_core(*core_, head); }

TxnSlot Partition::slot_of(std::uint32_t number) const { return slot_by_number(slots_, core_->txns, number); }
void Partition::note_slot(TxnSlot slot) { note_number(slots_, core_->txns, slot); }

// Orders that the merger refused may stand here: then it does not fit, and was told.
void Partition::tighten(const SharedBound& bound) {
  const TxnSlot slot = slot_of(bound.moment.txn);
  if (slot == kNoTxnSlot) return;
  Taken& txn = core_->txns[slot];
  const auto tighten_node = [&](NodeId node) {
    static_cast<void>(core_->moments.raise(node, bound.lo));
    static_cast<void>(core_->moments.lower(node, bound.hi));
  };
  if (bound.moment.at == kCommitMoment) {
    if (txn.commit != kNoNode) tighten_node(txn.commit);
    return;
  }
  for (ReadMoment& m : txn.moments) {
    if (m.at != bound.moment.at) continue;
    if (m.node != kNoNode) {
      tighten_node(m.node);
    } else if (std::max(m.lo, bound.lo) <= std::min(m.hi, bound.hi)) {
      m.lo = std::max(m.lo, bound.lo);
      m.hi = std::min(m.hi, bound.hi);
    }
    return;
  }
}

void Partition::learn(const Learned& learned, std::int64_t horizon) {
  Core& core = *core_;
  summary_.clear();
  if (++core.summary_number == 0) core.summary_number = 1;
  for (const SharedBound& bound : learned.bounds) tighten(bound);
  for (const Learned::Seen& seen : learned.committed) {
    const TxnSlot slot = slot_of(seen.txn);
    if (slot != kNoTxnSlot && !core.txns[slot].counts) count_committed(core, slot, seen.hi);
  }
  if (!learned.empty()) {
    for (const Core::LeftOpen& open : core.left_open) {
      Taken& txn = core.txns[open.slot];
      if (!txn.live || txn.number != open.number || !txn.counts) continue;
      core.rank = txn.settled;
      if (open.unread) {
        check_reads(core, txn, open.slot);
      } else {
        check_open_reads(core, txn, open.slot);
      }
    }
  }
  core.left_open.clear();
  close_until(core, horizon);
}

void Partition::take(const Arrival& arrival, std::uint32_t number, const KeyOwners& owners, bool home) {
  Core& core = *core_;
  core.owners = &owners;
  core.next_number = number;
  note_slot(mirror::take(core, arrival, !home));
  core.owners = nullptr;
}

void Partition::expect(const Arrival& arrival, const KeyOwners& owners, std::uint32_t steps) const {
  if (steps > 2) {
    look_ahead(*core_, arrival, &owners);
  } else {
    look_nearer(*core_, arrival, &owners);
  }
}

void Partition::judge(const StreamTime& time, std::int64_t watermark) {
  core_->time = time;
  summary_.horizon = watermark == kNoTime ? kAlways : judge_until(*core_, watermark);
}

void Partition::finish() {
  summary_.clear();
  tell_unmet(*core_);
  look_back_at_all(*core_);
}

OnlineCounts Partition::counts() const {
  OnlineCounts counts = core_->counts;
  const OnlineCounts& guests = core_->guests;
  counts.taken -= guests.taken;
  counts.checked -= guests.checked;
  counts.pending -= guests.pending;
  counts.operations -= guests.operations;
  counts.late -= guests.late;
  counts.bytes = bytes_of(*core_);
  return counts;
}

void Partition::save(StateWriter& out) const {
  out.put(kPartitionMagic);
  save_core(*core_, out);
}

bool Partition::load(StateReader& in) {
  if (in.get<std::uint64_t>() != kPartitionMagic || !load_core(*core_, in)) return false;
  slots_.clear();
  for (TxnSlot slot = 0; slot < core_->txns.size(); ++slot) {
    if (core_->txns[slot].live) note_slot(slot);
  }
  return true;
}

}  // namespace isolde::mirror
