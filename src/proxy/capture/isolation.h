// proxy/capture/isolation.h: which isolation level PostgreSQL's transactions of one session have.
//
// In, out: statements that set a level -> the level of the transaction at hand.
// Always:  a level that cannot be known (a function may have set it) is "unknown", not a guess.
#pragma once

#include <string>
#include <string_view>

#include "audit/sql/tree.h"

namespace isolde::proxy::capture {

// What a statement does to levels.
struct LevelChange {
  enum class Reach : std::uint8_t { kNone, kTransaction, kSession };
  Reach reach = Reach::kNone;
  std::string level = {};  // "read committed"; empty: back to the session's own start (RESET, SET … TO DEFAULT)
};
// BEGIN ISOLATION LEVEL …, SET TRANSACTION …, SET SESSION CHARACTERISTICS …, SET default_transaction_isolation.
[[nodiscard]] LevelChange level_change(const audit::tree::Node& statement);

// Startup parameters: default_transaction_isolation by itself, or in options as -c default_transaction_isolation=…
// Empty: they do not say.
[[nodiscard]] std::string level_in_startup(std::string_view name, std::string_view value);

class SessionLevel {
 public:
  void start(std::string_view level) { first_ = session_ = level; }
  void apply(const LevelChange& change) {
    if (change.reach == LevelChange::Reach::kSession) session_ = change.level.empty() ? first_ : change.level;
    if (change.reach == LevelChange::Reach::kTransaction) transaction_ = change.level;
  }
  [[nodiscard]] const std::string& now() const { return transaction_.empty() ? session_ : transaction_; }
  // A transaction begins.
  void begin() { transaction_.clear(); }
  void lose() { first_ = session_ = "unknown"; }

 private:
  std::string first_ = "unknown", session_ = "unknown", transaction_;
};

}  // namespace isolde::proxy::capture
