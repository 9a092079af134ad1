#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "hunt/finding/finding_file.h"
#include "report/page/json_text.h"
#include "report/page/page.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

// run.jsonl -> run.html.
std::string default_out(const std::string& file) {
  fs::path path(file);
  if (!path.has_filename()) path = path.parent_path();
  return path.replace_extension(".html").string();
}

std::string beginning_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(64, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 30;

// As far as it is no longer than what is taken at all.
std::string first_line_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  char part[1 << 16];
  while (line.size() <= kLargest && (in.read(part, sizeof part) || in.gcount() > 0)) {
    const std::string_view got(part, static_cast<std::size_t>(in.gcount()));
    const std::size_t end = got.find('\n');
    line += got.substr(0, end);
    if (end != std::string_view::npos) break;
  }
  return line;
}

Exit write_page(const Arguments& args, const std::string& out, const std::string& json) {
  const Exit exit = write_whole_file(out, html_page(json));
  if (exit != Exit::kFine) return exit;
  if (args.has("json")) {
    print(fmt::format("{{\"page\": {}}}\n", json_string(out)));
  } else if (!args.has("quiet")) {
    print(fmt::format("report written to {}\n", out));
  }
  return exit;
}

// What was printed with --json; no value: it is something else.
std::optional<Exit> report_printed(const Arguments& args, const std::string& file, const std::string& out) {
  // A history may be large: its first line tells.
  const auto first = page_of_json(first_line_of_file(file), file);
  if (first && !*first) return std::nullopt;
  std::error_code ignored;
  if (fs::file_size(file, ignored) > kLargest)
    return print_error(Error{"is larger than 1 GiB, which is too large for --json output", file}), Exit::kBadInput;
  const auto text = read_whole_file(file);
  if (!text) return print_error(text.error()), Exit::kBadInput;
  const auto page = page_of_json(*text, file);
  if (!page) return print_error(page.error()), Exit::kBadInput;
  if (!*page) return std::nullopt;
  return write_page(args, out, **page);
}

Exit report_history(const Arguments& args, const std::string& file, const std::string& out) {
  const bool json = args.has("json");  // then it prints what `isolde check --json` prints
  std::vector<std::string> words = {file, json ? "--json" : "--quiet", "--html", out};
  for (const char* option : {"level", "format", "initial", "timeout", "threads"}) {
    if (args.has(option)) words.insert(words.end(), {fmt::format("--{}", option), args.text(option)});
  }
  auto check = parse(*verb_named("check"), std::move(words));
  if (!check) return print_error(check.error()), Exit::kBadInput;
  const Exit exit = run_check(*check);
  if (exit != Exit::kBadInput && !json && !args.has("quiet")) print(fmt::format("report written to {}\n", out));
  return exit;
}

}  // namespace

Exit run_report(const Arguments& args) {
  const std::string file = args.positional.front();
  if (file == kStandardInput && !args.has("out"))
    return print_error("a report on standard input needs --out OUT"), Exit::kBadInput;
  const std::string out = args.text("out", default_out(file));
  std::error_code ignored;
  if (fs::equivalent(file, out, ignored))
    return print_error(Error{"--out would overwrite the input", file}), Exit::kBadInput;
  if (file != kStandardInput && fs::is_regular_file(file, ignored)) {
    const std::string start = beginning_of(file);
    if (file.ends_with(".finding") || start.starts_with("finding ")) {
      const auto finding = hunt::read_finding(file);
      if (!finding) return print_error(finding.error()), Exit::kBadInput;
      return write_page(args, out, hunt_page(file, {}, std::span(&*finding, 1)));
    }
    if (start.starts_with('{')) {
      if (const auto exit = report_printed(args, file, out)) return *exit;
    }
  }
  return report_history(args, file, out);
}

}  // namespace isolde::cli
