#include "gen/generate.h"

#include "gen/shuffle.h"
#include "gen/simulator.h"

namespace isolde {

Result<Generated> generate(const GenOptions& options, Progress* progress) {
  if (std::optional<Error> defect = defect_of(options)) return *std::move(defect);
  Simulator simulator(options, progress);
  Result<Generated> made = simulator.run();
  if (!made || !options.shuffled) return made;
  Rng rng(mix64(options.seed) ^ 0x73687566666c6564ULL);
  auto [history, went] = shuffled(made->history, rng);
  made->history = std::move(history);
  for (PlantedGroup& group : made->planted) {
    for (TxnId& t : group.transactions) t = went[raw(t)];
  }
  return made;
}

}  // namespace isolde
