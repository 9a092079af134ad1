// cluster/batch.h: one message of a producer to one partition: a line about itself, then lines of the native format.
//
//   {"from": "app-1", "batch": 17}
//   {"id": 7, "session": 3, "start_ts": 100, "commit_ts": 120, "ops": [["w","x",2]]}
//   …
//
// A producer counts its batches to each partition: 1, 2, 3, …. That count, not the broker's, makes delivery exactly
// once: a batch with a number that was taken before is a repetition, and one that is ahead waits for those between.
// So a producer that does not know whether a batch arrived sends it again, and that is all it has to do.
//
// {"from": "app-1", "beat": 17} is a sign of life: batch 17 was the last, and the producer holds nothing back.
// Deadlines run from beat to beat: a batch alone says nothing about what its producer has yet to send, because one that
// was cut off for an hour comes back with an hour of transactions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::cluster {

struct BatchHead {
  std::string from;
  std::uint64_t number = 0;
  // What no partition can judge alone, counted once per transaction or operation, in one partition:
  std::uint64_t unjudged = 0;  // scans and aggregates, and conditions of updates
  std::uint64_t split = 0;     // transactions of unknown outcome whose keys are in several partitions
  bool bye = false;            // the producer's last batch to this partition
  bool beat = false;           // no batch, but a sign of life: `number` is that of the last one
};

struct Batch {
  BatchHead head;
  std::string_view lines;  // of the message
};

[[nodiscard]] std::string batch_text(const BatchHead& head, std::string_view lines);
// The error says what is wrong with the first line.
[[nodiscard]] Result<Batch> read_batch(std::string_view message);

// What the broker knows the batch by.
[[nodiscard]] std::string batch_id(std::string_view producer, std::uint32_t partition, std::uint64_t number);

}  // namespace isolde::cluster
