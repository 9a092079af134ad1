#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/ascii.h"
#include "base/printable.h"
#include "cli/letters.h"
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

bool data_only = false;  // what standard output is for

// What is set of LC_ALL, LC_CTYPE and LANG decides, the first of them before the others. Where none is set, as in many
// containers, terminals and logs show UTF-8 all the same.
bool locale_has_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = lower_case(value);
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return true;
}

// Only for what is printable, and for sequences of our own.
void put(std::FILE* to, std::string_view text) {
  static const bool utf8 = locale_has_utf8();
  const std::string plain = utf8 || (to == stdout && data_only) ? std::string() : in_ascii(text);
  const std::string_view shown = plain.empty() ? text : plain;
  std::fwrite(shown.data(), 1, shown.size(), to);
}

std::optional<std::size_t> width_of_terminal(int descriptor) {
  constexpr std::size_t kNarrowest = 20;
  if (isatty(descriptor) != 1) return std::nullopt;
  std::size_t width = 0;
  if (const char* const columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text(columns);
    if (std::from_chars(text.data(), text.data() + text.size(), width).ptr != text.data() + text.size()) width = 0;
  }
  winsize size{};
  if (width == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (width == 0) return std::nullopt;
  return std::max(width, kNarrowest);
}

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
  shown.file = printable_line(input_shown(error.file));
  put(stderr, printable(db::without_passwords(shown.message())) + "\n");
}

void print_to_errors(std::string_view text) {
  std::fflush(stdout);
  put(stderr, printable(text));
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

std::optional<std::size_t> terminal_width() { return width_of_terminal(STDOUT_FILENO); }

std::size_t output_width() { return terminal_width().value_or(100); }

std::string fitted(std::string_view text) {
  const auto width = terminal_width();
  return width ? folded(text, *width) : std::string(text);
}

void output_is_data() { data_only = true; }

std::string input_path(const std::string& given) {
  return given == kStandardInput ? std::string(kStandardInputPath) : given;
}

std::string input_shown(const std::string& given) {
  return given == kStandardInput || given == kStandardInputPath ? std::string(kStandardInputShown) : given;
}

void show_live_line(std::string_view text) {
  const std::size_t width = width_of_terminal(STDERR_FILENO).value_or(80);
  put(stderr, fmt::format("{}{}", kClearLine, cut_to_columns(printable_line(text), width - 1)));
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
