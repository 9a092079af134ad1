#include "format/format.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "format/isl.h"
#include "format/native.h"
#include "tests/cli/run_program.h"
#include "tests/support/format_testing.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace format_test {

namespace fs = std::filesystem;
using testing::source_of;

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

std::string refusal(const std::string& path, const FormatInfo* format = nullptr) {
  const auto loaded = load(path, format, {});
  return loaded ? "loaded" : loaded.error().message();
}

TEST(Format, EveryRowIsComplete) {
  std::set<std::string_view> names;
  for (const FormatInfo& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name << " stands twice";
    EXPECT_FALSE(format.summary.empty()) << format.name;
    EXPECT_NE(format.recognise, nullptr) << format.name;
    EXPECT_NE(format.read, nullptr) << format.name;
    EXPECT_EQ(format_named(format.name), &format);
  }
  EXPECT_EQ(format_named("none"), nullptr);
  EXPECT_EQ(format_named(""), nullptr);
}

TEST(Format, IsChosenByTheEndOfThePath) {
  EXPECT_EQ(format_for_path("a/b.jsonl"), format_named("native"));
  EXPECT_EQ(format_for_path("b.isl"), format_named("isl"));
  EXPECT_EQ(format_for_path("b.nothing"), nullptr);
  EXPECT_EQ(format_for_path(""), nullptr);
}

TEST(Format, IsRecognisedByItsContent) {
  const auto name_of = [](std::string_view bytes) {
    const FormatInfo* const format = recognise(source_of(bytes));
    return format == nullptr ? std::string_view("none") : format->name;
  };
  EXPECT_EQ(name_of("{\"isolde\":1}\n"), "native");
  EXPECT_EQ(name_of("\xef\xbb\xbf# text\n\n  {\"session\":1,\"ops\":[]}\n"), "native");
  EXPECT_EQ(name_of("{\"version_order_by_txn\":{}}\n"), "native");
  EXPECT_EQ(name_of("ISOLDE\x1a\n"), "isl");
  EXPECT_EQ(name_of(""), "none");
  EXPECT_EQ(name_of("hello"), "none");
  EXPECT_EQ(name_of("#only a comment"), "none");
}

TEST(Format, WhatIsSavedIsLoaded) {
  const test::Scratch scratch;
  const History h = hist("T1@a 1..2: w x1 | T2@b: r x1");
  for (const char* name : {"h.jsonl", "h.isl"}) {
    const std::string path = scratch.path(name);
    const auto lost = save(h, *format_for_path(path), path);
    ASSERT_TRUE(lost) << lost.error().message();
    const auto again = save(h, *format_for_path(path), path);  // over the file that is there
    ASSERT_TRUE(again) << again.error().message();
    const auto loaded = load(path, nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->format, format_for_path(path));
    EXPECT_EQ(difference(h, loaded->history), "");
  }
  EXPECT_EQ(names_in(scratch.path()), (std::set<std::string>{"h.isl", "h.jsonl"}));
}

TEST(Format, WhatCannotBeLoadedSaysWhy) {
  const test::Scratch scratch;
  const std::string unknown =
      "not a history in any known format (`isolde convert --help` lists them; --format forces one)";
  EXPECT_EQ(refusal(scratch.path("none")), scratch.path("none") + ": cannot open: No such file or directory");
  EXPECT_EQ(refusal(scratch.path()), scratch.path() + ": the folder has no files");
  const std::string text = scratch.file("text", "hello\n");
  EXPECT_EQ(refusal(text), text + ":1:1: " + unknown);
  EXPECT_EQ(refusal(scratch.file("empty", "")), scratch.path("empty") + ":1:1: the file is empty");
  EXPECT_EQ(refusal(scratch.path()), scratch.path() + ":1:1: " + unknown);
  EXPECT_EQ(refusal(scratch.path(), format_named("native")), scratch.path() + ": format native is a file");
  EXPECT_EQ(refusal(text, format_named("isl")), text + ":1:7: expected a header of 64 bytes, but the file ends");
  EXPECT_EQ(refusal(text, format_named("native")).substr(0, text.size() + 5), text + ":1:1:");
}

TEST(Format, LinksThatLeadNowhereAreNoFilesOfAFolder) {
  const test::Scratch scratch;
  fs::create_symlink("loop", scratch.path("loop"));
  fs::create_symlink("nothing", scratch.path("dangling"));
  fs::create_directory(scratch.path("sub"));
  EXPECT_EQ(refusal(scratch.path()), scratch.path() + ": the folder has no files");
}

// Truncates a file while it is read: when its reader tells for the first time how far it is.
class Truncator : public Progress {
 public:
  explicit Truncator(std::string path) : path_(std::move(path)) {}
  void advance(std::string_view /*stage*/, std::uint64_t /*done*/, std::uint64_t /*total*/) override {
    if (done_) return;
    done_ = true;
    EXPECT_EQ(truncate(path_.c_str(), 4000), 0);
  }
  [[nodiscard]] bool done() const { return done_; }

 private:
  std::string path_;
  bool done_ = false;
};

std::string many_lines(std::size_t bytes) {
  std::string text;
  for (int id = 1; text.size() < bytes; ++id) {
    text += "{\"id\":" + std::to_string(id) + ",\"session\":1,\"ops\":[[\"w\",\"x\"," + std::to_string(id) + "]]}\n";
  }
  return text;
}

TEST(Format, AFileThatBecomesShorterWhileItIsReadIsAnErrorWhateverWasRead) {
  const test::Scratch scratch;
  for (const bool lenient : {false, true}) {
    const std::string path = scratch.file("h.jsonl", many_lines(std::size_t{40} << 20));
    Truncator truncator(path);
    const auto loaded = load(path, nullptr, {.lenient = lenient, .progress = &truncator});
    EXPECT_TRUE(truncator.done());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message(), path + ": the file became shorter while it was read");
  }
}

TEST(Format, AFileThatIsTruncatedBetweenOpeningAndReadingIsAnError) {
  const test::Scratch scratch;
  const std::string text = many_lines(std::size_t{3} << 20);
  const auto history = load(scratch.file("h.jsonl", text), nullptr, {});
  ASSERT_TRUE(history);
  const std::string isl = scratch.path("h.isl");
  ASSERT_TRUE(save(history->history, kIslFormat, isl));
  ASSERT_GT(std::filesystem::file_size(isl), MappedFile::kLeastMapped);
  for (const auto& [path, format] : {std::pair(scratch.path("h.jsonl"), &kNativeFormat), std::pair(isl, &kIslFormat)}) {
    for (const std::uintmax_t left : {std::filesystem::file_size(path) - 1, std::uintmax_t{0}}) {
      const auto source = open_source(path);
      ASSERT_TRUE(source);
      ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(left)), 0);
      const auto read = format->read(*source, {});
      EXPECT_TRUE(!read || !still_whole(*source)) << path;
      EXPECT_FALSE(still_whole(*source)) << path;
      EXPECT_TRUE(format != &kIslFormat || !read) << "its columns would be used after this";
    }
  }
}

TEST(Format, AHistoryStaysWhatItIsWhateverBecomesOfItsFile) {
  const test::Scratch scratch;
  const auto native = load(scratch.file("h.jsonl", many_lines(std::size_t{3} << 20)), nullptr, {});
  ASSERT_TRUE(native);
  const std::string isl = scratch.path("h.isl");
  ASSERT_TRUE(save(native->history, kIslFormat, isl));
  const auto loaded = load(isl, nullptr, {});
  ASSERT_TRUE(loaded);
  ASSERT_EQ(truncate(isl.c_str(), 0), 0);
  EXPECT_EQ(difference(native->history, loaded->history), "");
}

TEST(Format, ReadingEndsAtTheDeadline) {
  const test::Scratch scratch;
  InputLimits limits;
  limits.deadline = std::chrono::steady_clock::now();
  const auto loaded = load(scratch.file("h.jsonl", many_lines(std::size_t{40} << 20)), nullptr, {.limits = limits});
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(loaded.error().out_of_time);
}

TEST(Format, AFailedSaveLeavesNothing) {
  const test::Scratch scratch;
  const History h = hist("T1: w x1");
  const FormatInfo& native = *format_named("native");
  const auto missing = save(h, native, scratch.path("no/such/h.jsonl"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), scratch.path("no/such/h.jsonl") + ": cannot write: No such file or directory");
  fs::create_directories(scratch.path("folder.jsonl/inside"));
  const auto taken = save(h, native, scratch.path("folder.jsonl"));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message(), scratch.path("folder.jsonl") + ": cannot write: Is a directory");
  EXPECT_EQ(names_in(scratch.path()), std::set<std::string>{"folder.jsonl"});
}

TEST(Format, AWriterThatFailsLeavesTheOldFile) {
  const test::Scratch scratch;
  const std::string path = scratch.file("old", "old");
  const FormatInfo failing{.name = "failing",
                           .summary = "",
                           .extension = "",
                           .is_folder = false,
                           .recognise = nullptr,
                           .read = nullptr,
                           .write = [](const History&, Output& output) -> Result<WriteResult> {
                             output.file("").write("half");
                             return Error{"it cannot be said"};
                           }};
  const auto lost = save(hist("T1: w x1"), failing, path);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().text, "it cannot be said");
  EXPECT_EQ(test::content_of(path), "old");
  EXPECT_EQ(names_in(scratch.path()), std::set<std::string>{"old"});
  const FormatInfo read_only{.name = "reader", .summary = "", .extension = ""};
  const auto not_written = save(hist("T1: w x1"), read_only, path);
  ASSERT_FALSE(not_written);
  EXPECT_EQ(not_written.error().text, "format reader can be read but not written");
}

TEST(Format, AFullDiskIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  const test::Scratch scratch;
  fs::create_symlink("/dev/full", scratch.path("h.jsonl.partial"));
  const auto lost = save(hist("T1: w x1"), *format_named("native"), scratch.path("h.jsonl"));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message(), scratch.path("h.jsonl") + ": cannot write: No space left on device");
  EXPECT_EQ(names_in(scratch.path()), std::set<std::string>{});
}

TEST(Format, AFolderWithOtherFilesIsNotOverwritten) {
  const test::Scratch scratch;
  const FormatInfo folder{.name = "folder",
                          .summary = "",
                          .extension = "",
                          .is_folder = true,
                          .recognise = nullptr,
                          .read = nullptr,
                          .write = [](const History&, Output& output) -> Result<WriteResult> {
                            output.file("a.log").write("a");
                            return WriteResult{};
                          }};
  const History h = hist("T1: w x1");
  fs::create_directory(scratch.path("empty"));
  fs::create_directory(scratch.path("full"));
  scratch.file("full/mine", "mine");
  fs::create_directory(scratch.path("new.partial"));
  scratch.file("new.partial/stale", "of an earlier run");
  EXPECT_TRUE(save(h, folder, scratch.path("empty")));
  EXPECT_EQ(names_in(scratch.path("empty")), std::set<std::string>{"a.log"});
  EXPECT_TRUE(save(h, folder, scratch.path("new")));
  EXPECT_EQ(names_in(scratch.path("new")), std::set<std::string>{"a.log"});
  const auto refused = save(h, folder, scratch.path("full"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), scratch.path("full") + ": expected a new or an empty folder to write to");
  EXPECT_EQ(names_in(scratch.path("full")), std::set<std::string>{"mine"});
  EXPECT_EQ(names_in(scratch.path()), (std::set<std::string>{"empty", "full", "new"}));
}

}  // namespace format_test
}  // namespace isolde
