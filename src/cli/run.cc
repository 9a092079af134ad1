// Verb by verb: what was asked, and the few questions that every verb shares.
#include <fmt/format.h>

#include <algorithm>

#include "anomaly/anomaly.h"
#include "base/nearest.h"
#include "check/mirror/profile.h"
#include "cli/config_file.h"
#include "cli/reference.h"
#include "cli/verbs.h"

#ifndef ISOLDE_VERSION
#error "the build sets ISOLDE_VERSION"
#endif

namespace isolde::cli {
namespace {

std::string commit;  // empty: not known

std::string version_line() {
  return commit.empty() ? std::string("isolde " ISOLDE_VERSION "\n")
                        : fmt::format("isolde {} (commit {})\n", ISOLDE_VERSION, commit);
}

struct Runner {
  std::string_view verb;
  Exit (*run)(const Arguments&);
};
constexpr Runner kRunners[] = {
    {"check", run_check},       {"convert", run_convert}, {"gen", run_gen},       {"explain", run_explain},
    {"demo", run_demo},         {"record", run_record},   {"probe", run_probe},   {"watch", run_watch},
    {"hunt", run_hunt},         {"audit", run_audit},     {"report", run_report}, {"send", run_send},
    {"elle-cli", run_elle_cli}, {"proxy", run_proxy},
};

Exit bad_usage(std::string_view text) {
  print_error(text);
  return Exit::kBadInput;
}

std::size_t help_width() { return std::min(kHelpWidth, output_width()); }

std::vector<std::string_view> available_verbs() {
  std::vector<std::string_view> names;
  for (const VerbRow& verb : verbs()) {
    if (!verb.planned) names.push_back(verb.name);
  }
  return names;
}

// What packages and documents are made from: `isolde help --page`, --man [VERB], --completion SHELL, --profiles.
Exit generated(std::string_view form, const std::string& of) {
  output_is_data();
  if (form == "--page") {
    print(reference_page());
  } else if (form == "--man") {
    const VerbRow* const verb = of.empty() ? nullptr : verb_named(of);
    if (verb == nullptr && !of.empty())
      return bad_usage(fmt::format("no man page of \"{}\"{}", of, did_you_mean(of, available_verbs())));
    print(man_page(verb, ISOLDE_VERSION));
  } else if (form == "--completion") {
    const auto script = completion(of);
    if (!script) return bad_usage(script.error().text);
    print(*script);
  } else if (form == "--profiles") {
    for (const mirror::Profile& profile : mirror::profiles()) print(mirror::profile_text(profile));
  } else if (form == "--verbs") {
    for (const std::string_view name : available_verbs()) print(fmt::format("{}\n", name));
  } else {
    return bad_usage(fmt::format(
        "`isolde help` takes a verb, --page, --man [VERB], --completion SHELL, --profiles or --verbs, not {}", form));
  }
  return Exit::kFine;
}

// `isolde help [VERB]`.
Exit help(const std::vector<std::string>& args) {
  const std::string topic = args.empty() ? std::string() : args.front();
  const std::string second = args.size() > 1 ? args[1] : std::string();
  const VerbRow* const about = topic.empty() ? nullptr : verb_named(topic);
  if (topic.starts_with("--") && topic != "--help") return generated(topic, second);
  if (topic.empty() || topic == "--help") {
    print(fitted(help_text()));
  } else if (about != nullptr && !about->planned) {
    print(fitted(help_text(*about, help_width())));
  } else if (level_named(topic) || anomaly_named(topic)) {
    return bad_usage(fmt::format("help is about verbs; for {0}: isolde explain {0}", topic));
  } else {
    return bad_usage(fmt::format("no help on \"{}\"{} (isolde --help lists the verbs)", topic,
                                 did_you_mean(topic, available_verbs())));
  }
  return Exit::kFine;
}

Exit run_verb(const VerbRow& verb, std::vector<std::string> rest) {
  auto args = parse(verb, std::move(rest));
  if (!args) return bad_usage(args.error().text);
  if (args->has("help")) {
    print(fitted(help_text(verb, help_width())));
    return Exit::kFine;
  }
  if (args->has("version")) {
    print(version_line());
    return Exit::kFine;
  }
  const auto used = take_config(verb, *args);
  if (!used) return print_error(used.error()), Exit::kBadInput;
  if (!used->empty() && !args->has("quiet")) print_error(*used);
  if (args->has("json")) output_is_data();
  for (const Runner& runner : kRunners) {
    if (runner.verb == verb.name) return runner.run(*args);
  }
  return Exit::kBadInput;
}

}  // namespace

void set_commit(std::string_view of) { commit = of; }

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
    exit = help(args);
  } else if (first == "--version" || first == "-V") {
    print(version_line());
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
