#include "check/timeline/online/engine.h"

namespace isolde::timeline {

void Online::save(StateWriter& out) const { out.put(std::uint64_t{0}); }

bool Online::load(StateReader& in) { return in.get<std::uint64_t>() == 0; }

}  // namespace isolde::timeline
