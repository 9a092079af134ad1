#include "db/postgres/cockroach.h"

#include <fmt/format.h>

#include "db/guard/file_sql_dialects.h"
#include "db/postgres/hlc.h"
#include "db/products.h"

namespace isolde::db {
namespace {

constexpr Dialect kCockroachDialect = [] {
  Dialect d = kPostgresDialect;
  d.name = "cockroachdb";
  d.text_type = "string";
  d.list_type = "int8[]";
  d.has_merge = false;
  return d;
}();

constexpr ServerLevel kCockroachLevels[] = {
    {"read committed", Level::kReadCommitted, "READ COMMITTED"},
    {"repeatable read", Level::kSnapshotIsolation, "REPEATABLE READ"},
    {"serializable", Level::kSerializable, "SERIALIZABLE", true},
};

const Flavour& cockroach_flavour() {
  static const Flavour kFlavour = {.port = 26257,
                                   .dialect = kCockroachDialect,
                                   .levels = kCockroachLevels,
                                   .errors = postgres_errors(),
                                   .describe_sql = "select split_part(version(), ' (', 1)",
                                   .waiting_sql = "",
                                   .terminate_sql = ""};
  return kFlavour;
}

}  // namespace

FactsQuestion cockroach_facts(const ServerLevel& level) {
  if (level.claims != Level::kSerializable) return {"", {}};
  return {"select cluster_logical_timestamp()::string", [](std::span<const Cell> row, TxnFacts& facts) -> Result<void> {
            const auto* text = std::get_if<std::string>(&row[0]);
            auto time = hlc_scale().place(text == nullptr ? "" : *text);
            if (!time) return std::move(time).error();
            facts.start_ts = facts.commit_ts = *time;
            facts.xid = *time;  // by which the versions of its log are known, too
            return {};
          }};
}

Result<std::unique_ptr<Database>> open_cockroach(const Url& url) {
  return open_flavour(url, cockroach_flavour(), cockroach_facts);
}

namespace {
constexpr std::string_view kCockroachSchemes[] = {"cockroach"};
}  // namespace

constinit const Product kCockroachProduct = {.name = "cockroachdb",
                                             .title = "CockroachDB",
                                             .family = Family::kPostgres,
                                             .also = kCockroachSchemes,
                                             .url_form = "cockroachdb://…",
                                             .open = open_cockroach,
                                             .evidence = LogEvidence::kChangefeed,
                                             .speaks_postgres_protocol = true,
                                             .why_refused = why_postgres_refuses};

}  // namespace isolde::db
