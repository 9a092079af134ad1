// record/basic/long_fork.cc: transactions that write one key, and transactions that read a group of keys one by one.
// Two readers that see two writes of a group in opposite orders show a long fork. Source: Jepsen (long-fork).
#include <vector>

#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kLongForkShape = {
    .name = "long-fork", .keys = 12, .fewest_keys = 2, .ops = 3, .fewest_ops = 2, .reads = 0.5};

class LongFork final : public ItemWorkload {
 public:
  LongFork(const Settings& settings, const db::Dialect& dialect)
      : ItemWorkload(settings, ItemTable(dialect, "registers", {"v"}), settings.keys,
                     [](std::uint32_t) { return ItemColumns{0}; }),
        size_(std::min(settings.ops, settings.keys)),
        sampler_(settings.sampler(settings.keys / size_)) {}

  void transaction(Client& client, Rng& rng) override {
    const std::int64_t first = static_cast<std::int64_t>(sampler_.draw(rng)) * size_;
    if (!rng.chance(settings().reads)) {
      const std::int64_t key = first + rng.between(0, size_ - 1);
      if (client.begin() && table().update(client, key, client.unique())) client.commit();
      return;
    }
    std::vector<std::int64_t> group(size_);
    for (std::uint32_t i = 0; i < size_; ++i) group[i] = first + i;
    for (std::uint32_t i = size_ - 1; i > 0; --i) std::swap(group[i], group[rng.below(i + 1)]);
    if (!client.begin()) return;
    for (const std::int64_t key : group) {
      if (!table().read(client, key)) return;
    }
    client.commit();
  }

 private:
  std::uint32_t size_;  // of a group; keys beyond the last whole group stay as they are
  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_long_fork(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<LongFork>(kLongForkShape, options, dialect);
}

}  // namespace isolde::record
