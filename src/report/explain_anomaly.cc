#include "report/explain_anomaly.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (a.key != kNoKey && (is_predicate(head.kind()) || h.op_value(raw(a.op)) != a.read)) {
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
  if (a.expected_writer == reader) return fmt::format("Its own writes before that make it {}.", state);
  const auto has = [&a](StepType type) {
    return std::any_of(a.steps.begin(), a.steps.end(), [type](const Step& step) { return step.type == type; });
  };
  std::string where = "It should have found";
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

std::string where_from(const History& h, const Anomaly& a, TxnId reader) {
  const std::string read = a.key == kNoKey ? std::string("What it read") : holds(h, a.key, a.read);
  const std::string by = writer(h, a.source_writer);
  switch (a.source) {
    case ReadSource::kNotARead:
    case ReadSource::kCurrent:
      return {};
    case ReadSource::kInitial:
      return fmt::format("{}: that is the initial state, overwritten by then.", read);
    case ReadSource::kOlder:
      return fmt::format("{}: that is an older version, by {}, overwritten by then.", read, by);
    case ReadSource::kNewer:
      return fmt::format("{}: that is a newer version, by {}, which is not in its snapshot.", read, by);
    case ReadSource::kIntermediate:
      return fmt::format("{}: {} wrote that and overwrote it before its commit.", read, txn(h, a.source_writer));
    case ReadSource::kAborted:
      return fmt::format("{}: {} wrote that and did not commit.", read, txn(h, a.source_writer));
    case ReadSource::kOwn:
      return fmt::format("{}: {} itself wrote that earlier.", read, txn(h, reader));
    case ReadSource::kOwnLater:
      return fmt::format("{}: {} itself writes that, but only later.", read, txn(h, reader));
    case ReadSource::kUntraceable:
      return fmt::format("{}: no single write explains that.", read);
    case ReadSource::kNeverWritten:
      return fmt::format("{}: nobody wrote that.", read);
    case ReadSource::kRowMissed:
      return fmt::format("That row matches, and {} is not in the result.", words::key(h, a.key));
    case ReadSource::kRowExtra:
      return fmt::format("That does not match, and yet {} is in the result.", words::key(h, a.key));
    case ReadSource::kWrongAggregate:
      return "Over the rows that match, the aggregate is another.";
  }
  return {};
}

// "T9 overwrote it", with the operation where it is known.
std::string subject_did(const History& h, TxnId t, OpId op, std::string_view otherwise) {
  return op == kNoOp ? fmt::format("{} {}", txn(h, t), otherwise) : fmt::format("{} {}", txn(h, t), did(h, op));
}

// Why the second version of a ww or rw step is the later one; empty where the values alone say it.
std::string because(const History& h, const Step& s) {
  switch (s.ground) {
    case Ground::kReads:
      return {};
    case Ground::kSeen:
      return " (a transaction saw the first and read this key from the second)";
    case Ground::kList:
      return " (a list that was read shows the order)";
    case Ground::kUpdate:
      return fmt::format(" ({} had read the earlier version)", txn(h, s.to));
    case Ground::kGiven:
      return " (the version order says so)";
    case Ground::kLastLeft:
      return " (no earlier place is left for it)";
    case Ground::kTimestamps:
      return fmt::format(
          " (by the order of commit timestamps{})",
          h.commit_ts(s.to) == kNoTime ? std::string() : fmt::format("; its own is {}", h.commit_ts(s.to)));
    case Ground::kSnapshot:
      return " (by the snapshots of the two writers)";
  }
  return {};
}

std::string explain_step(const History& h, const Step& s) {
  const std::string from = txn(h, s.from);
  const std::string to = txn(h, s.to);
  switch (s.type) {
    case StepType::kWw:
      return fmt::format("{}, then {}{}", subject_did(h, s.from, s.from_op, "wrote it"),
                         subject_did(h, s.to, s.to_op, "wrote it"), because(h, s));
    case StepType::kWr:
      return s.from == kNoTxn ? fmt::format("{}, the initial state", subject_did(h, s.to, s.to_op, "read it"))
                              : fmt::format("{}, and {}", subject_did(h, s.from, s.from_op, "wrote it"),
                                            subject_did(h, s.to, s.to_op, "read it"));
    case StepType::kRw:
      return fmt::format("{}: it did not see that {}{}", subject_did(h, s.from, s.from_op, "read it"),
                         subject_did(h, s.to, s.to_op, "overwrote it"), because(h, s));
    case StepType::kSession:
      return fmt::format("{} comes before {} in session {}", from, to,
                         words::shortened(h.session_text(h.session(s.to)), 48));
    case StepType::kRealtime:
      return fmt::format("{} ended (at {}) before {} began (at {})", from, h.end(s.from), to, h.begin(s.to));
    case StepType::kVisible:
      return fmt::format("{} had committed ({}) when {} took its snapshot ({}), which so contains it", from,
                         commit_text(h, s.from), to, h.start_ts(s.to));
    case StepType::kInvisible:
      return fmt::format("{} took its snapshot ({}) before {} committed ({}), so the snapshot lacks it", from,
                         h.start_ts(s.from), to, commit_text(h, s.to));
    case StepType::kCommit:
      return fmt::format("{} comes first in the order of commits ({}), {} after it ({})", from, commit_text(h, s.from),
                         to, commit_text(h, s.to));
    case StepType::kOrder:
      return fmt::format("{} comes first in the expected order ({}), {} after it ({})", from, h.order(s.from), to,
                         h.order(s.to));
    case StepType::kProgram:
      if (s.to_op == kNoOp) return subject_did(h, s.from, s.from_op, "has these timestamps");
      return fmt::format("{}, then {}", subject_did(h, s.from, s.from_op, "did one thing"), did(h, s.to_op));
  }
  return {};
}

}  // namespace

Explanation explain(const History& h, const Anomaly& a) {
  Explanation e;
  e.title = fmt::format("{}: {}", full_name(a), info(a.kind).summary);
  if (a.source != ReadSource::kNotARead && a.op != kNoOp) {
    const TxnId reader = h.txn_of(a.op);
    e.lines.push_back(what_was_read(h, a, reader));
    if (a.expected_known) e.lines.push_back(what_was_expected(h, a, reader));
    if (std::string from = where_from(h, a, reader); !from.empty()) e.lines.push_back(std::move(from));
  } else if (a.op != kNoOp) {
    e.lines.push_back(
        fmt::format("{} {} ({}).", txn_with_place(h, h.txn_of(a.op)), did(h, a.op), words::place_of(h, a.op)));
  } else if (a.transactions.size() == 1) {
    e.lines.push_back(fmt::format("{}.", txn_with_place(h, a.transactions[0])));
  } else if (!a.transactions.empty()) {
    constexpr std::size_t kMost = 6;
    std::string who;
    for (std::size_t i = 0; i < a.transactions.size() && i < kMost; ++i) {
      who += (i == 0 ? "" : ", ") + txn_with_place(h, a.transactions[i]);
    }
    if (a.transactions.size() > kMost) who += fmt::format(" and {} more", a.transactions.size() - kMost);
    e.lines.push_back(fmt::format("Between {}.", who));
  }
  e.steps.reserve(a.steps.size());
  for (const Step& s : a.steps) e.steps.push_back(explain_step(h, s));
  return e;
}

std::string paragraph(const Explanation& e) {
  std::string text = e.title + ".";
  for (const std::string& line : e.lines) text += " " + line;
  return text;
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
