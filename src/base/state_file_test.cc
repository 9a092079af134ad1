#include "base/state_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"

namespace isolde {
namespace state_file_test {

TEST(StateFile, WhatWasPutComesBack) {
  const std::string folder = make_scratch_folder("state");
  StateWriter out;
  out.put(7);
  out.put_all(std::vector<std::uint64_t>{1, 2, 3});
  out.put_text("name");
  ASSERT_TRUE(out.write_to(folder + "/state"));
  auto in = StateReader::read(folder + "/state");
  ASSERT_TRUE(in);
  EXPECT_EQ(in->get<int>(), 7);
  EXPECT_EQ(in->get_all<std::uint64_t>(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(in->get_text(), "name");
  EXPECT_TRUE(in->good());
  EXPECT_TRUE(in->at_end());
  std::filesystem::remove_all(folder);
}

TEST(StateFile, ADamagedFileIsRefused) {
  const std::string folder = make_scratch_folder("state");
  StateWriter out;
  out.put_all(std::vector<int>(100, 5));
  ASSERT_TRUE(out.write_to(folder + "/state"));
  std::fstream file(folder + "/state", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file.put('x');
  file.close();
  EXPECT_FALSE(StateReader::read(folder + "/state"));
  EXPECT_FALSE(StateReader::read(folder + "/nothing"));
  std::filesystem::remove_all(folder);
}

TEST(StateFile, AHugeCountAllocatesNothing) {
  StateWriter out;
  out.put(std::uint64_t{1} << 60);
  StateReader in(out.bytes());
  EXPECT_TRUE(in.get_all<std::uint64_t>().empty());
  EXPECT_FALSE(in.good());
  EXPECT_EQ(in.get<int>(), 0);
}

}  // namespace state_file_test
}  // namespace isolde
