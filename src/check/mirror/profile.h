// check/mirror/profile.h: what a DBMS does at one of its levels, as data: which mechanisms hold, and when a snapshot is
// taken.
//
// In, out: a name ("postgres:serializable"), or a user's file -> Profile.
// Always:  a row promises no more than the DBMS does: where the paper's Table I says more than its source, the sound
//          form stands here and docs/profiles.md says so.
// Source:  Leopard, Tables I and II; each row names its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::mirror {

// Consistent read: what a plain read sees of other transactions.
enum class Reads : std::uint8_t {
  kDirty,        // anything that was ever written: only values that nobody wrote are wrong
  kCommitted,    // a version that was committed and latest at some moment of the statement, each row for itself
  kStatement,    // all rows of a statement as of one moment within it
  kTransaction,  // all of a transaction as of one moment
  kCertified,    // a version that was committed; which one only the certifier says
};

// When that one moment of a transaction is.
enum class SnapshotAt : std::uint8_t {
  kFirstStatement,  // PostgreSQL: the first statement of any kind
  kFirstRead,       // InnoDB: the first plain (consistent) read
  kBegin,           // START TRANSACTION WITH CONSISTENT SNAPSHOT, and databases with start timestamps
};

// Serialization certifier.
enum class Certifier : std::uint8_t {
  kNone,
  kSsi,             // PostgreSQL: no T1 -rw-> T2 -rw-> T3, both concurrent, where T3 committed first of the three (and,
                    // if T1 wrote nothing, before T1 took its snapshot)
  kTimestampOrder,  // TO: dependencies follow one order of moments, each within its transaction
  kConflictCheck,   // OCC: what a transaction that wrote something read is still latest at its commit: dependencies
                    // follow the order of commits
  kCycles,          // conflict serializable: dependencies form no cycle
};

// Plain data, compared and saved as a whole.
struct Mechanisms {
  Reads reads = Reads::kCommitted;
  SnapshotAt snapshot_at = SnapshotAt::kFirstStatement;
  // A snapshot is gathered while others commit, not taken at once: each row is as of some moment of its own within the
  // time that taking it needs (MariaDB).
  bool snapshot_gathered = false;
  // Reads::kCommitted: that moment is any from the transaction's begin on, not only within the statement: each row is
  // at least as new as the begin, and rows need not agree (timestamps from clocks that differ: CockroachDB,
  // YugabyteDB).
  bool rows_since_begin = false;
  // Locking reads, and plain reads of a row that the transaction itself has written before, see the latest committed
  // state at a moment of their statement (of that write) instead of the snapshot (InnoDB REPEATABLE READ).
  bool locking_reads_see_latest = false;
  // Mutual exclusion: a write or locking read holds its lock until the transaction ends. `read_locks`: plain reads take
  // a shared one too (InnoDB and SQLite SERIALIZABLE).
  bool write_locks = false;
  bool read_locks = false;
  // First updater (or committer) wins: who writes a key has in its snapshot whoever committed a version of it before.
  bool first_updater_wins = false;
  Certifier certifier = Certifier::kNone;

  friend bool operator==(const Mechanisms&, const Mechanisms&) = default;
};

struct Profile : Mechanisms {
  std::string name;    // "postgres:repeatable-read"
  std::string source;  // a document, section or test that says so

  friend bool operator==(const Profile&, const Profile&) = default;
};

// Every profile that comes with Isolde.
[[nodiscard]] std::span<const Profile> profiles();
[[nodiscard]] const Profile* profile_named(std::string_view name);
// The profile of a server's level, by the names of src/db ("postgres", "repeatable read"); null if there is none.
// `innodb_snapshot_isolation`: that setting of MariaDB is on. `optimistic`: TiDB's transactions are.
struct ServerFlags {
  bool innodb_snapshot_isolation = false;
  bool optimistic = false;
};
[[nodiscard]] const Profile* profile_of_server(std::string_view dbms, std::string_view level, ServerFlags flags = {});

// A user's profiles: docs/profiles.md has the form. The error has line and column.
[[nodiscard]] Result<std::vector<Profile>> read_profiles(std::string_view text, const std::string& file);
// A profile in that form. Ensures: read_profiles() of it gives the same.
[[nodiscard]] std::string profile_text(const Profile& profile);

}  // namespace isolde::mirror
