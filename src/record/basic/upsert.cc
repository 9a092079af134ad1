// record/basic/upsert.cc: INSERT that overwrites a row that is there already, on keys that come and go.
#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kUpsertShape = {
    .name = "upsert", .keys = 50, .ops = 3, .reads = 0.5, .distribution = Distribution::kZipf, .repeated_values = true};

constexpr double kDeletes = 0.2;  // share of the writes

class UpsertWorkload final : public ItemWorkload {
 public:
  UpsertWorkload(const Settings& settings, const db::Dialect& dialect)
      : ItemWorkload(settings, ItemTable(dialect, "registers", {"v"}), 0, nullptr),
        sampler_(settings.sampler(settings.keys)) {}

  void transaction(Client& client, Rng& rng) override {
    if (!client.begin()) return;
    for (const PlannedOp op : plan(settings(), sampler_, rng)) {
      if (!op.writes) {
        if (!table().read(client, op.key)) return;
        continue;
      }
      const bool done = rng.chance(kDeletes) ? table().remove(client, op.key)
                                             : table().upsert(client, op.key, new_value(settings(), client, rng));
      if (!done) return;
    }
    client.commit();
  }

 private:
  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_upsert(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<UpsertWorkload>(kUpsertShape, options, dialect);
}

}  // namespace isolde::record
