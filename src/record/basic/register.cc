// record/basic/register.cc: blind writes and reads of single keys, all of which have a value at all times.
#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kShape = {.name = "register",
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
    for (std::uint32_t i = 0; i < settings().ops; ++i) {
      const std::int64_t key = sampler_.draw(rng);
      const bool done = rng.chance(settings().reads) ? table().read(client, key)
                                                     : table().update(client, key, new_value(settings(), client, rng));
      if (!done) return;
    }
    client.commit();
  }

 private:
  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_register(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<Register>(kShape, options, dialect);
}

}  // namespace isolde::record
