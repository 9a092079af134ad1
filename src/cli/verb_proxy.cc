#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "cli/interrupt.h"
#include "cli/proxy_publish.h"
#include "cli/verbs.h"
#include "cli/which_database.h"
#include "db/product.h"
#include "proxy/capture/recorder.h"
#include "proxy/proxy.h"
#include "proxy/values/value_recorder.h"
#include "report/json.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::uint64_t kMostConnections = 1'000'000;
constexpr std::uint64_t kMostThreads = 256;

Result<proxy::ProxyOptions> proxy_options(const Arguments& args) {
  proxy::ProxyOptions options;
  options.listen = args.text("listen", "127.0.0.1:6543");
  options.allow_remote = args.has("allow-remote");
  options.certificate = args.text("cert");
  options.key = args.text("key");
  options.client_ca = args.text("client-ca");
  auto threads = args.count("threads", 1, 1, kMostThreads);
  if (!threads) return std::move(threads).error();
  auto connections = args.count("connections", options.connections, 1, kMostConnections);
  if (!connections) return std::move(connections).error();
  options.threads = *threads;
  options.connections = *connections;
  return options;
}

Result<db::Url> server_url(const Arguments& args) {
  if (!args.has("to")) return Error{"--to is missing: the server's URL, as in --to postgres://localhost/shop"};
  auto url = database_url(args, args.text("to"));
  if (url && !db::find_product(url->scheme)->speaks_postgres_protocol && !proxy::speaks_mysql(*url))
    return Error{
        fmt::format("--to {}: only servers that speak the protocol of PostgreSQL (postgres://…) or MariaDB "
                    "(mariadb://…) are understood",
                    url->shown())};
  return url;
}

std::string passed_json(const proxy::Counts& c, double seconds) {
  std::string out = fmt::format(
      R"({{"event": "summary", "connections": {}, "refused": {}, "unreachable": {}, "statements": {}, "transactions": {}, "bytes": {}, "unreadable": {{)",
      c.connections, c.refused, c.unreachable, c.statements, c.transactions, c.bytes);
  bool first = true;
  for (std::size_t i = 1; i < c.unreadable.size(); ++i) {
    if (c.unreadable[i] == 0) continue;
    out += fmt::format("{}{}: {}", first ? "" : ", ", json_string(proxy::words(static_cast<proxy::Unreadable>(i))),
                       c.unreadable[i]);
    first = false;
  }
  return out + fmt::format("}}, \"seconds\": {:.3f}}}\n", seconds);
}

std::string passed_text(const proxy::Counts& c, double seconds) {
  std::string out = fmt::format("{}, {}, {}, {:.1f} MB in {:.1f} s\n", words::counted(c.connections, "connection"),
                                words::counted(c.transactions, "transaction"),
                                words::counted(c.statements, "statement"), static_cast<double>(c.bytes) / 1e6, seconds);
  if (c.refused > 0) out += fmt::format("refused: {}\n", words::counted(c.refused, "connection"));
  if (c.unreachable > 0)
    out += fmt::format("the server could not be reached for {}\n", words::counted(c.unreachable, "connection"));
  for (std::size_t i = 1; i < c.unreadable.size(); ++i) {
    if (c.unreadable[i] == 0) continue;
    out += fmt::format("passed on without being read: {}, because of {}\n",
                       words::counted(c.unreadable[i], "connection"), proxy::words(static_cast<proxy::Unreadable>(i)));
  }
  return out;
}

std::vector<std::string> named_tables(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

std::string recorded_json(const proxy::capture::Recorded& r, const std::string& path) {
  std::string out =
      fmt::format(R"({{"event": "recorded", "out": {}, "transactions": {}, "statements": {}, "left_out": {{)",
                  json_string(path), r.transactions, r.statements);
  bool first = true;
  for (const auto& [why, count] : r.left_out) {
    out += fmt::format("{}{}: {}", first ? "" : ", ", json_string(why), count);
    first = false;
  }
  out += "}, \"levels\": {";
  first = true;
  for (const auto& [level, count] : r.levels) {
    out += fmt::format("{}{}: {}", first ? "" : ", ", json_string(level), count);
    first = false;
  }
  out += "}, \"notes\": [";
  for (std::size_t i = 0; i < r.notes.size(); ++i) out += (i == 0 ? "" : ", ") + json_string(r.notes[i]);
  return out + "]}\n";
}

std::string recorded_text(const proxy::capture::Recorded& r, const std::string& path) {
  std::string out =
      fmt::format("{}: {} that touched rows, {} whose rows are known\n", path,
                  words::counted(r.transactions, "transaction"), words::counted(r.statements, "statement"));
  for (const auto& [level, count] : r.levels)
    out += fmt::format("{} at {}\n", words::counted(count, "transaction"), level);
  for (const auto& [why, count] : r.left_out) out += fmt::format("not judged: {} because of {}\n", count, why);
  for (const std::string& note : r.notes) out += "note: " + note + "\n";
  return out;
}

Result<std::unique_ptr<proxy::capture::AnyRecorder>> begin_recording(const db::Url& url,
                                                                     const proxy::capture::RecorderOptions& options) {
  if (proxy::speaks_mysql(url)) {
    if (options.sample < 1)
      return Error{"--sample is for PostgreSQL: by values, what is not recorded may have written anything"};
    if (!options.sql_log.empty()) return Error{"--audit is for PostgreSQL: MariaDB's general_log is what audit reads"};
    return proxy::values::ValueRecorder::begin(url, options);
  }
  auto begun = proxy::capture::Recorder::begin(url, options);
  if (!begun) return std::move(begun).error();
  return std::unique_ptr<proxy::capture::AnyRecorder>(*std::move(begun));
}

Exit finish_recording(proxy::capture::AnyRecorder& recorder, const Arguments& args) {
  auto recorded = recorder.finish();
  if (!recorded) return print_error(recorded.error()), Exit::kBadInput;
  if (args.has("json")) {
    print(recorded_json(*recorded, args.text("out")));
  } else if (!args.has("quiet")) {
    print(recorded_text(*recorded, args.text("out")));
  }
  return Exit::kFine;
}

Exit publish_recording(ProxyPublisher& publisher, const Arguments& args) {
  const auto sent = publisher.publish(args.text("out"));
  if (!sent) {
    print_error(sent.error());
    print_error(fmt::format("what was recorded is in {}: isolde send {} STREAM", args.text("out"), args.text("out")));
    return Exit::kBadInput;
  }
  if (args.has("json")) {
    print(fmt::format(R"({{"event": "published", "transactions": {}, "batches": {}, "bytes": {}}})"
                      "\n",
                      sent->transactions, sent->batches, sent->bytes));
  } else if (!args.has("quiet")) {
    print(fmt::format("published: {}, {:.1f} MB\n", words::counted(sent->transactions, "transaction"),
                      static_cast<double>(sent->bytes) / 1e6));
  }
  return Exit::kFine;
}

}  // namespace

Exit run_proxy(const Arguments& args) {
  auto options = proxy_options(args);
  if (!options) return print_error(options.error()), Exit::kBadInput;
  auto url = server_url(args);
  if (!url) return print_error(url.error()), Exit::kBadInput;
  std::signal(SIGPIPE, SIG_IGN);
  const FinishWhenAsked when_asked;
  auto publisher = ProxyPublisher::open(args);
  if (!publisher) return print_error(publisher.error()), Exit::kBadInput;
  std::unique_ptr<proxy::capture::AnyRecorder> recorder;
  if (args.has("audit") && !args.has("out")) {
    print_error("--audit needs --out: statements are logged while they are recorded");
    return Exit::kBadInput;
  }
  if (args.has("out")) {
    auto sample = args.count("sample", 100, 1, 100);
    if (!sample) return print_error(sample.error()), Exit::kBadInput;
    const proxy::capture::RecorderOptions recording{.path = args.text("out"),
                                                    .loops = options->threads,
                                                    .sql_log = args.text("audit"),
                                                    .tables = named_tables(args.text("tables")),
                                                    .sample = static_cast<double>(*sample) / 100,
                                                    .hash_values = args.has("hash-values")};
    auto begun = begin_recording(*url, recording);
    if (!begun) return print_error(begun.error()), Exit::kBadInput;
    recorder = *std::move(begun);
  }
  auto proxy = proxy::Proxy::open(*options, *url, recorder ? recorder->conversations() : proxy::MakeConversation{});
  if (!proxy) return print_error(proxy.error()), Exit::kBadInput;
  const bool json = args.has("json");
  if (json) {
    print(fmt::format("{{\"event\": \"listening\", \"address\": {}, \"server\": {}}}\n",
                      json_string((*proxy)->listens_at()), json_string((*proxy)->server())));
  } else if (!args.has("quiet")) {
    print(fmt::format("listening at {}, passing on to {} (ctrl-C ends)\n", (*proxy)->listens_at(), (*proxy)->server()));
  }
  if (!flush_output()) return Exit::kBadInput;
  const Stopwatch watch;
  auto served = (*proxy)->run([] { return interrupted.load(); });
  const proxy::Counts counts = (*proxy)->stop();
  if (json) {
    print(passed_json(counts, watch.seconds()));
  } else if (!args.has("quiet")) {
    print(passed_text(counts, watch.seconds()));
  }
  Exit saved = recorder ? finish_recording(*recorder, args) : Exit::kFine;
  if (*publisher != nullptr && saved == Exit::kFine) saved = publish_recording(**publisher, args);
  if (!served) return print_error(served.error()), Exit::kBadInput;
  return saved;
}

}  // namespace isolde::cli
