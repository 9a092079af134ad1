// record/standard/key_value.h: one table of integers by integer keys, all there from the start: BlindW and YCSB.
//
// Always: keys are 0 … keys-1; each holds 0 until it is first written; values are unique unless repeated ones were
//         asked for.
#pragma once

#include <string>

#include "base/rng.h"
#include "gen/sampler.h"
#include "record/workload/workload.h"

namespace isolde::record {

struct KeyValueShape {
  std::string table, key_column, value_column;
  std::uint32_t keys = 0, ops = 0;
  bool repeated_values = false;
};

class KeyValueWorkload : public Workload {
 public:
  KeyValueWorkload(KeyValueShape shape, const db::Dialect& dialect);

  [[nodiscard]] std::vector<std::string> schema() const override;
  [[nodiscard]] std::span<const TracedTable> tables() const override { return {&table_, 1}; }
  [[nodiscard]] Result<void> load(db::Connection& connection) override;
  [[nodiscard]] std::string initial() const override { return "0"; }

  [[nodiscard]] const KeyValueShape& shape() const { return shape_; }
  // False: the transaction is over.
  [[nodiscard]] bool read(Client& client, std::uint32_t key) const;
  [[nodiscard]] bool read_range(Client& client, std::uint32_t first, std::uint32_t last) const;
  [[nodiscard]] bool write(Client& client, std::uint32_t key, Rng& rng) const;

 private:
  KeyValueShape shape_;
  TracedTable table_;
  std::string table_options_, select_, select_range_, update_;
};

// What a workload is asked for, or what it takes; an error if that makes no sense.
[[nodiscard]] Result<KeyValueShape> key_value_shape(const WorkloadOptions& options, std::uint64_t keys,
                                                    std::uint32_t ops);

}  // namespace isolde::record
