#include "check/mirror/script.h"

namespace isolde::mirror {

Script script_of(const Chunk& chunk, TxnId txn, std::uint32_t number, const KeyShare& share) {
  const History& h = chunk.history;
  Script script;
  std::vector<Window> windows;
  script.id = chunk.id(txn);
  script.number = number;
  script.status = h.status(txn);
  script.at = measure(h, txn, windows);
  script.statements = h.end_op(txn) - h.first_op(txn);
  script.read_place = script.statements;
  for (std::uint32_t place = 0; place < script.statements; ++place) {
    const std::uint32_t op = h.first_op(txn) + place;
    const OpHead head = h.op(op);
    const OpKind kind = head.kind();
    const Window at = windows[place];
    const History::Interval told = h.at(txn, OpId{op});
    const bool timed = told.before != kNoTime && told.after != kNoTime;
    const bool reads = kind == OpKind::kRead || kind == OpKind::kScan || kind == OpKind::kAggregate;
    if (place == 0) {
      script.first = at;
      script.first_timed = timed;
    }
    if (reads && head.lock() == Lock::kNone && script.read_place == script.statements) {
      script.read_place = place;
      script.first_read = at;
    }
    const auto add = [&](ActKind act, Fingerprint key, Fingerprint value) {
      if (act != ActKind::kRange && !share.holds(key)) return;
      script.acts.push_back({key, value, at.lo, at.hi, place, act, head.lock(), timed});
    };
    switch (kind) {
      case OpKind::kRead:
        add(ActKind::kRead, chunk.key(head.key()), chunk.value(h.op_value(op)));
        break;
      case OpKind::kWrite:
        add(ActKind::kSet, chunk.key(head.key()), chunk.value(h.op_value(op)));
        break;
      case OpKind::kAppend:
      case OpKind::kIncrement:
        add(kind == OpKind::kAppend ? ActKind::kAppend : ActKind::kIncrement, chunk.key(head.key()),
            chunk.value(h.op_value(op)));
        break;
      case OpKind::kScan:
      case OpKind::kUpdate: {
        const Predicate& predicate = h.predicate(head.predicate());
        const bool scans = kind == OpKind::kScan;
        for (const Item& item : h.items(predicate))
          add(scans ? ActKind::kRead : ActKind::kRow, chunk.key(item.key), chunk.value(item.value));
        std::int64_t low = 0, high = 0;
        if (!scans || !whole_key_range(h.values().string(predicate.where), low, high)) {
          script.looks = true;
          break;
        }
        const auto from = exact_fingerprint(low), to = exact_fingerprint(high);
        if (from && to) add(ActKind::kRange, *from, *to);
        break;
      }
      case OpKind::kAggregate:
        script.looks = true;
        break;
    }
  }
  return script;
}

void Script::save(StateWriter& out) const {
  out.put(id);
  out.put(number);
  out.put(status);
  out.put(at);
  out.put(statements);
  out.put(first);
  out.put(first_read);
  out.put(read_place);
  out.put(first_timed);
  out.put(looks);
  out.put_all(acts);
}

void Script::load(StateReader& in) {
  id = in.get<Fingerprint>();
  number = in.get<std::uint32_t>();
  status = in.get<Status>();
  at = in.get<TxnWindows>();
  statements = in.get<std::uint32_t>();
  first = in.get<Window>();
  first_read = in.get<Window>();
  read_place = in.get<std::uint32_t>();
  first_timed = in.get<bool>();
  looks = in.get<bool>();
  acts = in.get_all<Act>();
}

}  // namespace isolde::mirror
