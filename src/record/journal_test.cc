#include "record/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/ids.h"
#include "format/format.h"
#include "format/native.h"
#include "history/history_builder.h"
#include "tests/support/effort.h"
#include "tests/support/format_testing.h"

namespace isolde::record {
namespace journal_test {

namespace fs = std::filesystem;

// A recording's folder, gone when the test is over.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "isolde-journal-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    std::ofstream(path_ + "/header.jsonl") << "{\"isolde\":1,\"isolde-recording\":1,\"initial\":0}\n";
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string journal(int client) const { return fmt::format("{}/session-{:04}.journal", path_, client); }
  [[nodiscard]] std::string text(int client) const {
    std::ifstream in(journal(client), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

Journal create(const std::string& path) {
  auto journal = Journal::create(path);
  if (!journal) {
    ADD_FAILURE() << journal.error().message();
    std::abort();
  }
  return *std::move(journal);
}

Loaded load_from(const Folder& folder) {
  auto loaded = load(folder.path(), nullptr, {});
  if (loaded) return *std::move(loaded);
  ADD_FAILURE() << loaded.error().message();
  return {*HistoryBuilder().finish(), nullptr, {}};
}

TEST(Journal, WhatIsCalledIsWhatTheHistoryHas) {
  const Folder folder;
  {
    Journal journal = create(folder.journal(1));
    journal.session(-3);
    journal.begin(1, 100);
    journal.intent(R"(["w",7,{"a":"b c"})", 101);
    journal.intent(R"(["append","l",1)", 101);
    journal.done(102);
    journal.op(R"(["r",7,{"a":"b c"})", Lock::kNone, 103, 104);
    journal.op(R"(["r",7,null)", Lock::kUpdate, 105, 106);
    journal.op(R"(["scan","a = 'x'",[])", Lock::kShare, 107, 108);
    journal.op(R"(["r",8,0)", Lock::kShare, kNoTime, kNoTime);
    journal.op(R"(["r",9,0)", Lock::kNone, kNoTime, kNoTime);
    journal.commit(109);
    journal.facts(R"("snapshot":{"xid":5,"xmin":3,"xmax":9,"active":[4]})");
    journal.place(1);
    journal.end(Status::kCommitted, 110);
    journal.begin(2, 120);
    journal.intent(R"(["w",7,2)", 121);
    journal.end(Status::kAborted, 122);
    journal.begin(3, std::numeric_limits<std::int64_t>::max());
    journal.intent(R"(["w",11,2)", -5);
    journal.done(std::numeric_limits<std::int64_t>::max());
    journal.commit(std::numeric_limits<std::int64_t>::max());
    journal.end(Status::kUnknown, 999);
    EXPECT_EQ(journal.fault(), "");
    Journal moved = std::move(journal);
    moved.session(4);
    EXPECT_EQ(moved.bytes(), folder.text(1).find('\0'));
  }
  const std::string native =
      "{\"isolde\":1,\"initial\":0}\n"
      "{\"id\":1,\"session\":-3,\"begin\":100,\"commit\":[109,110],\"end\":110,\"snapshot\":{\"xid\":5,\"xmin\":3,"
      "\"xmax\":9,\"active\":[4]}"
      ","
      "\"ops\":[[\"w\",7,{\"a\":\"b c\"},{\"at\":[101,102]}],[\"append\",\"l\",1,{\"at\":[101,102]}],"
      "[\"r\",7,{\"a\":\"b c\"},{\"at\":[103,104]}],[\"r\",7,null,{\"lock\":\"update\",\"at\":[105,106]}],"
      "[\"scan\",\"a = 'x'\",[],{\"lock\":\"share\",\"at\":[107,108]}],[\"r\",8,0,{\"lock\":\"share\"}],[\"r\",9,0]]}\n"
      "{\"id\":2,\"session\":-3,\"status\":\"aborted\",\"begin\":120,\"end\":122,\"ops\":[[\"w\",7,2]]}\n"
      "{\"id\":3,\"session\":-3,\"status\":\"unknown\",\"begin\":9223372036854775807,"
      "\"commit\":[9223372036854775807,null],\"ops\":[[\"w\",11,2,{\"at\":[-5,9223372036854775807]}]]}\n"
      "{\"version_order_by_txn\":[[7,[1]],[\"l\",[1]]]}\n";
  const auto wanted = kNativeFormat.read(isolde::testing::source_of(native), {});
  ASSERT_TRUE(wanted) << wanted.error().message();
  const Loaded got = load_from(folder);
  EXPECT_EQ(difference(wanted->history, got.history), "");
  EXPECT_EQ(got.format, format_named("recording"));
  EXPECT_TRUE(got.notes.empty());
}

TEST(Journal, GrowsByBlocksAndIsCutToItsRecordsAtTheEnd) {
  const Folder folder;
  std::string expected;
  {
    Journal journal = create(folder.journal(1));
    journal.session(1);
    expected = "s 1\n";
    for (int i = 0; i < 200; ++i) {  // records of all lengths, some longer than a block
      const std::string value(i % 50 == 49 ? std::size_t{3'000'000} : static_cast<std::size_t>(i) * 211, 'x');
      journal.begin(i, i);
      journal.intent("[\"w\",1,\"" + value + '"', i);
      journal.end(Status::kAborted, i);
      expected += fmt::format("b {0} {0}\ni {0} [\"w\",1,\"{1}\"]\ne aborted {0}\n", i, value);
    }
    EXPECT_EQ(journal.bytes(), expected.size());
  }
  EXPECT_TRUE(folder.text(1) == expected);
  EXPECT_EQ(load_from(folder).history.txn_count(), 200U);
}

TEST(Journal, NeverOverwritesAFile) {
  const Folder folder;
  std::ofstream(folder.journal(1)) << "mine";
  const auto journal = Journal::create(folder.journal(1));
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().message(), folder.journal(1) + ": cannot create: File exists");
  EXPECT_EQ(folder.text(1), "mine");
}

TEST(Journal, ARecordThatIsNoLineIsAFaultAndTheLastThing) {
  for (const std::string& bad : {std::string("[\"w\",1,\"a\nb\""), std::string("[\"w\",1,\"a\0b\"", 12)}) {
    const Folder folder;
    Journal journal = create(folder.journal(1));
    journal.session(1);
    journal.begin(1, 1);
    journal.intent(bad, 2);
    EXPECT_TRUE(journal.fault().starts_with(folder.journal(1) + ": a record with a line break or a zero byte"));
    journal.commit(3);
    EXPECT_EQ(journal.bytes(), std::string_view("s 1\nb 1 1\n").size());
  }
}

// Writes transactions until it is stopped: the n-th writes n to key n % 100 and has n as its id.
void write_transaction(Journal& journal, std::int64_t n) {
  journal.begin(n, n);
  journal.intent(fmt::format("[\"w\",{},{}", n % 100, n), n);
  journal.done(n + 1);
  journal.commit(n + 2);
  journal.end(Status::kCommitted, n + 3);
}

// What must be there of `count` transactions; one more may have begun.
void expect_transactions(const History& h, std::int64_t count) {
  ASSERT_GE(h.txn_count(), count);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    ASSERT_EQ(h.txn_text(txn), std::to_string(t));
    if (t + 1 == h.txn_count() && t >= count) continue;
    ASSERT_EQ(h.status(txn), Status::kCommitted);
    ASSERT_EQ(h.end(txn), t + 3);
    ASSERT_EQ(h.end_op(txn) - h.first_op(txn), 1U);
    ASSERT_EQ(h.value_text(h.op_value(h.first_op(txn))), std::to_string(t));
  }
}

TEST(Journal, AFullDiskIsAFaultAndWhatWasWrittenStays) {
  const Folder folder;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{3'500'000, 3'500'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::int64_t count = 0;
    bool good = false;
    {
      auto journal = Journal::create(folder.journal(1));
      if (!journal) ::_exit(3);
      journal->session(1);
      for (; journal->fault().empty() && count < 1'000'000; ++count) write_transaction(*journal, count);
      good = journal->fault() == folder.journal(1) + ": cannot grow: File too large";
      const std::uint64_t bytes = journal->bytes();
      write_transaction(*journal, count);  // goes nowhere
      good = good && journal->bytes() == bytes;
    }
    --count;  // in its middle the disk was full
    good = good && ::write(pipe[1], &count, sizeof count) == sizeof count;
    ::_exit(good ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  std::int64_t count = 0;
  ASSERT_EQ(::read(pipe[0], &count, sizeof count), static_cast<ssize_t>(sizeof count));
  ::close(pipe[0]);
  ::close(pipe[1]);
  EXPECT_GT(count, 10'000);
  EXPECT_LE(folder.text(1).size(), 3U << 20U);
  expect_transactions(load_from(folder).history, count);
}

TEST(Journal, KilledAtAnyMomentItHasEveryRecordThatItsWriterWasSureOf) {
  std::mt19937_64 random(20261115);
  for (int round = 0; round < 30; ++round) {
    const Folder folder;
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto journal = Journal::create(folder.journal(1));
      if (!journal) ::_exit(3);
      journal->session(1);
      for (std::int64_t n = 0;; ++n) {
        write_transaction(*journal, n);
        if (n % 8 == 0 && ::write(pipe[1], &n, sizeof n) != sizeof n) ::_exit(4);
      }
    }
    ::close(pipe[1]);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 12'000);
    std::int64_t sure = -1;
    std::int64_t got = 0;
    pollfd ready{pipe[0], POLLIN, 0};
    while (std::chrono::steady_clock::now() < until) {
      if (::poll(&ready, 1, 1) == 1 && ::read(pipe[0], &got, sizeof got) == sizeof got) sure = got;
    }
    ::kill(child, SIGKILL);
    while (::read(pipe[0], &got, sizeof got) == sizeof got) sure = got;
    ::close(pipe[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    if (!fs::exists(folder.journal(1))) continue;
    const Loaded loaded = load_from(folder);
    expect_transactions(loaded.history, sure + 1);
  }
}

TEST(Journal, ABeginThatIsAnnouncedIsSeenAndIsNoRecordYet) {
  const Folder folder;
  {
    Journal journal = create(folder.journal(0));
    journal.session(1);
    journal.about_to_begin();
    EXPECT_EQ(folder.text(0).substr(0, 6), std::string("s 1\nb\0", 6));
    const auto before = load(folder.path(), nullptr, {});
    ASSERT_TRUE(before);
    EXPECT_EQ(before->history.txn_count(), 0U);
    journal.begin(7, 10);
    journal.end(Status::kAborted, 11);
    journal.about_to_begin();
  }
  EXPECT_EQ(folder.text(0), "s 1\nb 7 10\ne aborted 11\n") << "what was only announced is cut away";
}

TEST(Journal, ARunThatGoesOnIsReadAsOne) {
  const Folder folder;
  Journal journal = create(folder.journal(1));
  journal.session(1);
  journal.begin(1, 1);
  journal.intent("[\"w\",1,1", 2);
  const Loaded loaded = load_from(folder);
  EXPECT_EQ(isolde::testing::shown(loaded.history), "1@1 unknown: w 1=1\n");
  ASSERT_EQ(loaded.notes.size(), 1U);
  EXPECT_TRUE(loaded.notes[0].starts_with("the run is still going on: 1 transactions")) << loaded.notes[0];
}

// One client writes, another reads what the first one wrote last; a third party looks at the folder all the time.
TEST(Journal, NoLookAtARunShowsAReadWithoutItsWrite) {
  const Folder folder;
  std::atomic<std::int64_t> last{0};
  std::atomic<bool> stop{false};
  Journal reads = create(folder.journal(2));  // the later name, so that it is looked at last
  std::thread writer([&] {
    Journal journal = create(folder.journal(1));
    journal.session(1);
    for (std::int64_t n = 1; !stop; ++n) {
      journal.begin(n, n);
      journal.intent(fmt::format("[\"w\",1,{}", n), n);
      journal.done(n);
      journal.commit(n);
      last = n;  // from here on others may see it
      journal.end(Status::kCommitted, n);
      if (n % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  });
  std::thread reader([&] {
    reads.session(2);
    for (std::int64_t n = 1; !stop; ++n) {
      reads.begin(-n, n);
      reads.op(fmt::format("[\"r\",1,{}", last.load()), Lock::kNone, n, n);
      reads.commit(n);
      reads.end(Status::kCommitted, n);
      if (n % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  });
  std::uint64_t seen = 0;
  for (std::uint64_t look = 0, looks = effort::size(40); look < looks; ++look) {
    const Loaded loaded = load_from(folder);
    const History& h = loaded.history;
    std::set<ValueId> written{ValueId{0}};  // the initial value
    for (const OpKind kind : {OpKind::kWrite, OpKind::kRead}) {
      for (std::uint32_t i = 0; i < h.op_count(); ++i) {
        if (h.op(i).kind() != kind) continue;
        if (kind == OpKind::kWrite) {
          written.insert(h.op_value(i));
        } else {
          ++seen;
          EXPECT_TRUE(written.contains(h.op_value(i))) << h.value_text(h.op_value(i));
        }
      }
    }
  }
  stop = true;
  writer.join();
  reader.join();
  EXPECT_GT(seen, 0U);
}

}  // namespace journal_test
}  // namespace isolde::record
