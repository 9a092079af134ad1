// tests/audit/audited.h: the audit of a trace that a test writes as SQL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "audit/audit.h"

namespace isolde::audit {

[[nodiscard]] std::unique_ptr<Audit> audited(std::string_view ddl, const std::string& sql, WeakLevel level,
                                             const FactSwitches& switches = {}, const Hints& hints = {});
// All facts but those of this kind.
[[nodiscard]] FactSwitches without(FactKind kind);
[[nodiscard]] bool shows(const Audit& audit, FactKind kind);
// Does some story depend on rows of this table?
[[nodiscard]] bool is_about(const Audit& audit, std::string_view table);

}  // namespace isolde::audit
