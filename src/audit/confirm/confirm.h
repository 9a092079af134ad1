// audit/confirm/confirm.h: runs an anomaly's interleaving on a real scratch database and says whether it happens.
//
// In, out: Anomaly, schema, database -> Confirmation at the chosen level and at SERIALIZABLE.
// Always:  it works in tables of its own making, in a scratch schema or database that it removes again. The anomaly
//          happened only if what the committed transactions read and left behind is unlike every serial order of them,
//          each run on the same rows on the same server. Written values are made different for each transaction, so
//          that every read says whom it read from.
// Limits:  rows are made up, so that the statements find what they look for: kYes says that the server lets it happen
//          to these statements, not that the application's rows are ever so. A statement's text is fixed: what an
//          application would have done with another value that it read is not tried. Keys that two members would
//          insert alike are made different, which `why` says. Foreign keys and triggers are not there. kNo after all
//          tries is no proof that it cannot happen. If it happens neither in the story's order nor in any other order
//          of the statements that matter (those of the cycle, those that write or lock, the first, the COMMIT; the rest
//          goes with the next of these), it is impossible there for these statements and rows: `impossible`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/story/story.h"
#include "audit/trace/log.h"
#include "base/result.h"
#include "db/database.h"

namespace isolde::audit {

enum class Happened : std::uint8_t {
  kYes,     // no serial order gives what was seen
  kNo,      // a serial order does: by waiting, by an error, or because the rows never met
  kNotRun,  // a statement could not be carried out there (why)
};

struct ConfirmedStep {
  std::uint32_t member;
  std::string sql;
  std::string answer;  // "1 row: 10", "waited for T1's commit", "error 40001 …"
};

struct Run {
  std::string level;  // as the server calls it
  Happened happened = Happened::kNotRun;
  std::vector<ConfirmedStep> steps;
  std::string why;  // "T1 and T2 both read d_next_o_id = 10; in T1, T2 order T2 reads 11"
};

struct Confirmation {
  std::string server;  // "PostgreSQL 15.19"
  Run at_level, at_serializable;
  // If the story's own order shows nothing: orders of the statements that matter, and how many of them were tried. One
  // in which it happens is what at_level shows then.
  std::uint64_t orders = 0, orders_tried = 0;
  [[nodiscard]] bool confirmed() const {
    return at_level.happened == Happened::kYes && at_serializable.happened == Happened::kNo;
  }
  // It happens in no order of these statements on these rows.
  [[nodiscard]] bool impossible() const {
    return at_level.happened == Happened::kNo && orders > 0 && orders_tried == orders;
  }
};

struct ConfirmOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  std::uint32_t rows = 3;          // that each table is given besides those that the story needs
  std::uint32_t tries = 3;         // with other rows, where the first shows nothing
  std::uint64_t most_orders = 80;  // that are tried where none of these does; 0: the story's own is enough
};

[[nodiscard]] Result<Confirmation> confirm(const Anomaly& anomaly, const Classes& classes, const TraceLog& log,
                                           db::Database& database, const ConfirmOptions& options);

}  // namespace isolde::audit
