#include "base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

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

TEST(MappedFile, ReadsWhatHasNoSize) {
  const auto file = MappedFile::open("/dev/null");
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->text(), "");
}

}  // namespace mapped_file_test
}  // namespace isolde
