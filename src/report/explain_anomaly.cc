#include "report/explain_anomaly.h"

#include <fmt/format.h>

#include <algorithm>

#include "anomaly/telling.h"
#include "report/explain_cases.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde {
namespace {

using words::did;
using words::holds;
using words::txn;
using words::txn_with_place;

std::string committed_at(const History& h, TxnId t) {
  return t != kNoTxn && h.commit_ts(t) != kNoTime ? fmt::format(" (commit_ts {})", h.commit_ts(t)) : std::string();
}

// "T7 (commit_ts 110)", or the words for the state before all transactions.
std::string writer(const History& h, TxnId t) {
  return t == kNoTxn ? std::string("the initial state") : txn(h, t) + committed_at(h, t);
}

// When it committed; of a transaction that only read and has no commit_ts, when it started.
std::string commit_text(const History& h, TxnId t) {
  const std::int64_t time = h.commit_ts(t) != kNoTime ? h.commit_ts(t) : h.start_ts(t);
  return time == kNoTime ? std::string("at an unknown time") : std::to_string(time);
}

std::string what_was_read(const History& h, const Anomaly& a, TxnId reader) {
  std::string text = fmt::format("{} {}", txn_with_place(h, reader), did(h, a.op));
  const OpHead head = h.op(raw(a.op));
  // The value at fault may be another than the operation's own: one element of a list, one row of a scan.
  const bool about_rows = a.source == ReadSource::kRowMissed || a.source == ReadSource::kWrongAggregate;
  if (!about_rows && a.key != kNoKey && (is_predicate(head.kind()) || h.op_value(raw(a.op)) != a.read)) {
    text += fmt::format(", with {}", holds(h, a.key, a.read));
  }
  return fmt::format("{} ({}).", text, words::place_of(h, a.op));
}

std::string what_was_expected(const History& h, const Anomaly& a, TxnId reader) {
  std::string state;
  if (a.key == kNoKey) {
    state = a.expected_text;
  } else if (!a.expected_text.empty()) {
    state = fmt::format("{} = {}", words::key(h, a.key), words::shortened(a.expected_text));
  } else {
    state = holds(h, a.key, a.expected);
  }
  if (a.expected_writer == reader) return fmt::format("By its own operations before that, {}.", state);
  const auto has = [&a](StepType type) {
    return std::any_of(a.steps.begin(), a.steps.end(), [type](const Step& step) { return step.type == type; });
  };
  std::string where = "It should have found";
  if (std::any_of(a.steps.begin(), a.steps.end(), [](const Step& step) { return step.ground == Ground::kSnapshot; }))
    where = "Its snapshot shows";
  if (has(StepType::kCommit) && h.commit_ts(reader) != kNoTime) {
    where = fmt::format("At its place in the order of commits (commit_ts {})", h.commit_ts(reader));
  } else if (has(StepType::kOrder)) {
    where = fmt::format("At its place in the expected order ({})", h.order(reader));
  } else if ((has(StepType::kVisible) || has(StepType::kInvisible)) && h.start_ts(reader) != kNoTime) {
    where = fmt::format("In its snapshot (start_ts {})", h.start_ts(reader));
  }
  if (a.expected_writer == kNoTxn) return fmt::format("{} {}, the initial state.", where, state);
  return fmt::format("{} {}, written by {}.", where, state, writer(h, a.expected_writer));
}

// Of a read: why what it returned cannot be.
std::string where_from(const History& h, const Anomaly& a, TxnId reader) {
  std::string read = "what it read is";
  if (a.key != kNoKey) {
    read = a.read == kNullValue ? fmt::format("it found {} absent, which is", words::key(h, a.key))
                                : holds(h, a.key, a.read) + " is";
  }
  const std::string by = writer(h, a.source_writer);
  switch (a.source) {
    case ReadSource::kNotARead:
    case ReadSource::kCurrent:
      return {};
    case ReadSource::kInitial:
      return fmt::format("{} the initial state, overwritten by then.", read);
    case ReadSource::kOlder:
      return fmt::format("{} an older version, by {}, overwritten by then.", read, by);
    case ReadSource::kNewer:
      return fmt::format("{} a newer version, by {}, which is not in its snapshot.", read, by);
    case ReadSource::kIntermediate:
      if (a.source_writer == reader)
        return fmt::format("{} itself writes that, but not before it reads.", txn(h, reader));
      return fmt::format("{} wrote that and overwrote it before its commit; no other transaction may see it.",
                         txn(h, a.source_writer));
    case ReadSource::kAborted:
      return fmt::format("{} did not commit, so no other transaction may see what it wrote.", txn(h, a.source_writer));
    case ReadSource::kOwn:
      if (!a.steps.empty() && a.steps[0].from_op != kNoOp && h.op(raw(a.steps[0].from_op)).kind() == OpKind::kRead) {
        return fmt::format("{} had read something else before, and nothing it did since explains the difference.",
                           txn(h, reader));
      }
      return fmt::format("{} does not see what it wrote itself.", txn(h, reader));
    case ReadSource::kOwnLater:
      return fmt::format("{} itself writes that, but only later.", txn(h, reader));
    case ReadSource::kUntraceable:
      return fmt::format("{} not explained by any single write.", read);
    case ReadSource::kNeverWritten:
      return fmt::format("{} a value that no transaction wrote.", read);
    case ReadSource::kRowMissed:
      return a.expected_known
                 ? fmt::format("that row matches, yet {} is not in the result.", words::key(h, a.key))
                 : fmt::format("every version of {0} that it may have seen matches, yet {0} is not in the result.",
                               words::key(h, a.key));
    case ReadSource::kRowExtra:
      return a.expected_known
                 ? fmt::format("that does not match, yet {} is in the result.", words::key(h, a.key))
                 : fmt::format("no version of {0} that it may have seen matches, yet {0} is in the result.",
                               words::key(h, a.key));
    case ReadSource::kWrongAggregate:
      return "the aggregate over the matching rows is different.";
  }
  return {};
}

// "T9 wrote x = 1", with the operation where it is known.
std::string subject_did(const History& h, TxnId t, OpId op, std::string_view otherwise) {
  return op == kNoOp ? fmt::format("{} {}", txn(h, t), otherwise) : fmt::format("{} {}", txn(h, t), did(h, op));
}

// A read of what the writer wrote to the key, or (kNoKey) to any; kNoOp: there is none.
OpId read_of(const History& h, TxnId reader, TxnId writer, KeyId key) {
  for (std::uint32_t op = h.first_op(reader); op < h.end_op(reader); ++op) {
    const OpHead read = h.op(op);
    if (read.kind() != OpKind::kRead || (key != kNoKey && read.key() != key)) continue;
    const auto elements = h.values().elements(h.op_value(op));
    for (std::uint32_t other = h.first_op(writer); other < h.end_op(writer); ++other) {
      const OpHead write = h.op(other);
      if (!is_item_write(write.kind()) || write.key() != read.key()) continue;
      const bool in_list = elements && !elements->empty() && elements->back() == h.op_value(other);
      if (h.op_value(other) == h.op_value(op) || in_list) return OpId{op};
    }
  }
  return kNoOp;
}

// How the reader of such an order had seen the earlier writer.
std::string had_seen(const History& h, const Step& s, OpId read) {
  if (s.reader == kNoTxn) return fmt::format("had seen {}", txn(h, s.from));
  const OpId op = read_of(h, s.reader, s.from, kNoKey);
  if (op != kNoOp && op != read) return fmt::format("{} from {}", did(h, op), txn(h, s.from));
  if (h.session(s.reader) == h.session(s.from)) return fmt::format("comes after {} in its session", txn(h, s.from));
  return fmt::format("had seen {} by what it read and by sessions", txn(h, s.from));
}

// Of an order that follows from what a third transaction saw: its read of the later version.
OpId seen_by(const History& h, const Anomaly& a, const Step& s) {
  if (s.ground != Ground::kSeen || s.to_op == kNoOp) return kNoOp;
  if (s.reader != kNoTxn) return read_of(h, s.reader, s.to, s.key);
  const auto in_cycle = [&](TxnId t) {
    return std::any_of(a.steps.begin(), a.steps.end(), [t](const Step& step) { return step.from == t; });
  };
  for (const TxnId t : a.transactions) {
    if (t == kNoTxn || in_cycle(t)) continue;
    for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
      const OpHead head = h.op(op);
      if (head.kind() == OpKind::kRead && head.key() == s.key && h.op_value(op) == h.op_value(raw(s.to_op)))
        return OpId{op};
    }
  }
  return kNoOp;
}

// Why the second version of a ww or rw step is the later one; empty where the values alone say it.
std::string ground(const History& h, const Anomaly& a, const Step& s) {
  switch (s.ground) {
    case Ground::kReads:
      return {};
    case Ground::kSeen:
      if (s.type == StepType::kRw)
        return fmt::format(" (a transaction that had seen the writer of that version read this key from {})",
                           txn(h, s.to));
      if (const OpId op = seen_by(h, a, s); op != kNoOp)
        return fmt::format(" ({}, which {}, {})", txn(h, h.txn_of(op)), had_seen(h, s, op), did(h, op));
      return fmt::format(" (a transaction that had seen {} read this key from {})", txn(h, s.from), txn(h, s.to));
    case Ground::kPast:
      return fmt::format(" (by what it read, or by sessions, {} comes after {})", txn(h, s.to),
                         s.type == StepType::kRw ? "the writer of that version" : txn(h, s.from));
    case Ground::kList:
      return " (a list shows the order)";
    case Ground::kUpdate:
      return fmt::format(" ({} had read the earlier version)", txn(h, s.to));
    case Ground::kAssumed:  // explain_step() has told it
      return {};
    case Ground::kGiven:
      return " (the version order says so)";
    case Ground::kLastLeft:
      return " (no earlier place is left for it)";
    case Ground::kTimestamps:
      return fmt::format(
          " (by the order of commit timestamps{})",
          h.commit_ts(s.to) == kNoTime ? std::string() : fmt::format("; its own is {}", h.commit_ts(s.to)));
    case Ground::kSnapshot:
      if (const OpId reads = s.type == StepType::kRw ? s.from_op : s.to_op;
          s.type != StepType::kWw && reads != kNoOp && is_predicate(h.op(raw(reads)).kind()))
        return " (by the version that its snapshot shows)";
      return " (by the snapshots of the two writers)";
  }
  return {};
}

// "T9 wrote a later version, x = 2".
std::string wrote_later(const History& h, TxnId t, OpId op, KeyId key) {
  const std::string who = txn(h, t);
  if (op == kNoOp) return who + " overwrote that";
  const ValueId v = h.op_value(raw(op));
  switch (h.op(raw(op)).kind()) {
    case OpKind::kWrite:
      return v == kNullValue ? fmt::format("{} deleted it later", who)
                             : fmt::format("{} wrote a later version, {}", who, holds(h, key, v));
    case OpKind::kAppend:
      return fmt::format("{} appended {} to it later", who, v == kNullValue ? "null" : words::value(h, v));
    default:
      return fmt::format("{} {} later", who, did(h, op));
  }
}

// "T9 read it", or what it read where that is more than what was written.
std::string read_it(const History& h, const Step& s) {
  const bool same = s.from_op != kNoOp && s.to_op != kNoOp && h.op(raw(s.to_op)).kind() == OpKind::kRead &&
                    h.op(raw(s.from_op)).kind() == OpKind::kWrite &&
                    h.op_value(raw(s.from_op)) == h.op_value(raw(s.to_op));
  return same ? txn(h, s.to) + " read that" : subject_did(h, s.to, s.to_op, "read that");
}

// Why `from` comes before `to`.
std::string reason(const History& h, const Anomaly& a, const Step& s) {
  const std::string from = txn(h, s.from);
  const std::string to = txn(h, s.to);
  switch (s.type) {
    case StepType::kWw:
      return fmt::format("{} and {}{}", subject_did(h, s.from, s.from_op, "wrote it"),
                         wrote_later(h, s.to, s.to_op, s.key), ground(h, a, s));
    case StepType::kWr:
      return s.from == kNoTxn ? fmt::format("{}", subject_did(h, s.to, s.to_op, "read it"))
                              : fmt::format("{} and {}{}", subject_did(h, s.from, s.from_op, "wrote it"), read_it(h, s),
                                            ground(h, a, s));
    case StepType::kRw:
      if (s.from_op != kNoOp && s.to_op != kNoOp && is_predicate(h.op(raw(s.from_op)).kind()))
        return fmt::format("{} and then {}, which changes what it finds{}",
                           subject_did(h, s.from, s.from_op, "searched"), subject_did(h, s.to, s.to_op, "wrote"),
                           ground(h, a, s));
      return fmt::format("{} and {}{}", subject_did(h, s.from, s.from_op, "read it"),
                         wrote_later(h, s.to, s.to_op, s.key), ground(h, a, s));
    case StepType::kSession:
      if (a.kind == AnomalyKind::kSessionGap) {
        return fmt::format("it comes right before it in session {} (number {}, then {})",
                           words::shortened(h.session_text(h.session(s.to)), 48), h.sno(s.from), h.sno(s.to));
      }
      return fmt::format("it comes earlier in session {}", words::shortened(h.session_text(h.session(s.to)), 48));
    case StepType::kRealtime:
      return fmt::format("{} had ended (at {}) when {} began (at {})", from, h.end(s.from), to, h.begin(s.to));
    case StepType::kVisible:
      return fmt::format("{} had committed ({}) when {} took its snapshot ({})", from, commit_text(h, s.from), to,
                         h.start_ts(s.to));
    case StepType::kInvisible:
      return fmt::format("{} took its snapshot ({}) before {} committed ({})", from, h.start_ts(s.from), to,
                         commit_text(h, s.to));
    case StepType::kCommit:
      return fmt::format("the order of commits says so ({}, {})", commit_text(h, s.from), commit_text(h, s.to));
    case StepType::kOrder:
      return fmt::format("the expected order says so ({}, {})", h.order(s.from), h.order(s.to));
    case StepType::kProgram:
      break;
  }
  return {};
}

std::string explain_step(const History& h, const Anomaly& a, const Step& s) {
  if (s.ground == Ground::kAssumed) return assumed_step_text(h, s);
  if (s.type != StepType::kProgram) {
    return fmt::format("{} before {}, because {}", txn(h, s.from), txn(h, s.to), reason(h, a, s));
  }
  if (s.to_op == kNoOp) return subject_did(h, s.from, s.from_op, "has these timestamps");
  return fmt::format("{}, then {}", subject_did(h, s.from, s.from_op, "did one thing"), did(h, s.to_op));
}

bool is_cycle(const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type == StepType::kProgram || steps[i].to != steps[(i + 1) % steps.size()].from) return false;
  }
  return steps.size() > 1;
}

std::string lost_update(const History& h, const Anomaly& a) {
  const std::string one = txn(h, a.transactions[0]);
  const std::string other = txn(h, a.transactions[1]);
  const std::string on = a.key == kNoKey ? std::string("one key") : words::key(h, a.key);
  const bool either = a.steps.size() == 2 && a.steps[0].type == StepType::kRw && a.steps[1].type == StepType::kRw;
  return either ? fmt::format("{} and {} both wrote {}, and neither saw the other's write: one update is lost.", one,
                              other, on)
                : fmt::format("{} overwrote {} and had not seen what {} wrote: that update is lost.", one, on, other);
}

// Which numbers of the session are missing between two transactions that follow each other in it.
std::string session_gap(const History& h, const Anomaly& a) {
  if (a.transactions.size() < 2) return fmt::format("{}.", info(a.kind).summary);
  const TxnId after = a.transactions[0], before = a.transactions[1];
  const std::string session = words::shortened(h.session_text(h.session(after)), 48);
  const std::int64_t first = h.sno(before), last = h.sno(after);
  if (first >= last) {
    return fmt::format("in session {} number {} comes right after number {}.", session, last, first);
  }
  const auto missing = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) - 1;
  const std::string which =
      missing == 1 ? fmt::format("number {} is", first + 1) : fmt::format("numbers {} to {} are", first + 1, last - 1);
  return fmt::format("{} missing from session {}, between {} and {}.", which, session, txn(h, before), txn(h, after));
}

std::string contradiction(const History& h, const Anomaly& a) {
  if (!a.says.empty()) return a.says;
  const std::string on = a.key == kNoKey ? std::string("the list") : words::key(h, a.key);
  if (a.kind == AnomalyKind::kDuplicateWrite) return fmt::format("{} holds one element twice.", on);
  if (a.kind == AnomalyKind::kIncompatibleOrder)
    return fmt::format("neither list is a prefix of the other, so {} grew in two orders.", on);
  if (a.tried_all) {
    return fmt::format("no order of {} explains {}; all were tried.",
                       words::counted(a.transactions.size(), "transaction"),
                       a.unexplained.size() > 1    ? "these together"
                       : a.unexplained.size() == 1 ? "this"
                                                   : "what is given");
  }
  if (a.kind == AnomalyKind::kNoOrder)
    return fmt::format("no order of these {} explains what was read.",
                       words::counted(a.transactions.size(), "transaction"));
  if (a.kind == AnomalyKind::kSessionGap) return session_gap(h, a);
  if (a.kind == AnomalyKind::kTimestampOrder) return "a transaction does not commit before it starts.";
  if (a.kind == AnomalyKind::kLostUpdate && a.transactions.size() == 2) return lost_update(h, a);
  if (a.source != ReadSource::kNotARead && a.op != kNoOp) {
    if (std::string text = where_from(h, a, h.txn_of(a.op)); !text.empty()) return text;
  }
  if (!is_cycle(a.steps)) return fmt::format("{}.", info(a.kind).summary);
  const std::string from = txn(h, a.steps[0].from);
  const std::string to = txn(h, a.steps[0].to);
  if (a.steps.size() == 2) return fmt::format("{} comes before {}, and {} before {}.", from, to, to, from);
  return fmt::format("{} comes before itself, by these {} steps.", from, grouped(a.steps.size()));
}

// The transaction and what it did; of more than `most` operations only those that the steps are about.
std::string transaction_line(const History& h, TxnId t, const std::vector<OpId>& named, std::uint32_t most) {
  if (t == kNoTxn) return "the initial state";
  const std::uint32_t first = h.first_op(t);
  const std::uint32_t end = h.end_op(t);
  std::string text;
  std::uint32_t left = end - first;
  for (std::uint32_t op = first; op < end; ++op) {
    if (end - first > most && !std::binary_search(named.begin(), named.end(), OpId{op})) continue;
    text += (text.empty() ? "" : ", ") + did(h, OpId{op});
    --left;
  }
  if (left == end - first) return fmt::format("{}: {}", txn_with_place(h, t), words::counted(left, "operation"));
  if (left > 0) text += fmt::format(", … {}", words::counted(left, "other operation"));
  return fmt::format("{}: {}", txn_with_place(h, t), text);
}

}  // namespace

std::vector<OpId> named_operations(const History& h, const Anomaly& a) {
  std::vector<OpId> named{a.op};
  for (const Step& s : a.steps) named.insert(named.end(), {s.from_op, s.to_op, seen_by(h, a, s)});
  for (const Case& one : a.cases) {
    for (const Step& s : one.steps) named.insert(named.end(), {s.from_op, s.to_op});
  }
  std::sort(named.begin(), named.end());
  return named;
}

Explanation explain(const History& h, const Anomaly& a) {
  Explanation e;
  e.title = fmt::format(
      "{}: {}", both_names(h, a),
      a.tried_all ? "no order of the transactions explains what was read" : info(telling_kind(h, a)).summary);
  if (a.source != ReadSource::kNotARead && a.op != kNoOp) {
    const TxnId reader = h.txn_of(a.op);
    e.lines.push_back(what_was_read(h, a, reader));
    if (a.expected_known) e.lines.push_back(what_was_expected(h, a, reader));
  } else if (a.op != kNoOp) {
    e.lines.push_back(
        fmt::format("{} {} ({}).", txn_with_place(h, h.txn_of(a.op)), did(h, a.op), words::place_of(h, a.op)));
  }
  const std::vector<OpId> named = named_operations(h, a);
  // Who has few to compare can look at all that they did.
  const std::uint32_t most = a.transactions.size() <= 4 ? 6 : 0;
  for (const TxnId t : a.transactions) e.transactions.push_back(transaction_line(h, t, named, most));
  e.steps.reserve(a.steps.size());
  for (const Step& s : a.steps) e.steps.push_back(explain_step(h, a, s));
  for (const Case& one : a.cases) {
    std::vector<std::string>& steps = e.cases.emplace_back();
    for (const Step& s : one.steps) steps.push_back(explain_step(h, a, s));
  }
  e.contradiction = contradiction(h, a);
  return e;
}

std::string paragraph(const Explanation& e) {
  std::string text = e.title + ".";
  for (const std::string& line : e.lines) text += " " + line;
  return text + " Contradiction: " + e.contradiction;
}

std::string_view name(ReadSource source) {
  switch (source) {
    case ReadSource::kNotARead:
      return "not-a-read";
    case ReadSource::kInitial:
      return "initial";
    case ReadSource::kOlder:
      return "older";
    case ReadSource::kNewer:
      return "newer";
    case ReadSource::kCurrent:
      return "current";
    case ReadSource::kIntermediate:
      return "intermediate";
    case ReadSource::kAborted:
      return "aborted";
    case ReadSource::kOwn:
      return "own";
    case ReadSource::kOwnLater:
      return "own-later";
    case ReadSource::kNeverWritten:
      return "never-written";
    case ReadSource::kUntraceable:
      return "untraceable";
    case ReadSource::kRowMissed:
      return "row-missed";
    case ReadSource::kRowExtra:
      return "row-extra";
    case ReadSource::kWrongAggregate:
      return "wrong-aggregate";
  }
  return {};
}

}  // namespace isolde
