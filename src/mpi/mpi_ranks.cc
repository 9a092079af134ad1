#include "mpi_ranks.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace isolde::batch {
namespace {

// Of what goes from one rank to all others in one round; far below what an `int` counts.
constexpr std::uint64_t kMostPerRound = std::uint64_t{256} << 20;

}  // namespace

MpiRanks::MpiRanks(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  int size = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  size_ = static_cast<unsigned>(size);
  rank_ = static_cast<unsigned>(rank);
}

MpiRanks::~MpiRanks() { MPI_Finalize(); }

void MpiRanks::give_up(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

std::vector<std::string> MpiRanks::exchange_bytes(std::vector<std::string> out, std::uint64_t& rounds) {
  std::vector<std::uint64_t> sizes(size_), coming(size_);
  for (unsigned r = 0; r < size_; ++r) sizes[r] = out[r].size();
  MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, coming.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  ++rounds;
  std::vector<std::string> in(size_);
  in[rank_] = std::move(out[rank_]);
  sizes[rank_] = coming[rank_] = 0;
  for (unsigned r = 0; r < size_; ++r) {
    if (r != rank_) in[r].resize(coming[r]);
  }
  std::uint64_t largest = 0;
  for (const std::uint64_t n : sizes) largest = std::max(largest, n);
  std::uint64_t of_all = 0;
  MPI_Allreduce(&largest, &of_all, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  const std::uint64_t piece = kMostPerRound / size_;
  std::string sending, receiving;
  for (std::uint64_t from = 0; from < of_all; from += piece) {
    std::vector<int> send_count(size_), send_at(size_), receive_count(size_), receive_at(size_);
    sending.clear();
    int total = 0;
    for (unsigned r = 0; r < size_; ++r) {
      const auto part = [&](std::uint64_t all) {
        return static_cast<int>(all > from ? std::min(piece, all - from) : 0);
      };
      send_count[r] = part(sizes[r]);
      send_at[r] = static_cast<int>(sending.size());
      if (send_count[r] > 0) sending.append(out[r], from, static_cast<std::size_t>(send_count[r]));
      receive_count[r] = part(coming[r]);
      receive_at[r] = total;
      total += receive_count[r];
    }
    receiving.resize(static_cast<std::size_t>(total));
    MPI_Alltoallv(sending.data(), send_count.data(), send_at.data(), MPI_BYTE, receiving.data(), receive_count.data(),
                  receive_at.data(), MPI_BYTE, MPI_COMM_WORLD);
    ++rounds;
    for (unsigned r = 0; r < size_; ++r) {
      if (receive_count[r] > 0)
        std::memcpy(in[r].data() + from, receiving.data() + receive_at[r], static_cast<std::size_t>(receive_count[r]));
    }
  }
  return in;
}

}  // namespace isolde::batch
