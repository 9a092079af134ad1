#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include "cli/cluster_name.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "cluster/nats_broker.h"
#include "cluster/trace_sender.h"
#include "report/words.h"
#include "stream/input.h"

namespace isolde::cli {
namespace {

constexpr std::chrono::milliseconds kBeatEvery{1000};
constexpr std::chrono::milliseconds kTakeWait{100};

// Lines that arrive: what came so far is sent at least once a second, followed by a beat.
Result<void> send_lines(stream::Input& input, cluster::TraceSender& sender, bool lives) {
  auto beat = std::chrono::steady_clock::now();
  while (true) {
    if (interrupted) input.stop();
    auto next = input.next(kTakeWait);
    if (!next) return std::move(next).error();
    if (next->piece) {
      if (auto sent = sender.send(*next->piece->chunk); !sent) return sent;
    }
    if (next->over) return {};
    if (!lives || std::chrono::steady_clock::now() - beat < kBeatEvery) continue;
    beat = std::chrono::steady_clock::now();
    if (auto sent = sender.flush(); !sent) return sent;
    if (auto sent = sender.beat(); !sent) return sent;
  }
}

Result<void> send_source(const Arguments& args, const std::string& path, cluster::TraceSender& sender) {
  stream::InputOptions options;
  options.lenient = args.has("lenient");
  if (path == kStandardInput) {
    auto input = stream::open_standard_input(options);
    if (!input) return std::move(input).error();
    return send_lines(**input, sender, true);
  }
  auto source = open_source(path);
  if (!source) return std::move(source).error();
  const FormatInfo* const format = recognise(*source);
  if (format != nullptr && format->opens_again) {  // a recording, which may still grow
    auto input = stream::follow_recording(path, {}, options);
    if (!input) return std::move(input).error();
    return send_lines(**input, sender, true);
  }
  if (args.has("follow") || (format != nullptr && format->name == "native")) {
    auto input = stream::open_file(path, args.has("follow"), options);
    if (!input) return std::move(input).error();
    return send_lines(**input, sender, args.has("follow"));
  }
  auto loaded = load(path, format, {});
  if (!loaded) return std::move(loaded).error();
  Chunk chunk(std::move(loaded->history));
  chunk.has_header = true;
  return sender.send(chunk);
}

}  // namespace

Exit run_send(const Arguments& args) {
  auto address = cluster::parse_address(args.positional[1]);
  if (!address) return print_error(address.error()), Exit::kBadInput;
  const std::string name = args.text("name", usual_cluster_name());
  const FinishWhenAsked when_asked;
  const Stopwatch watch;
  constexpr double kPatience = 15;  // seconds, for servers that are being started again
  auto broker = cluster::connect_to_nats(*address, "isolde send " + name,
                                         [&] { return interrupted || watch.seconds() > kPatience; });
  if (!broker) return print_error(broker.error()), Exit::kBadInput;
  const cluster::Names names(address->stream);
  auto plan = cluster::find_plan(**broker, names);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  cluster::SenderOptions options;
  options.wait = [](std::chrono::milliseconds wait) { std::this_thread::sleep_for(wait); };
  options.interrupted = [] { return interrupted.load(); };
  auto sender = cluster::TraceSender::open(**broker, names, *plan, name, options);
  if (!sender) return print_error(sender.error()), Exit::kBadInput;
  auto sent = send_source(args, args.positional[0], *sender);
  if (sent) sent = sender->finish();
  const cluster::SenderCounts& c = sender->counts();
  if (args.has("json")) {
    print(fmt::format(
        R"({{"event": "sent", "producer": "{}", "transactions": {}, "batches": {}, "skipped": {}, "bytes": {}, "sent_again": {}, "times_full": {}, "seconds": {:.3f}}})"
        "\n",
        name, c.transactions, c.batches, c.skipped, c.bytes, c.repeated, c.full, watch.seconds()));
  } else if (!args.has("quiet")) {
    print(fmt::format("{} to {} as {}: {}, {} batches ({} of them were there), {:.1f} MB, {:.1f} s\n",
                      args.positional[0], address->shown(), name, words::counted(c.transactions, "transaction"),
                      c.batches + c.skipped, c.skipped, static_cast<double>(c.bytes) / 1e6, watch.seconds()));
  }
  if (!sent) return print_error(sent.error()), Exit::kBadInput;
  return Exit::kFine;
}

}  // namespace isolde::cli
