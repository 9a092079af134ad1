// bench/segments_gen: a history of any size in parts, without ever having it in memory.
//
// segments_gen OUT PARTS TRANSACTIONS-PER-PART [OPS [KIND [PLANT]]]: each part is a generated history with keys of its
// own, as of a database whose working set moves on; timestamps, clocks and ids continue from part to part. KIND:
// timestamps (snapshot isolation, the default), lists or registers (serializable, without timestamps). PLANT, as in
// `isolde gen --plant`, is planted in the middle part.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/segments.h"
#include "gen/generate.h"

namespace isolde {
namespace {

struct Offsets {
  std::int64_t ids = 0, keys = 0, time = 0;
};

std::vector<std::int64_t> shifted(std::span<const std::int64_t> from, std::int64_t by, std::int64_t& latest) {
  std::vector<std::int64_t> to(from.begin(), from.end());
  for (std::int64_t& time : to) {
    if (time == kNoTime) continue;
    time += by;
    latest = std::max(latest, time);
  }
  return to;
}

std::vector<ValueId> shifted(std::span<const ValueId> names, std::int64_t by) {
  std::vector<ValueId> to;
  for (const ValueId name : names) to.push_back(ValueId{static_cast<std::uint32_t>(raw(name) + by)});
  return to;
}

int generate_parts(const std::string& folder, std::uint64_t parts, std::uint64_t txns, std::uint32_t ops,
                   const std::string& kind, const std::string& planted) {
  std::optional<Plant> plant;
  if (!planted.empty()) {
    const auto read = parse_plant(planted);
    if (!read) return fmt::print(stderr, "{}\n", read.error().message()), 2;
    plant = *read;
  }
  SegmentWriter writer(folder);
  if (const auto opened = writer.open(); !opened) return fmt::print(stderr, "{}\n", opened.error().message()), 2;
  Offsets at;
  for (std::uint64_t i = 0; i < parts; ++i) {
    GenOptions options;
    options.transactions = txns;
    options.ops = ops;
    options.keys = static_cast<std::uint32_t>(std::max<std::uint64_t>(1000, txns / 10));
    options.distribution = Distribution::kUniform;
    options.seed = i + 1;
    if (kind != "timestamps") {
      options.type = kind == "lists" ? DataType::kList : DataType::kRegister;
      options.level = Level::kSerializable;
      options.evidence.timestamps = false;
    }
    if (plant && i == parts / 2) options.plants.push_back(*plant);
    const auto generated = generate(options);
    if (!generated) return fmt::print(stderr, "{}\n", generated.error().message()), 2;
    const History& h = generated->history;
    HistoryColumns c = h.columns();
    std::int64_t latest = at.time;
    const auto start = shifted(c.start_ts, at.time, latest), commit = shifted(c.commit_ts, at.time, latest);
    const auto begin = shifted(c.begin, at.time, latest), end = shifted(c.end, at.time, latest);
    const auto ids = shifted(c.id, at.ids), keys = shifted(c.key_name, at.keys);
    std::int64_t last_key = at.keys;  // lists that are full are followed by others
    for (const ValueId name : keys) last_key = std::max<std::int64_t>(last_key, raw(name));
    c.start_ts = start;
    c.commit_ts = commit;
    c.begin = begin;
    c.end = end;
    c.id = ids;
    c.key_name = keys;
    if (const auto added = writer.add(History(c, nullptr)); !added)
      return fmt::print(stderr, "{}\n", added.error().message()), 2;
    at = {at.ids + static_cast<std::int64_t>(txns), last_key + 1, latest + 1};
  }
  const auto list = writer.close();
  if (!list) return fmt::print(stderr, "{}\n", list.error().message()), 2;
  fmt::print("{} parts, {} transactions, {} operations, {} MiB\n", parts, list->transactions, list->operations,
             list->bytes >> 20);
  return 0;
}

}  // namespace
}  // namespace isolde

int main(int argc, char** argv) {
  if (argc < 4) return fmt::print(stderr, "segments_gen OUT PARTS TRANSACTIONS-PER-PART [OPS [KIND [PLANT]]]\n"), 2;
  return isolde::generate_parts(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
                                argc > 4 ? static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)) : 8,
                                argc > 5 ? argv[5] : "timestamps", argc > 6 ? argv[6] : "");
}
