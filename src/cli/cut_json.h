// cli/cut_json.h: what verbs print with --json, cut to what a page can carry.
//
// Always: what comes back keeps to the room, whatever somebody put into the file: members that no page reads stay only
//         while there are few, none stays twice, names and texts are short. What is not carried is counted: "left_out"
//         has a number for each list of a report and for members, and a cell of a probe says how many steps of its
//         transcript are not there. The most telling parts stay longest: the first anomalies, and the transcripts of
//         what happened.
// Cost:   linear in the text, again for each time that it has to be halved.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace isolde::cli {

// Bytes that a piece of JSON takes in a page, where some letters are escaped.
[[nodiscard]] std::size_t size_in_page(std::string_view json);

// A report of check or audit that takes at most `room` bytes in a page. Requires: room for a megabyte at least.
[[nodiscard]] std::string cut_report(simdjson::dom::object report, std::size_t room);

struct CutProbes {
  std::string json;          // a list
  std::size_t left_out = 0;  // whole probes
};
// A list of what `isolde probe --json` prints, an object each.
[[nodiscard]] CutProbes cut_probes(std::span<const std::string> probes, std::size_t room);

}  // namespace isolde::cli
