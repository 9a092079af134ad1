#include "tests/support/native_client.h"

#include <fmt/format.h>

namespace isolde {
namespace {

std::string rows_text(std::span<const record::RecordedItem> rows) {
  std::string text;
  for (const record::RecordedItem& row : rows)
    text += fmt::format("{}[{},{}]", text.empty() ? "" : ",", row.key, row.value);
  return text;
}

}  // namespace

NativeClient::NativeClient(std::unique_ptr<db::Connection> connection, const db::Dialect& dialect, std::uint32_t place,
                           std::uint32_t clients)
    : connection_(std::move(connection)),
      dialect_(dialect),
      place_(place),
      clients_(clients),
      next_unique_(static_cast<std::int64_t>(place) + 1) {}

bool NativeClient::begin() {
  ops_.clear();
  const auto reply = connection_->begin();
  return (reply && reply->done()) || fail(reply);
}

bool NativeClient::run(std::string_view sql, std::span<const db::Cell> parameters) {
  auto reply = connection_->execute(sql, parameters);
  if (!reply || !reply->done()) return fail(reply);
  reply_ = *std::move(reply);
  return true;
}

bool NativeClient::commit() {
  const auto reply = connection_->commit();
  if (!reply || !reply->done()) return fail(reply);
  ++committed_;
  end("committed");
  return true;
}

void NativeClient::roll_back() {
  const auto reply = connection_->roll_back();
  if (!reply && fault_.empty()) fault_ = reply.error().message();
  end("aborted");
}

bool NativeClient::fail(const Result<db::Reply>& reply) {
  if (!reply && fault_.empty()) fault_ = reply.error().message();
  roll_back();
  return false;
}

void NativeClient::end(std::string_view status) {
  lines_ += fmt::format(R"({{"session":{},"status":"{}","ops":[{}]}})"
                        "\n",
                        place_, status, ops_);
}

void NativeClient::note(const std::string& op) { ops_ += (ops_.empty() ? "" : ",") + op; }
void NativeClient::will_write(std::string_view key, std::string_view value) { wrote(key, value); }
void NativeClient::will_append(std::string_view key, std::string_view element) {
  note(fmt::format(R"(["append",{},{}])", key, element));
}
void NativeClient::saw(std::string_view key, std::string_view value, Lock) {
  note(fmt::format(R"(["r",{},{}])", key, value));
}
void NativeClient::wrote(std::string_view key, std::string_view value) {
  note(fmt::format(R"(["w",{},{}])", key, value));
}
void NativeClient::scanned(std::string_view where, std::span<const record::RecordedItem> rows, Lock) {
  note(fmt::format(R"(["scan","{}",[{}]])", where, rows_text(rows)));
}
void NativeClient::aggregated(std::string_view expression, std::string_view where, std::string_view value) {
  note(fmt::format(R"(["agg","{}","{}",{}])", expression, where, value));
}
void NativeClient::updated(std::string_view where, std::span<const record::RecordedItem> rows_after) {
  note(fmt::format(R"(["update","{}",[{}]])", where, rows_text(rows_after)));
}

std::string make_tables(db::Connection& connection, record::Workload& workload) {
  const auto fault = [](const Result<db::Reply>& reply) {
    return !reply ? reply.error().message() : reply->failure.text;
  };
  for (const std::string& sql : workload.schema()) {
    if (std::string text = fault(connection.run(sql)); !text.empty()) return text;
  }
  if (std::string text = fault(connection.begin()); !text.empty()) return text;
  if (const auto loaded = workload.load(connection); !loaded) return loaded.error().message();
  return fault(connection.commit());
}

}  // namespace isolde
