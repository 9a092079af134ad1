#include "check/mirror/profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace isolde::mirror {
namespace profile_test {

TEST(Profiles, EachHasANameOfItsOwnAndASource) {
  std::set<std::string> names;
  for (const Profile& p : profiles()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_FALSE(p.source.empty()) << p.name;
    EXPECT_EQ(profile_named(p.name), &p);
  }
  EXPECT_GE(names.size(), 50U);
}

TEST(Profiles, AreNamedInAnyCaseAndWithAnySeparator) {
  EXPECT_EQ(profile_named("Postgres:Repeatable_Read"), profile_named("postgres:repeatable-read"));
  EXPECT_NE(profile_named("postgres:repeatable read"), nullptr);
  EXPECT_EQ(profile_named("postgres"), nullptr);
  EXPECT_EQ(profile_named(""), nullptr);
}

TEST(Profiles, PromiseNoMoreThanTheDbmsDoes) {
  EXPECT_FALSE(profile_named("postgres:read-committed")->first_updater_wins) << "a blocked update goes on";
  EXPECT_EQ(profile_named("mariadb:repeatable-read")->snapshot_at, SnapshotAt::kFirstRead);
  EXPECT_FALSE(profile_named("mariadb:repeatable-read")->first_updater_wins);
  EXPECT_TRUE(profile_named("mariadb-si:repeatable-read")->first_updater_wins);
  EXPECT_FALSE(profile_named("sqlite:serializable")->read_locks)
      << "a reader may read while a writer has not committed";
  EXPECT_EQ(profile_named("opengauss:serializable")->certifier, Certifier::kNone);
  for (const char* name : {"cockroachdb:serializable", "yugabytedb:repeatable-read"}) {
    EXPECT_EQ(profile_named(name)->reads, Reads::kCommitted) << "timestamps may run ahead of clocks: no one moment";
    EXPECT_TRUE(profile_named(name)->rows_since_begin) << "reads are as of the begin, and may be refreshed";
    EXPECT_FALSE(profile_named(name)->write_locks) << "a transaction may be aborted by another before it knows";
  }
}

// As docs/profiles.md shows it.
std::string documented(const Profile& p) {
  constexpr std::string_view kReads[] = {"dirty", "committed", "statement", "transaction", "certified"};
  constexpr std::string_view kAt[] = {"first statement", "first read", "begin"};
  constexpr std::string_view kCertifiers[] = {"", "ssi", "timestamp-order", "conflict-check", "cycles"};
  std::string reads(kReads[static_cast<int>(p.reads)]);
  if (p.reads == Reads::kTransaction) reads += ", " + std::string(kAt[static_cast<int>(p.snapshot_at)]);
  if (p.snapshot_gathered) reads += ", gathered";
  if (p.rows_since_begin) reads += ", since begin";
  if (p.locking_reads_see_latest) reads += "; locking: latest";
  const std::string locks = p.read_locks ? "write, read" : p.write_locks ? "write" : "";
  return "| `" + p.name + "` | " + reads + " | " + locks + " | " + (p.first_updater_wins ? "yes" : "") + " | " +
         std::string(kCertifiers[static_cast<int>(p.certifier)]) + " | " + p.source + " |\n";
}

TEST(Profiles, AreAllInTheirPage) {
  std::ifstream in(ISOLDE_SOURCE_DIR "/docs/profiles.md");
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const Profile& p : profiles()) EXPECT_NE(page.find(documented(p)), std::string::npos) << documented(p);
}

TEST(Profiles, OfAServersLevel) {
  const auto name = [](std::string_view dbms, std::string_view level, ServerFlags flags = {}) {
    const Profile* const p = profile_of_server(dbms, level, flags);
    return p == nullptr ? std::string("none") : p->name;
  };
  EXPECT_EQ(name("postgres", "read uncommitted"), "postgres:read-uncommitted");
  EXPECT_EQ(name("postgres", "serializable"), "postgres:serializable");
  EXPECT_EQ(name("mariadb", "repeatable read"), "mariadb:repeatable-read");
  EXPECT_EQ(name("mariadb", "repeatable read", {.innodb_snapshot_isolation = true}), "mariadb-si:repeatable-read");
  EXPECT_EQ(name("sqlite", "wal deferred"), "sqlite-wal:serializable");
  EXPECT_EQ(name("sqlite", "delete immediate"), "sqlite:serializable");
  EXPECT_EQ(name("sqlite", "shared-cache read_uncommitted deferred"), "sqlite-shared-cache:read-uncommitted");
  EXPECT_EQ(name("tidb", "read committed", {.optimistic = true}), "tidb:read-committed");
  EXPECT_EQ(name("tidb", "repeatable read", {.optimistic = true}), "tidb-optimistic:repeatable-read");
  EXPECT_EQ(name("cockroachdb", "repeatable read"), "cockroachdb:repeatable-read");
  EXPECT_EQ(name("yugabytedb", "serializable"), "yugabytedb:serializable");
  EXPECT_EQ(name("duckdb", "snapshot isolation"), "duckdb:snapshot-isolation");
  EXPECT_EQ(name("dbase", "serializable"), "none");
}

TEST(ProfileFile, SaysWhatDiffersFromAnother) {
  const auto read = read_profiles(
      "# ours\n"
      "[ours:snapshot]   # as PostgreSQL\n"
      "like = postgres:repeatable-read\n"
      "source = our manual, page 7\n"
      "snapshot-at = begin\r\n"
      "\n"
      "[ours:serializable]\n"
      "like = ours:snapshot\n"
      "source = the same\n"
      "certifier = cycles",
      "f");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 2U);
  Profile expected = *profile_named("postgres:repeatable-read");
  expected.name = "ours:snapshot";
  expected.source = "our manual, page 7";
  expected.snapshot_at = SnapshotAt::kBegin;
  EXPECT_EQ((*read)[0], expected);
  expected.name = "ours:serializable";
  expected.source = "the same";
  expected.certifier = Certifier::kCycles;
  EXPECT_EQ((*read)[1], expected);
}

TEST(ProfileFile, WhatIsWrittenIsReadBack) {
  for (Profile p : profiles()) {
    p.name = "my." + p.name;
    const auto again = read_profiles(profile_text(p), "f");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->front(), p);
  }
}

TEST(ProfileFile, AFaultHasItsPlace) {
  const auto message = [](std::string_view text) {
    const auto read = read_profiles(text, "f");
    return read ? std::string("read") : read.error().message();
  };
  EXPECT_EQ(message(""), "f:1:1: expected a profile: [name]");
  EXPECT_EQ(message("reads = dirty"), "f:1:1: expected [name] before the first field");
  EXPECT_EQ(message("[x]\n  reads = some"),
            "f:2:11: expected \"dirty\", \"committed\", \"statement\", \"transaction\" or \"certified\"");
  EXPECT_EQ(message("[x]\nreads ="),
            "f:2:8: expected \"dirty\", \"committed\", \"statement\", \"transaction\" or \"certified\"");
  EXPECT_EQ(message("[x]\nwrite-locks = maybe"), "f:2:15: expected \"yes\" or \"no\"");
  EXPECT_EQ(message("[x"), "f:1:1: expected [name]");
  EXPECT_EQ(message("[ ]"), "f:1:1: expected a name between [ and ]");
  EXPECT_EQ(message("[a b]"), "f:1:3: expected letters, digits, '-', '_', '.' and ':' in a profile's name");
  EXPECT_EQ(message("\n[postgres:Serializable]"),
            "f:2:2: postgres:Serializable comes with Isolde: choose another name and say like = postgres:Serializable");
  EXPECT_EQ(message("[x]\nsource = s\nreads = dirty\n[x]"), "f:4:2: the profile x stands here twice");
  EXPECT_EQ(message("[x]\nsource = s\nsource = t"), "f:3:1: \"source\" stands here twice");
  EXPECT_EQ(message("[x]\nsource = s\nlike = serializable"), "f:3:1: \"like\" comes first in its profile");
  EXPECT_EQ(message("[x]\nlike = nobody"), "f:2:8: no profile is called \"nobody\"");
  EXPECT_EQ(message("[x]\nlike = serializable"), "f:1:1: the profile x has no source");
  EXPECT_EQ(message("[x]\nsource = s"), "f:1:1: the profile x does not say what reads see: reads = …");
  EXPECT_EQ(message("[x]\nsource = s\nreads = statement\nfirst-updater-wins = yes"),
            "f:1:1: the profile x: first-updater-wins is about a transaction's snapshot: it needs reads = transaction");
  EXPECT_EQ(message("[x]\nsource = s\nreads = dirty\ncertifier = ssi"),
            "f:1:1: the profile x: certifier = ssi is about snapshots: it needs reads = transaction");
  EXPECT_EQ(message("[x]\nsource = s\nreads = committed\nread-locks = yes"),
            "f:1:1: the profile x: read-locks without write-locks keep nobody out: it needs write-locks = yes");
  EXPECT_EQ(
      message("[x]\nsource = s\nreads = certified\ncertifier = conflict-check"),
      "f:1:1: the profile x: certifier = conflict-check compares a commit with the versions that were read, which "
      "reads = certified and reads = dirty do not tell: such a profile finds nothing");
  EXPECT_EQ(message("[x]\nsource = s\nreads = statement\nrows-since-begin = yes"),
            "f:1:1: the profile x: rows-since-begin is about rows that are read each for itself: it needs reads = "
            "committed");
  EXPECT_EQ(message("[x]\nnonsense"), "f:2:1: expected field = value, or [name]");
}

}  // namespace profile_test
}  // namespace isolde::mirror
