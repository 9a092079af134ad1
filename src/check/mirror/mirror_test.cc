#include "check/mirror/mirror.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "check/mirror/mirror_testing.h"
#include "format/native_write.h"
#include "tests/support/native_history.h"

namespace isolde::mirror {
namespace {

std::string native_text(const History& h) {
  std::string text;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) append_native_line(h, TxnId{t}, text);
  return text;
}

int rounds() {
  const char* wanted = std::getenv("ISOLDE_ROUNDS");
  return wanted == nullptr ? 20000 : std::atoi(wanted);
}

TEST(Mirror, ACorrectDbmsNeverRaisesAnAlarm) {
  for (int round = 0; round < rounds(); ++round) {
    Rng rng(static_cast<std::uint64_t>(round));
    SimulationOptions o;
    o.profile = random_profile(rng);
    o.seed = static_cast<std::uint64_t>(round) * 7919 + 1;
    o.sessions = 2 + static_cast<int>(rng.below(4));
    o.transactions = 3 + static_cast<int>(rng.below(14));
    o.keys = 1 + static_cast<int>(rng.below(4));
    o.values = rng.chance(0.5) ? 0 : 2 + static_cast<int>(rng.below(4));
    o.granularity = 1 + static_cast<int>(rng.below(6));
    o.deletes = rng.chance(0.3) ? 0.3 : 0;
    o.appends = rng.chance(0.3) ? 0.3 : 0;
    o.increments = rng.chance(0.3) ? 0.3 : 0;
    if (o.appends + o.increments > 0) o.keys = std::max(o.keys, 3);
    o.scans = rng.chance(0.3) ? 0.4 : 0;
    o.no_interval = rng.chance(0.2) ? 0.2 : 0;
    const Simulated stream = simulate_dbms(o);
    Told told;
    MirrorOptions options;
    options.profile = o.profile;
    const auto engine = make_mirror(options, told);
    feed(*engine, stream, rng);
    ASSERT_TRUE(told.violations.empty()) << "round " << round << "\n"
                                         << text_of(o.profile) << "\n"
                                         << told.text() << native_text(stream.chunk->history);
  }
}

}  // namespace
}  // namespace isolde::mirror
