#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/printable.h"
#include "db/url.h"
#include "report/report.h"

namespace isolde::cli {
namespace {

int rank(Exit e) {
  switch (e) {
    case Exit::kFine:
      return 0;
    case Exit::kUndecided:
      return 1;
    case Exit::kFound:
      return 2;
    case Exit::kBadInput:
      return 3;
  }
  return 3;
}

// As it is: only for what is printable, and for sequences of our own.
void put(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

Exit exit_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSatisfied:
      return Exit::kFine;
    case Outcome::kViolated:
      return Exit::kFound;
    case Outcome::kUndecided:
      return Exit::kUndecided;
  }
  return Exit::kUndecided;
}

Exit exit_of(const Error& error) { return error.out_of_time ? Exit::kUndecided : Exit::kBadInput; }

Exit worse(Exit a, Exit b) { return rank(a) >= rank(b) ? a : b; }

void print(std::string_view text) {
  put(stdout, printable(text, output_colour() == Colour::kAlways ? Colours::kKeep : Colours::kEscape));
}

void print_error(std::string_view text) {
  std::fflush(stdout);  // so that the two stay in order where they go to one place
  put(stderr, fmt::format("isolde: {}\n", printable(db::without_passwords(text))));
}

void print_error(const Error& error) {
  if (error.file.empty()) return print_error(error.text);
  std::fflush(stdout);
  Error shown = error;
  shown.file = printable_line(error.file);
  put(stderr, printable(db::without_passwords(shown.message())) + "\n");
}

bool flush_output() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

Exit write_whole_file(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  if (out) return Exit::kFine;
  print_error(Error{"cannot write", path});
  return Exit::kBadInput;
}

Colour output_colour() {
  const char* const off = std::getenv("NO_COLOR");
  const bool refused = off != nullptr && *off != '\0';
  const char* const term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return !refused && !dumb && isatty(STDOUT_FILENO) == 1 ? Colour::kAlways : Colour::kNever;
}

std::string bold(std::string_view text) {
  return output_colour() == Colour::kAlways ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

bool errors_on_terminal() { return isatty(STDERR_FILENO) == 1; }

bool output_on_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::size_t output_width() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

void show_live_line(std::string_view text) {
  put(stderr, fmt::format("{}{}", kClearLine, printable_line(text)));
  std::fflush(stderr);
}

void clear_live_line() { put(stderr, kClearLine); }

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

TerminalProgress::TerminalProgress(std::string_view subject, bool quiet)
    : subject_(printable_line(subject)), on_(!quiet && errors_on_terminal()), last_(std::chrono::steady_clock::now()) {}

void TerminalProgress::advance(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  // Work that ends soon shows nothing, and the terminal is not flooded.
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const std::string far = total == 0
                              ? grouped(done)
                              : fmt::format("{:.0f} %", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  show_live_line(fmt::format("{}: {} {}", subject_, stage, far));
  shown_ = true;
}

void TerminalProgress::clear() {
  if (shown_) clear_live_line();
  shown_ = false;
}

}  // namespace isolde::cli
