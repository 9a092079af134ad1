#include "cluster/batch.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "cluster/names.h"
#include "cluster/packed.h"

namespace isolde::cluster {

std::string batch_text(const BatchHead& head, std::string_view body) {
  std::string out = fmt::format(R"({{"from": "{}", "{}": {})", head.from, head.beat ? "beat" : "batch", head.number);
  if (head.unjudged > 0) out += fmt::format(R"(, "unjudged": {})", head.unjudged);
  if (head.split > 0) out += fmt::format(R"(, "split": {})", head.split);
  if (head.bye) out += R"(, "bye": true)";
  if (head.packed) out += R"(, "packed": true)";
  out += "}\n";
  out += body;
  return out;
}

void append_section(std::uint64_t packed, std::string_view bytes, std::string& out) {
  append_varint(bytes.size(), out);
  append_varint(packed, out);
  out += bytes;
}

namespace {

// False: these are no sections.
bool read_sections(std::string_view bytes, std::vector<BatchSection>& out) {
  while (!bytes.empty()) {
    const auto size = take_varint(bytes);
    const auto count = size ? take_varint(bytes) : std::nullopt;
    if (!count || *size > bytes.size()) return false;
    out.push_back({*count, bytes.substr(0, *size)});
    bytes.remove_prefix(*size);
  }
  return true;
}

}  // namespace

Result<Batch> read_batch(std::string_view message) {
  const std::size_t end = message.find('\n');
  if (end == std::string_view::npos) return Error{"a batch has at least one line, which ends with a newline"};
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(message.data(), end).get(object) != simdjson::SUCCESS)
    return Error{R"(the first line of a batch is an object: {"from": NAME, "batch": NUMBER})"};
  Batch batch;
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
    } else if (key == "packed") {
      good = value.get(batch.head.packed) == simdjson::SUCCESS;
    } else if (!key.starts_with("x-")) {
      return Error{fmt::format("a batch has no field \"{}\"", key)};
    }
    if (!good) return Error{fmt::format("the field \"{}\" of a batch has a wrong value", key)};
  }
  if (batch.head.from.empty()) return Error{"a batch needs \"from\", the producer's name"};
  if (batch.head.number == 0 && !batch.head.beat) return Error{"a batch needs \"batch\", its number from 1 on"};
  const std::string_view body = message.substr(end + 1);
  if (batch.head.packed) {
    if (!read_sections(body, batch.sections)) return Error{"a packed batch is damaged"};
  } else if (!body.empty()) {
    batch.sections = {{0, body}};
  }
  for (const BatchSection& section : batch.sections) {
    if (section.packed == 0 && !section.bytes.empty() && section.bytes.back() != '\n')
      return Error{"the last line of a batch has no newline"};
  }
  return batch;
}

}  // namespace isolde::cluster
