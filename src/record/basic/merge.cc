// record/basic/merge.cc: a key is read and then set by MERGE (where there is none: by an upsert) or by UPDATE, on few
// hot keys. PostgreSQL 15.3 and 15.5 lose an UPDATE that commits while a MERGE of the same row is under way.
#include <fmt/format.h>

#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kMergeShape = {.name = "merge", .keys = 8, .reads = 0.1, .for_update = true};

constexpr double kMerges = 0.5;  // share of the transactions that write

class Merge final : public ItemWorkload {
 public:
  Merge(const Settings& settings, const db::Dialect& dialect)
      : ItemWorkload(settings, ItemTable(dialect, "registers", {"v"}), settings.keys,
                     [](std::uint32_t) { return ItemColumns{0}; }),
        sampler_(settings.sampler(settings.keys)),
        has_merge_(dialect.has_merge) {}

  void transaction(Client& client, Rng& rng) override {
    const std::int64_t key = sampler_.draw(rng);
    const std::int64_t other = sampler_.draw(rng);
    if (!client.begin()) return;
    if (rng.chance(settings().reads)) {
      if (!table().read(client, key) || !table().read(client, other)) return;
      client.commit();
      return;
    }
    if (!table().read(client, key, settings().lock)) return;
    // A second read leaves the others time to commit between the snapshot and the write.
    if (other != key && !table().read(client, other)) return;
    const std::int64_t value = client.unique();
    const bool done = rng.chance(kMerges) ? merge(client, key, value) : table().update(client, key, value);
    if (done) client.commit();
  }

 private:
  [[nodiscard]] bool merge(Client& client, std::int64_t key, std::int64_t value) const {
    if (!has_merge_) return table().upsert(client, key, value);
    static constexpr std::string_view kMerge =
        "merge into registers as t using (select cast(? as bigint) as k, cast(? as bigint) as v) as s on t.k = s.k "
        "when matched then update set v = s.v when not matched then insert (k, v) values (s.k, s.v)";
    if (!client.run(kMerge, {key, value})) return false;
    if (client.reply().changed > 0) client.wrote(table().key_of(key), table().value_of(std::span(&value, 1)));
    return true;
  }

  KeySampler sampler_;
  bool has_merge_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_merge(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<Merge>(kMergeShape, options, dialect);
}

}  // namespace isolde::record
