// cli/terminal.h: the only place that prints, asks what the terminal is, and maps answers to exit statuses.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "base/result.h"
#include "report/text.h"

namespace isolde::cli {

// CONTRACT section 1.
enum class Exit : int { kFine = 0, kFound = 1, kBadInput = 2, kUndecided = 3 };

[[nodiscard]] Exit exit_of(Outcome outcome);
[[nodiscard]] Exit exit_of(const Error& error);  // kBadInput, or kUndecided where only the time ran out
// Of two inputs: one that could not be read outweighs a violation, that outweighs an undecided one.
[[nodiscard]] Exit worse(Exit a, Exit b);

// All of it passes through base/printable.h: what histories, servers and files say moves no cursor.
void print(std::string_view text);  // to standard output
// Errors show no passwords of URLs.
void print_error(std::string_view text);  // one line to standard error, "isolde: " in front unless it has a place
void print_error(const Error& error);
void print_to_errors(std::string_view text);  // as it is, for what is no error of ours
// A line on standard error, a terminal, that the next one replaces.
void show_live_line(std::string_view text);
void clear_live_line();
// Ensures: all that was printed has been written; false if it could not be (a full disk, a closed pipe).
[[nodiscard]] bool flush_output();
// The whole content of a file that the user named; an error is printed.
[[nodiscard]] Exit write_whole_file(const std::string& path, std::string_view content);

// Colours go to terminals only, and NO_COLOR turns them off.
[[nodiscard]] Colour output_colour();
[[nodiscard]] std::string bold(std::string_view text);  // where output_colour() allows it
[[nodiscard]] bool errors_on_terminal();
[[nodiscard]] bool output_on_terminal();
// Of the terminal that standard output is: by COLUMNS, or as it says itself. Nothing: it is none, or does not know.
[[nodiscard]] std::optional<std::size_t> terminal_width();
// The same; where it is not known, 100.
[[nodiscard]] std::size_t output_width();
// Text for people, with lines that are too long for the terminal continued on the next ones.
[[nodiscard]] std::string fitted(std::string_view text);
// From here on, standard output is for programs: in a locale without UTF-8, too, no letter of it is replaced.
void output_is_data();

// The name of standard input on a command line, where it can be opened, and what messages call it.
inline constexpr std::string_view kStandardInput = "-", kStandardInputPath = "/dev/stdin",
                                  kStandardInputShown = "standard input";
[[nodiscard]] std::string input_path(const std::string& given);
[[nodiscard]] std::string input_shown(const std::string& given);

[[nodiscard]] double peak_mib();

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  // Of all threads: what the work cost, whatever else the machine did meanwhile.
  [[nodiscard]] double cpu_seconds() const { return static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC; }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

// Shows on standard error how far the work is; shows nothing where that is no terminal or `quiet`.
class TerminalProgress : public Progress {
 public:
  TerminalProgress(std::string_view subject, bool quiet);
  ~TerminalProgress() override { clear(); }
  void advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override;
  void clear();

 private:
  std::string subject_;
  bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace isolde::cli
