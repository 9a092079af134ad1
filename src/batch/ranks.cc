#include "batch/ranks.h"

#include <cstdlib>

namespace isolde::batch {

std::vector<std::string> Ranks::exchange(std::vector<std::string> out) {
  for (unsigned r = 0; r < out.size(); ++r) {
    if (r != rank()) traffic_.bytes += out[r].size();
  }
  return exchange_bytes(std::move(out), traffic_.rounds);
}

std::vector<std::string> Ranks::to_all(const std::string& own) { return exchange(std::vector(size(), own)); }

std::vector<std::string> Ranks::to_first(std::string own) {
  std::vector<std::string> out(size());
  out[0] = std::move(own);
  auto in = exchange(std::move(out));
  if (!is_first()) in.clear();
  return in;
}

std::uint64_t Ranks::sum(std::uint64_t own) {
  std::uint64_t all = 0;
  for (const std::uint64_t one : gathered(*this, std::vector{own})) all += one;
  return all;
}

Result<void> Ranks::agree(const Result<void>& own) {
  // As text, so that all of them can show it: is there one, its line and column, its file, what it says.
  std::string mine;
  if (!own) {
    const Error& e = own.error();
    mine = "!" + std::to_string(e.line) + " " + std::to_string(e.column) + " " + e.file + '\0' + e.text;
  }
  for (const std::string& said : to_all(mine)) {
    if (said.empty()) continue;
    Error e{said.substr(said.find('\0') + 1)};
    std::size_t at = 1;
    e.line = std::strtoull(said.c_str() + at, nullptr, 10);
    at = said.find(' ', at) + 1;
    e.column = std::strtoull(said.c_str() + at, nullptr, 10);
    at = said.find(' ', at) + 1;
    e.file = said.c_str() + at;  // up to the zero
    return e;
  }
  return {};
}

}  // namespace isolde::batch
