// `isolde record --out`: a recording that is there already is never lost without --overwrite.
#include <gtest/gtest.h>
#include <sys/file.h>

#include <cstdio>
#include <filesystem>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace record_test {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Answer recorded(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {"record", "--workload", "register", "--transactions", "20", "--out", out};
  args.insert(args.end(), more.begin(), more.end());
  return isolde(args);
}

TEST(RecordVerb, ARecordingThatIsThereIsKeptUnlessOverwriteIsGiven) {
  const Scratch scratch;
  const std::string out = scratch.path("h.jsonl");
  ASSERT_EQ(recorded(out).status, 0);
  const std::string first = content_of(out);
  ASSERT_FALSE(first.empty());
  const Answer again = recorded(out, {"--seed", "2"});
  EXPECT_EQ(again.status, 2) << again.out;
  EXPECT_EQ(again.err, out + ": already exists: use --overwrite to replace it, or choose another name\n");
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(content_of(out), first);
  const Answer over = recorded(out, {"--seed", "2", "--overwrite"});
  EXPECT_EQ(over.status, 0) << over.err;
  EXPECT_NE(content_of(out), first);
}

TEST(RecordVerb, AnEmptyFileIsNoRecording) {
  const Scratch scratch;
  const Answer a = recorded(scratch.file("h.jsonl", ""));
  EXPECT_EQ(a.status, 0) << a.err;
}

TEST(RecordVerb, TheFolderOfARunThatWasKilledIsKeptUnlessOverwriteIsGiven) {
  const Scratch scratch;
  const std::string out = scratch.path("h.jsonl"), folder = out + ".recording";
  fs::create_directory(folder);
  scratch.file("h.jsonl.recording/header.jsonl", "{\"isolde\":1,\"isolde-recording\":1}\n");
  const Answer kept = recorded(out);
  EXPECT_EQ(kept.status, 2) << kept.out;
  EXPECT_TRUE(has(kept.err, "from a run that was interrupted")) << kept.err;
  EXPECT_TRUE(has(kept.err, "--overwrite")) << kept.err;
  EXPECT_TRUE(fs::exists(folder + "/header.jsonl"));
  const Answer over = recorded(out, {"--overwrite"});
  EXPECT_EQ(over.status, 0) << over.err;
  EXPECT_FALSE(fs::exists(folder));
}

TEST(RecordVerb, OverwriteRemovesNothingThatIsNoRecordingOrStillBeingWritten) {
  const Scratch scratch;
  const std::string out = scratch.path("h.jsonl"), folder = out + ".recording";
  fs::create_directory(folder);
  const std::string file = scratch.file("h.jsonl.recording/notes.txt", "mine");
  const Answer other = recorded(out, {"--overwrite"});
  EXPECT_EQ(other.status, 2) << other.out;
  EXPECT_TRUE(has(other.err, "is not a recording")) << other.err;
  EXPECT_EQ(content_of(file), "mine");

  scratch.file("h.jsonl.recording/header.jsonl", "{\"isolde\":1,\"isolde-recording\":1}\n");
  std::FILE* const journal = std::fopen(scratch.file("h.jsonl.recording/session-0000.journal", "").c_str(), "r");
  ASSERT_NE(journal, nullptr);
  ASSERT_EQ(flock(fileno(journal), LOCK_EX), 0);
  const Answer busy = recorded(out, {"--overwrite"});
  std::fclose(journal);
  EXPECT_EQ(busy.status, 2) << busy.out;
  EXPECT_TRUE(has(busy.err, "another run is recording there")) << busy.err;
  EXPECT_EQ(content_of(file), "mine");
}

TEST(RecordVerb, OverwriteAloneMeansNothing) {
  const Answer a = isolde({"record", "--transactions", "10", "--check", "serializable", "--overwrite"});
  EXPECT_EQ(a.status, 2) << a.out;
  EXPECT_TRUE(has(a.err, "--overwrite requires --out FILE")) << a.err;
}

}  // namespace record_test
}  // namespace isolde::test
