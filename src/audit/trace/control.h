// audit/trace/control.h: statements that begin and end transactions, and those that touch no row, by their first words.
//
// In, out: the text of one statement -> what it is; never parses more than it must.
// Always:  comments before and between the words count as blanks.
// Cost:    a few comparisons for SELECT, INSERT, UPDATE, DELETE.
#pragma once

#include <cstdint>
#include <string_view>

#include "audit/schema/ids.h"

namespace isolde::audit {

enum class Control : std::uint8_t {
  kData,  // touches rows, or the schema, or is not known
  kNoData,
  kBegin,
  kCommit,
  kRollback,
  kSavepoint,
  kRelease,
  kRollbackTo,
  kAutocommit,
  kPrepareTransaction,  // first half of a two-phase commit
  kCommitPrepared,
  kRollbackPrepared,
  kSetLevel,  // SET TRANSACTION ISOLATION LEVEL … and the like
};

struct ControlStatement {
  Control what = Control::kData;
  std::string_view name = {};             // of the savepoint or prepared transaction; quotes taken off
  bool chain = false;                     // AND CHAIN: the next transaction begins at once
  bool on = false;                        // kAutocommit
  bool commits_before = false;            // MySQL's DDL and the like
  SaidLevel level = SaidLevel::kNothing;  // kBegin, kSetLevel
  bool for_session = false;               // kSetLevel: for all transactions to come, not for one
};

[[nodiscard]] ControlStatement control_of(std::string_view sql, SqlDialect dialect);

}  // namespace isolde::audit
