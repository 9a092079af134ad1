#include "gen/shuffle.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace isolde {
namespace {

// What is new; all else stays in the history that it came from.
struct Storage {
  explicit Storage(const History& history) : old(history) {}
  History old;
  OwnedColumns columns;
};

// The best of several draws: towards the start of the file, or towards its end.
std::uint64_t draw(Rng& rng, std::uint64_t draws, bool late) {
  std::uint64_t best = rng.next();
  for (std::uint64_t i = 1; i < draws; ++i) best = late ? std::max(best, rng.next()) : std::min(best, rng.next());
  return best;
}

// The transactions in their new order.
std::vector<TxnId> new_order(const History& h, Rng& rng) {
  constexpr std::uint64_t kMostDraws = 5;
  std::vector<std::vector<std::uint64_t>> places(h.session_count());
  std::vector<std::uint64_t> draws(h.session_count());
  std::vector<bool> late(h.session_count());
  for (std::size_t s = 0; s < places.size(); ++s) {
    draws[s] = 1 + rng.below(kMostDraws);
    late[s] = rng.below(2) == 1;
  }
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const std::uint32_t s = raw(h.session(TxnId{t}));
    places[s].push_back(draw(rng, draws[s], late[s]));
  }
  for (std::vector<std::uint64_t>& of_session : places) std::ranges::sort(of_session);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  all.reserve(h.txn_count());
  std::vector<std::size_t> next(h.session_count(), 0);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const std::uint32_t s = raw(h.session(TxnId{t}));
    all.emplace_back(places[s][next[s]++], t);
  }
  // Of equal places the earlier transaction comes first, so sessions stay in order even then.
  std::ranges::sort(all);
  std::vector<TxnId> order;
  order.reserve(all.size());
  for (const auto& [place, t] : all) order.push_back(TxnId{t});
  return order;
}

}  // namespace

std::pair<History, std::vector<TxnId>> shuffled(const History& history, Rng& rng) {
  const HistoryColumns& from = history.columns();
  const std::vector<TxnId> order = new_order(history, rng);
  std::vector<TxnId> went(order.size(), kNoTxn);
  for (std::uint32_t t = 0; t < order.size(); ++t) went[raw(order[t])] = TxnId{t};

  const auto storage = std::make_shared<Storage>(history);
  OwnedColumns& to = storage->columns;
  HistoryColumns columns = from;
  const auto by_txn = [&](auto& column, const auto& old, auto& view) {
    if (old.empty()) return;
    for (const TxnId t : order) column.push_back(old[raw(t)]);
    view = column.view();
  };
  by_txn(to.session, from.session, columns.session);
  by_txn(to.status, from.status, columns.status);
  by_txn(to.begin, from.begin, columns.begin);
  by_txn(to.end, from.end, columns.end);
  by_txn(to.start_ts, from.start_ts, columns.start_ts);
  by_txn(to.commit_ts, from.commit_ts, columns.commit_ts);
  by_txn(to.order, from.order, columns.order);
  by_txn(to.sno, from.sno, columns.sno);
  by_txn(to.commit_before, from.commit_before, columns.commit_before);
  by_txn(to.commit_length, from.commit_length, columns.commit_length);

  const auto by_op = [&](auto& column, const auto& old, auto& view) {
    if (old.empty()) return;
    for (const TxnId t : order) {
      for (std::uint32_t op = history.first_op(t); op < history.end_op(t); ++op) column.push_back(old[op]);
    }
    view = column.view();
  };
  by_op(to.op, from.op, columns.op);
  by_op(to.op_value, from.op_value, columns.op_value);
  by_op(to.op_before, from.op_before, columns.op_before);
  by_op(to.op_length, from.op_length, columns.op_length);
  std::uint32_t ops = 0;
  for (const TxnId t : order) {
    to.first_op.push_back(ops);
    ops += history.end_op(t) - history.first_op(t);
  }
  to.first_op.push_back(ops);
  columns.first_op = to.first_op.view();

  if (!from.wide_intervals.empty()) {
    for (WideInterval wide : from.wide_intervals) {
      const TxnId t = history.txn_of(wide.op);
      wide.op = OpId{to.first_op[raw(went[raw(t)])] + raw(wide.op) - history.first_op(t)};
      to.wide_intervals.push_back(wide);
    }
    std::sort(to.wide_intervals.begin(), to.wide_intervals.end(),
              [](const WideInterval& a, const WideInterval& b) { return a.op < b.op; });
    columns.wide_intervals = to.wide_intervals.view();
  }
  if (!from.wide_commits.empty()) {
    for (WideCommit wide : from.wide_commits) {
      wide.txn = went[raw(wide.txn)];
      to.wide_commits.push_back(wide);
    }
    std::sort(to.wide_commits.begin(), to.wide_commits.end(),
              [](const WideCommit& a, const WideCommit& b) { return a.txn < b.txn; });
    columns.wide_commits = to.wide_commits.view();
  }
  if (!from.version_entries.empty()) {
    for (const std::uint32_t entry : from.version_entries) to.version_entries.push_back(entry);
    for (const VersionOrder& version_order : from.version_orders) {
      if (version_order.by_txn == 0) continue;
      for (std::uint32_t i = 0; i < version_order.count; ++i) {
        std::uint32_t& entry = to.version_entries[version_order.first + i];
        entry = raw(went[entry]);
      }
    }
    columns.version_entries = to.version_entries.view();
  }
  return {History(columns, storage), std::move(went)};
}

}  // namespace isolde
