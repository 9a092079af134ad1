#include "cli/ci_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/printable.h"
#include "report/report.h"
#include "report/words.h"
#include "report/xml.h"

namespace isolde::cli {
namespace {

using Kind = CiCase::Result;

// GitHub takes a summary of at most 1 MiB from a step, and one annotation shows a few lines.
constexpr std::size_t kLongestDetails = 20'000, kLongestSummary = 900'000, kLongestMessage = 2000;

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::kPassed:
      return "passed";
    case Kind::kKnown:
      return "known";
    case Kind::kViolated:
      return "violated";
    case Kind::kUndecided:
      return "undecided";
    case Kind::kBadInput:
      return "bad input";
  }
  return "";
}

std::string_view sign_of(Kind kind) {
  switch (kind) {
    case Kind::kPassed:
      return "✅";
    case Kind::kKnown:
      return "☑️";
    case Kind::kViolated:
      return "❌";
    case Kind::kUndecided:
      return "❓";
    case Kind::kBadInput:
      return "⚠️";
  }
  return "";
}

std::size_t how_many(std::span<const CiCase> cases, Kind kind) {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [&](const CiCase& c) { return c.result == kind; }));
}

std::string attribute(std::string_view text) { return xml_escaped(printable_line(text)); }

std::string element(std::string_view name, std::string_view type, const CiCase& c) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", name, type, attribute(c.message),
                     xml_escaped(printable(c.details)));
}

std::string body_of(const CiCase& c) {
  switch (c.result) {
    case Kind::kPassed:
      return {};
    case Kind::kKnown:
      return fmt::format("      <system-out>{}</system-out>\n", xml_escaped(printable(c.message + "\n" + c.details)));
    case Kind::kViolated:
      return element("failure", "violated", c);
    case Kind::kUndecided:
      return element("error", "undecided", c);
    case Kind::kBadInput:
      return element("error", "bad input", c);
  }
  return {};
}

// What a workflow command reads as its own is escaped as GitHub's toolkit does.
std::string command_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text)) {
    const bool escaped = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += escaped ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(const CiCase& c) {
  std::string properties =
      fmt::format("title={}", command_text(fmt::format("isolde: {} {}", c.name, word_of(c.result)), true));
  if (c.result == Kind::kBadInput && !c.place.file.empty()) {
    properties += fmt::format(",file={}", command_text(c.place.file, true));
    if (c.place.line > 0) properties += fmt::format(",line={}", c.place.line);
    if (c.place.column > 0) properties += fmt::format(",col={}", c.place.column);
  }
  const std::string_view command = c.result == Kind::kKnown       ? "notice"
                                   : c.result == Kind::kUndecided ? "warning"
                                                                  : "error";
  return fmt::format("::{} {}::{}\n", command, properties,
                     command_text(words::shortened(c.message, kLongestMessage), false));
}

// Inside a table cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    if (std::string_view("\\|`*_<>[]&#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string details_of(const CiCase& c) {
  const std::string text = words::shortened(printable(c.details), kLongestDetails);
  std::size_t run = 0, longest = 2;
  for (const char one : text) {
    run = one == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("\n<details><summary>{}</summary>\n\n{}text\n{}{}{}\n\n</details>\n",
                     xml_escaped(printable_line(fmt::format("{} {}", c.name, c.message))), fence, text,
                     text.ends_with('\n') ? "" : "\n", fence);
}

}  // namespace

std::string junit_xml(std::string_view suite, std::span<const CiCase> cases) {
  double seconds = 0;
  for (const CiCase& c : cases) seconds += c.seconds;
  const std::string numbers = fmt::format(
      "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3f}\"", cases.size(),
      how_many(cases, Kind::kViolated), how_many(cases, Kind::kUndecided) + how_many(cases, Kind::kBadInput), seconds);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"isolde\" {1}>\n  <testsuite name=\"{0}\" {1}>\n",
      attribute(suite), numbers);
  for (const CiCase& c : cases) {
    const std::string body = body_of(c);
    const std::string in_class = c.level.empty() ? std::string(suite) : fmt::format("{} {}", suite, c.level);
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", attribute(in_class),
                       attribute(c.name), c.seconds);
    out += body.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", body);
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string github_annotations(std::span<const CiCase> cases) {
  std::string out;
  for (const CiCase& c : cases) {
    if (c.result != Kind::kPassed) out += annotation(c);
  }
  return out;
}

std::string github_summary(std::string_view suite, std::span<const CiCase> cases) {
  std::string out = fmt::format("### {}: {}", suite, words::counted(cases.size(), "input"));
  for (const Kind kind : {Kind::kPassed, Kind::kKnown, Kind::kViolated, Kind::kUndecided, Kind::kBadInput}) {
    if (const std::size_t n = how_many(cases, kind); n > 0) out += fmt::format(", {} {}", n, word_of(kind));
  }
  out += "\n\n| | input | level | result | seconds |\n| --- | --- | --- | --- | ---: |\n";
  std::size_t left_out = 0;
  for (const CiCase& c : cases) {
    std::string line = fmt::format("| {} | {} | {} | {} | {:.2f} |\n", sign_of(c.result), cell(c.name), cell(c.level),
                                   cell(c.message), c.seconds);
    if (out.size() + line.size() > kLongestSummary / 2)
      ++left_out;
    else
      out += line;
  }
  for (const CiCase& c : cases) {
    if (c.details.empty() || c.result == Kind::kPassed) continue;
    std::string details = details_of(c);
    if (out.size() + details.size() > kLongestSummary)
      ++left_out;
    else
      out += details;
  }
  if (left_out > 0) out += fmt::format("\n… {} left out\n", words::counted(left_out, "part"));
  return out + "\n";
}

CiResults::CiResults(std::string_view verb, const Arguments& args)
    : suite_(fmt::format("isolde {}", verb)), junit_(args.text("junit")) {
  const char* const actions = std::getenv("GITHUB_ACTIONS");
  github_ = args.has("github") && actions != nullptr && std::string_view(actions) == "true";
}

Exit CiResults::write() const {
  Exit exit = Exit::kFine;
  if (!junit_.empty()) exit = worse(exit, write_whole_file(junit_, junit_xml(suite_, cases_)));
  if (!github_) return exit;
  print_to_errors(github_annotations(cases_));
  const char* const path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0') return exit;
  std::ofstream summary(path, std::ios::binary | std::ios::app);
  summary << github_summary(suite_, cases_);
  summary.close();
  if (summary) return exit;
  print_error(Error{"cannot write the step summary", path});
  return Exit::kBadInput;
}

}  // namespace isolde::cli
