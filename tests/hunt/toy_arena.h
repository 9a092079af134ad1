// tests/hunt/toy_arena.h: a server of a few hundred lines that runs statements over tables of one column, with faults
// to plant: what the judge and the trial are tested on without a database.
//
// A statement is a few words: `select T OP N`, `sum T`, `add T OP N K`, `setsum T OP N U`, `delete T OP N`,
// `insert T P N`, `upsert T P N`, `copy T U OP N K`, where OP N is a condition on the column a.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "hunt/run/arena.h"

namespace isolde::hunt::toy {

enum class Fault : std::uint8_t {
  kNone,
  kLostUpdate,       // snapshots, and nobody looks whether a row has changed since
  kStaleRead,        // a SELECT in a transaction reads the rows of before the last commit
  kStaleSnapshot,    // so does a whole transaction
  kDirtyRead,        // rows that are not committed are seen
  kLostRollback,     // a rollback forgets to undo one row
  kLostCommit,       // a commit forgets one row
  kMissesOwnWrites,  // a condition of UPDATE or DELETE does not see what its transaction wrote
  kWrongCount,       // an UPDATE in a transaction reports one row too many
  kWriteSkew,        // no validation at commit
};

[[nodiscard]] Statement statement(std::string_view words, std::int64_t version);
// Tables t and u with rows 1 … rows; row i of t has version i and a = i, of u version 100 + i and a = 10 i.
[[nodiscard]] Schema schema(int rows);
// "1: add t > 0 1; sum u / 2: delete t = 1 rollback": transactions; `order` as in "1 2 1 2".
[[nodiscard]] Case test_case(std::string_view transactions, std::string_view order, int rows = 3);
[[nodiscard]] Case random_case(Rng& rng, std::uint32_t transactions, std::uint32_t statements, int rows = 4);

class ToyArena : public Arena {
 public:
  explicit ToyArena(Level level, Fault fault = Fault::kNone);
  ~ToyArena() override;

  Result<void> prepare(const Schema& schema) override;
  Result<void> reset() override;
  Execution run(const Case& test, bool instrumented) override;
  AloneRun run_alone(const Case& test, std::span<const Place> order) override;
  const std::string& server() const override { return server_; }
  const db::Dialect& dialect() const override { return dialect_; }
  const db::ServerLevel& level() const override { return level_; }

  // What it says of itself from now on.
  void pose_as(std::string_view dialect, std::string_view level, std::string server) {
    dialect_.name = dialect;
    level_.name = level;
    server_ = std::move(server);
  }

  struct Row {
    std::int64_t vkey = 0, a = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };
  using TableRows = std::map<std::int64_t, Row>;
  using Data = std::map<std::string, TableRows>;

  int runs = 0, alone_runs = 0;

 private:
  friend class ToyRun;
  Fault fault_;
  std::string server_ = "Toy 1";
  db::Dialect dialect_;
  db::ServerLevel level_;
  Data initial_, committed_, before_last_;
};

}  // namespace isolde::hunt::toy
