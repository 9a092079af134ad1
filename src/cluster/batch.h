// cluster/batch.h: one message of a producer to one partition: a line about itself, then lines of the native format.
//
//   {"from": "app-1", "batch": 17}
//   {"id": 7, "session": 3, "start_ts": 100, "commit_ts": 120, "ops": [["w","x",2]]}
//   …
//
// A producer counts its batches to each partition: 1, 2, 3, …. That count, not the broker's, makes delivery exactly
// once: a batch with a number that was taken before is a repetition, and one that is ahead waits for those between.
// So a producer that does not know whether a batch arrived sends it again, and that is all it has to do. It gives the
// broker no ids to recognise repetitions by: what is sent again must be there again, even if it was lost after it had
// been acknowledged.
//
// {"from": "app-1", "beat": 17} is a sign of life: batch 17 was the last, and the producer holds nothing back.
// Deadlines run from beat to beat: a batch alone says nothing about what its producer has yet to send, because one that
// was cut off for an hour comes back with an hour of transactions.
//
// With "packed": true what follows is not lines but sections, each a varint of its bytes, a varint of its transactions
// (0: lines), and the bytes (cluster/packed.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace isolde::cluster {

struct BatchHead {
  std::string from;
  std::uint64_t number = 0;
  // What no partition can judge alone, counted once per transaction or operation, in one partition:
  std::uint64_t unjudged = 0;  // scans and aggregates, and conditions of updates
  std::uint64_t split = 0;     // transactions of unknown outcome or place whose keys are in several partitions
  bool bye = false;            // the producer's last batch to this partition
  bool beat = false;           // no batch, but a sign of life: `number` is that of the last one
  bool packed = false;         // sections follow
};

struct BatchSection {
  std::uint64_t packed = 0;  // transactions; 0: these are lines
  std::string_view bytes;    // of the message
};

struct Batch {
  BatchHead head;
  std::vector<BatchSection> sections;
};

// `body`: lines, or if head.packed sections.
[[nodiscard]] std::string batch_text(const BatchHead& head, std::string_view body);
void append_section(std::uint64_t packed, std::string_view bytes, std::string& out);
// The error says what is wrong with the first line, or that what follows are no sections.
[[nodiscard]] Result<Batch> read_batch(std::string_view message);

}  // namespace isolde::cluster
