// record/basic/settings.h: a workload's own defaults and which options it can use, as data; what both give together.
//
// Always: an option that is out of range, or that the workload has no use for, is an Error that says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "gen/sampler.h"
#include "record/workload/workload.h"

namespace isolde::record {

struct Shape {
  std::string_view name;
  std::uint32_t keys;                               // default
  std::uint32_t fewest_keys = 1;                    // that it can work with
  std::optional<std::uint32_t> ops = std::nullopt;  // default; none: it cannot use that option
  std::uint32_t fewest_ops = 1;
  std::optional<double> reads = std::nullopt;
  Distribution distribution = Distribution::kUniform;
  bool repeated_values = false;  // whether it can use that option
  bool for_update = false;
};

struct Settings {
  std::uint32_t keys = 0, ops = 0;
  double reads = 0;
  Distribution distribution = Distribution::kUniform;
  double zipf_exponent = 0;
  bool repeated_values = false;
  Lock lock = Lock::kNone;  // kUpdate: reads of what is written then are to lock it, and the database has such reads

  // Draws from `count` keys, or from as many pairs or groups of them.
  [[nodiscard]] KeySampler sampler(std::uint32_t count) const { return KeySampler(distribution, count, zipf_exponent); }
};

[[nodiscard]] Result<Settings> settle(const Shape& shape, const WorkloadOptions& options, const db::Dialect& dialect);

// A new value: one that no other write has, or one of ten that come again and again.
[[nodiscard]] inline std::int64_t new_value(const Settings& settings, Client& client, Rng& rng) {
  return settings.repeated_values ? rng.between(1, 10) : client.unique();
}

struct PlannedOp {
  bool writes;
  std::uint32_t key;
};
// The operations of one transaction, by `ops` and `reads`. Keys that are written come in ascending order: PostgreSQL
// waits a second, as it is set up, before it looks for a deadlock, and would do little else on few keys.
[[nodiscard]] std::vector<PlannedOp> plan(const Settings& settings, const KeySampler& sampler, Rng& rng);

// For workloads whose clients need nothing of their own but chance: W has `void transaction(Client&, Rng&)`, which many
// threads call at once.
template <typename W>
class SessionOf : public WorkloadSession {
 public:
  SessionOf(W& workload, Rng rng) : workload_(workload), rng_(rng) {}
  void transaction(Client& client) override { workload_.transaction(client, rng_); }

 private:
  W& workload_;
  Rng rng_;
};

}  // namespace isolde::record
