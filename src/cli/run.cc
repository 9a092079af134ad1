// Verb by verb: what was asked, and the few questions that every verb shares.
#include <fmt/format.h>

#include "base/nearest.h"
#include "cli/verbs.h"

#ifndef ISOLDE_VERSION
#error "the build sets ISOLDE_VERSION"
#endif

namespace isolde::cli {
namespace {

struct Runner {
  std::string_view verb;
  Exit (*run)(const Arguments&);
};
constexpr Runner kRunners[] = {
    {"check", run_check}, {"convert", run_convert}, {"gen", run_gen},       {"explain", run_explain},
    {"demo", run_demo},   {"record", run_record},   {"probe", run_probe},   {"watch", run_watch},
    {"hunt", run_hunt},   {"audit", run_audit},     {"report", run_report}, {"send", run_send},
    {"proxy", run_proxy},
};

Exit bad_usage(std::string_view text) {
  print_error(text);
  return Exit::kBadInput;
}

std::vector<std::string_view> available_verbs() {
  std::vector<std::string_view> names;
  for (const VerbRow& verb : verbs()) {
    if (!verb.planned) names.push_back(verb.name);
  }
  return names;
}

Exit run_verb(const VerbRow& verb, std::vector<std::string> rest) {
  auto args = parse(verb, std::move(rest));
  if (!args) return bad_usage(args.error().text);
  if (args->has("help")) {
    print(help_text(verb));
    return Exit::kFine;
  }
  if (args->has("version")) {
    print("isolde " ISOLDE_VERSION "\n");
    return Exit::kFine;
  }
  for (const Runner& runner : kRunners) {
    if (runner.verb == verb.name) return runner.run(*args);
  }
  return Exit::kBadInput;
}

}  // namespace

Result<Level> level_by_name(std::string_view name) {
  if (const auto level = level_named(name)) return *level;
  std::vector<std::string_view> names;
  for (const LevelInfo& level : all_levels()) {
    names.push_back(level.name);
    names.insert(names.end(), level.aliases.begin(), level.aliases.end());
  }
  return Error{fmt::format("unknown level \"{}\"{} (isolde explain --list)", name, did_you_mean(name, names))};
}

Result<const FormatInfo*> format_by_name(std::string_view name) {
  if (const FormatInfo* format = format_named(name)) return format;
  std::vector<std::string_view> names;
  for (const FormatInfo& format : formats()) names.push_back(format.name);
  return Error{fmt::format("unknown format \"{}\"{} (isolde convert --help)", name, did_you_mean(name, names))};
}

Exit run(std::vector<std::string> args) {
  if (args.empty()) {
    print_error("which verb? `isolde --help` lists them");
    return Exit::kBadInput;
  }
  const std::string first = args.front();
  args.erase(args.begin());
  Exit exit = Exit::kFine;
  const VerbRow* const verb = verb_named(first);
  if (first == "--help" || first == "-h" || first == "help") {
    if (!args.empty() && args.front() == "--page") return print(reference_page()), Exit::kFine;
    const VerbRow* const about = args.empty() ? nullptr : verb_named(args.front());
    print(about == nullptr || about->planned ? help_text() : help_text(*about));
  } else if (first == "--version" || first == "-V") {
    print("isolde " ISOLDE_VERSION "\n");
  } else if (first.starts_with("-")) {
    exit = bad_usage(fmt::format("the verb comes first, then its options: isolde VERB {} … (isolde --help)", first));
  } else if (verb == nullptr) {
    exit =
        bad_usage(fmt::format("unknown verb \"{}\"{} (isolde --help)", first, did_you_mean(first, available_verbs())));
  } else if (verb->planned) {
    exit = bad_usage(fmt::format("`isolde {}` is not in this version yet", verb->name));
  } else {
    exit = run_verb(*verb, std::move(args));
  }
  if (!flush_output()) {
    print_error("cannot write to standard output");
    return Exit::kBadInput;
  }
  return exit;
}

}  // namespace isolde::cli
