#include "record/recovery.h"

#include <fmt/format.h>

#include "record/recovery_cockroach.h"
#include "record/recovery_postgres.h"
#include "record/tidb_mvcc.h"

namespace isolde::record {
namespace {

struct Source {
  std::string_view scheme;
  Result<std::unique_ptr<Recovery>> (*make)(const RecoverySetup& setup, std::string& why_not);
};
constexpr Source kSources[] = {
    {"cockroachdb", make_cockroach_recovery},
    {"postgres", make_postgres_recovery},
    {"tidb", make_tidb_recovery},
};

}  // namespace

Result<std::unique_ptr<Recovery>> make_recovery(const RecoverySetup& setup, std::string& why_not) {
  for (const Source& source : kSources) {
    if (source.scheme == setup.url.scheme) return source.make(setup, why_not);
  }
  // SQLite and MariaDB tell the place of each commit with the commit itself.
  if (setup.url.scheme != "sqlite" && setup.url.scheme != "mariadb")
    why_not = fmt::format("no log of {} is read", setup.url.scheme);
  return std::unique_ptr<Recovery>();
}

}  // namespace isolde::record
