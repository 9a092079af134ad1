// mpi/mpi_ranks.h: the ranks of an MPI job. mpi_ranks.cc is the only file that knows MPI.
//
// Always:  counts in MPI are `int`, so what is larger goes in several rounds of at most kMostPerRound bytes per pair.
#pragma once

#include <string>
#include <vector>

#include "batch/ranks.h"

namespace isolde::batch {

class MpiRanks final : public Ranks {
 public:
  // Requires: one at a time. Without mpirun it is one rank.
  MpiRanks(int& argc, char**& argv);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  [[nodiscard]] unsigned size() const override { return size_; }
  [[nodiscard]] unsigned rank() const override { return rank_; }
  // Ends the job on all ranks, because this one cannot go on.
  [[noreturn]] static void give_up(int status);

 protected:
  std::vector<std::string> exchange_bytes(std::vector<std::string> out, std::uint64_t& rounds) override;

 private:
  unsigned size_ = 1, rank_ = 0;
};

}  // namespace isolde::batch
