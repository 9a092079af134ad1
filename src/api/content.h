// api/content.h: what stands behind the public types; seen by src/api only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "anomaly/verdict.h"
#include "history/history.h"
#include "isolde/history.h"
#include "isolde/verdict.h"
#include "report/report.h"

namespace isolde::api {

struct History::Content {
  isolde::History history;
  std::string_view format;
};

struct Verdict::Content {
  isolde::History history;  // shares its columns with the caller's
  std::string_view format;
  isolde::Verdict verdict;
  std::string why;
  isolde::RunStats stats;
  std::optional<isolde::Strongest> strongest;
};

}  // namespace isolde::api
