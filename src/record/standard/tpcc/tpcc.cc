// record/standard/tpcc/tpcc.cc: TPC-C as a workload: the standard's mix of its five transactions.
//
// Scale is the number of warehouses; `keys` the number of items (the standard's 100,000 give all of its counts).
// A client's home warehouse is its number modulo the warehouses.
#include <fmt/format.h>

#include <algorithm>

#include "record/standard/standard.h"
#include "record/standard/tpcc/transactions.h"

namespace isolde::record {
namespace {

constexpr std::int64_t kItems = 1'000;
constexpr std::int64_t kItemsOfTheStandard = 100'000;
constexpr std::int64_t kCustomersOfTheStandard = 3'000;
constexpr std::int64_t kFewestCustomers = 30;
constexpr std::uint32_t kMostWarehouses = 10'000;

struct Share {
  std::uint64_t percent;
  std::unique_ptr<tpcc::Transaction> (*make)(const tpcc::Context& context);
};
constexpr Share kMix[] = {{45, &tpcc::make_new_order},
                          {43, &tpcc::make_payment},
                          {4, &tpcc::make_order_status},
                          {4, &tpcc::make_delivery},
                          {4, &tpcc::make_stock_level}};

class Tpcc : public Workload {
 public:
  Tpcc(tpcc::Context context, std::uint64_t seed)
      : context_(std::move(context)), seed_(seed), tables_(tpcc::tables().all()) {
    for (const Share& share : kMix) transactions_.push_back(share.make(context_));
  }

  std::vector<std::string> schema() const override { return tpcc::schema(context_.dialect); }
  std::span<const TracedTable> tables() const override { return tables_; }
  Result<void> load(db::Connection& connection) override { return tpcc::load(connection, context_.counts, seed_); }
  std::string initial() const override { return tpcc::initial(context_.counts, seed_); }
  std::unique_ptr<WorkloadSession> session(std::uint32_t client, Rng rng) override {
    return std::make_unique<Session>(*this, client % context_.counts.warehouses + 1, rng);
  }

 private:
  class Session : public WorkloadSession {
   public:
    Session(const Tpcc& workload, std::int64_t home, Rng rng) : workload_(workload), home_(home), rng_(rng) {}

    void transaction(Client& client) override {
      Rng rng(rng_.next());  // of this transaction: what the one before came to changes nothing
      std::uint64_t percent = rng.below(100);
      std::size_t kind = 0;
      while (percent >= kMix[kind].percent) percent -= kMix[kind++].percent;
      workload_.transactions_[kind]->run(client, home_, rng);
    }

   private:
    const Tpcc& workload_;
    std::int64_t home_;
    Rng rng_;
  };

  tpcc::Context context_;
  std::uint64_t seed_;
  std::vector<TracedTable> tables_;
  std::vector<std::unique_ptr<tpcc::Transaction>> transactions_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_tpcc(const WorkloadOptions& o, const db::Dialect& d) {
  if (o.scale == 0 || o.scale > kMostWarehouses)
    return Error{fmt::format("tpcc takes 1 to {} warehouses, not {}", kMostWarehouses, o.scale)};
  if (o.keys && (*o.keys < 1 || *o.keys > kItemsOfTheStandard))
    return Error{fmt::format("tpcc takes 1 to {} items, not {}", kItemsOfTheStandard, *o.keys)};
  tpcc::Context context = {.counts = {}, .dialect = d, .for_update = {}};
  context.counts.warehouses = o.scale;
  context.counts.items = o.keys ? std::int64_t{*o.keys} : kItems;
  context.counts.customers =
      std::max(kFewestCustomers, context.counts.items * kCustomersOfTheStandard / kItemsOfTheStandard);
  if (o.for_update && !d.for_update.empty()) {
    context.for_update = d.for_update;
    context.lock = Lock::kUpdate;
  }
  return std::unique_ptr<Workload>(std::make_unique<Tpcc>(std::move(context), o.seed));
}

}  // namespace isolde::record
