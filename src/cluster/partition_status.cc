#include <fmt/format.h>
#include <simdjson.h>

#include "cluster/partition_checker.h"
#include "history/value.h"

namespace isolde::cluster {
namespace {

struct StatusNumber {
  const char* name;
  std::uint64_t PartitionStatus::* member;
};
constexpr StatusNumber kStatusNumbers[] = {
    {"epoch", &PartitionStatus::epoch},
    {"sequence", &PartitionStatus::sequence},
    {"transactions", &PartitionStatus::transactions},
    {"operations", &PartitionStatus::operations},
    {"checked", &PartitionStatus::checked},
    {"pending", &PartitionStatus::pending},
    {"violations", &PartitionStatus::violations},
    {"suspicions", &PartitionStatus::suspicions},
    {"unchecked", &PartitionStatus::unchecked},
    {"unjudged", &PartitionStatus::unjudged},
    {"split", &PartitionStatus::split},
    {"refused", &PartitionStatus::refused},
    {"missing", &PartitionStatus::missing},
    {"in_session", &PartitionStatus::in_session},
    {"began", &PartitionStatus::began},
    {"ended", &PartitionStatus::ended},
};

}  // namespace

PartitionStatus PartitionChecker::status() const {
  const OnlineCounts counts = over_ ? at_end_ : parts_.engine->counts();
  PartitionStatus s;
  s.partition = partition_;
  s.sequence = progress_.sequence;
  s.time = latest_;
  s.transactions = transactions_;
  s.operations = counts.operations;
  s.checked = counts.checked;
  s.pending = counts.pending + (over_ ? 0 : parts_.feed->held().transactions);
  s.violations = violations_;
  s.suspicions = suspicions_;
  s.unchecked = counts.unchecked + counts.unsearched;
  s.unjudged = progress_.unjudged;
  s.split = progress_.split;
  s.refused = progress_.refused;
  s.missing = progress_.missing;
  s.in_session = counts.in_session;
  s.began = counts.began;
  s.ended = counts.ended;
  s.over = over_;
  s.first_fault = progress_.first_fault;
  s.tied.assign(tied_.begin(), tied_.end());
  for (const auto& [name, producer] : progress_.producers) {
    s.taken[name] = producer.taken;
    if (producer.silent) s.silent.push_back(name);
  }
  return s;
}

std::string status_text(const PartitionStatus& status) {
  std::string out =
      fmt::format(R"({{"partition": {}, "time": {}, "over": {})", status.partition, status.time, status.over);
  for (const StatusNumber& number : kStatusNumbers)
    out += fmt::format(R"(, "{}": {})", number.name, status.*number.member);
  out += R"(, "first_fault": )";
  append_json_string(status.first_fault, out);
  out += R"(, "silent": [)";
  for (std::size_t i = 0; i < status.silent.size(); ++i)
    out += fmt::format(R"({}"{}")", i > 0 ? ", " : "", status.silent[i]);
  out += R"(], "tied": [)";
  for (std::size_t i = 0; i < status.tied.size(); ++i) out += fmt::format("{}{}", i > 0 ? ", " : "", status.tied[i]);
  out += R"(], "taken": {)";
  const char* separator = "";
  for (const auto& [name, count] : status.taken) {
    out += fmt::format(R"({}"{}": {})", separator, name, count);
    separator = ", ";
  }
  return out + "}}";
}

Result<PartitionStatus> read_status(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const Error broken{"the status of a partition cannot be read: it was written by another version of isolde"};
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return broken;
  PartitionStatus status;
  std::uint64_t partition = 0;
  std::string_view fault;
  simdjson::dom::array silent, tied;
  simdjson::dom::object taken;
  if (root["partition"].get(partition) != simdjson::SUCCESS || root["time"].get(status.time) != simdjson::SUCCESS ||
      root["over"].get(status.over) != simdjson::SUCCESS || root["first_fault"].get(fault) != simdjson::SUCCESS ||
      root["silent"].get(silent) != simdjson::SUCCESS || root["tied"].get(tied) != simdjson::SUCCESS ||
      root["taken"].get(taken) != simdjson::SUCCESS)
    return broken;
  for (const StatusNumber& number : kStatusNumbers) {
    if (root[number.name].get(status.*number.member) != simdjson::SUCCESS) return broken;
  }
  status.partition = static_cast<std::uint32_t>(partition);
  status.first_fault = fault;
  for (const auto name : silent) {
    std::string_view one;
    if (name.get(one) != simdjson::SUCCESS) return broken;
    status.silent.emplace_back(one);
  }
  for (const auto txn : tied) {
    if (txn.get(status.tied.emplace_back()) != simdjson::SUCCESS) return broken;
  }
  for (const auto [name, value] : taken) {
    if (value.get(status.taken[std::string(name)]) != simdjson::SUCCESS) return broken;
  }
  return status;
}

}  // namespace isolde::cluster
