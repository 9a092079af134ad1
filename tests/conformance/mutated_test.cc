// tests/conformance/mutated_test.cc: damaged files. Whatever happened to a history, a finding, a scenario or a trace,
// its reader answers with one error or with something that is well formed, and what is judged of it can be proved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/rng.h"
#include "check/choose/choose.h"
#include "check/choose/strongest.h"
#include "format/format.h"
#include "hunt/finding/finding_file.h"
#include "probe/scenario.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace mutated_test {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 64 << 10;
constexpr std::uint32_t kMostTxns = 12, kMostOps = 64;  // of what is judged

std::vector<std::string> contents_of(std::initializer_list<const char*> folders) {
  std::vector<fs::path> paths;
  for (const char* const folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(ISOLDE_SOURCE_DIR) + "/" + folder)) {
      if (entry.is_regular_file() && entry.file_size() > 0 && entry.file_size() <= kLargest)
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> contents;
  for (const fs::path& path : paths) {
    std::ifstream in(path, std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return contents;
}

// What damages files in practice, and what an attacker would write into them.
void mutate(Rng& rng, const std::vector<std::string>& all, std::string& bytes) {
  static constexpr std::array<std::string_view, 14> kHostile = {"\"",
                                                                "\\",
                                                                "[",
                                                                "{",
                                                                "\n",
                                                                std::string_view("\0", 1),
                                                                "-9223372036854775809",
                                                                "1e999",
                                                                "\xff\xfe",
                                                                "\u202e",
                                                                "[[[[[[[[[[[[[[[[",
                                                                "null",
                                                                "\x1b[2J",
                                                                "99999999999999999999"};
  const auto place = [&] { return static_cast<std::size_t>(rng.below(bytes.size() + 1)); };
  switch (rng.below(7)) {
    case 0:
      if (!bytes.empty()) bytes[rng.below(bytes.size())] ^= static_cast<char>(1U << rng.below(8));
      break;
    case 1:
      bytes.resize(place());
      break;
    case 2:
      bytes.erase(place(), rng.below(40));
      break;
    case 3: {
      const std::size_t from = place();
      bytes.insert(place(), std::string(bytes, from, rng.below(200)));
      break;
    }
    case 4:
      bytes.insert(place(), kHostile[rng.below(kHostile.size())]);
      break;
    case 5: {
      const std::string& other = all[rng.below(all.size())];
      bytes.insert(place(), other, rng.below(other.size()), rng.below(400));
      break;
    }
    default: {
      const std::size_t at = place();
      for (std::size_t i = at; i < std::min(bytes.size(), at + 8); ++i) bytes[i] = static_cast<char>(rng.below(256));
    }
  }
}

std::string mutated(Rng& rng, const std::vector<std::string>& all) {
  std::string bytes = all[rng.below(all.size())];
  for (std::uint64_t times = 1 + rng.below(4); times > 0; --times) mutate(rng, all, bytes);
  return bytes;
}

void judge_and_prove(const History& h, Level level) {
  const Verdict verdict = LevelChecks(h, {}).check(choose(h, level, {}), level, {});
  if (verdict.outcome == Outcome::kUndecided) {
    EXPECT_NE(verdict.reason, "") << info(level).name;
    return;
  }
  const auto proof = prove(h, verdict);
  EXPECT_TRUE(proof) << info(level).name << ": " << (proof ? "" : proof.error().message());
}

TEST(Mutated, HistoriesGiveAnErrorOrAHistoryWhoseVerdictIsProved) {
  const auto all = contents_of({"tests/corpus", "tests/fuzz/seeds"});
  ASSERT_GT(all.size(), 100U);
  std::uint64_t read = 0, judged = 0;
  for (const std::uint64_t seed : effort::seeds(1, 80'000, "mutated_inputs")) {
    Rng rng(seed);
    const std::string bytes = mutated(rng, all);
    const Source source = testing::source_of(bytes);
    const FormatInfo* const recognised = recognise(source);
    const FormatInfo& format =
        recognised != nullptr && rng.below(4) != 0 ? *recognised : formats()[rng.below(formats().size())];
    const auto result = format.read(source, {.lenient = rng.below(2) == 0});
    if (!result) {
      EXPECT_NE(result.error().text, "") << "seed " << seed;
      continue;
    }
    ++read;
    const History& h = result->history;
    ASSERT_EQ(defect_of(h.columns()), "") << "seed " << seed;
    if (h.txn_count() > kMostTxns || h.op_count() > kMostOps) continue;
    ++judged;
    judge_and_prove(h, all_levels()[rng.below(all_levels().size())].level);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ", as " << format.name << "\n" << bytes;
  }
  fmt::print("{} of the mutated histories could be read, {} of them were judged\n", read, judged);
}

TEST(Mutated, FindingsAndScenariosAreRefusedOrWellFormed) {
  const auto all = contents_of({"tests/corpus/hunt", "scenarios", "tests/fuzz/seeds"});
  for (const std::uint64_t seed : effort::seeds(1, 20'000, "mutated_inputs")) {
    Rng rng(seed);
    const std::string bytes = mutated(rng, all);
    if (const auto finding = hunt::parse_finding(bytes, "f"); !finding) {
      EXPECT_NE(finding.error().text, "") << "seed " << seed;
    }
    if (const auto scenario = probe::parse_scenario(bytes, "s"); !scenario) {
      EXPECT_NE(scenario.error().text, "") << "seed " << seed;
    }
  }
}

}  // namespace mutated_test
}  // namespace isolde
