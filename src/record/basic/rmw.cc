// record/basic/rmw.cc: a key is read and then written, among plain reads and blind writes.
#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kRmwShape = {.name = "rmw",
                             .keys = 50,
                             .ops = 3,
                             .reads = 0.3,
                             .distribution = Distribution::kZipf,
                             .repeated_values = true,
                             .for_update = true};

constexpr double kBlind = 0.15;  // share of the writes

class Rmw final : public ItemWorkload {
 public:
  Rmw(const Settings& settings, const db::Dialect& dialect)
      : ItemWorkload(settings, ItemTable(dialect, "registers", {"v"}), settings.keys,
                     [](std::uint32_t) { return ItemColumns{0}; }),
        sampler_(settings.sampler(settings.keys)) {}

  void transaction(Client& client, Rng& rng) override {
    if (!client.begin()) return;
    for (const PlannedOp op : plan(settings(), sampler_, rng)) {
      if (!op.writes) {
        if (!table().read(client, op.key)) return;
        continue;
      }
      if (!rng.chance(kBlind) && !table().read(client, op.key, settings().lock)) return;
      if (!table().update(client, op.key, new_value(settings(), client, rng))) return;
    }
    client.commit();
  }

 private:
  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_rmw(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<Rmw>(kRmwShape, options, dialect);
}

}  // namespace isolde::record
