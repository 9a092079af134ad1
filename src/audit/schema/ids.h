// audit/schema/ids.h: the 32-bit ids of an audit, each a type of its own, and the few words that all its parts share.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "db/family.h"

namespace isolde::audit {

enum class TableId : std::uint32_t {};
enum class ColumnId : std::uint32_t {};   // of one table: (table, column) has one number over the whole schema
enum class ShapeId : std::uint32_t {};    // a statement with its literals taken out (sql/shape.h)
enum class LiteralId : std::uint32_t {};  // a literal of the trace; equal values have equal ids
enum class ClassId : std::uint32_t {};    // a transaction class (classes/classes.h)

inline constexpr TableId kNoTable{kNone32};
inline constexpr ColumnId kNoColumn{kNone32};
inline constexpr LiteralId kNoLiteral{kNone32};

// The grammar of a trace.
using SqlDialect = db::Family;

// The weak levels that an application may run at. MySQL's repeatable read takes its reads from a snapshot, but writes
// and locking reads act on what is committed now, and nobody loses to the first updater.
enum class WeakLevel : std::uint8_t { kReadCommitted, kMysqlRepeatableRead, kSnapshotIsolation };

// What a statement of the trace says about a transaction's level, in the standard's words.
enum class SaidLevel : std::uint8_t { kNothing, kReadCommitted, kRepeatableRead, kSerializable };

enum class Action : std::uint8_t { kRead, kWrite };

// What a statement does with the rows that it finds, until its transaction ends.
enum class Lock : std::uint8_t { kNone, kShare, kExclusive };

}  // namespace isolde::audit
