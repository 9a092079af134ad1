#include "gen/generate.h"

#include "gen/simulator.h"

namespace isolde {

Result<Generated> generate(const GenOptions& options, Progress* progress) {
  if (std::optional<Error> defect = defect_of(options)) return *std::move(defect);
  Simulator simulator(options, progress);
  return simulator.run();
}

}  // namespace isolde
