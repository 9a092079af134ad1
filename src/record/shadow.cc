#include "record/shadow.h"

#include <fmt/format.h>

namespace isolde::record {
namespace {

constexpr std::string_view kExport =
    "select case when pg_current_xact_id_if_assigned() is null and "
    "current_setting('transaction_isolation') in ('repeatable read', 'serializable') then pg_export_snapshot() end";

std::string select_all(const TracedTable& table) {
  return fmt::format("select {}, {} from {}", fmt::join(table.key_columns, ", "), fmt::join(table.value_columns, ", "),
                     table.name);
}

void add_snapshot_rows(const TracedTable& table, const db::Reply& reply, std::string& out) {
  const std::size_t keys = table.key_columns.size();
  for (std::size_t row = 0; row < reply.rows(); ++row) {
    const std::span<const db::Cell> cells = std::span(reply.cells).subspan(row * reply.width, reply.width);
    if (out.size() > 1) out += ',';
    out += fmt::format("[{},{}]", key_text(table, cells.first(keys)), value_text(table, cells.subspan(keys)));
  }
}

}  // namespace

Result<std::string> ShadowReader::version_set(db::Connection& client) {
  auto exported = client.execute(kExport, {});
  if (!exported) return std::move(exported).error();
  if (!exported->done()) return std::string();  // the client will find out by itself
  const auto* snapshot = std::get_if<std::string>(&exported->at(0, 0));
  if (snapshot == nullptr) return std::string();
  if (shadow_ == nullptr) {
    const auto level = db::level_named(database_, "repeatable read");
    if (!level) return level.error();
    auto connection = database_.connect(**level);
    if (!connection) return std::string();  // the server may be starting again
    shadow_ = *std::move(connection);
  }
  auto set = read(*snapshot);
  if (!set || set->empty()) shadow_.reset();
  return set;
}

Result<std::string> ShadowReader::read(const std::string& snapshot) {
  auto reply = shadow_->begin();
  if (!reply) return std::move(reply).error();
  if (!reply->done()) return std::string();
  reply = shadow_->run(fmt::format("set transaction snapshot '{}'", snapshot));
  if (!reply) return std::move(reply).error();
  if (!reply->done()) return std::string();
  std::string out = "[";
  for (const TracedTable& table : tables_) {
    reply = shadow_->execute(select_all(table), {});
    if (!reply) return std::move(reply).error();
    if (!reply->done()) return std::string();
    add_snapshot_rows(table, *reply, out);
  }
  reply = shadow_->roll_back();
  if (!reply) return std::move(reply).error();
  return reply->done() ? out + "]" : std::string();
}

}  // namespace isolde::record
