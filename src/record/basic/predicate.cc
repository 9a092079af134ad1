// record/basic/predicate.cc: range reads, aggregates, and updates and deletes of ranges, among reads and writes of
// single rows that move them into ranges and out of them, and make and remove rows.
#include <atomic>
#include <vector>

#include "record/basic/basic.h"
#include "record/basic/item_workload.h"
#include "record/basic/range_statements.h"

namespace isolde::record {
namespace {

// Shares of the reading operations; what is neither reads one row. Shares of the writing ones: what is none of these
// reads a row and removes it, or makes a new one if it was gone. Rows go seldom: each leaves a key behind for good, and
// every predicate is about all keys.
struct PredicateMix {
  double scans, aggregates;
  double range_updates, range_deletes, updates;
};

constexpr Shape kPredicate = {.name = "predicate", .keys = 40, .ops = 3, .reads = 0.5, .for_update = true};
constexpr PredicateMix kPredicateMix = {
    .scans = 0.5, .aggregates = 0.25, .range_updates = 0.45, .range_deletes = 0.005, .updates = 0.525};
constexpr Shape kUpdates = {.name = "predicate-updates", .keys = 40, .ops = 3, .reads = 0.2, .for_update = true};
constexpr PredicateMix kUpdatesMix = {
    .scans = 0.8, .aggregates = 0.2, .range_updates = 0.75, .range_deletes = 0.02, .updates = 0.2};

constexpr std::int64_t kWidest = 12;  // a range of a; there are two and a half times as many values of a as keys
constexpr std::int64_t kMostB = 9;

std::int64_t a_of_key(std::int64_t key) { return key * 5 / 2; }

class PredicateWorkload final : public ItemWorkload {
 public:
  PredicateWorkload(const Settings& settings, const db::Dialect& dialect, const PredicateMix& mix)
      : ItemWorkload(settings, ItemTable(dialect, "items", {"a", "b", "w"}, Absent::kScan), settings.keys,
                     [](std::uint32_t key) { return ItemColumns{a_of_key(key), key % (kMostB + 1), 0}; }),
        sampler_(settings.sampler(settings.keys)),
        ranges_(dialect, table()),
        mix_(mix),
        keys_(settings.keys) {
    for (std::uint32_t i = 0; i < settings.keys; ++i) keys_[i] = i;
  }

  std::vector<std::string> schema() const override { return {table().schema(), "create index items_a on items (a)"}; }

  void transaction(Client& client, Rng& rng) override {
    if (!client.begin()) return;
    std::vector<Made> made;
    for (std::uint32_t i = 0; i < settings().ops; ++i) {
      if (!(rng.chance(settings().reads) ? read(client, rng) : write(client, rng, made))) return;
    }
    if (!client.commit()) return;
    for (const Made& m : made) keys_[m.place].store(m.key, std::memory_order_relaxed);
  }

 private:
  struct Made {
    std::uint32_t place;
    std::int64_t key;
  };

  [[nodiscard]] bool read(Client& client, Rng& rng) const {
    const double kind = rng.unit();
    if (kind >= mix_.scans + mix_.aggregates) return table().read(client, key_at(sampler_.draw(rng)), settings().lock);
    // A condition that no index serves is rare: a database that locks what it looks at locks everything for it.
    const Condition where = rng.chance(0.1) ? either(some_a(rng), rng.between(0, kMostB)) : range(rng);
    if (kind < mix_.scans) return ranges_.scan(client, where, settings().lock);
    // Of columns without an index: so all rows that match are looked at.
    constexpr std::string_view kExpressions[] = {"count(*)", "count(*)", "max(b)", "min(w)"};
    return ranges_.aggregate(client, kExpressions[rng.below(std::size(kExpressions))], where);
  }

  [[nodiscard]] bool write(Client& client, Rng& rng, std::vector<Made>& made) const {
    const double kind = rng.unit();
    if (kind < mix_.range_updates) {
      using Change = RangeStatements::Change;
      constexpr Change kChanges[] = {Change::kSetB, Change::kSetB, Change::kTurnB, Change::kMoveA};
      const Change change = kChanges[rng.below(std::size(kChanges))];
      return ranges_.update(client, change, change == Change::kMoveA ? some_a(rng) : rng.between(0, kMostB),
                            range(rng));
    }
    if (kind < mix_.range_updates + mix_.range_deletes) return ranges_.remove(client, range(rng));
    const std::uint32_t place = sampler_.draw(rng);
    const std::int64_t key = key_at(place);
    const ItemColumns row = {some_a(rng), rng.between(0, kMostB), client.unique()};
    if (kind < mix_.range_updates + mix_.range_deletes + mix_.updates)
      return table().update_if_present(client, key, row);
    ItemRow before;
    if (!table().read(client, key, settings().lock, before)) return false;
    if (before.present) return table().remove(client, key);
    // A key that was deleted does not come again: the workload upsert is about that.
    made.push_back({place, settings().keys + client.unique()});
    return table().insert(client, made.back().key, row);
  }

  // Which row stands at a place now: all clients agree, as soon as the transaction that made it is committed.
  [[nodiscard]] std::int64_t key_at(std::uint32_t place) const { return keys_[place].load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t some_a(Rng& rng) const { return a_of_key(sampler_.draw(rng)) + rng.between(0, 2); }
  [[nodiscard]] Condition range(Rng& rng) const {
    const std::int64_t low = some_a(rng);
    const std::int64_t high = low + rng.between(0, kWidest);
    return rng.chance(0.3) ? range_of_a_with_b_below(low, high, rng.between(1, kMostB)) : range_of_a(low, high);
  }

  KeySampler sampler_;
  RangeStatements ranges_;
  PredicateMix mix_;
  std::vector<std::atomic<std::int64_t>> keys_;  // by place
};

Result<std::unique_ptr<Workload>> make_predicate_workload(const Shape& shape, const PredicateMix& mix,
                                                          const WorkloadOptions& options, const db::Dialect& dialect) {
  auto settings = settle(shape, options, dialect);
  if (!settings) return std::move(settings).error();
  return std::unique_ptr<Workload>(std::make_unique<PredicateWorkload>(*settings, dialect, mix));
}

}  // namespace

Result<std::unique_ptr<Workload>> make_predicate(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_predicate_workload(kPredicate, kPredicateMix, options, dialect);
}

Result<std::unique_ptr<Workload>> make_predicate_updates(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_predicate_workload(kUpdates, kUpdatesMix, options, dialect);
}

}  // namespace isolde::record
