// check/mirror: the facts of all partitions together (partition.h).
//
// Orders are taken in the order in which their transactions were judged, whichever partition they come from, so what is
// refused, and whose violation that is, does not depend on how keys were dealt out or summaries were merged.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "check/mirror/core.h"
#include "check/mirror/number_index.h"
#include "check/mirror/partition.h"

namespace isolde::mirror {
namespace {

constexpr std::uint64_t kMergerMagic = 0x69736f6c'6d657231ULL;

auto judging_place(const SharedOrder& o) {
  return std::tuple(o.rank, o.second.txn, o.second.at, o.first.txn, o.first.at, raw64(o.key), raw64(o.value), o.why,
                    o.bound, o.has_value);
}
auto judging_place(const SharedDependency& d) { return std::tuple(d.rank, d.to, d.from, d.type, raw64(d.key)); }
auto judging_place(const JudgedTxn& j) { return std::tuple(j.settled, j.number, !j.home); }

template <typename T>
std::vector<T> in_one_order(const std::vector<T>& items) {
  std::vector<T> sorted = items;
  const auto earlier = [](const T& a, const T& b) { return judging_place(a) < judging_place(b); };
  std::sort(sorted.begin(), sorted.end(), earlier);
  const auto same = [](const T& a, const T& b) { return judging_place(a) == judging_place(b); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  return sorted;
}

}  // namespace

Merger::Merger(const MirrorOptions& options, OnlineSink& sink) : core_(std::make_unique<Core>(options, sink)) {
  core_->searchers = options.partitions + 1;
}

Merger::~Merger() = default;

TxnSlot Merger::slot_of(std::uint32_t number) const { return slot_by_number(slots_, core_->txns, number); }
void Merger::note_slot(TxnSlot slot) { note_number(slots_, core_->txns, slot); }

// Only what keys hold at first, for the search.
void Merger::begin(const Chunk& head) {
  Core& core = *core_;
  core.default_initial = head.value(head.history.default_initial());
  core.columns.on = head.columns;
  if (head.columns || head.history.columns().key_initial.empty()) return;
  for (std::uint32_t k = 0; k < head.history.key_count(); ++k) {
    const Fingerprint value = head.value(head.history.initial(KeyId{k}));
    if (value != core.default_initial) core.recent.note_initial(head.key(KeyId{k}), value);
  }
}

TxnSlot Merger::new_slot(std::uint32_t number) {
  Core& core = *core_;
  TxnSlot slot;
  if (core.free_txns.empty()) {
    slot = static_cast<TxnSlot>(core.txns.size());
    core.txns.emplace_back();
  } else {
    slot = core.free_txns.back();
    core.free_txns.pop_back();
  }
  Taken& txn = core.txns[slot];
  txn.number = number;
  txn.live = true;
  txn.judged = txn.late = txn.counts = txn.wrote_elsewhere = false;
  txn.named_in = 0;
  txn.commit = txn.stamp = kNoNode;
  txn.place = DependencyOrder::kNone;
  txn.rw_out.clear();
  txn.rw_in.clear();
  txn.left_open = txn.lost_edge = false;
  txn.moments.clear();
  txn.snapshot_lo = 0;
  txn.snapshot_hi = kAlways;
  note_slot(slot);
  return slot;
}

void Merger::arrived(const Arrival& arrival, std::uint32_t number) {
  Core& core = *core_;
  core.names.note(arrival.chunk);
  core.columns.on = core.columns.on || arrival.chunk->columns;
  const TxnSlot slot = new_slot(number);
  Taken& txn = core.txns[slot];
  const std::int64_t begin = arrival.history().begin(arrival.txn);
  txn.begin = begin == kNoTime ? kAlways : begin;
  txn.id = arrival.chunk->id(arrival.txn);
  txn.status = arrival.history().status(arrival.txn);
  txn.source = {arrival.chunk, nullptr, arrival.txn, number, txn.id, false, {}};
  core.in_order.push_back({txn.begin, number, slot});
}

void Merger::absorb(const SharedTxn& shared, Learned& learned) {
  Core& core = *core_;
  TxnSlot slot = slot_of(shared.number);
  if (slot == kNoTxnSlot) {
    slot = new_slot(shared.number);
    core.txns[slot].judged = true;
  }
  Taken& txn = core.txns[slot];
  if (txn.named_in == 0) {
    txn.named_in = 1;
    txn.id = shared.id;
    txn.status = shared.status;
    txn.begin = shared.begin;
    txn.end = shared.end;
    txn.commit_lo = shared.commit_lo;
    txn.commit_hi = shared.commit_hi;
    txn.snapshot_lo = shared.snapshot_lo;
    txn.snapshot_hi = shared.snapshot_hi;
    txn.settled = shared.status == Status::kUnknown ? shared.commit_lo : shared.end;
    txn.counts = shared.status == Status::kCommitted;
    if (shared.status != Status::kAborted) {
      txn.commit = core.moments.add(shared.commit_lo, shared.commit_hi, slot, kCommitMoment);
    }
    if (txn.has_snapshot()) txn.moments.push_back({txn.snapshot_lo, txn.snapshot_hi, kNoNode, 0, kSnapshotMoment});
    core.judged.push({txn.settled, txn.number, slot});
  }
  if (shared.commit_hi < txn.commit_hi) {
    txn.commit_hi = shared.commit_hi;
    if (txn.commit != kNoNode) static_cast<void>(core.moments.lower(txn.commit, txn.commit_hi));
  }
  txn.wrote_elsewhere = txn.wrote_elsewhere || shared.wrote;
  if (!shared.counts || txn.counts) return;
  txn.counts = true;
  learned.committed.push_back({txn.number, txn.commit_hi});
}

void Merger::absorb(const SharedBound& bound) {
  Core& core = *core_;
  const TxnSlot slot = slot_of(bound.moment.txn);
  if (slot == kNoTxnSlot) return;
  for (ReadMoment& m : core.txns[slot].moments) {
    if (m.at != bound.moment.at) continue;
    if (m.node != kNoNode) {
      static_cast<void>(core.moments.raise(m.node, bound.lo));
      static_cast<void>(core.moments.lower(m.node, bound.hi));
    }
    return;
  }
  core.txns[slot].moments.push_back({bound.lo, bound.hi, kNoNode, 0, bound.moment.at});
}

NodeId Merger::node_of(const MomentName& name) {
  Core& core = *core_;
  const TxnSlot slot = name.at == kUnnamedMoment ? kNoTxnSlot : slot_of(name.txn);
  if (slot == kNoTxnSlot) return kNoNode;
  if (name.at == kCommitMoment) return core.txns[slot].commit;
  for (ReadMoment& m : core.txns[slot].moments) {
    if (m.at != name.at) continue;
    if (m.node == kNoNode) {
      Moment made{m.lo, m.hi, kNoNode, slot, m.at};
      core.make_node(made);
      m.node = made.node;
    }
    return m.node;
  }
  return kNoNode;
}

void Merger::absorb(const SharedOrder& order) {
  Moments& moments = core_->moments;
  const NodeId first = node_of(order.first), second = node_of(order.second);
  if (first == kNoNode && second == kNoNode) return;
  bool fine = true;
  if (first == kNoNode) {
    fine = order.first.at != kUnnamedMoment || moments.raise(second, order.bound);
  } else if (second == kNoNode) {
    fine = order.second.at != kUnnamedMoment || moments.lower(first, order.bound);
  } else {
    fine = moments.order(first, second, order.why, kNoKeySlot);
  }
  if (!fine) tell_refused(order);
}

// All orders hold, by what each partition saw; this one does not fit the others.
void Merger::tell_refused(const SharedOrder& order) {
  Core& core = *core_;
  const auto txn_of = [&](const MomentName& name) -> const Taken* {
    const TxnSlot slot = name.at == kUnnamedMoment ? kNoTxnSlot : slot_of(name.txn);
    return slot == kNoTxnSlot ? nullptr : &core.txns[slot];
  };
  const auto window_of = [&](const MomentName& name) {
    const NodeId node = node_of(name);
    return node == kNoNode ? window_text(kAlways, order.bound)
                           : window_text(core.moments[node].lo, core.moments[node].hi);
  };
  // Who reads, updates or locks comes first, then who wrote.
  const bool reads_first = order.why == Why::kRw;
  const Taken* guilty = txn_of(reads_first ? order.first : order.second);
  const Taken* other = txn_of(reads_first ? order.second : order.first);
  const MomentName& mine = reads_first ? order.first : order.second;
  const MomentName& theirs = reads_first ? order.second : order.first;
  if (order.why == Why::kLock && guilty != nullptr && mine.at != kCommitMoment) return;  // as in one instance
  if (guilty == nullptr) std::swap(guilty, other);
  Found found{.kind = AnomalyKind::kGSingle, .rule = "consistent read", .txns = {guilty->id}, .text = {}};
  if (other != nullptr) found.txns.push_back(other->id);
  found.key = order.key;
  found.about_read = order.has_value;
  found.read = order.value;
  found.time = guilty->end;
  const std::string whose = other == nullptr ? "another transaction" : txn_text(core, other->id);
  switch (order.why) {
    case Why::kLock:
      found.kind = AnomalyKind::kDirtyUpdate;
      found.rule = "mutual exclusion";
      found.text = fmt::format("both held its lock at once: {} let go within {}, by what the other keys say", whose,
                               window_of(theirs));
      break;
    case Why::kUpdate:
      found.kind = AnomalyKind::kLostUpdate;
      found.rule = "first updater wins";
      found.text = fmt::format(
          "both wrote the key and committed; {} committed within {}, and what other keys say leaves only {} for the "
          "snapshot: neither was in the other's snapshot",
          whose, window_of(theirs), window_of(mine));
      if (other != nullptr) found.steps = {{0, 1, StepType::kInvisible}};
      break;
    default:
      if (mine.at == kCommitMoment) {
        found.kind = AnomalyKind::kG2Item;
        found.rule = "serialization certifier";
      }
      found.text =
          fmt::format("{} {} with a commit within {}, and what else was read and locked leaves only {} for the {}",
                      whose, reads_first ? "replaced that" : "wrote that", window_of(theirs), window_of(mine),
                      mine.at == kCommitMoment ? "commit" : "read");
      if (other != nullptr && reads_first) found.steps = {{0, 1, StepType::kRw, found.key}};
      if (other != nullptr && !reads_first) found.steps = {{1, 0, StepType::kWr, found.key}};
      break;
  }
  tell(core, found);
}

void Merger::absorb(const SharedDependency& dependency) {
  const TxnSlot from = slot_of(dependency.from), to = slot_of(dependency.to);
  if (from != kNoTxnSlot && to != kNoTxnSlot) depend(*core_, from, to, dependency.type, dependency.key);
}

// A transaction that arrived here was judged by its partitions.
void Merger::absorb(const JudgedTxn& judged, bool open, const std::vector<std::uint64_t>& told) {
  Core& core = *core_;
  const TxnSlot slot = slot_of(judged.number);
  if (slot == kNoTxnSlot || core.txns[slot].judged) return;
  Taken& txn = core.txns[slot];
  txn.judged = true;
  txn.late = judged.late;
  txn.end = judged.end;
  txn.source.unsure = judged.late || std::binary_search(told.begin(), told.end(), raw64(txn.id));
  core.recent.add(std::move(txn.source), txn.status, judged.commit_hi);
  txn.source = {};
  if (txn.status != Status::kUnknown) core.last_end = std::max(core.last_end, txn.end);
  if (!judged.late) {
    if (txn.number % (Core::kTransactionsAStep * core.searchers) == 0) {
      core.credit = std::min(core.credit + 1, Core::kMostCredit);
      core.recent.spare = std::min(core.recent.spare + 1, Recent::kMostSpare);
    }
    look_back(core, slot, open || txn.left_open);
  }
  while (!core.in_order.empty()) {
    const Core::Place& first = core.in_order.front();
    if (core.txns[first.slot].number == first.number && !core.txns[first.slot].judged) break;
    core.in_order.pop_front();
  }
  if (txn.named_in != 0) return;  // until it is closed
  txn.live = false;
  core.free_txns.push_back(slot);
}

void Merger::step(const Summary& all, const StreamTime& time, Learned& learned) {
  Core& core = *core_;
  core.time = time;
  changed_.clear();
  core.moments.report_changes(&changed_);
  for (const SharedTxn& txn : all.txns) absorb(txn, learned);
  for (const SharedBound& bound : all.bounds) absorb(bound);
  for (const SharedOrder& order : in_one_order(all.orders)) absorb(order);
  core.moments.report_changes(nullptr);
  for (const SharedDependency& dependency : in_one_order(all.dependencies)) absorb(dependency);
  // Of whom a violation was told the search only asks what it left behind.
  std::vector<std::uint64_t> told;
  for (const Fingerprint id : all.told) told.push_back(raw64(id));
  std::sort(told.begin(), told.end());
  core.recent.mark_told(all.told);
  const std::vector<JudgedTxn> judged = in_one_order(all.judged);
  for (std::size_t i = 0; i < judged.size();) {
    bool open = false;
    std::size_t next = i;
    for (; next < judged.size() && judged[next].number == judged[i].number; ++next) open = open || judged[next].open;
    if (judged[i].home) absorb(judged[i], open, told);
    i = next;
  }
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const NodeId n : changed_) {
    const MomentNode& node = core.moments[n];
    if (node.live && node.at != kUnnamedMoment && core.txns[node.txn].live) {
      learned.bounds.push_back({{core.txns[node.txn].number, node.at}, node.lo, node.hi});
    }
  }
  // What partitions ask again because of this may still name those that were to be closed now.
  close_until(core, horizon_);
  horizon_ = std::max(horizon_, all.horizon);
}

void Merger::finish(const std::vector<Fingerprint>& told) {
  core_->recent.mark_told(told);
  look_back_at_all(*core_);
}

OnlineCounts Merger::counts() const {
  OnlineCounts counts = core_->counts;
  counts.bytes = bytes_of(*core_);
  return counts;
}

void Merger::save(StateWriter& out) const {
  out.put(kMergerMagic);
  save_core(*core_, out);
  out.put(horizon_);
}

bool Merger::load(StateReader& in) {
  if (in.get<std::uint64_t>() != kMergerMagic || !load_core(*core_, in)) return false;
  horizon_ = in.get<std::int64_t>();
  slots_.clear();
  for (TxnSlot slot = 0; slot < core_->txns.size(); ++slot) {
    if (core_->txns[slot].live) note_slot(slot);
  }
  return in.good();
}

}  // namespace isolde::mirror
