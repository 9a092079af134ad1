// check/mirror: all that the mirror holds, into a checkpoint and back.
#include <algorithm>
#include <unordered_set>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

constexpr std::uint64_t kMirrorMagic = 0x69736f6c'6d697236ULL;

template <typename T>
std::vector<T> as_vector(const std::deque<T>& items) {
  return {items.begin(), items.end()};
}

template <typename T>
void get_deque(StateReader& in, std::deque<T>& items) {
  const auto all = in.get_all<T>();
  items.assign(all.begin(), all.end());
}

void put_txn(StateWriter& out, Taken& txn) {
  out.put(txn.begin);
  out.put(txn.end);
  out.put(txn.commit_lo);
  out.put(txn.commit_hi);
  out.put(txn.settled);
  out.put(txn.snapshot_lo);
  out.put(txn.snapshot_hi);
  out.put(txn.number);
  out.put(txn.status);
  out.put(txn.live);
  out.put(txn.judged);
  out.put(txn.late);
  out.put(txn.counts);
  out.put(txn.left_open);
  out.put(txn.lost_edge);
  out.put(txn.guest);
  out.put(txn.wrote_elsewhere);
  out.put(txn.named_in);
  out.put(txn.id);
  out.put(txn.session);
  out.put(txn.commit);
  out.put(txn.stamp);
  out.put(txn.place);
  out.put_all(txn.rw_out);
  out.put_all(txn.rw_in);
  out.put_all(txn.moments);
  out.put_all(txn.reads);
  out.put_all(txn.writes);
  out.put_all(txn.locks);
  out.put_all(txn.steps);
  out.put_all(txn.ranges);
  out.put_all(txn.range_keys);
  out.put_all(txn.looks);
  out.put_all(txn.look_rows);
  out.put_all(txn.look_readers);
  const bool waits = txn.live && !txn.judged;
  out.put(waits);
  if (!waits) return;
  txn.source.acts().save(out);
  out.put(txn.source.unsure);
}

void get_txn(StateReader& in, Taken& txn) {
  txn.begin = in.get<std::int64_t>();
  txn.end = in.get<std::int64_t>();
  txn.commit_lo = in.get<std::int64_t>();
  txn.commit_hi = in.get<std::int64_t>();
  txn.settled = in.get<std::int64_t>();
  txn.snapshot_lo = in.get<std::int64_t>();
  txn.snapshot_hi = in.get<std::int64_t>();
  txn.number = in.get<std::uint32_t>();
  txn.status = in.get<Status>();
  txn.live = in.get<bool>();
  txn.judged = in.get<bool>();
  txn.late = in.get<bool>();
  txn.counts = in.get<bool>();
  txn.left_open = in.get<bool>();
  txn.lost_edge = in.get<bool>();
  txn.guest = in.get<bool>();
  txn.wrote_elsewhere = in.get<bool>();
  txn.named_in = in.get<std::uint32_t>();
  txn.id = in.get<Fingerprint>();
  txn.session = in.get<Fingerprint>();
  txn.commit = in.get<NodeId>();
  txn.stamp = in.get<NodeId>();
  txn.place = in.get<DependencyOrder::Node>();
  txn.rw_out = in.get_all<RwEdge>();
  txn.rw_in = in.get_all<RwEdge>();
  txn.moments = in.get_all<ReadMoment>();
  txn.reads = in.get_all<TakenRead>();
  txn.writes = in.get_all<TakenWrite>();
  txn.locks = in.get_all<TakenLock>();
  txn.steps = in.get_all<TakenStep>();
  txn.ranges = in.get_all<TakenRange>();
  txn.range_keys = in.get_all<KeySlot>();
  txn.looks = in.get_all<TakenLook>();
  txn.look_rows = in.get_all<LookRow>();
  txn.look_readers = in.get_all<KeySlot>();
  if (!in.get<bool>()) return;
  Script script;
  script.load(in);
  txn.source = {nullptr, nullptr, TxnId{0}, script.number, script.id, in.get<bool>()};
  txn.source.script = std::make_shared<const Script>(std::move(script));
}

// The names that a message about what is in motion may need. Integers need none.
void put_names(StateWriter& out, Core& core) {
  std::unordered_set<std::uint64_t> wanted;
  const auto want = [&](Fingerprint p) {
    if (p != kNullFingerprint && !is_integer(p)) wanted.insert(raw64(p));
  };
  const auto want_column = [&](KeySlot key) {
    if (!core.columns.is_column(key)) return;
    want(core.columns.of[key].row);
    want(core.columns.of[key].name);
  };
  for (const UnmetRead& read : core.unmet) {
    want(read.txn);
    want(read.key);
    want_column(core.keys.find(read.key));
    want(read.value);
  }
  for (const Taken& txn : core.txns) {
    if (!txn.live) continue;
    want(txn.id);
    const auto want_key = [&](KeySlot key) {
      want(core.keys[key].key);
      want_column(key);
      want(core.keys[key].base);
      for (const Version& v : core.keys.versions(key)) {
        want(v.value);
        want(v.txn);
      }
    };
    for (const TakenRead& read : txn.reads) {
      want(read.value);
      want_key(read.key);
    }
    for (const TakenWrite& write : txn.writes) want_key(write.key);
    for (const TakenLock& lock : txn.locks) want_key(lock.key);
  }
  std::vector<std::uint64_t> sorted(wanted.begin(), wanted.end());
  std::sort(sorted.begin(), sorted.end());
  out.put(std::uint64_t{sorted.size()});
  for (const std::uint64_t fingerprint : sorted) {
    out.put(fingerprint);
    out.put_text(core.name(Fingerprint{fingerprint}));
  }
}

}  // namespace

void save_core(Core& core, StateWriter& out) {
  const Profile& p = core.options.profile;
  out.put(kMirrorMagic);
  out.put_text(p.name);
  out.put(static_cast<const Mechanisms&>(p));
  out.put(core.counts);
  out.put(core.guests);
  out.put(core.share);
  out.put(core.summary_number);
  out.put(core.time.now);
  out.put(core.time.watermark);
  out.put(core.time.complete);
  out.put(core.horizon);
  out.put(core.default_initial);
  out.put(core.gave_up_keys);
  out.put(core.next_number);
  out.put(core.hand);
  out.put(core.motion_bytes);
  out.put(core.credit);
  out.put(core.last_end);
  core.recent.save(out);
  core.keys.save(out);
  core.moments.save(out);
  core.order.save(out);
  core.written.save(out);
  core.columns.save(out);
  core.looks.save(out);
  out.put_all(core.unmet);
  out.put_all(core.holders);
  out.put_all(core.free_holders);
  out.put_all(core.readers);
  out.put_all(core.free_readers);
  out.put(std::uint64_t{core.txns.size()});
  for (Taken& txn : core.txns) put_txn(out, txn);
  out.put_all(core.free_txns);
  for (auto heap : {core.waiting, core.judged}) {
    std::vector<Core::Waiting> all;
    for (; !heap.empty(); heap.pop()) all.push_back(heap.top());
    out.put_all(all);
  }
  out.put_all(as_vector(core.in_order));
  out.put(core.last_begin);
  out.put_all(as_vector(core.unclosed));
  out.put_all(as_vector(core.told_dangerous));
  put_names(out, core);
}

// Slots and nodes are checked against what is there, so that a damaged state is refused and not followed.
bool load_core(Core& core, StateReader& in) {
  const Profile& p = core.options.profile;
  if (in.get<std::uint64_t>() != kMirrorMagic || in.get_text() != p.name) return false;
  const auto saved = in.get<Mechanisms>();
  if (!in.good() || saved != static_cast<const Mechanisms&>(p)) return false;
  core.counts = in.get<OnlineCounts>();
  core.guests = in.get<OnlineCounts>();
  if (in.get<KeyShare>() != core.share) return false;
  core.summary_number = in.get<std::uint32_t>();
  core.time.now = in.get<std::int64_t>();
  core.time.watermark = in.get<std::int64_t>();
  core.time.complete = in.get<bool>();
  core.horizon = in.get<std::int64_t>();
  core.default_initial = in.get<Fingerprint>();
  core.gave_up_keys = in.get<bool>();
  core.next_number = in.get<std::uint32_t>();
  core.hand = in.get<KeySlot>();
  core.motion_bytes = in.get<std::uint64_t>();
  core.credit = in.get<std::int64_t>();
  core.last_end = in.get<std::int64_t>();
  if (!core.recent.load(in)) return false;
  if (!core.keys.load(in) || !core.moments.load(in) || !core.order.load(in) || !core.written.load(in)) {
    return false;
  }
  core.columns.load(in);
  if (!core.looks.load(in)) return false;
  core.unmet = in.get_all<UnmetRead>();
  core.holders = in.get_all<Holder>();
  core.free_holders = in.get_all<std::uint32_t>();
  core.readers = in.get_all<Reader>();
  core.free_readers = in.get_all<std::uint32_t>();
  const auto count = in.get<std::uint64_t>();
  core.txns.clear();
  for (std::uint64_t i = 0; i < count && in.good(); ++i) get_txn(in, core.txns.emplace_back());
  core.free_txns = in.get_all<TxnSlot>();
  for (auto* heap : {&core.waiting, &core.judged}) {
    *heap = {};
    for (const Core::Waiting& w : in.get_all<Core::Waiting>()) heap->push(w);
  }
  get_deque(in, core.in_order);
  core.last_begin = in.get<std::int64_t>();
  get_deque(in, core.unclosed);
  get_deque(in, core.told_dangerous);
  const auto names = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < names && in.good(); ++i) {
    const auto fingerprint = in.get<std::uint64_t>();
    core.saved_names[fingerprint] = in.get_text();
  }
  return in.good() && !core.holders.empty() && !core.readers.empty();
}

}  // namespace isolde::mirror
