// record/basic/write_skew.cc: pairs of doctors, of which one must be on call: both rows are read, one is written.
// Source: Fekete et al. (write skew), Cahill et al. (doctors on call).
#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kWriteSkewShape = {.name = "write-skew", .keys = 16, .fewest_keys = 2, .for_update = true};

constexpr double kInspections = 0.1;  // share of the transactions that read a pair and write nothing

class WriteSkew final : public ItemWorkload {
 public:
  WriteSkew(const Settings& settings, const db::Dialect& dialect)
      : ItemWorkload(settings, ItemTable(dialect, "doctors", {"on_call", "w"}), settings.keys / 2 * 2,
                     [](std::uint32_t) { return ItemColumns{1, 0}; }),
        sampler_(settings.sampler(settings.keys / 2)) {}

  void transaction(Client& client, Rng& rng) override {
    if (!client.begin()) return;
    const std::int64_t pair = sampler_.draw(rng);
    const std::int64_t one = 2 * pair + rng.between(0, 1);
    const std::int64_t other = 4 * pair + 1 - one;
    ItemRow first;
    ItemRow second;
    // Reads that lock go in the order of keys, lest they deadlock.
    const bool up = settings().lock == Lock::kNone || one < other;
    if (!table().read(client, up ? one : other, settings().lock, up ? first : second)) return;
    if (!table().read(client, up ? other : one, settings().lock, up ? second : first)) return;
    if (rng.chance(kInspections)) {
      client.commit();
      return;
    }
    // Whoever is off duty comes back; of two on call the first may go, since the second stays: if nobody else decides
    // the same at the same time.
    if (first.columns[0] == 0) {
      if (!table().update(client, one, ItemColumns{1, client.unique()})) return;
    } else if (second.columns[0] == 0) {
      if (!table().update(client, other, ItemColumns{1, client.unique()})) return;
    } else {
      if (!table().update(client, one, ItemColumns{0, client.unique()})) return;
    }
    client.commit();
  }

 private:
  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_write_skew(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<WriteSkew>(kWriteSkewShape, options, dialect);
}

}  // namespace isolde::record
