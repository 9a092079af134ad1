// check/choose.h: the cheapest engine that the evidence supports, and why.
//
// Source: CONTRACT section 1, "What a verdict is about".
#pragma once

#include <string>

#include "check/engine.h"

namespace isolde {

struct ChooseOptions {
  std::string_view method;       // force this engine; empty: choose
  bool order_by_commit = false;  // --order commit_ts: commit timestamps are the serialization order
};

struct Choice {
  const Engine* engine = nullptr;  // null: the forced method is not there or lacks evidence
  std::string why;                 // one clause for the report, or what is wrong
};

[[nodiscard]] Choice choose(const History& history, Level level, const ChooseOptions& options);

}  // namespace isolde
