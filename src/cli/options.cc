#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <charconv>

#include "base/nearest.h"
#include "check/choose/engines.h"
#include "check/mirror/profile.h"
#include "format/format.h"
#include "gen/plants.h"
#include "record/workload/workload.h"

namespace isolde::cli {
namespace {

// "-m, --model", "--level" or "-k".
std::string spelled(const OptionRow& option) {
  if (option.name.size() == 1) return fmt::format("-{}", option.name);
  return option.letter == 0 ? fmt::format("--{}", option.name) : fmt::format("-{}, --{}", option.letter, option.name);
}

Error usage(const VerbRow& verb, std::string_view what) {
  return Error{fmt::format("{} (isolde {} --help)", what, verb.name)};
}

Error unknown_option(const VerbRow& verb, const std::string& typed) {
  std::vector<std::string> storage;
  for (const OptionRow& option : options()) {
    if (takes(verb, option)) storage.push_back("--" + std::string(option.name));
  }
  const std::vector<std::string_view> names(storage.begin(), storage.end());
  return usage(verb, fmt::format("`isolde {}` has no option {}{}", verb.name, typed, did_you_mean(typed, names)));
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + space > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, space);
    column += space;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

std::string option_lines(const VerbRow& verb, std::size_t width) {
  constexpr std::size_t kBeside = 70;  // narrower: what an option does stands below it
  std::string out;
  for (const OptionRow& option : options()) {
    if (!takes(verb, option)) continue;
    const std::string left = fmt::format("{}{}{}", spelled(option), option.value.empty() ? "" : " ", option.value);
    out += width < kBeside ? fmt::format("  {}\n      {}\n", left, wrapped(option.help, 6, width))
                           : fmt::format("  {:<24}  {}\n", left, wrapped(option.help, 28, width));
  }
  return out;
}

std::string synopsis(const VerbRow& verb) {
  return fmt::format("isolde {}{}{} [options]", verb.name, verb.arguments.empty() ? "" : " ", verb.arguments);
}

}  // namespace

bool takes(const VerbRow& verb, const OptionRow& option) {
  if (option.verbs.empty()) return true;
  std::string_view rest = option.verbs;
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    if (rest.substr(0, space) == verb.name) return true;
    rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
  }
  return false;
}

const VerbRow* verb_named(std::string_view name) {
  const auto all = verbs();
  const auto at = std::find_if(all.begin(), all.end(), [&](const VerbRow& v) { return v.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::string Arguments::text(std::string_view option, std::string_view otherwise) const {
  const auto at = values_.find(std::string(option));
  return at == values_.end() ? std::string(otherwise) : at->second;
}

Result<std::uint64_t> Arguments::count(std::string_view option, std::uint64_t otherwise, std::uint64_t least,
                                       std::uint64_t most) const {
  if (!has(option)) return otherwise;
  const std::string given = text(option);
  std::string digits;
  std::copy_if(given.begin(), given.end(), std::back_inserter(digits), [](char c) { return c != '_' && c != ','; });
  std::uint64_t scale = 1;
  if (!digits.empty() && (digits.back() == 'k' || digits.back() == 'K')) scale = 1000;
  if (!digits.empty() && (digits.back() == 'm' || digits.back() == 'M')) scale = 1000000;
  if (scale > 1) digits.pop_back();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  std::uint64_t scaled = 0;
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  if (!whole || __builtin_mul_overflow(value, scale, &scaled) || scaled < least || scaled > most) {
    const std::string range = most == UINT64_MAX ? (least == 0 ? "" : fmt::format(" of at least {}", least))
                                                 : fmt::format(" from {} to {}", least, most);
    return Error{fmt::format("--{} takes a whole number{}, not \"{}\"", option, range, given)};
  }
  return scaled;
}

Result<double> Arguments::share(std::string_view option, double otherwise) const {
  if (!has(option)) return otherwise;
  const std::string given = text(option);
  double value = -1;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size() || !(value >= 0 && value <= 1)) {
    return Error{fmt::format("--{} takes a number from 0 to 1, not \"{}\"", option, given)};
  }
  return value;
}

Result<std::optional<double>> Arguments::seconds(std::string_view option) const {
  if (!has(option)) return std::optional<double>();
  const std::string given = text(option);
  std::string digits = given;
  double scale = 1;
  if (!digits.empty() && (digits.back() == 's' || digits.back() == 'm' || digits.back() == 'h')) {
    scale = digits.back() == 's' ? 1 : digits.back() == 'm' ? 60 : 3600;
    digits.pop_back();
  }
  double value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  constexpr double kMost = 1e9;
  if (error != std::errc() || end != digits.data() + digits.size() || !(value >= 0 && value * scale <= kMost)) {
    return Error{fmt::format("--{} takes seconds (10, 2.5, 10s, 5m), not \"{}\"", option, given)};
  }
  return std::optional<double>(value * scale);
}

Result<Arguments> parse(const VerbRow& verb, std::vector<std::string> args) {
  CLI::App app;
  app.set_help_flag();
  Arguments result;
  std::map<std::string_view, std::string> values;
  std::map<std::string_view, bool> flags;
  for (const OptionRow& option : options()) {
    if (!takes(verb, option)) continue;
    const char letter = option.name.size() == 1 ? option.name[0] : option.letter;
    const std::string name =
        letter == 0 ? fmt::format("--{}", option.name) : fmt::format("-{},--{}", letter, option.name);
    if (option.value.empty()) {
      app.add_flag(name, flags[option.name])->disable_flag_override();
    } else {
      CLI::Option* const added = app.add_option(name, values[option.name]);
      if (option.many) {
        added->multi_option_policy(CLI::MultiOptionPolicy::Join)->delimiter(',');
      } else {
        added->take_last();
      }
    }
  }
  app.add_option("arguments", result.positional);
  std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
  // CLI11 reports by exception; they end here.
  try {
    app.parse(args);
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> unknown = app.remaining();
    return unknown_option(verb, unknown.empty() ? std::string("like that") : unknown.front());
  } catch (const CLI::ParseError& error) {
    return usage(verb, error.what());
  }
  for (const auto& [name, on] : flags) {
    if (on) result.set(name, "yes");
  }
  for (const auto& [name, value] : values) {
    if (app.count("--" + std::string(name)) > 0) result.set(name, value);
  }
  if (result.has("help") || result.has("version")) return result;
  if (result.positional.size() < verb.least) {
    return usage(verb, fmt::format("`isolde {}` needs {}", verb.name, verb.arguments));
  }
  if (result.positional.size() > verb.most) {
    return usage(verb, fmt::format("`isolde {}` takes {}, not \"{}\"", verb.name,
                                   verb.most == 0 ? std::string("no arguments") : std::string(verb.arguments),
                                   result.positional[verb.most]));
  }
  return result;
}

std::string help_text() {
  std::string out =
      "Isolde checks whether a database kept the isolation it promised.\n\nUsage: isolde VERB [options]\n\n";
  for (const VerbRow& verb : verbs()) {
    if (!verb.planned)
      out += fmt::format("  {:<16}  {}\n", fmt::format("{} {}", verb.name, verb.arguments), verb.summary);
  }
  std::string planned;
  for (const VerbRow& verb : verbs()) {
    if (verb.planned) planned += fmt::format("{}{}", planned.empty() ? "" : ", ", verb.name);
  }
  if (!planned.empty()) out += fmt::format("\nPlanned, not in this version: {}\n", planned);
  out += "\n`isolde VERB --help` shows the options of a verb, with examples. Start with:\n\n  isolde demo\n";
  return out;
}

std::string help_text(const VerbRow& verb, std::size_t width) {
  std::string out = fmt::format("{}: {}\n\nUsage: {}\n", verb.name, verb.summary, synopsis(verb));
  if (!verb.details.empty()) out += fmt::format("{}\n", shown_details(verb));
  out += "\nOptions:\n" + option_lines(verb, width);
  if (verb.name == "check") {
    out += "\nMethods:\n";
    for (const Engine& engine : engines()) out += fmt::format("  {:<24}  {}\n", engine.name, engine.summary);
  }
  if (verb.name == "gen") {
    out += "\nAnomalies for --plant:\n";
    for (const PlantInfo& plant : all_plants()) out += fmt::format("  {:<24}  {}\n", plant.name, plant.summary);
  }
  if (verb.name == "record") {
    out += "\nWorkloads:\n";
    for (const record::WorkloadInfo& w : record::workloads()) out += fmt::format("  {:<24}  {}\n", w.name, w.summary);
  }
  if (verb.name == "watch") {
    out += "\nProfiles:\n";
    for (const mirror::Profile& p : mirror::profiles()) out += fmt::format("  {:<38}  {}\n", p.name, p.source);
  }
  if (verb.name == "check" || verb.name == "convert") {
    out += "\nFormats:\n";
    for (const FormatInfo& format : formats()) {
      out +=
          fmt::format("  {:<24}  {}{}\n", format.name, format.summary, format.write == nullptr ? " (read only)" : "");
    }
  }
  if (!verb.example.empty()) {
    out += "\nExample:\n";
    std::string_view rest = verb.example;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      out += fmt::format("  {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return out;
}

std::string reference_page() {
  std::string out =
      "# Commands\n\nThis page is generated by the program from the table that its parser uses "
      "(`src/cli/options_table.cc`); a test checks that it is current.\n";
  for (const VerbRow& verb : verbs()) {
    if (verb.planned) continue;
    out += fmt::format("\n## isolde {}\n\n```text\n{}```\n", verb.name, help_text(verb));
  }
  return out;
}

}  // namespace isolde::cli
