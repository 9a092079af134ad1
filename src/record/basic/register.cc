// record/basic/register.cc: blind writes and reads of single keys, all of which have a value at all times.
#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kRegisterShape = {.name = "register",
                                  .keys = 100,
                                  .ops = 4,
                                  .reads = 0.5,
                                  .distribution = Distribution::kZipf,
                                  .repeated_values = true};

class Register final : public ItemWorkload {
 public:
  Register(const Settings& settings, const db::Dialect& dialect)
      : ItemWorkload(settings, ItemTable(dialect, "registers", {"v"}), settings.keys,
                     [](std::uint32_t) { return ItemColumns{0}; }),
        sampler_(settings.sampler(settings.keys)) {}

  void transaction(Client& client, Rng& rng) override {
    if (!client.begin()) return;
    for (const PlannedOp op : plan(settings(), sampler_, rng)) {
      const bool done =
          op.writes ? table().update(client, op.key, new_value(settings(), client, rng)) : table().read(client, op.key);
      if (!done) return;
    }
    client.commit();
  }

 private:
  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_register(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<Register>(kRegisterShape, options, dialect);
}

}  // namespace isolde::record
