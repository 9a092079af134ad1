// check/mirror: the serialization certifier: what dependencies may do together.
//
// Only certain dependencies count: a read whose version is certain, the version that certainly replaced it. Each is
// handed over once, when the later of its two transactions is judged.
// Source: Leopard (section V-D); PostgreSQL's predicate.c for when two anti-dependencies are dangerous.
#include <fmt/format.h>

#include <algorithm>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

constexpr std::string_view kRule = "serialization certifier";

Taken* held(Core& core, TxnSlot slot, std::uint32_t number) {
  Taken& txn = core.txns[slot];
  return txn.live && txn.number == number ? &txn : nullptr;
}

Moment snapshot_of(const Core& core, const Taken& txn) {
  const ReadMoment& m = txn.moments.front();
  return core.now({m.lo, m.hi, m.node, kNoTxnSlot});
}

Moment commit_moment(const Core& core, const Taken& txn) {
  if (txn.commit != kNoNode) return core.now({0, 0, txn.commit, kNoTxnSlot});
  return {txn.commit_lo, txn.commit_hi, kNoNode, kNoTxnSlot};
}

bool certainly(const Core& core, const Moment& a, const Moment& b) {
  if (a.hi < b.lo) return true;
  return a.node != kNoNode && b.node != kNoNode && core.moments.certainly_before(a.node, b.node);
}

// Whether PostgreSQL certainly counts the commit of `a` as earlier than that of `b`. It numbers commits for this after
// they show and after their locks are free, so only the answer to the client tells.
bool counted_before(const Taken& a, const Taken& b) { return a.commit_hi != kNever && a.commit_hi < b.commit_lo; }

StepType step_type(Dependency type) {
  return type == Dependency::kWr ? StepType::kWr : type == Dependency::kWw ? StepType::kWw : StepType::kRw;
}

const char* letters(Dependency type) { return type == Dependency::kWr ? "wr" : type == Dependency::kWw ? "ww" : "rw"; }

// T1 -rw-> T2 -rw-> T3 is what PostgreSQL refuses, if all that is certain. `key`, `next`: what the two are about.
void check_dangerous(Core& core, const Taken& one, const Taken& two, const Taken& three, Fingerprint key,
                     Fingerprint next) {
  // Of two that each overwrote what the other had read either may have been first: the other had to be refused.
  const bool skew = &one == &three;
  // What is possible and not certain is for the search: the last of the three that is judged asks it.
  const auto leave_open = [&] {
    for (const Taken* txn : {&one, &two, &three})
      core.txns[static_cast<std::size_t>(txn - core.txns.data())].left_open = true;
  };
  if (!skew && (counted_before(two, three) || counted_before(one, three))) return;
  if (!skew && (!counted_before(three, two) || !counted_before(three, one))) return leave_open();
  if (!certainly(core, snapshot_of(core, two), commit_moment(core, one))) return leave_open();
  if (!certainly(core, snapshot_of(core, three), commit_moment(core, two))) return leave_open();
  const bool reader = !one.wrote();
  if (reader && three.commit_hi >= snapshot_of(core, one).lo) {
    if (three.commit_lo <= snapshot_of(core, one).hi) leave_open();
    return;
  }
  std::array<std::uint32_t, 3> numbers{one.number, two.number, three.number};
  if (skew) numbers = {std::min(one.number, two.number), std::max(one.number, two.number), 0};
  auto& told = core.told_dangerous;
  if (std::find(told.begin(), told.end(), numbers) != told.end()) return;
  told.push_back(numbers);
  if (told.size() > 256) told.pop_front();
  Found found{
      .kind = skew ? AnomalyKind::kWriteSkew : AnomalyKind::kG2Item, .rule = kRule, .txns = {two.id}, .text = {}};
  found.txns.push_back(one.id);
  if (!skew) found.txns.push_back(three.id);
  found.key = key;
  found.time = std::max({one.end, two.end, three.end});
  found.text =
      fmt::format("{} overwrote what {} had read, and {} overwrote what {} had read, each two at once",
                  txn_text(core, two.id), txn_text(core, one.id), txn_text(core, three.id), txn_text(core, two.id));
  found.text += skew ? std::string("; the one that committed last had to be refused")
                     : fmt::format("; {} committed first, within {}", txn_text(core, three.id),
                                   window_text(three.commit_lo, three.commit_hi));
  found.steps = {{1, 0, StepType::kRw, key}, {0, skew ? 1U : 2U, StepType::kRw, next}};
  tell(core, found);
}

void check_dangerous_from(Core& core, const Taken& one, const Taken& two, Fingerprint key) {
  for (const RwEdge& out : two.rw_out) {
    if (const Taken* three = held(core, out.slot, out.number)) check_dangerous(core, one, two, *three, key, out.key);
  }
}
void check_dangerous_to(Core& core, const Taken& two, const Taken& three, Fingerprint key) {
  for (const RwEdge& in : two.rw_in) {
    if (const Taken* one = held(core, in.slot, in.number)) check_dangerous(core, *one, two, three, in.key, key);
  }
}

void depend_dangerous(Core& core, Taken& from, TxnSlot from_slot, Taken& to, TxnSlot to_slot, Fingerprint key) {
  // Who only locks may take no snapshot at all.
  const auto has_snapshot = [](const Taken& txn) { return txn.has_snapshot() && txn.snapshot_hi <= txn.commit_lo; };
  if (!has_snapshot(from) || !has_snapshot(to)) return;
  for (const RwEdge& edge : from.rw_out) {
    if (edge.slot == to_slot && edge.number == to.number) return;
  }
  // Who may have committed first is gone.
  if (to.lost_edge) from.left_open = to.left_open = true;
  from.rw_out.push_back({to_slot, to.number, key});
  to.rw_in.push_back({from_slot, from.number, key});
  check_dangerous_to(core, from, to, key);
  check_dangerous_from(core, from, to, key);
}

void depend_in_time(Core& core, Taken& from, TxnSlot from_slot, Taken& to, TxnSlot to_slot, Dependency type,
                    Fingerprint key) {
  if (from.end < to.begin && from.commit_hi != kNever) return;
  const auto node_of = [&](Taken& txn, TxnSlot slot) {
    if (txn.stamp == kNoNode)
      txn.stamp = core.moments.add(txn.begin, std::max(txn.end, txn.commit_hi), slot, kUnnamedMoment);
    return txn.stamp;
  };
  const Why why = type == Dependency::kWr ? Why::kWr : type == Dependency::kWw ? Why::kWw : Why::kRw;
  const NodeId a = node_of(from, from_slot);
  const NodeId b = node_of(to, to_slot);
  if (core.moments.order(a, b, why, kNoKeySlot)) return;
  Found found{.kind = type == Dependency::kRw ? AnomalyKind::kG2Item : AnomalyKind::kG1c,
              .rule = kRule,
              .txns = {to.id, from.id},
              .text = {}};
  found.key = key;
  found.time = std::max(from.end, to.end);
  found.text = fmt::format(
      "it depends ({}) on {}, so its place in the order comes later, but dependencies leave {} for the one and {} for "
      "the "
      "other",
      letters(type), txn_text(core, from.id), window_text(core.moments[a].lo, core.moments[a].hi),
      window_text(core.moments[b].lo, core.moments[b].hi));
  found.steps = {{1, 0, step_type(type), found.key}};
  tell(core, found);
}

void depend_in_order(Core& core, Taken& from, Taken& to, Dependency type, Fingerprint key) {
  for (Taken* txn : {&from, &to}) {
    if (txn->place == DependencyOrder::kNone) txn->place = core.order.add(raw64(txn->id));
  }
  std::vector<DependencyOrder::Step> cycle;
  if (core.order.depend(from.place, to.place, type, raw64(key), cycle)) return;
  int ww = 0, wr = 0, rw = 0;
  std::string text = "each depends on the one before:";
  Found found{.kind = AnomalyKind::kG0, .rule = kRule, .txns = {}, .text = {}};
  for (const DependencyOrder::Step& step : cycle) {
    ++(step.type == Dependency::kWw ? ww : step.type == Dependency::kWr ? wr : rw);
    const Fingerprint id{core.order.name(step.node)};
    const auto place = static_cast<std::uint32_t>(found.txns.size());
    found.steps.push_back(
        {place, place + 1 == cycle.size() ? 0 : place + 1, step_type(step.type), Fingerprint{step.key}});
    found.txns.push_back(id);
    text += fmt::format(" {} -{} on {}->", core.name(id), letters(step.type), core.key_name(Fingerprint{step.key}));
  }
  text += " " + core.name(found.txns.front());
  if (rw == 0 && wr > 0) found.kind = AnomalyKind::kG1c;
  if (rw == 1) found.kind = AnomalyKind::kGSingle;
  if (rw > 1) found.kind = rw == 2 && cycle.size() == 2 ? AnomalyKind::kWriteSkew : AnomalyKind::kG2Item;
  found.key = key;
  found.time = std::max(from.end, to.end);
  found.text = text;
  tell(core, found);
}

// When the writer of a version was over. That of a version that is no longer in motion has ended before all that is
// still to be judged began.
std::int64_t writer_ended(const Core& core, const Version& v) {
  if (!core.moments.is(v.node, v.generation)) return v.hi;
  const Taken& writer = core.txns[v.slot];
  return writer.status == Status::kUnknown ? v.hi : writer.end;
}

// By timestamps a reader comes before whoever replaces what it read; this one had ended before. (Its commit had been
// answered earlier still, but its place in the order may be anywhere up to its end.)
void tell_too_old(Core& core, const Taken& txn, const TakenRead& read, const Version& next) {
  Found found{.kind = AnomalyKind::kGSIb, .rule = kRule, .txns = {txn.id, next.txn}, .text = {}};
  found.key = core.keys[read.key].key;
  found.about_read = true;
  found.read = read.value;
  found.time = txn.end;
  found.text = fmt::format("{}, which replaced that, had ended by {}, before it began at {}", txn_text(core, next.txn),
                           writer_ended(core, next), txn.begin);
  found.steps = {{0, 1, StepType::kRw, found.key}, {1, 0, StepType::kRealtime}};
  tell(core, found);
}

// Its plain write of the key; null: none, or one that may have changed nothing.
const TakenWrite* write_of(const Taken& txn, KeySlot key) {
  for (const TakenWrite& write : txn.writes) {
    if (write.key == key && (write.flags & (kOverwritten | kDelete | kStepwise)) == 0) return &write;
  }
  return nullptr;
}

// Two that read one version of a key and both replaced it: whichever of their versions is first, its writer comes both
// before the other, which replaced it, and after, since the other did not see it. Where the order is certain, the
// cycle of dependencies tells it.
void check_lost_update(Core& core, const Taken& txn, TxnSlot slot, const TakenRead& read) {
  const Certifier certifier = core.options.profile.certifier;
  if (certifier != Certifier::kCycles && certifier != Certifier::kTimestampOrder) return;
  const TakenWrite* const mine = write_of(txn, read.key);
  if (mine == nullptr || mine->value == kPresentFingerprint || !txn.counts) return;
  for (std::uint32_t r = core.keys[read.key].readers; r != 0; r = core.readers[r].next) {
    const Reader& reader = core.readers[r];
    if (reader.from != read.from || reader.slot == slot) continue;
    const Taken* const other = held(core, reader.slot, reader.number);
    if (other == nullptr || !other->counts || !other->judged || write_of(*other, read.key) == nullptr) continue;
    const bool same = std::any_of(other->reads.begin(), other->reads.end(), [&](const TakenRead& theirs) {
      return theirs.key == read.key && theirs.value == read.value && theirs.from == read.from;
    });
    if (!same) continue;
    // Commits that do not overlap are in a certain order.
    if (other->commit_hi < txn.commit_lo || txn.commit_hi < other->commit_lo) continue;
    Found found{.kind = AnomalyKind::kLostUpdate, .rule = kRule, .txns = {txn.id, other->id}, .text = {}};
    found.key = core.keys[read.key].key;
    found.about_read = true;
    found.read = read.value;
    found.time = std::max(txn.end, other->end);
    found.text = fmt::format("{} had read the same version, and both replaced it: neither can come first",
                             txn_text(core, other->id));
    found.steps = {{0, 1, StepType::kRw, found.key}, {1, 0, StepType::kRw, found.key}};
    return tell(core, found);
  }
}

void add_reader(Core& core, KeySlot key, Reader reader) {
  std::uint32_t at;
  if (core.free_readers.empty()) {
    at = static_cast<std::uint32_t>(core.readers.size());
    core.readers.emplace_back();
  } else {
    at = core.free_readers.back();
    core.free_readers.pop_back();
  }
  reader.next = core.keys[key].readers;
  core.readers[at] = reader;
  core.keys[key].readers = at;
}

bool keeps_readers(const Core& core) {
  const Certifier c = core.options.profile.certifier;
  return c == Certifier::kSsi || c == Certifier::kTimestampOrder || c == Certifier::kCycles;
}

}  // namespace

void depend(Core& core, TxnSlot from_slot, TxnSlot to_slot, Dependency type, Fingerprint key) {
  Taken& from = core.txns[from_slot];
  Taken& to = core.txns[to_slot];
  if (from_slot == to_slot || !from.counts || !to.counts) return;
  if (core.summary != nullptr) return share_dependency(core, from, to, type, key);
  switch (core.options.profile.certifier) {
    case Certifier::kSsi:
      if (type == Dependency::kRw) depend_dangerous(core, from, from_slot, to, to_slot, key);
      break;
    case Certifier::kTimestampOrder:
      depend_in_time(core, from, from_slot, to, to_slot, type, key);
      break;
    case Certifier::kCycles:
      depend_in_order(core, from, to, type, key);
      break;
    case Certifier::kNone:
    case Certifier::kConflictCheck:
      break;
  }
}

void check_dangerous_around(Core& core, const Taken& txn) {
  for (const RwEdge& in : txn.rw_in) {
    const Taken* one = held(core, in.slot, in.number);
    if (one == nullptr) continue;
    check_dangerous_from(core, *one, txn, in.key);
    check_dangerous_to(core, *one, txn, in.key);
  }
  for (const RwEdge& out : txn.rw_out) {
    if (const Taken* two = held(core, out.slot, out.number)) check_dangerous_from(core, txn, *two, out.key);
  }
}

void read_traced(Core& core, TxnSlot slot, const TakenRead& read, int version) {
  if (!keeps_readers(core)) return;
  const Taken& txn = core.txns[slot];
  const KeyState& state = core.keys[read.key];
  check_lost_update(core, txn, slot, read);
  add_reader(core, read.key, {read.from, slot, txn.number, 0, kNullFingerprint});
  const auto versions = core.keys.versions(read.key);
  if (version >= 0) {
    const Version& v = versions[static_cast<std::size_t>(version)];
    if (core.moments.is(v.node, v.generation)) depend(core, v.slot, slot, Dependency::kWr, state.key);
  }
  for (std::size_t n = static_cast<std::size_t>(version + 1); n < versions.size(); ++n) {
    const Version& next = versions[n];
    if (!next.has(kInstalled) || next.has(kDelete) || next.txn == txn.id) continue;
    const bool after = version < 0 ? state.base_hi < next.lo || next.has(kAfterBase)
                                   : versions[static_cast<std::size_t>(version)].hi < next.lo ||
                                         core.orderly(versions[static_cast<std::size_t>(version)], next);
    if (!after) continue;
    if (core.options.profile.certifier == Certifier::kTimestampOrder && writer_ended(core, next) < txn.begin) {
      return tell_too_old(core, txn, read, next);
    }
    if (next.has(kJudged) && core.moments.is(next.node, next.generation) && is_next(core, versions, version, n)) {
      depend(core, slot, next.slot, Dependency::kRw, state.key);
    }
    break;
  }
}

bool look_traced(Core& core, TxnSlot slot, KeySlot key, int first, int last, int next) {
  if (!keeps_readers(core)) return true;
  Taken& txn = core.txns[slot];
  KeyState& state = core.keys[key];
  state.touched = std::max(state.touched, txn.number);  // dependencies name it
  const auto versions = core.keys.versions(key);
  if (first >= 0) {
    const Version& v = versions[static_cast<std::size_t>(first)];
    if (core.moments.is(v.node, v.generation)) depend(core, v.slot, slot, Dependency::kWr, state.key);
  }
  if (next < 0) return true;
  const Version& n = versions[static_cast<std::size_t>(next)];
  if (n.txn == txn.id) return true;
  if (!core.moments.is(n.node, n.generation)) return false;
  if (n.has(kJudged)) {
    depend(core, slot, n.slot, Dependency::kRw, state.key);
    return true;
  }
  const Fingerprint from = last < 0 ? state.base_txn : versions[static_cast<std::size_t>(last)].txn;
  add_reader(core, key, {from, slot, txn.number, 0, n.txn});
  txn.look_readers.push_back(key);
  return true;
}

void version_judged(Core& core, TxnSlot slot, KeySlot key) {
  if (!keeps_readers(core)) return;
  const auto versions = core.keys.versions(key);
  const Taken& txn = core.txns[slot];
  std::size_t own = versions.size();
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Version& v = versions[i];
    if (v.slot == slot && v.txn == txn.id && v.has(kInstalled) && !v.has(kOverwritten | kDelete)) own = i;
  }
  if (own == versions.size()) return;
  int before = -1;
  for (std::size_t i = 0; i < own; ++i) {
    const Version& v = versions[i];
    if (!v.has(kInstalled) || v.has(kDelete)) continue;
    if (v.hi < versions[own].lo || core.orderly(v, versions[own])) before = static_cast<int>(i);
  }
  const KeyState& state = core.keys[key];
  if (before < 0 && (state.has(kBaseGone) || !(state.base_hi < versions[own].lo || versions[own].has(kAfterBase)))) {
    core.keys[key].flags |= kOpen;
    return;
  }
  // Who writes another column of a row does not depend on who wrote it before.
  const Fingerprint replaced = before < 0 ? state.base : versions[static_cast<std::size_t>(before)].value;
  if (core.columns.on && versions[own].value == kPresentFingerprint && replaced == kPresentFingerprint) return;
  const Fingerprint from = before < 0 ? state.base_txn : versions[static_cast<std::size_t>(before)].txn;
  if (before >= 0) {
    const Version& v = versions[static_cast<std::size_t>(before)];
    if (core.moments.is(v.node, v.generation)) depend(core, v.slot, slot, Dependency::kWw, state.key);
  }
  if (!is_next(core, versions, before, own)) {  // what it replaced is not certain
    core.keys[key].flags |= kOpen;
    return;
  }
  for (std::uint32_t r = state.readers; r != 0; r = core.readers[r].next) {
    const Reader reader = core.readers[r];
    if (reader.from != from || held(core, reader.slot, reader.number) == nullptr) continue;
    if (reader.only != kNullFingerprint && reader.only != txn.id) continue;
    depend(core, reader.slot, slot, Dependency::kRw, state.key);
  }
}

}  // namespace isolde::mirror
