#include "record/recovery.h"

#include <fmt/format.h>

#include "db/product.h"
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

}  // namespace

Result<std::unique_ptr<Recovery>> make_recovery(const RecoverySetup& setup, std::string& why_not) {
  const db::Product* const product = db::find_product(setup.url.scheme);
  switch (product == nullptr ? db::LogEvidence::kNone : product->evidence) {
    case db::LogEvidence::kChangefeed:
      return make_cockroach_recovery(setup, why_not);
    case db::LogEvidence::kCommitPlaces:
      return look_for_places(setup, why_not);
    case db::LogEvidence::kLogicalDecoding:
      return make_postgres_recovery(setup, why_not);
    case db::LogEvidence::kMvccVersions:
      return make_tidb_recovery(setup, why_not);
    case db::LogEvidence::kWithCommit:
      break;
    case db::LogEvidence::kNone:
      why_not = fmt::format("no log of {} is read", setup.url.scheme);
  }
  return std::unique_ptr<Recovery>();
}

}  // namespace isolde::record
