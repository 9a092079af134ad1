// What the hunt knows beforehand, reads in logs and groups; tests/hunt/planted_test.cc hunts.
#include "hunt/hunt.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"
#include "hunt/finding/causes.h"
#include "hunt/log_watch.h"

namespace isolde::hunt {
namespace hunt_test {

TEST(WhyNot, ReadUncommittedIsRefusedWhereItShowsUncommittedRows) {
  const auto mariadb = why_not("mariadb", "read uncommitted", "MariaDB 10.11.6");
  ASSERT_TRUE(mariadb);
  EXPECT_FALSE(mariadb->recognisable);
  const auto sqlite = why_not("sqlite", "shared-cache read_uncommitted deferred", "SQLite 3.40.1");
  ASSERT_TRUE(sqlite);
  EXPECT_FALSE(sqlite->recognisable);
  EXPECT_FALSE(why_not("postgres", "read uncommitted", "PostgreSQL 15.3"));  // it is read committed there
}

TEST(WhyNot, InnodbRepeatableReadIsOneKnownCauseUnlessItIsSnapshotIsolation) {
  const auto off = why_not("mariadb", "repeatable read", "MariaDB 10.11.6, innodb_snapshot_isolation=OFF");
  ASSERT_TRUE(off);
  EXPECT_TRUE(off->recognisable);
  EXPECT_EQ(off->cause, "innodb-repeatable-read");
  EXPECT_TRUE(why_not("mariadb", "repeatable read", "MySQL 8.0.30"));
  EXPECT_FALSE(why_not("mariadb", "repeatable read", "MariaDB 10.11.6, innodb_snapshot_isolation=ON"));
  EXPECT_FALSE(why_not("mariadb", "read committed", "MariaDB 10.11.6, innodb_snapshot_isolation=OFF"));
  EXPECT_FALSE(why_not("mariadb", "serializable", "MariaDB 10.11.6, innodb_snapshot_isolation=OFF"));
}

TEST(WhyNot, ADialectThatIsNotKnownIsRefused) {
  const auto other = why_not("cockroachdb", "serializable", "CockroachDB 23");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->recognisable);
  EXPECT_NE(other->reason.find("not of cockroachdb"), std::string::npos);
}

TEST(VersionNumber, IsReadFromTheServersDescription) {
  EXPECT_EQ(version_number("PostgreSQL 15.3, fsync=off"), 150003);
  EXPECT_EQ(version_number("PostgreSQL 17"), 170000);
  EXPECT_EQ(version_number("MariaDB 10.11.6, innodb_snapshot_isolation=ON"), 101106);
  EXPECT_EQ(version_number("SQLite 3.40.1"), 34001);
  EXPECT_EQ(version_number("SQLite"), 0);
}

TEST(LogWatch, LinesThatNoHealthyServerWritesAreTold) {
  for (const char* line : {
           "2026-11-15 20:30:00.123 UTC [77] PANIC:  could not write to file \"pg_wal/xlogtemp.77\": No space left",
           "TRAP: failed Assert(\"TransactionIdIsValid(xid)\"), File: \"procarray.c\", Line: 100, PID: 77",
           "2026-11-15 20:30:00.123 UTC [70] LOG:  server process (PID 77) was terminated by signal 11: Segmentation "
           "fault",
           "261115 20:30:00 [ERROR] mysqld got signal 11 ;",
           "2026-11-15 20:30:00 0x7f InnoDB: Assertion failure in file /src/storage/row0upd.cc line 300",
           "mariadbd: /src/sql/sql_select.cc:100: bool JOIN::optimize(): Assertion `tab->table' failed.",
           "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x602",
           "row0sel.cc:10:5: runtime error: signed integer overflow",
       })
    EXPECT_TRUE(tells_of_a_fault(line)) << line;
}

TEST(LogWatch, WhatAHealthyOrAKilledServerWritesIsNot) {
  for (const char* line : {
           "",
           "2026-11-15 20:30:00.123 UTC [77] ERROR:  duplicate key value violates unique constraint \"t_pkey\"",
           "2026-11-15 20:30:00.123 UTC [77] STATEMENT:  select 'PANIC:  got signal 11'",
           "\tselect 'TRAP: ' from t",
           "2026-11-15 20:30:00.123 UTC [70] LOG:  server process (PID 77) was terminated by signal 9: Killed",
           "2026-11-15 20:30:00.123 UTC [70] LOG:  received fast shutdown request",
           "261115 20:30:00 [Note] mariadbd: ready for connections.",
       })
    EXPECT_FALSE(tells_of_a_fault(line)) << line;
}

TEST(LogWatch, OnlyWhatIsNewAndWholeIsTold) {
  const std::string folder = make_scratch_folder("log");
  const std::string path = folder + "/server.log";
  std::ofstream(path) << "TRAP: old\n";
  LogWatch watch(path);
  EXPECT_TRUE(watch.new_faults().empty());
  std::ofstream(path, std::ios::app) << "fine\nTRAP: new\nTRAP: not yet wh";
  EXPECT_EQ(watch.new_faults(), std::vector<std::string>{"TRAP: new"});
  EXPECT_TRUE(watch.new_faults().empty());
  std::ofstream(path, std::ios::app) << "ole\n";
  EXPECT_EQ(watch.new_faults(), std::vector<std::string>{"TRAP: not yet whole"});
  std::ofstream(path) << "TRAP: anew\n";
  EXPECT_EQ(watch.new_faults(), std::vector<std::string>{"TRAP: anew"});
  EXPECT_TRUE(LogWatch({}).new_faults().empty());
  std::filesystem::remove_all(folder);
}

Finding finding(Wrong wrong, std::string cause) {
  Finding f;
  f.wrong = wrong;
  f.cause = std::move(cause);
  return f;
}

TEST(Causes, OneCauseIsNewOnce) {
  Causes causes({});
  Finding a = finding(Wrong::kResult, "a"), b = finding(Wrong::kResult, "b");
  EXPECT_TRUE(causes.name_it(a));
  EXPECT_FALSE(causes.name_it(a));
  EXPECT_TRUE(causes.name_it(b));
}

TEST(Causes, AfterSeveralOfAKnownCauseTheirLikeIsNoLongerReduced) {
  Causes causes({});
  Finding a = finding(Wrong::kContents, "a");
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(causes.worth_reducing(a)) << i;
    causes.reduced(causes.rough_cause(a), a);
    (void)causes.name_it(a);
  }
  EXPECT_FALSE(causes.worth_reducing(a));
  EXPECT_TRUE(causes.worth_reducing(finding(Wrong::kResult, {})));
}

TEST(Causes, TheExpectedCauseIsReducedAndToldOnce) {
  const std::string known = "innodb-repeatable-read";
  Causes causes(known);
  Finding a = finding(Wrong::kPredicate, known), b = finding(Wrong::kResult, known), crash = finding(Wrong::kCrash, {}),
          undone = finding(Wrong::kRolledBack, {});
  EXPECT_TRUE(causes.worth_reducing(a));
  EXPECT_TRUE(causes.name_it(a));
  EXPECT_EQ(a.cause, "innodb-repeatable-read");
  EXPECT_FALSE(causes.name_it(b));
  EXPECT_TRUE(causes.name_it(crash));
  EXPECT_TRUE(causes.name_it(undone));
}

TEST(Causes, WhatReadCommittedAllowsIsOfTheExpectedCauseAndADirtyReadIsNot) {
  Causes causes("innodb-repeatable-read");
  Finding skew = finding(Wrong::kIsolation, {}), dirty = skew;
  skew.anomaly = "G2-item";
  dirty.anomaly = "G1a";
  EXPECT_EQ(causes.rough_cause(skew), "innodb-repeatable-read");
  EXPECT_EQ(causes.rough_cause(dirty), "isolation G1a");
}

TEST(Causes, CrashesAreGroupedByWhatTheLogSays) {
  Causes causes({});
  Finding a = finding(Wrong::kCrash, {}), b = a, c = a;
  a.actual = "TRAP: failed Assert(\"x\"), File: \"a.c\", Line: 1, PID: 77\nmore";
  b.actual = "TRAP: failed Assert(\"x\"), File: \"a.c\", Line: 1, PID: 99";
  c.actual = "TRAP: failed Assert(\"y\"), File: \"a.c\", Line: 1, PID: 99";
  EXPECT_TRUE(causes.name_it(a));
  EXPECT_FALSE(causes.name_it(b));
  EXPECT_TRUE(causes.name_it(c));
}

}  // namespace hunt_test
}  // namespace isolde::hunt
