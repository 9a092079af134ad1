// record/basic/item_workload.h: what workloads on one ItemTable share: everything but the transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "record/basic/item_table.h"
#include "record/basic/settings.h"
#include "record/workload/workload.h"

namespace isolde::record {

class ItemWorkload : public Workload {
 public:
  std::vector<std::string> schema() const override { return {table_.schema()}; }
  std::span<const TracedTable> tables() const override { return std::span(&table_.traced(), 1); }
  Result<void> load(db::Connection& connection) override {
    return first_row_ ? table_.load(connection, rows_, first_row_) : Result<void>();
  }
  std::string initial() const override {
    if (!first_row_) return "null";
    // Registers are alike at first, and a header with millions of keys helps nobody.
    return table_.traced().style == ValueStyle::kScalar ? table_.value_of(first_row_(0))
                                                        : table_.initial(rows_, first_row_);
  }
  std::unique_ptr<WorkloadSession> session(std::uint32_t, Rng rng) override {
    return std::make_unique<SessionOf<ItemWorkload>>(*this, rng);
  }

  // Many threads call it at once.
  virtual void transaction(Client& client, Rng& rng) = 0;

 protected:
  // `first_row` null: no rows at first. Scalars are the same for all keys.
  ItemWorkload(const Settings& settings, ItemTable table, std::uint32_t rows, FirstRow first_row)
      : settings_(settings), table_(std::move(table)), rows_(rows), first_row_(std::move(first_row)) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const ItemTable& table() const { return table_; }

 private:
  Settings settings_;
  ItemTable table_;
  std::uint32_t rows_;
  FirstRow first_row_;
};

// A workload of class W, which is made of Settings and a Dialect.
template <typename W>
[[nodiscard]] Result<std::unique_ptr<Workload>> make_of(const Shape& shape, const WorkloadOptions& options,
                                                        const db::Dialect& dialect) {
  auto settings = settle(shape, options, dialect);
  if (!settings) return std::move(settings).error();
  return std::unique_ptr<Workload>(std::make_unique<W>(*settings, dialect));
}

}  // namespace isolde::record
