// cli/main.cc: the program `isolde`.
#include <exception>
#include <new>

#include "cli/verbs.h"

int main(int argc, char** argv) {
  using namespace isolde::cli;
  // Nothing of ours throws; the standard library may run out of memory, which is an answer too.
  try {
    return static_cast<int>(run(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return static_cast<int>(Exit::kBadInput);
}
