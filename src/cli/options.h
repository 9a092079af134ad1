// cli/options.h: verbs and options as two tables; the parser, --help and docs/commands.md come from them.
//
// In, out: argv -> Arguments, or one Error that says what is wrong and what was meant.
// Always:  a verb takes the options that its rows name and no others; values are checked when they are asked for.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::cli {

struct OptionRow {
  std::string_view name;   // without dashes
  std::string_view value;  // what stands for its value in --help; empty: a flag
  std::string_view help;
  std::string_view verbs;  // those that take it, with spaces between; empty: all
  bool many = false;       // may stand several times: its values come with commas between
  char letter = 0;         // its short form
};

struct VerbRow {
  std::string_view name;
  std::string_view arguments;  // as shown in the synopsis, e.g. "FILE…"
  std::size_t least, most;     // how many
  std::string_view summary;
  std::string_view details;  // further lines of its --help
  std::string_view example;  // command lines, one a line
  bool planned = false;      // in the contract, but not in this version
};

[[nodiscard]] std::span<const VerbRow> verbs();
// Its details, with the URLs of all databases in the places for them.
[[nodiscard]] std::string shown_details(const VerbRow& verb);
[[nodiscard]] std::span<const OptionRow> options();
[[nodiscard]] const VerbRow* verb_named(std::string_view name);
[[nodiscard]] bool takes(const VerbRow& verb, const OptionRow& option);

class Arguments {
 public:
  std::vector<std::string> positional;

  void set(std::string_view option, std::string value) { values_[std::string(option)] = std::move(value); }
  [[nodiscard]] bool has(std::string_view option) const { return values_.contains(std::string(option)); }
  [[nodiscard]] std::string text(std::string_view option, std::string_view otherwise = {}) const;
  // A whole number; 200k and 1M are understood. The error names the option and what it takes.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view option, std::uint64_t otherwise, std::uint64_t least = 0,
                                            std::uint64_t most = UINT64_MAX) const;
  [[nodiscard]] Result<double> share(std::string_view option, double otherwise) const;  // 0 … 1
  // Seconds, as 10, 2.5, 10s or 5m. No value: the option was not given.
  [[nodiscard]] Result<std::optional<double>> seconds(std::string_view option) const;

 private:
  std::map<std::string, std::string> values_;
};

// Of an option that names a time: when it is over.
[[nodiscard]] inline std::chrono::steady_clock::time_point seconds_from_now(double seconds) {
  constexpr double kLongest = 1e9;
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(std::min(seconds, kLongest)));
}

// Sets `to` to the whole number that the option was given, if it was: `least` … 2^32 - 1.
template <typename T>
[[nodiscard]] std::optional<Error> take_count(const Arguments& args, std::string_view option, std::uint64_t least,
                                              T& to) {
  if (!args.has(option)) return std::nullopt;
  auto value = args.count(option, 0, least, UINT32_MAX);
  if (!value) return std::move(value).error();
  to = static_cast<T>(*value);
  return std::nullopt;
}

// `args`: what follows the verb.
[[nodiscard]] Result<Arguments> parse(const VerbRow& verb, std::vector<std::string> args);

[[nodiscard]] std::string help_text();
// In lines of at most `width` columns, where words allow it.
inline constexpr std::size_t kHelpWidth = 110;
[[nodiscard]] std::string help_text(const VerbRow& verb, std::size_t width = kHelpWidth);
// The page docs/commands.md.
[[nodiscard]] std::string reference_page();

}  // namespace isolde::cli
