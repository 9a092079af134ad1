// Every history in the folder `shared` is read; to native and .isl and back nothing of it is lost; and no engine calls
// a history violated that its own tool, or a reference, holds to be valid.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "check/choose/engines.h"
#include "format/format.h"
#include "proof/prove.h"
#include "tests/support/effort.h"

namespace isolde {
namespace shared_round_trip_test {

namespace fs = std::filesystem;

const std::string kShared = ISOLDE_SOURCE_DIR "/../shared/histories";

struct Row {
  std::string file, format, level, expected, note;
};

std::vector<Row> index_rows() {
  std::vector<Row> rows;
  std::ifstream in(kShared + "/INDEX.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::stringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    cells.resize(6);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[5]});
  }
  return rows;
}

// A folder of the test's own, gone when it ends.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "isolde-round-trip-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Every path of the index once; members of the archive by where they were unpacked.
std::map<std::string, std::string> all_paths(const Scratch& scratch) {
  std::map<std::string, std::string> paths;
  bool unpacked = false;
  for (const Row& row : index_rows()) {
    const std::size_t inside = row.file.find("::");
    if (inside == std::string::npos) {
      paths[row.file] = kShared + "/" + row.file;
      continue;
    }
    const std::string archive = kShared + "/" + row.file.substr(0, inside);
    if (!unpacked) {
      EXPECT_EQ(std::system(fmt::format("tar -xf '{}' -C '{}'", archive, scratch / "").c_str()), 0);
      unpacked = true;
    }
    paths[row.file] = scratch / row.file.substr(inside + 2);
  }
  return paths;
}

TEST(SharedHistories, ReadConvertAndBackLosesNothing) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the folder shared is not beside this checkout";
  const Scratch scratch;
  std::size_t count = 0, place = 0;
  for (const auto& [name, path] : all_paths(scratch)) {
    if (!effort::takes(place++)) continue;
    SCOPED_TRACE(name);
    const auto original = load(path, nullptr, {});
    ASSERT_TRUE(original) << original.error().message();
    const std::string native = scratch / "a.jsonl";
    const std::string isl = scratch / "a.isl";
    for (const std::string& to : {native, isl}) {
      const auto written = save(original->history, *format_for_path(to), to);
      ASSERT_TRUE(written) << written.error().message();
      EXPECT_TRUE(written->lost.empty());
      const auto back = load(to, nullptr, {});
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_EQ(back->format, format_for_path(to));
      EXPECT_EQ(difference(original->history, back->history), "");
      // And from there into the other of the two.
      const std::string other = scratch / (to == native ? "b.isl" : "b.jsonl");
      ASSERT_TRUE(save(back->history, *format_for_path(other), other));
      const auto twice = load(other, nullptr, {});
      ASSERT_TRUE(twice) << twice.error().message();
      EXPECT_EQ(difference(original->history, twice->history), "");
    }
    ++count;
  }
  EXPECT_GE(count, effort::least_taken(100));
}

TEST(SharedHistories, EveryFileOfTheFolderIsNamedByTheIndex) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the folder shared is not beside this checkout";
  const Scratch scratch;
  const auto paths = all_paths(scratch);
  for (const auto& entry : fs::recursive_directory_iterator(kShared)) {
    if (!entry.is_regular_file() || entry.path().filename() == "INDEX.tsv" || entry.path().extension() == ".xz")
      continue;
    const std::string file = fs::relative(entry.path(), kShared).string();
    const std::string folder = fs::relative(entry.path().parent_path(), kShared).string();
    if (paths.contains(file) || paths.contains(folder)) continue;
    // Not in the index: read all the same.
    const bool is_log = entry.path().extension() == ".log";
    const auto loaded = load(is_log ? entry.path().parent_path().string() : entry.path().string(), nullptr, {});
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message());
  }
}

// What the index says to hold: the level asked for, and what the reference in the notes found.
std::vector<Level> said_to_hold(const Row& row) {
  std::vector<Level> levels;
  const auto says = [&](std::string_view text) {
    return row.expected.find(text) != std::string::npos || row.note.find(text) != std::string::npos;
  };
  if (says("RC=ok") || says("RC=pass")) levels.push_back(Level::kStrongSessionMonotonicAtomicView);
  if (says("RA=ok") || says("RA=pass")) levels.push_back(Level::kReadAtomic);
  if (says("CC=ok") || says("CC=pass")) levels.push_back(Level::kCausal);
  const auto asked = level_named(row.level);
  if (asked && (row.expected == "valid" || row.expected == "ACCEPT")) levels.push_back(*asked);
  return levels;
}

TEST(SharedHistories, WhatIsSaidToHoldIsNotCalledViolated) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the folder shared is not beside this checkout";
  const Scratch scratch;
  const auto paths = all_paths(scratch);
  std::size_t count = 0, place = 0;
  for (const Row& row : index_rows()) {
    const auto levels = said_to_hold(row);
    if (levels.empty() || !effort::takes(place++)) continue;
    const auto loaded = load(paths.at(row.file), nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    for (const Level level : levels) {
      for (const Engine& engine : engines()) {
        if (!engine.lacks(loaded->history, level).empty()) continue;
        const Verdict verdict = engine.check(loaded->history, level, Limits{});
        const auto proof = prove(loaded->history, verdict);
        EXPECT_TRUE(proof) << row.file << ": " << (proof ? "" : proof.error().message());
        EXPECT_NE(verdict.outcome, Outcome::kViolated)
            << row.file << " at " << info(level).name << ": "
            << (verdict.anomalies.empty() ? "" : full_name(verdict.anomalies[0]));
        ++count;
      }
    }
  }
  EXPECT_GE(count, effort::least_taken(50));
}

}  // namespace shared_round_trip_test
}  // namespace isolde
