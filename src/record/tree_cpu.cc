#include "record/tree_cpu.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"

namespace isolde::record {
namespace {

namespace fs = std::filesystem;

struct Process {
  long parent = 0;
  double ticks = 0;  // its own, and those of children that ended
};

// proc(5): "pid (name) state ppid …", utime to cstime are the fields 14 to 17. The name may hold anything.
bool read_process(const fs::path& path, Process& out) {
  std::ifstream in(path);
  std::string text;
  if (!std::getline(in, text)) return false;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  fields >> skipped >> out.parent;
  for (int i = 5; i < 14; ++i) fields >> skipped;
  for (int i = 0; i < 4; ++i) {
    double ticks = 0;
    fields >> ticks;
    out.ticks += ticks;
  }
  return !fields.fail();
}

}  // namespace

double tree_cpu_seconds() {
  std::map<long, Process> processes;
  std::multimap<long, long> children;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_all_digits(name)) continue;
    Process process;
    if (!read_process(entry->path() / "stat", process)) continue;  // it has ended meanwhile
    const long pid = std::stol(name);
    processes[pid] = process;
    children.emplace(process.parent, pid);
  }
  double ticks = 0;
  std::vector<long> left = {static_cast<long>(::getpid())};
  while (!left.empty()) {
    const long pid = left.back();
    left.pop_back();
    ticks += processes[pid].ticks;
    const auto [first, last] = children.equal_range(pid);
    for (auto child = first; child != last; ++child) left.push_back(child->second);
  }
  const long a_second = ::sysconf(_SC_CLK_TCK);
  return a_second > 0 ? ticks / static_cast<double>(a_second) : 0;
}

}  // namespace isolde::record
