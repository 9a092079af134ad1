// audit/audit.h: the whole way: trace -> classes -> graph -> cycles -> fixes -> anomalies that people can read.
//
// Always:  the same input, options and seed give the same audit, whatever the number of threads; `finding` says how it
//          ended. Whoever prints it: render.h, render_json.h, class_graph.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/confirm/confirm.h"
#include "audit/fixes/fixes.h"
#include "audit/graph/graph.h"
#include "audit/hints/hints.h"
#include "audit/scope/scope.h"
#include "audit/story/story.h"
#include "audit/trace/log.h"
#include "base/limits.h"
#include "base/result.h"

namespace isolde::audit {

struct AuditOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  TraceOptions trace;
  ClassOptions classes;
  GraphOptions graph;  // ::level is set from `level`
  SearchOptions search;
  StoryOptions story;       // ::level likewise
  bool fixes = true;        // false: one search, no plan
  bool views = true;        // are read as their queries; false: they are tables
  bool scope = true;        // also look for what is checked in one transaction and acted upon in another
  RequestOptions requests;  // … of one request: by which evidence
};

// An anomaly that is none if an assumption holds which the trace supports and cannot prove (Fact::assumption).
struct SetAside {
  Anomaly anomaly;
  std::vector<std::uint32_t> facts;  // of Classes::facts: the assumptions that it rests on
};

enum class Finding : std::uint8_t { kNone, kAnomalies, kUndecided };

struct Audit {
  std::string file;
  AuditOptions options;
  TraceLog log;
  Classes classes;
  DependencyGraph graph;
  Hints hints;
  FixPlan plan;
  std::vector<Anomaly> anomalies;   // the likeliest first
  std::vector<SetAside> set_aside;  // no part of `finding`, but never left out of the report
  std::size_t untold = 0;           // kinds of which no values that fit together were found
  Requests requests;                // none were looked for: AuditOptions::scope
  std::vector<ScopeFinding> scope;  // whatever the level; no part of `finding`
  // By anomaly, as far as they were tried.
  std::vector<std::optional<Confirmation>> confirmations;
  double seconds_reading = 0, seconds_searching = 0;

  // kUndecided: nothing found so far, and a limit came first.
  [[nodiscard]] Finding finding() const;
};

// Read committed, and so on, by the names and aliases of CONTRACT section 2; "repeatable-read" is MySQL's.
[[nodiscard]] std::string_view name(WeakLevel level);
[[nodiscard]] std::optional<WeakLevel> weak_level_named(std::string_view name);
[[nodiscard]] std::string_view name(SqlDialect dialect);
// By the name of a database that speaks it.
[[nodiscard]] std::optional<SqlDialect> dialect_named(std::string_view name);
[[nodiscard]] std::vector<std::string_view> trace_dialects();

// The error: the trace cannot be read, or a hint names what is not there.
[[nodiscard]] Result<std::unique_ptr<Audit>> audit_trace(const std::string& path, Schema schema, Hints hints,
                                                         const AuditOptions& options);

}  // namespace isolde::audit
