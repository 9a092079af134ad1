// mpi/main.cc: the program `isolde-mpi`: `check` by the ranks of an MPI job (docs/batch.md).
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/check_parts.h"

#ifdef ISOLDE_HAS_MPI
#include "mpi_ranks.h"

int main(int argc, char** argv) {
  using namespace isolde;
  batch::MpiRanks ranks(argc, argv);
  std::vector<std::string> args(argv + 1, argv + argc);
  // Nothing of ours throws; the standard library may run out of memory. The other ranks wait for this one, so all end.
  try {
    return static_cast<int>(cli::run_ranks(std::move(args), ranks));
  } catch (const std::bad_alloc&) {
    cli::print_error("out of memory: use more ranks, or more passes (--memory)");
  } catch (const std::exception& error) {
    cli::print_error(error.what());
  }
  batch::MpiRanks::give_up(static_cast<int>(cli::Exit::kBadInput));
}
#else
int main() {
  using namespace isolde;
  cli::print_error(
      "this isolde-mpi was built without MPI: install libopenmpi-dev and openmpi-bin and build it again, or check the "
      "folder in passes with `isolde check FOLDER --memory MiB`");
  return static_cast<int>(cli::Exit::kBadInput);
}
#endif
