#include "gen/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace isolde {
namespace {

constexpr SessionId kNoSession{kNone32};

}  // namespace

Recorder::Recorder(const GenOptions& options)
    : timestamps_(options.evidence.timestamps),
      intervals_(options.evidence.intervals),
      op_intervals_(options.evidence.op_intervals),
      versions_(options.evidence.versions),
      order_(options.evidence.order && generated_serializable(options.level)),
      lists_(options.type == DataType::kList),
      by_txn_(lists_ || options.repeated_values),
      versions_share_(options.evidence.versions_share),
      kept_(mix64(options.seed) ^ 0x76657273696f6e73ULL),
      jitter_(mix64(options.seed) ^ 0x6a69747465724f70ULL) {
  session_ids_.resize(options.sessions, kNoSession);
  if (timestamps_ && generated_serializable(options.level)) builder_.set_serial_by_commit_ts();
  const std::string rmw =
      options.rmw_share > 0 ? fmt::format(", {:g} read-modify-writes", options.rmw_share) : std::string();
  builder_.set_about(
      fmt::format("generated: {} transactions, {} sessions, {} operations each, {} keys, {}, {}, {:g} reads{}, seed {}",
                  options.transactions, options.sessions, options.ops, options.keys, name(options.distribution),
                  name(options.type), options.read_share, rmw, options.seed));
}

ValueId Recorder::row(std::uint32_t c0, std::uint32_t c1, std::uint32_t version) {
  ValueInterner& values = builder_.values();
  const RowField fields[] = {{values.string("c0"), values.integer(c0)},
                             {values.string("c1"), values.integer(c1)},
                             {values.string("v"), values.integer(version)}};
  return values.row(fields);
}

TxnId Recorder::open(std::uint32_t session, Status status, const TxnTimes& times, std::uint32_t ops) {
  SessionId& id = session_ids_[session];
  if (id == kNoSession) id = builder_.session(static_cast<std::int64_t>(session));
  const TxnId txn = builder_.begin_txn(id);
  if (status != Status::kCommitted) builder_.set_status(status);
  if (intervals_) {
    builder_.set_begin(times.begin);
    if (status != Status::kUnknown) builder_.set_end(times.end);
  }
  // The last operation is answered by then (record_interval()).
  if (op_intervals_) builder_.set_commit(times.commit - 1, status == Status::kUnknown ? kNoTime : times.end);
  if (timestamps_) {
    builder_.set_start_ts(times.start_ts);
    if (times.commit_ts != kNoTime) builder_.set_commit_ts(times.commit_ts);
  }
  if (order_ && times.commit_ts != kNoTime) builder_.set_order(times.commit_ts);
  times_ = times;
  ops_ = ops;
  op_ = 0;
  return txn;
}

KeyId Recorder::new_key(std::uint32_t key) {
  if (key >= key_ids_.size()) key_ids_.resize(std::max<std::size_t>(key + 1, key_ids_.size() * 2), kNoKey);
  key_ids_[key] = builder_.key(static_cast<std::int64_t>(key));
  return key_ids_[key];
}

// The time between snapshot and commit is cut evenly; the snapshot lies within the first operation.
void Recorder::record_interval() {
  const std::int64_t length = times_.commit - times_.start;
  const std::int64_t from = times_.start + length * op_ / ops_;
  const std::int64_t to = times_.start + length * (op_ + 1) / ops_;
  const std::int64_t slack = std::max<std::int64_t>(0, (to - from) / 4);
  const std::int64_t before = op_ == 0 ? times_.begin + 1 : from + jitter_.between(0, slack);
  builder_.at(before, to - 1 - jitter_.between(0, slack));
  ++op_;
}

void Recorder::record_version_orders() {
  std::vector<std::uint32_t> first(key_ids_.size() + 1, 0);
  const bool complete = versions_share_ >= 1;
  if (!complete) {
    std::size_t left = 0;
    for (const Install& install : installs_) {
      if (kept_.chance(versions_share_)) installs_[left++] = install;
    }
    installs_.resize(left, Install{0, 0});
  }
  for (const Install& install : installs_) ++first[install.key + 1];
  for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  Column<ValueId> entries;
  entries.extend(installs_.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const Install& install : installs_) entries[next[install.key]++] = ValueId{install.entry};
  installs_ = {};
  for (std::size_t k = 0; k + 1 < first.size(); ++k) {
    const std::span<const ValueId> order = entries.view().subspan(first[k], first[k + 1] - first[k]);
    if (order.empty()) continue;
    // A transaction's id is its place, so an entry by transaction is that integer.
    if (by_txn_) {
      builder_.version_order_by_txn(key_ids_[k], order, complete);
    } else {
      builder_.version_order(key_ids_[k], order, complete);
    }
  }
}

Result<History> Recorder::finish() {
  if (versions_) record_version_orders();
  return builder_.finish();
}

}  // namespace isolde
