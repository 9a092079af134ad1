#include "hunt/reviving_arena.h"

#include <chrono>
#include <thread>

namespace isolde::hunt {
namespace {

constexpr std::chrono::seconds kOthersBringItBack{60};
constexpr std::chrono::milliseconds kBetweenLooks{100};
// PostgreSQL recovers by itself after the crash of one of its processes, and takes a moment.
constexpr std::chrono::seconds kItComesBack{2};

}  // namespace

Result<std::unique_ptr<RevivingArena>> RevivingArena::open(db::Database& database, const db::ServerLevel& level,
                                                           const ArenaOptions& options,
                                                           std::function<Result<void>()> restart) {
  std::unique_ptr<RevivingArena> made(new RevivingArena(database, level, options, std::move(restart)));
  auto arena = open_arena(database, level, options);
  if (!arena) return std::move(arena).error();
  made->arena_ = *std::move(arena);
  made->server_ = made->arena_->server();
  made->dialect_ = made->arena_->dialect();
  return made;
}

bool RevivingArena::answers() {
  auto connection = database_.connect(level_);
  if (!connection) return false;
  const auto reply = (*connection)->run("select 1");
  return reply && reply->done();
}

Result<void> RevivingArena::revive() {
  arena_.reset();  // its connections first: a server that stops may wait for them
  const auto until = std::chrono::steady_clock::now() + (restart_ ? kItComesBack : kOthersBringItBack);
  bool up = answers();
  if (!up) ++restarts_;
  while (!up && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kBetweenLooks);
    up = answers();
  }
  if (!up && restart_) {
    if (auto back = restart_(); !back) {
      gone_ = true;
      return back;
    }
  }
  auto arena = open_arena(database_, level_, options_);
  if (!arena) {
    gone_ = true;
    return std::move(arena).error();
  }
  arena_ = *std::move(arena);
  return {};
}

Result<void> RevivingArena::prepare(const Schema& schema) {
  schema_ = schema;
  if (gone_) return Error{"the server is gone"};
  Result<void> first = arena_->prepare(schema);
  if (first) return first;
  if (auto again = revive(); !again) return again;
  return arena_->prepare(schema);
}

Result<void> RevivingArena::reset() {
  if (gone_) return Error{"the server is gone"};
  Result<void> first = arena_->reset();
  if (first) return first;
  if (auto again = revive(); !again) return again;
  if (auto made = arena_->prepare(schema_); !made) return made;
  return arena_->reset();
}

Execution RevivingArena::run(const Case& test, bool instrumented) {
  if (arena_) return arena_->run(test, instrumented);
  Execution none;
  none.lost = true;
  return none;
}

AloneRun RevivingArena::run_alone(const Case& test, std::span<const Place> order) {
  if (arena_) return arena_->run_alone(test, order);
  AloneRun none;
  none.lost = true;
  return none;
}

std::optional<AloneRun> RevivingArena::run_alone_by(const Case& test, std::span<const Place> order, Plan plan) {
  return arena_ ? arena_->run_alone_by(test, order, plan) : std::nullopt;
}

AloneRun RevivingArena::run_on(const Case& test, Place place, const ContentsByTable& rows) {
  if (arena_) return arena_->run_on(test, place, rows);
  AloneRun none;
  none.lost = true;
  return none;
}

std::vector<std::string> RevivingArena::left_by_delete() {
  return arena_ ? arena_->left_by_delete() : std::vector<std::string>();
}

}  // namespace isolde::hunt
