// tests/support/faulty_database.h: a real database with one fault planted: what `isolde hunt` must find.
//
// Always: a fault comes up inside transactions only unless it says otherwise, and hangs on nothing but the statement's
// text and what the
//         transactions before it did: the same run shows it again, and a smaller case still can.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "db/database.h"

namespace isolde::test {

enum class Fault : std::uint8_t {
  kNone,
  kLostRollback,     // a ROLLBACK commits
  kStaleRead,        // a SELECT is answered from an older state
  kMissesOwnWrites,  // a SELECT is answered as if the transaction's own writes were not there
  kDirtyRead,        // a SELECT is answered from another open transaction's view
  kWrongCount,       // an UPDATE reports one row more than it changed
  kError,            // a statement fails with PlantedFault::code while another transaction is open
  kHang,             // a statement does not answer until it is cancelled, while another transaction is open
  kLostWrite,        // every so many'th UPDATE is answered and not carried out (PlantedFault::one_in)
  kPassedOver,       // … is not carried out, and says so: it changed no row
  kWrongIndex,       // a query that begins with the feature loses a row, if tables have indexes; outside too
  kWrongQuery,       // … in any case
  kDeleteLeaves,     // DELETE without a condition leaves a row, inside transactions and outside
  kWrongInside,      // a SELECT loses its last row
  kCrash,            // the connection breaks, while another transaction is open
};

struct PlantedFault {
  Fault fault = Fault::kNone;
  // Only where the statement's text has this; kLostRollback: where one of the transaction's statements has it.
  std::string feature;
  std::string code = {};     // kError
  std::uint64_t one_in = 1;  // kLostWrite, kPassedOver
};

class FaultyDatabase final : public db::Database {
 public:
  FaultyDatabase(std::unique_ptr<db::Database> real, PlantedFault planted);
  ~FaultyDatabase() override;

  [[nodiscard]] Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel& level) override;
  [[nodiscard]] const db::Dialect& dialect() const override { return real_->dialect(); }
  [[nodiscard]] std::span<const db::ServerLevel> levels() const override { return real_->levels(); }
  [[nodiscard]] Result<std::string> describe(db::Connection& connection) override;
  [[nodiscard]] Result<std::vector<std::int64_t>> waiting(db::Connection& observer) override;
  [[nodiscard]] Result<void> terminate(db::Connection& observer, std::int64_t session) override;

  // How often the fault changed an answer, or could have.
  [[nodiscard]] std::uint64_t times() const;

  struct World;  // what its connections share

 private:
  std::unique_ptr<db::Database> real_;
  std::shared_ptr<World> world_;
};

}  // namespace isolde::test
