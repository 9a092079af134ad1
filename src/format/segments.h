// format/segments.h: a history in parts: a folder of `.isl` files, for checks by several ranks or in several passes.
//
// Layout:  segments.json, the manifest, one line per part: {"file": …, "transactions": n, "operations": n, "bytes": n};
//          part-00000.isl, part-00001.isl, …, each with the transactions that follow those of the part before, and with
//          tables of its own, so each can be checked by itself; rest.isl, if there are version orders (which name
//          versions of several parts) or keys that no operation names.
// Always:  the parts together are the history: names, values, order of transactions, evidence. A part that is missing,
//          or is not as the manifest says, is an error.
// Cost:    writing: one part in memory beside the history. Reading all: as the history itself, and one part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/format.h"

namespace isolde {

extern const FormatInfo kSegmentsFormat;

struct Segment {
  std::string file;  // in the folder
  std::uint64_t transactions = 0, operations = 0, bytes = 0;
};

struct SegmentList {
  std::string folder;
  std::vector<Segment> parts;
  std::string rest;                                           // the file; empty: none
  std::uint64_t transactions = 0, operations = 0, bytes = 0;  // of all parts
};

// Whether there is a manifest in this folder.
[[nodiscard]] bool is_segment_folder(const std::string& path);
[[nodiscard]] Result<SegmentList> read_segment_list(const std::string& folder);
// `known`: the checksum of a part that was read before, and was well formed (0: none). The same content is not judged
// again. It is set to that of what was read.
[[nodiscard]] Result<History> read_segment(const SegmentList& list, std::size_t part, std::uint64_t& known);
// Requires: there is one.
[[nodiscard]] Result<History> read_segment_rest(const SegmentList& list);

// Writes parts one after the other. The manifest comes last: without it the folder is no history.
class SegmentWriter {
 public:
  explicit SegmentWriter(std::string folder) : list_{std::move(folder), {}, {}, 0, 0, 0} {}
  // Creates the folder; an error if it has files.
  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> add(const History& part);
  [[nodiscard]] Result<void> add_rest(const History& rest);
  [[nodiscard]] Result<SegmentList> close();

 private:
  [[nodiscard]] Result<std::uint64_t> write(const History& part, const std::string& file) const;
  SegmentList list_;
};

// The whole history in `count` parts of about as many transactions each.
[[nodiscard]] Result<SegmentList> save_segments(const History& history, const std::string& folder, std::size_t count);

}  // namespace isolde
