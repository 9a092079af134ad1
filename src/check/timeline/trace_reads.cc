#include "check/timeline/trace_reads.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "check/accesses.h"

namespace isolde::timeline {
namespace {

// A write of a value that somebody read wrongly.
struct Candidate {
  TxnId txn;
  OpId op;
  bool final;  // the transaction's last write of that key
};

// All writes of the (key, value) pairs that are asked for, found in one pass.
class Writers {
 public:
  void ask(KeyId key, ValueId value) { found_.try_emplace(Uncertain::id(key, value)); }

  void look(const History& h) {
    if (found_.empty()) return;
    std::vector<bool> keys(h.key_count(), false);
    for (const auto& [id, list] : found_) keys[id >> 32] = true;
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
      for_each_access(h, TxnId{t}, [&](const Access& a) {
        if (a.kind == OpKind::kRead || !keys[raw(a.key)]) return;
        const auto at = found_.find(Uncertain::id(a.key, a.value));
        if (at != found_.end()) at->second.push_back({TxnId{t}, OpId{a.op}, is_final(h, TxnId{t}, a)});
      });
    }
  }

  [[nodiscard]] const std::vector<Candidate>& of(KeyId key, ValueId value) const {
    static const std::vector<Candidate> kNone;
    const auto at = found_.find(Uncertain::id(key, value));
    return at == found_.end() ? kNone : at->second;
  }

 private:
  static bool is_final(const History& h, TxnId t, const Access& write) {
    bool last = true;
    for_each_access(h, t, [&](const Access& a) {
      if (a.kind != OpKind::kRead && a.key == write.key && a.op > write.op) last = false;
    });
    return last;
  }

  std::unordered_map<std::uint64_t, std::vector<Candidate>> found_;
};

std::size_t divergence(std::span<const ValueId> read, std::span<const ValueId> expected) {
  std::size_t at = 0;
  while (at < read.size() && at < expected.size() && read[at] == expected[at]) ++at;
  return at;
}

// Calls `f(key, value)` for each pair whose writers tell where what was read comes from.
template <typename F>
void for_each_traced(const History& h, const std::vector<Finding>& findings, F&& f) {
  for (const Finding& finding : findings) {
    if (finding.type != Finding::Type::kExternal) continue;
    f(finding.key, finding.read);
    const auto read = h.values().elements(finding.read);
    if (!read || read->empty()) continue;
    f(finding.key, read->back());
    const std::size_t at = divergence(*read, finding.expected_elements);
    if (at < read->size()) f(finding.key, (*read)[at]);
  }
}

struct Origin {
  ReadSource source = ReadSource::kNeverWritten;
  TxnId writer = kNoTxn;
  OpId op = kNoOp;
};

class ReadTracer {
 public:
  explicit ReadTracer(const Context& context) : c_(context), h_(context.history) {}

  void prepare(const std::vector<Finding>& findings) {
    for_each_traced(h_, findings, [this](KeyId key, ValueId value) { writers_.ask(key, value); });
    writers_.look(h_);
  }

  Anomaly anomaly(const Finding& f) const {
    switch (f.type) {
      case Finding::Type::kInternal:
        return internal(f);
      case Finding::Type::kConflict:
        return conflict(f);
      case Finding::Type::kExternal:
        break;
    }
    return external(f);
  }

 private:
  [[nodiscard]] bool serial() const { return c_.family == LevelFamily::kSerializable; }

  Anomaly about_read(AnomalyKind kind, const Finding& f) const {
    Anomaly a;
    a.kind = kind;
    a.transactions.push_back(f.txn);
    a.op = OpId{f.op};
    a.key = f.key;
    a.read = f.read;
    a.expected = f.expected;
    a.expected_known = !f.expected_rich || !f.expected_text.empty();
    a.expected_text = f.expected_text;
    a.expected_writer = f.other;
    return a;
  }

  Anomaly internal(const Finding& f) const {
    Anomaly a = about_read(AnomalyKind::kInternal, f);
    a.source = ReadSource::kOwn;
    a.expected_writer = f.txn;
    OpId earlier = kNoOp;
    for_each_access(h_, f.txn, [&](const Access& access) {
      if (access.key == f.key && access.op < f.op) earlier = OpId{access.op};
    });
    a.steps.push_back({StepType::kProgram, f.txn, f.txn, f.key, earlier, OpId{f.op}});
    return a;
  }

  Anomaly conflict(const Finding& f) const {
    bool has_read = false;
    for_each_access(h_, f.txn, [&](const Access& access) {
      has_read = has_read || (access.key == f.key && access.kind == OpKind::kRead && access.op < f.op);
    });
    Anomaly a;
    a.kind = has_read ? AnomalyKind::kLostUpdate : AnomalyKind::kGSIa;
    a.transactions = {f.txn, f.other};
    a.key = f.key;
    a.op = OpId{f.op};
    a.steps.push_back({StepType::kInvisible, f.txn, f.other, kNoKey, kNoOp, kNoOp});
    a.steps.push_back({StepType::kWw, f.other, f.txn, f.key, write_of(f.other, f.key), OpId{f.op}});
    return a;
  }

  Anomaly external(const Finding& f) const {
    // A list may have been written as a whole or grown by appends; a whole write is the simpler story.
    Origin origin = origin_of_value(f.txn, f.rank, f.op, f.key, f.read);
    const bool is_list = h_.values().type(f.read) == ValueType::kList;
    if (f.expected_rich || (is_list && origin.source == ReadSource::kNeverWritten)) origin = origin_of_rich(f);
    Anomaly a = about_read(kind_of(origin.source), f);
    a.source = origin.source;
    a.source_writer = origin.writer;
    const OpId read{f.op};
    switch (origin.source) {
      case ReadSource::kInitial:
      case ReadSource::kOlder:
      case ReadSource::kCurrent:
      case ReadSource::kOwn:
      case ReadSource::kUntraceable:
        missed(f, a);
        break;
      case ReadSource::kNewer:
        a.transactions.push_back(origin.writer);
        a.steps.push_back(
            {serial() ? c_.serial_step() : StepType::kInvisible, f.txn, origin.writer, kNoKey, kNoOp, kNoOp});
        a.steps.push_back({StepType::kWr, origin.writer, f.txn, f.key, origin.op, read});
        break;
      case ReadSource::kAborted:
      case ReadSource::kIntermediate:
        a.transactions.push_back(origin.writer);
        a.steps.push_back({StepType::kWr, origin.writer, f.txn, f.key, origin.op, read});
        break;
      default:
        a.steps.push_back({StepType::kProgram, f.txn, f.txn, f.key, read, origin.op});
        break;
    }
    return a;
  }

  // The reader does not show what `expected_writer` wrote, though that one comes before it.
  void missed(const Finding& f, Anomaly& a) const {
    const TxnId w = f.other;
    if (w == kNoTxn) {  // it should have shown the initial state, and shows another one of equal standing
      a.steps.push_back({StepType::kProgram, f.txn, f.txn, f.key, OpId{f.op}, kNoOp});
      return;
    }
    a.transactions.push_back(w);
    const OpId write = write_of(w, f.key);
    if (serial()) {
      if (writes_key(f.txn, f.key)) {
        a.kind = AnomalyKind::kLostUpdate;
      } else if (const auto back = reads_what_is_written(w, f.txn)) {
        // Each read what the other overwrote: write skew, and the commit order is not needed to see the cycle.
        a.kind = AnomalyKind::kWriteSkew;
        a.steps.push_back({StepType::kRw, w, f.txn, back->key, OpId{back->op}, write_of(f.txn, back->key)});
        a.steps.push_back({StepType::kRw, f.txn, w, f.key, OpId{f.op}, write});
        return;
      }
    }
    a.steps.push_back({serial() ? c_.serial_step() : StepType::kVisible, w, f.txn, kNoKey, kNoOp, kNoOp});
    a.steps.push_back({StepType::kRw, f.txn, w, f.key, OpId{f.op}, write});
  }

  [[nodiscard]] OpId write_of(TxnId t, KeyId key) const {
    OpId found = kNoOp;
    for_each_access(h_, t, [&](const Access& a) {
      if (a.kind != OpKind::kRead && a.key == key) found = OpId{a.op};
    });
    return found;
  }
  [[nodiscard]] bool writes_key(TxnId t, KeyId key) const { return write_of(t, key) != kNoOp; }

  // A read of `w` of a key that `reader` writes and `w` does not.
  [[nodiscard]] std::optional<Access> reads_what_is_written(TxnId w, TxnId reader) const {
    std::optional<Access> found;
    for_each_access(h_, w, [&](const Access& a) {
      if (!found && a.kind == OpKind::kRead && writes_key(reader, a.key) && !writes_key(w, a.key)) found = a;
    });
    return found;
  }

  [[nodiscard]] bool counts(TxnId t) const { return c_.schedule.counts[raw(t)] == Counts::kYes; }

  Origin origin_of_value(TxnId reader, std::uint32_t rank, std::uint32_t op, KeyId key, ValueId value) const {
    Origin older;
    Origin newer;
    Origin other;
    std::uint32_t older_rank = 0;
    std::uint32_t newer_rank = kNone32;
    for (const Candidate& w : writers_.of(key, value)) {
      if (w.txn == reader) {
        const ReadSource own = raw(w.op) > op ? ReadSource::kOwnLater : ReadSource::kOwn;
        if (other.source == ReadSource::kNeverWritten || other.source == ReadSource::kAborted)
          other = {own, reader, w.op};
      } else if (!counts(w.txn)) {
        if (other.source == ReadSource::kNeverWritten) other = {ReadSource::kAborted, w.txn, w.op};
      } else if (!w.final) {
        other = {ReadSource::kIntermediate, w.txn, w.op};
      } else {
        const std::uint32_t commit = c_.swept.commit_rank[raw(w.txn)];
        if (commit <= rank && commit >= older_rank) {
          older = {ReadSource::kOlder, w.txn, w.op};
          older_rank = commit;
        } else if (commit > rank && commit < newer_rank) {
          newer = {ReadSource::kNewer, w.txn, w.op};
          newer_rank = commit;
        }
      }
    }
    if (older.writer != kNoTxn) return older;
    if (h_.initial(key) == value) return {ReadSource::kInitial, kNoTxn, kNoOp};
    return newer.writer != kNoTxn ? newer : other;
  }

  // A list: what stands where it leaves the expected one, or where it stops short.
  Origin origin_of_rich(const Finding& f) const {
    const auto read = h_.values().elements(f.read);
    if (!read) {
      const bool counter =
          f.expected_rich && f.expected_elements.empty() && h_.values().type(f.read) == ValueType::kInteger;
      return {counter ? ReadSource::kUntraceable : ReadSource::kNeverWritten, kNoTxn, kNoOp};
    }
    const std::size_t at = divergence(*read, f.expected_elements);
    if (at == read->size()) {
      if (read->empty()) return {ReadSource::kInitial, kNoTxn, kNoOp};
      for (const Candidate& w : writers_.of(f.key, read->back())) {
        if (counts(w.txn) && w.txn != f.txn && !w.final) return {ReadSource::kIntermediate, w.txn, w.op};
        if (counts(w.txn) && w.txn != f.txn) return {ReadSource::kOlder, w.txn, w.op};
      }
      return {ReadSource::kUntraceable, kNoTxn, kNoOp};
    }
    const Origin origin = origin_of_value(f.txn, f.rank, f.op, f.key, (*read)[at]);
    // An element by a transaction that is in the snapshot stands at the wrong place: part of the list is missing.
    return origin.source == ReadSource::kInitial ? Origin{ReadSource::kUntraceable, kNoTxn, kNoOp} : origin;
  }

  const Context& c_;
  const History& h_;
  Writers writers_;
};

}  // namespace

AnomalyKind kind_of(ReadSource source) {
  switch (source) {
    case ReadSource::kAborted:
      return AnomalyKind::kG1a;
    case ReadSource::kIntermediate:
      return AnomalyKind::kG1b;
    case ReadSource::kNeverWritten:
      return AnomalyKind::kGarbageRead;
    case ReadSource::kNewer:
    case ReadSource::kOwnLater:
      return AnomalyKind::kGSIa;
    default:
      return AnomalyKind::kGSIb;
  }
}

void add_findings(const Context& context, const std::vector<Finding>& findings, std::size_t max_anomalies,
                  Verdict& verdict) {
  if (findings.empty()) return;
  ReadTracer tracer(context);
  tracer.prepare(findings);
  for (const Finding& finding : findings) {
    if (finding.forced) verdict.add(tracer.anomaly(finding), max_anomalies);
  }
}

std::vector<TxnId> transactions_needed_by(const History& h, const std::vector<Finding>& findings) {
  std::vector<TxnId> txns;
  Writers writers;
  for_each_traced(h, findings, [&](KeyId key, ValueId value) { writers.ask(key, value); });
  writers.look(h);
  for_each_traced(h, findings, [&](KeyId key, ValueId value) {
    for (const Candidate& writer : writers.of(key, value)) txns.push_back(writer.txn);
  });
  for (const Finding& f : findings) {
    txns.push_back(f.txn);
    if (f.other != kNoTxn) txns.push_back(f.other);
  }
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
  return txns;
}

void add_order_findings(const Context& context, const std::vector<OrderFinding>& findings, AnomalyKind kind,
                        std::size_t max_anomalies, Verdict& verdict) {
  const History& h = context.history;
  for (const OrderFinding& f : findings) {
    Anomaly a;
    a.kind = kind;
    a.transactions = {f.after, f.before};
    a.steps.push_back({kind == AnomalyKind::kSessionOrder ? StepType::kSession : StepType::kRealtime, f.before, f.after,
                       kNoKey, kNoOp, kNoOp});
    // Against it stands what the timestamps say, as strongly as they say it.
    StepType against = context.serial_step();
    if (context.family == LevelFamily::kSnapshot) {
      const bool unseen = h.start_ts(f.after) != kNoTime && h.start_ts(f.after) < commit_time(h, f.before);
      const bool sees = h.start_ts(f.before) != kNoTime && commit_time(h, f.after) <= h.start_ts(f.before);
      against = unseen ? StepType::kInvisible : sees ? StepType::kVisible : StepType::kCommit;
    }
    a.steps.push_back({against, f.after, f.before, kNoKey, kNoOp, kNoOp});
    verdict.add(std::move(a), max_anomalies);
  }
}

void add_unplaced(const Context& /*context*/, const std::vector<Placement>& placements, std::size_t max_anomalies,
                  Verdict& verdict) {
  for (const Placement& placement : placements) {
    if (placement.answer != Placement::Answer::kNowhere) continue;
    Anomaly a;
    a.kind = AnomalyKind::kGSingle;
    a.transactions = {placement.txn};
    const TxnId t = placement.txn;
    a.steps.push_back({StepType::kProgram, t, t, placement.one_key, placement.one, kNoOp});
    if (placement.other != kNoOp)
      a.steps.push_back({StepType::kProgram, t, t, placement.other_key, placement.other, kNoOp});
    verdict.add(std::move(a), max_anomalies);
  }
}

void add_start_after_commit(const Context& context, std::size_t max_anomalies, Verdict& verdict) {
  for (const TxnId t : context.schedule.start_after_commit) {
    Anomaly a;
    a.kind = AnomalyKind::kTimestampOrder;
    a.transactions = {t};
    a.steps.push_back({StepType::kProgram, t, t, kNoKey, kNoOp, kNoOp});
    verdict.add(std::move(a), max_anomalies);
  }
}

}  // namespace isolde::timeline
