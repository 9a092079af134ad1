#include "check/cycles/cursor.h"

namespace isolde::graph {

CursorFaults cursor_faults(const History& history, const Trace& trace, const VersionOrders& orders) {
  CursorFaults out;
  // Places in the chain from the initial state, and after it the runs whose order is open.
  constexpr std::uint32_t kAfter = kNone32 - 1;
  std::vector<std::uint32_t> place(trace.versions.size(), kNone32);
  for (std::uint32_t k = 0; k < history.key_count(); ++k) {
    std::uint32_t at = 0;
    for (Version v = orders.first[k]; v != kNoVersion && place[v] == kNone32; v = orders.next[v]) place[v] = at++;
  }
  for (const Version head : orders.heads) {
    for (Version v = head; v != kNoVersion && place[v] == kNone32; v = orders.next[v]) place[v] = kAfter;
  }
  for (const TracedRead& read : trace.reads) {
    if (read.version == kNoVersion) continue;
    const Version own = trace.version_of(read.txn, read.key);
    if (own == kNoVersion) continue;
    const Version next = read.version == kInitialVersion ? orders.first[raw(read.key)] : orders.next[read.version];
    if (next == own) continue;
    if (next != kNoVersion && place[own] != kNone32 && place[next] < place[own]) {
      out.missed.push_back({read, next, {}});
      continue;
    }
    bool found = false;
    for (const TracedRead& other : trace.reads_of(read.txn)) {
      if (other.op >= read.op || other.key != read.key) continue;
      if (other.version == kNoVersion || other.version == read.version) continue;
      out.missed.push_back({read, kNoVersion, other});
      found = true;
      break;
    }
    out.unexplained |= !found;
  }
  return out;
}

}  // namespace isolde::graph
