#include <fmt/format.h>

#include <sstream>

#include "base/text.h"
#include "cli/verbs.h"
#include "cli/write_history.h"
#include "format/native.h"
#include "gen/generate.h"
#include "gen/plants.h"
#include "report/json.h"
#include "report/report.h"

namespace isolde::cli {
namespace {

constexpr std::uint64_t kMost32 = UINT32_MAX;

// Sets `to` from a whole-number option; the error, if it is not one.
template <typename T>
std::optional<Error> take(const Arguments& args, std::string_view option, std::uint64_t least, T& to) {
  auto value = args.count(option, to, least, sizeof(T) == 4 ? kMost32 : UINT64_MAX);
  if (!value) return std::move(value).error();
  to = static_cast<T>(*value);
  return std::nullopt;
}

std::optional<Error> take_share(const Arguments& args, std::string_view option, double& to) {
  auto value = args.share(option, to);
  if (!value) return std::move(value).error();
  to = *value;
  return std::nullopt;
}

std::optional<Error> take_words(const Arguments& args, GenOptions& o) {
  if (args.has("level")) {
    auto level = level_by_name(args.text("level"));
    if (!level) return std::move(level).error();
    o.level = *level;
  }
  if (args.has("distribution")) {
    const auto named = distribution_named(args.text("distribution"));
    if (!named)
      return Error{fmt::format("--distribution takes uniform, zipf or hotspot, not \"{}\"", args.text("distribution"))};
    o.distribution = *named;
  }
  if (args.has("type")) {
    const auto named = data_type_named(args.text("type"));
    if (!named) return Error{fmt::format("--type takes register, list or row, not \"{}\"", args.text("type"))};
    o.type = *named;
  }
  if (args.has("evidence")) {
    auto evidence = parse_evidence(args.text("evidence"));
    if (!evidence) return std::move(evidence).error();
    o.evidence = *evidence;
  }
  if (args.has("plant")) {
    std::stringstream list(args.text("plant"));
    for (std::string one; std::getline(list, one, ',');) {
      auto plant = parse_plant(one);
      if (!plant) return std::move(plant).error();
      o.plants.push_back(*plant);
    }
  }
  return std::nullopt;
}

Result<GenOptions> gen_options(const Arguments& args) {
  GenOptions o;
  if (auto e = take(args, "transactions", 1, o.transactions)) return *e;
  if (auto e = take(args, "sessions", 1, o.sessions)) return *e;
  if (auto e = take(args, "ops", 1, o.ops)) return *e;
  if (auto e = take(args, "keys", 1, o.keys)) return *e;
  if (auto e = take(args, "seed", 0, o.seed)) return *e;
  if (auto e = take(args, "max-list", 1, o.max_list)) return *e;
  o.repeated_values = args.has("repeated");
  o.shuffled = args.has("shuffle");
  if (auto e = take_share(args, "rmw", o.rmw_share)) return *e;
  o.read_share = (1 - o.rmw_share) / 2;
  if (auto e = take_share(args, "reads", o.read_share)) return *e;
  if (auto e = take_share(args, "spread", o.spread)) return *e;
  std::uint64_t overlap = 3;
  if (auto e = take(args, "overlap", 1, overlap)) return *e;
  o.overlap = static_cast<double>(overlap);
  if (auto e = take_share(args, "predicates", o.predicate_share)) return *e;
  if (auto e = take_share(args, "selectivity", o.selectivity)) return *e;
  if (auto e = take_share(args, "aborted", o.abort_share)) return *e;
  if (auto e = take_share(args, "unknown", o.unknown_share)) return *e;
  if (auto e = take_words(args, o)) return *e;
  if (o.type != DataType::kRow) {
    for (const char* option : {"predicates", "selectivity"}) {
      if (args.has(option)) return Error{fmt::format("--{} requires --type row", option)};
    }
  }
  if (auto e = defect_of(o)) return *e;
  return o;
}

std::string planted_text(const Generated& g) {
  std::string out;
  for (const PlantInfo& plant : all_plants()) {
    std::uint64_t groups = 0;
    const PlantedGroup* first = nullptr;
    for (const PlantedGroup& group : g.planted) {
      if (group.kind != plant.kind) continue;
      if (groups++ == 0) first = &group;
    }
    if (groups == 0) continue;
    const std::string who = joined(first->transactions, [&](TxnId t) { return "T" + g.history.txn_text(t); });
    out += fmt::format("  planted {} {} time{} (the first: {})\n", plant.name, grouped(groups), groups == 1 ? "" : "s",
                       who);
  }
  return out;
}

std::string planted_json(const Generated& g) {
  return json_list(g.planted, [&](const PlantedGroup& group) {
    return JsonObject()
        .text("name", info(group.kind).name)
        .raw("transactions", json_list(group.transactions, [&](TxnId t) { return g.history.txn_text(t); }))
        .done();
  });
}

void print_generated(const Arguments& args, const GenOptions& o, const Generated& g, const FormatInfo& format,
                     double seconds) {
  const std::string out = args.text("out");
  const History& h = g.history;
  if (args.has("json")) {
    print_beside(out, JsonObject()
                              .text("file", out)
                              .text("format", format.name)
                              .number("seed", o.seed)
                              .text("level", info(o.level).name)
                              .number("transactions", h.txn_count())
                              .number("operations", h.op_count())
                              .raw("planted", planted_json(g))
                              .done() +
                          "\n");
    return;
  }
  if (args.has("quiet")) return;
  std::string text = fmt::format(
      "{} ({}): {} transactions, {} operations, {} keys, {} sessions, {}, seed {}, {:.2f} s\n",
      is_standard_output(out) ? "standard output" : out, format.name, grouped(h.txn_count()), grouped(h.op_count()),
      grouped(h.key_count()), grouped(h.session_count()), info(o.level).name, o.seed, seconds);
  text += planted_text(g);
  for (const std::string& note : g.notes) text += fmt::format("  note: {}\n", note);
  print_beside(out, text);
}

}  // namespace

Exit run_gen(const Arguments& args) {
  if (!args.has("out")) {
    print_error("`isolde gen` needs --out FILE (isolde gen --help)");
    return Exit::kBadInput;
  }
  const std::string out = args.text("out");
  const FormatInfo* const format = is_standard_output(out) ? &kNativeFormat : format_for_path(out);
  if (format == nullptr || format->write == nullptr || format->is_folder) {
    print_error(fmt::format("the name {} does not show the format: use the ending .jsonl or .isl", out));
    return Exit::kBadInput;
  }
  const auto options = gen_options(args);
  if (!options) return print_error(options.error()), Exit::kBadInput;
  const Stopwatch watch;
  TerminalProgress progress("gen", args.has("quiet"));
  const auto generated = generate(*options, &progress);
  progress.clear();
  if (!generated) return print_error(generated.error()), Exit::kBadInput;
  if (const auto written = write_to(out, generated->history, *format); !written) {
    Error error = written.error();
    if (!carries_everything(format->writer)) error.text += "; or leave out evidence with --evidence";
    return print_error(error), Exit::kBadInput;
  }
  print_generated(args, *options, *generated, *format, watch.seconds());
  return Exit::kFine;
}

}  // namespace isolde::cli
