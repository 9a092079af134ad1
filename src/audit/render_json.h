// audit/render_json.h: an audit as one JSON object on one line (docs/audit.md names its fields).
//
// Always: valid JSON whatever the statements hold; fields may be added, none is taken away.
#pragma once

#include <string>

#include "audit/audit.h"

namespace isolde::audit {

// Without a newline at its end.
[[nodiscard]] std::string audit_json(const Audit& audit, double peak_mib);

}  // namespace isolde::audit
