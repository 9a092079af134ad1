// What comes from a broker: batches of producers, statuses, violations, plans, checkpoints; and addresses. A partition
// takes any messages, and goes on from its state as if it had never been saved.
#include <cstdlib>
#include <string_view>

#include "cluster/address.h"
#include "cluster/merger.h"
#include "cluster/partition_checker.h"

using namespace isolde;
using namespace isolde::cluster;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::unique_ptr<PartitionChecker> make_checker() {
  ClusterPlan plan;
  plan.keys = 1;
  plan.producers = 1;
  plan.memory = std::size_t{1} << 20;
  auto made = PartitionChecker::make(plan, 0);
  require(made.has_value());
  return *std::move(made);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static_cast<void>(parse_address(input));
  static_cast<void>(read_plan(input));
  static_cast<void>(read_violation(input));
  if (const auto status = read_status(input)) require(*read_status(status_text(*status)) == *status);
  StateReader state{std::string(input)};
  static_cast<void>(make_checker()->load(state));

  // Messages, with a NUL between. A worker that loads a state takes everything again that is still in the stream: what
  // the state covers is known by its number.
  constexpr std::size_t kMostReloads = 32;
  const auto checker = make_checker();
  auto again = make_checker();
  std::vector<StoredMessage> taken;
  for (std::string_view rest = input; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::uint64_t sequence = taken.size() + 1;
    taken.push_back({sequence, static_cast<std::int64_t>(sequence) * 1'000'000'000, "s.p.0.a", std::string(one)});
    checker->take(taken.back());
    again->take(taken.back());
    if (taken.size() > kMostReloads) continue;
    StateWriter out;
    again->save(out);
    again = make_checker();
    StateReader in(out.bytes());
    require(again->load(in));
    for (const StoredMessage& message : taken) again->take(message);
  }
  // How far the stream was read is no result, and begins anew with each load.
  PartitionStatus expected = checker->status(), reloaded = again->status();
  expected.sequence = reloaded.sequence = 0;
  require(expected == reloaded);
  return 0;
}
