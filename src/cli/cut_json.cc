#include "cli/cut_json.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "report/page/json_text.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kLongestText = 4000;
constexpr std::size_t kLeastRoom = 512;  // for a list: from here on nothing is gained

// A name as it stands in JSON, without its quotes: those of a file that somebody made may have any letter.
std::string name_in_json(std::string_view name) {
  const std::string quoted = json_string(name);
  return quoted.substr(1, quoted.size() - 2);
}

// A list whose elements are cut to `room`. `any`: each that fits stays; else those before the first that does not,
// since others name them by their places.
std::string cut_list(dom::array list, std::size_t room, bool any, std::size_t& left_out) {
  std::string kept = "[";
  std::size_t taken = 0;
  for (const dom::element& one : list) {
    const std::string text = left_out > 0 && !any ? std::string() : simdjson::minify(one);
    const std::size_t size = size_in_page(text) + 1;
    if (text.empty() || taken + size > room) {
      ++left_out;
      continue;
    }
    taken += size;
    kept += (kept.size() > 1 ? "," : "") + text;
  }
  return kept + "]";
}

std::string cut_to(dom::object report, std::size_t of_anomalies, std::size_t of_others) {
  JsonObject out, left_out;
  bool some = false;
  for (const auto& [name, value] : report) {
    const std::string quoted = name_in_json(name);
    std::size_t left = 0;
    if (dom::array list; value.get(list) == simdjson::SUCCESS) {
      out.raw(quoted, cut_list(list, name == "anomalies" ? of_anomalies : of_others, name == "anomalies", left));
    } else if (std::string_view text; value.get(text) == simdjson::SUCCESS) {
      out.text(quoted, words::shortened(std::string(text), kLongestText));
    } else if (const std::string json = simdjson::minify(value); size_in_page(json) <= of_others) {
      out.raw(quoted, json);
    } else {
      left = 1;
      out.raw(quoted, "{}");
    }
    if (left > 0) left_out.number(quoted, left);
    some |= left > 0;
  }
  if (some) out.raw("left_out", left_out.done());
  return out.done();
}

struct Cell {
  bool happened = false;
  std::size_t steps = 0, size = 0;  // of its transcript
};

std::optional<Cell> cell_of(const dom::element& element) {
  Cell cell;
  dom::array transcript;
  if (element["transcript"].get(transcript) != simdjson::SUCCESS) return std::nullopt;
  std::string_view outcome;
  cell.happened = element["outcome"].get(outcome) == simdjson::SUCCESS && outcome == "happened";
  cell.steps = transcript.size();
  cell.size = size_in_page(simdjson::minify(transcript));
  if (dom::element final; element["final"].get(final) == simdjson::SUCCESS)
    cell.size += size_in_page(simdjson::minify(final));
  return cell;
}

std::string cell_json(const dom::element& element, bool whole) {
  dom::object object;
  if (whole || element.get(object) != simdjson::SUCCESS) return simdjson::minify(element);
  JsonObject out;
  std::size_t steps = 0;
  for (const auto& [name, value] : object) {
    const std::string quoted = name_in_json(name);
    if (dom::array list; name == "transcript" && value.get(list) == simdjson::SUCCESS) {
      steps = list.size();
      out.raw(quoted, "[]");
    } else if (name == "final") {
      out.raw(quoted, "{}");
    } else if (std::string_view text; value.get(text) == simdjson::SUCCESS) {
      out.text(quoted, words::shortened(std::string(text), kLongestText));
    } else {
      out.raw(quoted, simdjson::minify(value));
    }
  }
  return out.number("left_out", steps).done();
}

// Its cells in the order in which they stand; `keep` says of each whether its transcript stays.
template <typename Keep>
std::string probe_json(dom::object probe, std::size_t room, Keep&& keep) {
  JsonObject out;
  for (const auto& [name, value] : probe) {
    dom::array cases;
    if (name != "cases" || value.get(cases) != simdjson::SUCCESS) {
      out.raw(name_in_json(name), simdjson::minify(value));
      continue;
    }
    std::vector<std::string> kept;
    std::size_t taken = 0, left = 0;
    for (const dom::element& one : cases) {
      JsonObject shown;
      dom::object members;
      if (one.get(members) != simdjson::SUCCESS) continue;
      for (const auto& [member, inside] : members) {
        dom::array cells;
        if (member != "cells" || inside.get(cells) != simdjson::SUCCESS) {
          shown.raw(name_in_json(member), simdjson::minify(inside));
          continue;
        }
        shown.raw(member, json_list(cells, [&](const dom::element& cell) { return cell_json(cell, keep(cell)); }));
      }
      std::string text = shown.done();
      taken += size_in_page(text);
      if (taken > room) {
        ++left;
      } else {
        kept.push_back(std::move(text));
      }
    }
    out.raw("cases", json_list(kept, [](const std::string& text) { return text; }));
    if (left > 0) out.number("cases_left_out", left);
  }
  return out.done();
}

}  // namespace

std::size_t size_in_page(std::string_view json) {
  return json.size() + 5 * static_cast<std::size_t>(
                               std::ranges::count_if(json, [](char c) { return c == '<' || c == '>' || c == '&'; }));
}

std::string cut_report(dom::object report, std::size_t room) {
  std::size_t of_anomalies = room / 2, of_others = room / 4;
  std::string out = cut_to(report, of_anomalies, of_others);
  while (size_in_page(out) > room && of_others > kLeastRoom) {
    of_others /= 2;
    // What is left of the others' share is worth more to the anomalies, which are why there is a page.
    if (of_others < room / 16) of_anomalies /= 2;
    out = cut_to(report, of_anomalies, of_others);
  }
  return out;
}

std::string cut_probes(std::span<const std::string> probes, std::size_t room) {
  const std::string all = json_list(probes, [](const std::string& one) { return one; });
  if (size_in_page(all) <= room) return all;
  std::vector<dom::parser> parsers(probes.size());
  std::vector<dom::object> objects;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    dom::object object;
    if (parsers[i].parse(probes[i]).get(object) == simdjson::SUCCESS) objects.push_back(object);
  }
  // Without any transcript, to know what room is left for them; and what each cell would take.
  std::vector<Cell> cells;
  const auto none = [&](const dom::element& element) {
    cells.push_back(cell_of(element).value_or(Cell{}));
    return false;
  };
  const std::string bare = json_list(objects, [&](dom::object one) { return probe_json(one, SIZE_MAX, none); });
  if (size_in_page(bare) > room) {
    const std::size_t share = room / objects.size();
    return json_list(objects, [&](dom::object one) { return probe_json(one, share - share / 8, none); });
  }
  std::size_t left = room - size_in_page(bare);
  std::vector<bool> keeps(cells.size(), false);
  for (const bool happened : {true, false}) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].happened != happened || cells[i].size > left) continue;
      keeps[i] = true;
      left -= cells[i].size;
    }
  }
  std::size_t next = 0;
  const auto chosen = [&](const dom::element&) { return static_cast<bool>(keeps[next++]); };
  return json_list(objects, [&](dom::object one) { return probe_json(one, SIZE_MAX, chosen); });
}

}  // namespace isolde::cli
