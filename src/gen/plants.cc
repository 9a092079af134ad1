#include "gen/plants.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace isolde {
namespace {

using Op = ScriptOp;
using Role = ScriptRole;
using Event = ScriptEvent;

constexpr std::uint8_t kX = 0;
constexpr std::uint8_t kY = 1;
constexpr Op r(std::uint8_t key, std::uint8_t value) { return {Op::What::kRead, key, value}; }
constexpr Op w(std::uint8_t key, std::uint8_t value) { return {Op::What::kWrite, key, value}; }
constexpr Op kScan{Op::What::kScan, 0, 0};
constexpr Op found(std::uint8_t key, std::uint8_t value) { return {Op::What::kFound, key, value}; }
constexpr Event snapshot(std::uint8_t role) { return {Event::What::kSnapshot, role}; }
constexpr Event start(std::uint8_t role) { return {Event::What::kStart, role}; }
constexpr Event commit(std::uint8_t role) { return {Event::What::kCommit, role}; }

// Role 0 of most scripts writes the versions that the others find.
constexpr Op kWriteX[] = {w(kX, 1)};
constexpr Op kWriteBoth[] = {w(kX, 1), w(kY, 2)};
constexpr Op kUpdateX[] = {r(kX, 1), w(kX, 2)};
constexpr Op kReadOldX[] = {r(kX, 1)};

constexpr Op kUpdateXToo[] = {r(kX, 1), w(kX, 3)};
constexpr Role kLostUpdateRoles[] = {{0, false, kWriteX}, {0, false, kUpdateX}, {1, false, kUpdateXToo}};
constexpr Event kTwoAtOnce[] = {start(0), commit(0), start(1), start(2), commit(1), commit(2)};

constexpr Op kSkewX[] = {r(kX, 1), r(kY, 2), w(kX, 3)};
constexpr Op kSkewY[] = {r(kX, 1), r(kY, 2), w(kY, 4)};
constexpr Role kWriteSkewRoles[] = {{0, false, kWriteBoth}, {0, false, kSkewX}, {1, false, kSkewY}};

constexpr Op kForkX[] = {w(kX, 3)};
constexpr Op kForkY[] = {w(kY, 4)};
constexpr Op kSeesX[] = {r(kX, 3), r(kY, 2)};
constexpr Op kSeesY[] = {r(kX, 1), r(kY, 4)};
constexpr Role kLongForkRoles[] = {
    {0, false, kWriteBoth}, {0, false, kForkX}, {1, false, kForkY}, {0, false, kSeesX}, {1, false, kSeesY}};
constexpr Event kLongForkEvents[] = {start(0),  commit(0), start(1), start(2),  commit(1),
                                     commit(2), start(3),  start(4), commit(3), commit(4)};

constexpr Op kRewriteBoth[] = {w(kX, 3), w(kY, 4)};
// The old version first: read the other way round it would break monotonic-atomic-view as well.
constexpr Op kHalf[] = {r(kY, 2), r(kX, 3)};
constexpr Role kFracturedRoles[] = {{0, false, kWriteBoth}, {0, false, kRewriteBoth}, {1, false, kHalf}};
constexpr Event kOneAfterAnother[] = {start(0), commit(0), start(1), commit(1), start(2), commit(2)};

constexpr Role kStaleRoles[] = {{0, false, kWriteX}, {0, false, kUpdateX}, {1, false, kReadOldX}};

constexpr Op kDoomedX[] = {w(kX, 2)};
constexpr Op kReadNewX[] = {r(kX, 2)};
constexpr Role kG1aRoles[] = {{0, false, kWriteX}, {0, true, kDoomedX}, {1, false, kReadNewX}};

constexpr Op kTwiceX[] = {w(kX, 2), w(kX, 3)};
constexpr Role kG1bRoles[] = {{0, false, kWriteX}, {0, false, kTwiceX}, {1, false, kReadNewX}};

constexpr Op kCycleX[] = {w(kX, 1), r(kY, 2)};
constexpr Op kCycleY[] = {w(kY, 2), r(kX, 1)};
constexpr Role kG1cRoles[] = {{0, false, kCycleX}, {1, false, kCycleY}};
constexpr Event kG1cEvents[] = {start(0), start(1), commit(0), commit(1)};

constexpr Role kNonMonotonicRoles[] = {{0, false, kWriteX}, {0, false, kUpdateX}, {0, false, kReadOldX}};
constexpr Event kNonMonotonicEvents[] = {start(0), commit(0), start(1), snapshot(2), commit(1), start(2), commit(2)};

constexpr Op kMissesY[] = {kScan, found(kX, 1)};
constexpr Role kMismatchRoles[] = {{0, false, kWriteBoth}, {1, false, kMissesY}};
constexpr Event kTwoInTurn[] = {start(0), commit(0), start(1), commit(1)};

constexpr Op kInsertX[] = {kScan, w(kX, 1)};
constexpr Op kInsertY[] = {kScan, w(kY, 2)};
constexpr Role kPhantomRoles[] = {{0, false, kInsertX}, {1, false, kInsertY}};

using L = Level;
constexpr L kWeak[] = {L::kReadCommitted, L::kStrongSessionMonotonicAtomicView, L::kReadAtomic, L::kCausal};
constexpr L kUpToPrefix[] = {L::kReadCommitted, L::kStrongSessionMonotonicAtomicView, L::kReadAtomic, L::kCausal,
                             L::kPrefix};
constexpr L kSnapshotUp[] = {L::kSnapshotIsolation, L::kStrongSessionSnapshotIsolation, L::kStrongSnapshotIsolation,
                             L::kSerializable,      L::kStrongSessionSerializable,      L::kStrictSerializable};
constexpr L kUpToSnapshot[] = {L::kReadCommitted,
                               L::kStrongSessionMonotonicAtomicView,
                               L::kReadAtomic,
                               L::kCausal,
                               L::kPrefix,
                               L::kSnapshotIsolation,
                               L::kStrongSessionSnapshotIsolation,
                               L::kStrongSnapshotIsolation};
constexpr L kSerializableForms[] = {L::kSerializable, L::kStrongSessionSerializable, L::kStrictSerializable};
constexpr L kPrefixUp[] = {L::kPrefix,
                           L::kSnapshotIsolation,
                           L::kStrongSessionSnapshotIsolation,
                           L::kStrongSnapshotIsolation,
                           L::kSerializable,
                           L::kStrongSessionSerializable,
                           L::kStrictSerializable};
constexpr L kCommittedReads[] = {L::kReadCommitted, L::kStrongSessionMonotonicAtomicView};
constexpr L kAtomicUp[] = {L::kReadAtomic,
                           L::kCausal,
                           L::kPrefix,
                           L::kSnapshotIsolation,
                           L::kStrongSessionSnapshotIsolation,
                           L::kStrongSnapshotIsolation,
                           L::kSerializable,
                           L::kStrongSessionSerializable,
                           L::kStrictSerializable};
constexpr L kRealTimeForms[] = {L::kStrongSnapshotIsolation, L::kStrictSerializable};
constexpr L kOrderedForms[] = {L::kReadAtomic,
                               L::kCausal,
                               L::kPrefix,
                               L::kStrongSessionSnapshotIsolation,
                               L::kStrongSnapshotIsolation,
                               L::kStrongSessionSerializable,
                               L::kStrictSerializable};
constexpr L kPlainForms[] = {L::kReadCommitted, L::kStrongSessionMonotonicAtomicView, L::kSnapshotIsolation,
                             L::kSerializable};

using K = PlantKind;
constexpr PlantInfo kPlants[] = {
    {K::kLostUpdate, "lost-update", "two transactions read the same version, overlap, and both overwrite it", 2, 1, 3,
     kLostUpdateRoles, kTwoAtOnce, kSnapshotUp, kUpToPrefix, kSnapshotUp},
    {K::kWriteSkew, "write-skew",
     "two transactions read the same two keys, overlap, and each overwrites a different one", 2, 2, 4, kWriteSkewRoles,
     kTwoAtOnce, kSerializableForms, kUpToSnapshot, kSerializableForms},
    {K::kLongFork, "long-fork", "two readers see two independent writes in opposite orders", 2, 2, 4, kLongForkRoles,
     kLongForkEvents, kPrefixUp, kWeak, kPrefixUp},
    {K::kFracturedRead, "fractured-read", "a reader sees one write of a transaction and misses the other", 2, 2, 4,
     kFracturedRoles, kOneAfterAnother, kAtomicUp, kCommittedReads, kAtomicUp},
    {K::kStaleRead, "stale-read", "a reader misses a version that was committed before its snapshot", 2, 1, 2,
     kStaleRoles, kOneAfterAnother, kPrefixUp, kWeak, kRealTimeForms},
    {K::kG1a,
     "G1a",
     "a transaction reads what an aborted one wrote",
     2,
     1,
     2,
     kG1aRoles,
     kTwoAtOnce,
     kPlantLevels,
     {},
     kPlantLevels},
    {K::kG1b,
     "G1b",
     "a transaction reads a version that its writer overwrote before it committed",
     2,
     1,
     3,
     kG1bRoles,
     kTwoAtOnce,
     kPlantLevels,
     {},
     kPlantLevels},
    {K::kG1c,
     "G1c",
     "two transactions read each other's writes",
     2,
     2,
     2,
     kG1cRoles,
     kG1cEvents,
     kPlantLevels,
     {},
     kPlantLevels},
    {K::kNonMonotonicSession, "non-monotonic-session",
     "a session's next transaction runs on a snapshot from before the session's own commit", 1, 1, 2,
     kNonMonotonicRoles, kNonMonotonicEvents, kOrderedForms, kPlainForms, kOrderedForms},
    {K::kResultSetMismatch, "result-set-mismatch", "a scan misses one of two rows that one transaction had committed",
     2, 2, 2, kMismatchRoles, kTwoInTurn, kAtomicUp, kCommittedReads, kAtomicUp, true},
    {K::kPhantom, "phantom", "two transactions scan, overlap, and each inserts a row that the other's scan would find",
     2, 2, 2, kPhantomRoles, kG1cEvents, kSerializableForms, kUpToSnapshot, kSerializableForms, true},
};
static_assert(std::size(kPlants) == kPlantCount);
static_assert(std::ranges::all_of(kPlants, [](const PlantInfo& p) {
  return p.roles.size() <= kMaxPlantRoles && p.sessions <= kMaxPlantSessions &&
         &p == &kPlants[static_cast<int>(p.kind)];
}));

}  // namespace

std::span<const PlantInfo> all_plants() { return kPlants; }
const PlantInfo& info(PlantKind kind) { return kPlants[static_cast<std::size_t>(kind)]; }

std::optional<PlantKind> plant_named(std::string_view name) {
  const std::string wanted = folded(name);
  for (const PlantInfo& plant : kPlants) {
    if (folded(plant.name) == wanted) return plant.kind;
  }
  return std::nullopt;
}

std::uint64_t planted_groups(const Plant& plant, std::uint64_t transactions) {
  if (plant.groups > 0) return plant.groups;
  if (plant.rate <= 0) return 0;
  const double wanted = plant.rate * static_cast<double>(transactions);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted) / info(plant.kind).roles.size());
}

}  // namespace isolde
