// record/standard/ycsb.cc: YCSB's workload A as transactions.
//
// 1,000 records a scale (YCSB's recordcount), half reads and half updates of a record chosen by zipf 0.99, all in one
// table. YCSB has no transactions: here eight operations make one. A record has one field, a unique integer.
// Source: Cooper et al., Benchmarking cloud serving systems with YCSB (2010), core workload A.
#include "record/standard/key_value.h"
#include "record/standard/standard.h"

namespace isolde::record {
namespace {

constexpr std::uint32_t kYcsbKeysAScale = 1'000;
constexpr std::uint32_t kYcsbOps = 8;
constexpr double kReads = 0.5;

class Ycsb : public KeyValueWorkload {
 public:
  Ycsb(KeyValueShape shape, const WorkloadOptions& options, const db::Dialect& dialect)
      : KeyValueWorkload(std::move(shape), dialect),
        reads_(options.reads.value_or(kReads)),
        keys_(options.distribution.value_or(Distribution::kZipf), this->shape().keys, options.zipf_exponent) {}

  std::unique_ptr<WorkloadSession> session(std::uint32_t, Rng rng) override {
    return std::make_unique<Session>(*this, rng);
  }

 private:
  class Session : public WorkloadSession {
   public:
    Session(const Ycsb& workload, Rng rng) : workload_(workload), rng_(rng) {}

    void transaction(Client& client) override {
      Rng rng(rng_.next());  // of this transaction: what the one before came to changes nothing
      if (!client.begin()) return;
      for (std::uint32_t i = 0; i < workload_.shape().ops; ++i) {
        const std::uint32_t key = workload_.keys_.draw(rng);
        if (!(rng.chance(workload_.reads_) ? workload_.read(client, key) : workload_.write(client, key, rng))) return;
      }
      client.commit();
    }

   private:
    const Ycsb& workload_;
    Rng rng_;
  };

  double reads_;
  KeySampler keys_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_ycsb_a(const WorkloadOptions& o, const db::Dialect& d) {
  auto shape = key_value_shape(o, std::uint64_t{kYcsbKeysAScale} * o.scale, kYcsbOps);
  if (!shape) return std::move(shape).error();
  shape->table = "usertable";
  shape->key_column = "ycsb_key";
  shape->value_column = "field0";
  return std::unique_ptr<Workload>(std::make_unique<Ycsb>(std::move(*shape), o, d));
}

}  // namespace isolde::record
