// report/page/shown_history.h: the part of a history that a page carries, with places instead of ids.
//
// Always: a place is given once and stays; what was never asked for is not carried.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/page/check_page.h"
#include "report/page/key_versions.h"

namespace isolde {

// Of a key or session, in letters: one of a megabyte is no name that a person reads.
inline constexpr std::size_t kLongestName = 200;

class ShownHistory {
 public:
  ShownHistory(const History& history, const PageOptions& options) : history_(history), options_(options) {}

  [[nodiscard]] const History& history() const { return history_; }
  // The place of a transaction among those carried.
  std::uint32_t transaction(TxnId t);
  // … of a key.
  std::uint32_t key(KeyId k);
  // The operation is among those shown of its transaction.
  void want(OpId op);
  // Some transactions that ran while those shown did, by the client's clock or the database's.
  void add_around();

  // The place of the operation among those shown of its transaction. Requires: want(op), and no want() after.
  [[nodiscard]] std::uint32_t operation(OpId op);

  [[nodiscard]] std::string transactions_json();
  [[nodiscard]] std::string keys_json();

 private:
  [[nodiscard]] const std::vector<std::uint32_t>& shown_operations(TxnId t);
  [[nodiscard]] std::string transaction_json(TxnId t);
  // By key and value: places of the transactions of anomalies that read it.
  using Readers = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>>;
  [[nodiscard]] Readers readers();
  [[nodiscard]] std::string versions_json(KeyId k, const VersionsOfKey& order, const Readers& readers);

  const History& history_;
  const PageOptions& options_;
  std::vector<TxnId> transactions_;
  std::unordered_map<std::uint32_t, std::uint32_t> transaction_place_, key_place_;
  std::vector<KeyId> keys_;
  std::set<std::uint32_t> wanted_;                                       // operations
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> shown_;  // by transaction
  std::size_t around_from_ = SIZE_MAX;                                   // places from here on are of add_around()
};

}  // namespace isolde
