// audit/facts/find_classes.h: a trace read into classes of transactions, with the facts that it supports.
//
// In, out: a trace, its schema -> Classes: what each transaction class reads and writes, and what is known of its
//          values.
// Always:  a fact is taken only with the support that mine.h asks for; each can be switched off (ClassOptions::facts).
// Cost:    linear in the trace but for the pairs of slots within a class.
#pragma once

#include <vector>

#include "audit/classes/classes.h"
#include "audit/schema/schema.h"
#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

[[nodiscard]] Classes find_classes(const TraceLog& log, Schema schema, const ClassOptions& options);
// The same when it is known what each shape does: `statements` by ShapeId.
[[nodiscard]] Classes find_classes(const TraceLog& log, Schema schema, std::vector<Statement> statements,
                                   const ClassOptions& options);

}  // namespace isolde::audit
