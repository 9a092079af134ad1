#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "cli/interrupt.h"
#include "cli/live_run.h"
#include "cli/live_server.h"
#include "cli/verbs.h"
#include "cli/watch_cluster.h"
#include "cli/watch_page.h"
#include "cli/watch_plan.h"
#include "cli/watch_token.h"
#include "cli/watch_view.h"
#include "cluster/address.h"
#include "report/page/page.h"
#include "stream/input.h"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

// Set by ctrl-C or a request to end. A second one ends the process as usual.
struct WatchedSource {
  enum class Kind : std::uint8_t { kFile, kStandardInput, kSocket, kRecording } kind = Kind::kStandardInput;
  std::string path;
  bool follow = false;
  stream::ListenOptions listen;

  // As the verdict's subject, and as what a checkpoint knows it by.
  [[nodiscard]] std::string shown() const {
    if (kind == Kind::kSocket) return listen.address;
    return kind == Kind::kStandardInput ? std::string(kStandardInputShown) : path;
  }
  [[nodiscard]] std::string fixed() const {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    switch (kind) {
      case Kind::kFile:
        return "file " + whole.lexically_normal().string();
      case Kind::kRecording:
        return "recording " + whole.lexically_normal().string();
      case Kind::kSocket:
        return listen.address;
      case Kind::kStandardInput:
        break;
    }
    return "standard input";
  }
};

Result<WatchedSource> source_of(const Arguments& args) {
  WatchedSource source;
  source.follow = args.has("follow");
  if (args.has("listen")) {
    if (!args.positional.empty()) return Error{"--listen and a FILE are two streams: use only one of them"};
    source.kind = WatchedSource::Kind::kSocket;
    source.listen.address = args.text("listen");
    auto most = args.count("connections", source.listen.max_connections, 1, 65'536);
    if (!most) return std::move(most).error();
    source.listen.max_connections = *most;
    return source;
  }
  for (const char* option : {"token-file", "connections"}) {
    if (args.has(option)) return Error{fmt::format("--{} requires --listen", option)};
  }
  if (args.positional.empty() || args.positional.front() == kStandardInput) {
    if (args.positional.empty() && isatty(STDIN_FILENO) == 1)
      return Error{"which stream? Name a FILE, - for standard input, or use --listen (isolde watch --help)"};
    return source;
  }
  source.path = args.positional.front();
  std::error_code error;
  source.kind = fs::is_directory(source.path, error) ? WatchedSource::Kind::kRecording : WatchedSource::Kind::kFile;
  return source;
}

Result<std::unique_ptr<stream::Input>> open_watched_source(const WatchedSource& source, stream::InputOptions options) {
  switch (source.kind) {
    case WatchedSource::Kind::kFile:
      return stream::open_file(source.path, source.follow, std::move(options));
    case WatchedSource::Kind::kRecording:
      return stream::follow_recording(source.path, {}, std::move(options));
    case WatchedSource::Kind::kSocket:
      return stream::listen_on(source.listen, std::move(options));
    case WatchedSource::Kind::kStandardInput:
      break;
  }
  return stream::open_standard_input(std::move(options));
}

// `html`: where a page of it goes; empty: nowhere.
// `server`: where its page can be followed; null: nowhere.
Exit watch_source(WatchPlan& plan, const WatchedSource& source, WatchStyle style, stream::WatchOptions options,
                  const std::string& html, LiveServer* server) {
  const std::string subject =
      source.path.empty() ? style.subject : fs::path(source.path).lexically_normal().filename().string();
  stream::CheckpointFolder* const checkpoint = options.checkpoint;
  stream::InputOptions input_options;
  input_options.lenient = plan.lenient;
  input_options.max_held = std::min(input_options.max_held, plan.memory / 8);
  input_options.max_line = std::min(input_options.max_line, input_options.max_held / 2);
  if (checkpoint != nullptr) {
    style.record = checkpoint->violations();
    input_options.spool_folder = checkpoint->spool();
    if (const auto& earlier = checkpoint->earlier()) {
      take_earlier(plan, earlier->settings);
      input_options.resume = earlier->position;
    }
  }
  auto input = open_watched_source(source, std::move(input_options));
  if (!input) return print_error(input.error()), Exit::kBadInput;

  Chosen chosen;
  TerminalView view(std::move(style), chosen);
  PageView page(view);
  if (server != nullptr) page.serve(*server, {.name = subject}, chosen);
  const FinishWhenAsked when_asked;
  options.interrupted = &interrupted;
  const auto summary = stream::watch(**input, checker_of(plan, chosen), page, options);
  view.clear();
  if (!summary) return print_error(summary.error()), Exit::kBadInput;
  view.summary(*summary);
  const Exit exit = exit_of(summary->outcome);
  if (html.empty() && server == nullptr) return exit;
  std::string json = page.json({.name = subject}, chosen, *summary);
  const Exit written = html.empty() ? Exit::kFine : write_whole_file(html, html_page(json));
  if (server != nullptr) {
    server->set_metrics("watch", watch_metrics(summary->counts, resident_mib()));
    server->set_page(std::move(json));
    server->end();
  }
  return worse(exit, written);
}

}  // namespace

Exit run_watch(const Arguments& args) {
  if (!args.positional.empty() && cluster::is_cluster_address(args.positional.front())) return run_watch_cluster(args);
  for (const char* option : {"worker", "workers", "partitions", "producers", "lease", "stream-size", "name"}) {
    if (args.has(option)) {
      print_error(fmt::format("--{} is for a cluster: isolde watch nats://HOST/STREAM (docs/cluster.md)", option));
      return Exit::kBadInput;
    }
  }
  auto plan = watch_plan(args);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  if (args.has("level")) {
    auto level = level_by_name(args.text("level"));
    if (!level) return print_error(level.error()), Exit::kBadInput;
    plan->level = *level;
  }
  auto source = source_of(args);
  if (!source) return print_error(source.error()), Exit::kBadInput;
  plan->input = source->fixed();
  plan->whole = source->kind == WatchedSource::Kind::kFile && !source->follow;
  // A recording tells its sessions before they begin; elsewhere one may appear at any moment.
  constexpr double kHold = 1;
  if (!args.has("hold") && source->kind != WatchedSource::Kind::kRecording) plan->hold = kHold;

  WatchStyle style;
  style.json = args.has("json");
  style.quiet = args.has("quiet");
  style.colour = output_colour();
  style.subject = source->shown();
  style.confirm = source->path;
  auto shown = args.count("max-anomalies", style.shown);
  if (!shown) return print_error(shown.error()), Exit::kBadInput;
  style.shown = *shown;

  stream::WatchOptions options;
  const auto every = args.seconds("checkpoint-every");
  if (!every) return print_error(every.error()), Exit::kBadInput;
  options.checkpoint_seconds = every->value_or(options.checkpoint_seconds);
  const auto timeout = args.seconds("timeout");
  if (!timeout) return print_error(timeout.error()), Exit::kBadInput;
  options.seconds = timeout->value_or(0);
  std::optional<stream::CheckpointFolder> checkpoint;
  if (args.has("checkpoint")) {
    auto opened = stream::CheckpointFolder::open(args.text("checkpoint"));
    if (!opened) return print_error(opened.error()), Exit::kBadInput;
    checkpoint.emplace(*std::move(opened));
    options.checkpoint = &*checkpoint;
  }
  if (source->kind == WatchedSource::Kind::kSocket) {
    auto token = watch_token(args, source->listen.address, checkpoint ? checkpoint->path() : "");
    if (!token) return print_error(token.error()), Exit::kBadInput;
    if (token->is_ours && !token->kept_in.empty())
      print_error(fmt::format("each connection must start with the token in {}", token->kept_in));
    else if (token->is_ours)
      print_error(fmt::format("each connection must start with {{\"token\": \"{}\"}}", token->token));
    source->listen.token = std::move(token->token);
  }
  const auto server = LiveServer::from(args);
  if (!server) return print_error(server.error()), Exit::kBadInput;
  return watch_source(*plan, *source, std::move(style), options, args.text("html"), server->get());
}

}  // namespace isolde::cli
