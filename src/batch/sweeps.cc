#include "batch/sweeps.h"

#include <algorithm>

#include "batch/wire.h"
#include "check/timeline/seen.h"
#include "check/timeline/trace_reads.h"

namespace isolde::batch {
namespace {

using timeline::Counts;
using timeline::Finding;

// The share as sweeps want it: who counts is committed, and nobody else.
History settled(const KeyShare& share, const CountedUnknown& counted, std::vector<Status>& statuses) {
  const History& h = share.history;
  statuses.resize(h.txn_count());
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    statuses[t] = counts(h, TxnId{t}, share.place[t], counted) ? Status::kCommitted : Status::kAborted;
  }
  HistoryColumns columns = h.columns();
  columns.status = statuses;
  return {columns, nullptr};
}

// Whether transactions of one time, among those whose order the timestamps leave open, touch each other in this share
// (check/timeline/schedule.cc, find_ties()).
bool has_touching_ties(const KeyShare& share, const History& h, const TimeForm& form) {
  struct Tied {
    std::int64_t time;
    Block block;
    TxnId txn;
  };
  std::vector<Tied> all;
  for (std::uint32_t i = 0; i < h.txn_count(); ++i) {
    const TxnId t{i};
    if (h.status(t) != Status::kCommitted || h.commit_ts(t) == kNoTime) continue;
    Block block = Block::kCommit;
    if (!form.is_serial()) {
      if (h.start_ts(t) == kNoTime) {
        block = Block::kUnknownStart;
      } else if (h.start_ts(t) == h.commit_ts(t) && share.writes[i] != 0) {
        block = Block::kInstantWriter;
      } else {
        continue;
      }
    }
    all.push_back({h.commit_ts(t), block, t});
  }
  std::sort(all.begin(), all.end(), [](const Tied& a, const Tied& b) {
    return std::tie(a.time, a.block, a.txn) < std::tie(b.time, b.block, b.txn);
  });
  std::vector<TxnId> group;
  for (std::size_t i = 0; i < all.size();) {
    group.clear();
    std::size_t end = i;
    while (end < all.size() && all[end].time == all[i].time && all[end].block == all[i].block)
      group.push_back(all[end++].txn);
    if (group.size() > 1 && timeline::touch_each_other(h, group)) return true;
    i = end;
  }
  return false;
}

void put_finding(const Finding& f, const KeyShare& share, const History& h, std::uint64_t bucket, WireWriter& out) {
  out.put(static_cast<std::uint64_t>(f.type));
  out.put(bucket);
  out.put(share.place[raw(f.txn)]);
  out.put(f.op - h.first_op(f.txn));
  out.put(f.other == kNoTxn ? 0 : share.place[raw(f.other)] + 1);
  out.put(f.expected_rich ? 1 : 0);
  out.put_value(h.values(), f.expected);
  out.put(f.expected_elements.size());
  for (const ValueId element : f.expected_elements) out.put_value(h.values(), element);
  out.put_text(f.expected_text);
}

}  // namespace

UnknownSeen who_was_seen(const KeyShare& share, const CountedUnknown& already) {
  const History& h = share.history;
  std::vector<TxnId> known;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kUnknown && counts(h, TxnId{t}, share.place[t], already))
      known.push_back(TxnId{t});
  }
  const std::vector<Counts> seen = timeline::who_counts(h, known);
  UnknownSeen out;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) != Status::kUnknown) continue;
    if (seen[t] == Counts::kYes) out.yes.push_back(share.place[t]);
    if (seen[t] == Counts::kMaybe) out.maybe.push_back(share.place[t]);
  }
  return out;
}

ShareFindings sweep_share(KeyShare share, std::uint64_t bucket, const TimeForm& form, const CountedUnknown& counted) {
  std::vector<Status> statuses;
  const History h = settled(share, counted, statuses);
  ShareFindings out;
  out.keys = h.key_count();
  if (has_touching_ties(share, h, form)) {
    out.has_ties = true;
    return out;
  }
  timeline::Schedule schedule =
      timeline::make_schedule(h, form.family, AddedOrder::kNone, timeline::Clock::kTimestamps, false);
  const timeline::SweepResult swept =
      timeline::sweep(h, schedule, form.family, AddedOrder::kNone, timeline::Uncertain{}, {}, Limits{});
  out.count = swept.findings.size();
  WireWriter writer(out.findings);
  for (const Finding& f : swept.findings) put_finding(f, share, h, bucket, writer);
  if (swept.findings.empty()) return out;
  for (const TxnId t : timeline::transactions_needed_by(h, swept.findings)) out.needed.push_back(share.place[raw(t)]);
  return out;
}

Result<std::vector<RemoteFinding>> read_findings(const std::string& bytes, ValueInterner& values) {
  std::vector<RemoteFinding> findings;
  WireReader in(bytes);
  while (in.good() && !in.at_end()) {
    RemoteFinding f{};
    f.type = static_cast<Finding::Type>(in.get());
    f.bucket = in.get();
    f.txn = in.get();
    f.op = in.get();
    const std::uint64_t other = in.get();
    f.has_other = other != 0;
    f.other = other - 1;
    f.expected_rich = in.get() != 0;
    f.expected = in.get_value(values);
    for (std::uint64_t left = in.get(); left > 0 && in.good(); --left)
      f.expected_elements.push_back(in.get_value(values));
    f.expected_text = in.get_text();
    findings.push_back(std::move(f));
  }
  if (!in.good()) return Error{"what another rank found could not be read; please report this"};
  return findings;
}

}  // namespace isolde::batch
