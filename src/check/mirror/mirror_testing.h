// check/mirror/mirror_testing.h: what the mirror's tests share: a sink that remembers, and streams fed step by step.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "check/mirror/mirror.h"
#include "tests/support/simulated_dbms.h"

namespace isolde::mirror {

struct Told : OnlineSink {
  std::vector<OnlineViolation> violations, suspicions;
  void violated(const OnlineViolation& v) override { violations.push_back(v); }
  void suspected(const OnlineViolation& v, std::string_view) override { suspicions.push_back(v); }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const OnlineViolation& v : violations) all += full_name(v.kind, v.variant) + ": " + v.text + "\n";
    return all;
  }
  [[nodiscard]] std::vector<std::uint64_t> identities() const {
    std::vector<std::uint64_t> ids;
    for (const OnlineViolation& v : violations) ids.push_back(v.identity);
    std::sort(ids.begin(), ids.end());
    return ids;
  }
};

// Any combination of mechanisms.
inline Profile random_profile(Rng& rng) {
  Profile p;
  p.name = "random";
  p.reads = static_cast<Reads>(rng.below(5));
  p.snapshot_at = static_cast<SnapshotAt>(rng.below(3));
  p.snapshot_gathered = rng.chance(0.2);
  p.locking_reads_see_latest = rng.chance(0.3);
  p.write_locks = rng.chance(0.6);
  p.read_locks = p.write_locks && rng.chance(0.2);
  p.first_updater_wins = p.reads == Reads::kTransaction && rng.chance(0.6);
  p.certifier = static_cast<Certifier>(rng.below(5));
  if (p.certifier == Certifier::kSsi && p.reads != Reads::kTransaction) p.certifier = Certifier::kNone;
  return p;
}

inline std::string text_of(const Profile& p) {
  return "reads " + std::to_string(static_cast<int>(p.reads)) + " snapshot " +
         std::to_string(static_cast<int>(p.snapshot_at)) + " latest " + std::to_string(p.locking_reads_see_latest) +
         " write_locks " + std::to_string(p.write_locks) + " read_locks " + std::to_string(p.read_locks) + " fuw " +
         std::to_string(p.first_updater_wins) + " certifier " + std::to_string(static_cast<int>(p.certifier));
}

inline SimulationOptions random_options(Rng& rng, std::uint64_t seed) {
  SimulationOptions o;
  o.profile = random_profile(rng);
  o.seed = seed;
  o.sessions = 2 + static_cast<int>(rng.below(4));
  o.transactions = 3 + static_cast<int>(rng.below(14));
  o.keys = 1 + static_cast<int>(rng.below(4));
  o.values = rng.chance(0.5) ? 0 : 2 + static_cast<int>(rng.below(4));
  o.granularity = 1 + static_cast<int>(rng.below(6));
  o.deletes = rng.chance(0.3) ? 0.3 : 0;
  o.appends = rng.chance(0.3) ? 0.3 : 0;
  o.increments = rng.chance(0.3) ? 0.3 : 0;
  if (o.appends + o.increments > 0) o.keys = std::max(o.keys, 3);
  o.scans = rng.chance(0.3) ? 0.4 : 0;
  o.no_interval = rng.chance(0.2) ? 0.2 : 0;
  o.commits = rng.chance(0.5) ? 0.7 : 0;
  return o;
}

// Feeds transactions in order of begin; the watermark moves now and then.
inline void feed(OnlineEngine& engine, const Simulated& stream, Rng& rng, double advances = 0.5) {
  const History& h = stream.chunk->history;
  for (std::size_t i = 0; i < stream.by_begin.size(); ++i) {
    const TxnId t = stream.by_begin[i];
    if (rng.chance(advances)) engine.advance({.now = 0, .watermark = h.begin(t), .complete = true});
    engine.take({stream.chunk, t, false});
  }
  engine.finish();
}

}  // namespace isolde::mirror
