#include <fmt/format.h>

#include <algorithm>

#include "check/choose/engines.h"
#include "check/mirror/profile.h"
#include "cli/reference.h"
#include "format/format.h"
#include "gen/plants.h"
#include "record/workload/workload.h"

namespace isolde::cli {
namespace {

// What troff reads as its own: backslashes, hyphens (which it may break lines at), and a line's first dot or quote.
std::string troff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string heading(std::string_view name, std::string_view version) {
  return fmt::format(".TH {} 1 \"\" \"isolde {}\" \"Isolde\"\n", troff(upper_case(name)), troff(version));
}

std::string item(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", troff(term), troff(text));
}

// Lines that stay as they are.
std::string as_typed(std::string_view text) { return fmt::format(".PP\n.nf\n.RS 4\n{}\n.RE\n.fi\n", troff(text)); }

std::string options_section(const VerbRow& verb) {
  std::string out = ".SH OPTIONS\n";
  for (const OptionRow& option : options()) {
    if (!takes(verb, option)) continue;
    const std::string letter = option.letter == 0 ? std::string() : fmt::format("\\fB\\-{}\\fR, ", option.letter);
    const std::string value = option.value.empty() ? std::string() : fmt::format(" \\fI{}\\fR", troff(option.value));
    out += fmt::format(".TP\n{}\\fB{}{}\\fR{}\n{}\n", letter, option.name.size() == 1 ? "\\-" : "\\-\\-",
                       troff(option.name), value, troff(option.help));
  }
  return out;
}

std::string lists_section(const VerbRow& verb) {
  std::string out;
  if (verb.name == "check") {
    out += ".SH METHODS\n";
    for (const Engine& engine : engines()) out += item(engine.name, engine.summary);
  }
  if (verb.name == "gen") {
    out += ".SH ANOMALIES FOR \\-\\-plant\n";
    for (const PlantInfo& plant : all_plants()) out += item(plant.name, plant.summary);
  }
  if (verb.name == "record") {
    out += ".SH WORKLOADS\n";
    for (const record::WorkloadInfo& w : record::workloads()) out += item(w.name, w.summary);
  }
  if (verb.name == "watch") {
    out += ".SH PROFILES\n";
    for (const mirror::Profile& p : mirror::profiles()) out += item(p.name, p.source);
  }
  if (verb.name == "check" || verb.name == "convert") {
    out += ".SH FORMATS\n";
    for (const FormatInfo& format : formats()) out += item(format.name, format.summary);
  }
  return out;
}

std::string verb_page(const VerbRow& verb, std::string_view version) {
  std::string out = heading(fmt::format("isolde-{}", verb.name), version);
  out += fmt::format(".SH NAME\nisolde\\-{0} \\- {1}\n.SH SYNOPSIS\n.B isolde {0}\n{2}[options]\n", troff(verb.name),
                     troff(verb.summary), verb.arguments.empty() ? std::string() : troff(verb.arguments) + " ");
  if (!verb.details.empty()) out += fmt::format(".SH DESCRIPTION\n{}\n", troff(shown_details(verb)));
  out += options_section(verb) + lists_section(verb);
  if (!verb.example.empty()) out += ".SH EXAMPLES\n" + as_typed(verb.example);
  return out + ".SH SEE ALSO\n.BR isolde (1)\n";
}

std::string main_page(std::string_view version) {
  std::string out = heading("isolde", version);
  out +=
      ".SH NAME\nisolde \\- checks whether a database kept the isolation it promised\n.SH SYNOPSIS\n.B isolde\nVERB "
      "[options]\n.SH DESCRIPTION\nRecord what clients asked and what they saw; the answer is a verdict at an "
      "isolation "
      "level: satisfied, violated or undecided.\n.SH VERBS\n";
  std::string pages;
  for (const VerbRow& verb : verbs()) {
    if (verb.planned) continue;
    out += item(fmt::format("{} {}", verb.name, verb.arguments), verb.summary);
    pages += fmt::format("{}.BR isolde\\-{} (1)", pages.empty() ? "" : ",\n", troff(verb.name));
  }
  out +=
      ".SH EXIT STATUS\n.TP\n.B 0\nnothing wrong was found\n.TP\n.B 1\nviolated: an anomaly or a bug was "
      "found\n.TP\n.B "
      "2\nbad usage or bad input\n.TP\n.B 3\nundecided\n";
  out +=
      ".SH FILES\n.TP\n.B isolde.toml\noptions that the command line leaves out, in the working folder\n.SH "
      "ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours\n.TP\n.B COLUMNS\nthe width of the terminal\n";
  return out + ".SH EXAMPLES\n" + as_typed("isolde demo\nisolde check history.jsonl --level serializable") +
         ".SH SEE ALSO\n" + pages + "\n";
}

}  // namespace

std::string man_page(const VerbRow* verb, std::string_view version) {
  return verb == nullptr ? main_page(version) : verb_page(*verb, version);
}

}  // namespace isolde::cli
