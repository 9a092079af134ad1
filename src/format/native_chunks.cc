#include "format/native_chunks.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "format/compressed.h"
#include "format/native_fast.h"
#include "format/native_line.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

constexpr std::string_view kHeartbeatFields[] = {"session", "heartbeat"};

// {"session": 3, "heartbeat": 1000}: nothing if the line is something else or has any other field, which the general
// way then refuses. The line is parsed whole: what stands behind the object must not be lost.
std::optional<Heartbeat> heartbeat_in(std::string_view line, simdjson::dom::parser& parser, UnknownFields& unknown) {
  if (line.find("\"heartbeat\"") == std::string_view::npos) return std::nullopt;
  simdjson::dom::object object;
  std::int64_t time = 0;
  if (parser.parse(line.data(), line.size()).get(object) || object["heartbeat"].get(time)) return std::nullopt;
  if (object["ops"].error() != simdjson::NO_SUCH_FIELD) return std::nullopt;
  for (const auto field : object) {
    if (!unknown.wrong_with(field.key, "a heartbeat", kHeartbeatFields).empty()) {
      return std::nullopt;
    }
  }
  time = std::max(time, kNoTime + 1);  // the least integer stands for "not known"
  ValueInterner values;
  std::int64_t number = 0;
  std::string_view name;
  const bool is_number = !object["session"].get(number);
  if (!is_number && object["session"].get(name)) return std::nullopt;
  const ValueId id = is_number ? values.integer(number) : values.string(name);
  return Heartbeat{fingerprint_of(values.table(), id), time, values.table().json(id)};
}

}  // namespace

Result<std::shared_ptr<const Chunk>> ChunkReader::read(std::string_view lines) {
  repeated_ = 0;
  auto chunk = read_lines(lines);
  if (chunk || repeated_lines_.empty()) return chunk;
  // A line that says nothing is counted like any other.
  std::string without(lines);
  for (const std::size_t begin : repeated_lines_) {
    const std::size_t end = without.find('\n', begin);
    std::fill(without.begin() + static_cast<std::ptrdiff_t>(begin), without.begin() + static_cast<std::ptrdiff_t>(end),
              ' ');
  }
  const std::uint64_t count = repeated_lines_.size();
  chunk = read_lines(without);
  if (chunk) repeated_ = count;
  return chunk;
}

namespace {

// Where those lines begin whose transactions have the id of an earlier one and are the same to the letter. Nothing if
// one of them is not.
std::vector<std::size_t> repeated_in(std::span<const ValueId> ids, const std::vector<std::size_t>& begins,
                                     std::string_view lines) {
  const auto line = [&](std::size_t t) { return lines.substr(begins[t], lines.find('\n', begins[t]) - begins[t]); };
  std::unordered_map<std::uint32_t, std::size_t> first;
  std::vector<std::size_t> repeated;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const auto [at, fresh] = first.emplace(raw(ids[t]), t);
    if (fresh) continue;
    if (line(t) != line(at->second)) return {};
    repeated.push_back(begins[t]);
  }
  return repeated;
}

}  // namespace

Result<std::shared_ptr<const Chunk>> ChunkReader::read_lines(std::string_view lines) {
  repeated_lines_.clear();
  std::vector<std::size_t> begins;  // of the line of each transaction
  HistoryBuilder builder;
  builder.set_first_place(static_cast<std::int64_t>(place_.transactions));
  NativeLine general(builder, NativeLine::Keys::kStillToCome, unknown_);
  UnknownFields in_heartbeats(unknown_);
  simdjson::dom::parser heartbeat_parser;
  std::vector<Heartbeat> heartbeats;
  std::vector<std::uint32_t>& line_of = transaction_lines_;
  line_of.clear();
  heartbeat_lines_.clear();
  Place place = place_;
  bool has_header = false;
  const auto wrong = [&](Error error, std::uint64_t line) -> Error {
    error.file = name_;
    error.line = line;
    return error;
  };
  if (const Compression packed = compression_of(lines); place_.lines == 0 && packed != Compression::kNone) {
    return wrong(Error{fmt::format("this is {} data, but a stream must be plain lines: {} -dc FILE | isolde watch -",
                                   name_of(packed), name_of(packed)),
                       {},
                       0,
                       1},
                 1);
  }
  const bool has_mark = place_.lines == 0 && lines.starts_with("\xef\xbb\xbf");
  for (std::size_t offset = has_mark ? 3 : 0; offset < lines.size();) {
    const std::size_t stop = lines.find('\n', offset);
    const std::string_view line = lines.substr(offset, stop - offset);
    const std::size_t begin = offset;
    offset = stop + 1;
    ++place.lines;
    if (!add_plain_line(line, builder)) {
      if (says_nothing(line)) continue;
      if (const auto beat = heartbeat_in(line, heartbeat_parser, in_heartbeats)) {
        heartbeats.push_back(*beat);
        heartbeat_lines_.push_back(static_cast<std::uint32_t>(place.lines - place_.lines));
        place.past_header = true;
        continue;
      }
      if (auto error = general.add(line, !place.past_header)) return wrong(*std::move(error), place.lines);
      if (builder.version_order_count() != 0) {
        return wrong(Error{"a version order has no meaning in a stream", {}, 0, 1}, place.lines);
      }
      has_header = has_header || general.was_header();
    }
    place.past_header = true;
    line_of.resize(builder.txn_count(), static_cast<std::uint32_t>(place.lines - place_.lines));
    if (repeats_ == Repeats::kLeaveOut) begins.resize(builder.txn_count(), begin);
  }
  place.transactions += builder.txn_count();
  auto history = builder.finish();
  if (!history) {
    if (repeats_ == Repeats::kLeaveOut) repeated_lines_ = repeated_in(builder.columns().id.view(), begins, lines);
    const std::uint64_t line = builder.faulty_txn() ? place_.lines + line_of[raw(*builder.faulty_txn())] : place.lines;
    return wrong(std::move(history).error(), line);
  }
  auto chunk = std::make_shared<Chunk>(*std::move(history));
  chunk->heartbeats = std::move(heartbeats);
  chunk->has_header = has_header;
  chunk->columns = general.columns();
  chunk->ignored_fields = general.unknown().ignored() + in_heartbeats.ignored();
  chunk->first_line = place_.lines + 1;
  place_ = place;
  return std::shared_ptr<const Chunk>(std::move(chunk));
}

}  // namespace isolde
