#include "db/postgres/yugabyte.h"

#include "db/guard/file_sql_dialects.h"
#include "db/postgres/flavour.h"
#include "db/products.h"

namespace isolde::db {
namespace {

constexpr Dialect kYugabyteDialect = [] {
  Dialect d = kPostgresDialect;
  d.name = "yugabytedb";
  d.has_merge = false;
  return d;
}();

constexpr ServerLevel kYugabyteLevels[] = {
    {"read committed", Level::kReadCommitted, "READ COMMITTED", true},
    {"repeatable read", Level::kSnapshotIsolation, "REPEATABLE READ"},
    {"serializable", Level::kSerializable, "SERIALIZABLE"},
};

constexpr std::string_view kYugabyteDescribe =
    "select split_part(version(), ' on ', 1) union all "
    "select 'yb_effective_transaction_isolation_level=' || "
    "current_setting('yb_effective_transaction_isolation_level', true)";

const Flavour& yugabyte_flavour() {
  static const Flavour kFlavour = {
      .port = 5433,
      .dialect = kYugabyteDialect,
      .levels = kYugabyteLevels,
      .errors = postgres_errors(),
      .describe_sql = kYugabyteDescribe,
      .waiting_sql = "select distinct pid from pg_locks where not granted and pid is not null",
      .terminate_sql = "select pg_terminate_backend(?)"};
  return kFlavour;
}

}  // namespace

Result<std::unique_ptr<Database>> open_yugabyte(const Url& url) {
  return open_flavour(url, yugabyte_flavour(), [](const ServerLevel&) { return FactsQuestion{"", {}}; });
}

namespace {
constexpr std::string_view kYugabyteSchemes[] = {"yugabyte"};
}  // namespace

constinit const Product kYugabyteProduct = {.name = "yugabytedb",
                                            .title = "YugabyteDB",
                                            .family = Family::kPostgres,
                                            .also = kYugabyteSchemes,
                                            .url_form = "yugabytedb://…",
                                            .open = open_yugabyte,
                                            .evidence = LogEvidence::kNone,
                                            .speaks_postgres_protocol = true,
                                            .why_refused = why_postgres_refuses};

}  // namespace isolde::db
