// cli/cluster_name.h: what a producer or worker of a cluster is called if nobody names it, and numbers that only it
// has.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "cluster/names.h"

namespace isolde::cli {

// "host-4711-0": the machine, the process, and a number within it.
[[nodiscard]] inline std::string usual_cluster_name(std::uint32_t number = 0) {
  char host[64] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::string name;
  for (const char c : std::string_view(host)) name += cluster::is_cluster_name({&c, 1}) ? c : '_';
  return fmt::format("{}-{}-{}", name.substr(0, 40), ::getpid(), number);
}

// A number that nobody has drawn before.
[[nodiscard]] inline std::uint64_t number_of_its_own() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace isolde::cli
