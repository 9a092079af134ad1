#include "hunt/log_watch.h"

#include <filesystem>
#include <fstream>
#include <span>

namespace isolde::hunt {
namespace {

namespace fs = std::filesystem;

// As PostgreSQL, MariaDB, the C library and the sanitizers write it.
constexpr std::string_view kFaults[] = {
    "PANIC:  ",
    "TRAP: ",
    "was terminated by signal ",
    "was terminated by exception ",
    "got signal ",
    "got exception ",
    "Assertion failure in ",
    "Failing assertion",
    "' failed.",  // assert() of the C library: Assertion `x' failed.
    "AddressSanitizer",
    "LeakSanitizer",
    "MemorySanitizer",
    "ThreadSanitizer",
    ": runtime error: ",
    "stack smashing detected",
    "double free or corruption",
    "invalid page in block",
    "Database page corruption",
    "is corrupted",
};
// A server that someone stops or kills is not at fault; nor is one that is told to stop.
constexpr std::string_view kHealthy[] = {"signal 9:", "signal 15", "signal 2:", "got signal 9", "signal 3:"};
// PostgreSQL's lines that quote SQL or values.
constexpr std::string_view kQuotes[] = {"STATEMENT:  ", "DETAIL:  ", "QUERY:  ", "CONTEXT:  ", "ERROR:  "};

bool has_one(std::string_view line, std::span<const std::string_view> of) {
  for (const std::string_view one : of) {
    if (line.find(one) != std::string_view::npos) return true;
  }
  return false;
}

std::uint64_t log_size(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = path.empty() ? 0 : fs::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

bool tells_of_a_fault(std::string_view line) {
  if (line.empty() || line.front() == '\t') return false;  // it goes on with the line before
  return has_one(line, kFaults) && !has_one(line, kHealthy) && !has_one(line, kQuotes);
}

LogWatch::LogWatch(std::string path) : path_(std::move(path)), read_(log_size(path_)) {}

std::vector<std::string> LogWatch::new_faults() {
  std::vector<std::string> faults;
  const std::uint64_t size = log_size(path_);
  if (size < read_) read_ = 0;  // begun anew
  if (size == read_) return faults;
  std::ifstream file(path_);
  file.seekg(static_cast<std::streamoff>(read_));
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;  // its end is still to come
    read_ += line.size() + 1;
    if (tells_of_a_fault(line)) faults.push_back(std::move(line));
  }
  return faults;
}

}  // namespace isolde::hunt
