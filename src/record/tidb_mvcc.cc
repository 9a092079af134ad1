#include "record/tidb_mvcc.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "record/http_get.h"

namespace isolde::record {
namespace {

using simdjson::dom::element;

// kvrpcpb.Op, as TiKV numbers what a write is; 0 (a put) is left out of the JSON.
enum Op : std::int64_t { kPut = 0, kDelete = 1, kLock = 2, kRollback = 3, kPessimisticLock = 5 };

std::int64_t number_at(element object, const char* name) {
  std::int64_t value = 0;
  return object[name].get(value) == simdjson::SUCCESS ? value : 0;
}

// Columns of a version: an object {"v": "1"}, or in older servers a list of such objects of one column each.
void add_columns(element data, MvccVersion& version) {
  const auto add = [&](simdjson::dom::object columns) {
    for (const auto& [name, value] : columns) {
      std::string_view text;
      if (value.get(text) == simdjson::SUCCESS) version.columns.emplace_back(name, text);
    }
  };
  simdjson::dom::object columns;
  if (data.get(columns) == simdjson::SUCCESS) return add(columns);
  simdjson::dom::array list;
  if (data.get(list) != simdjson::SUCCESS) return;
  for (const element one : list) {
    if (one.get(columns) == simdjson::SUCCESS) add(columns);
  }
}

// How TiDB's text of a column becomes the cell that a client is given of it.
enum class ColumnKind : std::uint8_t { kInteger, kReal, kDecimal, kText };

ColumnKind column_kind(std::string_view type) {
  if (type.ends_with("int") || type == "year" || type == "bit") return ColumnKind::kInteger;
  if (type == "float" || type == "double") return ColumnKind::kReal;
  return type == "decimal" ? ColumnKind::kDecimal : ColumnKind::kText;
}

// None: the text does not tell.
std::optional<db::Cell> cell_of_text(ColumnKind kind, const std::string& text) {
  if (text == "nil") return kind == ColumnKind::kText ? std::nullopt : std::optional<db::Cell>(db::Cell());
  const char* const end = text.data() + text.size();
  if (kind == ColumnKind::kInteger || kind == ColumnKind::kDecimal) {
    std::int64_t value = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, value); error == std::errc{} && stop == end)
      return db::Cell(value);
  }
  if (kind == ColumnKind::kReal) {
    double value = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, value); error == std::errc{} && stop == end)
      return db::Cell(value);
  }
  return db::Cell(text);
}

std::string column_list(std::span<const std::string> names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "`" : ", `") + name + "`";
  return all;
}

class TidbRecovery : public Recovery {
 public:
  TidbRecovery(const RecoverySetup& setup, const db::ServerLevel& level, std::unique_ptr<db::Connection> connection,
               std::string host, std::uint16_t port)
      : database_of_run_(setup.database),
        level_(level),
        tables_(setup.tables.begin(), setup.tables.end()),
        connection_(std::move(connection)),
        host_(std::move(host)),
        port_(port),
        keys_(tables_.size()),
        kinds_(tables_.size()) {}

  ~TidbRecovery() override {
    if (!kept_.empty()) (void)ask(fmt::format("set global tidb_gc_life_time = '{}'", kept_));
  }

  Result<void> prepare() override {
    auto about = ask("select database(), @@global.tidb_gc_life_time");
    if (!about) return std::move(about).error();
    database_ = text(*about, 0);
    const std::string life_time = text(*about, 1);
    if (auto set = ask("set global tidb_gc_life_time = '72h'"); !set) return std::move(set).error();
    kept_ = life_time;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      auto types =
          ask(fmt::format("select column_name, data_type from information_schema.columns where table_schema = "
                          "database() and table_name = '{}'",
                          tables_[t].name));
      if (!types) return std::move(types).error();
      for (std::size_t row = 0; row < types->rows(); ++row) {
        const auto* const name = std::get_if<std::string>(&types->at(row, 0));
        const auto* const type = std::get_if<std::string>(&types->at(row, 1));
        if (name != nullptr && type != nullptr) kinds_[t][*name] = column_kind(*type);
      }
    }
    if (auto listed = list_keys(); !listed) return listed;
    // What is committed from here on has a later commit timestamp.
    if (auto begun = ask("start transaction"); !begun) return std::move(begun).error();
    auto now = ask("select @@tidb_current_ts");
    if (!now) return std::move(now).error();
    since_ = integer(*now);
    if (auto ended = ask("rollback"); !ended) return std::move(ended).error();
    if (since_ == 0) return Error{"TiDB does not say the time (@@tidb_current_ts)"};
    return {};
  }

  Result<std::vector<RecoveredVersion>> recover() override {
    // Reading every row also settles the locks that dead clients have left.
    if (auto listed = list_keys(); !listed) return std::move(listed).error();
    std::vector<std::pair<std::int64_t, RecoveredVersion>> found;  // by commit_ts
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      for (const auto& [name, key] : keys_[t]) {
        const std::string path = mvcc_path(database_, tables_[t], key);
        auto answer = http_get(host_, port_, path);
        if (!answer) return std::move(answer).error();
        if (answer->status != 200)
          return Error{fmt::format("http://{}:{}{} answers {}: {}", host_, port_, path, answer->status,
                                   std::string_view(answer->body).substr(0, 200))};
        auto versions = parse_mvcc(answer->body);
        if (!versions) return Error{fmt::format("{}: {}", path, versions.error().text)};
        for (const MvccVersion& version : *versions) {
          if (version.commit_ts > since_)
            found.emplace_back(version.commit_ts, RecoveredVersion{name, value_of(t, version), version.start_ts});
        }
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<RecoveredVersion> versions;
    versions.reserve(found.size());
    for (auto& [at, version] : found) versions.push_back(std::move(version));
    return versions;
  }

  std::string source() const override { return "MVCC API of TiDB's status port"; }

 private:
  Result<db::Reply> ask(const std::string& sql) {
    auto reply = connection_->run(sql);
    if (reply && reply->fate == db::Fate::kLost) {  // the run lasts longer than many a connection
      auto again = database_of_run_.connect(level_);
      if (!again) return std::move(again).error();
      connection_ = *std::move(again);
      reply = connection_->run(sql);
    }
    if (reply && !reply->done()) return Error{fmt::format("{} ({})", reply->failure.text, sql)};
    return reply;
  }
  static std::string text(const db::Reply& reply, std::size_t column) {
    const auto* const value = reply.rows() == 1 ? std::get_if<std::string>(&reply.at(0, column)) : nullptr;
    return value == nullptr ? "" : *value;
  }
  static std::int64_t integer(const db::Reply& reply) {
    std::int64_t value = 0;
    if (reply.rows() != 1) return 0;
    if (const auto* number = std::get_if<std::int64_t>(&reply.at(0, 0))) return *number;
    const std::string digits = text(reply, 0);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  Result<void> list_keys() {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      auto rows = ask(fmt::format("select {} from `{}`", column_list(tables_[t].key_columns), tables_[t].name));
      if (!rows) return std::move(rows).error();
      for (std::size_t row = 0; row < rows->rows(); ++row) {
        std::vector<db::Cell> key;
        for (std::size_t c = 0; c < rows->width; ++c) key.push_back(rows->at(row, c));
        std::string name = key_text(tables_[t], key);
        keys_[t].try_emplace(std::move(name), std::move(key));
      }
    }
    return {};
  }

  // Empty: not all of its columns are known.
  std::string value_of(std::size_t table, const MvccVersion& version) const {
    if (version.is_deletion) return "null";
    std::vector<db::Cell> cells;
    for (const std::string& name : tables_[table].value_columns) {
      const auto column = std::find_if(version.columns.begin(), version.columns.end(),
                                       [&](const auto& one) { return one.first == name; });
      const auto kind = kinds_[table].find(name);
      if (column == version.columns.end() || kind == kinds_[table].end()) return {};
      auto cell = cell_of_text(kind->second, column->second);
      if (!cell) return {};
      cells.push_back(*std::move(cell));
    }
    return value_text(tables_[table], cells);
  }

  db::Database& database_of_run_;
  const db::ServerLevel& level_;
  std::vector<TracedTable> tables_;
  std::unique_ptr<db::Connection> connection_;
  std::string host_;
  std::uint16_t port_;
  std::string database_;
  std::string kept_;  // tidb_gc_life_time before the run
  std::int64_t since_ = 0;
  std::vector<std::map<std::string, std::vector<db::Cell>>> keys_;  // by table, by key
  std::vector<std::unordered_map<std::string, ColumnKind>> kinds_;  // by table, by column
};

}  // namespace

Result<std::vector<MvccVersion>> parse_mvcc(std::string_view json) {
  simdjson::dom::parser parser;
  element document;
  element info;
  if (parser.parse(simdjson::padded_string(json)).get(document) != simdjson::SUCCESS || !document.is_object())
    return Error{"the answer is not a JSON object"};
  std::string_view fault;
  if (document["value"]["error"].get(fault) == simdjson::SUCCESS && !fault.empty())
    return Error{fmt::format("TiKV answers: {}", fault)};
  if (document["decode_error"].get(fault) == simdjson::SUCCESS)
    return Error{fmt::format("TiDB cannot decode the row: {}", fault)};
  std::vector<MvccVersion> versions;
  // Without decoded columns the same stands one level deeper.
  if (document["info"].get(info) != simdjson::SUCCESS && document["value"]["info"].get(info) != simdjson::SUCCESS)
    return versions;
  element lock;
  if (info["lock"].get(lock) == simdjson::SUCCESS && lock.is_object()) {
    const std::int64_t type = number_at(lock, "type");
    if (type != kLock && type != kPessimisticLock)
      return Error{fmt::format("the transaction {} has it locked: it is not known yet whether it committed",
                               number_at(lock, "start_ts"))};
  }
  simdjson::dom::array writes;
  if (info["writes"].get(writes) != simdjson::SUCCESS) return versions;
  for (const element write : writes) {
    const std::int64_t type = number_at(write, "type");
    if (type == kLock || type == kRollback) continue;
    MvccVersion version;
    version.start_ts = number_at(write, "start_ts");
    version.commit_ts = number_at(write, "commit_ts");
    version.is_deletion = type == kDelete;
    if ((type != kPut && type != kDelete) || version.start_ts <= 0 || version.commit_ts <= version.start_ts)
      return Error{fmt::format("a write of an unknown form: {}", simdjson::minify(write))};
    element data;
    if (document["data"][std::to_string(version.start_ts)].get(data) == simdjson::SUCCESS) add_columns(data, version);
    versions.push_back(std::move(version));
  }
  std::sort(versions.begin(), versions.end(),
            [](const MvccVersion& a, const MvccVersion& b) { return a.commit_ts < b.commit_ts; });
  return versions;
}

std::string mvcc_path(std::string_view database, const TracedTable& table, std::span<const db::Cell> key) {
  std::string path = fmt::format("/mvcc/key/{}/{}", url_encoded(database), url_encoded(table.name));
  if (key.size() == 1 && std::holds_alternative<std::int64_t>(key[0]))
    return fmt::format("{}/{}?decode=true", path, std::get<std::int64_t>(key[0]));
  char mark = '?';
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto* const text = std::get_if<std::string>(&key[i]);
    path += fmt::format("{}{}={}", mark, url_encoded(table.key_columns[i]),
                        url_encoded(text != nullptr ? *text : json_text(key[i])));
    mark = '&';
  }
  return path + mark + "decode=true";
}

Result<std::unique_ptr<Recovery>> make_tidb_recovery(const RecoverySetup& setup, std::string& why_not) {
  std::uint16_t port = 10080;
  for (const auto& [name, value] : setup.url.options) {
    if (name == "status_port") std::from_chars(value.data(), value.data() + value.size(), port);
  }
  const std::string host = setup.url.host.empty() || setup.url.host.starts_with('/') ? "127.0.0.1" : setup.url.host;
  const auto status = http_get(host, port, "/status");
  if (!status || status->status != 200) {
    why_not = fmt::format("cannot reach TiDB's status port ({}): set ?status_port=PORT",
                          status ? fmt::format("answer {}", status->status) : status.error().text);
    return std::unique_ptr<Recovery>();
  }
  const db::ServerLevel* level = &setup.database.levels()[0];
  for (const db::ServerLevel& one : setup.database.levels()) {
    if (one.is_default) level = &one;
  }
  auto connection = setup.database.connect(*level);
  if (!connection) return std::move(connection).error();
  return std::unique_ptr<Recovery>(std::make_unique<TidbRecovery>(setup, *level, *std::move(connection), host, port));
}

}  // namespace isolde::record
