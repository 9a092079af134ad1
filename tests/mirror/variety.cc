#include "tests/mirror/variety.h"

#include <algorithm>

namespace isolde {

using mirror::Certifier;
using mirror::Profile;
using mirror::Reads;
using mirror::SnapshotAt;

std::vector<Profile> varied_profiles() {
  std::vector<Profile> all;
  const auto add = [&](const Profile& p) {
    const bool known = std::any_of(all.begin(), all.end(), [&](Profile q) {
      q.name = p.name;
      q.source = p.source;
      return q == p;
    });
    if (!known) all.push_back(p);
  };
  for (const Profile& p : mirror::profiles()) add(p);
  Profile p = *mirror::profile_named("snapshot-isolation");
  p.name = "test:begin";
  p.snapshot_at = SnapshotAt::kBegin;
  add(p);
  p.name = "test:snapshot-reads";
  p.first_updater_wins = false;
  add(p);
  p.name = "test:cycles";
  p.certifier = Certifier::kCycles;
  add(p);
  p.name = "test:timestamp-order";
  p.certifier = Certifier::kTimestampOrder;
  add(p);
  p = {{.reads = Reads::kStatement}, "test:statements", ""};
  add(p);
  p = {{.reads = Reads::kCommitted}, "test:rows", ""};
  add(p);
  return all;
}

SimulatorOptions varied_options(const Profile& profile, SimulatedFault fault, Rng& rng) {
  SimulatorOptions o;
  o.profile = profile;
  o.fault = fault;
  o.txns = static_cast<int>(rng.between(2, 5));
  o.ops = static_cast<int>(rng.between(1, 3));
  o.keys = static_cast<int>(rng.between(1, 3));
  o.clients = static_cast<int>(rng.between(2, 4));
  o.values = rng.chance(0.4) ? static_cast<int>(rng.between(1, 3)) : 100;
  o.width = static_cast<int>(rng.below(3));
  o.lists = profile.reads != Reads::kDirty && rng.chance(0.25);
  o.counters = profile.reads != Reads::kDirty && rng.chance(0.15);
  o.scans = rng.chance(0.3);
  o.locking = rng.chance(0.4);
  o.deletes = rng.chance(0.3);
  o.unknown = rng.chance(0.3);
  o.commits = rng.chance(0.5);
  if (fault == SimulatedFault::kNoCertifier) {  // needs several who overlap and read what others write
    o.txns = static_cast<int>(rng.between(3, 5));
    o.ops = 3;
    o.keys = static_cast<int>(rng.between(2, 3));
    o.clients = 4;
    o.width = static_cast<int>(rng.below(2));
    o.locking = o.deletes = o.unknown = false;
  }
  return o;
}

}  // namespace isolde
