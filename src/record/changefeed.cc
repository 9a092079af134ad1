#include "record/changefeed.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <tuple>

namespace isolde::record {
namespace {

namespace dom = simdjson::dom;

// Lists and objects stay JSON text.
db::Cell cell_of_json(const dom::element& json) {
  switch (json.type()) {
    case dom::element_type::NULL_VALUE:
      return {};
    case dom::element_type::BOOL:
      return std::int64_t{bool(json)};
    case dom::element_type::INT64:
      return std::int64_t(json);
    case dom::element_type::DOUBLE:
      return double(json);
    case dom::element_type::STRING:
      return std::string(std::string_view(json));
    default:
      return std::string(simdjson::minify(json));
  }
}

std::optional<std::string_view> text_at(const dom::element& json, std::string_view field) {
  std::string_view text;
  if (json.at_key(field).get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

// When the version was made. In the enriched envelope it stands with the source.
std::optional<db::Hlc> time_of(const dom::element& value) {
  dom::element source;
  const bool enriched = value.at_key("source").get(source) == simdjson::SUCCESS;
  auto text = text_at(value, "mvcc_timestamp");
  if (!text && enriched) text = text_at(source, "mvcc_timestamp");
  if (!text) text = text_at(value, "updated");
  if (!text && enriched) text = text_at(source, "ts_hlc");
  return text ? db::parse_hlc(*text) : std::nullopt;
}

// The primary key's columns: an array in their order, or (enriched) an object.
std::optional<std::vector<db::Cell>> key_cells(const TracedTable& table, const dom::element& json) {
  std::vector<db::Cell> cells;
  if (dom::array array; json.get(array) == simdjson::SUCCESS) {
    for (const dom::element& part : array) cells.push_back(cell_of_json(part));
    return cells.size() == table.key_columns.size() ? std::optional(cells) : std::nullopt;
  }
  for (const std::string& name : table.key_columns) {
    dom::element part;
    if (json.at_key(name).get(part) != simdjson::SUCCESS) return std::nullopt;
    cells.push_back(cell_of_json(part));
  }
  return cells;
}

}  // namespace

Result<void> ChangefeedVersions::add(std::string_view table, std::string_view key, std::string_view value) {
  if (table.empty() && key.empty()) return {};
  const auto traced =
      std::find_if(tables_.begin(), tables_.end(), [&](const TracedTable& t) { return t.name == table; });
  if (traced == tables_.end()) return {};
  const auto fault = [&](std::string_view what) {
    return Error{fmt::format("a message of a changefeed of {}: expected {} in {} {}", table, what, key, value)};
  };
  dom::parser key_parser, value_parser;
  dom::element key_json, message;
  if (key_parser.parse(simdjson::padded_string(key)).get(key_json) != simdjson::SUCCESS) return fault("JSON");
  if (value_parser.parse(simdjson::padded_string(value)).get(message) != simdjson::SUCCESS) return fault("JSON");
  // With enriched_properties = 'schema' everything is one level down.
  if (dom::element payload; message.at_key("payload").get(payload) == simdjson::SUCCESS) message = payload;
  if (dom::element payload; key_json.at_key("payload").get(payload) == simdjson::SUCCESS) key_json = payload;
  const auto cells = key_cells(*traced, key_json);
  if (!cells) return fault("the primary key");
  const auto time = time_of(message);
  if (!time) return fault("mvcc_timestamp or updated");
  dom::element after;
  if (message.at_key("after").get(after) != simdjson::SUCCESS) return fault("\"after\"");
  std::string text = "null";
  if (!after.is_null()) {
    std::vector<db::Cell> values;
    for (const std::string& name : traced->value_columns) {
      dom::element part;
      if (after.at_key(name).get(part) != simdjson::SUCCESS) return fault("column " + name);
      values.push_back(cell_of_json(part));
    }
    text = value_text(*traced, values);
  }
  versions_.push_back({*time, key_text(*traced, *cells), std::move(text)});
  return {};
}

Result<std::vector<RecoveredVersion>> ChangefeedVersions::take(db::HlcScale& scale) {
  std::stable_sort(versions_.begin(), versions_.end(), [](const Version& a, const Version& b) {
    return std::tie(a.time, a.key) < std::tie(b.time, b.key);
  });
  std::vector<RecoveredVersion> out;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    Version& v = versions_[i];
    if (i > 0 && versions_[i - 1].time == v.time && out.back().key == v.key) {  // delivered again
      if (v.value != out.back().value)
        return Error{fmt::format("a changefeed has two values of {} at one time", v.key)};
      continue;
    }
    auto place = scale.place(v.time);
    if (!place) return std::move(place).error();
    out.push_back({v.key, std::move(v.value), *place});
  }
  versions_.clear();
  return out;
}

}  // namespace isolde::record
