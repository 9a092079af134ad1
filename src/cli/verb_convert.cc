#include <fmt/format.h>

#include <filesystem>

#include "cli/verbs.h"
#include "cli/write_history.h"
#include "format/segments.h"
#include "history/given_initial.h"
#include "report/json.h"
#include "report/report.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSegments = 99'999;

// A folder is replaced as a whole, so one that holds something is left alone.
std::string why_not_written(const FormatInfo& format, const std::string& out) {
  if (is_standard_output(out)) return {};
  std::error_code error;
  const bool exists = fs::exists(out, error);
  if (!exists) return {};
  if (!format.is_folder)
    return fs::is_directory(out, error) ? fmt::format("is a folder; format {} is a file", format.name) : "";
  if (!fs::is_directory(out, error)) return fmt::format("is a file; format {} is a folder", format.name);
  return fs::is_empty(out, error) ? "" : "is a folder that is not empty: choose another one or remove it first";
}

void print_converted(const Arguments& args, const Loaded& in, const FormatInfo& to, const std::string& out,
                     const WriteResult& written) {
  const History& h = in.history;
  const std::string decisive = decisive_losses(h, to);
  if (args.has("json")) {
    print_beside(out, JsonObject()
                              .text("in", args.positional[0])
                              .text("from", in.format->name)
                              .text("out", out)
                              .text("to", to.name)
                              .number("transactions", written.transactions)
                              .number("operations", written.operations)
                              .raw("lost", json_list(written.lost, json_string))
                              .truth("lossy", !decisive.empty())
                              .done() +
                          "\n");
    return;
  }
  if (args.has("quiet")) return;
  const auto of = [](std::uint64_t part, std::uint64_t whole) {
    return part == whole ? grouped(part) : fmt::format("{} of {}", grouped(part), grouped(whole));
  };
  const std::string from = input_shown(args.positional[0]);
  const std::string target = is_standard_output(out) ? "standard output" : out;
  std::string text =
      fmt::format("{} ({}) -> {} ({}): {} transactions, {} operations\n", from, in.format->name, target, to.name,
                  of(written.transactions, h.txn_count()), of(written.operations, h.op_count()));
  for (const std::string& note : in.notes) text += fmt::format("  note: {}\n", note);
  for (const std::string& what : written.lost) text += fmt::format("  lost: {}\n", what);
  if (!decisive.empty())
    text += fmt::format("  note: a verdict on {} may differ from one on {}: {} left out\n", target, from, decisive);
  print_beside(out, text);
}

Exit write_parts(const Arguments& args, const Loaded& in, const std::string& out, std::size_t parts) {
  const auto written = save_segments(in.history, out, parts);
  if (!written) return print_error(written.error()), Exit::kBadInput;
  print_converted(args, in, kSegmentsFormat, out, {{}, written->transactions, written->operations});
  return Exit::kFine;
}

}  // namespace

Exit run_convert(const Arguments& args) {
  const std::string in = input_path(args.positional[0]);
  const std::string& out = args.positional[1];
  const FormatInfo* from = nullptr;
  if (args.has("format")) {
    auto named = format_by_name(args.text("format"));
    if (!named) return print_error(named.error()), Exit::kBadInput;
    from = *named;
  }
  const auto parts = args.count("segments", 0, 1, kMostSegments);
  if (!parts) return print_error(parts.error()), Exit::kBadInput;
  if (*parts > 0 && args.has("to")) return print_error("--segments writes .isl files; leave --to out"), Exit::kBadInput;
  if (*parts > 0 && is_standard_output(out))
    return print_error("--segments writes a folder: it cannot go to standard output"), Exit::kBadInput;
  auto to = *parts > 0 ? Result<const FormatInfo*>(&kSegmentsFormat) : output_format(args, out);
  if (!to) return print_error(to.error()), Exit::kBadInput;
  if (const std::string why = why_not_written(**to, out); !why.empty())
    return print_error(Error{why, out}), Exit::kBadInput;

  ReadOptions options{.lenient = args.has("lenient")};
  if (args.has("initial")) {
    if (auto wrong = wrong_initial(args.text("initial"))) return print_error(*wrong), Exit::kBadInput;
    options.initial = args.text("initial");
  }
  const auto timeout = args.seconds("timeout");
  if (!timeout) return print_error(timeout.error()), Exit::kBadInput;
  if (*timeout) options.limits.deadline = seconds_from_now(**timeout);
  TerminalProgress progress("convert", args.has("quiet"));
  options.progress = &progress;
  auto loaded = load(in, from, options);
  progress.clear();
  if (!loaded) return print_error(loaded.error()), exit_of(loaded.error());
  if (*parts > 0) return write_parts(args, *loaded, out, *parts);
  const Losses losses = args.has("lossy") ? Losses::kAccept : Losses::kRefuse;
  auto written = write_to(out, loaded->history, **to, losses);
  if (!written) {
    Error error = std::move(written).error();
    if (losses == Losses::kRefuse && !decisive_losses(loaded->history, **to).empty())
      error.text += "; --lossy leaves it out";
    return print_error(error), Exit::kBadInput;
  }
  print_converted(args, *loaded, **to, out, *written);
  return Exit::kFine;
}

}  // namespace isolde::cli
