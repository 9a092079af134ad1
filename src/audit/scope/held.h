// audit/scope/held.h: what keeps other requests away: rows that a request has made itself, and locks that it holds.
//
// Own rows: a value names a row of the request if the request has inserted it before: with that value as its key, or
// with an id that the database made, which is nowhere in the trace before the INSERT and larger than all ids before it.
//
// Locks beyond a transaction are of two kinds. An advisory lock of the session (GET_LOCK, pg_advisory_lock), until it
// is given back. And a row that serves as a lock:
//   UPDATE order_lock SET locked = 'Y' WHERE order_id = 154 AND locked = 'N'   -- taken by whom this finds a row
//   …
//   UPDATE order_lock SET locked = 'N' WHERE order_id = 154                    -- given back
// A second request that does the same finds no row and has to wait or to give up (that it looks at the number of rows
// is not in a trace, and is assumed). The same holds for a change of state (`SET state = 'paid' … WHERE state = 'new'`)
// that is never taken back: it is made once. A counter of versions (5 becomes 6) is no lock: the next request makes
// it 7.
//
// In, out: the statements of one request in their order -> who owns what, and what is locked from where to where.
// Limits:  a lock is about the rows that its key names, and about rows that the trace shows to belong to them (an
// INSERT
//          or a lookup of one row that has the lock's key as one of its columns).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/classes/column_domains.h"
#include "audit/classes/made_ids.h"
#include "audit/facts/occurrences.h"

namespace isolde::audit {

// One statement of a request.
struct RequestStep {
  std::uint32_t statement;    // in TraceLog::statements
  std::uint32_t transaction;  // in TraceLog::transactions
};

// A value that names rows.
struct KeyValue {
  ColumnId column;
  LiteralId value;
};

struct HeldLock {
  std::size_t from, to;        // steps
  std::vector<KeyValue> keys;  // what it is about; empty: everything that takes it at all
};

class Holdings {
 public:
  // Requires: both outlive it.
  Holdings(const TraceLog& log, const Classes& classes);

  // A request begins.
  void begin(std::span<const RequestStep> steps);
  // The step has been carried out: rows that it inserted are the request's own from now on.
  void done(std::size_t step);

  [[nodiscard]] bool owns(const KeyValue& key) const;
  // Whether a lock that is held from one step to another keeps away every other request that names rows by one of these
  // keys. `other`: a lock that is held there and is about other rows; kNone32: none.
  [[nodiscard]] bool kept_away(std::size_t from, std::size_t to, std::span<const KeyValue> keys,
                               std::uint32_t& other) const;

 private:
  [[nodiscard]] bool is_about(const HeldLock& lock, std::span<const KeyValue> keys) const;
  [[nodiscard]] bool same_thing(const KeyValue& a, const KeyValue& b) const;
  void find_row_lock(std::size_t step);
  void find_session_lock(std::size_t step);
  void note_parents();

  const TraceLog& log_;
  const Classes& classes_;
  TraceValues values_;
  ColumnDomains domains_;
  MadeIds made_;
  std::span<const RequestStep> steps_;
  std::vector<HeldLock> locks_;
  std::map<TableId, std::vector<std::uint32_t>> inserted_;  // statements of this request
  std::set<std::pair<std::uint32_t, LiteralId>> given_;     // keys that its INSERTs gave, by domain
  std::map<std::pair<std::uint32_t, LiteralId>, std::vector<KeyValue>> parents_;  // of rows, by their key
  bool has_parents_ = false;
};

}  // namespace isolde::audit
