// audit/render.h: an audit to be read on a terminal.
//
// Out:    what was read and how much of it was understood, the verdict, the likeliest anomalies as SQL in columns, what
//         to change, and what each rule and hint took away.
// Always: ends with a newline; no line is wider than `width` where words can be broken; escape sequences only where
//         colour is asked for.
#pragma once

#include <cstddef>
#include <string>

#include "audit/audit.h"
#include "report/text.h"

namespace isolde::audit {

struct RenderOptions {
  Colour colour = Colour::kNever;
  std::size_t width = 100;
  std::size_t shown = 3;      // anomalies
  bool all_classes = false;   // lists every class
  bool set_aside = false;     // shows the anomalies that were set aside as well
  bool verdict_only = false;  // the verdict's line
};

[[nodiscard]] std::string audit_text(const Audit& audit, const RenderOptions& options);
// "3 kinds of anomaly at read-committed: 2 lost updates, 1 write skew"
[[nodiscard]] std::string verdict_line(const Audit& audit);

}  // namespace isolde::audit
