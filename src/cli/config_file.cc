#include "cli/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/nearest.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

// They run programs, lift a limit that protects, name secrets, or reach another machine.
constexpr std::string_view kOnlyNamed[] = {
    "against",     "allow-remote", "cert",       "client-ca",       "config",    "confirm",
    "key",         "listen",       "overwrite",  "password-file",   "serve",     "serve-token-file",
    "server-path", "spawn",        "token-file", "server-settings", "trust-file"};
// They make no sense for every run.
constexpr std::string_view kNeverHere[] = {"config", "help", "no-config", "version"};

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const OptionRow* option_of(const VerbRow& verb, std::string_view name) {
  for (const OptionRow& option : options()) {
    if (option.name == name && takes(verb, option) && !is_in(kNeverHere, name)) return &option;
  }
  return nullptr;
}

Error unknown_key(const TomlFile& file, const TomlEntry& entry, const VerbRow* verb) {
  std::vector<std::string_view> names;
  for (const OptionRow& option : options()) {
    if ((verb == nullptr || takes(*verb, option)) && !is_in(kNeverHere, option.name)) names.push_back(option.name);
  }
  const std::string whose =
      verb == nullptr ? "no verb has an option" : fmt::format("`isolde {}` has no option", verb->name);
  return file.error_at(entry.place, fmt::format("{} {}{}", whose, entry.key, did_you_mean(entry.key, names)));
}

// A value that names a file or folder.
bool is_path(const OptionRow& option) {
  return option.value.starts_with("FILE") || option.value == "OUT" || option.value == "DIR";
}

// `paths`: one, or several with commas between.
bool stays_inside(std::string_view paths) {
  while (!paths.empty()) {
    const std::string_view one = paths.substr(0, paths.find(','));
    paths.remove_prefix(std::min(one.size() + 1, paths.size()));
    const fs::path path(one);
    const bool leaves = std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
    if (leaves || !path.is_relative() || one.find("://") != std::string_view::npos) return false;
  }
  return true;
}

std::optional<Error> wrong_entry(const TomlFile& file, const TomlEntry& entry, const OptionRow& option) {
  const bool reaches = option.value == "URL" || option.value.starts_with("nats:");
  if (reaches || is_in(kOnlyNamed, option.name))
    return file.error_at(entry.place, fmt::format("{} is taken only from a file that --config names: this one was "
                                                  "found in the working folder (--no-config ignores it)",
                                                  option.name));
  if (is_path(option) && !stays_inside(entry.text))
    return file.error_at(entry.place, fmt::format("a path outside the folder, \"{}\", is taken only from a file that "
                                                  "--config names (--no-config ignores this one)",
                                                  entry.text));
  return std::nullopt;
}

Result<std::string> take_entry(const TomlFile& file, ConfigTrust trust, const TomlEntry& entry, const OptionRow& option,
                               Arguments& args) {
  const bool is_flag = option.value.empty();
  if (is_flag != (entry.kind == TomlEntry::Kind::kTruth))
    return file.error_at(entry.place, is_flag ? fmt::format("expected {} = true or false", entry.key)
                                              : fmt::format("expected {} = a value ({})", entry.key, option.value));
  if (trust == ConfigTrust::kFound) {
    if (auto error = wrong_entry(file, entry, option)) return *std::move(error);
  }
  if (args.has(option.name) || (is_flag && !entry.truth)) return std::string();
  args.set(option.name, is_flag ? "yes" : entry.text);
  const bool plain = entry.text.find_first_of(" \t\"'") == std::string::npos;
  return is_flag ? fmt::format(" --{}", option.name)
                 : fmt::format(" --{} {}", option.name, plain ? entry.text : fmt::format("\"{}\"", entry.text));
}

}  // namespace

Result<std::string> apply_config(const TomlFile& file, ConfigTrust trust, const VerbRow& verb, Arguments& args) {
  // Every table first: a name that is wrong is wrong for every verb.
  for (const TomlTable& table : file.tables) {
    const VerbRow* const of = table.name.empty() ? nullptr : verb_named(table.name);
    if (table.many) return file.error_at(table.place, fmt::format("expected [{0}], not [[{0}]]", table.name));
    if (!table.name.empty() && (of == nullptr || of->planned)) {
      std::vector<std::string_view> names;
      for (const VerbRow& one : verbs()) names.push_back(one.name);
      return file.error_at(table.place,
                           fmt::format("\"{}\" is no verb{}", table.name, did_you_mean(table.name, names)));
    }
    for (const TomlEntry& entry : table.entries) {
      const auto all = verbs();
      const bool known =
          of != nullptr
              ? option_of(*of, entry.key) != nullptr
              : std::ranges::any_of(all, [&](const VerbRow& one) { return option_of(one, entry.key) != nullptr; });
      if (!known) return unknown_key(file, entry, of);
    }
  }
  std::string used;
  // The verb's own table outweighs what stands above all tables.
  for (const bool own : {true, false}) {
    for (const TomlTable& table : file.tables) {
      if (own ? table.name != verb.name : !table.name.empty()) continue;
      for (const TomlEntry& entry : table.entries) {
        const OptionRow* const option = option_of(verb, entry.key);
        if (option == nullptr) continue;
        auto taken = take_entry(file, trust, entry, *option, args);
        if (!taken) return std::move(taken).error();
        used += *taken;
      }
    }
  }
  return used;
}

Result<std::string> take_config(const VerbRow& verb, Arguments& args) {
  if (args.has("no-config")) {
    if (args.has("config")) return Error{"--config and --no-config: use only one of them"};
    return std::string();
  }
  const ConfigTrust trust = args.has("config") ? ConfigTrust::kNamed : ConfigTrust::kFound;
  const std::string path = args.text("config", kConfigName);
  std::error_code ignored;
  if (trust == ConfigTrust::kFound && !fs::is_regular_file(path, ignored)) return std::string();
  auto file = read_toml_file(path);
  if (!file) return std::move(file).error();
  auto used = apply_config(*file, trust, verb, args);
  if (!used || used->empty()) return used;
  return fmt::format("options from {}:{}", path, *used);
}

}  // namespace isolde::cli
