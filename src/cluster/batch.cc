#include "cluster/batch.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "cluster/names.h"

namespace isolde::cluster {

std::string batch_text(const BatchHead& head, std::string_view lines) {
  std::string out = fmt::format(R"({{"from": "{}", "{}": {})", head.from, head.beat ? "beat" : "batch", head.number);
  if (head.unjudged > 0) out += fmt::format(R"(, "unjudged": {})", head.unjudged);
  if (head.split > 0) out += fmt::format(R"(, "split": {})", head.split);
  if (head.bye) out += R"(, "bye": true)";
  out += "}\n";
  out += lines;
  return out;
}

Result<Batch> read_batch(std::string_view message) {
  const std::size_t end = message.find('\n');
  if (end == std::string_view::npos) return Error{"a batch has at least one line, which ends with a newline"};
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(message.data(), end).get(object) != simdjson::SUCCESS)
    return Error{R"(the first line of a batch is an object: {"from": NAME, "batch": NUMBER})"};
  Batch batch;
  batch.lines = message.substr(end + 1);
  if (!batch.lines.empty() && batch.lines.back() != '\n') return Error{"the last line of a batch has no newline"};
  for (const auto [key, value] : object) {
    bool good = true;
    if (key == "from") {
      std::string_view from;
      good = value.get(from) == simdjson::SUCCESS && is_cluster_name(from);
      if (good) batch.head.from = from;
    } else if (key == "batch") {
      good = value.get(batch.head.number) == simdjson::SUCCESS;
    } else if (key == "beat") {
      good = value.get(batch.head.number) == simdjson::SUCCESS;
      batch.head.beat = true;
    } else if (key == "unjudged") {
      good = value.get(batch.head.unjudged) == simdjson::SUCCESS;
    } else if (key == "split") {
      good = value.get(batch.head.split) == simdjson::SUCCESS;
    } else if (key == "bye") {
      good = value.get(batch.head.bye) == simdjson::SUCCESS;
    } else if (!key.starts_with("x-")) {
      return Error{fmt::format("a batch has no field \"{}\"", key)};
    }
    if (!good) return Error{fmt::format("the field \"{}\" of a batch has a wrong value", key)};
  }
  if (batch.head.from.empty()) return Error{"a batch needs \"from\", the producer's name"};
  if (batch.head.number == 0 && !batch.head.beat) return Error{"a batch needs \"batch\", its number from 1 on"};
  return batch;
}

std::string batch_id(std::string_view producer, std::uint32_t partition, std::uint64_t number) {
  return fmt::format("{}:{}:{}", producer, partition, number);
}

}  // namespace isolde::cluster
