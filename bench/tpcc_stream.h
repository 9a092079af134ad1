// bench/tpcc_stream.h: an endless stream of TPC-C-shaped transactions as a snapshot database would run them.
//
// In, out: a size -> chunks of some hundred transactions in order of begin, each operation with its interval.
// Always:  valid at snapshot isolation with row locks and first updater wins; every value is written once; the clients'
//          intervals overlap, as real ones do. Orders, lines and history are inserted forever.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "history/chunk.h"
#include "history/history_builder.h"

namespace isolde {

struct TpccOptions {
  std::uint64_t seed = 1;
  int warehouses = 8;
  int clients = 24;
  int items = 100'000;     // and stock a warehouse
  int customers = 30'000;  // a warehouse
};

class TpccStream {
 public:
  explicit TpccStream(const TpccOptions& options);
  // Every transaction of it begins before those of the next.
  [[nodiscard]] std::shared_ptr<const Chunk> next(int transactions);
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  struct Row {
    std::uint32_t value = 0, before = 0;  // 0: absent
    std::int64_t committed = 0;           // of `value`
    std::uint64_t writer = 0;             // of `value`: its transaction, from 1
  };
  struct Plan {
    std::uint64_t key;
    bool write;
    bool removes;
  };
  void plan(int client);
  void run(HistoryBuilder& b, int client);
  Row& row(std::uint64_t key);
  void read(std::uint64_t key) { plan_.push_back({key, false, false}); }
  void write(std::uint64_t key) { plan_.push_back({key, true, false}); }
  void update(std::uint64_t key) {
    read(key);
    write(key);
  }

  const TpccOptions o_;
  Rng rng_;
  std::vector<Row> fixed_;
  std::unordered_map<std::uint64_t, Row> orders_;  // recent ones
  std::vector<std::uint32_t> next_order_, delivered_;
  struct Next {
    std::int64_t begin;
    int client;
    friend bool operator<(const Next& a, const Next& b) { return a.begin > b.begin; }
  };
  std::priority_queue<Next> clients_;
  std::vector<std::vector<Plan>> planned_;
  std::vector<Plan> plan_;
  std::uint32_t next_value_ = 1;
  std::uint64_t operations_ = 0, transactions_ = 0, made_ = 0;
};

}  // namespace isolde
