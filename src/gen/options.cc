#include "gen/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gen/plants.h"

namespace isolde {
namespace {

constexpr std::uint32_t kMaxKeys = 1U << 27;
constexpr std::uint32_t kMaxSessions = 1U << 24;
constexpr std::uint64_t kMaxOperations = (1ULL << 31) - 1;  // also the number of distinct values
constexpr double kDefaultPlantRate = 0.001;

constexpr std::pair<Distribution, std::string_view> kDistributions[] = {
    {Distribution::kUniform, "uniform"}, {Distribution::kZipf, "zipf"}, {Distribution::kHotspot, "hotspot"}};
constexpr std::pair<DataType, std::string_view> kTypes[] = {
    {DataType::kRegister, "register"}, {DataType::kList, "list"}, {DataType::kRow, "row"}};

constexpr std::pair<bool GenEvidence::*, std::string_view> kEvidence[] = {{&GenEvidence::timestamps, "timestamps"},
                                                                          {&GenEvidence::intervals, "intervals"},
                                                                          {&GenEvidence::op_intervals, "op-intervals"},
                                                                          {&GenEvidence::versions, "versions"},
                                                                          {&GenEvidence::order, "order"},
                                                                          {&GenEvidence::vsets, "vsets"}};

// NaN is no share.
bool is_share(double value) { return value >= 0 && value <= 1; }

std::optional<double> share_of(std::string_view text) {
  double value = -1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || !is_share(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Error> defect_of(const GenOptions& o) {
  if (o.transactions == 0) return Error{"transactions: expected at least 1"};
  if (o.ops == 0) return Error{"ops: expected at least 1"};
  const std::uint64_t most_ops = o.rmw_share > 0 ? std::uint64_t{2} * o.ops : o.ops;
  if (o.transactions > kMaxOperations / most_ops) {
    return Error{fmt::format("transactions x ops: expected at most {}", kMaxOperations)};
  }
  if (o.sessions == 0 || o.sessions > kMaxSessions) {
    return Error{fmt::format("sessions: expected 1 to {}", kMaxSessions)};
  }
  if (static_cast<std::uint64_t>(o.sessions) * o.ops > kMaxOperations) {
    return Error{fmt::format("sessions x ops: expected at most {}", kMaxOperations)};
  }
  if (o.keys == 0 || o.keys > kMaxKeys) return Error{fmt::format("keys: expected 1 to {}", kMaxKeys)};
  if (!(o.zipf_exponent >= 0 && o.zipf_exponent <= 10)) return Error{"zipf exponent: expected 0 to 10"};
  if (!is_share(o.read_share)) return Error{"read share: expected 0 to 1"};
  if (!is_share(o.rmw_share)) return Error{"share of read-modify-writes: expected 0 to 1"};
  if (o.read_share + o.rmw_share > 1 + 1e-9) return Error{"reads and read-modify-writes: expected at most 1 in total"};
  if (o.rmw_share > 0 && o.type == DataType::kRow) return Error{"read-modify-writes: expected registers or lists"};
  if (!is_share(o.evidence.versions_share)) return Error{"share of versions: expected 0 to 1"};
  if (!is_share(o.spread)) return Error{"spread: expected 0 to 1"};
  if (!is_share(o.predicate_share)) return Error{"predicate share: expected 0 to 1"};
  if (!(o.selectivity > 0 && o.selectivity <= 1)) return Error{"selectivity: expected more than 0, at most 1"};
  if (!is_share(o.abort_share) || !is_share(o.unknown_share)) return Error{"abort, unknown share: expected 0 to 1"};
  if (o.abort_share == 1) return Error{"abort share: expected less than 1"};
  if (o.max_list == 0 || o.max_list > 1'000'000) return Error{"longest list: expected 1 to 1000000"};
  if (!(o.overlap >= 1 && o.overlap <= 1e6)) return Error{"overlap: expected at least 1"};
  if (o.repeated_values && o.type != DataType::kRegister) return Error{"repeated values: expected registers"};
  if (o.evidence.vsets && o.type != DataType::kRow) return Error{"vsets: expected rows"};
  if (o.evidence.op_intervals && !o.evidence.intervals) return Error{"op-intervals: expected intervals as well"};
  double planted = 0;
  for (const Plant& plant : o.plants) {
    if (!is_share(plant.rate)) return Error{fmt::format("plant {}: expected a rate of 0 to 1", info(plant.kind).name)};
    if (planted_groups(plant, o.transactions) == 0) continue;
    if (info(plant.kind).rows_only && o.type != DataType::kRow) {
      return Error{fmt::format("plant {}: expected rows", info(plant.kind).name)};
    }
    if (o.sessions < info(plant.kind).sessions) {
      return Error{
          fmt::format("plant {}: expected at least {} sessions", info(plant.kind).name, info(plant.kind).sessions)};
    }
    planted +=
        static_cast<double>(planted_groups(plant, o.transactions)) * static_cast<double>(info(plant.kind).roles.size());
  }
  if (planted > static_cast<double>(o.transactions)) {
    return Error{fmt::format("plants: {} transactions have no room for the {:.0f} that are to be planted",
                             o.transactions, planted)};
  }
  return std::nullopt;
}

std::string_view name(Distribution distribution) {
  return kDistributions[static_cast<std::size_t>(distribution)].second;
}
std::string_view name(DataType type) { return kTypes[static_cast<std::size_t>(type)].second; }

std::optional<Distribution> distribution_named(std::string_view name) {
  for (const auto& [distribution, its_name] : kDistributions) {
    if (its_name == name) return distribution;
  }
  return std::nullopt;
}

std::optional<DataType> data_type_named(std::string_view name) {
  for (const auto& [type, its_name] : kTypes) {
    if (its_name == name) return type;
  }
  return std::nullopt;
}

Result<GenEvidence> parse_evidence(std::string_view list) {
  GenEvidence evidence{false, false, false, false, false, false};
  if (list == "none") return evidence;
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view entry = list.substr(0, comma);
    const std::size_t colon = std::min(entry.find(':'), entry.size());
    const std::string_view word = entry.substr(0, colon);
    const auto* const row = std::find_if(std::begin(kEvidence), std::end(kEvidence),
                                         [word](const auto& candidate) { return candidate.second == word; });
    if (row == std::end(kEvidence)) {
      return Error{
          fmt::format("evidence \"{}\": expected none, or some of timestamps, intervals, op-intervals, "
                      "versions, order, vsets",
                      word)};
    }
    evidence.*(row->first) = true;
    if (colon < entry.size()) {
      if (row->first != &GenEvidence::versions) {
        return Error{fmt::format("evidence \"{}\": only versions have a share", entry)};
      }
      const std::optional<double> share = share_of(entry.substr(colon + 1));
      if (!share) return Error{fmt::format("evidence \"{}\": expected a share of 0 to 1 after the colon", entry)};
      evidence.versions_share = *share;
    }
    if (comma == list.size()) return evidence;
    list.remove_prefix(comma + 1);
  }
}

Result<Plant> parse_plant(std::string_view text) {
  const std::size_t colon = std::min(text.find_first_of(":="), text.size());
  const std::optional<PlantKind> kind = plant_named(text.substr(0, colon));
  if (!kind) {
    std::string known;
    for (const PlantInfo& plant : all_plants()) fmt::format_to(std::back_inserter(known), " {}", plant.name);
    return Error{fmt::format("plant \"{}\": expected one of{}", text.substr(0, colon), known)};
  }
  if (colon == text.size()) return Plant{*kind, kDefaultPlantRate};
  const std::string_view number = text.substr(colon + 1);
  if (text[colon] == '=') {
    std::uint64_t groups = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), groups);
    if (failed != std::errc{} || end != number.data() + number.size() || groups == 0) {
      return Error{fmt::format("plant {}: expected a whole number of at least 1 after =", info(*kind).name)};
    }
    return Plant{*kind, 0, groups};
  }
  const std::optional<double> rate = share_of(number);
  if (!rate) return Error{fmt::format("plant {}: expected a rate of 0 to 1 after the colon", info(*kind).name)};
  return Plant{*kind, *rate};
}

}  // namespace isolde
