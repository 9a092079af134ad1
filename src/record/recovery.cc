#include "record/recovery.h"

#include <fmt/format.h>

#include "record/recovery_cockroach.h"
#include "record/recovery_postgres.h"
#include "record/tidb_mvcc.h"

namespace isolde::record {
namespace {

// MariaDB tells the place of each commit with the commit itself, if it keeps a log at all.
Result<std::unique_ptr<Recovery>> look_for_places(const RecoverySetup& setup, std::string& why_not) {
  auto connection = setup.database.connect(setup.database.levels()[0]);
  if (!connection) return std::move(connection).error();
  auto reply = (*connection)->run("select @@log_bin, version() like '%MariaDB%'");
  if (!reply) return std::move(reply).error();
  const db::Cell yes = std::int64_t{1};
  if (reply->rows() != 1) {
    why_not = reply->failure.text;
  } else if (reply->at(0, 1) != yes) {
    why_not = "MySQL does not report the position of a commit";
  } else if (reply->at(0, 0) != yes) {
    why_not = "log_bin is off: with it, the server reports the position of each commit";
  }
  return std::unique_ptr<Recovery>();
}

struct EvidenceSource {
  std::string_view scheme;
  Result<std::unique_ptr<Recovery>> (*make)(const RecoverySetup& setup, std::string& why_not);
};
constexpr EvidenceSource kSources[] = {
    {"cockroachdb", make_cockroach_recovery},
    {"mariadb", look_for_places},
    {"postgres", make_postgres_recovery},
    {"tidb", make_tidb_recovery},
};

}  // namespace

Result<std::unique_ptr<Recovery>> make_recovery(const RecoverySetup& setup, std::string& why_not) {
  for (const EvidenceSource& source : kSources) {
    if (source.scheme == setup.url.scheme) return source.make(setup, why_not);
  }
  // SQLite tells the place of each commit with the commit itself.
  if (setup.url.scheme != "sqlite") why_not = fmt::format("no log of {} is read", setup.url.scheme);
  return std::unique_ptr<Recovery>();
}

}  // namespace isolde::record
