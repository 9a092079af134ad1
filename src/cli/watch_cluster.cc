#include "cli/watch_cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "anomaly/anomaly.h"
#include "cli/cluster_name.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"
#include "cli/watch_plan.h"
#include "cluster/merger.h"
#include "cluster/nats_broker.h"
#include "cluster/worker.h"
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::chrono::milliseconds kPollWait{200};

// What the options say of a cluster, beside where it is.
struct ClusterOptions {
  cluster::ClusterPlan plan;
  cluster::SetUpOptions set_up;
  std::uint32_t workers = 0;  // in this process
  std::string state;          // folder
};

Result<ClusterOptions> cluster_options(const Arguments& args) {
  ClusterOptions out;
  if (args.has("level")) {
    auto level = level_by_name(args.text("level"));
    if (!level) return std::move(level).error();
    out.plan.level = *level;
  }
  out.plan.profile = args.text("profile");
  if (out.plan.by_clocks() && mirror::profile_named(out.plan.profile) == nullptr)
    return Error{fmt::format("there is no profile {} (isolde watch --help lists them)", out.plan.profile)};
  const LevelFamily family = info(out.plan.level).family;
  if (!out.plan.by_clocks() && family != LevelFamily::kSnapshot && family != LevelFamily::kSerializable)
    return Error{fmt::format("timestamps decide only levels of the snapshot and serializable families, not {}",
                             info(out.plan.level).name)};
  if (auto e = take_count(args, "partitions", 1, out.plan.keys)) return *std::move(e);
  if (out.plan.keys > cluster::kMostPartitions)
    return Error{fmt::format("--partitions is at most {}", cluster::kMostPartitions)};
  if (out.plan.by_clocks()) out.plan.keys = 1;
  if (auto e = take_count(args, "producers", 1, out.plan.producers)) return *std::move(e);
  if (auto e = take_count(args, "workers", 1, out.workers)) return *std::move(e);
  const auto seconds = [&](std::string_view option, double& to) -> std::optional<Error> {
    auto value = args.seconds(option);
    if (!value) return std::move(value).error();
    if (*value) to = **value;
    return std::nullopt;
  };
  if (auto e = seconds("deadline", out.plan.deadline)) return *std::move(e);
  if (auto e = seconds("silence", out.plan.silence)) return *std::move(e);
  if (auto e = seconds("lease", out.set_up.lease)) return *std::move(e);
  auto memory = args.count("memory", out.plan.memory >> 20, 1, 1 << 20);
  if (!memory) return std::move(memory).error();
  out.plan.memory = *memory << 20;
  auto bytes = args.count("stream-size", out.set_up.max_bytes >> 20, 1, 1 << 24);
  if (!bytes) return std::move(bytes).error();
  out.set_up.max_bytes = *bytes << 20;
  out.state = args.text("checkpoint");
  return out;
}

class PrintedWorker final : public cluster::WorkerView {
 public:
  PrintedWorker(std::string id, bool quiet) : id_(std::move(id)), quiet_(quiet) {}
  void took(std::uint32_t partition, std::uint64_t epoch, std::uint64_t resume) override {
    say(fmt::format("took partition {} (epoch {}), from message {}", partition, epoch, resume));
  }
  void left(std::uint32_t partition, const std::string& why) override {
    say(fmt::format("left partition {}: {}", partition, why));
  }
  void trouble(const std::string& what) override {
    if (what != last_) say(what);
    last_ = what;
  }

 private:
  void say(const std::string& text) const {
    if (!quiet_) print_error(fmt::format("worker {}: {}", id_, text));
  }
  std::string id_;
  bool quiet_;
  std::string last_;
};

// Works until `stop` is set.
Result<void> work(const cluster::Address& address, const cluster::ClusterPlan& plan, const std::string& id,
                  double lease, const std::string& folder, bool quiet, const std::atomic<bool>& stop) {
  auto broker = cluster::connect_to_nats(address, "isolde worker " + id, [&] { return stop.load(); });
  if (!broker) return std::move(broker).error();
  cluster::WorkerOptions options;
  options.id = id;
  options.lease = std::chrono::milliseconds(static_cast<std::int64_t>(lease * 1000));
  options.folder = folder;
  options.incarnation = number_of_its_own();
  options.clock = [] { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()); };
  PrintedWorker view(id, quiet);
  cluster::Worker worker(**broker, cluster::Names(address.stream), plan, options, view);
  while (!stop) {
    if (auto done = worker.step(); !done) return done;
  }
  worker.leave();
  return {};
}

// Batches come and go all the time. What they took is kept: given back to the kernel and asked for again, it was a
// twentieth of a worker's time.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int kKept = 128 << 20, kOfItsOwn = 32 << 20;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kOfItsOwn);
#endif
}

Exit run_worker(const Arguments& args, const cluster::Address& address, const ClusterOptions& options) {
  const FinishWhenAsked when_asked;
  const auto asked_to_end = [] { return interrupted.load(); };
  auto broker = cluster::connect_to_nats(address, "isolde worker", asked_to_end);
  if (!broker) return print_error(broker.error()), Exit::kBadInput;
  // A worker may be there before the stream is.
  auto plan = cluster::find_plan(**broker, cluster::Names(address.stream));
  if (!plan && !args.has("quiet")) print_error(fmt::format("{}; waiting for it", plan.error().text));
  while (!plan && !interrupted) {
    std::this_thread::sleep_for(kPollWait);
    plan = cluster::find_plan(**broker, cluster::Names(address.stream));
  }
  if (!plan) return Exit::kFine;
  broker->reset();
  const std::string id = args.text("name", usual_cluster_name(0));
  if (!cluster::is_cluster_name(id))
    return print_error(fmt::format("\"{}\" cannot be a worker's name: letters, digits, - and _ only", id)),
           Exit::kBadInput;
  auto worked = work(address, *plan, id, options.set_up.lease, options.state, args.has("quiet"), interrupted);
  if (!worked) return print_error(worked.error()), Exit::kBadInput;
  return Exit::kFine;
}

// Servers that are being started again come back within this.
std::function<bool()> patience() {
  constexpr double kSeconds = 15;
  return [watch = Stopwatch()] { return interrupted || watch.seconds() > kSeconds; };
}

// ---- the merger -----------------------------------------------------------------------------------------------------

// DIR/violations.jsonl: what was shown, so that a restart shows nothing twice. A line that names the stream comes
// before the violations of each: one that is created later under the same name may have the same ones again.
class ShownViolations {
 public:
  Result<void> open(const std::string& folder, std::uint64_t stream) {
    if (folder.empty()) return {};
    path_ = folder + "/violations.jsonl";
    const std::string begin = fmt::format(R"({{"event": "stream", "stream": "{:016x}"}})", stream);
    std::ifstream in(path_);
    bool is_this = false;
    for (std::string line; std::getline(in, line) && !in.eof();) {
      if (line.starts_with(R"({"event": "stream")")) is_this = line == begin;
      if (!is_this) continue;
      if (auto known = cluster::read_violation(line)) shown_.insert(known->identity);
    }
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file_ < 0) return errno_error("cannot open", path_);
    if (!is_this) write(begin);
    return {};
  }
  ~ShownViolations() {
    if (file_ >= 0) ::close(file_);
  }
  // True: it is new, and recorded.
  bool add(const cluster::PublishedViolation& violation) {
    if (!shown_.insert(violation.identity).second) return false;
    if (file_ >= 0) write(violation.json);
    return true;
  }

 private:
  void write(std::string line) const {
    line += '\n';
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      print_error(errno_error("cannot write", path_));
  }
  std::string path_;
  int file_ = -1;
  std::set<std::uint64_t> shown_;
};

class ClusterView {
 public:
  ClusterView(const Arguments& args, const cluster::Address& address, const cluster::ClusterPlan& plan)
      : json_(args.has("json")), quiet_(args.has("quiet")), subject_(address.shown()), plan_(plan) {}

  void started() const {
    if (json_ || quiet_) return;
    print(fmt::format("watching {}: {} by {}, {}\n", subject_, judged(), method(),
                      words::counted(plan_.layout().count(), "partition")));
    static_cast<void>(flush_output());
  }
  void violated(const cluster::PublishedViolation& v, std::uint64_t shown) {
    ++counts_[v.name];
    ++violations_;
    if (quiet_ || (!json_ && violations_ > shown)) return;
    clear();
    if (json_) {
      print(v.json + "\n");
    } else {
      const auto kind = anomaly_named(v.name);
      print(fmt::format(
          "\n  {}\n     {}\n",
          bold(fmt::format("{}. {}: {}", violations_, v.name, kind ? info(*kind).summary : std::string_view(v.rule))),
          v.text));
    }
    static_cast<void>(flush_output());
  }
  void progress(const cluster::Coverage& c) const {
    if (quiet_ || json_ || !errors_on_terminal()) return;
    show_live_line(fmt::format("{} of {} partitions heard, {} checked, {} pending, lag {:.1f} s, {} violations",
                               c.heard, c.partitions, grouped(c.checked), grouped(c.pending),
                               static_cast<double>(c.latest - c.earliest) / 1e9, violations_));
  }

  Exit summary(const cluster::ClusterSummary& s, const cluster::Coverage& c, bool stopped, double seconds) const {
    clear();
    if (json_) {
      json_summary(s, c, stopped, seconds);
    } else {
      text_summary(s, c, stopped, seconds);
    }
    return exit_of(s.outcome);
  }

 private:
  static void clear() {
    if (errors_on_terminal()) clear_live_line();
  }
  [[nodiscard]] std::string judged() const {
    return plan_.by_clocks() ? "the profile " + plan_.profile : std::string(info(plan_.level).name);
  }
  [[nodiscard]] std::string_view method() const { return plan_.by_clocks() ? "mirror" : "timeline"; }

  void json_summary(const cluster::ClusterSummary& s, const cluster::Coverage& c, bool stopped, double seconds) const {
    std::string names;
    for (const auto& [name, count] : counts_)
      names += fmt::format("{}{}: {}", names.empty() ? "" : ", ", json_string(name), count);
    std::string silent;
    for (const std::string& name : c.silent) silent += (silent.empty() ? "" : ", ") + json_string(name);
    std::string out = fmt::format(R"({{"event": "summary", "file": {}, "verdict": {}, "method": {}, {}: {})",
                                  json_string(subject_), json_string(name(s.outcome)), json_string(method()),
                                  plan_.by_clocks() ? R"("profile")" : R"("level")",
                                  json_string(plan_.by_clocks() ? plan_.profile : info(plan_.level).name));
    if (!s.reason.empty()) out += fmt::format(R"(, "reason": {})", json_string(s.reason));
    if (s.holds) out += fmt::format(R"(, "holds": {})", json_string(info(*s.holds).name));
    out += fmt::format(
        R"(, "stopped": {}, "partitions": {}, "heard": {}, "over": {}, "shares": {}, "checked": {}, "pending": {}, "missing_batches": {}, "refused": {}, "unchecked": {}, "unjudged": {}, "split": {}, "tied": {}, "silent": [{}], "counts": {{{}}}, "seconds": {:.3f}}})",
        stopped, c.partitions, c.heard, c.over, c.transactions, c.checked, c.pending, c.missing, c.refused, c.unchecked,
        c.unjudged, c.split, c.tied, silent, names, seconds);
    print(out + "\n");
  }

  void text_summary(const cluster::ClusterSummary& s, const cluster::Coverage& c, bool stopped, double seconds) const {
    constexpr std::string_view kSigns[] = {"✓", "✗", "?"};
    const std::string_view says[] = {"satisfies", plan_.by_clocks() ? "breaks" : "violates", "undecided:"};
    const auto place = static_cast<std::size_t>(s.outcome);
    const auto row = [](std::string_view label, const std::string& text) {
      return fmt::format("  {:<14}{}\n", label, text);
    };
    std::string out = violations_ > 0 && !quiet_ ? "\n" : "";
    out += bold(fmt::format("{} {} {} {}{}", kSigns[place], subject_, says[place], judged(),
                            stopped && s.outcome == Outcome::kSatisfied ? " so far" : "")) +
           "\n";
    if (quiet_) return print(out);
    if (!s.reason.empty()) out += row("reason", s.reason);
    if (s.holds) out += row("holds", std::string(info(*s.holds).name));
    out +=
        row("covers",
            fmt::format("{} of {} partitions, {} to their end; {} shares of transactions, {} of them judged{}", c.heard,
                        c.partitions, c.over, grouped(c.transactions), grouped(c.checked), stopped ? "; stopped" : ""));
    if (c.pending > 0)
      out += row("not judged", fmt::format("{} shares that came shortly before the stop", grouped(c.pending)));
    if (violations_ > 0) {
      std::string names;
      for (const auto& [name, count] : counts_)
        names += fmt::format("{}{} {}", names.empty() ? "" : ", ", name, grouped(count));
      out += row("violations", names);
    }
    out += row("cost", fmt::format("{:.1f} s, peak {:.0f} MiB here", seconds, peak_mib()));
    print(out);
  }

  bool json_, quiet_;
  std::string subject_;
  cluster::ClusterPlan plan_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t violations_ = 0;
};

Exit run_merger(const Arguments& args, const cluster::Address& address, ClusterOptions options) {
  auto broker = cluster::connect_to_nats(address, "isolde watch", patience());
  if (!broker) return print_error(broker.error()), Exit::kBadInput;
  const cluster::Names names(address.stream);
  options.plan.stream = number_of_its_own();
  auto plan = cluster::set_up(**broker, names, options.plan, options.set_up);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  options.plan = *std::move(plan);
  auto merger = cluster::Merger::open(**broker, names, options.plan);
  if (!merger) return print_error(merger.error()), Exit::kBadInput;
  ShownViolations shown;
  if (auto opened = shown.open(options.state, options.plan.stream); !opened)
    return print_error(opened.error()), Exit::kBadInput;
  auto most = args.count("max-anomalies", 10);
  if (!most) return print_error(most.error()), Exit::kBadInput;
  const auto timeout = args.seconds("timeout");
  if (!timeout) return print_error(timeout.error()), Exit::kBadInput;

  const FinishWhenAsked when_asked;
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
  for (std::uint32_t i = 0; i < options.workers; ++i) {
    workers.emplace_back([&, i] {
      auto worked = work(address, options.plan, usual_cluster_name(i), options.set_up.lease, {}, true, stop);
      if (!worked) print_error(worked.error());
    });
  }
  ClusterView view(args, address, options.plan);
  view.started();
  const Stopwatch watch;
  std::string trouble;
  bool stopped = false;
  while (true) {
    stopped = interrupted || (*timeout && watch.seconds() >= **timeout);
    auto found = merger->poll(kPollWait);
    if (!found) {
      if (found.error().text != trouble && !args.has("quiet")) print_error(found.error());
      trouble = found.error().text;
      if (stopped) break;
      std::this_thread::sleep_for(kPollWait);
      continue;
    }
    trouble.clear();
    for (const cluster::PublishedViolation& violation : *found) {
      if (shown.add(violation)) view.violated(violation, *most);
    }
    view.progress(merger->coverage());
    if (merger->over() || stopped) break;
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
  return view.summary(merger->summary(), merger->coverage(), stopped && !merger->over(), watch.seconds());
}

}  // namespace

Exit run_watch_cluster(const Arguments& args) {
  auto address = cluster::parse_address(args.positional.front());
  if (!address) return print_error(address.error()), Exit::kBadInput;
  auto options = cluster_options(args);
  if (!options) return print_error(options.error()), Exit::kBadInput;
  if (args.has("worker") || options->workers > 0) keep_memory();
  return args.has("worker") ? run_worker(args, *address, *options) : run_merger(args, *address, *options);
}

}  // namespace isolde::cli
