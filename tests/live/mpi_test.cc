// `isolde-mpi` under mpirun, with real processes: the same answers as `isolde check`.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_program.h"

namespace isolde {
namespace mpi_test {

const std::string kIsoldeMpi = std::string(ISOLDE_BINARY_DIR) + "/isolde-mpi";

// Without what it cost.
std::string answer_of(const test::Answer& answer) { return answer.out.substr(0, answer.out.find(", \"stats\"")); }

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = test::run_program({"sh", "-c", "command -v mpirun"});
    if (found.status != 0) GTEST_SKIP() << "mpirun is not installed (openmpi-bin)";
    const auto version = test::run_program({kIsoldeMpi, "--version"});
    if (version.status != 0) GTEST_SKIP() << "isolde-mpi was built without MPI (libopenmpi-dev)";
  }

  std::string parts_of(std::vector<std::string> gen) const {
    gen.insert(gen.begin(), {"gen", "--quiet", "--out", scratch_.path("h.isl")});
    EXPECT_EQ(test::isolde(gen).status, 0);
    EXPECT_EQ(test::isolde({"convert", scratch_.path("h.isl"), scratch_.path("parts"), "--segments", "5"}).status, 0);
    return scratch_.path("parts");
  }
  static test::Answer by_ranks(int ranks, const std::vector<std::string>& args) {
    std::vector<std::string> command = {"mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet",
                                        "-n",     std::to_string(ranks), kIsoldeMpi};
    command.insert(command.end(), args.begin(), args.end());
    return test::run_program(command);
  }

  test::Scratch scratch_;
};

TEST_F(Mpi, RanksSayWhatOneProcessSays) {
  const std::string parts = parts_of({"--transactions", "20k", "--plant", "lost-update:0.002"});
  const std::vector<std::string> check = {"check", parts, "--level", "snapshot-isolation", "--json", "--quiet"};
  const auto one = test::isolde(check);
  EXPECT_EQ(one.status, 1) << one.out;
  for (const int ranks : {1, 2, 4}) {
    const auto many = by_ranks(ranks, check);
    EXPECT_EQ(many.status, 1) << many.err;
    EXPECT_EQ(answer_of(many), answer_of(one));
  }
  std::vector<std::string> in_passes = check;
  in_passes.insert(in_passes.end(), {"--memory", "1"});
  EXPECT_EQ(answer_of(test::isolde(in_passes)), answer_of(one));
}

// By dependencies: each rank those of its keys, and rank 0 only what breaks the level.
TEST_F(Mpi, RanksSayWhatOneProcessSaysOfListsAtAnyLevel) {
  const std::string parts = parts_of({"--transactions", "20k", "--type", "list", "--evidence", "intervals", "--level",
                                      "serializable", "--plant", "lost-update=3"});
  for (const std::string level : {"serializable", "read-atomic", "causal", "strict-serializable"}) {
    const std::vector<std::string> check = {"check", parts, "--level", level, "--json", "--quiet"};
    const auto one = test::isolde(check);
    for (const int ranks : {1, 2, 4}) {
      const auto many = by_ranks(ranks, check);
      EXPECT_EQ(many.status, one.status) << level << many.err;
      EXPECT_EQ(many.err.find("brought together"), std::string::npos) << level << many.err;
      EXPECT_EQ(answer_of(many), answer_of(one)) << ranks;
    }
  }
}

TEST_F(Mpi, AFolderThatIsNoHistoryIsOneErrorOfOneRank) {
  const auto answer = by_ranks(2, {"check", scratch_.path(), "--level", "snapshot-isolation"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.err.find("segments.json"), std::string::npos) << answer.err;
  EXPECT_EQ(answer.err.find("segments.json"), answer.err.rfind("segments.json")) << answer.err;
}

}  // namespace mpi_test
}  // namespace isolde
