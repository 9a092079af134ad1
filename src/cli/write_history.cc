#include "cli/write_history.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "format/isl.h"
#include "format/native.h"

namespace isolde::cli {
namespace {

constexpr std::string_view kStandardOutput = "-";

class StandardOutput : public Output {
 public:
  ByteSink& file(std::string_view) override { return sink_; }

 private:
  struct Sink : ByteSink {
    void write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }
  } sink_;
};

std::string format_names() {
  std::string names;
  for (const FormatInfo& format : formats()) {
    if (format.write != nullptr) names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  }
  return names;
}

}  // namespace

bool is_standard_output(const std::string& out) { return out == kStandardOutput; }

Result<const FormatInfo*> output_format(const Arguments& args, const std::string& out) {
  if (args.has("to")) return format_by_name(args.text("to"));
  if (is_standard_output(out)) return &kNativeFormat;
  if (const FormatInfo* format = format_for_path(out)) return format;
  return Error{fmt::format("the name {} does not show the format: use --to with one of {}", out, format_names())};
}

Result<WriteResult> write_to(const std::string& out, const History& history, const FormatInfo& format, Losses losses) {
  if (!is_standard_output(out)) return save(history, format, out, losses);
  if (format.is_folder)
    return Error{fmt::format("format {} is a folder: it cannot go to standard output", format.name)};
  if (format.name == kIslFormat.name && output_on_terminal())
    return Error{fmt::format("format {} is binary and is not written to a terminal", format.name)};
  StandardOutput output;
  return write_history(history, format, output, losses);
}

void print_beside(const std::string& out, std::string_view text) {
  is_standard_output(out) ? print_to_errors(text) : print(text);
}

}  // namespace isolde::cli
