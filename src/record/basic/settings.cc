#include "record/basic/settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::record {
namespace {

constexpr std::uint32_t kMostItems = 10'000'000;
constexpr std::uint32_t kMostOps = 10'000;

Error no_use(std::string_view workload, std::string_view option) {
  return Error{fmt::format("the workload {} cannot use --{}", workload, option)};
}

}  // namespace

Result<Settings> settle(const Shape& shape, const WorkloadOptions& options, const db::Dialect& dialect) {
  Settings s;
  s.keys = options.keys.value_or(shape.keys);
  if (s.keys < shape.fewest_keys || s.keys > kMostItems)
    return Error{
        fmt::format("the workload {} takes {} to {} keys, not {}", shape.name, shape.fewest_keys, kMostItems, s.keys)};
  if (options.ops && !shape.ops) return no_use(shape.name, "ops");
  s.ops = options.ops.value_or(shape.ops.value_or(0));
  if (shape.ops && (s.ops < shape.fewest_ops || s.ops > kMostOps))
    return Error{fmt::format("the workload {} takes {} to {} operations per transaction, not {}", shape.name,
                             shape.fewest_ops, kMostOps, s.ops)};
  if (options.reads && !shape.reads) return no_use(shape.name, "reads");
  s.reads = options.reads.value_or(shape.reads.value_or(0));
  if (!(s.reads >= 0 && s.reads <= 1)) return Error{fmt::format("the share of reads is 0 to 1, not {}", s.reads)};
  if (options.repeated_values && !shape.repeated_values) return no_use(shape.name, "repeated");
  if (options.for_update && !shape.for_update) return no_use(shape.name, "for-update");
  if (options.scale != 1) return no_use(shape.name, "scale");
  s.distribution = options.distribution.value_or(shape.distribution);
  s.zipf_exponent = options.zipf_exponent;
  s.repeated_values = options.repeated_values;
  // Where the dialect has no locking reads, none is recorded.
  if (options.for_update && !dialect.for_update.empty()) s.lock = Lock::kUpdate;
  return s;
}

std::vector<PlannedOp> plan(const Settings& settings, const KeySampler& sampler, Rng& rng) {
  std::vector<PlannedOp> ops(settings.ops);
  std::vector<std::uint32_t> written;
  for (PlannedOp& op : ops) {
    op = {.writes = !rng.chance(settings.reads), .key = sampler.draw(rng)};
    if (op.writes) written.push_back(op.key);
  }
  std::sort(written.begin(), written.end());
  auto next = written.begin();
  for (PlannedOp& op : ops) {
    if (op.writes) op.key = *next++;
  }
  return ops;
}

}  // namespace isolde::record
