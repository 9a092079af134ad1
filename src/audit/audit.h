// audit/audit.h: the whole way: trace -> classes -> graph -> cycles -> fixes -> anomalies that people can read.
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
  StoryOptions story;  // ::level likewise
  bool fixes = true;   // false: one search, no plan
};

struct Audit {
  TraceLog log;
  Classes classes;
  DependencyGraph graph;
  Hints hints;
  FixPlan plan;
  std::vector<Anomaly> anomalies;  // the likeliest first
  // By anomaly, as far as they were tried.
  std::vector<std::optional<Confirmation>> confirmations;
  double seconds_reading = 0, seconds_searching = 0;
};

[[nodiscard]] Result<std::unique_ptr<Audit>> audit_trace(const std::string& path, Schema schema, Hints hints,
                                                         const AuditOptions& options);

}  // namespace isolde::audit
