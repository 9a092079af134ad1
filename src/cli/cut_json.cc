#include "cli/cut_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "report/page/json_text.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kLongestMemberText = 4000, kLongestMemberName = 200;  // bytes
constexpr std::size_t kLeastRoom = 512;         // for a list: from here on nothing is gained
constexpr std::size_t kMostUnreadMembers = 32;  // members that no page reads

// What pages read (web/src/from_json.ts).
constexpr std::array kOfReports = {
    "file",      "level",        "verdict", "method",    "reason",  "why",      "format",         "evidence", "notes",
    "strongest", "levels",       "counts",  "anomalies", "stats",   "trace",    "not_understood", "schema",   "classes",
    "graph",     "dependencies", "removed", "searches",  "targets", "requests", "scope"};
constexpr std::array kOfProbes = {"database", "url", "levels", "cases"};
constexpr std::array kOfCases = {"name", "title", "cells"};
constexpr std::array kOfCells = {"level", "outcome", "by", "by_text", "ends", "final", "transcript"};

// Which members of an object stay: those that are read, once, and a few others. Counts are the page's own.
template <std::size_t Size>
class Members {
 public:
  explicit Members(const std::array<const char*, Size>& read) : read_(read) {}
  bool keeps(std::string_view name) {
    if (name.size() > kLongestMemberName || name == "left_out" || name == "cases_left_out") return ++left_, false;
    const bool is_read = std::ranges::find(read_, name) != read_.end();
    if ((!is_read && others_ == kMostUnreadMembers) || !seen_.emplace(name).second) return ++left_, false;
    others_ += is_read ? 0 : 1;
    return true;
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  const std::array<const char*, Size>& read_;
  std::set<std::string, std::less<>> seen_;
  std::size_t others_ = 0, left_ = 0;
};

// As it is, if it fits; a text is shortened, and of another thing nothing is left.
std::string cut_value(const dom::element& value, std::size_t room) {
  if (std::string_view text; value.get(text) == simdjson::SUCCESS)
    return json_string(words::shortened(std::string(text), std::min(kLongestMemberText, room / 6)));
  std::string json = simdjson::minify(value);
  if (size_in_page(json) <= room) return json;
  return value.is_array() ? "[]" : value.is_object() ? "{}" : "null";
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
  PageObject out, left_out;
  bool some = false;
  Members members(kOfReports);
  for (const auto& [name, value] : report) {
    if (!members.keeps(name)) continue;
    std::size_t left = 0;
    if (dom::array list; value.get(list) == simdjson::SUCCESS) {
      out.raw(name, cut_list(list, name == "anomalies" ? of_anomalies : of_others, name == "anomalies", left));
    } else if (value.is_string()) {
      out.raw(name, cut_value(value, SIZE_MAX));
    } else {
      const std::string json = cut_value(value, of_others);
      left = json == "{}" && dom::object(value).size() > 0 ? 1 : 0;
      out.raw(name, json);
    }
    if (left > 0) left_out.number(name, left);
    some |= left > 0;
  }
  if (members.left() > 0) left_out.number("members", members.left());
  if (some || members.left() > 0) out.raw("left_out", left_out.done());
  return out.done();
}

// Bytes of a probe's parts, and of a probe where there are many.
constexpr std::size_t kOfAText = 6000, kOfLevels = 50'000, kOfACell = 4000;
constexpr std::size_t kLeastOfAProbe = 20'000;

// `whole`: with its transcript, as it is.
std::string cell_json(const dom::element& element, bool whole) {
  dom::object object;
  if (whole) return simdjson::minify(element);
  if (element.get(object) != simdjson::SUCCESS) return "null";
  PageObject out;
  std::size_t steps = 0;
  Members members(kOfCells);
  for (const auto& [name, value] : object) {
    if (!members.keeps(name)) continue;
    if (dom::array list; name == "transcript" && value.get(list) == simdjson::SUCCESS) {
      steps = list.size();
      out.raw(name, "[]");
    } else if (name == "final") {
      out.raw(name, "{}");
    } else {
      out.raw(name, cut_value(value, kOfACell));
    }
  }
  return out.number("left_out", steps).done();
}

struct Cell {
  bool happened = false;
  std::size_t more = 0;  // bytes that it takes with its transcript, and not without
};

Cell cell_of(const dom::element& element) {
  Cell cell;
  std::string_view outcome;
  cell.happened = element["outcome"].get(outcome) == simdjson::SUCCESS && outcome == "happened";
  const std::size_t bare = size_in_page(cell_json(element, false)), whole = size_in_page(cell_json(element, true));
  cell.more = whole - std::min(bare, whole);
  return cell;
}

// None: `room` is too little for what it has beside cases, which stay while there is room. Cells come in the order in
// which they stand: `keep` says of each whether its transcript stays.
template <typename Keep>
std::optional<std::string> probe_json(dom::object probe, std::size_t room, Keep&& keep) {
  PageObject out;
  std::optional<dom::array> cases;
  Members members(kOfProbes);
  for (const auto& [name, value] : probe) {
    if (!members.keeps(name)) continue;
    if (dom::array list; name == "cases" && value.get(list) == simdjson::SUCCESS) {
      cases = list;
    } else {
      out.raw(name, cut_value(value, name == "levels" ? kOfLevels : kOfAText));
    }
  }
  constexpr std::size_t kOfCounts = 64;
  std::size_t taken = size_in_page(out.done()) + kOfCounts, left = 0;
  if (taken > room) return std::nullopt;
  if (!cases) return out.done();
  std::vector<std::string> kept;
  for (const dom::element& one : *cases) {
    dom::object object;
    if (one.get(object) != simdjson::SUCCESS) {
      ++left;
      continue;
    }
    PageObject shown;
    Members of_case(kOfCases);
    for (const auto& [name, value] : object) {
      if (!of_case.keeps(name)) continue;
      if (dom::array cells; name == "cells" && value.get(cells) == simdjson::SUCCESS) {
        shown.raw(name, page_list(cells, [&](const dom::element& cell) { return cell_json(cell, keep(cell)); }));
      } else {
        shown.raw(name, cut_value(value, kOfAText));
      }
    }
    std::string text = shown.done();
    const std::size_t size = size_in_page(text) + 1;
    if (size > room - taken) {
      ++left;
      continue;
    }
    taken += size;
    kept.push_back(std::move(text));
  }
  out.raw("cases", page_list(kept));
  if (left > 0) out.number("cases_left_out", left);
  return out.done();
}

// Calls `f(dom::object)` for each, one at a time: of thousands not all are held.
template <typename F>
void for_each_probe(std::span<const std::string> probes, F&& f) {
  dom::parser parser;
  for (const std::string& probe : probes) {
    dom::object object;
    if (parser.parse(probe).get(object) == simdjson::SUCCESS) f(object);
  }
}

std::string listed(const std::vector<std::string>& texts) { return page_list(texts); }

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

CutProbes cut_probes(std::span<const std::string> probes, std::size_t room) {
  std::string all = page_list(probes);
  if (size_in_page(all) <= room) return {std::move(all)};
  // Without any transcript, to know what room is left for them; and what each cell would take more.
  std::vector<Cell> cells;
  std::vector<std::string> texts;
  for_each_probe(probes, [&](dom::object one) {
    const auto remember = [&](const dom::element& cell) { return cells.push_back(cell_of(cell)), false; };
    texts.push_back(*probe_json(one, SIZE_MAX, remember));
  });
  const std::size_t bare = size_in_page(listed(texts));
  CutProbes out;
  if (bare > room) {
    std::size_t left = room - std::min<std::size_t>(room, 2), to_come = probes.size();
    texts.clear();
    for_each_probe(probes, [&](dom::object one) {
      const std::size_t share = std::min(left, std::max(left / to_come--, kLeastOfAProbe));
      const auto text =
          share > 1 ? probe_json(one, share - 1, [](const dom::element&) { return false; }) : std::nullopt;
      if (!text) return;
      left -= std::min(left, size_in_page(*text) + 1);
      texts.push_back(*text);
    });
    return {listed(texts), probes.size() - texts.size()};
  }
  std::size_t left = room - bare;
  std::vector<bool> keeps(cells.size(), false);
  for (const bool happened : {true, false}) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].happened != happened || cells[i].more > left) continue;
      keeps[i] = true;
      left -= cells[i].more;
    }
  }
  std::size_t next = 0;
  texts.clear();
  for_each_probe(probes, [&](dom::object one) {
    texts.push_back(*probe_json(one, SIZE_MAX, [&](const dom::element&) { return static_cast<bool>(keeps[next++]); }));
  });
  return {listed(texts), probes.size() - texts.size()};
}

}  // namespace isolde::cli
