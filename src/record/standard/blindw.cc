// record/standard/blindw.cc: BlindW-W, BlindW-RW, BlindW-RW+.
//
// 2,000 keys a scale, eight operations a transaction on keys drawn uniformly. Values are unique integers where the
// papers have strings of 140 characters.  Source: Cobra; Leopard (section VI).
#include <algorithm>

#include "record/standard/key_value.h"
#include "record/standard/standard.h"

namespace isolde::record {
namespace {

constexpr std::uint32_t kBlindWKeysAScale = 2'000;
constexpr std::uint32_t kBlindWOps = 8;
constexpr std::uint32_t kRangeKeys = 10;

struct BlindWMix {
  double reading = 0;  // share of transactions that read; the others write
  double ranges = 0;   // share of range reads among the reads
};

class BlindW : public KeyValueWorkload {
 public:
  BlindW(KeyValueShape shape, BlindWMix mix, const WorkloadOptions& options, const db::Dialect& dialect)
      : KeyValueWorkload(std::move(shape), dialect),
        mix_(mix),
        keys_(options.distribution.value_or(Distribution::kUniform), this->shape().keys, options.zipf_exponent) {}

  std::unique_ptr<WorkloadSession> session(std::uint32_t, Rng rng) override {
    return std::make_unique<Session>(*this, rng);
  }

 private:
  class Session : public WorkloadSession {
   public:
    Session(const BlindW& workload, Rng rng) : workload_(workload), rng_(rng) {}

    void transaction(Client& client) override {
      Rng rng(rng_.next());  // of this transaction: what the one before came to changes nothing
      if (!client.begin()) return;
      const bool reads = rng.chance(workload_.mix_.reading);
      for (std::uint32_t i = 0; i < workload_.shape().ops; ++i) {
        if (!(reads ? read(client, rng) : workload_.write(client, workload_.keys_.draw(rng), rng))) return;
      }
      client.commit();
    }

   private:
    bool read(Client& client, Rng& rng) {
      const bool range = rng.chance(workload_.mix_.ranges);
      const std::uint32_t key = workload_.keys_.draw(rng);
      if (!range) return workload_.read(client, key);
      const std::uint32_t keys = workload_.shape().keys;
      const std::uint32_t first = std::min(key, keys - std::min(keys, kRangeKeys));
      return workload_.read_range(client, first, std::min(first + kRangeKeys, keys) - 1);
    }

    const BlindW& workload_;
    Rng rng_;
  };

  BlindWMix mix_;
  KeySampler keys_;
};

Result<std::unique_ptr<Workload>> make_blindw(BlindWMix mix, const WorkloadOptions& options,
                                              const db::Dialect& dialect) {
  auto shape = key_value_shape(options, std::uint64_t{kBlindWKeysAScale} * options.scale, kBlindWOps);
  if (!shape) return std::move(shape).error();
  if (options.reads) mix.reading = *options.reads;
  shape->table = "blindw";
  shape->key_column = "k";
  shape->value_column = "v";
  return std::unique_ptr<Workload>(std::make_unique<BlindW>(std::move(*shape), mix, options, dialect));
}

}  // namespace

Result<std::unique_ptr<Workload>> make_blindw_w(const WorkloadOptions& o, const db::Dialect& d) {
  if (o.reads && *o.reads > 0) return Error{"blindw-w has no reads: use blindw-rw"};
  return make_blindw({.reading = 0, .ranges = 0}, o, d);
}

Result<std::unique_ptr<Workload>> make_blindw_rw(const WorkloadOptions& o, const db::Dialect& d) {
  return make_blindw({.reading = 0.5, .ranges = 0}, o, d);
}

Result<std::unique_ptr<Workload>> make_blindw_rw_plus(const WorkloadOptions& o, const db::Dialect& d) {
  return make_blindw({.reading = 0.5, .ranges = 0.5}, o, d);
}

}  // namespace isolde::record
