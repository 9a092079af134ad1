#include "check/mirror/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace isolde::mirror {
namespace {

// What several rows share. Where the paper's Table I says otherwise, docs/profiles.md says why.
constexpr Mechanisms kAnything = {.reads = Reads::kDirty};
constexpr Mechanisms kDirtyReads = {.reads = Reads::kDirty, .write_locks = true};
constexpr Mechanisms kCommittedRows = {.reads = Reads::kCommitted, .write_locks = true};
constexpr Mechanisms kStatements = {.reads = Reads::kStatement, .write_locks = true};
constexpr Mechanisms kSnapshot = {.reads = Reads::kTransaction, .write_locks = true, .first_updater_wins = true};
constexpr Mechanisms kOptimisticSnapshot = {.reads = Reads::kTransaction, .first_updater_wins = true};
constexpr Mechanisms kSsi = {
    .reads = Reads::kTransaction, .write_locks = true, .first_updater_wins = true, .certifier = Certifier::kSsi};
constexpr Mechanisms kInnodbRepeatable = {.reads = Reads::kTransaction,
                                          .snapshot_at = SnapshotAt::kFirstRead,
                                          .locking_reads_see_latest = true,
                                          .write_locks = true};
constexpr Mechanisms kMariadbStatements = {.reads = Reads::kStatement, .snapshot_gathered = true, .write_locks = true};
constexpr Mechanisms kMariadbRepeatable = {.reads = Reads::kTransaction,
                                           .snapshot_at = SnapshotAt::kFirstRead,
                                           .snapshot_gathered = true,
                                           .locking_reads_see_latest = true,
                                           .write_locks = true};
constexpr Mechanisms kMariadbSnapshot = {.reads = Reads::kTransaction,
                                         .snapshot_at = SnapshotAt::kFirstRead,
                                         .snapshot_gathered = true,
                                         .locking_reads_see_latest = true,
                                         .write_locks = true,
                                         .first_updater_wins = true};
constexpr Mechanisms kReadLocks = {.reads = Reads::kCommitted, .write_locks = true, .read_locks = true};
constexpr Mechanisms kTwoPhase = {
    .reads = Reads::kCommitted, .write_locks = true, .read_locks = true, .certifier = Certifier::kCycles};
constexpr Mechanisms kRows = {.reads = Reads::kCommitted};
constexpr Mechanisms kRowsSinceBegin = {.reads = Reads::kCommitted, .rows_since_begin = true};
constexpr Mechanisms kSerialRowsSinceBegin = {
    .reads = Reads::kCommitted, .rows_since_begin = true, .certifier = Certifier::kCycles};
constexpr Mechanisms kCommittedOnly = {.reads = Reads::kCertified};
constexpr Mechanisms kSerial = {.reads = Reads::kCertified, .certifier = Certifier::kCycles};
constexpr Mechanisms kStrictSerial = {.reads = Reads::kCertified, .certifier = Certifier::kTimestampOrder};
constexpr Mechanisms kCheckedSnapshot = {
    .reads = Reads::kTransaction, .first_updater_wins = true, .certifier = Certifier::kConflictCheck};
constexpr Mechanisms kOneWriter = {.reads = Reads::kTransaction,
                                   .write_locks = true,
                                   .first_updater_wins = true,
                                   .certifier = Certifier::kConflictCheck};

struct Row {
  std::string_view name;
  Mechanisms has;
  std::string_view source;
};

constexpr std::string_view kPg = "PostgreSQL manual, 13.2 Transaction Isolation; probe G0 to X9 on 15.20";
constexpr std::string_view kPgSsi = "Ports and Grittner 2012 (section 3.3); PostgreSQL manual, 13.2.3; probe on 15.20";
constexpr std::string_view kMaria = "MariaDB documentation, SET TRANSACTION; probe G0 to X8 on 10.11.19";
constexpr std::string_view kMariaSi = "MariaDB documentation, innodb_snapshot_isolation; probe G0 to X8 on 10.11.19";
constexpr std::string_view kInnodb = "MySQL 8.0 manual, 17.7.2.1 Transaction Isolation Levels; Leopard, Table I";
constexpr std::string_view kSqlite = "SQLite documentation, Isolation In SQLite; File Locking And Concurrency";
constexpr std::string_view kTidb = "TiDB documentation, TiDB Transaction Isolation Levels; Leopard, Table I";
constexpr std::string_view kMssql =
    "SQL Server documentation, Transaction locking and row versioning guide; Leopard, Table I";
constexpr std::string_view kOracleDb = "Oracle Database Concepts, Data Concurrency and Consistency; Leopard, Table I";
constexpr std::string_view kCockroach =
    "CockroachDB (SIGMOD 2020), sections 3 and 4: single-key linearizability; Leopard, Table I";
constexpr std::string_view kYugabyte =
    "YugabyteDB documentation, Transaction isolation levels, Read restart error; Leopard, Table I";
constexpr std::string_view kGauss = "openGauss documentation, SET TRANSACTION; Leopard, Table I";
constexpr std::string_view kOcean = "OceanBase documentation, Transaction isolation levels; Leopard, Table I";
constexpr std::string_view kHana = "SAP HANA SQL reference, SET TRANSACTION; Leopard, Table I";
constexpr std::string_view kNuo = "NuoDB documentation, Supported Transaction Isolation Levels; Leopard, Table I";
constexpr std::string_view kAuroraMy = "Aurora MySQL is InnoDB on its primary (SIGMOD 2017); Leopard, Table I";
constexpr std::string_view kPolar = "PolarDB is InnoDB on its primary (VLDB 2019); Leopard, Table I";
constexpr std::string_view kDuckdb = "DuckDB documentation, Concurrency; probe G0 to X9 on 1.5.6";
constexpr std::string_view kRocks = "RocksDB wiki, Transactions; Leopard, Table I";
constexpr std::string_view kByDefinition = "the level's definition, in real time";

constexpr Row kProfileRows[] = {
    {"read-uncommitted", kAnything, kByDefinition},
    {"read-committed", kCommittedOnly, kByDefinition},
    {"snapshot-isolation", kOptimisticSnapshot, kByDefinition},
    {"serializable", kSerial, kByDefinition},
    {"strict-serializable", kStrictSerial, kByDefinition},

    {"postgres:read-uncommitted", kStatements, kPg},
    {"postgres:read-committed", kStatements, kPg},
    {"postgres:repeatable-read", kSnapshot, kPg},
    {"postgres:serializable", kSsi, kPgSsi},
    {"mariadb:read-uncommitted", kDirtyReads, kMaria},
    {"mariadb:read-committed", kMariadbStatements, kMaria},
    {"mariadb:repeatable-read", kMariadbRepeatable, kMaria},
    {"mariadb:serializable", kTwoPhase, kMaria},
    {"mariadb-si:read-uncommitted", kDirtyReads, kMariaSi},
    {"mariadb-si:read-committed", kMariadbStatements, kMariaSi},
    {"mariadb-si:repeatable-read", kMariadbSnapshot, kMariaSi},
    {"mariadb-si:serializable", kTwoPhase, kMariaSi},
    {"sqlite:serializable", kOneWriter, kSqlite},
    {"sqlite-wal:serializable", kOneWriter, kSqlite},
    {"sqlite-shared-cache:read-uncommitted", kDirtyReads, kSqlite},
    {"duckdb:snapshot-isolation", kOptimisticSnapshot, kDuckdb},

    {"mysql:read-uncommitted", kDirtyReads, kInnodb},
    {"mysql:read-committed", kStatements, kInnodb},
    {"mysql:repeatable-read", kInnodbRepeatable, kInnodb},
    {"mysql:serializable", kTwoPhase, kInnodb},
    {"aurora-mysql:read-committed", kStatements, kAuroraMy},
    {"aurora-mysql:repeatable-read", kInnodbRepeatable, kAuroraMy},
    {"aurora-mysql:serializable", kTwoPhase, kAuroraMy},
    {"polardb:read-committed", kStatements, kPolar},
    {"polardb:repeatable-read", kInnodbRepeatable, kPolar},
    {"polardb:serializable", kTwoPhase, kPolar},

    {"opengauss:read-committed", kStatements, kGauss},
    {"opengauss:repeatable-read", kSnapshot, kGauss},
    {"opengauss:serializable", kSnapshot, kGauss},
    {"yugabytedb:read-committed", kRows, kYugabyte},
    {"yugabytedb:repeatable-read", kRowsSinceBegin, kYugabyte},
    {"yugabytedb:serializable", kSerialRowsSinceBegin, kYugabyte},

    {"sqlserver:read-uncommitted", kDirtyReads, kMssql},
    {"sqlserver:read-committed", kCommittedRows, kMssql},
    {"sqlserver:read-committed-snapshot", kStatements, kMssql},
    {"sqlserver:repeatable-read", kReadLocks, kMssql},
    {"sqlserver:snapshot", kSnapshot, kMssql},
    {"sqlserver:serializable", kTwoPhase, kMssql},

    {"tidb:read-committed", kStatements, kTidb},
    {"tidb:repeatable-read",
     {.reads = Reads::kTransaction, .locking_reads_see_latest = true, .write_locks = true},
     kTidb},
    {"tidb-optimistic:repeatable-read", kOptimisticSnapshot, kTidb},

    {"rocksdb:snapshot", kSnapshot, kRocks},
    {"rocksdb-optimistic:snapshot", kOptimisticSnapshot, kRocks},
    {"foundationdb:serializable", kCheckedSnapshot, "FoundationDB (SIGMOD 2021), section 2.4; Leopard, Table I"},
    {"singlestore:read-committed", kCommittedRows, "SingleStore documentation, Isolation levels; Leopard, Table I"},
    {"cockroachdb:read-committed", kRows, kCockroach},
    {"cockroachdb:repeatable-read", kRowsSinceBegin, kCockroach},
    {"cockroachdb:serializable", kSerialRowsSinceBegin, kCockroach},
    {"spanner:serializable", kStrictSerial, "Spanner (OSDI 2012), section 4; Leopard, Table I"},

    {"oracle:read-committed", kStatements, kOracleDb},
    {"oracle:serializable", kSnapshot, kOracleDb},
    {"saphana:read-committed", kStatements, kHana},
    {"saphana:serializable", kSnapshot, kHana},
    {"oceanbase:read-committed", kStatements, kOcean},
    {"oceanbase:serializable", kSnapshot, kOcean},
    {"nuodb:read-committed", kStatements, kNuo},
    {"nuodb:consistent-read", kSnapshot, kNuo},
};

Profile profile_of(const Row& row) { return {row.has, std::string(row.name), std::string(row.source)}; }

struct ServerRow {
  std::string_view dbms, level, profile;
};

// Names that are not the DBMS, a colon and the level. SQLite's are those of its journal modes.
constexpr ServerRow kServers[] = {
    {"sqlite", "delete deferred", "sqlite:serializable"},
    {"sqlite", "delete immediate", "sqlite:serializable"},
    {"sqlite", "wal deferred", "sqlite-wal:serializable"},
    {"sqlite", "wal immediate", "sqlite-wal:serializable"},
    {"sqlite", "shared-cache read_uncommitted deferred", "sqlite-shared-cache:read-uncommitted"},
};

// Those whose profile is another if a flag is set.
struct FlaggedRow {
  std::string_view dbms, level;  // an empty level: all
  bool ServerFlags::* flag;
  std::string_view instead;
};
constexpr FlaggedRow kFlagged[] = {
    {"mariadb", "", &ServerFlags::innodb_snapshot_isolation, "mariadb-si"},
    {"tidb", "repeatable read", &ServerFlags::optimistic, "tidb-optimistic"},
};

}  // namespace

std::span<const Profile> profiles() {
  static const std::vector<Profile> kProfiles = [] {
    std::vector<Profile> all;
    for (const Row& row : kProfileRows) all.push_back(profile_of(row));
    return all;
  }();
  return kProfiles;
}

const Profile* profile_named(std::string_view name) {
  for (const Profile& p : profiles()) {
    if (same_name(p.name, name)) return &p;
  }
  return nullptr;
}

const Profile* profile_of_server(std::string_view dbms, std::string_view level, ServerFlags flags) {
  for (const ServerRow& row : kServers) {
    if (row.dbms == dbms && row.level == level) return profile_named(row.profile);
  }
  std::string_view prefix = dbms;
  for (const FlaggedRow& row : kFlagged) {
    if (row.dbms == dbms && (row.level.empty() || row.level == level) && flags.*row.flag) prefix = row.instead;
  }
  return profile_named(fmt::format("{}:{}", prefix, level));
}

}  // namespace isolde::mirror
