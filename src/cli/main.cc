// cli/main.cc: the program `isolde`.
#include <cstring>
#include <exception>
#include <new>

#include "cli/verbs.h"
#include "commit.h"
#include "db/url.h"

namespace {

// Everybody on the machine can read the words of a command while it runs (`ps`).
void hide_passwords(char* word) {
  for (const isolde::db::PasswordPlace& place : isolde::db::passwords_in(word)) {
    std::memset(word + place.offset, '*', place.length);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace isolde::cli;
  std::vector<std::string> args(argv + 1, argv + argc);
  for (int i = 1; i < argc; ++i) hide_passwords(argv[i]);
  set_commit(ISOLDE_COMMIT);
  // Nothing of ours throws; the standard library may run out of memory, which is an answer too.
  try {
    return static_cast<int>(run(std::move(args)));
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return static_cast<int>(Exit::kBadInput);
}
