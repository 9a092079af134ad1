#include "tests/support/random_evidence.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace isolde {
namespace {

class Evidence {
 public:
  Evidence(Rng& rng, const RandomOptions& options, const SimulatedRun& run, Draft& out)
      : rng_(rng), options_(options), run_(run), out_(out) {}

  void add() {
    const bool distinct = options_.timestamps == RandomOptions::Timestamps::kCompleteAndDistinct;
    // A clock that may stand still: time of each place of the schedule.
    std::vector<std::int64_t> time;
    const double tie = distinct || rng_.chance(0.5) ? 0.0 : 0.35;
    std::int64_t now = rng_.between(-1, 3);
    for (std::size_t i = 0; i < 2 * run_.places.size(); ++i)
      time.push_back(now += rng_.chance(tie) ? 0 : rng_.between(1, 2));

    double known = distinct || rng_.chance(0.6) ? 1.0 : rng_.chance(0.5) ? 0.6 : 0.0;
    if (options_.timestamps == RandomOptions::Timestamps::kSomeMissing) known = 0.65;
    const double clocks = rng_.chance(0.5) ? 1.0 : rng_.chance(0.4) ? 0.6 : 0.0;
    const bool ordered = rng_.chance(0.2);
    for (std::size_t t = 0; t < run_.places.size(); ++t) {
      DraftTxn& txn = out_.txns[t];
      const auto start = static_cast<std::size_t>(run_.places[t].start);
      const auto commit = static_cast<std::size_t>(run_.places[t].commit);
      if (rng_.chance(known)) txn.start_ts = time[start];
      if (rng_.chance(known)) txn.commit_ts = time[commit];
      if (!distinct && known > 0 && !txn.writes() && txn.start_ts && rng_.chance(0.4)) {
        txn.commit_ts = rng_.chance(0.5) ? txn.start_ts : std::nullopt;
      }
      if (run_.reads_at_commit && !distinct && txn.start_ts && rng_.chance(0.2)) txn.start_ts = txn.commit_ts;
      const auto real = [](std::size_t place) { return 10 * static_cast<std::int64_t>(place) + 20; };
      if (rng_.chance(clocks)) txn.begin = real(start) - rng_.between(0, 12);
      if (rng_.chance(clocks)) txn.end = real(commit) + rng_.between(0, 12);
      if (ordered && rng_.chance(0.9)) txn.order = run_.places[t].commit;
    }
    add_commits();
    out_.serial_by_commit_ts = rng_.chance(0.3);
    if (rng_.chance(options_.snapshots.value_or(options_.blind ? 0.6 : 0.2))) add_snapshots();
    if (!run_.overwrites && !rng_.chance(options_.rows_only ? 0.5 : 0.25)) return;
    for (const std::string& key : run_.keys) add_versions(key);
    if (run_.overwrites) return mix_versions();
    if (out_.versions.empty() || !rng_.chance(0.3)) return;
    DraftVersions& order = out_.versions[rng_.below(out_.versions.size())];
    std::reverse(order.txns.begin(), order.txns.end());
    std::reverse(order.values.begin(), order.values.end());
  }

 private:
  // The intervals of commits, where there are clocks. By chance of its own, so that all else is as it was without.
  void add_commits() {
    std::uint64_t seed = 1;
    for (const SimulatedRun::Places& place : run_.places) seed = seed * 31 + static_cast<std::uint64_t>(place.commit);
    Rng rng(seed);
    const double known = rng.chance(0.5) ? 0.8 : 0.0;
    for (std::size_t t = 0; t < run_.places.size(); ++t) {
      DraftTxn& txn = out_.txns[t];
      if (!txn.begin || !rng.chance(known)) continue;
      const std::int64_t real = 10 * static_cast<std::int64_t>(run_.places[t].commit) + 20;
      txn.commit_before = std::max(*txn.begin, real - rng.between(0, 12));
      if (txn.end && rng.chance(0.8)) txn.commit_after = rng.between(real, *txn.end);
    }
  }

  // Whoever overwrote whom on one key need not have done so on another.
  void mix_versions() {
    for (DraftVersions& order : out_.versions) {
      if (rng_.chance(0.5)) continue;
      for (std::size_t i = order.txns.size(); i > 1; --i) std::swap(order.txns[i - 1], order.txns[rng_.below(i)]);
      for (std::size_t i = order.values.size(); i > 1; --i) std::swap(order.values[i - 1], order.values[rng_.below(i)]);
    }
  }

  // As PostgreSQL would have told them: an xid for who writes, drawn at its start; those under way are active.
  void add_snapshots() {
    const double all = rng_.chance(0.7) ? 1.0 : 0.7;
    const auto xid_of = [&](std::size_t t) { return 100 + static_cast<std::int64_t>(run_.places[t].start); };
    for (std::size_t t = 0; t < run_.places.size(); ++t) {
      if (!rng_.chance(all)) continue;
      const int taken = run_.reads_at_commit ? run_.places[t].commit : run_.places[t].start;
      DraftSnapshot s;
      if (out_.txns[t].writes()) s.xid = xid_of(t);
      s.xmin = s.xmax = 100 + static_cast<std::int64_t>(taken);
      for (std::size_t other = 0; other < run_.places.size(); ++other) {
        const bool under_way = run_.places[other].start < taken && run_.places[other].commit >= taken;
        if (!under_way || other == t || !out_.txns[other].writes()) continue;
        s.active.push_back(xid_of(other));
        s.xmin = std::min(s.xmin, xid_of(other));
      }
      out_.txns[t].snapshot = std::move(s);
    }
  }

  void add_versions(const std::string& key) {
    DraftVersions order{key, {}, {}};
    const bool by_txn = rng_.chance(0.5);
    for (const std::size_t t : run_.commits) {
      std::optional<DraftValue> last;
      for (const DraftOp& op : out_.txns[t].ops) {
        if (is_item_write(op.kind) && op.key == key) last = op.value;
        for (const auto& [its, row] : op.items) {
          if (op.kind == OpKind::kUpdate && its == key) last = row;
        }
      }
      if (!last) continue;
      if (by_txn) order.txns.push_back(out_.txns[t].name);
      if (!by_txn) order.values.push_back(*last);
    }
    if (order.txns.empty() && order.values.empty()) return;
    if (by_txn && rng_.chance(0.1)) order.txns.push_back(out_.txns[rng_.below(out_.txns.size())].name);
    // Less than the whole: some entries, in one line or in two.
    const int lines = rng_.chance(0.6) ? 0 : rng_.chance(0.5) ? 1 : 2;
    for (int line = 0; line < lines; ++line) {
      DraftVersions part = order;
      part.complete = false;
      std::erase_if(part.txns, [this](const auto&) { return rng_.chance(0.3); });
      std::erase_if(part.values, [this](const auto&) { return rng_.chance(0.3); });
      if (!part.txns.empty() || !part.values.empty()) out_.versions.push_back(std::move(part));
    }
    if (lines == 0) out_.versions.push_back(std::move(order));
  }

  Rng& rng_;
  const RandomOptions& options_;
  const SimulatedRun& run_;
  Draft& out_;
};

}  // namespace

void add_random_evidence(Rng& rng, const RandomOptions& options, const SimulatedRun& run, Draft& draft) {
  Evidence(rng, options, run, draft).add();
}

}  // namespace isolde
