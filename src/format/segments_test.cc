#include "format/segments.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "tests/support/history_text.h"
#include "tests/support/random_history.h"

namespace isolde {
namespace segments_test {

namespace fs = std::filesystem;

// Removed at the end of a test.
class Scratch {
 public:
  Scratch() : path_(::testing::TempDir() + "/isolde-segments-test") { fs::remove_all(path_); }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string saved(const Scratch& scratch, const History& h, std::size_t count) {
  const std::string path = (fs::path(scratch.path()) / "parts").string();
  const auto written = save_segments(h, path, count);
  EXPECT_TRUE(written) << (written ? "" : written.error().message());
  return path;
}

std::string error_of(const std::string& path) {
  const auto loaded = load(path, nullptr, {});
  return loaded ? "none" : loaded.error().message();
}

TEST(Segments, AFolderOfPartsIsReadAsTheHistory) {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    const Scratch scratch;
    Rng rng(seed);
    RandomOptions options;
    options.max_txns = 8;
    const History h = random_history(rng, options);
    const auto loaded = load(saved(scratch, h, 1 + rng.below(4)), nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->format->name, "segments");
    EXPECT_EQ(difference(h, loaded->history), "");
  }
}

TEST(Segments, APartIsAHistoryOfItsOwn) {
  const Scratch scratch;
  const History h = hist("T1 1..2: w x1 | T2 3..4: r x1 | T3 5..6: w x2");
  const std::string path = saved(scratch, h, 3);
  const auto part = load((fs::path(path) / "part-00001.isl").string(), nullptr, {});
  ASSERT_TRUE(part) << part.error().message();
  EXPECT_EQ(part->history.txn_text(TxnId{0}), "T2");
}

TEST(Segments, AMissingCutOrExchangedPartIsAnError) {
  const Scratch scratch;
  const History h = hist("T1 1..2: w x1 | T2 3..4: r x1 r x1 | T3 5..6: w x2");
  const std::string path = saved(scratch, h, 3);
  const fs::path first = fs::path(path) / "part-00000.isl", second = fs::path(path) / "part-00001.isl";
  fs::copy_file(second, first, fs::copy_options::overwrite_existing);
  EXPECT_NE(error_of(path).find("as the manifest says"), std::string::npos) << error_of(path);
  fs::resize_file(first, 70);
  EXPECT_NE(error_of(path).find("part-00000.isl"), std::string::npos) << error_of(path);
  fs::remove(first);
  EXPECT_NE(error_of(path).find("part-00000.isl"), std::string::npos) << error_of(path);
}

TEST(Segments, AManifestThatNamesOtherPlacesIsRefused) {
  const Scratch scratch;
  const std::string path = saved(scratch, hist("T1 1..2: w x1"), 1);
  for (const char* line : {R"({"file": "../x.isl", "transactions": 1, "operations": 1, "bytes": 1})", "{", "[]",
                           R"({"file": "x.isl", "transactions": -1, "operations": 1, "bytes": 1})"}) {
    std::ofstream(fs::path(path) / "segments.json") << "{\"isolde-segments\": 1}\n" << line << "\n";
    EXPECT_NE(error_of(path).find("segments.json:2"), std::string::npos) << error_of(path);
  }
  std::ofstream(fs::path(path) / "segments.json") << "{\"isolde-segments\": 1}\n";
  EXPECT_NE(error_of(path).find("a line for each part"), std::string::npos) << error_of(path);
}

TEST(Segments, AFolderThatHasFilesIsNotWrittenTo) {
  const Scratch scratch;
  const std::string path = saved(scratch, hist("T1 1..2: w x1"), 1);
  EXPECT_FALSE(save_segments(hist("T1 1..2: w x1"), path, 1));
}

}  // namespace segments_test
}  // namespace isolde
