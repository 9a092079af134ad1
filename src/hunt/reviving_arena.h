// hunt/reviving_arena.h: an arena that outlives its server: where a reset or a new schema fails because the server is
// gone, the server is brought back and the arena made anew.
//
// Always: a failure that a server in good health answers with is handed on as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hunt/run/arena.h"

namespace isolde::hunt {

class RevivingArena final : public Arena {
 public:
  // `restart` may be null: then it is waited for, that somebody else brings the server back.
  [[nodiscard]] static Result<std::unique_ptr<RevivingArena>> open(db::Database& database, const db::ServerLevel& level,
                                                                   const ArenaOptions& options,
                                                                   std::function<Result<void>()> restart);

  [[nodiscard]] Result<void> prepare(const Schema& schema) override;
  [[nodiscard]] Result<void> reset() override;
  [[nodiscard]] Execution run(const Case& test, bool instrumented) override;
  [[nodiscard]] AloneRun run_alone(const Case& test, std::span<const Place> order) override;
  [[nodiscard]] std::optional<AloneRun> run_alone_by(const Case& test, std::span<const Place> order,
                                                     Plan plan) override;
  [[nodiscard]] AloneRun run_on(const Case& test, Place place, const ContentsByTable& rows) override;
  [[nodiscard]] std::vector<std::string> left_by_delete() override;
  [[nodiscard]] const std::string& server() const override { return server_; }
  [[nodiscard]] const db::Dialect& dialect() const override { return dialect_; }
  [[nodiscard]] const db::ServerLevel& level() const override { return level_; }

  [[nodiscard]] std::uint64_t restarts() const { return restarts_; }
  // The server went away and did not come back: nothing more can be done.
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  RevivingArena(db::Database& database, const db::ServerLevel& level, const ArenaOptions& options,
                std::function<Result<void>()> restart)
      : database_(database), level_(level), options_(options), restart_(std::move(restart)) {}
  // Ensures: the server answers and arena_ is a new one.
  [[nodiscard]] Result<void> revive();
  [[nodiscard]] bool answers();

  db::Database& database_;
  const db::ServerLevel& level_;
  ArenaOptions options_;
  std::function<Result<void>()> restart_;
  std::unique_ptr<Arena> arena_;
  std::string server_;
  db::Dialect dialect_;
  Schema schema_;
  std::uint64_t restarts_ = 0;
  bool gone_ = false;
};

}  // namespace isolde::hunt
