// check/cycles/version_evidence.h: what the database itself says about the order of versions, where the level leaves it
// open: commit timestamps, and PostgreSQL's snapshots.
//
// In, out: VersionOrders with open keys -> the same, with the steps that follow from timestamps and snapshots.
// Always:  timestamps order two writers of a key that both have one, and different ones. A snapshot orders two writers
//          of a key if the one is visible to the other. Evidence that contradicts what is known of a key already is not
//          used for that key at all, and a note says so: timestamps first, then snapshots.
//          Where a level lets a transaction skip versions that it overwrites, what it read is older than what it wrote.
// Cost:    sorting the writers of open keys. A snapshot with more than kMostListed writers of a key between its xmin
// and
//          xmax leaves that key as it is.
// Source:  Emme section 4.1 (version certificates from timestamps and from PostgreSQL's snapshots).
#pragma once

#include <string>
#include <vector>

#include "check/cycles/version_order.h"

namespace isolde::graph {

inline constexpr std::size_t kMostListed = 256;

// False: there is no such evidence, or it adds nothing.
bool add_evidence(const History& history, const Trace& trace, Updates updates, VersionOrders& orders,
                  std::vector<std::string>& notes);

}  // namespace isolde::graph
