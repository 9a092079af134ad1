#include "bench/tpcc_stream.h"

#include <algorithm>

namespace isolde {
namespace {

constexpr std::uint64_t kTableShift = 40;
enum Table : std::uint64_t { kWarehouse, kDistrict, kCustomer, kStock, kItem, kOrder, kLine, kNewOrder, kHistory };
constexpr std::uint64_t key_of(Table table, std::uint64_t row) { return (std::uint64_t{table} << kTableShift) | row; }

constexpr std::int64_t kLatency = 100'000;   // nanoseconds: there and back
constexpr std::int64_t kWork = 30'000;       // a statement
constexpr std::uint32_t kKeptOrders = 3000;  // a district

}  // namespace

TpccStream::TpccStream(const TpccOptions& options) : o_(options), rng_(options.seed) {
  const auto w = static_cast<std::size_t>(o_.warehouses);
  fixed_.resize(w * (11 + static_cast<std::size_t>(o_.customers) + static_cast<std::size_t>(o_.items)) +
                static_cast<std::size_t>(o_.items));
  next_order_.assign(w * 10, 0);
  delivered_.assign(w * 10, 0);
  planned_.resize(static_cast<std::size_t>(o_.clients));
  for (int c = 0; c < o_.clients; ++c) {
    plan(c);
    clients_.push({rng_.between(0, 1'000'000), c});
  }
}

TpccStream::Row& TpccStream::row(std::uint64_t key) {
  const auto w = static_cast<std::size_t>(o_.warehouses);
  const std::size_t at = key & ((std::uint64_t{1} << kTableShift) - 1);
  const auto customers = static_cast<std::size_t>(o_.customers);
  const auto items = static_cast<std::size_t>(o_.items);
  switch (static_cast<Table>(key >> kTableShift)) {
    case kWarehouse:
      return fixed_[at];
    case kDistrict:
      return fixed_[w + at];
    case kCustomer:
      return fixed_[w * 11 + at];
    case kStock:
      return fixed_[w * (11 + customers) + at];
    case kItem:
      return fixed_[w * (11 + customers + items) + at];
    default:
      return orders_[key];
  }
}

// What the client's next transaction touches.
void TpccStream::plan(int client) {
  plan_.clear();
  const std::uint64_t w = rng_.below(static_cast<std::uint64_t>(o_.warehouses));
  const std::uint64_t district = w * 10 + rng_.below(10);
  const std::uint64_t customer =
      w * static_cast<std::uint64_t>(o_.customers) + rng_.below(static_cast<std::uint64_t>(o_.customers));
  const std::uint64_t order = (district << 24) | next_order_[district];
  const double which = rng_.unit();
  if (which < 0.45) {
    read(key_of(kWarehouse, w));
    update(key_of(kDistrict, district));
    read(key_of(kCustomer, customer));
    ++next_order_[district];
    write(key_of(kOrder, order));
    write(key_of(kNewOrder, order));
    const std::uint64_t lines = 4 + rng_.below(5);
    for (std::uint64_t i = 0; i < lines; ++i) {
      const double skew = rng_.unit();
      const auto item = static_cast<std::uint64_t>(static_cast<double>(o_.items) * skew * skew * skew);
      read(key_of(kItem, item));
      update(key_of(kStock, w * static_cast<std::uint64_t>(o_.items) + item));
      write(key_of(kLine, (order << 4) | i));
    }
  } else if (which < 0.88) {
    update(key_of(kWarehouse, w));
    update(key_of(kDistrict, district));
    update(key_of(kCustomer, customer));
    write(key_of(kHistory, transactions_));
  } else if (which < 0.96 || next_order_[district] < 2) {
    read(key_of(kCustomer, customer));
    const std::uint64_t last = order - (next_order_[district] == 0 ? 0 : 1);
    read(key_of(kOrder, last));
    for (std::uint64_t i = 0; i < 4; ++i) read(key_of(kLine, (last << 4) | i));
  } else {
    std::uint32_t& oldest = delivered_[district];
    if (oldest + kKeptOrders / 2 < next_order_[district]) oldest = next_order_[district] - kKeptOrders / 2;
    if (oldest + 1 < next_order_[district]) {
      const std::uint64_t old = (district << 24) | oldest++;
      read(key_of(kNewOrder, old));
      plan_.push_back({key_of(kNewOrder, old), true, true});
      update(key_of(kOrder, old));
      update(key_of(kCustomer, customer));
    }
    read(key_of(kDistrict, district));
  }
  ++transactions_;
  planned_[static_cast<std::size_t>(client)] = plan_;
}

std::shared_ptr<const Chunk> TpccStream::next(int transactions) {
  HistoryBuilder b;
  b.set_first_place(static_cast<std::int64_t>(made_));
  for (int i = 0; i < transactions;) {
    const Next now = clients_.top();
    clients_.pop();
    // Nobody begins while somebody whose rows it writes is still to commit: it would have to fail.
    std::int64_t free = now.begin;
    for (const Plan& p : planned_[static_cast<std::size_t>(now.client)]) {
      if (p.write) free = std::max(free, row(p.key).committed - kLatency / 2);
    }
    if (free > now.begin) {
      clients_.push({free, now.client});
      continue;
    }
    clients_.push(now);
    run(b, now.client);
    ++i;
    ++made_;
  }
  return std::make_shared<const Chunk>(std::move(*b.finish()));
}

void TpccStream::run(HistoryBuilder& b, int client) {
  const std::int64_t begin = clients_.top().begin;
  clients_.pop();
  const auto& plan = planned_[static_cast<std::size_t>(client)];
  const std::int64_t snapshot = begin + kLatency / 2;
  std::int64_t clock = begin;
  b.begin_txn(b.session(std::int64_t{client}));
  b.set_begin(begin);
  const std::int64_t end_of_ops = begin + static_cast<std::int64_t>(plan.size()) * (kLatency + kWork);
  const std::int64_t committed = end_of_ops + kLatency / 2 + rng_.between(0, kWork);
  const std::int64_t end = committed + kLatency / 2 + rng_.between(0, kWork);
  for (const Plan& p : plan) {
    Row& r = row(p.key);
    const KeyId key = b.key(static_cast<std::int64_t>(p.key));
    if (p.write) {
      if (r.writer != made_ + 1) {
        r.before = r.value;
        r.committed = committed;
        r.writer = made_ + 1;
      }
      r.value = p.removes ? 0 : next_value_++;
      b.write(key, p.removes ? kNullValue : b.values().integer(r.value));
    } else {
      const std::uint32_t seen = r.committed > snapshot && r.writer != made_ + 1 ? r.before : r.value;
      b.read(key, seen == 0 ? kNullValue : b.values().integer(seen));
    }
    b.at(clock, clock + kLatency + kWork);
    clock += kLatency + kWork;
    ++operations_;
  }
  b.set_end(end);
  b.end_txn();
  if (made_ % 200'000 == 199'999) {
    std::erase_if(orders_,
                  [&](const auto& entry) { return entry.second.committed < begin - std::int64_t{300'000'000'000}; });
  }
  this->plan(client);
  clients_.push({end + rng_.between(10'000, 400'000), client});
}

}  // namespace isolde
