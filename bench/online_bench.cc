// bench/online_bench.cc PROFILE FILE.jsonl: what it costs to check a recording as if it arrived now, and what is found.
//
// The file's lines are sorted into the order in which clients sent them (by `end`) and cut into pieces of about a MiB.
// The pieces go from memory through the reader, the sequencer and the mirror, one after another; nothing else is kept.
// Prints one line of NAME=VALUE: CPU seconds of each part, counts, and the peak of resident memory without the file
// itself.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/mirror/mirror.h"
#include "format/native_chunks.h"
#include "stream/sequencer.h"

namespace isolde {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double resident_mib(bool peak) {
  if (peak) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  }
  std::ifstream statm("/proc/self/statm");
  double pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096 / (1 << 20);
}

struct Found : OnlineSink {
  std::map<std::string, int> rules;
  void violated(const OnlineViolation& violation) override {
    if (rules.empty()) fmt::print(stderr, "{}\n", violation.text);
    ++rules[std::string(violation.rule)];
  }
  void suspected(const OnlineViolation&, std::string_view) override {}
};

// The integer after `"name":`, or nothing.
std::optional<std::int64_t> member(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const char* first = line.data() + at + name.size();
  while (first < line.data() + line.size() && *first == ' ') ++first;
  const auto parsed = std::from_chars(first, line.data() + line.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

struct Line {
  std::int64_t end;
  std::string_view text;  // with its newline
};

int run(const std::string& profile_name, const std::string& path) {
  const mirror::Profile* profile = mirror::profile_named(profile_name);
  if (profile == nullptr) return fmt::print(stderr, "online_bench: no profile {}\n", profile_name), 2;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return fmt::print(stderr, "online_bench: cannot read {}\n", path), 2;
  std::string text(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  std::vector<Line> lines;
  std::string head;
  std::map<std::string, std::int64_t> first_begin;  // by session, as it is written
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find('\n', at), text.size() - 1);
    const std::string_view line = std::string_view(text).substr(at, stop + 1 - at);
    at = stop + 1;
    const auto end = member(line, "\"end\":"), begin = member(line, "\"begin\":");
    const std::size_t session = line.find("\"session\":");
    if (session == std::string_view::npos || !begin) {
      if (line.find("\"isolde\"") != std::string_view::npos) head = line;
      continue;  // version orders: a stream has none
    }
    lines.push_back({end.value_or(*begin), line});
    const std::size_t from = session + 10;
    const std::string name(line.substr(from, line.find_first_of(",}", from) - from));
    const auto [known, added] = first_begin.emplace(name, *begin);
    if (!added) known->second = std::min(known->second, *begin);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.end < b.end; });
  for (const auto& [session, begin] : first_begin)
    head += fmt::format("{{\"session\":{},\"heartbeat\":{}}}\n", session, begin);

  ChunkReader reader(path);
  stream::Sequencer sequencer({.silence = 0});
  Found found;
  const auto engine = mirror::make_mirror({.profile = *profile}, found);
  double reading = 0, ordering = 0, checking = 0;
  const double before_mib = resident_mib(false);
  std::size_t held = 0, most_bytes = 0;
  bool begun = false;
  std::vector<Arrival> arrivals;
  const auto pass_on = [&](std::int64_t now) {
    double at = cpu_seconds();
    sequencer.dispatch([&](const Arrival& arrival) { arrivals.push_back(arrival); });
    const StreamTime time = sequencer.time(now);
    ordering += cpu_seconds() - at;
    at = cpu_seconds();
    for (const Arrival& arrival : arrivals) engine->take(arrival);
    engine->advance(time);
    checking += cpu_seconds() - at;
    arrivals.clear();
    most_bytes = std::max<std::size_t>(most_bytes, engine->counts().bytes);
  };
  for (std::size_t next = 0; next < lines.size();) {
    std::string piece = std::exchange(head, {});
    const std::int64_t now = lines[next].end;
    while (next < lines.size() && piece.size() < (1 << 20)) piece += lines[next++].text;
    double at = cpu_seconds();
    auto chunk = reader.read(piece);
    reading += cpu_seconds() - at;
    if (!chunk) return fmt::print(stderr, "online_bench: {}\n", chunk.error().text), 2;
    if (!std::exchange(begun, true)) engine->begin(**chunk);
    at = cpu_seconds();
    sequencer.add(*chunk, now);
    ordering += cpu_seconds() - at;
    held = std::max(held, sequencer.held().transactions);
    pass_on(now);
  }
  sequencer.close_all();
  pass_on(lines.empty() ? 0 : lines.back().end);
  const double at = cpu_seconds();
  engine->finish();
  checking += cpu_seconds() - at;

  const OnlineCounts counts = engine->counts();
  fmt::print(
      "transactions={} operations={} read_s={:.4f} order_s={:.4f} check_s={:.4f} peak_mib={:.1f} engine_mib={:.1f} "
      "held={} ",
      counts.taken, counts.operations, reading, ordering, checking, resident_mib(true) - before_mib,
      static_cast<double>(most_bytes) / (1 << 20), held);
  fmt::print("late={} violations={} suspicions={} unchecked={} dependencies={} overlapping={} deduced={}", counts.late,
             counts.violations, counts.suspicions, counts.unchecked, counts.dependencies, counts.overlapping,
             counts.deduced);
  for (const auto& [rule, count] : found.rules) fmt::print(" [{}]={}", rule, count);
  fmt::print("\n");
  return 0;
}

}  // namespace
}  // namespace isolde

int main(int argc, char** argv) {
  if (argc != 3) return fmt::print(stderr, "usage: online_bench PROFILE FILE.jsonl\n"), 2;
  return isolde::run(argv[1], argv[2]);
}
