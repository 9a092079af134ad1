#include <fmt/format.h>

#include "cli/cluster_name.h"
#include "cli/cluster_sending.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "cluster/trace_sender.h"
#include "report/words.h"
#include "stream/input.h"

namespace isolde::cli {
namespace {

Result<void> send_source(const Arguments& args, const std::string& path, cluster::TraceSender& sender) {
  const auto stop = [] { return interrupted.load(); };
  stream::InputOptions options;
  options.lenient = args.has("lenient");
  if (path == "-") {
    auto input = stream::open_standard_input(options);
    if (!input) return std::move(input).error();
    return send_lines(**input, sender, true, stop);
  }
  auto source = open_source(path);
  if (!source) return std::move(source).error();
  const FormatInfo* const format = recognise(*source);
  if (format != nullptr && format->opens_again) {  // a recording, which may still grow
    auto input = stream::follow_recording(path, {}, options);
    if (!input) return std::move(input).error();
    return send_lines(**input, sender, true, stop);
  }
  if (args.has("follow") || (format != nullptr && format->name == "native")) {
    auto input = stream::open_file(path, args.has("follow"), options);
    if (!input) return std::move(input).error();
    return send_lines(**input, sender, args.has("follow"), stop);
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
  auto producer = open_producer(*address, name, [] { return interrupted.load(); });
  if (!producer) return print_error(producer.error()), Exit::kBadInput;
  cluster::TraceSender* const sender = producer->sender.get();
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
