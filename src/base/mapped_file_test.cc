#include "base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>
#include <vector>

#include "base/bus_guard.h"
#include "tests/cli/run_program.h"

namespace isolde {
namespace mapped_file_test {

std::string message_of(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file ? "opened" : file.error().message();
}

TEST(MappedFile, GivesTheBytesOfAFile) {
  const test::Scratch scratch;
  std::string content;
  for (int i = 0; i < 20000; ++i) content += std::to_string(i) + "\n";
  const auto file = MappedFile::open(scratch.file("f", content));
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->text(), content);
  (*file)->forget_before(content.size());  // only a hint: what was forgotten is read again
  EXPECT_EQ((*file)->text(), content);
  EXPECT_EQ((*file)->bytes().size(), content.size());
}

TEST(MappedFile, AnEmptyFileIsNoBytes) {
  const test::Scratch scratch;
  const auto file = MappedFile::open(scratch.file("empty", ""));
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->text(), "");
  (*file)->forget_before(0);
}

TEST(MappedFile, SaysWhyItCannotBeOpened) {
  const test::Scratch scratch;
  EXPECT_EQ(message_of(scratch.path("none")), scratch.path("none") + ": cannot open: No such file or directory");
  EXPECT_EQ(message_of(scratch.path()), scratch.path() + ": expected a file, found a folder");
  EXPECT_EQ(message_of(""), "cannot open: No such file or directory");
}

TEST(MappedFile, ReadsAPipeToItsEnd) {
  const test::Scratch scratch;
  const std::string path = scratch.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string content(300000, 'p');  // more than a pipe and the first buffer hold
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    for (std::size_t at = 0; at < content.size();) {
      const ssize_t put = write(fd, content.data() + at, std::min<std::size_t>(content.size() - at, 70000));
      if (put <= 0) break;
      at += static_cast<std::size_t>(put);
    }
    close(fd);
  });
  const auto file = MappedFile::open(path);
  writer.join();
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->text(), content);
}

std::string large_text() {
  std::string text;
  while (text.size() < 3 * MappedFile::kLeastMapped) text += "a line of a log " + std::to_string(text.size()) + "\n";
  return text;
}

std::string whole_message(const MappedFile& file) {
  const auto whole = file.still_whole();
  return whole ? "whole" : whole.error().message();
}

TEST(MappedFile, ALargeFileIsMappedAndStaysWholeWhileItGrows) {
  const test::Scratch scratch;
  const std::string content = large_text();
  const std::string path = scratch.file("log", content);
  const auto file = MappedFile::map(path);
  ASSERT_TRUE(file);
  (*file)->forget_before(content.size());
  EXPECT_EQ((*file)->text(), content);
  std::FILE* const log = std::fopen(path.c_str(), "ab");
  std::fputs("one line more\n", log);
  std::fclose(log);
  EXPECT_EQ(whole_message(**file), "whole");
  EXPECT_EQ((*file)->text(), content);
  std::string copy(content.size(), '\0');
  EXPECT_TRUE((*file)->copy_to(copy.data()));
  EXPECT_EQ(copy, content);
}

TEST(MappedFile, WhatIsTruncatedBecomesZerosAndIsTold) {
  const test::Scratch scratch;
  const std::string content = large_text();
  for (const std::size_t left : {std::size_t{0}, std::size_t{5000}, content.size() / 2, content.size() - 1}) {
    const std::string path = scratch.file("log", content);
    const auto file = MappedFile::map(path);
    ASSERT_TRUE(file);
    EXPECT_EQ((*file)->text(), content);  // all pages have been there
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(left)), 0);
    const std::string_view text = (*file)->text();
    EXPECT_EQ(text.substr(0, left), content.substr(0, left));
    EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(left), text.end(), '\0'),
              static_cast<std::ptrdiff_t>(content.size() - left));
    EXPECT_EQ(whole_message(**file), path + ": the file became shorter while it was read");
    std::string copy(content.size(), '\0');
    EXPECT_FALSE((*file)->copy_to(copy.data()));
  }
}

TEST(MappedFile, ManyThreadsMayRunIntoTheEndAtOnce) {
  const test::Scratch scratch;
  const std::string content = large_text();
  const std::string path = scratch.file("log", content);
  const auto file = MappedFile::map(path);
  ASSERT_TRUE(file);
  ASSERT_EQ(truncate(path.c_str(), 100), 0);
  std::vector<std::thread> readers;
  std::atomic<std::size_t> bytes = 0;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&, i] {
      const std::string_view part = (*file)->text().substr(content.size() / 8 * static_cast<std::size_t>(i));
      bytes += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\0'));
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_GT(bytes, 0U);
  EXPECT_FALSE((*file)->still_whole());
}

TEST(MappedFile, AFileThatIsWrittenAnewIsTold) {
  const test::Scratch scratch;
  const std::string content = large_text();
  const std::string path = scratch.file("log", content);
  const auto file = MappedFile::map(path);
  ASSERT_TRUE(file);
  // As copytruncate does it, and then the log is as long as before.
  std::FILE* const log = std::fopen(path.c_str(), "wb");
  const std::string other(content.size(), 'x');
  ASSERT_EQ(std::fwrite(other.data(), 1, other.size(), log), other.size());
  std::fclose(log);
  // A file system may count time in ticks, and all of this may lie in one.
  const timespec later[2] = {{0, UTIME_NOW}, {4'000'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), later, 0), 0);
  EXPECT_EQ(whole_message(**file), path + ": the file was rewritten while it was read");
}

TEST(MappedFile, ASmallFileIsReadAndTruncatingItChangesNothing) {
  const test::Scratch scratch;
  const std::string path = scratch.file("small", "all of it");
  const auto file = MappedFile::map(path);
  ASSERT_TRUE(file);
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ((*file)->text(), "all of it");
  EXPECT_EQ(whole_message(**file), "whole");
}

TEST(MappedFile, MoreFilesThanCanBeGuardedAreRead) {
  const test::Scratch scratch;
  const std::string content = large_text();
  const std::string path = scratch.file("log", content);
  std::deque<std::shared_ptr<const MappedFile>> files;
  for (std::size_t i = 0; i < bus_guard::kMost + 2; ++i) {
    auto file = MappedFile::map(path);
    ASSERT_TRUE(file);
    files.push_back(*std::move(file));
  }
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(files.back()->text(), content);
  EXPECT_EQ(whole_message(*files.back()), "whole");
  EXPECT_FALSE(files.front()->still_whole());
}

TEST(MappedFileDeathTest, ASigbusOfSomebodyElseEndsTheProcessAsBefore) {
  const test::Scratch scratch;
  const auto file = MappedFile::map(scratch.file("log", large_text()));  // the handler is there
  ASSERT_TRUE(file);
  EXPECT_EXIT(
      {
        std::raise(SIGBUS);
        std::raise(SIGBUS);
        std::_Exit(0);
      },
      [](int status) { return !(WIFEXITED(status) && WEXITSTATUS(status) == 0); }, "");
}

TEST(MappedFile, APipeThatDoesNotEndIsReadToTheLimit) {
  const auto file = MappedFile::open("/dev/zero", {.most = 1 << 20});
  ASSERT_FALSE(file);
  EXPECT_EQ(
      file.error().message(),
      "/dev/zero: the input is endless, or longer than 1048576 bytes, the limit for a pipe or a device: use a file");
}

TEST(MappedFile, APipeThatNobodyWritesToIsWaitedForUntilTheDeadline) {
  const test::Scratch scratch;
  const std::string path = scratch.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const InputLimits limits{.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20)};
  const auto file = MappedFile::open(path, limits);
  ASSERT_FALSE(file);
  EXPECT_TRUE(file.error().out_of_time);
  EXPECT_EQ(file.error().message(), path + ": the time limit ran out while it was read");
}

TEST(MappedFile, ReadsWhatHasNoSize) {
  const auto file = MappedFile::open("/dev/null");
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->text(), "");
}

}  // namespace mapped_file_test
}  // namespace isolde
