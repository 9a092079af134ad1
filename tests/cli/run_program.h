// tests/cli/run_program.h: runs a program as a user does, and keeps what it answered.
#pragma once

#include <string>
#include <vector>

namespace isolde::test {

struct Answer {
  int status = -1;  // exit status; 128 + signal if it was killed
  std::string out, err;
};

// `environment`: entries like "NO_COLOR=1" that are added. `folder`: where it runs; empty: here.
[[nodiscard]] Answer run_program(const std::vector<std::string>& command,
                                 const std::vector<std::string>& environment = {}, const std::string& folder = {});
// The program that was built.
[[nodiscard]] Answer isolde(std::vector<std::string> args, const std::vector<std::string>& environment = {},
                            const std::string& folder = {});
// The same with standard output and standard error on one terminal; `out` has both.
[[nodiscard]] Answer isolde_on_terminal(std::vector<std::string> args,
                                        const std::vector<std::string>& environment = {});

// A fresh folder, removed with the object.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string path(const std::string& name = {}) const {
    return name.empty() ? path_ : path_ + "/" + name;
  }
  // Writes a file there and returns its path.
  std::string file(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

[[nodiscard]] std::string content_of(const std::string& path);

}  // namespace isolde::test
