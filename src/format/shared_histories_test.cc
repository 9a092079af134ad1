// Every sample of the formats of other checkers is recognised as its own format and no other, and is read.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "format/format.h"
#include "tests/support/effort.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace shared_histories_test {

namespace fs = std::filesystem;
using testing::folder_of;
using testing::MemoryOutput;
using testing::shown;
using testing::source_of;

const std::string kShared = ISOLDE_SOURCE_DIR "/../shared/histories/";
const std::string kCorpus = ISOLDE_SOURCE_DIR "/tests/corpus/formats/";

// The names of all formats that claim the file, separated by blanks.
std::string claimed_by(const std::string& path) {
  const auto source = open_source(path);
  if (!source) return source.error().message();
  std::string names;
  for (const FormatInfo& format : formats()) {
    if (format.is_folder != source->is_folder || !format.recognise(*source)) continue;
    names += (names.empty() ? "" : " ") + std::string(format.name);
  }
  return names;
}

// Loads a history and, where its format can write, checks that the written one reads the same if nothing was lost.
std::optional<History> load_and_write_again(const std::string& path) {
  auto loaded = load(path, nullptr, {});
  if (!loaded) {
    ADD_FAILURE() << loaded.error().message();
    return std::nullopt;
  }
  EXPECT_EQ(defect_of(loaded->history.columns()), "") << path;
  if (loaded->format->write == nullptr) return std::move(loaded->history);
  MemoryOutput output;
  const auto written = loaded->format->write(loaded->history, output);
  if (!written) {
    ADD_FAILURE() << path << ": " << written.error().message();
    return std::nullopt;
  }
  EXPECT_TRUE(written->lost.empty()) << path << ": " << (written->lost.empty() ? "" : written->lost.front());
  const auto files = output.files();
  const Source source = loaded->format->is_folder ? folder_of(files) : source_of(files.at(""));
  const auto again = loaded->format->read(source, {});
  EXPECT_TRUE(again.has_value()) << path;
  if (again) {
    EXPECT_EQ(difference(loaded->history, again->history), "") << path;
  }
  return std::move(loaded->history);
}

struct Row {
  std::string file, format;
};

// The rows of INDEX.tsv in the formats that are ours, each file once.
std::vector<Row> index_rows() {
  const std::map<std::string, std::string> ours = {{"awdit-test", "awdit"},
                                                   {"cobra", "cobra"},
                                                   {"cobra-polygraph-text", "cobra-polygraph"},
                                                   {"dbcop-hist", "dbcop-hist"},
                                                   {"dbcop-bincode", "dbcop-bincode"},
                                                   {"text", "text"}};
  std::vector<Row> rows;
  std::ifstream in(kShared + "INDEX.tsv");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    Row row;
    std::getline(fields, row.file, '\t');
    std::getline(fields, row.format, '\t');
    const auto at = ours.find(row.format);
    if (at == ours.end() || row.file.find("::") != std::string::npos) continue;
    row.format = at->second;
    if (std::none_of(rows.begin(), rows.end(), [&](const Row& r) { return r.file == row.file; })) rows.push_back(row);
  }
  return rows;
}

TEST(SharedHistories, EachFileOfTheIndexIsRecognisedAsItsFormatAndNoOtherAndIsRead) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the shared histories are not here";
  const std::vector<Row> rows = index_rows();
  EXPECT_GT(rows.size(), 70U);
  for (std::size_t place = 0; const Row& row : rows) {
    if (!effort::takes(place++)) continue;
    EXPECT_EQ(claimed_by(kShared + row.file), row.format) << row.file;
    const auto history = load_and_write_again(kShared + row.file);
    ASSERT_TRUE(history.has_value());
    EXPECT_GT(history->txn_count(), 0U) << row.file;
  }
}

TEST(SharedHistories, EveryFileInTheFoldersOfTheseToolsIsRead) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the shared histories are not here";
  int read = 0;
  for (const char* folder : {"awdit", "dbcop", "isovista", "polysi", "cobra/polyg"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kShared + folder)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_TRUE(load_and_write_again(entry.path().string()).has_value());
      ++read;
    }
  }
  EXPECT_GE(read, 78);
  EXPECT_TRUE(load_and_write_again(kShared + "cobra/chengRW-500").has_value());
}

TEST(SharedHistories, JepsenHistoriesAreNotClaimed) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the shared histories are not here";
  for (const char* folder : {"elle", "elle-cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kShared + folder)) {
      if (!entry.is_regular_file()) continue;
      for (const FormatInfo& format : formats()) {
        for (const char* ours : {"text", "awdit", "dbcop-bincode", "dbcop-json", "dbcop-hist", "cobra-polygraph",
                                 "timekiller", "veristrong-list"}) {
          if (format.name != ours) continue;
          const auto source = open_source(entry.path().string());
          EXPECT_FALSE(format.recognise(*source)) << entry.path() << " by " << ours;
        }
      }
    }
  }
}

// The kinds of the operations of each transaction, e.g. "rw", in order of text.
std::vector<std::string> shapes(const History& h) {
  std::vector<std::string> shapes;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    shapes.emplace_back();
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}); ++i) {
      shapes.back() += h.op(i).kind() == OpKind::kRead ? 'r' : 'w';
    }
  }
  std::sort(shapes.begin(), shapes.end());
  return shapes;
}

TEST(SharedHistories, ABincodeFileAndItsTextHaveTheSameTransactions) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the shared histories are not here";
  for (const char* name : {"galera", "yugabyte"}) {
    const std::string folder = kShared + "polysi/violations/" + name + "/";
    const auto text = load(folder + name + ".txt", nullptr, {});
    const auto binary = load(folder + "history.bincode", nullptr, {});
    ASSERT_TRUE(text.has_value() && binary.has_value());
    // PolySI's converter numbers keys and values anew and writes the initial state as one transaction more.
    const auto ours = shapes(text->history);
    const auto theirs = shapes(binary->history);
    EXPECT_EQ(theirs.size(), ours.size() + 1) << name;
    EXPECT_TRUE(std::includes(theirs.begin(), theirs.end(), ours.begin(), ours.end())) << name;
  }
}

TEST(SharedHistories, TheLargeCobraHistoriesAreReadWithoutANote) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the shared histories are not here";
  const std::string folder = ISOLDE_BINARY_DIR "/shared_histories_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command = "tar xf '" + kShared + "cobra/one-shot-10k.tar.xz' -C '" + folder + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << "tar with xz (./dev test installs it) must unpack the archive";
  const std::map<std::string, std::uint32_t> txns = {{"chengRM-10000", 9912},
                                                     {"chengRW-10000", 9564},
                                                     {"rubis-10000", 9358},
                                                     {"tpcc-10000", 13870},
                                                     {"twitter-10000", 9990}};
  for (const auto& [name, count] : txns) {
    const std::string path = folder + "/one-shot-10k/" + name;
    EXPECT_EQ(claimed_by(path), "cobra");
    const auto history = load_and_write_again(path);
    ASSERT_TRUE(history.has_value());
    EXPECT_EQ(history->txn_count(), count);
    EXPECT_TRUE(load(path, nullptr, {})->notes.empty()) << name;
  }
  fs::remove_all(folder);
}

TEST(FormatCorpus, EachSampleIsRecognisedAsTheFormatOfItsFolderAndNoOther) {
  int samples = 0;
  for (const auto& folder : fs::directory_iterator(kCorpus)) {
    const std::string format = folder.path().filename().string();
    if (format_named(format) == nullptr) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_EQ(claimed_by(entry.path().string()), format) << entry.path();
      EXPECT_TRUE(load_and_write_again(entry.path().string()).has_value());
      ++samples;
    }
  }
  EXPECT_GE(samples, 10);
}

}  // namespace shared_histories_test
}  // namespace isolde
