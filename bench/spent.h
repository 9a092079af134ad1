// bench/spent.h: what a part of a program took: on the clock, on the caller's thread, on all of them; and memory.
#pragma once

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

namespace isolde {

// Rates on the clock mean something on a machine that has nothing else to do; seconds of processors always do.
struct Spent {
  double own = 0, all = 0, wall = 0;

  void start() { add(-1); }
  void stop() { add(1); }

 private:
  static double seconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
  void add(double sign) {
    own += sign * seconds(CLOCK_THREAD_CPUTIME_ID);
    all += sign * seconds(CLOCK_PROCESS_CPUTIME_ID);
    wall += sign * seconds(CLOCK_MONOTONIC);
  }
};

// VmRSS: or VmHWM: (the peak), in MiB.
inline double resident_mib(const char* field = "VmRSS:") {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(field)) return std::atof(line.c_str() + std::strlen(field)) / 1024;
  }
  return 0;
}

}  // namespace isolde
