// record/basic/bank.cc: transfers between accounts that keep the sum, and reads of all accounts in one statement.
#include <vector>

#include "record/basic/basic.h"
#include "record/basic/item_workload.h"

namespace isolde::record {
namespace {

constexpr Shape kBankShape = {.name = "bank", .keys = 10, .fewest_keys = 2, .reads = 0.3, .for_update = true};

constexpr std::int64_t kFirstTransferBalance = 100;

class Bank final : public ItemWorkload {
 public:
  Bank(const Settings& settings, const db::Dialect& dialect)
      // `w` is new with every write, so that a balance that comes again still tells its writer.
      : ItemWorkload(settings, ItemTable(dialect, "accounts", {"balance", "w"}), settings.keys,
                     [](std::uint32_t) { return ItemColumns{kFirstTransferBalance, 0}; }),
        sampler_(settings.sampler(settings.keys)) {}

  void transaction(Client& client, Rng& rng) override {
    if (rng.chance(settings().reads)) return read_all(client);
    const std::int64_t from = sampler_.draw(rng);
    std::int64_t to = sampler_.draw(rng);
    if (to == from) to = (from + 1) % settings().keys;
    const std::int64_t amount = rng.between(1, 20);

    if (!client.begin()) return;
    ItemRow payer;
    ItemRow payee;
    // What locks goes in the order of keys, so that two transfers between the same accounts do not deadlock.
    const bool up = from < to;
    const bool payer_first = settings().lock == Lock::kNone || up;
    if (!table().read(client, payer_first ? from : to, settings().lock, payer_first ? payer : payee)) return;
    if (!table().read(client, payer_first ? to : from, settings().lock, payer_first ? payee : payer)) return;
    if (payer.columns[0] < amount) return client.roll_back();
    const ItemColumns paid = {payer.columns[0] - amount, client.unique()};
    const ItemColumns received = {payee.columns[0] + amount, client.unique()};
    if (!table().update(client, up ? from : to, up ? paid : received)) return;
    if (!table().update(client, up ? to : from, up ? received : paid)) return;
    client.commit();
  }

 private:
  // No account ever comes or goes, so what one statement sees of all is a read of each; of one that is missing, too.
  void read_all(Client& client) const {
    if (!client.begin() || !client.run("select k, balance, w from accounts", {})) return;
    const db::Reply& reply = client.reply();
    std::vector<bool> seen(settings().keys, false);
    for (std::size_t row = 0; row < reply.rows(); ++row) {
      const auto cells = std::span(reply.cells).subspan(row * reply.width, reply.width);
      client.saw(key_text(table().traced(), cells.first(1)), value_text(table().traced(), cells.subspan(1)));
      const auto* const key = std::get_if<std::int64_t>(&cells[0]);
      if (key != nullptr && *key >= 0 && *key < settings().keys) seen[static_cast<std::size_t>(*key)] = true;
    }
    for (std::uint32_t key = 0; key < settings().keys; ++key) {
      if (!seen[key]) client.saw(table().key_of(key), "null");
    }
    client.commit();
  }

  KeySampler sampler_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_bank(const WorkloadOptions& options, const db::Dialect& dialect) {
  return make_of<Bank>(kBankShape, options, dialect);
}

}  // namespace isolde::record
